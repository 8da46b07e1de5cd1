/** Request methods and their effect on requests and responses. */

/** Supported methods. GET and POST are in the API document; the others are an extension (extensions.ts). */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export type Method = (typeof METHODS)[number];

/** Reports whether requests with a method can have a body. For other methods, parameters are sent in the query. */
export function takesBody(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** @see RFC 9110, section 8.6 */
export function sendsZeroContentLength(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** @see RFC 9112, section 6.3 */
export function hasBodilessResponse(method: Method): boolean {
  return method === 'HEAD';
}

/** @see RFC 9110, section 9.2.2 */
export function isIdempotent(method: Method): boolean {
  return method !== 'POST' && method !== 'PATCH';
}

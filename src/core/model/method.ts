/** Request methods and their effect on requests and responses. */

/** Supported methods. GET and POST are in the API document; the others are an extension (extensions.ts). */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export type Method = (typeof METHODS)[number];

/**
 * Reports whether requests with a method have a body. The body consists of parameters or raw data. For other
 * methods, parameters are added to the query.
 */
export function takesBody(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Reports whether a request without content sends `Content-Length: 0`.
 * @see RFC 9110, section 8.6
 */
export function sendsZeroContentLength(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/**
 * Reports whether a response ends after its header section, regardless of its headers.
 * @see RFC 9112, section 6.3
 */
export function hasBodilessResponse(method: Method): boolean {
  return method === 'HEAD';
}

/**
 * Reports whether sending a request twice has the same effect as sending it once.
 * @see RFC 9110, section 9.2.2
 */
export function isIdempotent(method: Method): boolean {
  return method !== 'POST' && method !== 'PATCH';
}

/** Request methods and their effect on requests and responses. */

/** Supported methods. GET and POST are in the API document; the others are an extension. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export type Method = (typeof METHODS)[number];

/** Reports whether requests with a method can have a body; otherwise, parameters are sent in the query. */
export function takesBody(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Reports whether requests with a method, but without a body, have the header `content-length: 0`.
 * @see RFC 9110, section 8.6
 */
export function sendsZeroContentLength(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/**
 * Reports whether responses to requests with a method have no body, regardless of their headers.
 * @see RFC 9112, section 6.3
 */
export function hasBodilessResponse(method: Method): boolean {
  return method === 'HEAD';
}

/**
 * Reports whether repeating a request with a method has the same effect as sending the request once.
 * @see RFC 9110, section 9.2.2
 */
export function isIdempotent(method: Method): boolean {
  return method !== 'POST' && method !== 'PATCH';
}

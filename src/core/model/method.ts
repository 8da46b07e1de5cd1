/** The methods of requests, and what they mean for the request that is made. */

/** The first two are of the API document; the others are an extension: see extensions.ts. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export type Method = (typeof METHODS)[number];

/** Whether parameters and a raw body become the body of the request; otherwise parameters go to its query. */
export function takesBody(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Whether a request without content says so. Source: RFC 9110, section 8.6. */
export function sendsZeroContentLength(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether an answer ends with its head, whatever the head says. Source: RFC 9112, section 6.3. */
export function hasBodilessResponse(method: Method): boolean {
  return method === 'HEAD';
}

/** Whether a request has the same effect twice as once. Source: RFC 9110, section 9.2.2. */
export function isIdempotent(method: Method): boolean {
  return method !== 'POST' && method !== 'PATCH';
}

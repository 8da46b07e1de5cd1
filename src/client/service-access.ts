import { CallError } from '../core/call-error.ts';
import type { Secret } from '../core/model/secret.ts';
import { problem, ProblemError } from '../core/problem.ts';

/** Details of a CallError for a request that was not sent. */
export const NOT_SENT = { outcome: 'not_sent', status: null, errors: [] } as const;

/** @throws ProblemError LT_CONFIG_VALUE, or LT_CLI_UNSAFE for plain `http:` to another machine. */
export function readBaseUrl(baseUrl: string, allowPlainHttp: boolean): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ProblemError(
      problem('LT_CONFIG_VALUE', 'the service address is not a valid http:// or https:// URL'),
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const message = `the service address ${url.origin} must not contain a user name, password, query or fragment`;
    throw new ProblemError(problem('LT_CONFIG_VALUE', message));
  }
  if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
    const message = `requests to "${url.origin}" would send the API key unencrypted`;
    throw new ProblemError(
      problem('LT_CLI_UNSAFE', message, { hint: 'use an https:// URL, or set service.allow_plain_http' }),
    );
  }
  return url;
}

/**
 * Reports whether the host name of a `URL` object is on loopback. In such names, IPv4 addresses have four decimal
 * numbers.
 */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const RESERVED_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/**
 * Returns the header name in lower case.
 * @throws ProblemError LT_CONFIG_VALUE if the name is invalid, or reserved for another purpose.
 */
export function readAuthHeader(name: string): string {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || RESERVED_HEADERS.has(lower)) {
    throw new ProblemError(
      problem('LT_CONFIG_VALUE', 'auth_header is not a valid header name or is reserved'),
    );
  }
  return lower;
}

/**
 * @param title - Method and path of the request, for messages.
 * @throws CallError LT_API_KEY if the key is missing or invalid.
 */
export function checkKey(key: Secret, title: string): void {
  if (!key.present || key.reveal() === '') {
    const message = `${title} requires an API key, but "${key.name}" is not set`;
    throw new CallError(problem('LT_API_KEY', message), NOT_SENT);
  }
  if (!/^[\x20-\x7e]+$/.test(key.reveal())) {
    const message = `the API key in "${key.name}" contains characters that are not allowed in a header, such as a line break`;
    throw new CallError(problem('LT_API_KEY', message), NOT_SENT);
  }
}

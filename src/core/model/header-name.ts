/** Which header names a test may give to its requests: one rule for the file and for the service. */

/** Headers that would change where a request goes, how it is framed, or who seems to have sent it. */
const RESERVED: readonly string[] = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
  'keep-alive',
];
const RESERVED_PREFIXES: readonly string[] = ['proxy-', 'x-loadtests-', ':'];

/** Set by whoever sends the request, never by a test. Case makes no difference. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.includes(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key'];

/** Whether a request's header is there for credentials, so that its values are never printed, wherever they come from. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_HEADERS.includes(name.toLowerCase());
}

/** Source: RFC 9110, section 5.6.2. */
export function isHeaderToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

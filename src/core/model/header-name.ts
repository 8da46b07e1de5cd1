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

/** Words of names such as `X-Auth-Token`, `Set-Cookie` and `X-Session-Id`. */
const CREDENTIAL_NAME_PARTS =
  /^(?:auth|authentication|authorisation|authorization|bearer|credentials?|\w*tokens?|apikey|jwt|otp|csrf|xsrf|\w*cookies?|session|\w*sessionid|sid|\w*secret|\w*passwords?|passwd|passphrase)$/;
const CREDENTIAL_NAME =
  /(?:^|[^a-z])(?:api|access|auth|secret|private|subscription|functions|account)[^a-z]?key$/;

/** Whether what stands under a name, be it of a header or of a parameter, is likely to give access to something. */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  if (isCredentialHeader(lower) || CREDENTIAL_NAME.test(lower)) return true;
  return lower.split(/[^a-z0-9]+/).some((word) => CREDENTIAL_NAME_PARTS.test(word));
}

/** Source: RFC 9110, section 5.6.2. */
export function isHeaderToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

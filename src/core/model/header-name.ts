/** Rules for the names of request headers, shared by the file and the service. */

/** Headers that control the destination, the framing or the connection of a request. */
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

/** Reports whether a header is reserved for the load generator, so that a test must not set it. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.includes(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key'];

/** Reports whether a request header carries credentials. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_HEADERS.includes(name.toLowerCase());
}

/** Matches words of names that indicate credentials, such as `token`, including `password` in several languages. */
const CREDENTIAL_NAME_PARTS =
  /^(?:auth|authentication|authorisation|authorization|bearer|credentials?|\w*tokens?|apikey|jwt|otp|csrf|xsrf|\w*cookies?|session|\w*sessionid|sid|\w*secret|\w*passwords?|passwd|\w*pwd|passphrase|passcode|pin|pincode|totp|mfa|cvv2?|cvc2?|ssn|passwort|kennwort|motdepasse|contrase\w*|senha|wachtwoord)$/;
const CREDENTIAL_NAME =
  /(?:^|[^a-z])(?:api|access|auth|secret|private|subscription|functions|account)[^a-z]?key$/;

/** Reports whether the value of a header or parameter with this name is likely to grant access. */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  if (isCredentialHeader(lower) || CREDENTIAL_NAME.test(lower)) return true;
  return lower.split(/[^a-z0-9]+/).some((word) => CREDENTIAL_NAME_PARTS.test(word));
}

/**
 * Reports whether a string is a token, the syntax of header names.
 * @see RFC 9110, section 5.6.2
 */
export function isHeaderToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

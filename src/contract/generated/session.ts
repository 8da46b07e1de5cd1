/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of POST /v2/sessions: a token that the web UI sends instead of the API key.
 */
export interface Session {
  /**
   * Value of the header "authorization", after "Bearer ". It has the rights of the API key, except the creation of sign-in codes.
   */
  token: string;
  /**
   * Time when the token expires (RFC 3339): twelve hours after its creation. A restart of the service also invalidates it.
   */
  expires_at: string;
  [k: string]: unknown;
}

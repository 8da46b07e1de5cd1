/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A token that the web UI sends instead of the API key.
 */
export interface Session {
  /**
   * Value for the header "authorization", after "Bearer ". It has the rights of the API key, except the creation of sign-in codes.
   */
  token: string;
  /**
   * RFC 3339: the token expires twelve hours after its creation, or earlier if the service restarts.
   */
  expires_at: string;
  [k: string]: unknown;
}

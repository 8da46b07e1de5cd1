/* Written by "npm run generate" from schemas/; never edited. */

/**
 * What the page sends in the place of the API key.
 */
export interface PageSession {
  /**
   * Goes into the header "authorization", after "Bearer ". It has the rights of the key, but for links to the page.
   */
  token: string;
  /**
   * Until when it can be used: twelve hours after it was made, or until the service restarts.
   */
  expires_at: string;
  [k: string]: unknown;
}

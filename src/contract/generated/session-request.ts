/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of POST /v2/sessions.
 */
export interface SessionRequest {
  /**
   * Sign-in code from a link to the web UI.
   */
  code: string;
}

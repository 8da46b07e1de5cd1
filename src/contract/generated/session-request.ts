/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of POST /v2/sessions.
 */
export interface SessionRequest {
  /**
   * The sign-in code of a link.
   */
  code: string;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of POST /v2/page-sessions.
 */
export interface PageSessionRequest {
  /**
   * The code of a link.
   */
  code: string;
}

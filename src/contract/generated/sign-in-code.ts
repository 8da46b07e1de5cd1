/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A single-use code that a link to the web UI ends with, after "/#".
 */
export interface SignInCode {
  /**
   * A secret. Give it only to the person who opens the web UI.
   */
  code: string;
  /**
   * RFC 3339: the code expires ten minutes after its creation.
   */
  expires_at: string;
  [k: string]: unknown;
}

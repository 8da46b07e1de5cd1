/* Written by "npm run generate" from schemas/; never edited. */

/**
 * What a link to the page ends in, after "/#". It can be used once.
 */
export interface PageCode {
  /**
   * To be given to nobody but who opens the page.
   */
  code: string;
  /**
   * Until when it can be used: ten minutes after it was made.
   */
  expires_at: string;
  [k: string]: unknown;
}

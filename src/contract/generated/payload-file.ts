/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A payload file that the service has.
 */
export interface PayloadFileRecord {
  /**
   * SHA-256 of its content, in hex.
   */
  sha256: string;
  /**
   * Its length.
   */
  bytes: number;
  /**
   * Rows of all its lists together.
   */
  rows: number;
  [k: string]: unknown;
}

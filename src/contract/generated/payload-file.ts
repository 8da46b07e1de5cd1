/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A payload file or body file that the service has stored.
 */
export interface PayloadFileRecord {
  /**
   * SHA-256 of the content of the payload file, in hex.
   */
  sha256: string;
  /**
   * Size of the payload file in bytes.
   */
  bytes: number;
  /**
   * Total number of rows of all lists in the payload file; 0 if the content is not a payload file.
   */
  rows: number;
  [k: string]: unknown;
}

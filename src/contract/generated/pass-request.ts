/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of POST /v2/passes: a test as for POST /v2/tests, and its secrets. An extension.
 */
export interface PassRequest {
  /**
   * Texts of the test that the answer must not tell, in any coding. Passwords, and headers that carry credentials, are never told.
   *
   * @maxItems 10000
   */
  secrets?: string[];
  [k: string]: unknown;
}

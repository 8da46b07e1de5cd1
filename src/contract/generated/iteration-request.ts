/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of POST /v2/iterations (extension): a test as in POST /v2/tests, and its secrets.
 */
export interface IterationRequest {
  /**
   * Strings of the test to mask in the response, in any encoding. Passwords and credential headers are always masked.
   *
   * @maxItems 10000
   */
  secrets?: string[];
  [k: string]: unknown;
}

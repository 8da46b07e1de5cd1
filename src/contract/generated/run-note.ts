/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of PUT /v2/tests/{test_id}/results/{result_id}/note (extension): a note on a run, in one line.
 */
export interface RunNote {
  /**
   * Note, in one line; null or an empty string removes it.
   */
  note: string | null;
}

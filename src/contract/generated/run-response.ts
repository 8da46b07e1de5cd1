/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of PUT /v2/tests/{test_id}/run and /stop.
 */
export interface RunResponse {
  /**
   * Outcome marker: "success" or "error".
   */
  message: string;
  /**
   * The test meant.
   */
  test_id?: string | number | null;
  /**
   * State of the test.
   */
  status?: string | null;
  /**
   * Identifier of the result of the run.
   */
  result_id?: string | number | null;
  [k: string]: unknown;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of PUT /v2/tests/{test_id}/run and PUT /v2/tests/{test_id}/stop.
 */
export interface RunResponse {
  /**
   * Outcome of the request: "success" or "error".
   */
  message: string;
  /**
   * ID of the test; null if the service does not return it.
   */
  test_id?: string | number | null;
  /**
   * Status of the test; null if the service does not return it.
   */
  status?: string | null;
  /**
   * ID of the result of the run; null if the service does not return it.
   */
  result_id?: string | number | null;
  [k: string]: unknown;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of POST /v2/tests.
 */
export interface TestCreated {
  /**
   * Outcome of the request: "success" or "error".
   */
  message: string;
  /**
   * ID of the created test.
   */
  test_id: string | number;
  /**
   * Status of the test after its creation; null if the service does not return it.
   */
  status?: string | null;
  /**
   * ID of the result of the run that was started; absent or null if no run was started.
   */
  result_id?: string | number | null;
  /**
   * Extension: true if an earlier request with the same ownership marker created the test. The request then created nothing.
   */
  existing?: boolean;
  /**
   * Extension: one sentence for each field of the request that has no effect.
   */
  warnings?: string[];
  [k: string]: unknown;
}

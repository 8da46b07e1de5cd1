/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Answer of POST /v2/tests.
 */
export interface TestCreated {
  /**
   * Outcome marker: "success" or "error".
   */
  message: string;
  /**
   * Identifier of the created test.
   */
  test_id: string | number;
  /**
   * State of the test after creation.
   */
  status?: string | null;
  /**
   * Identifier of the result of the run that starts.
   */
  result_id?: string | number | null;
  /**
   * Extension: what was given and has no effect, a sentence each.
   */
  warnings?: string[];
  [k: string]: unknown;
}

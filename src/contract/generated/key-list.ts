/* eslint-disable */
/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: the tests by the keys of the files that declare them; those whose run was started last come first.
 */
export type KeyList = KeyRecord[];

export interface KeyRecord {
  /**
   * The name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * Of the file that declares it; null: none does.
   */
  project: string | null;
  /**
   * Of that file.
   */
  environment: string | null;
  /**
   * What the file calls it.
   */
  key: string | null;
  /**
   * Of the newest test: "pending", "running" or "complete".
   */
  status: string;
  /**
   * The versions of the key, newest first; no more than a hundred.
   */
  test_ids: string[];
  /**
   * How many versions there are.
   */
  tests: number;
  /**
   * Of all versions.
   */
  runs: number;
  /**
   * The result of the run that was started last, as the list of results has it, and the id of its test; null: none was.
   */
  last: {
    /**
     * Of the version that was run.
     */
    test_id: string;
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: every version and run of the key of a test, or of a test without one.
 */
export interface TestHistory {
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
   * How many versions there are.
   */
  tests: number;
  /**
   * Of all versions.
   */
  runs: number;
  /**
   * The newest first; no more than fifty.
   */
  versions: TestVersion[];
  /**
   * The newest first; no more than five hundred.
   */
  results: RunSummary[];
  [k: string]: unknown;
}
export interface TestVersion {
  /**
   * Identifier of the test.
   */
  test_id: string;
  /**
   * RFC 3339.
   */
  created_at: string;
  /**
   * "pending", "running" or "complete".
   */
  status: string;
  /**
   * RFC 3339: when it is to start; null: it does not wait.
   */
  scheduled_at: string | null;
  /**
   * What a run of it makes, as plans tell it.
   */
  load: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
export interface RunSummary {
  /**
   * Of the version that was run.
   */
  test_id: string;
  /**
   * Identifier of the result.
   */
  result_id: string;
  /**
   * RFC 3339.
   */
  started_at: string;
  /**
   * "ready" or "not_ready".
   */
  status: string;
  /**
   * As whoever started the run has told it; null: nobody has.
   */
  verdict: string | null;
  /**
   * Why the run ended early; null: it did not.
   */
  abort_reason: string | null;
  /**
   * What it took.
   */
  elapsed_ms: number | null;
  /**
   * Finished requests.
   */
  requests: number | null;
  /**
   * Percent.
   */
  error_rate: number | null;
  /**
   * Of the whole run.
   */
  requests_per_second: number | null;
  /**
   * Response time in ms.
   */
  p95: number | null;
  [k: string]: unknown;
}

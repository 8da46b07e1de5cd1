/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: what runs, what is due, and how the latest runs ended.
 */
export interface Overview {
  /**
   * RFC 3339: the clock of the service.
   */
  now: string;
  /**
   * Runs that go on.
   */
  running: RunningTest[];
  /**
   * Tests that wait for their time, the earliest first; no more than twenty.
   */
  scheduled: ScheduledTest[];
  /**
   * Those that ran last come first: no more than two hundred, of the last two thousand runs.
   */
  keys: KeyRecord[];
  apps: AppCounts;
  [k: string]: unknown;
}
export interface RunningTest {
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
   * The test.
   */
  test_id: string;
  /**
   * The run.
   */
  result_id: string;
  /**
   * RFC 3339.
   */
  started_at: string;
  /**
   * For how long it makes load.
   */
  duration_ms: number;
  /**
   * As of the last second, as the test's record has it; null: nothing was told yet.
   */
  progress: {
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
export interface ScheduledTest {
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
   * The test.
   */
  test_id: string;
  /**
   * RFC 3339.
   */
  scheduled_at: string;
  [k: string]: unknown;
}
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
   * The newest version of the key.
   */
  test_id: string;
  /**
   * How many versions there are.
   */
  tests: number;
  /**
   * Of all versions.
   */
  runs: number;
  /**
   * The runs that were started last, the newest first: in lists of keys no more than twenty, in the overview one.
   */
  recent: RunSummary[];
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
/**
 * How many there are.
 */
export interface AppCounts {
  /**
   * That may get load.
   */
  verified: number;
  /**
   * That may not yet.
   */
  unverified: number;
  [k: string]: unknown;
}

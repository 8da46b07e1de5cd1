/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/overview (extension): runs in progress, scheduled tests, and keys with their latest runs.
 */
export interface Overview {
  /**
   * Current time of the service (RFC 3339).
   */
  now: string;
  /**
   * Runs in progress.
   */
  running: RunningTest[];
  /**
   * Scheduled tests, in the order of their start: at most 20.
   */
  scheduled: ScheduledTest[];
  /**
   * Version of `keys`, which changes with its content.
   */
  keys_version: string;
  /**
   * Keys with the most recent runs, most recent first: at most 200 keys, from the last 2,000 runs. Null if the parameter `known` is the current `keys_version`.
   */
  keys: KeyRecord[] | null;
  apps: AppCounts;
  [k: string]: unknown;
}
export interface RunningTest {
  /**
   * Display title: the name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * Project of the file that declares the test; null if no file declares it.
   */
  project: string | null;
  /**
   * Environment for which the file declares the test; null if there is none.
   */
  environment: string | null;
  /**
   * Key of the test in the file that declares it; null if no file declares it.
   */
  key: string | null;
  /**
   * ID of the test.
   */
  test_id: string;
  /**
   * ID of the result of the run.
   */
  result_id: string;
  /**
   * Start of the run (RFC 3339).
   */
  started_at: string;
  /**
   * Duration of the load in ms.
   */
  duration_ms: number;
  /**
   * Progress of the run in the form of `progress` in the test record, updated every second; null if none has been reported yet.
   */
  progress: {
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
export interface ScheduledTest {
  /**
   * Display title: the name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * Project of the file that declares the test; null if no file declares it.
   */
  project: string | null;
  /**
   * Environment for which the file declares the test; null if there is none.
   */
  environment: string | null;
  /**
   * Key of the test in the file that declares it; null if no file declares it.
   */
  key: string | null;
  /**
   * ID of the test.
   */
  test_id: string;
  /**
   * Scheduled start of the test (RFC 3339).
   */
  scheduled_at: string;
  [k: string]: unknown;
}
export interface KeyRecord {
  /**
   * Display title: the name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * Project of the file that declares the test; null if no file declares it.
   */
  project: string | null;
  /**
   * Environment for which the file declares the test; null if there is none.
   */
  environment: string | null;
  /**
   * Key of the test in the file that declares it; null if no file declares it.
   */
  key: string | null;
  /**
   * Status of the newest test of the key: "pending", "running" or "complete".
   */
  status: string;
  /**
   * ID of the newest test of the key.
   */
  test_id: string;
  /**
   * Number of versions: all tests that were created for the key.
   */
  tests: number;
  /**
   * Number of runs of all versions.
   */
  runs: number;
  /**
   * Most recently started runs, newest first: at most 20 in the list of keys, at most one in the overview.
   */
  recent: RunSummary[];
  [k: string]: unknown;
}
export interface RunSummary {
  /**
   * ID of the version of the test that was run.
   */
  test_id: string;
  /**
   * ID of the result.
   */
  result_id: string;
  /**
   * Start of the run (RFC 3339).
   */
  started_at: string;
  /**
   * "ready" if the run has ended, or "not_ready".
   */
  status: string;
  /**
   * Verdict published by the client that started the run; null if none was published.
   */
  verdict: string | null;
  /**
   * Reason of the verdict in one sentence, such as `p95 2,105 ms, threshold < 300ms (+2 more)`; null if the verdict needs none.
   */
  reason: string | null;
  /**
   * Reason why the run ended early, such as `stopped` or `error_threshold`; null if it did not end early.
   */
  abort_reason: string | null;
  /**
   * Duration of the run in ms, from its start until its last request ended; null if unknown.
   */
  elapsed_ms: number | null;
  /**
   * Number of finished requests; null if unknown.
   */
  requests: number | null;
  /**
   * Error rate in percent; null if unknown.
   */
  error_rate: number | null;
  /**
   * Finished requests per second of load, for the whole run; null if unknown.
   */
  requests_per_second: number | null;
  /**
   * 95th percentile of the response time in ms; null if unknown.
   */
  p95: number | null;
  /**
   * Timeout of a request in ms; null if unknown. If requests timed out, a `p95` at or above it is a lower bound.
   */
  timeout_ms: number | null;
  /**
   * Number of requests that timed out; null if unknown.
   */
  timeouts: number | null;
  /**
   * Client that started the run, as it identified itself; null if it did not.
   */
  started_by: string | null;
  /**
   * Note of a user on the run; null if there is none.
   */
  note: string | null;
  [k: string]: unknown;
}
/**
 * Numbers of apps by status.
 */
export interface AppCounts {
  /**
   * Number of verified apps, which can receive load.
   */
  verified: number;
  /**
   * Number of unverified apps, which cannot receive load.
   */
  unverified: number;
  [k: string]: unknown;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/tests/{test_id}/history (extension): all versions and runs of the key of a test, or of a test without a key.
 */
export interface TestHistory {
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
   * Number of versions: all tests that were created for the key.
   */
  tests: number;
  /**
   * Number of runs of all versions.
   */
  runs: number;
  /**
   * Thresholds of the latest run that has a verdict. Empty if no run has one.
   */
  limits: KnownLimit[];
  /**
   * Versions of the test, newest first: at most 50.
   */
  versions: TestVersion[];
  /**
   * Runs of all versions, newest first: at most 500.
   */
  results: RunSummary[];
  [k: string]: unknown;
}
export interface KnownLimit {
  /**
   * Name of the metric.
   */
  metric: string;
  /**
   * Name of the URL, for a threshold on one URL; null for other thresholds.
   */
  url: string | null;
  /**
   * Name of the flow, for a threshold on one flow; null for other thresholds.
   */
  flow: string | null;
  /**
   * Threshold, as written in the file.
   */
  limit: string;
  /**
   * Mean of the baseline runs, in the unit of the metric; null if the threshold is not compared with a baseline.
   */
  baseline: number | null;
  /**
   * Allowed worsening against the baseline, in percent; null if the threshold is not compared with a baseline.
   */
  allowed: number | null;
  [k: string]: unknown;
}
export interface TestVersion {
  /**
   * ID of the test.
   */
  test_id: string;
  /**
   * Time when the test was created (RFC 3339).
   */
  created_at: string;
  /**
   * Status of the test: "pending", "running" or "complete".
   */
  status: string;
  /**
   * Scheduled start of the test (RFC 3339); null if it is not scheduled.
   */
  scheduled_at: string | null;
  load: VersionLoad;
  [k: string]: unknown;
}
/**
 * Load of one run of this version, in the form of `load` in plans.
 */
export interface VersionLoad {
  /**
   * Load model of the test.
   */
  test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test. With stages, the level at the start.
   */
  initial: number;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). With stages, the highest level.
   */
  total: number;
  /**
   * Total number of clients; null for `cycling`, whose clients repeat their iterations.
   */
  clients: number | null;
  /**
   * Stages of the load profile; null if the test has none.
   */
  stages: VersionStage[] | null;
  /**
   * Maximum number of requests of one iteration. Absent if the test has no groups.
   */
  requests_per_iteration?: number;
  /**
   * Minimum number of requests of one iteration in which no request fails. Absent if all iterations have the same number of requests.
   */
  min_requests_per_iteration?: number;
  /**
   * Flows of the test, in the order of the file. Absent if it has none.
   */
  flows?: VersionFlow[];
  /**
   * Duration of the warm-up in seconds, which the metrics exclude; null if there is none.
   */
  warmup: number | null;
  /**
   * Maximum number of concurrent connections.
   */
  connections: number;
  /**
   * Maximum number of concurrent connections of one client to one host, which is the number of requests of its largest parallel group. Absent if clients send one request at a time.
   */
  connections_per_client?: number;
  /**
   * Duration of the load in seconds.
   */
  seconds: number;
  /**
   * Hosts that receive the load.
   */
  hosts: string[];
  [k: string]: unknown;
}
export interface VersionStage {
  /**
   * Duration of the stage in seconds.
   */
  seconds: number;
  /**
   * Level at the end of the stage: connections, or clients per second.
   */
  to: number;
  [k: string]: unknown;
}
export interface VersionFlow {
  /**
   * Name of the flow.
   */
  name: string;
  /**
   * Weight of the flow.
   */
  weight: number;
  /**
   * Exact number of clients that perform the flow; null for `cycling`.
   */
  clients: number | null;
  /**
   * Number of requests per iteration of the flow.
   */
  requests: number;
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

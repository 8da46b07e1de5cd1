/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Past runs of one test, with which later runs are compared. `loadtests baseline` writes the file; it is committed next to the configuration file.
 */
export interface BaselineFile {
  /**
   * Version of this format.
   */
  format_version: 1;
  /**
   * Key of the test.
   */
  test: string;
  /**
   * Digest of every field of the test that determines the load, which excludes name, notes, callbacks and schedule. It contains no secrets.
   */
  load: string;
  /**
   * Runs in order of their start, the earliest first.
   *
   * @minItems 1
   * @maxItems 100
   */
  runs: [BaselineRun, ...BaselineRun[]];
}
/**
 * One run.
 */
export interface BaselineRun {
  /**
   * ID of the result on the service.
   */
  result_id: string;
  /**
   * Start of the run (RFC 3339); null if the service does not return it.
   */
  started_at: string | null;
  /**
   * Load generator of the run; null if the result does not contain it.
   */
  machine: BaselineMachine | null;
  /**
   * Values by metric: times in ms, rates in percent, counts as integers.
   */
  metrics: {
    error_rate?: number;
    success_rate?: number;
    http_error_rate?: number;
    avg_response_time?: number;
    min?: number;
    max?: number;
    p50?: number;
    p75?: number;
    p90?: number;
    p95?: number;
    p99?: number;
    'p99.9'?: number;
    requests?: number;
    requests_per_second?: number;
    success?: number;
    error?: number;
    timeout_error?: number;
    network_error?: number;
    data_received?: number;
    iterations?: number;
    iteration_error_rate?: number;
    iteration_mean?: number;
    iteration_max?: number;
    iteration_p50?: number;
    iteration_p75?: number;
    iteration_p90?: number;
    iteration_p95?: number;
    iteration_p99?: number;
    'iteration_p99.9'?: number;
  };
  /**
   * Interval of each metric, given the delays of the load generator; null if the result has no bounds.
   */
  bounds: {
    error_rate?: BaselineBounds;
    success_rate?: BaselineBounds;
    http_error_rate?: BaselineBounds;
    avg_response_time?: BaselineBounds;
    min?: BaselineBounds;
    max?: BaselineBounds;
    p50?: BaselineBounds;
    p75?: BaselineBounds;
    p90?: BaselineBounds;
    p95?: BaselineBounds;
    p99?: BaselineBounds;
    'p99.9'?: BaselineBounds;
    requests?: BaselineBounds;
    requests_per_second?: BaselineBounds;
    success?: BaselineBounds;
    error?: BaselineBounds;
    timeout_error?: BaselineBounds;
    network_error?: BaselineBounds;
    data_received?: BaselineBounds;
    iterations?: BaselineBounds;
    iteration_error_rate?: BaselineBounds;
    iteration_mean?: BaselineBounds;
    iteration_max?: BaselineBounds;
    iteration_p50?: BaselineBounds;
    iteration_p75?: BaselineBounds;
    iteration_p90?: BaselineBounds;
    iteration_p95?: BaselineBounds;
    iteration_p99?: BaselineBounds;
    'iteration_p99.9'?: BaselineBounds;
  } | null;
  /**
   * Histogram of the response times; null if the result has none.
   */
  latency_histogram: BaselineHistogram | null;
  /**
   * Histogram of the minimum response times, without delays of the load generator; null if the result has none.
   */
  latency_low_histogram: BaselineHistogram | null;
}
export interface BaselineMachine {
  /**
   * Cores that were available to the load generator.
   */
  cores: number;
  /**
   * Threads of the load generator.
   */
  threads: number;
  /**
   * Version of Node.js.
   */
  node: string;
  /**
   * Version of the measuring method. Metrics are comparable only if the versions are equal.
   */
  measurement_version: number;
  /**
   * Version of loadtests on the load generator; null if the result does not contain it.
   */
  version: string | null;
}
export interface BaselineBounds {
  low: number;
  high: number | null;
}
/**
 * Histogram in µs: pairs of a bucket and its count, in ascending order, without empty buckets.
 */
export interface BaselineHistogram {
  unit: 'us';
  sub_bits: 7;
  min: number;
  max: number;
  sum: number;
  /**
   * @maxItems 4096
   */
  counts: [number, number][];
}

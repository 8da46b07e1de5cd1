/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Past runs of one test, to compare later ones with. `loadtests baseline` writes it; it is committed beside the file.
 */
export interface BaselineFile {
  /**
   * Of this file.
   */
  format_version: 1;
  /**
   * Key of the test.
   */
  test: string;
  /**
   * Digest of all that makes the load: of every field of the test but name, notes, callbacks and schedule. No secret is in it.
   */
  load: string;
  /**
   * The earliest run first.
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
   * Its result on the service.
   */
  result_id: string;
  /**
   * RFC 3339; null where the service does not tell.
   */
  started_at: string | null;
  /**
   * Where the load was made; null where the result does not tell.
   */
  machine: BaselineMachine | null;
  /**
   * Values by metric: times in ms, rates in percent, counts as integers.
   */
  metrics: {
    error_rate?: number;
    success_rate?: number;
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
  };
  /**
   * The values between which each metric lies, given the delays of the load generator; null if the result has no bounds.
   */
  bounds: {
    error_rate?: BaselineBounds;
    success_rate?: BaselineBounds;
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
  } | null;
  /**
   * Null where the result has none.
   */
  latency_histogram: BaselineHistogram | null;
  /**
   * What requests took at least. Null where the result has none.
   */
  latency_low_histogram: BaselineHistogram | null;
}
export interface BaselineMachine {
  /**
   * That the generator could use.
   */
  cores: number;
  /**
   * That made the load.
   */
  threads: number;
  /**
   * Version of Node.js.
   */
  node: string;
  /**
   * Version of the measuring method. Metrics are comparable only between equal versions.
   */
  measuring: number;
  /**
   * Of the program that made the load; null where the result does not tell.
   */
  version: string | null;
}
export interface BaselineBounds {
  low: number;
  high: number | null;
}
/**
 * Response times in µs, as a result has them: pairs of a bucket and its count, ascending, only those that are not empty.
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

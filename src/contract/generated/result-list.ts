/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/tests/{test_id}/results: all results of a test.
 */
export type ResultList = ResultListMember[];

export interface ResultListMember {
  /**
   * ID of the result.
   */
  result_id: string | number;
  /**
   * Start of the run (RFC 3339); null if unknown.
   */
  started_at?: string | null;
  /**
   * "ready" if the run has ended, or "not_ready"; null if the service does not return it.
   */
  status?: string | null;
  /**
   * URL of a web page with the result; null if there is none.
   */
  public_results_url?: string | null;
  /**
   * Number of successful responses: those that meet all expectations, or have a status below 400 if there are none. Null if unknown.
   */
  success?: number | string | null;
  /**
   * Number of complete responses that are not successful, such as those with a status of 400 or above; null if unknown.
   */
  error?: number | string | null;
  /**
   * Number of requests that did not finish within the timeout; null if unknown.
   */
  timeout_error?: number | string | null;
  /**
   * Number of requests that failed in transport; null if unknown.
   */
  network_error?: number | string | null;
  /**
   * Bytes sent, including headers; null if unknown.
   */
  data_sent?: number | string | null;
  /**
   * Bytes received, including headers; null if unknown.
   */
  data_received?: number | string | null;
  /**
   * Mean response time in ms; null if unknown.
   */
  avg_response_time?: number | string | null;
  /**
   * Error rate in percent, including omitted requests; null if there were no requests, or if unknown.
   */
  avg_error_rate?: number | string | null;
  /**
   * Extension: number of finished requests; null if unknown.
   */
  requests?: number | string | null;
  /**
   * Extension: finished requests per second of load, without the wait for the last responses; null if unknown.
   */
  requests_per_second?: number | string | null;
  /**
   * Extension: number of responses by status code; null if unknown.
   */
  status_codes?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: minimum, mean, maximum and percentiles of the response time in ms; null if there are no samples.
   */
  latency?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: minimum, mean, maximum and percentiles of the service time (from sending the request) in ms; null if there are no samples.
   */
  service_time?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: duration of the run in ms, from its start until its last request ended; null if unknown.
   */
  elapsed_ms?: number | null;
  /**
   * Extension: timeout of a request in ms; null if unknown. A percentile at or above it belongs to requests that timed out.
   */
  timeout_ms?: number | null;
  /**
   * Extension: outages, which are periods of at least one second without any response. `spans` is their number, `seconds` their total duration, and `omitted` the number of omitted requests, which count as failed. Null if unknown.
   */
  outage?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: largest number of connections that were open at the same time; null if unknown.
   */
  peak_connections?: number | string | null;
  /**
   * Extension: use of each address of the targets, including the warm-up: `address` with its port, number of established `connections`, of `requests` that were sent and of `failed` requests, and `tls`, the number of TLS handshakes by TLS version and, if the target supports ALPN, protocol.
   */
  addresses?: unknown[];
  /**
   * Extension: use of shared connections: number of `opened` connections, their `peak`, number of requests that `waited` for a connection, and `wait_p99_ms`, the 99th percentile of the waits of all requests. Absent if each client opened its own connections.
   */
  pool?: {
    [k: string]: unknown;
  };
  /**
   * Extension: iterations of the clients, as in a single result. Absent if unknown.
   */
  iterations?: {
    [k: string]: unknown;
  };
  /**
   * Extension: reason why the run ended early, such as `stopped` or `error_threshold`; null if it did not end early.
   */
  abort_reason?: string | null;
  /**
   * Extension: state of the load generator: scheduling lag (`lag_p99_ms`), `overloaded`, `threads` and `version`. Null if unknown.
   */
  generator?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the warm-up, which the metrics exclude: its `seconds`, the finished `requests`, their `ledger`, and `complete`. If `complete` is false, the run ended during the warm-up and has no metrics. Absent or null if the test has no warm-up.
   */
  warmup?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: request accounting, which contains the outcome of every planned request; null if unknown.
   */
  ledger?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: metrics by URL, in the order of the test. Lists of the loadtests service omit it. Null if unknown.
   */
  urls?: unknown[] | null;
  /**
   * Extension: time series with one entry per second, or per several seconds in long runs. It includes the warm-up. Null if unknown.
   */
  timeline?: unknown[] | null;
  /**
   * Extension: frequent failures with their `url`, `error` in words, and `count`; null if unknown.
   */
  error_samples?: unknown[] | null;
  [k: string]: unknown;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/tests/{test_id}/results/{result_id}: one result of a test.
 */
export interface ResultRecord {
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
   * Extension: outages, which are periods of at least one second without any response. `spans` is their number, `seconds` their total duration, `periods` the longest of them (at most 50) with `from` and `to` in seconds from the start of the run, and `omitted` the number of omitted requests, which count as failed. Null if unknown.
   */
  outage?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: histogram of the response times, from which the percentiles of `latency` are computed: non-empty buckets in µs. Null if there are no samples.
   */
  latency_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: histogram of the service times, from which the percentiles of `service_time` are computed: non-empty buckets in µs. Null if there are no samples.
   */
  service_time_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: histogram of the response times without every delay that the load generator may have caused, in µs. It is the lower end of every percentile of `latency`. Null if there are no samples.
   */
  latency_low_histogram?: {
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
   * Extension: time to establish a TCP connection: `count` of established connections, and statistics in ms. The response times of a cycling test do not include it. Null if no connection was established.
   */
  connect?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: time of the TLS handshake, after the TCP connection is established: `count` of completed handshakes, and statistics in ms. Null if none was completed.
   */
  tls?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: histogram from which the percentiles of `connect` are computed, in µs; null if there are no samples.
   */
  connect_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: histogram from which the percentiles of `tls` are computed, in µs; null if there are no samples.
   */
  tls_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: start of the load (RFC 3339), from which `second` in the timeline counts. It is 0.2 to 3 s later than `started_at`, which is the time of the request. Null if unknown.
   */
  load_started_at?: string | null;
  /**
   * Extension: present if the service lost the run, for example because its process was killed: end of the known part in ms from the start. All counts are then lower bounds.
   */
  known_until_ms?: number | null;
  /**
   * Extension: present if `error_threshold` ended the run: the `threshold` in percent, and the requests that had `finished` and `failed` at that moment, including the warm-up.
   */
  error_stop?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: present if a threshold with `abort_after` ended the run: its `metric` and `limit`, the `value` of the metric at that moment, the `second` of the run, and the `url`, `flow` or `group` that it applies to.
   */
  threshold_stop?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: reason why the run ended early, such as `stopped` or `error_threshold`; null if it did not end early.
   */
  abort_reason?: string | null;
  /**
   * Extension: request that stopped the run: `at` (RFC 3339), `cause` and `client`. `cause` is "request", "app_deleted", or "closed" if the service shut down. `client` is the unverified name of the client. Absent or null if the run was not stopped.
   */
  stopped?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: state of the load generator: scheduling lag (`lag_p99_ms`), `overloaded`, `threads` and `version`. Null if unknown.
   */
  generator?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: `low` and `high` by metric name: the interval that contains the metric without the delays of the load generator. `high` is null if it is unknown.
   */
  bounds?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: delivery of the declared load; null if unknown. In the open models, `model` is "open" with the clients `due`, `late` and `never_started`, the scheduling lag (`lag_p99_ms`, `lag_max_ms`) and `worst_window`. In the closed model, `model` is "closed" with `held_share`, the fraction of the declared client time in which clients were active.
   */
  delivery?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the load generator; null if unknown. It has `cores`, the CPU `quota` in cores (null if there is none), the reason for its number of threads (`thread_reason`), the version of Node.js (`node`) and of the measuring method (`measurement_version`), the busy fraction of its threads (`thread_loads`), and its stalls (`longest_stall_ms`, `stalled_seconds`).
   */
  machine?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: one entry per worker of a distributed run. It has `name`, `threads`, the requests `started` and `finished` (including the warm-up), and the scheduling lag `lag_p99_ms`. `start_skew_ms` is the delay after the common start (null if unknown), and `clock_uncertainty_ms` its uncertainty. `lost` is the reason why load or measurements are missing (null if none are missing). Absent or null if the service generated the load.
   */
  workers?: unknown[] | null;
  /**
   * Extension: published verdict on the run, as in PUT /v2/tests/{test_id}/results/{result_id}/verdict. Absent or null if none was published.
   */
  verdict?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: true if the error threshold would also have ended the run without the delays of the load generator; null if it did not end the run.
   */
  abort_certain?: boolean | null;
  /**
   * Extension: the warm-up, which the metrics exclude: its `seconds`, the finished `requests`, their `ledger`, and `complete`. If `complete` is false, the run ended during the warm-up and has no metrics. Absent or null if the test has no warm-up.
   */
  warmup?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: request accounting, which contains the outcome of every planned request; null if unknown. `resent` counts requests that were sent again because the server had closed the connection before a response. `retry_after` counts responses with status 503 and a `Retry-After` header.
   */
  ledger?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: iterations of the clients: `started`, `completed`, `failed` if a failed request ended them, and `with_errors` if a request of them failed. `missing` is the number of declared iterations that did not end, if the test declares a number. `duration` has the minimum, mean, maximum and percentiles of the completed iterations in ms, and is null if there are none; it is absent if each iteration was one request, whose response time is its duration. Absent if unknown.
   */
  iterations?: {
    [k: string]: unknown;
  };
  /**
   * Extension: histogram of the durations of iterations, from which the percentiles of `iterations.duration` are computed, in µs. Absent if each iteration was one request; null if none was completed.
   */
  iteration_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: histogram of the durations of iterations without every delay that the load generator may have caused, in µs. Absent or null in the same cases as `iteration_histogram`.
   */
  iteration_low_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: metrics by URL, in the order of the test: counts, times with their histograms and bounds, `ledger`, and the number of omitted requests (`omitted`). In tests with 2 to 20 URLs, `timeline` contains lists with one value per entry of the timeline of the run: `success`, `error`, `timeout_error`, `network_error`, `p50`, `p95` and `p99`. Null if unknown.
   */
  urls?: unknown[] | null;
  /**
   * Extension: metrics by flow, in the order of the test: `name`, `iterations` with their histograms, and the members of `urls` without the URL and its method. Absent if the test has no flows.
   */
  flows?: unknown[] | null;
  /**
   * Extension: seed of all random numbers of the run: generated values, rows and delays. Absent or null if unknown.
   */
  seed?: number | null;
  /**
   * Extension: requests before the load, which the metrics and the ledger exclude: `requests` that were sent, `failed`, `seconds`, and the first `failure` (`url`, `request_type`, `status` and `error` in words, or null). Absent if the test has no setup.
   */
  setup?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: requests after the load, with the members of `setup`. Absent if there were none.
   */
  teardown?: {
    [k: string]: unknown;
  } | null;
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

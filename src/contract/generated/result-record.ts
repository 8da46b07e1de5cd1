/* Written by "npm run generate" from schemas/; never edited. */

/**
 * One result of a test.
 */
export interface ResultRecord {
  /**
   * Identifier of the result.
   */
  result_id: string | number;
  /**
   * RFC 3339.
   */
  started_at?: string | null;
  /**
   * "ready" or "not_ready".
   */
  status?: string | null;
  /**
   * Page with the result.
   */
  public_results_url?: string | null;
  /**
   * Answers below 400.
   */
  success?: number | string | null;
  /**
   * Answers of 400 and above.
   */
  error?: number | string | null;
  /**
   * Requests that timed out.
   */
  timeout_error?: number | string | null;
  /**
   * Requests that failed in transport.
   */
  network_error?: number | string | null;
  /**
   * Bytes sent.
   */
  data_sent?: number | string | null;
  /**
   * Bytes received.
   */
  data_received?: number | string | null;
  /**
   * Milliseconds.
   */
  avg_response_time?: number | string | null;
  /**
   * Percent.
   */
  avg_error_rate?: number | string | null;
  /**
   * Extension: finished requests.
   */
  requests?: number | string | null;
  /**
   * Extension: finished requests per second of the time in which load was made, without the wait for the last answers.
   */
  requests_per_second?: number | string | null;
  /**
   * Extension: answers by status code.
   */
  status_codes?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: response time percentiles in ms.
   */
  latency?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: service time percentiles in ms.
   */
  service_time?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: what the run took, from its start until its last request had ended.
   */
  elapsed_ms?: number | null;
  /**
   * Extension: what a request was allowed to take. A percentile of at least that lies among the time-outs.
   */
  timeout_ms?: number | null;
  /**
   * Extension: spans in which nobody got an answer, their seconds, and requests missed, which count as failed.
   */
  outage?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: what the percentiles of latency were read from: non-empty buckets of µs.
   */
  latency_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the same for service_time.
   */
  service_time_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: what requests took at least, whatever the generator did to them: the low end of any percentile of latency.
   */
  latency_low_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension.
   */
  peak_connections?: number | string | null;
  /**
   * Extension: how long connections took until TCP stood: `count` of those that were made, percentiles in ms. It is in no figure of the requests of a cycling test.
   */
  connect?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the same of TLS handshakes, which come after it; null where none was done.
   */
  tls?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: what the percentiles of connect were read from.
   */
  connect_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the same for tls.
   */
  tls_histogram?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: why the run ended early.
   */
  abort_reason?: string | null;
  /**
   * Extension: of a run that was stopped, who asked for it: `at` (RFC 3339), `cause` ("request", "app_deleted", or "closed": the service ended), and `client`, what the request said of who sent it.
   */
  stopped?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: state of the load generator.
   */
  generator?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: by the name of each figure that a limit can name, `low` and `high`: the values between which it lies whatever the generator did to it. `high` is null where nothing is known of it.
   */
  bounds?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: how the declared load was met. `model` is "open", with the clients `due`, `late` and `never` started, `late_p99_ms`, `late_max_ms` and `worst_window`; or "closed", with the share of connection time that was `held`.
   */
  offered?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: where the load was made: `cores`, the `quota` of CPU time in cores (null: none), what the number of its threads comes from (`threads_because`), `node`, `measuring`, how busy its `loops` were, and for how long it stood still.
   */
  machine?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: who made the load where the service did not: of each worker its `name`, its `threads`, the requests that it `started` and that `finished`, the warm-up among them, `lag_p99_ms`, by how much it began after the common start (`start_skew_ms`; null: unknown), by how much its clock may be wrong (`clock_uncertainty_ms`), and why it was `lost` (null: it made and told all of its part). Left out where the service made the load.
   */
  workers?: unknown[] | null;
  /**
   * Extension: the published verdict on the run, as in PUT …/verdict; absent if none was published.
   */
  verdict?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: whether the error threshold would have been reached without the generator's own delays; null where it did not end the run.
   */
  abort_certain?: boolean | null;
  /**
   * Extension: what was made before all other figures begin, which hold nothing of it: the `seconds` of the warm-up, `requests` that ended, their `ledger`, and whether it was `complete`: a run that ended in it has no figures. Left out where the test has none.
   */
  warmup?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the counts that close, and beside them `resent`: requests that were sent once more, since the server had closed the connection without saying so.
   */
  ledger?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the same per URL, in the order of the test: counts, times with their histograms and bounds, ledger, and `missed`.
   */
  urls?: unknown[] | null;
  /**
   * Extension: the same per second.
   */
  timeline?: unknown[] | null;
  /**
   * Extension: failures in words.
   */
  error_samples?: unknown[] | null;
  [k: string]: unknown;
}

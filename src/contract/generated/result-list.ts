/* Written by "npm run generate" from schemas/; never edited. */

/**
 * All results of a test.
 */
export type ResultList = ResultListMember[];

export interface ResultListMember {
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
   * Extension.
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
   * Extension.
   */
  peak_connections?: number | string | null;
  /**
   * Extension: why the run ended early.
   */
  abort_reason?: string | null;
  /**
   * Extension: state of the load generator.
   */
  generator?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: what was made before all other figures begin, which hold nothing of it: the `seconds` of the warm-up, `requests` that ended, their `ledger`, and whether it was `complete`: a run that ended in it has no figures. Left out where the test has none.
   */
  warmup?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the counts that close.
   */
  ledger?: {
    [k: string]: unknown;
  } | null;
  /**
   * Extension: the same per URL.
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

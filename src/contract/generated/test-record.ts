/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A test as list and get return it.
 */
export interface TestRecord {
  /**
   * Identifier of the test.
   */
  test_id: string | number;
  /**
   * Domain of the tested URLs.
   */
  domain?: string | null;
  /**
   * Kind of load, as a label.
   */
  test_type?: string | null;
  /**
   * State of the test.
   */
  status?: string | null;
  /**
   * Seconds.
   */
  duration?: number | string | null;
  /**
   * Extension: the load in stages, as in a create.
   */
  stages?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: seconds of warm-up at the start, which no metric includes.
   */
  warmup?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Connections to start with.
   */
  initial?: number | string | null;
  /**
   * Connections to end with, or clients in all.
   */
  total?: number | string | null;
  /**
   * Milliseconds.
   */
  timeout?: number | string | null;
  /**
   * Extension: percentage of failed requests that ends the test.
   */
  error_threshold?: number | string | null;
  /**
   * Name; empty when unset.
   */
  name?: string | null;
  /**
   * Notes; empty when unset.
   */
  notes?: string | null;
  /**
   * Callback URL.
   */
  callback?: string | null;
  /**
   * Callback address.
   */
  callback_email?: string | null;
  /**
   * Start in the future.
   */
  scheduled_at?: string | null;
  /**
   * Extension: false accepts any certificate of the target.
   */
  tls_verify?: boolean | null;
  /**
   * Extension: as it was given. It has no effect.
   */
  tag_names?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: as it was given. It has no effect.
   */
  next_run_at?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  progress?: Progress;
  /**
   * Requests of one pass, in order.
   */
  urls: UrlRecord[];
  [k: string]: unknown;
}
/**
 * Extension: how far the run has come; only from get, while it goes on.
 */
export interface Progress {
  /**
   * Milliseconds since the start of the run.
   */
  elapsed_ms: number;
  /**
   * Whether the run is in its warm-up; left out where it is not.
   */
  warming_up?: boolean;
  /**
   * Connections now.
   */
  connections: number;
  /**
   * Answers below 400 so far.
   */
  success: number;
  /**
   * Answers of 400 and above so far.
   */
  error: number;
  /**
   * Requests that timed out so far.
   */
  timeout_error: number;
  /**
   * Requests that failed in transport so far.
   */
  network_error: number;
  /**
   * Finished requests in the last second.
   */
  requests_per_second: number;
  /**
   * Response time in ms; null without samples.
   */
  p95: number | null;
  [k: string]: unknown;
}
export interface UrlRecord {
  /**
   * URL under test.
   */
  url: string;
  /**
   * Method of the request.
   */
  request_type?: string | null;
  /**
   * Credentials, under another name than they were sent.
   */
  authentication?:
    | {
        [k: string]: unknown;
      }
    | string
    | null;
  /**
   * Header name to value.
   */
  headers?:
    | {
        [k: string]: unknown;
      }
    | unknown[]
    | string
    | null;
  /**
   * Parameter name to value.
   */
  request_params?:
    | {
        [k: string]: unknown;
      }
    | unknown[]
    | string
    | null;
  /**
   * Body.
   */
  raw_post_body?: string | null;
  /**
   * URL of a payload file.
   */
  payload_file_url?: string | null;
  /**
   * Extension: the SHA-256 of a payload file, as in a create.
   */
  payload_file?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: what answers must be like, as in a create.
   */
  expect?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: whether values of `{{…}}` in the body are escaped, as in a create.
   */
  raw_post_body_json?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: the think time behind the request, as in a create.
   */
  delay?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: variables taken from the answer, as in a create.
   */
  variables?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  [k: string]: unknown;
}

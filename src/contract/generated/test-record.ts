/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A test, as returned by GET /v2/tests and GET /v2/tests/{test_id}.
 */
export interface TestRecord {
  /**
   * ID of the test.
   */
  test_id: string | number;
  /**
   * Domain of the tested URLs; null if the service does not return it.
   */
  domain?: string | null;
  /**
   * Load model as a label, such as `Non-Cycling`; null if the service does not return it.
   */
  test_type?: string | null;
  /**
   * Status of the test; null if the service does not return it.
   */
  status?: string | null;
  /**
   * Duration of the test in seconds; null if the service does not return it.
   */
  duration?: number | string | null;
  /**
   * Extension: load profile, as in POST /v2/tests; null if the test has no stages.
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
   * Extension: weighted mix of iterations, as in POST /v2/tests; null if the test has no flows.
   */
  flows?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: groups of requests that each iteration performs several times, at the same time, or under conditions, as in POST /v2/tests; null if there are none.
   */
  groups?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: number of requests at the beginning of `urls` that each connection of a `cycling` test performs once, before its first iteration. Its cookies and variables are available to all iterations of the connection; null if there are none.
   */
  on_start?: number | string | null;
  /**
   * Extension: requests before the load, in the form of this record; null if there are none.
   */
  setup?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: requests after the load, in the form of this record; null if there are none.
   */
  teardown?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: duration of the warm-up at the start of the test, in seconds; null if there is none. The metrics exclude it.
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
   * Extension: variables that every iteration receives at its beginning, as in POST /v2/tests; null if there are none.
   */
  values?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Connections at the start of a `cycling` test; null if the service does not return it. With `stages`, the level at the start.
   */
  initial?: number | string | null;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`); null if the service does not return it.
   */
  total?: number | string | null;
  /**
   * Extension: maximum number of connections to each host that all clients share; null if each client opens its own.
   */
  connections?: number | string | null;
  /**
   * Extension: number of iterations that all connections perform together; null if only the duration limits them.
   */
  iterations?: number | string | null;
  /**
   * Extension: number of iterations that each connection performs; null if only the duration limits them.
   */
  iterations_per_client?: number | string | null;
  /**
   * Extension: minimum time between the starts of two iterations of a connection, in ms; null if there is none.
   */
  pace?: number | string | null;
  /**
   * Extension: start times of the clients, `even` or `random`; null if the service does not return it.
   */
  arrivals?: string | null;
  /**
   * Extension: false if each request of a `cycling` test opens a new connection; null if the service does not return it.
   */
  keep_alive?: boolean | null;
  /**
   * Timeout of a request in ms; null if the service does not return it.
   */
  timeout?: number | string | null;
  /**
   * Extension: percentage of failed requests at which the service aborts the run; null if the service does not return it.
   */
  error_threshold?: number | string | null;
  /**
   * Extension: thresholds that end a run, as in POST /v2/tests; null if there are none.
   */
  abort_rules?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Name of the test; empty or null if unset.
   */
  name?: string | null;
  /**
   * Notes of the test; empty or null if unset.
   */
  notes?: string | null;
  /**
   * URL that receives a POST request (webhook) when a run has ended; null if unset.
   */
  callback?: string | null;
  /**
   * Email address that receives the results when a run has ended; null if unset.
   */
  callback_email?: string | null;
  /**
   * Scheduled start of the test; null if it is not scheduled.
   */
  scheduled_at?: string | null;
  /**
   * Extension: false if any TLS certificate of the target is accepted; null if the service does not return it.
   */
  tls_verify?: boolean | null;
  /**
   * Extension: connection settings for the hosts of the test, as in POST /v2/tests, without `key` and `passphrase`; null if there are none.
   */
  connection?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: value of the create request, which has no effect; null if unset.
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
   * Extension: value of the create request, which has no effect; null if unset.
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
   * Requests of one iteration, in order.
   */
  urls: UrlRecord[];
  [k: string]: unknown;
}
/**
 * Extension, only in GET /v2/tests/{test_id} while a run is in progress: progress of the run. The counts include the warm-up.
 */
export interface Progress {
  /**
   * Time since the start of the run, in ms.
   */
  elapsed_ms: number;
  /**
   * True during the warm-up of the run; absent otherwise.
   */
  warming_up?: boolean;
  /**
   * Number of open connections.
   */
  connections: number;
  /**
   * Number of successful responses so far.
   */
  success: number;
  /**
   * Number of complete responses so far that are not successful, such as those with a status of 400 or above.
   */
  error: number;
  /**
   * Number of requests that timed out so far.
   */
  timeout_error: number;
  /**
   * Number of requests that failed in transport so far.
   */
  network_error: number;
  /**
   * Number of requests that finished in the last second.
   */
  requests_per_second: number;
  /**
   * 95th percentile of the response time in ms; null if there are no samples.
   */
  p95: number | null;
  [k: string]: unknown;
}
export interface UrlRecord {
  /**
   * URL of the request.
   */
  url: string;
  /**
   * Extension: true if the value of a variable is the URL of the request, as in POST /v2/tests; null if the service does not return it.
   */
  resolve_url?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Request method; null if the service does not return it.
   */
  request_type?: string | null;
  /**
   * HTTP Basic credentials without the password, called `credentials` in POST /v2/tests; null if there are none.
   */
  authentication?:
    | {
        [k: string]: unknown;
      }
    | string
    | null;
  /**
   * Extension: settings for signing the request, as in POST /v2/tests, without `secret_access_key` and `session_token`; null if it is not signed.
   */
  aws_sigv4?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Request headers: name to value; null if there are none.
   */
  headers?:
    | {
        [k: string]: unknown;
      }
    | unknown[]
    | string
    | null;
  /**
   * Query parameters for GET and HEAD, form fields for other methods: name to value. Null if there are none.
   */
  request_params?:
    | {
        [k: string]: unknown;
      }
    | unknown[]
    | string
    | null;
  /**
   * Request body; null if there is none.
   */
  raw_post_body?: string | null;
  /**
   * URL of a payload file; null if there is none.
   */
  payload_file_url?: string | null;
  /**
   * Extension: SHA-256 of the file that is the body of the request, in hex; null if there is none.
   */
  body_file?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: parts of a multipart/form-data body, as in POST /v2/tests; null if there are none.
   */
  multipart?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: SHA-256 of the payload file, in hex; null if there is none.
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
   * Extension: conditions that a response must meet to count as a success, as in POST /v2/tests; null if there are none.
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
   * Extension: true if the values of `{{…}}` in the body are escaped as JSON strings; null if unset.
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
   * Extension: think time in ms after the request, as in POST /v2/tests; null if there is none.
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
   * Extension: `stop` if a failed request ends the iteration; null if the service does not return it.
   */
  on_failure?:
    | unknown[]
    | {
        [k: string]: unknown;
      }
    | string
    | number
    | boolean
    | null;
  /**
   * Extension: variables taken from the response, as in POST /v2/tests; null if there are none.
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

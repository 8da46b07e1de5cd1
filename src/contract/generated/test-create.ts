/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Body of POST /v2/tests. Labels of `test_type`, records of lists, null for what is unset and the fields of earlier versions of the API are accepted, too.
 */
export interface TestCreate {
  /**
   * Kind of load; per-second is an extension.
   */
  test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Requests of one pass, in order.
   *
   * @minItems 1
   * @maxItems 100
   */
  urls: [UrlEntry, ...UrlEntry[]];
  /**
   * Length of the test in seconds; with stages their sum.
   */
  duration: number;
  /**
   * Extension `stages`: the level goes linearly from `initial` to each of these in turn. `total` is the highest one.
   *
   * @minItems 1
   * @maxItems 100
   */
  stages?: [Stage, ...Stage[]];
  /**
   * Extension `warmup`: seconds of warm-up at the start of the test, which no metric includes.
   */
  warmup?: number;
  /**
   * Connections to start with; 0 when absent.
   */
  initial?: number;
  /**
   * Connections to end with, or clients in all; 60 when absent.
   */
  total?: number;
  /**
   * Time-out of a request in milliseconds; 10000 when absent.
   */
  timeout?: number;
  /**
   * Percentage of failed requests that ends the test; 50 when absent.
   */
  error_threshold?: number;
  /**
   * URL that gets a POST when the test finishes.
   */
  callback?: string;
  /**
   * Address that gets a mail when the test finishes.
   */
  callback_email?: string;
  /**
   * Start of the test, `YYYY-MM-DD hh:mm:ss` in UTC or RFC 3339.
   */
  scheduled_at?: string;
  /**
   * Name of the test; the first URL when absent.
   */
  name?: string;
  /**
   * Free text.
   */
  notes?: string;
  /**
   * Extension: false accepts any certificate of the target.
   */
  tls_verify?: boolean;
  /**
   * Has no effect here; kept and listed.
   *
   * @maxItems 100
   */
  tag_names?: string[];
  /**
   * Has no effect here, and is accepted beside `scheduled_at` only; kept and listed.
   */
  next_run_at?: string;
}
export interface UrlEntry {
  /**
   * URL whose host is a verified app.
   */
  url: string;
  /**
   * Method of the request; GET when absent. Those beyond GET and POST are the extension `methods`.
   */
  request_type?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  credentials?: Credentials;
  /**
   * Header name to value.
   */
  headers?: {
    [k: string]: string;
  };
  /**
   * Query parameters of GET and HEAD, form fields of the other methods.
   */
  request_params?: {
    [k: string]: string;
  };
  /**
   * Body, as it is; not for GET and HEAD.
   */
  raw_post_body?: string;
  /**
   * URL of a payload file.
   */
  payload_file_url?: string;
  /**
   * Extension `payload_file`: the SHA-256 of a payload file that was sent before, in hex.
   */
  payload_file?: string;
  expect?: Expect;
  /**
   * Extension `json`: `raw_post_body` is JSON, so values of `{{…}}` are escaped as its strings need it.
   */
  raw_post_body_json?: boolean;
  /**
   * Extension `delay`: milliseconds between the end of this request and the next one of the pass, or the least and the most of them, drawn evenly.
   */
  delay?: number | [number, number];
  /**
   * Variables taken from the answer.
   *
   * @maxItems 50
   */
  variables?: VariableEntry[];
}
/**
 * HTTP Basic credentials.
 */
export interface Credentials {
  /**
   * User name.
   */
  login: string;
  /**
   * Password.
   */
  password: string;
}
/**
 * Extension `expect`: what an answer must be like to count as a success.
 */
export interface Expect {
  /**
   * Codes and classes, such as 201 and `2xx`; all below 400 when absent. With one from 300 to 399 redirects are not followed.
   *
   * @minItems 1
   * @maxItems 100
   */
  status?: [number | string, ...(number | string)[]];
  /**
   * Header name to value, in which `*` at the beginning or end stands for any text.
   */
  headers?: {
    [k: string]: string;
  };
  /**
   * A text that the body contains.
   */
  body?: string;
  /**
   * JSON pointer (RFC 6901) to the value that stands there.
   */
  json?: {
    [k: string]: string | number | boolean | null;
  };
}
export interface VariableEntry {
  /**
   * Name of the variable.
   */
  name: string;
  /**
   * `header`, `cookie`: the name of what is read. `json`: a pointer (RFC 6901) to a value in the body; empty: the whole body. `body`: a regular expression (RE2) whose first group is the value.
   */
  property: string;
  /**
   * Where the value is taken from. All but `header`: extension `variables`.
   */
  source: 'header' | 'cookie' | 'json' | 'body';
}
export interface Stage {
  /**
   * Seconds; 0 is a step.
   */
  for: number;
  /**
   * Connections (cycling) or clients per second at its end.
   */
  to: number;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Body of POST /v2/tests. The service also accepts labels of `test_type`, records of lists, null for unset fields, and fields of earlier versions of the API.
 */
export interface TestCreate {
  /**
   * Load model: `cycling`, `non-cycling`, or `per-second` (extension).
   */
  test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Requests of one iteration, in order. With `flows`, the requests of all flows, in the order of the flows.
   *
   * @minItems 1
   * @maxItems 100
   */
  urls: [UrlEntry, ...UrlEntry[]];
  /**
   * Extension `groups`: groups of consecutive requests that each iteration performs several times, at the same time, or only under conditions. Groups are nested in up to 4 levels, a group precedes the groups that it contains, and no group contains requests of two flows. An iteration can send up to 100,000 requests.
   *
   * @minItems 1
   * @maxItems 400
   */
  groups?: [GroupEntry, ...GroupEntry[]];
  /**
   * Extension `flows`: weighted mix of iterations. The flows divide `urls` in order: the first flow has the first requests, and so on. Iterations are distributed exactly by weight.
   *
   * @minItems 1
   * @maxItems 100
   */
  flows?: [FlowEntry, ...FlowEntry[]];
  /**
   * Extension `on_start`: number of requests at the beginning of `urls` that each connection of a `cycling` test performs once, before its first iteration. Its cookies and variables are available to all iterations of the connection.
   */
  on_start?: number;
  setup?: SetupEntry;
  teardown?: TeardownEntry;
  /**
   * Duration of the test in seconds. With `stages`, the sum of their durations.
   */
  duration: number;
  /**
   * Extension `stages`: load profile. The load changes linearly from `initial` to the level of each stage, one after another. `total` is the highest level.
   *
   * @minItems 1
   * @maxItems 100
   */
  stages?: [Stage, ...Stage[]];
  /**
   * Extension `warmup`: duration of the warm-up at the start of the test, in seconds. The metrics exclude it.
   */
  warmup?: number;
  /**
   * Extension `values`: variables that every iteration receives at its beginning: name to template. A template can contain `%{…}`, earlier values and the columns of payload rows.
   */
  values?: {
    [k: string]: string;
  };
  /**
   * Connections at the start of a `cycling` test. With `stages`, the level at the start: connections, or clients per second. Default: 0.
   */
  initial?: number;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). A rate can have up to three decimal places (extension `fractional_rates`). Default: 60.
   */
  total?: number;
  /**
   * Extension `connections`: maximum number of connections to each host, which all clients of an open test share. Default: each client opens its own.
   */
  connections?: number;
  /**
   * Extension `iterations`: total number of iterations that all connections of a `cycling` test perform. The run ends after the last one, or after `duration` at the latest.
   */
  iterations?: number;
  /**
   * Extension `iterations`: number of iterations that each connection of a `cycling` test performs. The run ends after the last one, or after `duration` at the latest.
   */
  iterations_per_client?: number;
  /**
   * Extension `pace`: minimum time between the starts of two iterations of a connection of a `cycling` test, in ms.
   */
  pace?: number;
  /**
   * Extension `arrivals`: start times of the clients of an open test, at `even` intervals or at `random` times. Default: `even`.
   */
  arrivals?: 'even' | 'random';
  /**
   * Extension `keep_alive`: if false, each request of a `cycling` test opens a new connection. Default: true.
   */
  keep_alive?: boolean;
  /**
   * Timeout of a request in ms. Default: 10000.
   */
  timeout?: number;
  /**
   * Percentage of failed requests at which the service aborts the run. Default: 50.
   */
  error_threshold?: number;
  /**
   * Extension `abort_after`: thresholds that end a run. The service checks them every second over the requests so far. It ends the run once the failure of a threshold is certain.
   *
   * @minItems 1
   * @maxItems 1000
   */
  abort_rules?: [AbortRuleEntry, ...AbortRuleEntry[]];
  /**
   * URL that receives a POST request (webhook) when a run has ended.
   */
  callback?: string;
  /**
   * Email address that receives the results when a run has ended.
   */
  callback_email?: string;
  /**
   * Scheduled start of the test: `YYYY-MM-DD hh:mm:ss` in UTC, or RFC 3339.
   */
  scheduled_at?: string;
  /**
   * Name of the test. Default: the first URL.
   */
  name?: string;
  /**
   * Free text about the test.
   */
  notes?: string;
  /**
   * Extension: verification of the TLS certificates of the target. If false, any certificate is accepted. Default: true.
   */
  tls_verify?: boolean;
  /**
   * Extension `connection`: connection settings for the hosts of the test, by host as `host[:port]`. An entry without a port applies to all ports of the host.
   */
  connection?: {
    [k: string]: ConnectionEntry;
  };
  /**
   * Tags of the test. They are stored and listed, but have no effect.
   *
   * @maxItems 100
   */
  tag_names?: string[];
  /**
   * Time of the next run. It is stored and listed, but has no effect. It is accepted only together with `scheduled_at`.
   */
  next_run_at?: string;
}
export interface UrlEntry {
  /**
   * URL of the request. Its host must be a verified app.
   */
  url: string;
  /**
   * Extension `resolve_url`: true if the path of `url` is one variable, such as `https://www.example.com/{{next}}`, whose value is the URL of the request: a path on the host of `url`, or a URL of a host to which another request of the same list is sent. Default: `false`.
   */
  resolve_url?: boolean;
  /**
   * Request method. Default: GET. Methods other than GET and POST belong to the extension `methods`.
   */
  request_type?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  credentials?: Credentials;
  aws_sigv4?: AwsSigv4Entry;
  /**
   * Request headers: name to value.
   */
  headers?: {
    [k: string]: string;
  };
  /**
   * Query parameters for GET and HEAD; form fields for other methods.
   */
  request_params?: {
    [k: string]: string;
  };
  /**
   * Request body, as a string. GET and HEAD cannot have one.
   */
  raw_post_body?: string;
  /**
   * URL of a payload file.
   */
  payload_file_url?: string;
  /**
   * Extension `body_file`: SHA-256, in hex, of an uploaded file that is the body of the request.
   */
  body_file?: string;
  /**
   * Extension `multipart`: parts of a multipart/form-data body, in order. A part has either `value` or `file`.
   *
   * @minItems 1
   */
  multipart?: [TextPartEntry | FilePartEntry, ...(TextPartEntry | FilePartEntry)[]];
  /**
   * Extension `payload_file`: SHA-256, in hex, of a payload file that was uploaded before. Extension `row_options`: or an object with options.
   */
  payload_file?: string | PayloadFileEntry;
  expect?: Expect;
  /**
   * Extension `json`: if true, `raw_post_body` is JSON, and the values of `{{…}}` are escaped as JSON strings.
   */
  raw_post_body_json?: boolean;
  /**
   * Extension `delay`: think time in ms between the end of this request and the next request of the iteration. A list contains its minimum and maximum; the values are uniformly distributed.
   */
  delay?: number | [number, number];
  /**
   * Extension `on_failure`: `stop` if a failed request ends the iteration. Default: `continue`.
   */
  on_failure?: 'continue' | 'stop';
  /**
   * Variables taken from the response.
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
   * User name for HTTP Basic authentication.
   */
  login: string;
  /**
   * Password for HTTP Basic authentication.
   */
  password: string;
}
/**
 * Extension `aws_sigv4`: settings for signing the request with AWS Signature Version 4. It cannot be combined with `credentials`.
 */
export interface AwsSigv4Entry {
  /**
   * AWS region of the service.
   */
  region: string;
  /**
   * Name of the AWS service in signatures.
   */
  service: string;
  /**
   * ID of the access key.
   */
  access_key_id: string;
  /**
   * Secret access key. Responses never contain it.
   */
  secret_access_key: string;
  /**
   * Token of temporary credentials. Responses never contain it.
   */
  session_token?: string;
}
export interface TextPartEntry {
  /**
   * Name of the part.
   */
  name: string;
  /**
   * Text of the part. It may contain {{name}} and %{…}.
   */
  value: string;
  /**
   * Media type of the text.
   */
  content_type?: string;
  /**
   * Name of the part as a file, for the receiver.
   */
  filename?: string;
}
export interface FilePartEntry {
  /**
   * Name of the part.
   */
  name: string;
  /**
   * SHA-256, in hex, of an uploaded file.
   */
  file: string;
  /**
   * Media type of the file.
   */
  content_type?: string;
  /**
   * Name of the file for the receiver.
   */
  filename?: string;
}
export interface PayloadFileEntry {
  /**
   * SHA-256 of the file, in hex.
   */
  sha256: string;
  /**
   * Names of the columns of a CSV file without a line of names.
   *
   * @minItems 1
   * @maxItems 100
   */
  columns?: [string, ...string[]];
  /**
   * Character between the values of a CSV file. Default: a comma.
   */
  delimiter?: string;
  /**
   * Order of the rows: in the order of the file; any row at any time; in the order of the file until all rows are used, which ends the run; or a fixed row for each client. Default: each row once before any is repeated; in cycling tests, random.
   */
  order?: 'sequential' | 'random' | 'once' | 'client';
  /**
   * Columns whose values are masked in the record of a single iteration.
   *
   * @minItems 1
   * @maxItems 100
   */
  mask?: [string, ...string[]];
}
/**
 * Extension `expect`: conditions that a response must meet to count as a success.
 */
export interface Expect {
  /**
   * Accepted status codes and classes, such as 201 and `2xx`. Default: all below 400. If the list contains a code from 300 to 399, redirects are not followed.
   *
   * @minItems 1
   * @maxItems 100
   */
  status?: [number | string, ...(number | string)[]];
  /**
   * Extension `expect_conditions`: maximum response time in milliseconds.
   */
  within?: number;
  /**
   * Expected headers: name to value. `*` at the beginning or end of a value matches any text.
   */
  headers?: {
    [k: string]: string;
  };
  /**
   * String that the body must contain. Extension `expect_conditions`: or an object with conditions. `{{name}}` in their strings is replaced by a variable.
   */
  body?: string | ExpectedBodyEntry;
  /**
   * Expected values in the JSON body: JSON Pointer (RFC 6901) to value. Extension `expect_conditions`: or to an object with conditions. `{{name}}` in their strings is replaced by a variable.
   */
  json?: {
    [k: string]: (string | number | boolean | null) | ExpectedCondition;
  };
}
export interface ExpectedBodyEntry {
  /**
   * Strings that the body must contain.
   *
   * @minItems 1
   * @maxItems 100
   */
  contains?: [string, ...string[]];
  /**
   * Strings that the body must not contain.
   *
   * @minItems 1
   * @maxItems 100
   */
  not_contains?: [string, ...string[]];
  /**
   * RE2 regular expressions that must match a part of the first 64 KiB of the body.
   *
   * @minItems 1
   * @maxItems 100
   */
  matches?: [string, ...string[]];
}
export interface ExpectedCondition {
  /**
   * True if the value must exist, false if it must not.
   */
  exists?: boolean;
  /**
   * Comparison with the number of characters, items or members: `>= 1`.
   */
  length?: string;
  /**
   * Comparison with a number: `> 0`. The value must be a number.
   */
  number?: string;
  /**
   * Accepted values.
   *
   * @minItems 1
   * @maxItems 100
   */
  one_of?: [string | number | boolean | null, ...(string | number | boolean | null)[]];
  /**
   * RE2 regular expression that must match a part of the value.
   */
  matches?: string;
  /**
   * Value that the actual value must not equal, or conditions that it must not meet.
   */
  not?: (string | number | boolean | null) | NegatedCondition;
}
export interface NegatedCondition {
  /**
   * Comparison with the number of characters, items or members: `>= 1`.
   */
  length?: string;
  /**
   * Comparison with a number: `> 0`. The value must be a number.
   */
  number?: string;
  /**
   * Accepted values.
   *
   * @minItems 1
   * @maxItems 100
   */
  one_of?: [string | number | boolean | null, ...(string | number | boolean | null)[]];
  /**
   * RE2 regular expression that must match a part of the value.
   */
  matches?: string;
}
export interface VariableEntry {
  /**
   * Name of the variable.
   */
  name: string;
  /**
   * Location of the value in the source. `header` and `cookie`: a name. `json`: a JSON Pointer (RFC 6901) to a value in the body; empty for the whole body. `body`: a regular expression (RE2) whose first group is the value. `status`: empty. In a pointer, `*` means the picked item of a list.
   */
  property: string;
  /**
   * Source of the value. `cookie`, `json` and `body` belong to the extension `variables`, `status` to `pick`.
   */
  source: 'header' | 'cookie' | 'json' | 'body' | 'status';
  /**
   * Extension `pick`: item of the list at `*` in `property`; `all` is a JSON list of all items. Default: `first`.
   */
  pick?: 'first' | 'last' | 'random' | 'all';
}
export interface GroupEntry {
  /**
   * Index of the first request of the group in `urls`.
   */
  first: number;
  /**
   * Number of requests of the group.
   */
  count: number;
  /**
   * Number of repetitions; or the maximum number, and conditions on variables that end the group.
   */
  repeat?: number | RepeatUntil;
  for_each?: ListEntry;
  /**
   * Extension `parallel`: the requests of the group start at the same time, each on its own connection of the client, and the group ends with the last of their responses. Such a group has neither `repeat` nor `for_each`, and the groups that it contains only have `when`.
   */
  parallel?: true;
  /**
   * Conditions that are checked at the beginning of the group. The group is skipped unless all of them are met. Conditions on variables, by name: a value, or an object with conditions. `{{name}}` in their strings is replaced by a variable.
   */
  when?: {
    [k: string]: (string | number | boolean | null) | VariableConditionEntry1;
  };
}
export interface RepeatUntil {
  /**
   * Maximum number of repetitions.
   */
  at_most: number;
  /**
   * Conditions on variables, by name: a value, or an object with conditions. `{{name}}` in their strings is replaced by a variable.
   */
  until: {
    [k: string]: (string | number | boolean | null) | VariableConditionEntry;
  };
}
export interface VariableConditionEntry {
  /**
   * True if the value must exist, false if it must not.
   */
  exists?: boolean;
  /**
   * Comparison with the number of characters, items or members: `>= 1`.
   */
  length?: string;
  /**
   * Comparison with a number: `> 0`. The value must be a number.
   */
  number?: string;
  /**
   * Accepted values.
   *
   * @minItems 1
   * @maxItems 100
   */
  one_of?: [string | number | boolean | null, ...(string | number | boolean | null)[]];
  /**
   * RE2 regular expression that must match a part of the value.
   */
  matches?: string;
  /**
   * Value that the actual value must not equal, or conditions that it must not meet.
   */
  not?: (string | number | boolean | null) | NegatedVariableCondition;
}
export interface NegatedVariableCondition {
  /**
   * Comparison with the number of characters, items or members: `>= 1`.
   */
  length?: string;
  /**
   * Comparison with a number: `> 0`. The value must be a number.
   */
  number?: string;
  /**
   * Accepted values.
   *
   * @minItems 1
   * @maxItems 100
   */
  one_of?: [string | number | boolean | null, ...(string | number | boolean | null)[]];
  /**
   * RE2 regular expression that must match a part of the value.
   */
  matches?: string;
}
/**
 * List for whose items the group is repeated, instead of `repeat`: `values`, or `list` and `at_most`.
 */
export interface ListEntry {
  /**
   * Name of the variable that has the value of the item.
   */
  name: string;
  /**
   * Items of the list.
   *
   * @minItems 1
   * @maxItems 1000
   */
  values?: [string, ...string[]];
  /**
   * Name of the variable whose value is a JSON list. Other values have no items.
   */
  list?: string;
  /**
   * Maximum number of repetitions. Further items of `list` are ignored.
   */
  at_most?: number;
}
export interface VariableConditionEntry1 {
  /**
   * True if the value must exist, false if it must not.
   */
  exists?: boolean;
  /**
   * Comparison with the number of characters, items or members: `>= 1`.
   */
  length?: string;
  /**
   * Comparison with a number: `> 0`. The value must be a number.
   */
  number?: string;
  /**
   * Accepted values.
   *
   * @minItems 1
   * @maxItems 100
   */
  one_of?: [string | number | boolean | null, ...(string | number | boolean | null)[]];
  /**
   * RE2 regular expression that must match a part of the value.
   */
  matches?: string;
  /**
   * Value that the actual value must not equal, or conditions that it must not meet.
   */
  not?: (string | number | boolean | null) | NegatedVariableCondition1;
}
export interface NegatedVariableCondition1 {
  /**
   * Comparison with the number of characters, items or members: `>= 1`.
   */
  length?: string;
  /**
   * Comparison with a number: `> 0`. The value must be a number.
   */
  number?: string;
  /**
   * Accepted values.
   *
   * @minItems 1
   * @maxItems 100
   */
  one_of?: [string | number | boolean | null, ...(string | number | boolean | null)[]];
  /**
   * RE2 regular expression that must match a part of the value.
   */
  matches?: string;
}
export interface FlowEntry {
  /**
   * Name of the flow, for reports.
   */
  name: string;
  /**
   * Share of the flow, relative to the weights of the other flows.
   */
  weight: number;
  /**
   * Number of requests of the flow.
   */
  urls: number;
  /**
   * Extension `values`: variables that every iteration of the flow receives, after those of the test.
   */
  values?: {
    [k: string]: string;
  };
}
/**
 * Extension `setup`: requests that each run sends once before its load. Their variables are available to all iterations. With `payload_file` in the first request, all requests are sent once for each row (at most 10,000), and each iteration receives the columns of one row and the variables that the requests for this row extracted.
 */
export interface SetupEntry {
  /**
   * Requests, in order.
   *
   * @minItems 1
   * @maxItems 100
   */
  urls: [UrlEntry, ...UrlEntry[]];
  /**
   * Extension `groups`: groups of these requests, in the form of the groups of the test.
   *
   * @minItems 1
   * @maxItems 400
   */
  groups?: [GroupEntry, ...GroupEntry[]];
  /**
   * Extension `setup`: interval in seconds at which the requests are sent again during the load. Iterations that begin later use the new values.
   */
  refresh?: number;
}
/**
 * Extension `teardown`: requests that each run sends once after its load.
 */
export interface TeardownEntry {
  /**
   * Requests, in order.
   *
   * @minItems 1
   * @maxItems 100
   */
  urls: [UrlEntry, ...UrlEntry[]];
  /**
   * Extension `groups`: groups of these requests, in the form of the groups of the test.
   *
   * @minItems 1
   * @maxItems 400
   */
  groups?: [GroupEntry, ...GroupEntry[]];
}
export interface Stage {
  /**
   * Duration of the stage in seconds. With 0, the level changes immediately.
   */
  for: number;
  /**
   * Level at the end of the stage: connections (`cycling`) or clients per second (`per-second`). A rate can have up to three decimal places (extension `fractional_rates`).
   */
  to: number;
}
export interface AbortRuleEntry {
  /**
   * Metric of the threshold, such as `p95`.
   */
  metric: string;
  /**
   * Condition of the threshold, such as `< 3s`.
   */
  limit: string;
  /**
   * Time after the warm-up in which the threshold is not checked, in seconds.
   */
  after: number;
  /**
   * Minimum number of responses for a verdict on a percentile, unless its failure is certain.
   */
  min_samples?: number;
  /**
   * Index of the request that the threshold applies to. Default: all requests.
   */
  url?: number;
  /**
   * Index of the flow that the threshold applies to.
   */
  flow?: number;
  /**
   * Group of requests that the threshold applies to.
   */
  group?: {
    /**
     * Name of the group, for reports.
     */
    name: string;
    /**
     * Indexes of the requests.
     *
     * @maxItems 100
     */
    urls: number[];
  };
}
export interface ConnectionEntry {
  /**
   * Client certificate in PEM format, followed by its intermediate certificates, if any. Requires `key`.
   */
  cert?: string;
  /**
   * Private key of the client certificate in PEM format. Responses never contain it.
   */
  key?: string;
  /**
   * Passphrase of the private key, if it is encrypted. Responses never contain it.
   */
  passphrase?: string;
  /**
   * Certificates of the authorities that may sign the certificate of the host, in PEM format. They replace the authorities that the system trusts.
   */
  ca?: string;
  /**
   * Name for SNI and the certificate check. Default: the host of the URL.
   */
  server_name?: string;
  /**
   * Lowest accepted TLS version. Default: `1.2`.
   */
  tls_min?: '1.2' | '1.3';
  /**
   * Addresses of the host, which replace those of DNS. Connections use them in turn.
   *
   * @minItems 1
   */
  resolve?: [string, ...string[]];
  /**
   * IP version of the addresses that connections use. Default: all addresses.
   */
  ip?: 4 | 6;
}

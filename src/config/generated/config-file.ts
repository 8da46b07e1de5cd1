/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Load profile, instead of `total` and `duration`. The load changes linearly from `initial` to the level of the first stage, then to the level of the next one, and so on. A level is a number of connections (`cycling`) or clients per second (`per-second`). Extension: `stages`.
 *
 * @minItems 1
 * @maxItems 100
 */
export type Stages = [StageEntry, ...StageEntry[]];
/**
 * Requests of one iteration, in order. A string is a short form of `{ url: … }`.
 *
 * @minItems 1
 */
export type Urls = [string | UrlEntry, ...(string | UrlEntry)[]];
/**
 * Accepted values. Extension: `expect_conditions`.
 *
 * @minItems 1
 * @maxItems 100
 */
export type OneOf = [string | number | boolean | null, ...(string | number | boolean | null)[]];
/**
 * Tests that must end before this test starts.
 */
export type Needs = string[];

/**
 * Declares target hosts (apps) and load tests. Strings can contain `${name}` (from `vars`), `${env:NAME}`, `${env:NAME:-default}` and `${file:path}`. Credentials, header values, parameters and bodies can also contain `${secret:NAME}`. References are resolved after parsing, so a value can never change the structure of the file. `$${` is a literal `${`. Keys that begin with `x-` are ignored.
 */
export interface ConfigFile {
  /**
   * Version of the file format. Always `1`.
   */
  version: 1;
  /**
   * Name of the project. It is part of the identity of every test.
   */
  project: string;
  service?: ServiceEntry;
  web_server?: WebServerEntry;
  vars?: VarsEntry;
  /**
   * Changes to the file for each environment, by name. `--env NAME` selects an environment. Maps are merged, lists and scalars are replaced, and `null` removes a key.
   */
  environments?: {
    [k: string]: EnvironmentEntry;
  };
  defaults?: DefaultsEntry;
  apps?: AppsEntry;
  tests?: TestsEntry;
  /**
   * Renamed tests: new key to previous key.
   */
  moved?: {
    /**
     * Previous key of the test.
     */
    [k: string]: string;
  };
  limits?: LimitsEntry;
}
/**
 * Address and connection settings of the service.
 */
export interface ServiceEntry {
  /**
   * Address of the service, without `/v2`.
   */
  base_url?: string;
  /**
   * Request header that contains the API key. Default: `service-auth`.
   */
  auth_header?: string;
  /**
   * Environment variable that contains the API key. Its name must begin with `LOADTESTS_`. The key itself is never written in the file. Default: `LOADTESTS_API_KEY`.
   */
  api_key_env?: string;
  /**
   * Prefix of the verification tokens of the service, `<prefix>-<app_id>`. Required only for apps that were registered elsewhere.
   */
  token_prefix?: string;
  /**
   * Timeout of a request to the service. Default: `30s`.
   */
  request_timeout?: string | number;
  /**
   * Time in which the service may still carry out a request that received no response. Default: `65s`.
   */
  settle?: string | number;
  /**
   * Allows `http:` for hosts other than loopback. The API key is then sent unencrypted. Default: `false`.
   */
  allow_plain_http?: boolean | string;
}
/**
 * Command that starts the system under test.
 */
export interface WebServerEntry {
  /**
   * Command line, which runs with `sh` in the directory of the file. Its process group is terminated at the end.
   */
  command?: string;
  /**
   * URL that must respond before the command continues.
   */
  url?: string;
  /**
   * Uses a server that already responds at `url` instead of starting one. Default: `true`, or `false` if `CI` is set.
   */
  reuse_existing?: boolean | string;
  /**
   * Maximum wait for a response from `url`. Default: `30s`.
   */
  timeout?: string | number;
}
/**
 * Values for `${name}`.
 */
export interface VarsEntry {
  /**
   * Value of the variable.
   */
  [k: string]: string | number | boolean;
}
/**
 * Changes to the file in this environment. It has the same keys as the file; `null` removes a value of the file.
 */
export interface EnvironmentEntry {
  service?: ServiceEntry;
  web_server?: WebServerEntry;
  vars?: VarsEntry;
  defaults?: DefaultsEntry;
  apps?: AppsEntry;
  tests?: TestsEntry;
  limits?: LimitsEntry;
}
/**
 * Default fields of all tests and, below `url`, of all URLs.
 */
export interface DefaultsEntry {
  /**
   * Display name of the test on the service. Default: the first URL.
   */
  name?: string;
  /**
   * Load model. Required, here or in `defaults`. `cycling`: closed model: the number of clients grows from `initial` to `total`. Each client repeats its iterations. `non-cycling`: open model: `total` clients start at even intervals over the duration. Each runs one iteration. `per-second`: open model: `total` clients start per second. Each runs one iteration. Some services do not support it.
   */
  test_type?: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test. With `stages`, the level at the start: connections, or clients per second in a `per-second` test. It is an error in other tests. Default: 0.
   */
  initial?: number | string;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). A rate can have up to three decimal places, such as `12.5`, which require an extension. Default: 60. Extension: `fractional_rates`.
   */
  total?: number | string;
  /**
   * Duration of the load, in whole seconds.
   */
  duration?: number | string;
  stages?: Stages;
  /**
   * First part of the duration, in whole seconds. Requests of the warm-up are sent but not included in the metrics. Default: no warm-up. Extension: `warmup`.
   */
  warmup?: number | string;
  values?: Values;
  /**
   * If true, the requests accept compressed responses: they have the header `accept-encoding: gzip, deflate, br` unless `headers` sets this header. Received bytes are counted as transferred. Responses are decoded only for variables and expectations. Default: false.
   */
  compression?: boolean | string;
  /**
   * Maximum number of connections to each host, which all clients of an open test share. A client borrows a connection for each request; if none is free, it waits, and its response time includes the wait. Default: each client opens its own connections. Extension: `connections`.
   */
  connections?: number | string;
  /**
   * Effect of a failed request on its iteration. A flow, a group and a request can override it. Default: `continue`. Extension: `on_failure`. `continue`: continues with the next request of the iteration. `stop`: ends the iteration. Its remaining requests are counted as `not_started`.
   */
  on_failure?: 'continue' | 'stop';
  /**
   * Total number of iterations that all connections of a `cycling` test perform. The run ends after the last one, or after `duration` at the latest. Not allowed with `stages` that decrease the number of connections. Default: as many as fit into `duration`. Extension: `iterations`.
   */
  iterations?: number | string;
  /**
   * Number of iterations that each connection of a `cycling` test performs. The run ends after the last one, or after `duration` at the latest. Not allowed with `iterations`, or with `stages` that decrease the number of connections. Default: as many as fit into `duration`. Extension: `iterations`.
   */
  iterations_per_client?: number | string;
  /**
   * Minimum time between the starts of two iterations of the same connection, in a `cycling` test. A connection that is faster waits; one that is slower starts its next iteration immediately. Default: no minimum. Extension: `pace`.
   */
  pace?: number | string;
  /**
   * Start times of the clients of an open test. Random times form a Poisson process with the exact number of clients. Default: `even`. Extension: `arrivals`. `even`: clients start at even intervals. With `stages`, the intervals follow the rate. `random`: clients start at random times with the same mean rate, as independent users do.
   */
  arrivals?: 'even' | 'random';
  /**
   * If false, each request of a `cycling` test opens a new connection, which closes after the response. The requests have the header `connection: close`. Default: true. Extension: `keep_alive`.
   */
  keep_alive?: boolean | string;
  connection?: ConnectionEntry;
  /**
   * Timeout of a request, from sending it to the last byte of its response. Default: `10s`.
   */
  timeout?: number | string;
  /**
   * Percentage of failed requests at which the service aborts the run. Default: 50.
   */
  error_threshold?: number | string;
  /**
   * URL that receives a POST request (webhook) with the IDs of the test and the result when a run has ended.
   */
  callback?: string;
  /**
   * Email address that receives the results when a run has ended.
   */
  callback_email?: string;
  /**
   * Time at which the service starts the test: `2026-12-24 03:00:00` (UTC), or an RFC 3339 date and time. Requires a service that keeps running.
   */
  scheduled_at?: string;
  /**
   * Free text that the service stores with the test.
   */
  notes?: string;
  urls?: Urls;
  flows?: FlowsEntry;
  on_start?: OnStartEntry;
  setup?: SetupEntry;
  teardown?: TeardownEntry;
  thresholds?: ThresholdsEntry;
  regression?: RegressionEntry;
  needs?: Needs;
  /**
   * Allows the test to run at the same time as other tests on the same host. Default: `false`.
   */
  parallel?: boolean | string;
  /**
   * Verifies the TLS certificates of targets. Only the embedded service can turn it off. Default: `true`.
   */
  tls_verify?: boolean | string;
  url?: UrlEntry;
}
/**
 * Stage of the load profile.
 */
export interface StageEntry {
  /**
   * Duration of the stage, in whole seconds. `0s` is a step.
   */
  for: number | string;
  /**
   * Level at the end of the stage: connections, or clients per second.
   */
  to: number | string;
}
/**
 * Variables that every iteration receives at its beginning, by name. A value can contain `%{…}`, earlier values and the columns of rows. Extension: `values`.
 */
export interface Values {
  /**
   * Value of the variable.
   */
  [k: string]: string | number | boolean;
}
/**
 * Settings of connections to a host.
 */
export interface ConnectionEntry {
  /**
   * Client certificate in PEM format, followed by its intermediate certificates, if any. Use `${file:PATH}` or `${secret:NAME}`.
   */
  cert?: string;
  /**
   * Private key of the client certificate in PEM format. Use `${secret:NAME}` or `${file:PATH}`.
   */
  key?: string;
  /**
   * Passphrase of the private key, if it is encrypted. Use `${secret:NAME}`.
   */
  passphrase?: string;
  /**
   * Certificates of the authorities that may sign the certificate of the host, in PEM format. They replace the authorities that the system trusts. Use `${file:PATH}`.
   */
  ca?: string;
  /**
   * Name that the client sends in the TLS handshake (SNI) and that the certificate must contain. Default: the host of the URL.
   */
  server_name?: string;
  /**
   * Lowest TLS version that the client accepts: `1.2` or `1.3`. Default: `1.2`.
   */
  tls_min?: string | number;
  /**
   * Addresses of hosts, as `host: address` or `host: [address, …]`. They replace the addresses from DNS, follow the same rules, and must also be verified. Connections use several addresses in turn.
   */
  resolve?: {
    /**
     * IP address of the host, or a list of addresses.
     */
    [k: string]: [string, ...string[]] | string;
  };
  /**
   * IP version of the addresses that connections use: `4` or `6`. Default: all addresses.
   */
  ip?: string | number;
}
/**
 * Request of a test, with `url`; or a group of requests, with `urls` or `parallel`.
 */
export interface UrlEntry {
  /**
   * Name of the URL in thresholds and reports. It is never sent. Default: its method and path.
   */
  name?: string;
  thresholds?: ThresholdsEntry;
  /**
   * URL of the request. Its host must be a declared app. `{{name}}` and `%{…}` can be used after the host, including generated values such as `%{uuid}` (Extension: `expressions`). A URL that consists of one variable, such as `{{next}}`, is replaced by its value: a path on the host of the request that sets it, or a URL of a host in the same list of requests (Extension: `resolve_url`).
   */
  url?: string;
  urls?: Urls;
  /**
   * Requests of a group that a client sends at the same time, in place of `urls`. Each request uses its own connection, and the group ends with the last response. Variables of the responses are available after the group. It cannot contain `repeat`, `for_each` or another `parallel`. Extension: `parallel`.
   *
   * @minItems 1
   */
  parallel?: [string | UrlEntry, ...(string | UrlEntry)[]];
  /**
   * Number of times that each iteration sends the requests of the group; or a map with the maximum and a condition that ends the group. An iteration can send up to 100,000 requests. Extension: `groups`.
   */
  repeat?: RepeatEntry | (number | string);
  /**
   * Sends the requests of the group once for each item of a list, in place of `repeat`. The key is the name of the variable that receives the item. Its value is a list, or a variable that contains a JSON list, such as one from `pick: all`; `at_most` is then the maximum number of items. Extension: `groups`.
   */
  for_each?: {
    /**
     * List of values, or a variable whose value is a list.
     */
    [k: string]: [string | number | boolean, ...(string | number | boolean)[]] | (string | number | boolean);
  };
  when?: VariableConditionsEntry;
  /**
   * Effect of a failed request on its iteration. A flow, a group and a request can override it. Default: `continue`. Extension: `on_failure`. `continue`: continues with the next request of the iteration. `stop`: ends the iteration. Its remaining requests are counted as `not_started`.
   */
  on_failure?: 'continue' | 'stop';
  /**
   * Request method. Methods other than `GET` and `POST` require an extension. Default: `GET`. Extension: `methods`. `GET`: retrieves a resource. Parameters are sent in the query. `POST`: sends a body, or parameters as a form. `PUT`: replaces a resource with a body, or with parameters as a form. `PATCH`: changes part of a resource. Sends a body, or parameters as a form. `DELETE`: deletes a resource. Can send a body, or parameters as a form. `HEAD`: same as `GET`, but the response has no body. `OPTIONS`: requests the supported methods. Can send a body, or parameters as a form.
   */
  request_type?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  credentials?: CredentialsEntry;
  aws_sigv4?: AwsSigv4Entry;
  /**
   * Request headers by name. Values can contain `${secret:NAME}`.
   */
  headers?: {
    /**
     * Value of the header.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Parameters by name: the query of `GET` and `HEAD`, and form fields for other methods. Values can contain `${secret:NAME}`.
   */
  request_params?: {
    /**
     * Value of the parameter.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Body of the request, sent verbatim. It cannot be used with `GET` and `HEAD`. It can contain `${secret:NAME}`.
   */
  raw_post_body?: string;
  /**
   * Body of the request as a JSON value, sent with `content-type: application/json` unless `headers` sets this header. It cannot be used with `GET` and `HEAD`, nor together with `raw_post_body` or `request_params`. Strings can contain `${secret:NAME}`, `{{name}}` and `%{…}`; inserted values are escaped. A string that consists of one `%{…}` for a number becomes a number. Without the extension, values of `{{name}}` are not escaped, and the plan prints a warning. Extension: `json`.
   */
  json?: {
    [k: string]: unknown;
  };
  /**
   * If true, the request accepts compressed responses: it has the header `accept-encoding: gzip, deflate, br` unless `headers` sets this header. Received bytes are counted as transferred. Default: the value of the test.
   */
  compression?: boolean | string;
  /**
   * Path of a file that is the body of the request, in the directory of the configuration file or below it. It is sent verbatim. The maximum size is 64 MiB. Set the `content-type` in `headers`. It cannot be used with `GET` and `HEAD`, nor together with another body. Extension: `body_file`.
   */
  body_file?: string;
  /**
   * Parts of a `multipart/form-data` body by name, in the order in which they are sent. A part is a value or a file. Values can contain `${secret:NAME}`, `{{name}}` and `%{…}`. It cannot be used with `GET` and `HEAD`, nor together with another body. Extension: `multipart`.
   */
  multipart?: {
    /**
     * A value, or a map with a `value` or a `file`.
     */
    [k: string]: FilePartEntry | (string | number | boolean);
  };
  /**
   * URL of a payload file, whose rows provide values for the requests. The service downloads it before the run.
   */
  payload_file_url?: string;
  /**
   * Path of a payload file, in the directory of the configuration file or below it, or a map with the path and options. A CSV file begins with a row of names; each other row provides the variables of one iteration. JSON has the form of `payload_file_url`. The maximum size is 64 MiB. Extension: `payload_file`.
   */
  payload_file?: PayloadFileEntry | string;
  /**
   * Conditions that a response must meet to count as a success. A response that does not meet them counts as an error. A status code or class alone is short for `status`. Extension: `expect`.
   */
  expect?: ExpectationEntry | (number | string);
  /**
   * Think time after this request: a duration, or a minimum and a maximum for a uniformly distributed random time. In a `cycling` test, a client also waits before its next iteration. In other tests, it does not wait after the last request. Default: no delay. Extension: `delay`.
   */
  delay?: [number | string, number | string] | (number | string);
  /**
   * Values extracted from the response, for `{{name}}` in later requests. Sources other than `header` require an extension. Extension: `variables`.
   */
  variables?: VariableEntry[];
}
/**
 * Pass/fail conditions: an operator (`<`, `<=`, `>`, `>=`) and a number, with `%` for rates, `ms` or `s` for times, and no unit for counts; or a map with the condition and options.
 */
export interface ThresholdsEntry {
  /**
   * Percentage of failed requests.
   */
  error_rate?: string | ThresholdOptionsEntry;
  /**
   * Percentage of successful requests.
   */
  success_rate?: string | ThresholdOptionsEntry;
  /**
   * Percentage of requests without a response or with a status of 400 or above, regardless of `expect`. Extension: `status_codes`.
   */
  http_error_rate?: string | ThresholdOptionsEntry;
  /**
   * Mean response time.
   */
  avg_response_time?: string | ThresholdOptionsEntry;
  /**
   * Shortest response time.
   */
  min?: string | ThresholdOptionsEntry;
  /**
   * Longest response time.
   */
  max?: string | ThresholdOptionsEntry;
  /**
   * Median response time.
   */
  p50?: string | ThresholdOptionsEntry;
  /**
   * 75th percentile of the response times.
   */
  p75?: string | ThresholdOptionsEntry;
  /**
   * 90th percentile of the response times.
   */
  p90?: string | ThresholdOptionsEntry;
  /**
   * 95th percentile of the response times.
   */
  p95?: string | ThresholdOptionsEntry;
  /**
   * 99th percentile of the response times.
   */
  p99?: string | ThresholdOptionsEntry;
  /**
   * 99.9th percentile of the response times.
   */
  'p99.9'?: string | ThresholdOptionsEntry;
  /**
   * Number of finished requests.
   */
  requests?: string | ThresholdOptionsEntry;
  /**
   * Finished requests per second.
   */
  requests_per_second?: string | ThresholdOptionsEntry;
  /**
   * Number of successful responses.
   */
  success?: string | ThresholdOptionsEntry;
  /**
   * Number of responses that failed.
   */
  error?: string | ThresholdOptionsEntry;
  /**
   * Number of requests that timed out.
   */
  timeout_error?: string | ThresholdOptionsEntry;
  /**
   * Number of requests that failed in transport.
   */
  network_error?: string | ThresholdOptionsEntry;
  /**
   * Received bytes.
   */
  data_received?: string | ThresholdOptionsEntry;
  /**
   * Number of completed iterations. Extension: `iteration_times`.
   */
  iterations?: string | ThresholdOptionsEntry;
  /**
   * Share of iterations in which at least one request failed. Extension: `iteration_times`.
   */
  iteration_error_rate?: string | ThresholdOptionsEntry;
  /**
   * Mean duration of iterations. Extension: `iteration_times`.
   */
  iteration_mean?: string | ThresholdOptionsEntry;
  /**
   * Longest duration of an iteration. Extension: `iteration_times`.
   */
  iteration_max?: string | ThresholdOptionsEntry;
  /**
   * Median duration of iterations. Extension: `iteration_times`.
   */
  iteration_p50?: string | ThresholdOptionsEntry;
  /**
   * 75th percentile of the durations of iterations. Extension: `iteration_times`.
   */
  iteration_p75?: string | ThresholdOptionsEntry;
  /**
   * 90th percentile of the durations of iterations. Extension: `iteration_times`.
   */
  iteration_p90?: string | ThresholdOptionsEntry;
  /**
   * 95th percentile of the durations of iterations. Extension: `iteration_times`.
   */
  iteration_p95?: string | ThresholdOptionsEntry;
  /**
   * 99th percentile of the durations of iterations. Extension: `iteration_times`.
   */
  iteration_p99?: string | ThresholdOptionsEntry;
  /**
   * 99.9th percentile of the durations of iterations. Extension: `iteration_times`.
   */
  'iteration_p99.9'?: string | ThresholdOptionsEntry;
  /**
   * Any other percentile of the response times, such as `p97` or `p99.99`. Extension: `histograms`.
   *
   * This interface was referenced by `ThresholdsEntry`'s JSON-Schema definition
   * via the `patternProperty` "^p(?!(50|75|90|95|99|99\.9)$)(0\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\.[0-9]{0,5}[1-9])?)$".
   */
  [k: string]: string | ThresholdOptionsEntry;
}
/**
 * Condition of a threshold, and the options of its evaluation.
 */
export interface ThresholdOptionsEntry {
  /**
   * Operator and number, with the unit of the metric.
   */
  limit: string;
  /**
   * Minimum number of responses for a verdict on a percentile. With fewer responses, the threshold is inconclusive unless its failure is certain. Default: 10 responses above the percentile, such as 200 for `p95` and 1,000 for `p99`.
   */
  min_samples?: number | string;
  /**
   * Time after the warm-up. After this time, the service checks the threshold every second over all requests so far, and ends the run once the failure of the threshold is certain. Default: the run continues. Extension: `abort_after`.
   */
  abort_after?: number | string;
}
/**
 * Maximum number of repetitions of a group, and a condition for the end.
 */
export interface RepeatEntry {
  /**
   * Maximum number of repetitions, which the plan uses to calculate the load. Extension: `groups`.
   */
  at_most?: number | string;
  until?: VariableConditionsEntry;
}
/**
 * Conditions on variables, by name.
 */
export interface VariableConditionsEntry {
  /**
   * Value of the variable, or conditions for it.
   */
  [k: string]: ConditionEntry | (string | number | boolean | null);
}
/**
 * Conditions for a value, which must meet all of them. The value must exist, except for `exists: false`.
 */
export interface ConditionEntry {
  /**
   * True if the value must exist; null counts as a value. False if it must not exist. Extension: `expect_conditions`.
   */
  exists?: boolean | string;
  /**
   * Comparison with the number of characters of a string, items of a list or members of a map. Extension: `expect_conditions`.
   */
  length?: string | number;
  /**
   * Comparison with a number. The value must be a number. Extension: `expect_conditions`.
   */
  number?: string | number;
  one_of?: OneOf;
  /**
   * RE2 regular expression that must match a part of the value. Values of `{{name}}` are matched verbatim. Extension: `expect_conditions`.
   */
  matches?: string;
  /**
   * Value that the actual value must not equal, or conditions that it must not meet. Extension: `expect_conditions`.
   */
  not?: NegatedConditionEntry | (string | number | boolean | null);
}
/**
 * Map of conditions. The value must not meet all of them at the same time.
 */
export interface NegatedConditionEntry {
  /**
   * Comparison with the number of characters of a string, items of a list or members of a map. Extension: `expect_conditions`.
   */
  length?: string | number;
  /**
   * Comparison with a number. The value must be a number. Extension: `expect_conditions`.
   */
  number?: string | number;
  one_of?: OneOf;
  /**
   * RE2 regular expression that must match a part of the value. Values of `{{name}}` are matched verbatim. Extension: `expect_conditions`.
   */
  matches?: string;
}
/**
 * Credentials for HTTP Basic authentication.
 */
export interface CredentialsEntry {
  /**
   * User name. It can contain `${secret:NAME}`.
   */
  login?: string;
  /**
   * Password. Use `${secret:NAME}`.
   */
  password?: string;
}
/**
 * Settings for AWS Signature Version 4.
 */
export interface AwsSigv4Entry {
  /**
   * AWS region of the service.
   */
  region?: string;
  /**
   * Name of the AWS service in signatures, such as `execute-api` for API Gateway, `lambda` for function URLs, or `s3`.
   */
  service?: string;
  /**
   * ID of the access key. It can contain `${secret:NAME}`.
   */
  access_key_id?: string;
  /**
   * Secret access key. Use `${secret:NAME}`.
   */
  secret_access_key?: string;
  /**
   * Token of temporary credentials. It must be valid until the end of the run. Use `${secret:NAME}`.
   */
  session_token?: string;
}
/**
 * Part of a `multipart/form-data` body: a file, or a value with a content type or a file name.
 */
export interface FilePartEntry {
  /**
   * Path of the file, in the directory of the configuration file or below it. It is sent verbatim. The maximum size is 64 MiB.
   */
  file?: string;
  /**
   * Text of the part. It may contain variables and expressions.
   */
  value?: string | number | boolean;
  /**
   * Media type of the part. Default: no content type.
   */
  content_type?: string;
  /**
   * Name of the file for the receiver. Default: the last component of the path of `file`; a `value` has no file name.
   */
  filename?: string;
}
/**
 * Payload file, the form of its content, and the use of its rows.
 */
export interface PayloadFileEntry {
  /**
   * Path of the file, in the directory of the configuration file or below it.
   */
  file: string;
  /**
   * Names of the columns of a CSV file whose first line is already a row. Extension: `row_options`.
   *
   * @minItems 1
   * @maxItems 100
   */
  columns?: [string, ...string[]];
  /**
   * Character between the values of a CSV file, such as `;` or a tab. Default: a comma. Extension: `row_options`.
   */
  delimiter?: string;
  /**
   * Order in which iterations use the rows. Default: each row once before any row is repeated; in a `cycling` test, any row at any time. Extension: `row_options`. `sequential`: in the order of the file. After the last row, the first is used again. `random`: any row at any time. `once`: in the order of the file. The run ends when all rows are used. `client`: a fixed row for each client: in a `cycling` test, all iterations of a connection use the same row.
   */
  order?: 'sequential' | 'random' | 'once' | 'client';
  /**
   * Columns whose values are masked in the output of `run --once`, such as passwords. Extension: `row_options`.
   *
   * @minItems 1
   * @maxItems 100
   */
  mask?: [string, ...string[]];
}
/**
 * Conditions that a response must meet to count as a success. A response that does not meet them counts as an error.
 */
export interface ExpectationEntry {
  /**
   * Accepted status codes and classes: one, or a list. If the list contains a code from 300 to 399, redirects of this URL are not followed. Default: all codes below 400.
   */
  status?: [number | string, ...(number | string)[]] | (number | string);
  /**
   * Maximum response time. A slower response counts as an error, so that errors and slow responses have a common rate. Extension: `expect_conditions`.
   */
  within?: number | string;
  /**
   * Required response headers by name. `*` at the start or end of a value matches any characters. A value can contain `{{name}}`. Names are case-insensitive. If a header occurs several times, the first one is checked.
   */
  headers?: {
    /**
     * Value of the header, such as `application/json*`.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * String that the body must contain, or conditions for the body. A response with a body larger than 1 MiB is an error.
   */
  body?: ExpectedBodyEntry | string;
  /**
   * Required values in a JSON body, by JSON Pointer (RFC 6901). A value is a string, number, boolean or null, which must be equal, or a map of conditions. Strings can contain `{{name}}`; a string that consists of one `{{name}}` also equals a number or boolean with the same text. Maps and variables require the extension `expect_conditions`.
   */
  json?: {
    /**
     * Value at the pointer, or conditions for it.
     */
    [k: string]: ConditionEntry | (string | number | boolean | null);
  };
}
/**
 * Conditions for the text of a body, which must meet all of them. The strings can contain `{{name}}`.
 */
export interface ExpectedBodyEntry {
  /**
   * String that the body must contain, or a list of such strings. Extension: `expect_conditions`.
   */
  contains?: [string, ...string[]] | string;
  /**
   * String that the body must not contain, or a list of such strings. Extension: `expect_conditions`.
   */
  not_contains?: [string, ...string[]] | string;
  /**
   * RE2 regular expression that must match a part of the first 64 KiB of the body, or a list of such expressions. Values of `{{name}}` are matched verbatim. Extension: `expect_conditions`.
   */
  matches?: [string, ...string[]] | string;
}
/**
 * Value extracted from a response.
 */
export interface VariableEntry {
  /**
   * Name of the variable.
   */
  name: string;
  /**
   * Location of the value: the name of a header or cookie, a JSON Pointer (RFC 6901) such as `/user/token`, or a regular expression (RE2) whose first group matches the value in the body. In a pointer, `*` means an item of a list: see `pick`.
   */
  property?: string;
  /**
   * Part of the response that contains the value. Default: `header`. `header`: response header, by name. `cookie`: cookie that the response sets, by name. `json`: string, number or boolean in a JSON body, by JSON Pointer. `body`: first group of a regular expression that is matched against the body. `status`: status code of the response, without `property`.
   */
  source?: 'header' | 'cookie' | 'json' | 'body' | 'status';
  /**
   * Item of the list at `*` in `property`. Variables of one response that pick at random from the same list take the same item. Default: `first`. Extension: `pick`. `first`: first item. `last`: last item. `random`: random item. `all`: all items, as a JSON list.
   */
  pick?: 'first' | 'last' | 'random' | 'all';
}
/**
 * Flows by name.
 */
export interface FlowsEntry {
  [k: string]: FlowEntry;
}
/**
 * Flow: the requests of one kind of iteration, and the share of these iterations.
 */
export interface FlowEntry {
  /**
   * Share of the flow, relative to the weights of the other flows. Default: 1.
   */
  weight?: number | string;
  urls?: Urls;
  /**
   * Effect of a failed request on its iteration. A flow, a group and a request can override it. Default: `continue`. Extension: `on_failure`. `continue`: continues with the next request of the iteration. `stop`: ends the iteration. Its remaining requests are counted as `not_started`.
   */
  on_failure?: 'continue' | 'stop';
  values?: Values;
  thresholds?: ThresholdsEntry;
}
/**
 * Requests of each connection before its first iteration.
 */
export interface OnStartEntry {
  urls?: Urls;
}
/**
 * Requests before the load.
 */
export interface SetupEntry {
  /**
   * Payload file with at most 10,000 rows, in the directory of the configuration file or below it, or a map with the path and options. The requests of the setup are sent once for each row, for 10 rows at a time. Each iteration of the load receives the columns of one row and the variables of its responses.
   */
  rows?: PayloadFileEntry | string;
  /**
   * Interval, in whole seconds, at which the requests of the setup are sent again during the load. Iterations that begin later use the new values. If a repetition fails, the earlier values remain in use. Default: the requests are sent only once. Extension: `setup`.
   */
  refresh?: number | string;
  urls?: Urls;
}
/**
 * Requests after the load.
 */
export interface TeardownEntry {
  urls?: Urls;
}
/**
 * Maximum worsening of each metric compared with the baseline, as a percentage.
 */
export interface RegressionEntry {
  /**
   * Mean response time.
   */
  avg_response_time?: string;
  /**
   * Shortest response time.
   */
  min?: string;
  /**
   * Longest response time.
   */
  max?: string;
  /**
   * Median response time.
   */
  p50?: string;
  /**
   * 75th percentile of the response times.
   */
  p75?: string;
  /**
   * 90th percentile of the response times.
   */
  p90?: string;
  /**
   * 95th percentile of the response times.
   */
  p95?: string;
  /**
   * 99th percentile of the response times.
   */
  p99?: string;
  /**
   * 99.9th percentile of the response times.
   */
  'p99.9'?: string;
  /**
   * Finished requests per second of a `cycling` test. The metric may be lower by this percentage.
   */
  requests_per_second?: string;
  /**
   * Any other percentile of the response times, such as `p97`.
   *
   * This interface was referenced by `RegressionEntry`'s JSON-Schema definition
   * via the `patternProperty` "^p(?!(50|75|90|95|99|99\.9)$)(0\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\.[0-9]{0,5}[1-9])?)$".
   */
  [k: string]: string;
}
/**
 * Target hosts by key.
 */
export interface AppsEntry {
  /**
   * Target host: `host[:port]`, or a map.
   */
  [k: string]: string | AppEntry;
}
/**
 * Target host, with its verification and connection settings.
 */
export interface AppEntry {
  /**
   * Host, as `host[:port]`.
   */
  app?: string;
  verification?: VerificationEntry;
  connection?: ConnectionEntry;
}
/**
 * Method of publishing the verification token: one of `directory`, `command` and `manual`.
 */
export interface VerificationEntry {
  /**
   * Verification method: `http` or `dns`. Other values are passed to the service with a warning. Default: `http`.
   */
  method?: string;
  /**
   * Directory in which `<verification_id>.txt` is created before the app is verified.
   */
  directory?: string;
  /**
   * Command line that publishes the token, which runs with `sh`. Its environment contains `VERIFICATION_ID`, `APP_ID` and `APP`.
   */
  command?: string;
  /**
   * Prints the token, so that you can publish it. Default: `true` if neither `directory` nor `command` is set.
   */
  manual?: boolean | string;
  /**
   * Maximum time for repeated attempts to verify the app. Default: `2m`.
   */
  wait?: string | number;
}
/**
 * Load tests by key.
 */
export interface TestsEntry {
  [k: string]: TestEntry;
}
/**
 * Load test. `test_type`, `duration`, and `urls` or `flows` are required, here or in `defaults`.
 */
export interface TestEntry {
  /**
   * Display name of the test on the service. Default: the first URL.
   */
  name?: string;
  /**
   * Load model. Required, here or in `defaults`. `cycling`: closed model: the number of clients grows from `initial` to `total`. Each client repeats its iterations. `non-cycling`: open model: `total` clients start at even intervals over the duration. Each runs one iteration. `per-second`: open model: `total` clients start per second. Each runs one iteration. Some services do not support it.
   */
  test_type?: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test. With `stages`, the level at the start: connections, or clients per second in a `per-second` test. It is an error in other tests. Default: 0.
   */
  initial?: number | string;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). A rate can have up to three decimal places, such as `12.5`, which require an extension. Default: 60. Extension: `fractional_rates`.
   */
  total?: number | string;
  /**
   * Duration of the load, in whole seconds.
   */
  duration?: number | string;
  stages?: Stages;
  /**
   * First part of the duration, in whole seconds. Requests of the warm-up are sent but not included in the metrics. Default: no warm-up. Extension: `warmup`.
   */
  warmup?: number | string;
  values?: Values;
  /**
   * If true, the requests accept compressed responses: they have the header `accept-encoding: gzip, deflate, br` unless `headers` sets this header. Received bytes are counted as transferred. Responses are decoded only for variables and expectations. Default: false.
   */
  compression?: boolean | string;
  /**
   * Maximum number of connections to each host, which all clients of an open test share. A client borrows a connection for each request; if none is free, it waits, and its response time includes the wait. Default: each client opens its own connections. Extension: `connections`.
   */
  connections?: number | string;
  /**
   * Effect of a failed request on its iteration. A flow, a group and a request can override it. Default: `continue`. Extension: `on_failure`. `continue`: continues with the next request of the iteration. `stop`: ends the iteration. Its remaining requests are counted as `not_started`.
   */
  on_failure?: 'continue' | 'stop';
  /**
   * Total number of iterations that all connections of a `cycling` test perform. The run ends after the last one, or after `duration` at the latest. Not allowed with `stages` that decrease the number of connections. Default: as many as fit into `duration`. Extension: `iterations`.
   */
  iterations?: number | string;
  /**
   * Number of iterations that each connection of a `cycling` test performs. The run ends after the last one, or after `duration` at the latest. Not allowed with `iterations`, or with `stages` that decrease the number of connections. Default: as many as fit into `duration`. Extension: `iterations`.
   */
  iterations_per_client?: number | string;
  /**
   * Minimum time between the starts of two iterations of the same connection, in a `cycling` test. A connection that is faster waits; one that is slower starts its next iteration immediately. Default: no minimum. Extension: `pace`.
   */
  pace?: number | string;
  /**
   * Start times of the clients of an open test. Random times form a Poisson process with the exact number of clients. Default: `even`. Extension: `arrivals`. `even`: clients start at even intervals. With `stages`, the intervals follow the rate. `random`: clients start at random times with the same mean rate, as independent users do.
   */
  arrivals?: 'even' | 'random';
  /**
   * If false, each request of a `cycling` test opens a new connection, which closes after the response. The requests have the header `connection: close`. Default: true. Extension: `keep_alive`.
   */
  keep_alive?: boolean | string;
  connection?: ConnectionEntry;
  /**
   * Timeout of a request, from sending it to the last byte of its response. Default: `10s`.
   */
  timeout?: number | string;
  /**
   * Percentage of failed requests at which the service aborts the run. Default: 50.
   */
  error_threshold?: number | string;
  /**
   * URL that receives a POST request (webhook) with the IDs of the test and the result when a run has ended.
   */
  callback?: string;
  /**
   * Email address that receives the results when a run has ended.
   */
  callback_email?: string;
  /**
   * Time at which the service starts the test: `2026-12-24 03:00:00` (UTC), or an RFC 3339 date and time. Requires a service that keeps running.
   */
  scheduled_at?: string;
  /**
   * Free text that the service stores with the test.
   */
  notes?: string;
  urls?: Urls;
  flows?: FlowsEntry;
  groups?: UrlGroupsEntry;
  on_start?: OnStartEntry;
  setup?: SetupEntry;
  teardown?: TeardownEntry;
  thresholds?: ThresholdsEntry;
  regression?: RegressionEntry;
  needs?: Needs;
  /**
   * Allows the test to run at the same time as other tests on the same host. Default: `false`.
   */
  parallel?: boolean | string;
  /**
   * ID of an existing test on the service, which loadtests adopts. `import` writes it.
   */
  id?: string;
  /**
   * Verifies the TLS certificates of targets. Only the embedded service can turn it off. Default: `true`.
   */
  tls_verify?: boolean | string;
}
/**
 * Groups of URLs, by name.
 */
export interface UrlGroupsEntry {
  [k: string]: UrlGroupEntry;
}
/**
 * URLs whose requests are evaluated together.
 */
export interface UrlGroupEntry {
  /**
   * Names of the URLs of the group, as written in `name` of each URL.
   *
   * @minItems 1
   */
  urls: [string, ...string[]];
  thresholds?: ThresholdsEntry;
}
/**
 * Limits on the load that a plan can start.
 */
export interface LimitsEntry {
  /**
   * Maximum number of concurrent connections to one machine. All ports of a host, and all loopback names and addresses, count together.
   */
  max_connections?: number | string;
  /**
   * Maximum time from the start of a test to the start of its last request, in all rounds of `--repeat` together: setup, `duration`, the time in which the last iterations may continue (`timeout`, and their delays in the open models), and teardown.
   */
  max_duration?: number | string;
  /**
   * Hosts that can receive load: `host[:port]`, with `*` for any characters.
   */
  hosts?: string[];
}

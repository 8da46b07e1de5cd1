/* Written by "npm run generate" from schemas/; never edited. */

/**
 * In place of `total` and `duration`: the load goes linearly from `initial` to the level of the first stage, from there to that of the next one, and so on. The level is the number of connections (`cycling`) or the rate of new clients (`per-second`). Needs a service with the extension `stages`, which the embedded one has.
 *
 * @minItems 1
 * @maxItems 100
 */
export type Stages = [StageEntry, ...StageEntry[]];
/**
 * The requests of a client, in order. A string is short for `{ url: … }`.
 *
 * @minItems 1
 */
export type Urls = [string | UrlEntry, ...(string | UrlEntry)[]];
/**
 * Any other percentile of response times, such as `p97` or `p99.99`, for a service whose results hold histograms: the embedded service and `loadtests serve` do.
 *
 * This interface was referenced by `ThresholdsEntry`'s JSON-Schema definition
 * via the `patternProperty` "^p(?!(50|75|90|95|99|99\.9)$)(0\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\.[0-9]{0,5}[1-9])?)$".
 */
export type PN = string;
/**
 * Any other percentile of response times, such as `p97`.
 *
 * This interface was referenced by `RegressionEntry`'s JSON-Schema definition
 * via the `patternProperty` "^p(?!(50|75|90|95|99|99\.9)$)(0\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\.[0-9]{0,5}[1-9])?)$".
 */
export type PN1 = string;
/**
 * Keys of tests that must end before this one starts.
 */
export type Needs = string[];

/**
 * Declares apps (target hosts) and load tests. Strings may contain `${name}` (from `vars`), `${env:NAME}`, `${env:NAME:-default}` and `${file:path}`; credentials, header values, parameters and bodies may also contain `${secret:NAME}`. They are resolved after parsing, so a value can never change the structure of the file; `$${` is a literal `${`. Keys that begin with `x-` are ignored.
 */
export interface ConfigFile {
  /**
   * Version of the file format; always `1`.
   */
  version: 1;
  /**
   * Name of the project, part of the identity of every test: 1 to 40 of `a-z`, `0-9` and `-`.
   */
  project: string;
  service?: ServiceEntry;
  web_server?: WebServerEntry;
  vars?: VarsEntry;
  /**
   * Overlays by name, selected with `--env NAME`: maps are merged, lists and scalars are replaced, and `null` removes a key.
   */
  environments?: {
    [k: string]: EnvironmentEntry;
  };
  defaults?: DefaultsEntry;
  apps?: AppsEntry;
  tests?: TestsEntry;
  /**
   * Renamed tests, from new key to old key: `{ checkout: basket }` says that `checkout` used to be called `basket`.
   */
  moved?: {
    /**
     * The previous key of the test.
     */
    [k: string]: string;
  };
  limits?: LimitsEntry;
}
/**
 * The address of the service and how to connect to it.
 */
export interface ServiceEntry {
  /**
   * Base address of the service, without `/v2`.
   */
  base_url?: string;
  /**
   * Name of the request header that carries the API key. Default: `service-auth`.
   */
  auth_header?: string;
  /**
   * Name of the environment variable that holds the API key; must begin with `LOADTESTS_`. Default: `LOADTESTS_API_KEY`. The key itself is never written in a file.
   */
  api_key_env?: string;
  /**
   * Prefix of the service's verification tokens, `<prefix>-<app_id>`. Required only for apps that were registered elsewhere.
   */
  token_prefix?: string;
  /**
   * Timeout of one request to the service, with a unit. Default: `30s`.
   */
  request_timeout?: string | number;
  /**
   * How long the service may still carry out a request that was not answered, with a unit. Default: `65s`.
   */
  settle?: string | number;
  /**
   * Allows `http:` to hosts other than loopback, which sends the API key unencrypted. Default: `false`.
   */
  allow_plain_http?: boolean | string;
}
/**
 * The command that starts the system under test.
 */
export interface WebServerEntry {
  /**
   * Command line, run with `sh` in the directory of the file. Its whole process group is terminated at the end.
   */
  command?: string;
  /**
   * URL that must respond before anything else happens.
   */
  url?: string;
  /**
   * Uses a server that already responds at `url` instead of starting one. Default: `true`, or `false` when `CI` is set.
   */
  reuse_existing?: boolean | string;
  /**
   * How long to wait for `url`, with a unit. Default: `30s`.
   */
  timeout?: string | number;
}
/**
 * Values for `${name}`.
 */
export interface VarsEntry {
  /**
   * The value of the variable.
   */
  [k: string]: string | number | boolean;
}
/**
 * What is different in this environment. Takes the same keys as the file; `null` removes what the file has there.
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
 * Default fields of all tests and, under `url`, of all URLs.
 */
export interface DefaultsEntry {
  /**
   * Display name of the test on the service. Default: its first URL.
   */
  name?: string;
  /**
   * The load model. Required, here or in `defaults`. `cycling`: the number of connections grows from `initial` to `total`, and each client repeats. `non-cycling`: `total` clients, spread evenly over the duration. `per-second`: `total` new clients every second. An extension.
   */
  test_type?: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test; an error in tests of other types. Default: 0.
   */
  initial?: number | string;
  /**
   * Connections at the end (`cycling`), clients in total (`non-cycling`), or clients per second (`per-second`). Default: 60.
   */
  total?: number | string;
  /**
   * Duration in whole seconds: a number of seconds, or a string with units (`90s`, `1m30s`).
   */
  duration?: number | string;
  stages?: Stages;
  /**
   * The first part of the duration, in whole seconds: its requests are made and counted apart, and are in none of the figures that the run is judged by. Default: none. Needs a service with the extension `warmup`, which the embedded one has.
   */
  warmup?: number | string;
  /**
   * Timeout of a request: a number of milliseconds, or a string with units. Default: `10s`.
   */
  timeout?: number | string;
  /**
   * Percentage of failed requests, 0 to 100, at which the service aborts the test. Default: 50.
   */
  error_threshold?: number | string;
  /**
   * URL that receives a POST request with the ids of the test and of the result when the test has finished.
   */
  callback?: string;
  /**
   * E-mail address that receives the results when the test has finished.
   */
  callback_email?: string;
  /**
   * When the service starts the test: `2026-12-24 03:00:00` (UTC), or an RFC 3339 date and time. Requires a service with a scheduler.
   */
  scheduled_at?: string;
  /**
   * Free text that the service stores with the test.
   */
  notes?: string;
  urls?: Urls;
  thresholds?: ThresholdsEntry;
  regression?: RegressionEntry;
  needs?: Needs;
  /**
   * Whether the test may run at the same time as other tests on the same host. Default: `false`.
   */
  parallel?: boolean | string;
  /**
   * Whether to verify the TLS certificate of the target. Embedded service only. Default: `true`.
   */
  tls_verify?: boolean | string;
  url?: UrlEntry;
}
/**
 * A stage of the load.
 */
export interface StageEntry {
  /**
   * How long the stage takes, in whole seconds: a number of seconds, or a string with units. `0s` is a step.
   */
  for: number | string;
  /**
   * The level at the end of the stage: connections, or clients per second.
   */
  to: number | string;
}
/**
 * A request of a test. `url` is required.
 */
export interface UrlEntry {
  /**
   * What the URL is called in limits and reports, such as `pay`; it is never sent. Default: its method and path.
   */
  name?: string;
  thresholds?: ThresholdsEntry;
  /**
   * The URL to request; its host must be a declared app. `{{name}}` and `%{…}` may be used after the host.
   */
  url?: string;
  /**
   * Request method. Default: `GET`. Beyond `GET` and `POST` it needs a service with the extension `methods`, which the embedded one has. `GET`: reads what is there; parameters go to the query. `POST`: sends a body, or its parameters as a form. `PUT`: replaces what is there by a body, or by its parameters as a form. `PATCH`: changes a part of what is there; a body, or parameters as a form. `DELETE`: removes what is there; it may have a body, or parameters as a form. `HEAD`: like `GET`, but the response has no body. `OPTIONS`: asks what is allowed; it may have a body, or parameters as a form.
   */
  request_type?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  credentials?: CredentialsEntry;
  /**
   * Request headers, name to value. Values may contain `${secret:NAME}`.
   */
  headers?: {
    /**
     * The value of the header.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Query parameters of `GET` and `HEAD`, form fields of the other methods. Values may contain `${secret:NAME}`.
   */
  request_params?: {
    /**
     * The value of the parameter.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Body of the request, sent as it is; not for `GET` and `HEAD`. May contain `${secret:NAME}`.
   */
  raw_post_body?: string;
  /**
   * Body of the request as a JSON value, with the header `content-type: application/json` unless there is another one; not for `GET` and `HEAD`, and not beside `raw_post_body` or `request_params`. Texts may contain `${secret:NAME}`, `{{name}}` and `%{…}`; constants, secrets and values of `{{name}}` are escaped; the last needs a service with the extension `json`, which the embedded one has: for others the plan warns. A text that is one `%{…}` and nothing else becomes a number.
   */
  json?: {
    [k: string]: unknown;
  };
  /**
   * URL of a payload file, whose rows provide values for the requests.
   */
  payload_file_url?: string;
  /**
   * Path of a file with rows of values, in the directory of this file or below it: CSV with a line of names, whose columns are variables of every pass, or the JSON of `payload_file_url`; at most 64 MiB. Needs a service with the extension `payload_file`, which the embedded one has.
   */
  payload_file?: string;
  expect?: ExpectationEntry;
  /**
   * Think time between the end of this request and the next one of the pass: a number of milliseconds, a string with units (`500ms`), or the least and the most of a time that is drawn evenly, such as `[200ms, 1s]`. In a `cycling` test also before the next pass; otherwise not after the last request. Default: none. Needs a service with the extension `delay`, which the embedded one has.
   */
  delay?: [number | string, number | string] | (number | string);
  /**
   * Values extracted from the response, for `{{name}}` in later requests.
   */
  variables?: VariableEntry[];
}
/**
 * Limits on the figures of the result: an operator (`<`, `<=`, `>`, `>=`) and a number, with `%` for rates, `ms` or `s` for times, and no unit for counts.
 */
export interface ThresholdsEntry {
  /**
   * Percentage of requests that failed: `< 1%`.
   */
  error_rate?: string;
  /**
   * Percentage of requests that succeeded: `>= 99%`.
   */
  success_rate?: string;
  /**
   * Mean response time: `< 200ms`.
   */
  avg_response_time?: string;
  /**
   * Minimum response time.
   */
  min?: string;
  /**
   * Maximum response time.
   */
  max?: string;
  /**
   * Median response time.
   */
  p50?: string;
  /**
   * 75th percentile of response times.
   */
  p75?: string;
  /**
   * 90th percentile of response times.
   */
  p90?: string;
  /**
   * 95th percentile of response times: `< 300ms`.
   */
  p95?: string;
  /**
   * 99th percentile of response times.
   */
  p99?: string;
  /**
   * 99.9th percentile of response times.
   */
  'p99.9'?: string;
  /**
   * Number of completed requests: `>= 1000`.
   */
  requests?: string;
  /**
   * Completed requests per second.
   */
  requests_per_second?: string;
  /**
   * Number of responses with a status below 400.
   */
  success?: string;
  /**
   * Number of responses with a status of 400 or above.
   */
  error?: string;
  /**
   * Number of requests that timed out.
   */
  timeout_error?: string;
  /**
   * Number of requests that failed at the network level.
   */
  network_error?: string;
  /**
   * Bytes received.
   */
  data_received?: string;
  [k: string]: PN;
}
/**
 * Credentials for HTTP Basic authentication.
 */
export interface CredentialsEntry {
  /**
   * User name; may contain `${secret:NAME}`.
   */
  login?: string;
  /**
   * Password; use `${secret:NAME}`.
   */
  password?: string;
}
/**
 * What an answer must be like to count as a success; any other counts as an error.
 */
export interface ExpectationEntry {
  /**
   * Codes and classes, such as `[201, 409]` or `[2xx]`. Default: all below 400. Where one from 300 to 399 is named, redirects of this URL are not followed.
   *
   * @minItems 1
   * @maxItems 100
   */
  status?: [number | string, ...(number | string)[]];
  /**
   * Response headers, name to value. `*` at the beginning or end of a value stands for any text; names match in any case, and of several headers of a name the first counts.
   */
  headers?: {
    /**
     * The value of the header, such as `application/json*`.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * A text that the body contains. A body of more than 1 MiB is not looked at, and an error.
   */
  body?: string;
  /**
   * What stands in the JSON of the body: a JSON pointer (RFC 6901), such as `/items/0/sku`, to a text, number, flag or null.
   */
  json?: {
    /**
     * The value that stands there.
     */
    [k: string]: string | number | boolean | null;
  };
}
/**
 * A value extracted from the response.
 */
export interface VariableEntry {
  /**
   * Name of the variable.
   */
  name: string;
  /**
   * What to read: the name of a header or of a cookie, a pointer (RFC 6901) to a value in the JSON of the body, such as `/user/token`, or a regular expression (RE2) for the body, whose first group is the value.
   */
  property: string;
  /**
   * Where to read the value from. `header`: a header of the response, by its name. `cookie`: a cookie that the response sets, by its name. `json`: a text, number or boolean in the JSON of the body, by its pointer. `body`: what the first group of a regular expression takes of the body.
   */
  source?: 'header' | 'cookie' | 'json' | 'body';
}
/**
 * How much worse each figure may be than that of the baseline: a percentage, such as `p95: 10%`.
 */
export interface RegressionEntry {
  /**
   * Mean response time.
   */
  avg_response_time?: string;
  /**
   * Minimum response time.
   */
  min?: string;
  /**
   * Maximum response time.
   */
  max?: string;
  /**
   * Median response time.
   */
  p50?: string;
  /**
   * 75th percentile of response times.
   */
  p75?: string;
  /**
   * 90th percentile of response times.
   */
  p90?: string;
  /**
   * 95th percentile of response times.
   */
  p95?: string;
  /**
   * 99th percentile of response times.
   */
  p99?: string;
  /**
   * 99.9th percentile of response times.
   */
  'p99.9'?: string;
  /**
   * Completed requests per second of a `cycling` test: it may be lower by this share.
   */
  requests_per_second?: string;
  [k: string]: PN1;
}
/**
 * Target hosts, by key.
 */
export interface AppsEntry {
  /**
   * A target host: `host[:port]`, or a map.
   */
  [k: string]: string | AppEntry;
}
/**
 * A target host and how it is verified.
 */
export interface AppEntry {
  /**
   * The host, as `host[:port]`.
   */
  app?: string;
  verification?: VerificationEntry;
}
/**
 * How the verification token is published: with one of `directory`, `command` and `manual`.
 */
export interface VerificationEntry {
  /**
   * Verification method, `http` or `dns`. Other values are passed on to the service with a warning. Default: `http`.
   */
  method?: string;
  /**
   * Directory in which `<verification_id>.txt` is created before the app is verified.
   */
  directory?: string;
  /**
   * Command line that publishes the token, run with `sh`. Its environment has `VERIFICATION_ID`, `APP_ID` and `APP`.
   */
  command?: string;
  /**
   * Prints what to publish, for you to publish it. This is the default.
   */
  manual?: boolean | string;
  /**
   * How long to keep trying to verify the app, with a unit. Default: `2m`.
   */
  wait?: string | number;
}
/**
 * Load tests, by key.
 */
export interface TestsEntry {
  [k: string]: TestEntry;
}
/**
 * A load test. `test_type`, `duration` and `urls` are required, here or in `defaults`.
 */
export interface TestEntry {
  /**
   * Display name of the test on the service. Default: its first URL.
   */
  name?: string;
  /**
   * The load model. Required, here or in `defaults`. `cycling`: the number of connections grows from `initial` to `total`, and each client repeats. `non-cycling`: `total` clients, spread evenly over the duration. `per-second`: `total` new clients every second. An extension.
   */
  test_type?: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test; an error in tests of other types. Default: 0.
   */
  initial?: number | string;
  /**
   * Connections at the end (`cycling`), clients in total (`non-cycling`), or clients per second (`per-second`). Default: 60.
   */
  total?: number | string;
  /**
   * Duration in whole seconds: a number of seconds, or a string with units (`90s`, `1m30s`).
   */
  duration?: number | string;
  stages?: Stages;
  /**
   * The first part of the duration, in whole seconds: its requests are made and counted apart, and are in none of the figures that the run is judged by. Default: none. Needs a service with the extension `warmup`, which the embedded one has.
   */
  warmup?: number | string;
  /**
   * Timeout of a request: a number of milliseconds, or a string with units. Default: `10s`.
   */
  timeout?: number | string;
  /**
   * Percentage of failed requests, 0 to 100, at which the service aborts the test. Default: 50.
   */
  error_threshold?: number | string;
  /**
   * URL that receives a POST request with the ids of the test and of the result when the test has finished.
   */
  callback?: string;
  /**
   * E-mail address that receives the results when the test has finished.
   */
  callback_email?: string;
  /**
   * When the service starts the test: `2026-12-24 03:00:00` (UTC), or an RFC 3339 date and time. Requires a service with a scheduler.
   */
  scheduled_at?: string;
  /**
   * Free text that the service stores with the test.
   */
  notes?: string;
  urls?: Urls;
  thresholds?: ThresholdsEntry;
  regression?: RegressionEntry;
  needs?: Needs;
  /**
   * Whether the test may run at the same time as other tests on the same host. Default: `false`.
   */
  parallel?: boolean | string;
  /**
   * Id of an existing test on the service to adopt; written by `import`.
   */
  id?: string;
  /**
   * Whether to verify the TLS certificate of the target. Embedded service only. Default: `true`.
   */
  tls_verify?: boolean | string;
}
/**
 * Limits on the load that a plan may start.
 */
export interface LimitsEntry {
  /**
   * Maximum number of connections to one host at a time.
   */
  max_connections?: number | string;
  /**
   * Maximum duration of a test: a number of seconds, or a string with units.
   */
  max_duration?: number | string;
  /**
   * Hosts that load may be sent to: `host[:port]`, with `*` for any part.
   */
  hosts?: string[];
}

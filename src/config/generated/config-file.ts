/* eslint-disable */
/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Requests of one pass, in order. A text is short for `{ url: … }`.
 *
 * @minItems 1
 */
export type Urls = [UrlText | UrlEntry, ...(UrlText | UrlEntry)[]];
/**
 * The URL to test.
 */
export type UrlText = string;
/**
 * Keys of tests that must have ended before this one starts.
 */
export type Needs = string[];
/**
 * `host[:port]`
 */
export type AppHost = string;

/**
 * Load tests as code: apps (target hosts) and load tests. `${name}`, `${env:NAME}`, `${env:NAME:-default}`, `${file:path}` and, where values are sent as they are, `${secret:NAME}` are filled into texts after parsing; `$${` is a literal `${`. Keys that begin with `x-` are ignored.
 */
export interface ConfigFile {
  /**
   * Version of this format: 1.
   */
  version: 1;
  /**
   * Part of every test's identity: `[a-z0-9-]`, at most 40 characters.
   */
  project: string;
  service?: ServiceEntry;
  web_server?: WebServerEntry;
  vars?: Vars;
  /**
   * Overlays by name, chosen with `--env NAME`: maps merge, lists and scalars replace.
   */
  environments?: {
    [k: string]: EnvironmentEntry;
  };
  defaults?: DefaultsEntry;
  apps?: Apps;
  tests?: Tests;
  /**
   * Renamed tests, new key to old key: `{ checkout: basket }` where the key checkout was called basket.
   */
  moved?: {
    /**
     * The key that the test had before.
     */
    [k: string]: string;
  };
  limits?: LimitsEntry;
}
/**
 * Where the service is and how it is spoken to.
 */
export interface ServiceEntry {
  /**
   * Base address, without `/v2`.
   */
  base_url?: string;
  /**
   * The service's own key header; `service-auth` when left out.
   */
  auth_header?: string;
  /**
   * Name of the environment variable that holds the key, `LOADTESTS_…`; `LOADTESTS_API_KEY` when left out. The key itself never stands in a file.
   */
  api_key_env?: string;
  /**
   * The service's own word in its verification tokens, `<prefix>-<app_id>`. Needed only for apps that were found by listing.
   */
  token_prefix?: string;
  /**
   * Time of one exchange with the service in all, with its unit; `30s` when left out.
   */
  request_timeout?: string | number;
  /**
   * How long the service may still act on a request that went unanswered, with its unit; `65s` when left out.
   */
  settle?: string | number;
  /**
   * Lets the key travel unencrypted: `http:` to anything but loopback.
   */
  allow_plain_http?: boolean | string;
}
/**
 * The command that starts the target under test.
 */
export interface WebServerEntry {
  /**
   * Command line, run through sh in the file's folder and ended as a process group.
   */
  command?: string;
  /**
   * Address that is waited for before anything else happens.
   */
  url?: string;
  /**
   * Uses what already answers at `url`. When left out: true, and false under CI.
   */
  reuse_existing?: boolean | string;
  /**
   * How long `url` is waited for, with its unit; `30s` when left out.
   */
  timeout?: string | number;
}
/**
 * Values for `${name}`.
 */
export interface Vars {
  /**
   * The value.
   */
  [k: string]: string | number | boolean;
}
/**
 * What differs in this environment.
 */
export interface EnvironmentEntry {
  service?: ServiceEntry;
  web_server?: WebServerEntry;
  vars?: Vars;
  defaults?: DefaultsEntry;
  apps?: Apps;
  tests?: Tests;
  limits?: LimitsEntry;
}
/**
 * Fields for every test, and under `url` for every URL.
 */
export interface DefaultsEntry {
  /**
   * Name on the service; the first URL when left out.
   */
  name?: string;
  /**
   * `cycling` holds connections from `initial` to `total`; `non-cycling` sends `total` clients over the duration; `per-second` (an extension) sends `total` clients each second.
   */
  test_type?: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections to start with; 0 when left out. Only for cycling tests.
   */
  initial?: number | string;
  /**
   * Connections to end with, or clients in all or each second; 60 when left out.
   */
  total?: number | string;
  /**
   * Length of the test in whole seconds: a number of seconds, or text with units (`90s`, `1m30s`).
   */
  duration?: number | string;
  /**
   * Time-out of a request: a number of milliseconds, or text with units; `10s` when left out.
   */
  timeout?: number | string;
  /**
   * Percentage of failed requests at which the service ends the test, 0 to 100; 50 when left out.
   */
  error_threshold?: number | string;
  /**
   * URL that gets a POST when the test has finished.
   */
  callback?: string;
  /**
   * Address that gets a mail when the test has finished.
   */
  callback_email?: string;
  /**
   * When the service starts the test: `2026-12-24 03:00:00` in UTC, or RFC 3339. Needs a service with a scheduler.
   */
  scheduled_at?: string;
  /**
   * Free text that the service keeps with the test.
   */
  notes?: string;
  urls?: Urls;
  thresholds?: ThresholdsEntry;
  needs?: Needs;
  /**
   * true: may run beside other tests on the same host.
   */
  parallel?: boolean | string;
  /**
   * false accepts any certificate of the target. Embedded service only.
   */
  tls_verify?: boolean | string;
  url?: UrlEntry;
}
/**
 * One request of a test. `url` is needed.
 */
export interface UrlEntry {
  /**
   * The URL to test; its host must be a declared app. `{{name}}` and `%{…}` may stand after the host.
   */
  url?: string;
  /**
   * Method of the request; GET when left out.
   */
  request_type?: 'GET' | 'POST';
  credentials?: CredentialsEntry;
  /**
   * Header name to value. Values may hold `${secret:NAME}`.
   */
  headers?: {
    /**
     * The value of the header.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Query parameters for GET, form fields for POST. Values may hold `${secret:NAME}`.
   */
  request_params?: {
    /**
     * The value of the parameter.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Body of a POST, as it is. May hold `${secret:NAME}`.
   */
  raw_post_body?: string;
  /**
   * URL of a payload file with rows of values.
   */
  payload_file_url?: string;
  /**
   * Values taken from the answer, for `{{name}}` in later requests.
   */
  variables?: VariableEntry[];
}
/**
 * HTTP Basic credentials.
 */
export interface CredentialsEntry {
  /**
   * User name; may be `${secret:NAME}`.
   */
  login?: string;
  /**
   * Password; best `${secret:NAME}`.
   */
  password?: string;
}
/**
 * A value taken from the answer.
 */
export interface VariableEntry {
  /**
   * Name of the variable.
   */
  name: string;
  /**
   * Name of the response header that is read.
   */
  property: string;
  /**
   * Where the value is taken from: `header`.
   */
  source?: 'header';
}
/**
 * Limits on figures of the result: an operator (`<`, `<=`, `>`, `>=`) and a number with `%` for rates, `ms` or `s` for times, nothing for counts.
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
   * All requests that ended: `>= 1000`.
   */
  requests?: string;
  /**
   * Requests that ended, by second.
   */
  requests_per_second?: string;
  /**
   * Requests answered with a status below 400.
   */
  success?: string;
  /**
   * Requests answered with a status of 400 or more.
   */
  error?: string;
  /**
   * Requests without an answer in time.
   */
  timeout_error?: string;
  /**
   * Requests that failed below HTTP.
   */
  network_error?: string;
  /**
   * Bytes received.
   */
  data_received?: string;
}
/**
 * Target hosts by key.
 */
export interface Apps {
  /**
   * A target host: `host[:port]`, or a map.
   */
  [k: string]: AppHost | AppEntry;
}
/**
 * A target host and how it is verified.
 */
export interface AppEntry {
  /**
   * `host[:port]`
   */
  app?: string;
  verification?: VerificationEntry;
}
/**
 * How the token gets where the service looks for it. One of directory, command and manual.
 */
export interface VerificationEntry {
  /**
   * `http` or `dns`; another word is passed on to the service with a warning.
   */
  method?: string;
  /**
   * Folder that `<verification_id>.txt` is written to before verifying.
   */
  directory?: string;
  /**
   * Command line, run through sh with VERIFICATION_ID, APP_ID and APP in its environment.
   */
  command?: string;
  /**
   * Prints what to publish; this is what happens when nothing is said.
   */
  manual?: boolean | string;
  /**
   * How long verification is tried, with its unit; `2m` when left out.
   */
  wait?: string | number;
}
/**
 * Load tests by key.
 */
export interface Tests {
  [k: string]: TestEntry;
}
/**
 * A load test. `test_type`, `duration` and `urls` are needed, here or in `defaults`.
 */
export interface TestEntry {
  /**
   * Name on the service; the first URL when left out.
   */
  name?: string;
  /**
   * `cycling` holds connections from `initial` to `total`; `non-cycling` sends `total` clients over the duration; `per-second` (an extension) sends `total` clients each second.
   */
  test_type?: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections to start with; 0 when left out. Only for cycling tests.
   */
  initial?: number | string;
  /**
   * Connections to end with, or clients in all or each second; 60 when left out.
   */
  total?: number | string;
  /**
   * Length of the test in whole seconds: a number of seconds, or text with units (`90s`, `1m30s`).
   */
  duration?: number | string;
  /**
   * Time-out of a request: a number of milliseconds, or text with units; `10s` when left out.
   */
  timeout?: number | string;
  /**
   * Percentage of failed requests at which the service ends the test, 0 to 100; 50 when left out.
   */
  error_threshold?: number | string;
  /**
   * URL that gets a POST when the test has finished.
   */
  callback?: string;
  /**
   * Address that gets a mail when the test has finished.
   */
  callback_email?: string;
  /**
   * When the service starts the test: `2026-12-24 03:00:00` in UTC, or RFC 3339. Needs a service with a scheduler.
   */
  scheduled_at?: string;
  /**
   * Free text that the service keeps with the test.
   */
  notes?: string;
  urls?: Urls;
  thresholds?: ThresholdsEntry;
  needs?: Needs;
  /**
   * true: may run beside other tests on the same host.
   */
  parallel?: boolean | string;
  /**
   * Adopts this existing test of the service; written by `import`.
   */
  id?: string;
  /**
   * false accepts any certificate of the target. Embedded service only.
   */
  tls_verify?: boolean | string;
}
/**
 * Bounds of the load that one plan may start.
 */
export interface LimitsEntry {
  /**
   * Most connections on one host at a time.
   */
  max_connections?: number | string;
  /**
   * Longest test: a number of seconds, or text with units.
   */
  max_duration?: number | string;
  /**
   * Hosts that may get load: `host[:port]`, with `*` for any part.
   */
  hosts?: string[];
}

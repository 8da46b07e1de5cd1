/* Written by "npm run generate" from schemas/; never edited. */
import type { Json } from '../../canonical.ts';

/**
 * The JSON output of a command: a document, or lines.
 */
export type JsonOutput = Report | ServeEvent | StatusEvent | WorkerEvent;
/**
 * The document of a command.
 */
export type Report = CommandDocument | Failure;
/**
 * The document of a command that had something to report.
 */
export type CommandDocument =
  | AppliesDocument
  | ApplyDocument
  | BackupDocument
  | BaselineDocument
  | CompletionDocument
  | DestroyDocument
  | ExplainDocument
  | ImportDocument
  | ConvertedDocument
  | InitDocument
  | OpenDocument
  | PlanDocument
  | PlansDocument
  | RecoverDocument
  | ResultsDocument
  | RunDocument
  | OnceDocument
  | SchemaDocument
  | StatusDocument
  | StopDocument
  | ValidationsDocument
  | ValidateDocument
  | VerifyDocument;
/**
 * Exit code of the process.
 */
export type ExitCode = number;
/**
 * Errors and warnings, in the order in which they were found.
 */
export type Problems = readonly Problem[];
/**
 * Fields that differ between the file and the service.
 */
export type Changes = readonly FieldChange[];
/**
 * State of a test, in the same terms for all services; `unspecified` if the service returns no status.
 */
export type TestState = 'running' | 'scheduled' | 'ended' | 'unspecified';
/**
 * Verdict on all thresholds together; `none` if there is no verdict.
 */
export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';
/**
 * Fields of an unchanged or started test whose secrets could not be compared, as JSON Pointers. Either the service does not return these secrets, or they are not set.
 */
export type NotCompared = readonly string[];
/**
 * Confirmed outcome of an action; `not_attempted` if the action was not started.
 */
export type Outcome = 'done' | 'failed' | 'not_attempted' | 'unknown';
/**
 * Thresholds, each with its value and verdict.
 */
export type Thresholds = readonly EvaluatedThreshold[];
/**
 * Names of the URLs in the file, in order; null for a URL without a name. Absent if no URL has a name.
 */
export type UrlNames = (string | null)[];
/**
 * Groups of URLs in the file, with the metrics of their requests. Absent if the test has no groups.
 */
export type UrlGroups = readonly UrlGroup[];
/**
 * Violated expectation of the test; null if the response meets all expectations.
 */
export type Unexpected = {
  /**
   * Expectation that the response violates.
   */
  readonly error: string;
  /**
   * Actual value, with credentials masked; null if the response has no such value.
   */
  readonly actual: string | null;
} | null;
/**
 * Apps of the file; without a file, all apps of the account.
 */
export type Apps = readonly AppStatus[];
/**
 * Progress of the run; null if no run is in progress, or if the service does not return it.
 */
export type AnyProgress = Progress | null;
/**
 * Tests of the file.
 */
export type Tests = readonly DeclaredStatus[];
/**
 * Tests of the project whose key was removed from the file.
 */
export type Orphaned = readonly OrphanedStatus[];
/**
 * Only without a file: all tests of the account.
 */
export type UnmanagedTests = readonly UnmanagedStatus[];
/**
 * Workers that generate the load of the service. Absent if there are none.
 */
export type Workers = readonly WorkerStatus[];

/**
 * The plans of several configuration files that were applied together.
 */
export interface AppliesDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'apply';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  readonly load: Load;
  /**
   * Maximum number of files whose tests run at the same time, from --parallel-projects.
   */
  readonly parallel_projects: number;
  /**
   * The files in the order of the command.
   */
  readonly projects: readonly ApplyOfFile[];
}
export interface Problem {
  /**
   * Problem code. "loadtests explain CODE" prints its cause and fix.
   */
  readonly code: string;
  /**
   * Severity of the problem. A warning does not stop the command.
   */
  readonly severity: 'error' | 'warning';
  /**
   * Description of the problem, in one sentence.
   */
  readonly message: string;
  /**
   * File that contains the problem; null if the problem is not in a file.
   */
  readonly file: string | null;
  /**
   * Line in the file, counted from 1; null if unknown.
   */
  readonly line: number | null;
  /**
   * Column in the line, counted from 1; null if unknown.
   */
  readonly column: number | null;
  /**
   * Recommended action; null if there is none.
   */
  readonly hint: string | null;
  /**
   * Path of the documentation of the code, in the package.
   */
  readonly docs: string;
}
/**
 * Commit that was checked, and the time. Only in documents of validate, plan, apply and run in a CI job, and of plans that were saved.
 */
export interface Origin {
  /**
   * Time when the document was created (RFC 3339).
   */
  readonly created_at: string;
  /**
   * Commit that was checked; for a pull request, its head. Absent if it is unknown.
   */
  readonly commit?: string;
  /**
   * Address of the files of the commit on GitHub or GitLab, to which a path is added. Absent if it is unknown.
   */
  readonly files_url?: string;
  /**
   * Command that applies exactly this plan. Absent if the plan was not saved.
   */
  readonly apply_command?: string;
}
/**
 * The load of several tests.
 */
export interface Load {
  /**
   * Number of runs that start.
   */
  readonly starts: number;
  /**
   * Maximum number of concurrent connections, by host.
   */
  readonly peak_connections: {
    readonly [k: string]: number;
  };
  /**
   * Machines that have several of the hosts. `limits.max_connections` applies to these hosts together. Absent if there are none.
   */
  readonly shared_machines?: {
    /**
     * Hosts on the machine.
     */
    readonly hosts: readonly string[];
    /**
     * Maximum number of concurrent connections to all these hosts together.
     */
    readonly connections: number;
  }[];
  /**
   * Number of requests, if every client completes its iteration; the maximum if conditions can skip requests. Absent if it depends on the response times of a `cycling` test.
   */
  readonly requests?: number;
  /**
   * True if `requests` is a maximum, because conditions or lists can skip requests. Absent if it is exact.
   */
  readonly requests_vary?: true;
  /**
   * Number of requests before the load, without redirects. Absent if there are none.
   */
  readonly setup_requests?: number;
  /**
   * True if the numbers of requests before and after the load are maxima, because conditions or lists can skip requests. Absent if they are exact.
   */
  readonly phase_requests_vary?: true;
  /**
   * Maximum number of requests of connections before their first iteration, without redirects. They are not part of `requests`. Absent if there are none.
   */
  readonly on_start_requests?: number;
  /**
   * Number of requests after the load, without redirects. Absent if there are none.
   */
  readonly teardown_requests?: number;
  /**
   * Maximum time from the first start to the start of the last request, in seconds. Includes setup, teardown, and iterations that continue after the duration of a test, but not the wait for the last responses.
   */
  readonly seconds: number;
  /**
   * True if `seconds` is a maximum, because a test ends after its last iteration or waits for iterations that continue after its duration. Absent otherwise.
   */
  readonly seconds_vary?: true;
  /**
   * Maximum number of tests that run at the same time, if each test lasts as long as planned; 1 if they run one after another.
   */
  readonly concurrent_tests: number;
  /**
   * Number of rounds with --repeat: each test starts once per round. The other values cover all rounds. Absent without --repeat.
   */
  readonly rounds?: number;
}
/**
 * A configuration file, and its document.
 */
export interface ApplyOfFile {
  /**
   * Path of the configuration file.
   */
  readonly file: string;
  /**
   * Document of the file. A file that is not valid has only the members of every document.
   */
  readonly report: ApplyDocument | Failure;
}
/**
 * A plan that was applied, or refused before any action was started.
 */
export interface ApplyDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'apply';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * True if the plan contains changes.
   */
  readonly has_changes: boolean;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service: string;
  readonly summary: Summary;
  /**
   * Actions of the plan, each with its outcome.
   */
  readonly actions: readonly DoneAction[];
  /**
   * Tests whose fields were changed on the service.
   */
  readonly drift: readonly Drift[];
  readonly load: Load;
  /**
   * Digest of the actions, which shows whether a saved plan still applies.
   */
  readonly basis: string;
  /**
   * Runs that the command waited for or evaluated.
   */
  readonly runs: readonly Run[];
  /**
   * Tests that must be pinned by ID in the file.
   */
  readonly pins: readonly Pin[];
}
/**
 * Numbers of actions by verb, and numbers of tests that the plan does not change.
 */
export interface Summary {
  /**
   * Number of apps to register.
   */
  readonly register: number;
  /**
   * Number of apps to verify.
   */
  readonly verify: number;
  /**
   * Number of tests to create.
   */
  readonly create: number;
  /**
   * Number of tests to create in place of an earlier version.
   */
  readonly replace: number;
  /**
   * Number of existing tests to run again.
   */
  readonly run: number;
  /**
   * Number of tests to stop.
   */
  readonly stop: number;
  /**
   * Number of actions that cannot be executed yet.
   */
  readonly blocked: number;
  /**
   * Number of actions that --no-run defers.
   */
  readonly deferred: number;
  /**
   * Number of unchanged tests.
   */
  readonly unchanged: number;
  /**
   * Number of earlier versions and duplicates of tests in the file.
   */
  readonly superseded: number;
  /**
   * Number of tests of this project whose key was removed from the file.
   */
  readonly orphaned: number;
  /**
   * Number of tests that the file does not manage.
   */
  readonly unmanaged: number;
  /**
   * Number of tests whose fields were changed on the service.
   */
  readonly drift: number;
}
/**
 * One action of a plan, with its outcome.
 */
export interface DoneAction {
  /**
   * Type of the action; `no-op` means no change.
   */
  readonly verb:
    | 'register'
    | 'verify'
    | 'create'
    | 'replace'
    | 'run'
    | 'stop'
    | 'blocked'
    | 'deferred'
    | 'no-op';
  /**
   * Address of the app or test: app.KEY or test.KEY.
   */
  readonly address: string;
  /**
   * ID of the app or test on the service; null if it does not exist yet.
   */
  readonly id: string | null;
  /**
   * Same as `id` if the action applies to a test; null for an app, and if the test does not exist yet.
   */
  readonly test_id: string | null;
  /**
   * True if the action starts load.
   */
  readonly starts_load: boolean;
  readonly changes: Changes;
  /**
   * Explanation of the action, for people; null if there is none.
   */
  readonly note: string | null;
  /**
   * Host of the app; null for a test.
   */
  readonly host: string | null;
  /**
   * Verification of the app; null if the action is not `verify`.
   */
  readonly verification: Verification | null;
  /**
   * Load of the test; null if the action is not `create`, `replace` or `run`.
   */
  readonly load: TestLoad | null;
  readonly load_before?: LoadBefore;
  /**
   * Scheduled start of a created test (RFC 3339); null if it starts immediately, and for other actions.
   */
  readonly scheduled_at: string | null;
  /**
   * State of an unchanged test; null for every other action.
   */
  readonly state: TestState | null;
  /**
   * Verdict on the last run of an unchanged test; null if the service returns no results, and for every other action.
   */
  readonly verdict: Verdict | null;
  readonly not_compared: NotCompared;
  readonly source: Source;
  /**
   * ID of the result of the run that was started; null if no run was started.
   */
  readonly result_id: string | null;
  readonly outcome: Outcome;
}
export interface FieldChange {
  /**
   * Changed field, as a JSON Pointer with the field names of the API. If a URL was removed, the pointer refers to the list of URLs on the service.
   */
  readonly field: string;
  /**
   * Actual value; null if there is none, or if it is the default. If the field can contain secrets, the value shows only its length: ‹11 characters›.
   */
  readonly from: Json;
  /**
   * Declared value.
   */
  readonly to: Json;
  /**
   * False if the service does not return this field. The value of the last apply is compared instead.
   */
  readonly readable: boolean;
  /**
   * True if only the values of secrets in the string have changed.
   */
  readonly rotated?: true;
}
/**
 * Verification of an app.
 */
export interface Verification {
  /**
   * Verification method: "http", "dns", or another method of the service.
   */
  readonly method: string;
  /**
   * Publication of the verification token: to a directory, with a command, or manually.
   */
  readonly publish: 'directory' | 'command' | 'manual';
  /**
   * Directory in which the verification file is created; null for other types of publication.
   */
  readonly directory: string | null;
  /**
   * Command that publishes the token; null for other types of publication.
   */
  readonly command: string | null;
}
/**
 * The load of one test.
 */
export interface TestLoad {
  /**
   * Load model of the test.
   */
  readonly test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test. With stages, the level at the start.
   */
  readonly initial: number;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). With stages, the highest level.
   */
  readonly total: number;
  /**
   * Total number of clients; null for `cycling`, whose clients repeat their iterations.
   */
  readonly clients: number | null;
  /**
   * Number of requests, if every client completes its iteration. Absent for `cycling`, whose number of requests depends on the response times.
   */
  readonly requests?: number;
  /**
   * Number of rows of a payload file with `order: once` after which the run ends. Absent if the run does not use all rows.
   */
  readonly row_limit?: number;
  /**
   * Thresholds with `abort_after`, whose failure ends the run early. Absent if there are none.
   */
  readonly abort_rules?: readonly LoadAbortRule[];
  /**
   * Number of requests before the load, without redirects. Absent if there are none.
   */
  readonly setup_requests?: number;
  /**
   * True if the numbers of requests before and after the load are maxima, because conditions or lists can skip requests. Absent if they are exact.
   */
  readonly phase_requests_vary?: true;
  /**
   * Maximum number of requests of connections before their first iteration, without redirects. They are not part of `requests`. Absent if there are none.
   */
  readonly on_start_requests?: number;
  /**
   * Number of requests after the load, without redirects. Absent if there are none.
   */
  readonly teardown_requests?: number;
  /**
   * Stages of the load profile; null if the test has none.
   */
  readonly stages: readonly LoadStage[] | null;
  /**
   * Flows of the test, in the order of the file. Absent if it has none.
   */
  readonly flows?: readonly LoadFlow[];
  /**
   * Maximum number of requests of one iteration. Absent if the test has no groups.
   */
  readonly requests_per_iteration?: number;
  /**
   * Minimum number of requests of one iteration in which no request fails. Absent if all iterations have the same number of requests.
   */
  readonly min_requests_per_iteration?: number;
  /**
   * Duration of the warm-up in seconds, which the metrics exclude; null if there is none.
   */
  readonly warmup: number | null;
  /**
   * Maximum number of concurrent connections.
   */
  readonly connections: number;
  /**
   * Maximum number of concurrent connections of one client to one host, which is the number of requests of its largest parallel group. Absent if clients send one request at a time.
   */
  readonly connections_per_client?: number;
  /**
   * Number of iterations after which a `cycling` test ends. Absent if only its duration limits it, and in the open models.
   */
  readonly iterations?: number;
  /**
   * `random` if the clients of an open test start at random times. Absent if they start at even intervals.
   */
  readonly arrivals?: 'random';
  /**
   * Minimum time between the starts of two iterations of a connection, in ms. Absent if there is none.
   */
  readonly pace_ms?: number;
  /**
   * Maximum number of connections to each host, which all clients share. Absent if each client opens its own.
   */
  readonly pool?: number;
  /**
   * False if each request opens a new connection. Absent otherwise.
   */
  readonly keep_alive?: false;
  /**
   * Duration of the load in seconds.
   */
  readonly seconds: number;
  /**
   * Maximum time of the setup and the teardown, in seconds. Absent if there are none.
   */
  readonly phase_seconds?: number;
  /**
   * Maximum time after the duration in which iterations in progress begin further requests, in seconds: `timeout`, and their delays in the open models. Absent if iterations have only one request.
   */
  readonly drain_seconds?: number;
  /**
   * Hosts that receive the load.
   */
  readonly hosts: readonly string[];
  /**
   * Files that are request bodies or parts of them. Absent if there are none.
   */
  readonly body_files?: readonly LoadFile[];
  /**
   * Payload files of the test. Absent if it has none.
   */
  readonly payload_files?: readonly LoadRows[];
}
export interface LoadAbortRule {
  /**
   * Metric of the threshold.
   */
  readonly metric: string;
  /**
   * Condition of the threshold, as in the file.
   */
  readonly limit: string;
  /**
   * `abort_after`: seconds of the load, without the warm-up, before which the run does not end.
   */
  readonly after_seconds: number;
  /**
   * URL of the threshold.
   */
  readonly url?: string;
  /**
   * Flow of the threshold.
   */
  readonly flow?: string;
  /**
   * Group of URLs of the threshold.
   */
  readonly group?: string;
}
export interface LoadStage {
  /**
   * Duration of the stage in seconds.
   */
  readonly seconds: number;
  /**
   * Level at the end of the stage: connections, or clients per second.
   */
  readonly to: number;
}
export interface LoadFlow {
  /**
   * Name of the flow.
   */
  readonly name: string;
  /**
   * Weight of the flow.
   */
  readonly weight: number;
  /**
   * Exact number of clients that perform the flow; null for `cycling`.
   */
  readonly clients: number | null;
  /**
   * Maximum number of requests per iteration of the flow.
   */
  readonly requests: number;
}
export interface LoadFile {
  /**
   * Path of the file, as written in the configuration file.
   */
  readonly path: string;
  /**
   * SHA-256 of the content of the file, in hex.
   */
  readonly sha256: string;
  /**
   * Size of the file in bytes.
   */
  readonly bytes: number;
}
export interface LoadRows {
  /**
   * Path of the payload file, as written in the configuration file.
   */
  readonly path: string;
  /**
   * SHA-256 of the content of the payload file, in hex.
   */
  readonly sha256: string;
  /**
   * Total number of rows of all lists in the payload file.
   */
  readonly rows: number;
  /**
   * Total number of columns of all lists in the payload file.
   */
  readonly columns: number;
}
/**
 * Load of the test that a `replace` action supersedes. Absent for other actions, and if it is unknown.
 */
export interface LoadBefore {
  /**
   * Load model of the test.
   */
  readonly test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test. With stages, the level at the start.
   */
  readonly initial: number;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). With stages, the highest level.
   */
  readonly total: number;
  /**
   * Total number of clients; null for `cycling`, whose clients repeat their iterations.
   */
  readonly clients: number | null;
  /**
   * Number of requests, if every client completes its iteration. Absent for `cycling`, whose number of requests depends on the response times.
   */
  readonly requests?: number;
  /**
   * Number of rows of a payload file with `order: once` after which the run ends. Absent if the run does not use all rows.
   */
  readonly row_limit?: number;
  /**
   * Thresholds with `abort_after`, whose failure ends the run early. Absent if there are none.
   */
  readonly abort_rules?: readonly LoadAbortRule[];
  /**
   * Number of requests before the load, without redirects. Absent if there are none.
   */
  readonly setup_requests?: number;
  /**
   * True if the numbers of requests before and after the load are maxima, because conditions or lists can skip requests. Absent if they are exact.
   */
  readonly phase_requests_vary?: true;
  /**
   * Maximum number of requests of connections before their first iteration, without redirects. They are not part of `requests`. Absent if there are none.
   */
  readonly on_start_requests?: number;
  /**
   * Number of requests after the load, without redirects. Absent if there are none.
   */
  readonly teardown_requests?: number;
  /**
   * Stages of the load profile; null if the test has none.
   */
  readonly stages: readonly LoadStage[] | null;
  /**
   * Flows of the test, in the order of the file. Absent if it has none.
   */
  readonly flows?: readonly LoadFlow[];
  /**
   * Maximum number of requests of one iteration. Absent if the test has no groups.
   */
  readonly requests_per_iteration?: number;
  /**
   * Minimum number of requests of one iteration in which no request fails. Absent if all iterations have the same number of requests.
   */
  readonly min_requests_per_iteration?: number;
  /**
   * Duration of the warm-up in seconds, which the metrics exclude; null if there is none.
   */
  readonly warmup: number | null;
  /**
   * Maximum number of concurrent connections.
   */
  readonly connections: number;
  /**
   * Maximum number of concurrent connections of one client to one host, which is the number of requests of its largest parallel group. Absent if clients send one request at a time.
   */
  readonly connections_per_client?: number;
  /**
   * Number of iterations after which a `cycling` test ends. Absent if only its duration limits it, and in the open models.
   */
  readonly iterations?: number;
  /**
   * `random` if the clients of an open test start at random times. Absent if they start at even intervals.
   */
  readonly arrivals?: 'random';
  /**
   * Minimum time between the starts of two iterations of a connection, in ms. Absent if there is none.
   */
  readonly pace_ms?: number;
  /**
   * Maximum number of connections to each host, which all clients share. Absent if each client opens its own.
   */
  readonly pool?: number;
  /**
   * False if each request opens a new connection. Absent otherwise.
   */
  readonly keep_alive?: false;
  /**
   * Duration of the load in seconds.
   */
  readonly seconds: number;
  /**
   * Maximum time of the setup and the teardown, in seconds. Absent if there are none.
   */
  readonly phase_seconds?: number;
  /**
   * Maximum time after the duration in which iterations in progress begin further requests, in seconds: `timeout`, and their delays in the open models. Absent if iterations have only one request.
   */
  readonly drain_seconds?: number;
  /**
   * Hosts that receive the load.
   */
  readonly hosts: readonly string[];
  /**
   * Files that are request bodies or parts of them. Absent if there are none.
   */
  readonly body_files?: readonly LoadFile[];
  /**
   * Payload files of the test. Absent if it has none.
   */
  readonly payload_files?: readonly LoadRows[];
}
/**
 * Location in the configuration file; empty if there is none.
 */
export interface Source {
  /**
   * Path of the configuration file.
   */
  readonly file?: string;
  /**
   * Line in the file, counted from 1.
   */
  readonly line?: number;
  /**
   * Column in the line, counted from 1.
   */
  readonly column?: number;
}
/**
 * A test whose fields were changed on the service.
 */
export interface Drift {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the test on the service.
   */
  readonly id: string;
  /**
   * Same as `id`.
   */
  readonly test_id: string;
  readonly changes: Changes;
}
/**
 * A run that the command waited for or evaluated.
 */
export interface Run {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * ID of the result on the service; null if unknown.
   */
  readonly result_id: string | null;
  /**
   * Start of the run (RFC 3339); null if the service does not return it.
   */
  readonly started_at: string | null;
  /**
   * Last status of the test as returned by the service; null if unknown.
   */
  readonly status: string | null;
  /**
   * State of the run. A run has a verdict after it has ended.
   */
  readonly state: 'running' | 'ended';
  /**
   * True if this command started the run.
   */
  readonly started_by_us: boolean;
  /**
   * Round to which the run belongs, with --repeat. Absent without --repeat.
   */
  readonly round?: number;
  readonly verdict: Verdict;
  /**
   * Reason for the verdict, in words, if the thresholds do not show it; null otherwise.
   */
  readonly reason: string | null;
  readonly thresholds: Thresholds;
  /**
   * Metrics of the run; null until the result is ready.
   */
  readonly metrics: Metrics | null;
  /**
   * Result as returned by the service; null if there is none.
   */
  readonly result: ServiceRecord | null;
  readonly url_names?: UrlNames;
  readonly url_groups?: UrlGroups;
  readonly load?: TestLoad;
  readonly source?: Source;
}
export interface EvaluatedThreshold {
  /**
   * Name of the metric.
   */
  readonly metric: string;
  /**
   * Name of the URL, or its method and path, for a threshold on one URL. Absent for thresholds on the whole run.
   */
  readonly url?: string;
  /**
   * Name of the flow, for a threshold on one flow. Absent for other thresholds.
   */
  readonly flow?: string;
  /**
   * Name of the group of URLs, for a threshold on one group. Absent for other thresholds.
   */
  readonly group?: string;
  /**
   * Threshold, as written in the file. For a regression threshold, a description in words.
   */
  readonly limit: string;
  /**
   * Declared minimum number of responses for a verdict. Absent for the default of the metric.
   */
  readonly min_samples?: number;
  /**
   * Value in the unit of the metric; null if the result does not have the metric.
   */
  readonly value: number | null;
  /**
   * Bounds of the metric without the delays of the load generator. Absent if the result has no bounds; only the value is evaluated then.
   */
  readonly bounds?: {
    /**
     * Lower bound, in the unit of the metric.
     */
    readonly low: number;
    /**
     * Upper bound, in the unit of the metric; null if unknown.
     */
    readonly high: number | null;
  };
  /**
   * Verdict on this threshold.
   */
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /**
   * Reason why the threshold is inconclusive. Absent if the value shows it.
   */
  readonly reason?: string;
  readonly regression?: AgainstBaseline;
  readonly source?: Source;
}
/**
 * Comparison with the baseline, for a regression threshold. All shares are percentages.
 */
export interface AgainstBaseline {
  /**
   * Difference from the baseline in percent: positive if the metric is worse, negative if it is better.
   */
  readonly worse_by: number;
  /**
   * Maximum permitted worsening, in percent.
   */
  readonly allowed: number;
  /**
   * Mean of the baseline, in the unit of the metric.
   */
  readonly baseline: number;
  /**
   * Number of new runs.
   */
  readonly runs: number;
  /**
   * Number of runs in the baseline.
   */
  readonly baseline_runs: number;
  /**
   * Standard deviation between runs, in percent; null if there are too few runs.
   */
  readonly standard_deviation: number | null;
}
/**
 * Metrics of a result, named as in thresholds: times in ms, rates in percent. Metrics that the service does not return are absent.
 */
export interface Metrics {
  /**
   * Error rate in percent: failed and omitted requests as a share of all finished and omitted requests.
   */
  readonly error_rate?: number;
  /**
   * Success rate in percent: 100 minus the error rate.
   */
  readonly success_rate?: number;
  /**
   * Share in percent of the finished and omitted requests without a response or with a status of 400 or above, regardless of expectations.
   */
  readonly http_error_rate?: number;
  /**
   * Mean response time in ms.
   */
  readonly avg_response_time?: number;
  /**
   * Shortest response time in ms.
   */
  readonly min?: number;
  /**
   * Longest response time in ms.
   */
  readonly max?: number;
  /**
   * 50th percentile (median) of the response time in ms.
   */
  readonly p50?: number;
  /**
   * 75th percentile of the response time in ms.
   */
  readonly p75?: number;
  /**
   * 90th percentile of the response time in ms.
   */
  readonly p90?: number;
  /**
   * 95th percentile of the response time in ms.
   */
  readonly p95?: number;
  /**
   * 99th percentile of the response time in ms.
   */
  readonly p99?: number;
  /**
   * 99.9th percentile of the response time in ms.
   */
  readonly 'p99.9'?: number;
  /**
   * Number of finished requests: the sum of `success`, `error`, `timeout_error` and `network_error`.
   */
  readonly requests?: number;
  /**
   * Finished requests per second of load.
   */
  readonly requests_per_second?: number;
  /**
   * Number of successful responses.
   */
  readonly success?: number;
  /**
   * Number of complete responses that are not successful, such as those with a status of 400 or above.
   */
  readonly error?: number;
  /**
   * Number of requests that did not finish within the timeout.
   */
  readonly timeout_error?: number;
  /**
   * Number of requests that failed in transport.
   */
  readonly network_error?: number;
  /**
   * Bytes received, including headers.
   */
  readonly data_received?: number;
  /**
   * Number of completed iterations. Absent, like the durations of iterations, if each iteration is one request.
   */
  readonly iterations?: number;
  /**
   * Share in percent of the completed and failed iterations in which at least one request failed.
   */
  readonly iteration_error_rate?: number;
  /**
   * Mean of the durations of completed iterations in ms.
   */
  readonly iteration_mean?: number;
  /**
   * Maximum of the durations of completed iterations in ms.
   */
  readonly iteration_max?: number;
  /**
   * 50th percentile (median) of the durations of completed iterations in ms.
   */
  readonly iteration_p50?: number;
  /**
   * 75th percentile of the durations of completed iterations in ms.
   */
  readonly iteration_p75?: number;
  /**
   * 90th percentile of the durations of completed iterations in ms.
   */
  readonly iteration_p90?: number;
  /**
   * 95th percentile of the durations of completed iterations in ms.
   */
  readonly iteration_p95?: number;
  /**
   * 99th percentile of the durations of completed iterations in ms.
   */
  readonly iteration_p99?: number;
  /**
   * 99.9th percentile of the durations of completed iterations in ms.
   */
  readonly 'iteration_p99.9'?: number;
}
/**
 * A record of the service, exactly as received.
 */
export interface ServiceRecord {
  readonly [k: string]: Json;
}
export interface UrlGroup {
  /**
   * Name of the group.
   */
  readonly name: string;
  /**
   * Indexes of the URLs, from 0.
   */
  readonly urls: readonly number[];
  /**
   * Metrics of the group; null if the result does not have metrics of its URLs.
   */
  readonly metrics: Metrics | null;
}
/**
 * A test whose ownership marker the service does not store. Its entry in the file needs this ID.
 */
export interface Pin {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
}
/**
 * Members of every document. A command that ended before it had a result prints only these members.
 */
export interface Failure {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: string;
  /**
   * Exit code of the process.
   */
  readonly exit_code: number;
  readonly problems: Problems;
  readonly origin?: Origin;
}
/**
 * A copy of the data of a service.
 */
export interface BackupDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'backup';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Directory that contains the copy.
   */
  readonly directory: string;
  /**
   * Names of the files in the directory.
   */
  readonly files: readonly string[];
}
/**
 * Files with past runs of tests.
 */
export interface BaselineDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'baseline';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Baseline files that were written.
   */
  readonly baselines: readonly WrittenBaseline[];
}
/**
 * The baseline of one test.
 */
export interface WrittenBaseline {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * Path of the baseline file, relative to the directory of the configuration file.
   */
  readonly file: string;
  /**
   * Number of runs in the baseline.
   */
  readonly runs: number;
}
/**
 * A completion script.
 */
export interface CompletionDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'completion';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Shell for which the script was created.
   */
  readonly shell: 'bash' | 'zsh' | 'fish';
  /**
   * Text of the completion script.
   */
  readonly script: string;
}
/**
 * Deletion of apps, with their tests.
 */
export interface DestroyDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'destroy';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Project of the configuration file.
   */
  readonly project: string;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service: string;
  /**
   * Apps to delete, each with its outcome.
   */
  readonly apps: readonly AppDeletion[];
}
/**
 * The deletion of an app, with the tests that are deleted with it.
 */
export interface AppDeletion {
  /**
   * Address of the app: app.KEY.
   */
  readonly address: string;
  /**
   * Host of the app.
   */
  readonly host: string;
  /**
   * ID of the app on the service.
   */
  readonly app_id: string;
  /**
   * Outcome of the deletion.
   */
  readonly outcome: 'done' | 'failed' | 'not_attempted';
  /**
   * Tests of the app.
   */
  readonly tests: readonly TestDeletion[];
}
/**
 * The deletion of a test with its app.
 */
export interface TestDeletion {
  /**
   * Address of the test: test.KEY; null if the test is not from this file.
   */
  readonly address: string | null;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Name of the test; null if unset.
   */
  readonly name: string | null;
  readonly state: TestState;
  /**
   * Number of results of the test; null if the service does not return it.
   */
  readonly results: number | null;
}
/**
 * A problem code.
 */
export interface ExplainDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'explain';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Problem code.
   */
  readonly code: string;
  /**
   * Noun phrase that names the problem.
   */
  readonly title: string;
  /**
   * Cause of the problem.
   */
  readonly cause: string;
  /**
   * Action that resolves the problem.
   */
  readonly fix: string;
  /**
   * Exit code of a command that ends with the problem.
   */
  readonly exits_with: number;
}
/**
 * A configuration file that was created from a service.
 */
export interface ImportDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'import';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Project of the configuration file.
   */
  readonly project: string;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Path of the written file (-o); null without -o.
   */
  readonly file: string | null;
  /**
   * Text of the file; null with -o.
   */
  readonly text: string | null;
  /**
   * Hosts of the apps in the file.
   */
  readonly apps: readonly string[];
  /**
   * Tests in the file.
   */
  readonly tests: readonly ImportedTest[];
  /**
   * Apps and tests that the file omits.
   */
  readonly omitted: readonly OmittedEntry[];
  /**
   * Names of the environment variables that the file needs.
   */
  readonly secrets: readonly string[];
}
/**
 * A test in the file.
 */
export interface ImportedTest {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Reason why the test is pinned by ID; null if it is not pinned.
   */
  readonly pinned: string | null;
  /**
   * IDs of earlier versions of the test.
   */
  readonly earlier: readonly string[];
}
/**
 * An app or test that the file omits.
 */
export interface OmittedEntry {
  /**
   * ID of the app or test on the service.
   */
  readonly id: string;
  /**
   * Name of the app or test.
   */
  readonly name: string;
  /**
   * Reason for the omission, for people.
   */
  readonly reason: string;
}
/**
 * A configuration file that was converted from the format of another tool (--from).
 */
export interface ConvertedDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'import';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Format of the source (--from).
   */
  readonly format: string;
  /**
   * Path of the source.
   */
  readonly source: string;
  /**
   * Project of the configuration file.
   */
  readonly project: string;
  /**
   * Path of the written file (-o or --into); null for stdout.
   */
  readonly file: string | null;
  /**
   * Text of the file; null with -o or --into.
   */
  readonly text: string | null;
  /**
   * Hosts of the apps that were added to the file.
   */
  readonly apps: readonly string[];
  /**
   * Addresses of the tests that were added to the file: test.KEY.
   */
  readonly tests: readonly string[];
  /**
   * Number of requests of the tests.
   */
  readonly requests: number;
  /**
   * Parts of the source that the file expresses differently.
   */
  readonly changes: readonly ConversionNote[];
  /**
   * Parts of the source that the file does not contain. If there are any, the exit code is 7.
   */
  readonly losses: readonly ConversionNote[];
  /**
   * Names of the environment variables that the file needs.
   */
  readonly secrets: readonly string[];
}
/**
 * A part of the source that the file does not contain, or expresses differently.
 */
export interface ConversionNote {
  /**
   * Path of the source.
   */
  readonly file: string;
  /**
   * Line in the source, from 1.
   */
  readonly line: number;
  /**
   * Column in the source, from 1.
   */
  readonly column: number;
  /**
   * Description for people.
   */
  readonly message: string;
}
/**
 * A starter file that was written.
 */
export interface InitDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'init';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Path of the configuration file.
   */
  readonly file: string;
}
/**
 * A link to the web UI of a service.
 */
export interface OpenDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'open';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Link to the web UI. It can be used once, by any person who has it.
   */
  readonly web_ui: string;
  /**
   * Time when the link expires (RFC 3339, UTC); null if the service does not return it.
   */
  readonly expires_at: string | null;
}
/**
 * A plan.
 */
export interface PlanDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'plan';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * True if the plan contains changes.
   */
  readonly has_changes: boolean;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service: string;
  readonly summary: Summary;
  /**
   * All actions of the plan, including `no-op`.
   */
  readonly actions: readonly PlannedAction[];
  /**
   * Tests whose fields were changed on the service.
   */
  readonly drift: readonly Drift[];
  readonly load: Load;
  /**
   * Changes to review, in the names and values of the file. Relative to the file of the revision if the plan compares with one, otherwise to the service.
   */
  readonly changes: readonly Change[];
  /**
   * Changes that a reviewer must notice, the most important first.
   */
  readonly danger: readonly Danger[];
  /**
   * Digest of the actions, which shows whether a saved plan still applies.
   */
  readonly basis: string;
  readonly saved?: PlanOrigin;
  /**
   * Only in a saved plan: keyed hash of the whole plan. A plan that was altered, or signed with another key, is refused.
   */
  readonly signature?: string;
  readonly against?: Against;
}
/**
 * One action of a plan.
 */
export interface PlannedAction {
  /**
   * Type of the action; `no-op` means no change.
   */
  readonly verb:
    | 'register'
    | 'verify'
    | 'create'
    | 'replace'
    | 'run'
    | 'stop'
    | 'blocked'
    | 'deferred'
    | 'no-op';
  /**
   * Address of the app or test: app.KEY or test.KEY.
   */
  readonly address: string;
  /**
   * ID of the app or test on the service; null if it does not exist yet.
   */
  readonly id: string | null;
  /**
   * Same as `id` if the action applies to a test; null for an app, and if the test does not exist yet.
   */
  readonly test_id: string | null;
  /**
   * True if the action starts load.
   */
  readonly starts_load: boolean;
  readonly changes: Changes;
  /**
   * Explanation of the action, for people; null if there is none.
   */
  readonly note: string | null;
  /**
   * Host of the app; null for a test.
   */
  readonly host: string | null;
  /**
   * Verification of the app; null if the action is not `verify`.
   */
  readonly verification: Verification | null;
  /**
   * Load of the test; null if the action is not `create`, `replace` or `run`.
   */
  readonly load: TestLoad | null;
  readonly load_before?: TestLoad1;
  /**
   * Scheduled start of a created test (RFC 3339); null if it starts immediately, and for other actions.
   */
  readonly scheduled_at: string | null;
  /**
   * State of an unchanged test; null for every other action.
   */
  readonly state: TestState | null;
  /**
   * Verdict on the last run of an unchanged test; null if the service returns no results, and for every other action.
   */
  readonly verdict: Verdict | null;
  readonly not_compared: NotCompared;
  readonly source: Source;
}
/**
 * The load of one test.
 */
export interface TestLoad1 {
  /**
   * Load model of the test.
   */
  readonly test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Connections at the start of a `cycling` test. With stages, the level at the start.
   */
  readonly initial: number;
  /**
   * Connections at the end (`cycling`), number of clients (`non-cycling`), or clients per second (`per-second`). With stages, the highest level.
   */
  readonly total: number;
  /**
   * Total number of clients; null for `cycling`, whose clients repeat their iterations.
   */
  readonly clients: number | null;
  /**
   * Number of requests, if every client completes its iteration. Absent for `cycling`, whose number of requests depends on the response times.
   */
  readonly requests?: number;
  /**
   * Number of rows of a payload file with `order: once` after which the run ends. Absent if the run does not use all rows.
   */
  readonly row_limit?: number;
  /**
   * Thresholds with `abort_after`, whose failure ends the run early. Absent if there are none.
   */
  readonly abort_rules?: readonly LoadAbortRule[];
  /**
   * Number of requests before the load, without redirects. Absent if there are none.
   */
  readonly setup_requests?: number;
  /**
   * True if the numbers of requests before and after the load are maxima, because conditions or lists can skip requests. Absent if they are exact.
   */
  readonly phase_requests_vary?: true;
  /**
   * Maximum number of requests of connections before their first iteration, without redirects. They are not part of `requests`. Absent if there are none.
   */
  readonly on_start_requests?: number;
  /**
   * Number of requests after the load, without redirects. Absent if there are none.
   */
  readonly teardown_requests?: number;
  /**
   * Stages of the load profile; null if the test has none.
   */
  readonly stages: readonly LoadStage[] | null;
  /**
   * Flows of the test, in the order of the file. Absent if it has none.
   */
  readonly flows?: readonly LoadFlow[];
  /**
   * Maximum number of requests of one iteration. Absent if the test has no groups.
   */
  readonly requests_per_iteration?: number;
  /**
   * Minimum number of requests of one iteration in which no request fails. Absent if all iterations have the same number of requests.
   */
  readonly min_requests_per_iteration?: number;
  /**
   * Duration of the warm-up in seconds, which the metrics exclude; null if there is none.
   */
  readonly warmup: number | null;
  /**
   * Maximum number of concurrent connections.
   */
  readonly connections: number;
  /**
   * Maximum number of concurrent connections of one client to one host, which is the number of requests of its largest parallel group. Absent if clients send one request at a time.
   */
  readonly connections_per_client?: number;
  /**
   * Number of iterations after which a `cycling` test ends. Absent if only its duration limits it, and in the open models.
   */
  readonly iterations?: number;
  /**
   * `random` if the clients of an open test start at random times. Absent if they start at even intervals.
   */
  readonly arrivals?: 'random';
  /**
   * Minimum time between the starts of two iterations of a connection, in ms. Absent if there is none.
   */
  readonly pace_ms?: number;
  /**
   * Maximum number of connections to each host, which all clients share. Absent if each client opens its own.
   */
  readonly pool?: number;
  /**
   * False if each request opens a new connection. Absent otherwise.
   */
  readonly keep_alive?: false;
  /**
   * Duration of the load in seconds.
   */
  readonly seconds: number;
  /**
   * Maximum time of the setup and the teardown, in seconds. Absent if there are none.
   */
  readonly phase_seconds?: number;
  /**
   * Maximum time after the duration in which iterations in progress begin further requests, in seconds: `timeout`, and their delays in the open models. Absent if iterations have only one request.
   */
  readonly drain_seconds?: number;
  /**
   * Hosts that receive the load.
   */
  readonly hosts: readonly string[];
  /**
   * Files that are request bodies or parts of them. Absent if there are none.
   */
  readonly body_files?: readonly LoadFile[];
  /**
   * Payload files of the test. Absent if it has none.
   */
  readonly payload_files?: readonly LoadRows[];
}
/**
 * A change to review.
 */
export interface Change {
  /**
   * Changed part of the file: test.KEY, app.KEY, environment.NAME, or a key of the file, such as limits, service or web_server.
   */
  readonly address: string;
  /**
   * URL that the change belongs to: its name, or its method and path. Null for other changes.
   */
  readonly url: string | null;
  /**
   * Name of the field in the file, such as thresholds.p95. Null if the whole test, app, environment or URL was added or removed; `key` if a test was renamed by `moved`.
   */
  readonly field: string | null;
  /**
   * Type of the change. After a loosened change, runs that failed before can pass, or a plan that was refused before is permitted.
   */
  readonly kind: 'added' | 'removed' | 'loosened' | 'tightened' | 'changed' | 'renamed';
  /**
   * Value before the change, as written in the file; null if it was not set. References to secrets show their names, and literal credentials are `***`.
   */
  readonly before: Json;
  /**
   * Value after the change; null if it is not set.
   */
  readonly after: Json;
  /**
   * Rows of a changed payload file. Absent for other changes.
   */
  readonly rows?: {
    /**
     * Number of added rows.
     */
    readonly added: number;
    /**
     * Number of removed rows.
     */
    readonly removed: number;
  };
  /**
   * True if only the values of secrets have changed.
   */
  readonly rotated?: true;
  /**
   * Environments with the finding, if the selected environment does not have it; absent otherwise. null is the file without an environment.
   */
  readonly environments?: readonly (string | null)[];
  /**
   * File that contains the new value; null if the value was removed.
   */
  readonly file: string | null;
  /**
   * Line in the file, counted from 1.
   */
  readonly line: number | null;
}
/**
 * A change that a reviewer must notice.
 */
export interface Danger {
  /**
   * Type of the danger, as accepted by --fail-on.
   */
  kind:
    | 'commands'
    | 'service'
    | 'new-hosts'
    | 'higher-peak'
    | 'longer'
    | 'limits'
    | 'loosened'
    | 'secrets'
    | 'deleted-apps'
    | 'unmanaged';
  /**
   * Description for people, in one sentence.
   */
  readonly message: string;
  /**
   * Part of the file, as in `changes`; null if the danger concerns several tests.
   */
  readonly address: string | null;
  /**
   * Environments with the finding, if the selected environment does not have it; absent otherwise. null is the file without an environment.
   */
  readonly environments?: readonly (string | null)[];
  /**
   * File to review; null if there is none.
   */
  readonly file: string | null;
  /**
   * Line in the file, counted from 1.
   */
  readonly line: number | null;
}
/**
 * Only in a saved plan: origin of the plan.
 */
export interface PlanOrigin {
  /**
   * Version of loadtests that created the plan.
   */
  readonly tool_version: string;
  /**
   * Time when the plan was created (RFC 3339).
   */
  readonly created_at: string;
  /**
   * Path of the configuration file, relative to the directory in which the plan was created.
   */
  readonly file: string;
  /**
   * Digest of the configuration file with its variables resolved.
   */
  readonly file_digest: string;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service: string;
  /**
   * Keyed hash that identifies the key: the API key of the account, or the signing key for plans of the embedded service.
   */
  readonly account: string;
  /**
   * Flags that affect the plan.
   */
  readonly flags: {
    readonly [k: string]: Json;
  };
  /**
   * Digest of all plans that were saved together. Absent if the plan was saved alone.
   */
  readonly group?: string;
  /**
   * Commit that was checked; for a pull request, its head. Absent if it is unknown.
   */
  readonly commit?: string;
  /**
   * Address of the files of the commit on GitHub or GitLab, to which a path is added. Absent if it is unknown.
   */
  readonly files_url?: string;
}
/**
 * Comparison with the file of a git revision. Present with --against, and in the CI job of a pull request.
 */
export interface Against {
  /**
   * Git revision, as passed to --against or set by the CI job.
   */
  readonly revision: string;
  /**
   * Commit to which the revision refers.
   */
  readonly commit: string;
  /**
   * State of the file in the revision: `read`, `absent`, or `invalid`.
   */
  readonly old_file: 'read' | 'absent' | 'invalid';
  /**
   * Reason why everything counts as new, for people; null if the files were compared.
   */
  readonly note: string | null;
  /**
   * Load of all tests in the file: `before` in the revision, and `after` in the current file.
   */
  readonly load: {
    readonly before: Load;
    readonly after: Load;
  };
}
/**
 * The plans of several configuration files. Tests of different files never run on the same host at the same time.
 */
export interface PlansDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'plan';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * True if one of the plans contains changes.
   */
  readonly has_changes: boolean;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  readonly load: Load;
  /**
   * The dangers of all plans, in the order of the files.
   */
  readonly danger: readonly Danger[];
  /**
   * Maximum number of files whose tests run at the same time, from --parallel-projects.
   */
  readonly parallel_projects: number;
  /**
   * The files in the order of the command.
   */
  readonly projects: readonly PlanOfFile[];
}
/**
 * A configuration file, and its document.
 */
export interface PlanOfFile {
  /**
   * Path of the configuration file.
   */
  readonly file: string;
  /**
   * Document of the file. A file that is not valid has only the members of every document.
   */
  readonly report: PlanDocument | Failure;
}
/**
 * Operations whose outcome was unknown.
 */
export interface RecoverDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'recover';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Operations whose outcome was unknown at the start of the command.
   */
  readonly operations: readonly Operation[];
  /**
   * Duplicate tests, which have the same ownership marker as the test that loadtests uses.
   */
  readonly duplicates: readonly DuplicateTest[];
}
/**
 * A write request whose response was lost.
 */
export interface Operation {
  /**
   * Type of the request: the creation or the start of a test.
   */
  readonly op: 'create' | 'start';
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the operation in the journal.
   */
  readonly nonce: string;
  /**
   * Time when the request was sent (RFC 3339).
   */
  readonly sent_at: string;
  /**
   * Outcome of the operation: `adopted` (executed), `absent` (not executed), or `unknown`.
   */
  readonly outcome: 'adopted' | 'absent' | 'unknown';
  /**
   * ID of the test or result that the operation created; null if unknown.
   */
  readonly id: string | null;
  /**
   * Explanation of the outcome, for people, if this command resolved the operation; null otherwise.
   */
  readonly resolution: string | null;
  readonly evidence: Evidence;
}
/**
 * Evidence of the operation on the service.
 */
export interface Evidence {
  /**
   * For the creation of a test: tests with its ownership marker.
   */
  readonly with_nonce?: readonly KnownTest[];
  /**
   * For the creation of a test: other tests with its key.
   */
  readonly same_key?: readonly KnownTest[];
  /**
   * For the creation of a test: unmarked tests with the same fields.
   */
  readonly alike?: readonly KnownTest[];
  /**
   * For the start of a test: the test.
   */
  readonly tests?: readonly KnownTest[];
  /**
   * IDs of results that were created after the request; null if the service returns no results.
   */
  readonly new_results: readonly string[] | null;
  /**
   * True if the list of tests may be incomplete.
   */
  readonly list_maybe_truncated: boolean;
}
/**
 * A test on the service.
 */
export interface KnownTest {
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Status of the test as returned by the service.
   */
  readonly status: string;
}
/**
 * A duplicate: a test with the same ownership marker as the test that loadtests uses.
 */
export interface DuplicateTest {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the duplicate on the service.
   */
  readonly test_id: string;
  /**
   * ID of the test that loadtests uses.
   */
  readonly counts: string;
  /**
   * True if the duplicate is no longer reported; false while it is running or scheduled.
   */
  readonly closed: boolean;
}
/**
 * Results of past runs.
 */
export interface ResultsDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'results';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project?: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment?: string | null;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service?: string;
  /**
   * Tests that exist on the service.
   */
  readonly tests: readonly TestResults[];
  readonly comparison?: Comparison;
}
/**
 * The runs of one test.
 */
export interface TestResults {
  /**
   * Address of the test: test.KEY, or test.ID for a test selected with id:ID.
   */
  readonly address: string;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Runs of the test, newest first; null if the service returns no results.
   */
  readonly results: readonly PastRun[] | null;
  readonly load?: TestLoad;
  readonly source?: Source;
}
/**
 * One run of a test, with its verdict.
 */
export interface PastRun {
  /**
   * ID of the result on the service.
   */
  readonly result_id: string;
  /**
   * Start of the run (RFC 3339); null if the service does not return it.
   */
  readonly started_at: string | null;
  /**
   * State of the run. A run has a verdict after it has ended.
   */
  readonly state: 'running' | 'ended';
  readonly verdict: Verdict;
  /**
   * Reason for the verdict, in words, if the thresholds do not show it; null otherwise.
   */
  readonly reason: string | null;
  readonly thresholds: Thresholds;
  /**
   * Metrics of the run; null until the result is ready.
   */
  readonly metrics: Metrics | null;
  /**
   * Result as returned by the service; null if there is none.
   */
  readonly result: ServiceRecord | null;
  readonly url_names?: UrlNames;
  readonly url_groups?: UrlGroups;
}
/**
 * With --compare: the newest run of the test, compared with another run or with the baseline. `tests` contains both runs, the newer one first.
 */
export interface Comparison {
  /**
   * Object of the comparison: another run, or the baseline.
   */
  readonly with: 'run' | 'baseline';
  /**
   * ID of the result of the other run; null for the baseline.
   */
  readonly result_id: string | null;
  /**
   * Start of the run that the newest run is compared with (RFC 3339); null for the baseline, and if unknown.
   */
  readonly started_at: string | null;
  /**
   * Number of runs from which the values in `before` are averaged.
   */
  readonly runs: number;
  /**
   * Metrics that at least one side has.
   */
  readonly metrics: readonly ComparedMetric[];
  /**
   * Reasons why the runs are not comparable, for people.
   */
  readonly notes: readonly string[];
  /**
   * Verdict on the regression thresholds, if the run is compared with the baseline. Null for a comparison of two runs, which is not enough for a verdict.
   */
  readonly verdict: Verdict | null;
}
/**
 * A metric on both sides: times in ms, rates in percent.
 */
export interface ComparedMetric {
  /**
   * Name of the metric.
   */
  readonly metric: string;
  /**
   * Value of the other run or of the baseline, in the unit of the metric; null if unknown.
   */
  readonly before: number | null;
  /**
   * Value of the newest run, in the unit of the metric; null if unknown.
   */
  readonly after: number | null;
  /**
   * Change in percent of `before`; null if it cannot be computed.
   */
  readonly change: number | null;
}
/**
 * Tests that were started, or a plan that was refused before any action was started.
 */
export interface RunDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'run';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * True if the plan contains changes.
   */
  readonly has_changes: boolean;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service: string;
  readonly summary: Summary;
  /**
   * Actions of the plan, each with its outcome.
   */
  readonly actions: readonly DoneAction[];
  /**
   * Tests whose fields were changed on the service.
   */
  readonly drift: readonly Drift[];
  readonly load: Load;
  /**
   * Digest of the actions, which shows whether a saved plan still applies.
   */
  readonly basis: string;
  /**
   * Runs that the command waited for or evaluated.
   */
  readonly runs: readonly Run[];
  /**
   * Tests that must be pinned by ID in the file.
   */
  readonly pins: readonly Pin[];
}
/**
 * Output with --once.
 */
export interface OnceDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'run';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * One iteration per test.
   */
  readonly iterations: readonly Iteration[];
}
/**
 * One iteration of one client through the URLs of a test.
 */
export interface Iteration {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * Seed of the random numbers of the iteration.
   */
  readonly seed?: number;
  /**
   * Requests after the first 100 exchanges. They were sent too. Absent if there are none.
   */
  readonly omitted?: {
    /**
     * Number of these requests.
     */
    readonly requests: number;
    /**
     * Number of these requests that failed.
     */
    readonly failed: number;
  };
  /**
   * Exchanges of the iteration, in the order in which they ended.
   */
  readonly exchanges: readonly Exchange[];
}
/**
 * One request and its response.
 */
export interface Exchange {
  /**
   * Phase of the request: `setup` or `teardown`. Absent for requests of the iteration.
   */
  readonly phase?: 'setup' | 'teardown';
  /**
   * Index of the URL in the `urls` of the test or of its phase, starting with 0.
   */
  readonly url_index: number;
  /**
   * Requested URL.
   */
  readonly url: string;
  /**
   * Request method.
   */
  readonly request_type: string;
  /**
   * True if the request follows a redirect.
   */
  readonly redirected: boolean;
  /**
   * True if the request was sent again because the server closed the connection before the first byte of a response.
   */
  readonly resent: boolean;
  /**
   * Request line and headers as sent, with credentials and cookies masked. Empty if the request was not sent.
   */
  readonly request_header: string;
  /**
   * First 4 KiB of the request body.
   */
  readonly request_body: string;
  /**
   * Status code of the response; null if no complete response was received.
   */
  readonly status: number | null;
  /**
   * Status line and headers as received, with cookies masked.
   */
  readonly response_header: string;
  /**
   * First 4 KiB of the decoded response body, or 256 KiB with -v, with credentials masked; null if it is not text, exceeds 1 MiB, or cannot be decoded.
   */
  readonly response_body: string | null;
  /**
   * Received bytes, including headers.
   */
  readonly data_received: number;
  /**
   * Key of the error in the ledger; null if there was no error.
   */
  readonly error: string | null;
  /**
   * True if the request counts as a success.
   */
  readonly success: boolean;
  readonly unexpected: Unexpected;
  readonly times: ExchangeTimes;
  /**
   * Variables taken from the headers of the response: name to value.
   */
  readonly variables: {
    readonly [k: string]: string;
  };
}
/**
 * Durations of the exchange in ms. A duration is null if its phase did not take place.
 */
export interface ExchangeTimes {
  /**
   * Time to establish the TCP connection, in ms; null if an open connection was used or no connection was established.
   */
  readonly connect: number | null;
  /**
   * Time of the TLS handshake, in ms; null if none was completed.
   */
  readonly tls: number | null;
  /**
   * Time from sending the request to the first byte of the response, in ms; null if there was no response.
   */
  readonly wait: number | null;
  /**
   * Total duration of the exchange, in ms.
   */
  readonly total: number;
}
/**
 * A JSON Schema of this package.
 */
export interface SchemaDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'schema';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Name of the schema.
   */
  readonly name: string;
  /**
   * JSON Schema.
   */
  readonly schema: {
    readonly [k: string]: Json;
  };
}
/**
 * The status of apps and tests.
 */
export interface StatusDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'status';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  readonly apps: Apps;
  readonly tests: Tests;
  readonly orphaned: Orphaned;
  /**
   * Number of tests that the file does not manage; without a file, number of all tests.
   */
  readonly unmanaged: number;
  readonly unmanaged_tests?: UnmanagedTests;
  readonly workers?: Workers;
}
/**
 * The status of an app.
 */
export interface AppStatus {
  /**
   * Address of the app: app.KEY; null without a file.
   */
  readonly address: string | null;
  /**
   * Host of the app.
   */
  readonly host: string;
  /**
   * ID of the app on the service; null if it is not registered.
   */
  readonly app_id: string | null;
  /**
   * Status of the app as returned by the service; "absent" if the app is not registered.
   */
  readonly status: string;
}
/**
 * A test of the file, and its state on the service.
 */
export interface DeclaredStatus {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * Comparison of the test on the service with the file. `changed`: the file declares other values. `drift`: fields were changed on the service. `present`: they match. `absent`: the test does not exist.
   */
  readonly declared: 'absent' | 'changed' | 'drift' | 'present';
  /**
   * ID of the test on the service; null if it does not exist.
   */
  readonly test_id: string | null;
  /**
   * Status of the test as returned by the service; null if the test does not exist.
   */
  readonly status: string | null;
  /**
   * State of the test; null if it does not exist.
   */
  readonly state: TestState | null;
  /**
   * Scheduled start of the test (RFC 3339); null if it is not scheduled.
   */
  readonly scheduled_at: string | null;
  /**
   * Run in progress; null if there is none, or if the service does not return it.
   */
  readonly current_run: CurrentRun | null;
  /**
   * Last run that has ended; null if there is none.
   */
  readonly last_run: PastRun | null;
  /**
   * Earlier versions of the test.
   */
  readonly superseded: readonly TestStatus[];
}
/**
 * A run in progress.
 */
export interface CurrentRun {
  /**
   * ID of the result on the service.
   */
  readonly result_id: string;
  /**
   * Start of the run (RFC 3339); null if the service does not return it.
   */
  readonly started_at: string | null;
  readonly progress: AnyProgress;
}
/**
 * The progress of a run. The counts include the warm-up.
 */
export interface Progress {
  /**
   * Time since the start of the run, in seconds.
   */
  readonly elapsed: number;
  /**
   * Duration of the test in seconds; null if the service does not return it.
   */
  readonly duration: number | null;
  /**
   * True during the warm-up of the run; absent otherwise.
   */
  readonly warming_up?: boolean;
  /**
   * Number of open connections.
   */
  readonly connections: number;
  /**
   * Number of finished requests.
   */
  readonly requests: number;
  /**
   * Number of finished requests that failed: errors, timeouts and network errors.
   */
  readonly failed: number;
  /**
   * Number of requests that finished in the last second.
   */
  readonly requests_per_second: number;
  /**
   * 95th percentile of the response time in ms; null if there are no samples.
   */
  readonly p95: number | null;
}
/**
 * A test on the service.
 */
export interface TestStatus {
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Status of the test as returned by the service.
   */
  readonly status: string;
  readonly state: TestState;
  /**
   * Scheduled start of the test (RFC 3339); null if it is not scheduled.
   */
  readonly scheduled_at: string | null;
}
/**
 * A test whose key was removed from the file.
 */
export interface OrphanedStatus {
  /**
   * Address of the test: test.KEY.
   */
  readonly address: string;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Status of the test as returned by the service.
   */
  readonly status: string;
  readonly state: TestState;
  /**
   * Scheduled start of the test (RFC 3339); null if it is not scheduled.
   */
  readonly scheduled_at: string | null;
}
/**
 * A test of the account.
 */
export interface UnmanagedStatus {
  readonly progress: AnyProgress;
  /**
   * ID of the test on the service.
   */
  readonly test_id: string;
  /**
   * Status of the test as returned by the service.
   */
  readonly status: string;
  readonly state: TestState;
  /**
   * Scheduled start of the test (RFC 3339); null if it is not scheduled.
   */
  readonly scheduled_at: string | null;
  /**
   * Name of the test; null if unset.
   */
  readonly name: string | null;
  /**
   * Ownership marker of the test; null if it has none.
   */
  readonly marker: TestMarker | null;
}
/**
 * Ownership marker: identifies the file and the entry from which a test was created.
 */
export interface TestMarker {
  /**
   * Project of the file.
   */
  readonly project: string;
  /**
   * Environment for which the test was created; null without an environment.
   */
  readonly environment: string | null;
  /**
   * Key of the test in the file.
   */
  readonly key: string;
}
/**
 * A worker of a service that was started with --redis.
 */
export interface WorkerStatus {
  /**
   * ID of the worker process.
   */
  readonly worker_id: string;
  /**
   * Name of the worker.
   */
  readonly name: string;
  /**
   * Version of loadtests that the worker runs.
   */
  readonly version: string;
  /**
   * State of the worker. A `draining` worker accepts no new load. The heartbeats of a `lost` worker ended without notice in the last hour. An `unusable` worker has a protocol version that the service does not support.
   */
  readonly state: 'ready' | 'busy' | 'draining' | 'lost' | 'unusable';
  /**
   * ID of the result of the run to which the worker is assigned; null if there is none.
   */
  readonly result_id: string | null;
  /**
   * Number of engine threads that the worker uses for a run.
   */
  readonly threads: number;
  /**
   * Maximum number of concurrent connections of the worker; null if unlimited.
   */
  readonly connections: number | null;
  /**
   * IP versions for which the worker has addresses other than loopback.
   */
  readonly ip_versions: readonly (4 | 6)[];
}
/**
 * Tests that were running or scheduled.
 */
export interface StopDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'stop';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * IDs of the tests that were stopped.
   */
  readonly stopped: readonly string[];
  /**
   * IDs of the tests that could not be stopped.
   */
  readonly not_stopped: readonly string[];
}
/**
 * Several configuration files.
 */
export interface ValidationsDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'validate';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * The files in the order of the command.
   */
  readonly projects: readonly ValidationOfFile[];
}
/**
 * A configuration file, and its document.
 */
export interface ValidationOfFile {
  /**
   * Path of the configuration file.
   */
  readonly file: string;
  /**
   * Document of the file. A file that is not valid has only the members of every document.
   */
  readonly report: ValidateDocument | Failure;
}
/**
 * A valid configuration file.
 */
export interface ValidateDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'validate';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  readonly origin?: Origin;
  /**
   * Project of the configuration file.
   */
  readonly project: string;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Environments in which the file was checked: the environment of --env, or all environments of the file, or only the first ones if the file is very large. Without --env, the file was also checked without an environment.
   */
  readonly environments: readonly string[];
}
/**
 * Verification of apps.
 */
export interface VerifyDocument {
  /**
   * Version of the format. Later versions of loadtests can add members, but never change existing ones.
   */
  readonly format_version: 1;
  /**
   * Name of the command.
   */
  readonly command: 'verify';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service (scheme, host and port), or "embedded" for the embedded service.
   */
  readonly service: string;
  /**
   * Actions that were executed, each with its outcome.
   */
  readonly actions: readonly DoneAction[];
}
/**
 * A line of output of "loadtests serve --json".
 */
export interface ServeEvent {
  /**
   * Type of the line: the service accepts connections.
   */
  readonly event: 'listening';
  /**
   * URL of the service.
   */
  readonly url: string;
  /**
   * Link to the web UI of the service. It works once, within ten minutes; "loadtests open" prints another link.
   */
  readonly web_ui?: string;
}
/**
 * A line of output of "loadtests status --watch --json", printed whenever the status changes.
 */
export interface StatusEvent {
  /**
   * Type of the line.
   */
  readonly event: 'status';
  /**
   * Project of the configuration file; null without a file.
   */
  readonly project: string | null;
  /**
   * Environment selected with --env; null without --env.
   */
  readonly environment: string | null;
  readonly apps: Apps;
  readonly tests: Tests;
  readonly orphaned: Orphaned;
  /**
   * Number of tests that the file does not manage; without a file, number of all tests.
   */
  readonly unmanaged: number;
  readonly unmanaged_tests?: UnmanagedTests;
  readonly workers?: Workers;
}
/**
 * A line of output of "loadtests worker --json".
 */
export interface WorkerEvent {
  /**
   * Type of the line: the worker accepts load.
   */
  readonly event: 'ready';
  /**
   * ID of the worker process.
   */
  readonly id: string;
  /**
   * Name of the worker.
   */
  readonly name: string;
}

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
  | ApplyDocument
  | BackupDocument
  | BaselineDocument
  | CompletionDocument
  | DestroyDocument
  | ExplainDocument
  | ImportDocument
  | InitDocument
  | OpenDocument
  | PlanDocument
  | RecoverDocument
  | ResultsDocument
  | RunDocument
  | OnceDocument
  | SchemaDocument
  | StatusDocument
  | StopDocument
  | ValidateDocument
  | VerifyDocument;
/**
 * The exit code of the process.
 */
export type ExitCode = number;
/**
 * Errors and warnings, in the order they were found.
 */
export type Problems = readonly Problem[];
/**
 * Fields that differ.
 */
export type Changes = readonly FieldChange[];
/**
 * State of a test, in the same terms for all services; `unspecified` if the service returns no status.
 */
export type TestState = 'running' | 'scheduled' | 'ended' | 'unspecified';
/**
 * The verdict on all thresholds together; `none` if there are none.
 */
export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';
/**
 * Fields of a test that is kept or run, as JSON Pointers, whose secrets could not be compared with those on the service: the service does not return them, or they are not set.
 */
export type NotCompared = readonly string[];
/**
 * Confirmed outcome; `not_attempted` if the action was not begun.
 */
export type Outcome = 'done' | 'failed' | 'not_attempted' | 'unknown';
/**
 * Each threshold with its value.
 */
export type Thresholds = readonly EvaluatedThreshold[];
/**
 * What the file calls the URLs, in their order; null for one without a name. Left out where it names none.
 */
export type UrlNames = (string | null)[];
/**
 * How the response violates an expectation of the test; null if it does not.
 */
export type Unexpected = {
  /**
   * The expectation that failed.
   */
  readonly error: string;
  /**
   * The actual value, with credentials masked; null if there is none.
   */
  readonly actual: string | null;
} | null;
/**
 * Apps of the file; without a file, all of the account.
 */
export type Apps = readonly AppStatus[];
/**
 * How far the run has come; null where it does not go on, or the service does not tell.
 */
export type AnyProgress = Progress | null;
/**
 * Tests of the file.
 */
export type Tests = readonly DeclaredStatus[];
/**
 * Our tests whose key was removed from the file.
 */
export type Orphaned = readonly OrphanedStatus[];
/**
 * Only without a file: the tests of the account.
 */
export type UnmanagedTests = readonly UnmanagedStatus[];
/**
 * Only where a service has any: the workers that make its load.
 */
export type Workers = readonly WorkerStatus[];

/**
 * A plan that was carried out, or refused before anything was done.
 */
export interface ApplyDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'apply';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Whether applying would change anything.
   */
  readonly has_changes: boolean;
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service: string;
  readonly summary: Summary;
  /**
   * Everything the plan held, with its outcome.
   */
  readonly actions: readonly DoneAction[];
  /**
   * Tests that were edited on the service.
   */
  readonly drift: readonly Drift[];
  readonly load: Load;
  /**
   * Digest of the actions.
   */
  readonly basis: string;
  /**
   * Every run that was waited for or judged.
   */
  readonly runs: readonly Run[];
  /**
   * Tests that have to be pinned in the file.
   */
  readonly pins: readonly Pin[];
}
export interface Problem {
  /**
   * "loadtests explain CODE" prints its cause and its fix.
   */
  readonly code: string;
  /**
   * A warning stops nothing.
   */
  readonly severity: 'error' | 'warning';
  /**
   * One sentence.
   */
  readonly message: string;
  /**
   * The file with the problem.
   */
  readonly file: string | null;
  /**
   * Counted from 1.
   */
  readonly line: number | null;
  /**
   * Counted from 1.
   */
  readonly column: number | null;
  /**
   * What to do in this case.
   */
  readonly hint: string | null;
  /**
   * Documentation of the code: a path in the package.
   */
  readonly docs: string;
}
/**
 * Counts of actions by verb, and of what is left alone.
 */
export interface Summary {
  /**
   * To register.
   */
  readonly register: number;
  /**
   * To verify.
   */
  readonly verify: number;
  /**
   * To create.
   */
  readonly create: number;
  /**
   * To create in place of an earlier version.
   */
  readonly replace: number;
  /**
   * To start again.
   */
  readonly run: number;
  /**
   * To stop.
   */
  readonly stop: number;
  /**
   * Cannot be done yet.
   */
  readonly blocked: number;
  /**
   * Held back by --no-run.
   */
  readonly deferred: number;
  /**
   * As declared.
   */
  readonly unchanged: number;
  /**
   * Earlier versions of keys in the file.
   */
  readonly superseded: number;
  /**
   * Ours, removed from the file.
   */
  readonly orphaned: number;
  /**
   * Tests that are not ours.
   */
  readonly unmanaged: number;
  /**
   * Edited on the service.
   */
  readonly drift: number;
}
/**
 * One step of a plan, and its outcome.
 */
export interface DoneAction {
  /**
   * What the action does; `no-op` means no change.
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
   * app.KEY or test.KEY.
   */
  readonly address: string;
  /**
   * The app or test on the service; null while there is none.
   */
  readonly id: string | null;
  /**
   * The same id where it is a test's.
   */
  readonly test_id: string | null;
  /**
   * Whether it starts load.
   */
  readonly starts_load: boolean;
  readonly changes: Changes;
  /**
   * The reason, for people.
   */
  readonly note: string | null;
  /**
   * The host of an app; null for a test.
   */
  readonly host: string | null;
  /**
   * How an app is verified; null for everything but verify.
   */
  readonly verification: Verification | null;
  /**
   * The load of a test that is created, replaced or run; null for everything else.
   */
  readonly load: TestLoad | null;
  /**
   * When a created test starts by itself, RFC 3339; null: at once.
   */
  readonly scheduled_at: string | null;
  /**
   * State of an unchanged test; null for every other action.
   */
  readonly state: TestState | null;
  /**
   * On the last run of a test that is kept; null where the service has no results.
   */
  readonly verdict: Verdict | null;
  readonly not_compared: NotCompared;
  readonly source: Source;
  /**
   * The result of the run that was started.
   */
  readonly result_id: string | null;
  readonly outcome: Outcome;
}
export interface FieldChange {
  /**
   * JSON Pointer, with the API's field names. For a URL that was removed, its place on the service.
   */
  readonly field: string;
  /**
   * The actual value; null is nothing, or the default. Of a field that can hold secrets only the length is told: ‹11 characters›.
   */
  readonly from: Json;
  /**
   * The declared value.
   */
  readonly to: Json;
  /**
   * False: the service does not return this field, so the last apply is compared.
   */
  readonly readable: boolean;
  /**
   * Only the values of the secrets in the text have changed.
   */
  readonly rotated?: true;
}
/**
 * How an app is verified.
 */
export interface Verification {
  /**
   * http, dns, or another word of the service.
   */
  readonly method: string;
  /**
   * How the token is published.
   */
  readonly publish: 'directory' | 'command' | 'manual';
  /**
   * The directory it is written to.
   */
  readonly directory: string | null;
  /**
   * The command that publishes it.
   */
  readonly command: string | null;
}
/**
 * The load of one test.
 */
export interface TestLoad {
  /**
   * The load model.
   */
  readonly test_type: 'cycling' | 'non-cycling' | 'per-second';
  /**
   * Clients at the start.
   */
  readonly initial: number;
  /**
   * Clients in all, at the end, or each second; of stages the most.
   */
  readonly total: number;
  /**
   * Clients in all; null where they go on as fast as they can (cycling).
   */
  readonly clients: number | null;
  /**
   * Null: none.
   */
  readonly stages: readonly LoadStage[] | null;
  /**
   * Seconds of warm-up, which no metric includes; null if there is none.
   */
  readonly warmup: number | null;
  /**
   * Most connections at once.
   */
  readonly connections: number;
  /**
   * How long it runs.
   */
  readonly seconds: number;
  /**
   * The hosts that get it.
   */
  readonly hosts: readonly string[];
  /**
   * The files that give it rows; absent: none.
   */
  readonly payload_files?: readonly LoadRows[];
}
export interface LoadStage {
  /**
   * How long it takes.
   */
  readonly seconds: number;
  /**
   * Connections, or clients per second, at its end.
   */
  readonly to: number;
}
export interface LoadRows {
  /**
   * As the file names it.
   */
  readonly path: string;
  /**
   * Of its content.
   */
  readonly sha256: string;
  /**
   * Rows of all its lists together.
   */
  readonly rows: number;
  /**
   * Names of all its lists together.
   */
  readonly columns: number;
}
/**
 * Where it stands in the file; empty where it does not.
 */
export interface Source {
  /**
   * The file.
   */
  readonly file?: string;
  /**
   * Counted from 1.
   */
  readonly line?: number;
  /**
   * Counted from 1.
   */
  readonly column?: number;
}
/**
 * A test that was edited on the service.
 */
export interface Drift {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The test on the service.
   */
  readonly id: string;
  /**
   * The same.
   */
  readonly test_id: string;
  readonly changes: Changes;
}
/**
 * The load of several tests.
 */
export interface Load {
  /**
   * Runs that start.
   */
  readonly starts: number;
  /**
   * Most connections at once, by host.
   */
  readonly peak_connections: {
    readonly [k: string]: number;
  };
  /**
   * From the first start to the last end.
   */
  readonly seconds: number;
  /**
   * False if some of them run concurrently.
   */
  readonly sequential: boolean;
  /**
   * With --repeat: how often each test starts. The other values cover all rounds.
   */
  readonly rounds?: number;
}
/**
 * A run that the command waited for or evaluated.
 */
export interface Run {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * The result on the service.
   */
  readonly result_id: string | null;
  /**
   * RFC 3339.
   */
  readonly started_at: string | null;
  /**
   * The last status of the test, in the service's word.
   */
  readonly status: string | null;
  /**
   * State of the run. A run has a verdict after it has ended.
   */
  readonly state: 'running' | 'ended';
  /**
   * Whether this command started it.
   */
  readonly started_by_us: boolean;
  /**
   * With --repeat: the round that the run belongs to.
   */
  readonly round?: number;
  readonly verdict: Verdict;
  /**
   * The reason, where the thresholds alone do not give it.
   */
  readonly reason: string | null;
  readonly thresholds: Thresholds;
  /**
   * Null until the result is ready.
   */
  readonly metrics: Metrics | null;
  /**
   * The record of the service; null where it has none.
   */
  readonly result: ServiceRecord | null;
  readonly url_names?: UrlNames;
  readonly load?: TestLoad;
  readonly source?: Source;
}
export interface EvaluatedThreshold {
  /**
   * Name of the metric.
   */
  readonly metric: string;
  /**
   * For a threshold on one URL: its name, or its method and path. Absent for thresholds on the whole run.
   */
  readonly url?: string;
  /**
   * As written in the file; for a regression threshold, its meaning in words.
   */
  readonly limit: string;
  /**
   * Null if the result lacks the metric.
   */
  readonly value: number | null;
  /**
   * The values between which the metric lies, given the delays of the load generator. Absent if the result has no bounds; the value alone is evaluated then.
   */
  readonly bounds?: {
    /**
     * In the unit of the metric.
     */
    readonly low: number;
    /**
     * Null if it is unknown.
     */
    readonly high: number | null;
  };
  /**
   * The verdict on this threshold.
   */
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /**
   * Why the threshold is inconclusive, if the value alone does not show it.
   */
  readonly reason?: string;
  readonly regression?: AgainstBaseline;
  readonly source?: Source;
}
/**
 * The comparison with the baseline, for a regression threshold. All shares are percentages.
 */
export interface AgainstBaseline {
  /**
   * By how many percent the metric is worse than the baseline; negative if it is better.
   */
  readonly worse_by: number;
  /**
   * By how many percent it may be worse.
   */
  readonly allowed: number;
  /**
   * The mean of the baseline, in the unit of the metric.
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
   * Percent.
   */
  readonly error_rate?: number;
  /**
   * Percent.
   */
  readonly success_rate?: number;
  /**
   * Milliseconds.
   */
  readonly avg_response_time?: number;
  /**
   * Milliseconds.
   */
  readonly min?: number;
  /**
   * Milliseconds.
   */
  readonly max?: number;
  /**
   * Milliseconds.
   */
  readonly p50?: number;
  /**
   * Milliseconds.
   */
  readonly p75?: number;
  /**
   * Milliseconds.
   */
  readonly p90?: number;
  /**
   * Milliseconds.
   */
  readonly p95?: number;
  /**
   * Milliseconds.
   */
  readonly p99?: number;
  /**
   * Milliseconds.
   */
  readonly 'p99.9'?: number;
  /**
   * The sum of the four counts.
   */
  readonly requests?: number;
  /**
   * Finished requests per second of load.
   */
  readonly requests_per_second?: number;
  /**
   * Successful requests.
   */
  readonly success?: number;
  /**
   * Responses with status 400 or above.
   */
  readonly error?: number;
  /**
   * Requests that timed out.
   */
  readonly timeout_error?: number;
  /**
   * Requests without a usable response.
   */
  readonly network_error?: number;
  /**
   * Bytes.
   */
  readonly data_received?: number;
}
/**
 * A record of the service, exactly as it was received.
 */
export interface ServiceRecord {
  readonly [k: string]: Json;
}
/**
 * A test whose mark the service does not keep: its entry in the file needs this id.
 */
export interface Pin {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The test on the service.
   */
  readonly test_id: string;
}
/**
 * A copy of the data of a service.
 */
export interface BackupDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'backup';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * The directory with the copy.
   */
  readonly directory: string;
  /**
   * The names of the files in it.
   */
  readonly files: readonly string[];
}
/**
 * Files with past runs of tests.
 */
export interface BaselineDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'baseline';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * The files that were written.
   */
  readonly baselines: readonly WrittenBaseline[];
}
/**
 * The baseline of one test.
 */
export interface WrittenBaseline {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * As seen from the directory of the file that declares the test.
   */
  readonly file: string;
  /**
   * How many runs it holds.
   */
  readonly runs: number;
}
/**
 * A completion script.
 */
export interface CompletionDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'completion';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * The shell.
   */
  readonly shell: 'bash' | 'zsh' | 'fish';
  /**
   * The script.
   */
  readonly script: string;
}
/**
 * The apps to delete.
 */
export interface DestroyDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'destroy';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file.
   */
  readonly project: string;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service: string;
  /**
   * The apps.
   */
  readonly apps: readonly AppDeletion[];
}
/**
 * The deletion of an app, with the tests that are deleted with it.
 */
export interface AppDeletion {
  /**
   * app.KEY.
   */
  readonly address: string;
  /**
   * Its host.
   */
  readonly host: string;
  /**
   * The app on the service.
   */
  readonly app_id: string;
  /**
   * Outcome of the deletion.
   */
  readonly outcome: 'done' | 'failed' | 'not_attempted';
  /**
   * Its tests.
   */
  readonly tests: readonly TestDeletion[];
}
/**
 * The deletion of a test with its app.
 */
export interface TestDeletion {
  /**
   * test.KEY; null if the test is not from this file.
   */
  readonly address: string | null;
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * Its name.
   */
  readonly name: string | null;
  readonly state: TestState;
  /**
   * Number of its results; null if the service does not return it.
   */
  readonly results: number | null;
}
/**
 * A problem code.
 */
export interface ExplainDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'explain';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * The code.
   */
  readonly code: string;
  /**
   * Noun phrase that names the problem.
   */
  readonly title: string;
  /**
   * What has happened.
   */
  readonly cause: string;
  /**
   * What to do.
   */
  readonly fix: string;
  /**
   * Exit code of a command that ends with the problem.
   */
  readonly exits_with: number;
}
/**
 * A file that was written.
 */
export interface ImportDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'import';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file.
   */
  readonly project: string;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * The file of -o.
   */
  readonly file: string | null;
  /**
   * The text of the file; null with -o.
   */
  readonly text: string | null;
  /**
   * Hosts of its apps.
   */
  readonly apps: readonly string[];
  /**
   * Its tests.
   */
  readonly tests: readonly ImportedTest[];
  /**
   * Apps and tests that the file omits.
   */
  readonly omitted: readonly OmittedEntry[];
  /**
   * Environment variables that it needs.
   */
  readonly secrets: readonly string[];
}
/**
 * A test of the file.
 */
export interface ImportedTest {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * Why it is pinned by id; null where it is not.
   */
  readonly pinned: string | null;
  /**
   * Ids of earlier versions.
   */
  readonly earlier: readonly string[];
}
/**
 * An app or test that the file omits.
 */
export interface OmittedEntry {
  /**
   * The app or test on the service.
   */
  readonly id: string;
  /**
   * Its name.
   */
  readonly name: string;
  /**
   * The reason, for people.
   */
  readonly reason: string;
}
/**
 * A starter file that was written.
 */
export interface InitDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'init';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * The file.
   */
  readonly file: string;
}
/**
 * A link to the page of a service.
 */
export interface OpenDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'open';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * The link. It can be used once, by whoever has it.
   */
  readonly page: string;
  /**
   * Until when it can be used, in UTC; null: the service does not say.
   */
  readonly expires_at: string | null;
}
/**
 * A plan.
 */
export interface PlanDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'plan';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Whether applying would change anything.
   */
  readonly has_changes: boolean;
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service: string;
  readonly summary: Summary;
  /**
   * Everything that would be done or is left alone.
   */
  readonly actions: readonly PlannedAction[];
  /**
   * Tests that were edited on the service.
   */
  readonly drift: readonly Drift[];
  readonly load: Load;
  /**
   * Digest of the actions.
   */
  readonly basis: string;
  readonly saved?: PlanOrigin;
  /**
   * Only in a saved plan: a keyed hash of all of it. A file that was altered, or that was not made with the same key, is refused.
   */
  readonly signature?: string;
  readonly against?: Against;
}
/**
 * One step of a plan.
 */
export interface PlannedAction {
  /**
   * What the action does; `no-op` means no change.
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
   * app.KEY or test.KEY.
   */
  readonly address: string;
  /**
   * The app or test on the service; null while there is none.
   */
  readonly id: string | null;
  /**
   * The same id where it is a test's.
   */
  readonly test_id: string | null;
  /**
   * Whether it starts load.
   */
  readonly starts_load: boolean;
  readonly changes: Changes;
  /**
   * The reason, for people.
   */
  readonly note: string | null;
  /**
   * The host of an app; null for a test.
   */
  readonly host: string | null;
  /**
   * How an app is verified; null for everything but verify.
   */
  readonly verification: Verification | null;
  /**
   * The load of a test that is created, replaced or run; null for everything else.
   */
  readonly load: TestLoad | null;
  /**
   * When a created test starts by itself, RFC 3339; null: at once.
   */
  readonly scheduled_at: string | null;
  /**
   * State of an unchanged test; null for every other action.
   */
  readonly state: TestState | null;
  /**
   * On the last run of a test that is kept; null where the service has no results.
   */
  readonly verdict: Verdict | null;
  readonly not_compared: NotCompared;
  readonly source: Source;
}
/**
 * Only in a saved plan: what it was made from.
 */
export interface PlanOrigin {
  /**
   * Of loadtests.
   */
  readonly tool_version: string;
  /**
   * RFC 3339.
   */
  readonly created_at: string;
  /**
   * Path of the configuration file, as seen from the directory where the plan was made.
   */
  readonly file: string;
  /**
   * Of the file with its variables filled in.
   */
  readonly file_digest: string;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service: string;
  /**
   * Keyed hash that is the same for the same key: that of the account, or the one that signs plans of the embedded service.
   */
  readonly account: string;
  /**
   * The flags that shaped the plan.
   */
  readonly flags: {
    readonly [k: string]: Json;
  };
}
/**
 * Only with --against: the git revision whose file takes the place of the service.
 */
export interface Against {
  /**
   * As it was given.
   */
  readonly revision: string;
  /**
   * The commit that it names.
   */
  readonly commit: string;
  /**
   * Whether the revision has a file that loads.
   */
  readonly old_file: 'read' | 'absent' | 'invalid';
  /**
   * Why everything counts as new, for people; null where it does not.
   */
  readonly note: string | null;
  /**
   * Of all the tests of the file.
   */
  readonly load: {
    readonly before: Load;
    readonly after: Load;
  };
  /**
   * Limits that differ.
   */
  readonly limits: readonly LimitChange[];
  /**
   * Of tests that both files declare: what differs in the fields that only the file has. The service never gets them, so no action of the plan shows them.
   */
  readonly changes: readonly FileChange[];
  /**
   * Tests that left the file, as test.KEY; those that moved did not.
   */
  readonly removed: readonly string[];
}
/**
 * A limit of the file that differs.
 */
export interface LimitChange {
  /**
   * The limit.
   */
  readonly limit: 'max_connections' | 'max_duration' | 'hosts';
  /**
   * Connections, milliseconds or patterns of hosts; null where there is none.
   */
  readonly from: Json;
  /**
   * The same, now.
   */
  readonly to: Json;
  /**
   * Raised and removed ones let more load pass.
   */
  readonly kind: 'raised' | 'lowered' | 'removed' | 'added';
}
/**
 * A field of a test that only the file has, and that differs.
 */
export interface FileChange {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * JSON Pointer below the test: /thresholds/METRIC, /urls/INDEX/thresholds/METRIC, /url_names, /needs or /parallel.
   */
  readonly field: string;
  /**
   * As the file says it; null where it does not.
   */
  readonly from: Json;
  /**
   * The same, now.
   */
  readonly to: Json;
  /**
   * Loosened and removed thresholds let results pass that failed before.
   */
  readonly kind: 'added' | 'removed' | 'loosened' | 'tightened' | 'changed';
}
/**
 * Operations whose outcome was unknown.
 */
export interface RecoverDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'recover';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * The operations.
   */
  readonly operations: readonly Operation[];
  /**
   * Duplicate tests: they have the same ownership marker as the test that counts.
   */
  readonly duplicates: readonly DuplicateTest[];
}
/**
 * A write whose response was lost.
 */
export interface Operation {
  /**
   * What was sent.
   */
  readonly op: 'create' | 'start';
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * Its name in the journal.
   */
  readonly nonce: string;
  /**
   * RFC 3339.
   */
  readonly sent_at: string;
  /**
   * How it is closed.
   */
  readonly outcome: 'adopted' | 'absent' | 'unknown';
  /**
   * The test or run that it made.
   */
  readonly id: string | null;
  /**
   * How it was resolved just now, for people; null where it was not.
   */
  readonly resolution: string | null;
  readonly evidence: Evidence;
}
/**
 * What the service shows of it.
 */
export interface Evidence {
  /**
   * Of a create: tests with its ownership marker.
   */
  readonly with_nonce?: readonly KnownTest[];
  /**
   * Of a create: other tests of its key.
   */
  readonly same_key?: readonly KnownTest[];
  /**
   * Of a create: unmarked tests with the same fields.
   */
  readonly alike?: readonly KnownTest[];
  /**
   * Of a start: the test.
   */
  readonly tests?: readonly KnownTest[];
  /**
   * Results since then; null where the service has none.
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
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * Status as the service returns it.
   */
  readonly status: string;
}
/**
 * A duplicate: a test with the same ownership marker as the test that counts.
 */
export interface DuplicateTest {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The duplicate on the service.
   */
  readonly test_id: string;
  /**
   * Identifier of the test that counts.
   */
  readonly counts: string;
  /**
   * True if it is no longer reported; false while it is running or scheduled.
   */
  readonly closed: boolean;
}
/**
 * Results of past runs.
 */
export interface ResultsDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'results';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file; null without one.
   */
  readonly project?: string | null;
  /**
   * Of --env.
   */
  readonly environment?: string | null;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service?: string;
  /**
   * Tests that the service has.
   */
  readonly tests: readonly TestResults[];
  readonly comparison?: Comparison;
}
/**
 * The runs of one test.
 */
export interface TestResults {
  /**
   * test.KEY, or test.ID for a test given as id:ID.
   */
  readonly address: string;
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * The newest first; null where the service has no results.
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
   * The result on the service.
   */
  readonly result_id: string;
  /**
   * RFC 3339.
   */
  readonly started_at: string | null;
  /**
   * State of the run. A run has a verdict after it has ended.
   */
  readonly state: 'running' | 'ended';
  readonly verdict: Verdict;
  /**
   * The reason, where the thresholds alone do not give it.
   */
  readonly reason: string | null;
  readonly thresholds: Thresholds;
  /**
   * Null until the result is ready.
   */
  readonly metrics: Metrics | null;
  /**
   * The record of the service; null where it has none.
   */
  readonly result: ServiceRecord | null;
  readonly url_names?: UrlNames;
}
/**
 * With --compare: the newest run of the test, compared with another run or with its baseline. `tests` contains both runs, the newer one first.
 */
export interface Comparison {
  /**
   * What the run is compared with.
   */
  readonly with: 'run' | 'baseline';
  /**
   * Result of the other run; null for the baseline.
   */
  readonly result_id: string | null;
  /**
   * RFC 3339.
   */
  readonly started_at: string | null;
  /**
   * Number of runs that the other side is the mean of.
   */
  readonly runs: number;
  /**
   * Each metric that at least one side has.
   */
  readonly metrics: readonly ComparedMetric[];
  /**
   * Reasons against the comparison, for people.
   */
  readonly notes: readonly string[];
  /**
   * Verdict on the regression thresholds, with the baseline; otherwise null, because two single runs are not enough for a verdict.
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
   * Null if unknown.
   */
  readonly before: number | null;
  /**
   * Null if unknown.
   */
  readonly after: number | null;
  /**
   * Change in percent of `before`.
   */
  readonly change: number | null;
}
/**
 * Tests that were started, or a plan that was refused before.
 */
export interface RunDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'run';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Whether applying would change anything.
   */
  readonly has_changes: boolean;
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service: string;
  readonly summary: Summary;
  /**
   * Everything the plan held, with its outcome.
   */
  readonly actions: readonly DoneAction[];
  /**
   * Tests that were edited on the service.
   */
  readonly drift: readonly Drift[];
  readonly load: Load;
  /**
   * Digest of the actions.
   */
  readonly basis: string;
  /**
   * Every run that was waited for or judged.
   */
  readonly runs: readonly Run[];
  /**
   * Tests that have to be pinned in the file.
   */
  readonly pins: readonly Pin[];
}
/**
 * With --once.
 */
export interface OnceDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'run';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * One iteration for each test.
   */
  readonly iterations: readonly Iteration[];
}
/**
 * One iteration of one client through the URLs of a test.
 */
export interface Iteration {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The exchanges, in the order in which they ended.
   */
  readonly exchanges: readonly Exchange[];
}
/**
 * One request and its response.
 */
export interface Exchange {
  /**
   * Index in the test's `urls`.
   */
  readonly url_index: number;
  /**
   * The URL that was requested.
   */
  readonly url: string;
  /**
   * Method.
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
   * Request line and headers as sent, with credentials and cookies masked.
   */
  readonly request_header: string;
  /**
   * The first 4 KiB of the body.
   */
  readonly request_body: string;
  /**
   * Status code; null without a complete response.
   */
  readonly status: number | null;
  /**
   * Status line and headers as received, with cookies masked.
   */
  readonly response_header: string;
  /**
   * Bytes, headers included.
   */
  readonly data_received: number;
  /**
   * Name of the error in the ledger; null without an error.
   */
  readonly error: string | null;
  /**
   * True if the request counts as a success.
   */
  readonly success: boolean;
  readonly unexpected: Unexpected;
  readonly times: ExchangeTimes;
  /**
   * Variables set from the headers of the response.
   */
  readonly variables: {
    readonly [k: string]: string;
  };
}
/**
 * Times in milliseconds; null for a phase that did not take place.
 */
export interface ExchangeTimes {
  /**
   * Connecting.
   */
  readonly connect: number | null;
  /**
   * The TLS handshake.
   */
  readonly tls: number | null;
  /**
   * From sending to the first byte.
   */
  readonly wait: number | null;
  /**
   * The whole exchange.
   */
  readonly total: number;
}
/**
 * A JSON Schema of this package.
 */
export interface SchemaDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'schema';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Its name.
   */
  readonly name: string;
  /**
   * The schema.
   */
  readonly schema: {
    readonly [k: string]: Json;
  };
}
/**
 * Apps and tests.
 */
export interface StatusDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'status';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  readonly apps: Apps;
  readonly tests: Tests;
  readonly orphaned: Orphaned;
  /**
   * Tests that are not ours; without a file, all tests.
   */
  readonly unmanaged: number;
  readonly unmanaged_tests?: UnmanagedTests;
  readonly workers?: Workers;
}
/**
 * An app.
 */
export interface AppStatus {
  /**
   * app.KEY; null without a file.
   */
  readonly address: string | null;
  /**
   * Its host.
   */
  readonly host: string;
  /**
   * The app on the service.
   */
  readonly app_id: string | null;
  /**
   * In the service's word; absent where it is not registered.
   */
  readonly status: string;
}
/**
 * A test of the file beside what the service holds.
 */
export interface DeclaredStatus {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * How the service's test compares with the file.
   */
  readonly declared: 'absent' | 'changed' | 'drift' | 'present';
  /**
   * The test on the service; null where there is none.
   */
  readonly test_id: string | null;
  /**
   * Status as the service returns it.
   */
  readonly status: string | null;
  /**
   * Null where there is no test.
   */
  readonly state: TestState | null;
  /**
   * When it starts by itself, RFC 3339.
   */
  readonly scheduled_at: string | null;
  /**
   * The run in progress, where the service names it.
   */
  readonly current_run: CurrentRun | null;
  /**
   * The last run that has ended.
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
   * The result on the service.
   */
  readonly result_id: string;
  /**
   * RFC 3339.
   */
  readonly started_at: string | null;
  readonly progress: AnyProgress;
}
/**
 * How far a run has come.
 */
export interface Progress {
  /**
   * Seconds since the start.
   */
  readonly elapsed: number;
  /**
   * Seconds that the test takes; null where the service does not tell.
   */
  readonly duration: number | null;
  /**
   * Whether it is in its warm-up; left out where it is not.
   */
  readonly warming_up?: boolean;
  /**
   * Open now.
   */
  readonly connections: number;
  /**
   * That have ended.
   */
  readonly requests: number;
  /**
   * Of them: errors, time-outs and network errors.
   */
  readonly failed: number;
  /**
   * Now.
   */
  readonly requests_per_second: number;
  /**
   * Response time in ms; null without samples.
   */
  readonly p95: number | null;
}
/**
 * A test on the service.
 */
export interface TestStatus {
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * Status as the service returns it.
   */
  readonly status: string;
  readonly state: TestState;
  /**
   * When it starts by itself, RFC 3339.
   */
  readonly scheduled_at: string | null;
}
/**
 * A test whose key was removed from the file.
 */
export interface OrphanedStatus {
  /**
   * test.KEY.
   */
  readonly address: string;
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * Status as the service returns it.
   */
  readonly status: string;
  readonly state: TestState;
  /**
   * When it starts by itself, RFC 3339.
   */
  readonly scheduled_at: string | null;
}
/**
 * A test of the account.
 */
export interface UnmanagedStatus {
  readonly progress: AnyProgress;
  /**
   * The test on the service.
   */
  readonly test_id: string;
  /**
   * Status as the service returns it.
   */
  readonly status: string;
  readonly state: TestState;
  /**
   * When it starts by itself, RFC 3339.
   */
  readonly scheduled_at: string | null;
  /**
   * Its name.
   */
  readonly name: string | null;
  /**
   * The project it says it belongs to; null where it says nothing.
   */
  readonly mark: TestMark | null;
}
/**
 * Which entry of which file a test was made from.
 */
export interface TestMark {
  /**
   * The project.
   */
  readonly project: string;
  /**
   * The environment.
   */
  readonly environment: string | null;
  /**
   * The key of the test.
   */
  readonly key: string;
}
/**
 * A worker of a service with --redis.
 */
export interface WorkerStatus {
  /**
   * Of the process.
   */
  readonly worker_id: string;
  /**
   * What its operator calls it.
   */
  readonly name: string;
  /**
   * Of loadtests.
   */
  readonly version: string;
  /**
   * draining: it takes nothing new. unusable: it speaks another version of the protocol than the service.
   */
  readonly state: 'ready' | 'busy' | 'draining' | 'unusable';
  /**
   * The run that it works on.
   */
  readonly result_id: string | null;
  /**
   * Threads that it gives to a run.
   */
  readonly threads: number;
  /**
   * Connections that it can have at once; null: nothing limits them.
   */
  readonly connections: number | null;
  /**
   * What it has addresses of.
   */
  readonly ip_versions: (4 | 6)[];
}
/**
 * Tests that were running or scheduled.
 */
export interface StopDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'stop';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Ids of the tests that were stopped.
   */
  readonly stopped: readonly string[];
  /**
   * Ids of the tests that were not.
   */
  readonly not_stopped: readonly string[];
}
/**
 * A valid file.
 */
export interface ValidateDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'validate';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file.
   */
  readonly project: string;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * Those that the file was checked in: the one of --env, else all that it has, or the first ones if the file is very large. Without --env, it was checked without one as well.
   */
  readonly environments: readonly string[];
}
/**
 * Apps that were to be verified.
 */
export interface VerifyDocument {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: 'verify';
  readonly exit_code: ExitCode;
  readonly problems: Problems;
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  /**
   * Origin of the service, or "embedded".
   */
  readonly service: string;
  /**
   * What was done, with its outcome.
   */
  readonly actions: readonly DoneAction[];
}
/**
 * The envelope that every document has. It stands alone where a command ended before it had anything to report.
 */
export interface Failure {
  /**
   * Fields are added, never changed.
   */
  readonly format_version: 1;
  /**
   * The command.
   */
  readonly command: string;
  /**
   * The exit code of the process.
   */
  readonly exit_code: number;
  readonly problems: Problems;
}
/**
 * A line that "loadtests serve --json" prints.
 */
export interface ServeEvent {
  /**
   * It accepts connections.
   */
  readonly event: 'listening';
  /**
   * Where.
   */
  readonly url: string;
  /**
   * A link to its page. It can be used once, within ten minutes; "loadtests open" prints another.
   */
  readonly page?: string;
}
/**
 * A line that "loadtests status --watch --json" prints whenever something changes.
 */
export interface StatusEvent {
  /**
   * The kind of line.
   */
  readonly event: 'status';
  /**
   * Of the file; null without one.
   */
  readonly project: string | null;
  /**
   * Of --env.
   */
  readonly environment: string | null;
  readonly apps: Apps;
  readonly tests: Tests;
  readonly orphaned: Orphaned;
  /**
   * Tests that are not ours; without a file, all tests.
   */
  readonly unmanaged: number;
  readonly unmanaged_tests?: UnmanagedTests;
  readonly workers?: Workers;
}
/**
 * A line that "loadtests worker --json" prints.
 */
export interface WorkerEvent {
  /**
   * It takes parts of runs.
   */
  readonly event: 'ready';
  /**
   * Of this process.
   */
  readonly id: string;
  /**
   * How its operator calls it.
   */
  readonly name: string;
}

import type { StoredRun } from '../../contract/overview-codec.ts';
import type { LoadJob } from '../../core/load/load-job.ts';
import type {
  AbortReason,
  LoadProgress,
  RunProgress,
  RunReport,
  ThresholdStop,
} from '../../core/load/run-report.ts';
import { addOutcomes, noOutcomes, type Outcomes } from '../../core/load/snapshot.ts';
import type { LostRun, RunObserver } from '../../core/ports/run-observer.ts';
import type { ActiveRun, OnProgress, Runner, VerifiedHost } from '../../core/ports/runner.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import type { PhaseRunner } from '../../core/ports/phase-runner.ts';
import { findFailedRule } from '../../core/compare/abort-evaluation.ts';
import { finishedRequestsOf, recordOfReport } from '../../core/run-record/report-record.ts';
import { ProblemError } from '../../core/problem.ts';
import { messageOf } from '../../core/unknown-value.ts';
import type { HostVerifier } from '../../egress/host-verifier.ts';
import type { ServiceLog } from '../log.ts';
import { closing, tooMuchLoad, unavailable } from '../refusal.ts';
import type { RunIdentity, ResultStore } from '../store/result-store.ts';
import { createEmptyReport } from './empty-report.ts';
import { HostLimiter, type HostLimits } from './host-limiter.ts';
import { NO_PHASES, resumePhasedRun, startPhasedRun, type PhaseJobs } from './phased-run.ts';
import type { RunEndRecorder } from './run-end-recorder.ts';

export interface RunsDeps {
  readonly results: ResultStore;
  readonly ends: RunEndRecorder;
  readonly runner: Runner;
  readonly phases: PhaseRunner;
  readonly verification: HostVerifier;
  readonly log: ServiceLog;
  readonly version: string;
  readonly observers: readonly RunObserver[];
  readonly limits: RunLimits;
  readonly now: () => number;
}

export interface RunLimits extends HostLimits {
  readonly hostCheckIntervalMs: number;
  readonly checkpointIntervalMs: number;
}

export interface HostUnderLoad extends VerifiedHost {
  readonly appId: string;
  readonly addresses: readonly string[];
}

export interface RunToStart {
  readonly testId: string;
  readonly startedAt: number;
  readonly job: LoadJob;
  readonly phases: PhaseJobs;
  readonly hosts: readonly HostUnderLoad[];
  /** Test whose abort rules apply to the run; null if none apply. */
  readonly abortSpec: AbortSpec | null;
}

/** The fields of a test that abort rules refer to. */
export type AbortSpec = Parameters<typeof findFailedRule>[0];

interface RunEntry {
  readonly run: RunToStart;
  readonly active: ActiveRun;
  progress: RunProgress | null;
  /** Report that was assembled last, and its progress; null before the first report. */
  latest: { readonly progress: RunProgress | null; readonly report: RunReport | null } | null;
  /** First request to stop the run; null if there was none. */
  stop: RunStop | null;
  /** Thresholds that the client has published for the active run, as the JSON of a verdict; null if there are none. */
  thresholds: string | null;
  thresholdStop: ThresholdStop | null;
  readonly finished: Promise<unknown>;
}

/**
 * Number of consecutive verifications that must fail before a run is stopped, because a network error may cause a
 * single failure.
 */
const MAX_FAILED_CHECKS = 2;

export class Runs {
  readonly #deps: RunsDeps;
  /** Active runs by result ID. Not by test, because a run that is being stopped may outlive its deleted test. */
  readonly #entries = new Map<string, RunEntry>();
  readonly #hostLimiter: HostLimiter;
  /** Settles when the last run to be checked has been admitted or refused. */
  #admission: Promise<unknown> = Promise.resolve();
  #closing = false;

  constructor(deps: RunsDeps) {
    this.#deps = deps;
    this.#hostLimiter = new HostLimiter(deps.limits);
  }

  /**
   * Resumes the unfinished runs of an earlier process. Runs that cannot be resumed end as `partial`. Must be called
   * before any run is started.
   *
   * @param hostsOf - Returns the hosts of a job; null if one of its apps was deleted.
   * @param abortSpecOf - Returns the test with an ID; null if the test does not exist.
   */
  async resumeAll(
    hostsOf: (job: LoadJob) => readonly HostUnderLoad[] | null,
    abortSpecOf: (testId: string) => AbortSpec | null,
  ): Promise<void> {
    const unfinished = this.#deps.results.unfinished();
    const resumed = await Promise.all(
      unfinished.map(async (run) => await this.#resume(run, hostsOf, abortSpecOf(run.testId))),
    );
    this.#finishLost(unfinished.filter((_, index) => resumed[index] === false));
  }

  async #resume(
    unfinished: StoredRun,
    hostsOf: Parameters<Runs['resumeAll']>[0],
    abortSpec: AbortSpec | null,
  ): Promise<boolean> {
    const { runner, phases, version, log } = this.#deps;
    const { id, testId, startedAt } = unfinished;
    try {
      const load = await runner.resume(id, this.#createListener(id));
      if (load === null) return false;
      const active = resumePhasedRun({ runner, phases, version }, load);
      const hosts = hostsOf(load.job);
      log.info({ event: 'run-resumed', test_id: testId, result_id: id });
      const run = { testId, startedAt, abortSpec, job: load.job, phases: NO_PHASES, hosts: hosts ?? [] };
      void this.#follow(run, active, { progress: load.lastProgress });
      if (hosts === null) active.stop('stopped');
      return true;
    } catch (error) {
      this.#logFailure(id, error);
      return false;
    }
  }

  /**
   * Calls `begin` if capacity and limits allow a run now, in the same turn of the event loop as the last check. Runs
   * are checked one after another, so that they cannot claim the same capacity.
   *
   * @throws Refusal 503 if the service is closing or its load generator is unavailable, 422 if the run can never be
   * admitted, 429 if it may be admitted later; errors of `begin`.
   */
  async admit<T>(job: LoadJob, begin: () => T): Promise<T> {
    const admitted = this.#admission.then(async () => {
      this.#refuseIfClosing();
      const shortage = await this.#deps.runner.check(job).catch((error: unknown) => {
        throw unavailable(error);
      });
      this.#refuseIfClosing();
      if (shortage !== null) throw tooMuchLoad(shortage.reason, shortage.retryAfter);
      this.#hostLimiter.refuseIfOverLimit(job);
      return begin();
    });
    this.#admission = admitted.catch(() => undefined);
    return await admitted;
  }

  #refuseIfClosing(): void {
    if (this.#closing) throw closing();
  }

  *list(): Iterable<{ readonly run: RunToStart; readonly progress: RunProgress | null }> {
    for (const { run, progress } of this.#entries.values()) yield { run, progress };
  }

  /**
   * Starts a run whose test and result are already stored. Never throws: failures are recorded in the result.
   *
   * @returns `report` resolves after the run has ended, and never rejects.
   */
  start(run: RunToStart): { readonly report: Promise<RunReport> } {
    const { runner, phases, version, log } = this.#deps;
    const resultId = run.job.runId;
    let active: ActiveRun;
    try {
      active = startPhasedRun({ runner, phases, version }, run, this.#createListener(resultId));
    } catch (error) {
      const report = this.#createFailureReport(run, error);
      this.#finish(run, report);
      return { report: Promise.resolve(report) };
    }
    log.info({ event: 'run-started', test_id: run.testId, result_id: resultId });
    return { report: this.#follow(run, active, null) };
  }

  #createListener(resultId: string): OnProgress {
    return (progress) => {
      const entry = this.#entries.get(resultId);
      if (entry === undefined) return;
      const before = entry.progress;
      entry.progress = progress;
      this.#observeSecond(entry, progress, before);
      this.#stopIfOverLimit(entry, progress);
      this.#stopIfRuleFailed(entry);
    };
  }

  /** @param before - Latest progress of a run that an earlier process started; null for a new run. */
  #follow(
    run: RunToStart,
    active: ActiveRun,
    before: { readonly progress: RunProgress | null } | null,
  ): Promise<RunReport> {
    const progress = before?.progress ?? null;
    const resultId = run.job.runId;
    const finished = active.ended
      .catch((error: unknown) => this.#createLossReport(run, error, before !== null))
      .then((report) => {
        // If the entry was already removed, the service was closed without waiting for this run.
        if (!this.#entries.delete(resultId)) return report;
        this.#hostLimiter.remove(resultId);
        if (!('lost' in report)) this.#observeSecond(entry, requestCountsOf(report), entry.progress);
        const ended = withThresholdStop(report, entry.thresholdStop);
        this.#finish(run, ended, entry.stop);
        return ended;
      });
    const entry: RunEntry = {
      run,
      active,
      progress,
      latest: null,
      stop: null,
      thresholds: null,
      thresholdStop: null,
      finished,
    };
    this.#entries.set(resultId, entry);
    this.#observeSecond(entry, NO_REQUESTS, null);
    this.#hostLimiter.add(run.job);
    // A threshold may have ended the run in the earlier process, and the run may report no further progress.
    if (before !== null) this.#stopIfRuleFailed(entry);
    this.#watchHosts(run, active, finished);
    this.#writeCheckpoints(run, active, finished);
    const { version } = this.#deps;
    return finished.then((report) =>
      'lost' in report ? createEmptyReport(report.abortReason, version) : report,
    );
  }

  #writeCheckpoints(run: RunToStart, active: ActiveRun, finished: Promise<unknown>): void {
    const { ends, limits } = this.#deps;
    const timer = setInterval(() => {
      const report = active.partialReport();
      if (report !== null) ends.checkpoint(toRunIdentity(run), report);
    }, limits.checkpointIntervalMs);
    void finished.finally(() => clearInterval(timer));
  }

  #stopIfOverLimit({ run, active }: RunEntry, progress: LoadProgress): void {
    const resultId = run.job.runId;
    if (!this.#hostLimiter.recordProgress(resultId, progress)) return;
    this.#deps.log.warn({ event: 'over-limit', test_id: run.testId, result_id: resultId });
    active.stop('over_limit');
  }

  /** Stops a run if one of its thresholds with `abort_after` has certainly failed. */
  #stopIfRuleFailed(entry: RunEntry): void {
    const { run, active, thresholdStop } = entry;
    if (run.abortSpec === null || thresholdStop !== null) return;
    if (run.abortSpec.abortRules === null) return;
    const { report = null } = this.currentState(run.job.runId) ?? {};
    if (report === null) return;
    const record = recordOfReport(report, run.startedAt);
    entry.thresholdStop = findFailedRule(run.abortSpec, record, report.elapsed);
    if (entry.thresholdStop === null) return;
    this.#deps.log.info({ event: 'threshold-failed', test_id: run.testId, result_id: run.job.runId });
    active.stop('threshold');
  }

  currentState(
    resultId: string,
  ): { readonly progress: RunProgress | null; readonly report: RunReport | null } | null {
    const entry = this.#entries.get(resultId);
    if (entry === undefined) return null;
    const { progress } = entry;
    // Assembles the report once per progress message, regardless of the number of polling clients.
    if (entry.latest?.progress !== progress) {
      entry.latest = { progress, report: entry.active.partialReport() };
    }
    return entry.latest;
  }

  setThresholds(resultId: string, thresholds: string): void {
    const entry = this.#entries.get(resultId);
    if (entry !== undefined) entry.thresholds = thresholds;
  }

  thresholdsOf(resultId: string): string | null {
    return this.#entries.get(resultId)?.thresholds ?? null;
  }

  progressOf(testId: string): RunProgress | null {
    return this.#entryOf(testId)?.progress ?? null;
  }

  /**
   * Stops the run of a test. If there is no active run, an unfinished result is recorded as `partial`.
   */
  stop(testId: string, stop: RunStop): void {
    const entry = this.#entryOf(testId);
    if (entry !== undefined) {
      this.#stopEntry(entry, stop);
      return;
    }
    const { ends, results } = this.#deps;
    // Retries pending writes first, because a result that is not yet stored must not be recorded as `partial`.
    ends.tick();
    this.#finishLost(results.unfinished().filter((run) => run.testId === testId && !ends.isPending(run.id)));
  }

  #stopEntry(entry: RunEntry, stop: RunStop): void {
    entry.stop ??= stop;
    entry.active.stop('stopped');
  }

  /** Stops all runs that send load to an app, including runs of tests that belong to other apps. */
  stopRunsOn(appId: string, stop: RunStop): void {
    for (const entry of this.#entries.values()) {
      if (entry.run.hosts.some((host) => host.appId === appId)) this.#stopEntry(entry, stop);
    }
  }

  /**
   * Stops all runs. Runs that do not end in time are recorded as `stopped`. Safe to call twice.
   *
   * @param graceMs - Maximum time for requests in flight to finish, in ms.
   */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const closing: RunStop = { at: this.#deps.now(), cause: 'closed', client: null };
    for (const entry of this.#entries.values()) this.#stopEntry(entry, closing);
    await this.#waitForAll(graceMs);
    await this.#deps.runner.close();
    await this.#waitForAll(1000);
    for (const [resultId, { run, active, stop }] of this.#entries) {
      this.#entries.delete(resultId);
      this.#finish(run, { ...(active.partialReport() ?? { lost: true }), abortReason: 'stopped' }, stop);
    }
  }

  async #waitForAll(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all([...this.#entries.values()].map((entry) => entry.finished)), grace]);
    clearTimeout(timer);
  }

  #finishLost(lost: readonly StoredRun[]): void {
    const { ends, log } = this.#deps;
    if (lost.length === 0) return;
    ends.write(lost.map((run) => ({ run, report: LOST_RUN })));
    log.warn({ event: 'runs-lost', count: lost.length });
  }

  #entryOf(testId: string): RunEntry | undefined {
    return [...this.#entries.values()].find((entry) => entry.run.testId === testId);
  }

  /**
   * Returns a failure report if a new run has reported no progress. Otherwise, returns `LOST_RUN`, so that the last
   * checkpoint, if any, becomes the result.
   */
  #createLossReport(run: RunToStart, error: unknown, wasStarted: boolean): RunReport | LostRun {
    const progress = this.#entries.get(run.job.runId)?.progress ?? null;
    if (progress === null && !wasStarted) return this.#createFailureReport(run, error);
    this.#logFailure(run.job.runId, error);
    return LOST_RUN;
  }

  #createFailureReport(run: RunToStart, error: unknown): RunReport {
    const expected = error instanceof ProblemError;
    const reason = expected ? error.problem.message : 'the load generator failed';
    this.#logFailure(run.job.runId, error);
    const report = createEmptyReport('partial', this.#deps.version);
    return { ...report, errorSamples: [{ url: run.job.targets[0]?.url ?? '', error: reason, count: 1 }] };
  }

  #logFailure(resultId: string, error: unknown): void {
    const reason = messageOf(error);
    this.#deps.log.error({ event: 'run-failed', result_id: resultId, reason });
  }

  #finish(run: RunToStart, report: RunReport | LostRun, stop: RunStop | null = null): void {
    this.#deps.ends.writeEventually({ run: toRunIdentity(run), report, stop });
  }

  /**
   * Reports to observers how much the request counts have increased since the previous progress.
   */
  #observeSecond({ run, progress }: RunEntry, now: Outcomes, before: Outcomes | null): void {
    // A count can decrease if the load generator of the run was lost.
    const increase = (key: keyof Outcomes) => Math.max(0, now[key] - (before?.[key] ?? 0));
    const counts = {
      success: increase('success'),
      error: increase('error'),
      timeoutError: increase('timeoutError'),
      networkError: increase('networkError'),
    };
    for (const observer of this.#deps.observers) observer.second(toRunIdentity(run), { counts, progress });
  }

  #watchHosts(run: RunToStart, active: ActiveRun, finished: Promise<unknown>): void {
    const { verification, log } = this.#deps;
    const { hostCheckIntervalMs } = this.#deps.limits;
    let failures = 0;
    let ended = false;
    let timer: NodeJS.Timeout;
    const next = () => {
      if (!ended) timer = setTimeout(() => void verify(), hostCheckIntervalMs);
    };
    const verify = async () => {
      const outcomes = await Promise.all(
        run.hosts.map(async (host) => await verification.reverify(host, host.addresses)),
      ).catch(() => [false]);
      failures = outcomes.every(Boolean) ? 0 : failures + 1;
      if (failures >= MAX_FAILED_CHECKS && !ended) {
        log.warn({ event: 'verification-lost', result_id: run.job.runId });
        active.stop('verification_lost' satisfies AbortReason);
      }
      next();
    };
    next();
    void finished.then(() => {
      ended = true;
      clearTimeout(timer);
    });
  }
}

/** Adds the failed threshold to the report of a run that a threshold ended. */
function withThresholdStop(report: RunReport | LostRun, stop: ThresholdStop | null): RunReport | LostRun {
  return 'lost' in report || report.abortReason !== 'threshold' ? report : { ...report, thresholdStop: stop };
}

const NO_REQUESTS: Outcomes = noOutcomes();

const LOST_RUN: LostRun = { lost: true, abortReason: 'partial' };

function toRunIdentity({ job, testId, startedAt }: RunToStart): RunIdentity {
  return { id: job.runId, testId, startedAt };
}

/** Returns the request counts of a report, including the warm-up. */
function requestCountsOf({ total, warmup }: RunReport): Outcomes {
  const sums = noOutcomes();
  addOutcomes(sums, finishedRequestsOf(total.ledger));
  if (warmup !== null) addOutcomes(sums, finishedRequestsOf(warmup.ledger));
  return sums;
}

/** The runs that go on in this process: starts and stops them, follows them, keeps how they ended. */
import type { LoadJob } from '../../core/load/load-job.ts';
import type {
  AbortReason,
  Ledger,
  LoadProgress,
  RunProgress,
  RunReport,
} from '../../core/load/run-report.ts';
import type { ActiveRun, OnProgress, Runner, VerifiedHost } from '../../core/ports/runner.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { ProblemError } from '../../core/problem.ts';
import type { HostVerifier } from '../../egress/host-verifier.ts';
import type { ServiceLog } from '../log.ts';
import type { LoadCounts, Metrics } from '../metrics.ts';
import { closing, tooMuchLoad } from '../refusal.ts';
import type { RunIdentity, ResultStore, StoredRun } from '../store/result-store.ts';
import { createEmptyReport } from './empty-report.ts';
import { HostLimiter, type HostLimits } from './host-limiter.ts';
import type { LostRun, RunEndRecorder } from './run-end-recorder.ts';

export interface RunsDeps {
  readonly results: ResultStore;
  readonly ends: RunEndRecorder;
  readonly runner: Runner;
  readonly verification: HostVerifier;
  readonly log: ServiceLog;
  readonly version: string;
  readonly metrics: Metrics;
  readonly limits: RunLimits;
  readonly now: () => number;
}

export interface RunLimits extends HostLimits {
  /** How often the hosts under load are asked whether they still consent. */
  readonly hostCheckIntervalMs: number;
  /** How often what a run has counted is kept. */
  readonly checkpointIntervalMs: number;
}

/** A host under load, as it was verified for this run. */
export interface HostUnderLoad extends VerifiedHost {
  readonly appId: string;
  readonly addresses: readonly string[];
}

export interface RunToStart {
  readonly testId: string;
  readonly startedAt: number;
  readonly job: LoadJob;
  readonly hosts: readonly HostUnderLoad[];
}

interface RunEntry {
  readonly run: RunToStart;
  readonly active: ActiveRun;
  progress: RunProgress | null;
  /** What was put together of it last, for whoever asks how far it has come. */
  latest: { readonly told: RunProgress | null; readonly report: RunReport | null } | null;
  /** Who asked it to end first; null: nobody. */
  stop: RunStop | null;
  readonly finished: Promise<unknown>;
}

/** So many checks in a row must fail before a run is ended: a single one may be an accident of the network. */
const MAX_FAILED_CHECKS = 2;

export class Runs {
  readonly #deps: RunsDeps;
  /** By result id: a run may outlive its test, while it drains. */
  readonly #entries = new Map<string, RunEntry>();
  readonly #hostLimiter: HostLimiter;
  /** Settles when the latest run that wants to start has been admitted or refused. */
  #admission: Promise<unknown> = Promise.resolve();
  #closing = false;

  constructor(parts: RunsDeps) {
    this.#deps = parts;
    this.#hostLimiter = new HostLimiter(parts.limits);
  }

  /**
   * Takes up what an earlier process left behind: a run whose load is still made is followed to its end, any other
   * ends as partial. To be called before anything is started.
   *
   * @param hostsOf the hosts of such a run; null when one of its apps is gone
   */
  async resumeAll(hostsOf: (job: LoadJob) => readonly HostUnderLoad[] | null): Promise<void> {
    const left = this.#deps.results.unfinished();
    const resumed = await Promise.all(left.map(async (run) => await this.#resume(run, hostsOf)));
    this.#finishLost(left.filter((_, index) => resumed[index] === false));
  }

  async #resume(left: StoredRun, hostsOf: Parameters<Runs['resumeAll']>[0]): Promise<boolean> {
    const { runner, log } = this.#deps;
    const { id, testId, startedAt } = left;
    try {
      const active = await runner.resume(id, this.#createListener(id));
      if (active === null) return false;
      const hosts = hostsOf(active.job);
      log.info({ event: 'run-resumed', test_id: testId, result_id: id });
      const run = { testId, startedAt, job: active.job, hosts: hosts ?? [] };
      void this.#follow(run, active, { told: active.lastProgress });
      if (hosts === null) active.stop('stopped');
      return true;
    } catch (error) {
      this.#logFailure(id, error);
      return false;
    }
  }

  /**
   * Lets a run begin if it may and can now. `begin` starts it, in the same turn in which nothing was found against it;
   * runs are looked at one after another, so that two of them never take the same place.
   *
   * Errors: Refusal 503 while closing; 422 when it cannot be made at all, 429 when it can later; the same of a cap;
   *         those of `begin`.
   */
  async admit<T>(job: LoadJob, begin: () => T): Promise<T> {
    const admitted = this.#admission.then(async () => {
      this.#refuseIfClosing();
      const shortage = await this.#deps.runner.check(job);
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

  /** Runs that go on. */
  running(): number {
    return this.#entries.size;
  }

  /** The same, each with what was told of it last. */
  *list(): Iterable<{ readonly run: RunToStart; readonly told: RunProgress | null }> {
    for (const { run, progress } of this.#entries.values()) yield { run, told: progress };
  }

  /** Connections of all runs, as they were last told. */
  connections(): number {
    let sum = 0;
    for (const { progress } of this.#entries.values()) sum += progress?.connections ?? 0;
    return sum;
  }

  /**
   * Starts a run whose test and result are already stored. Never throws: what goes wrong stands in the result.
   *
   * Shape: `report` is settled when the result is kept, and never rejects.
   */
  start(run: RunToStart): { readonly report: Promise<RunReport> } {
    const { runner, log } = this.#deps;
    const resultId = run.job.runId;
    let active: ActiveRun;
    try {
      active = runner.start(run.job, this.#createListener(resultId), run.hosts);
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
      this.#countLoad(progress, entry.progress);
      entry.progress = progress;
      this.#stopIfOverLimit(entry, progress);
    };
  }

  /**
   * @param before of a run that an earlier process started: what was told of it
   *
   * Shape: the report is empty where the run was lost and nobody has one.
   */
  #follow(
    run: RunToStart,
    active: ActiveRun,
    before: { readonly told: RunProgress | null } | null,
  ): Promise<RunReport> {
    const progress = before?.told ?? null;
    const resultId = run.job.runId;
    const finished = active.ended
      .catch((error: unknown) => this.#createLossReport(run, error, before !== null))
      .then((report) => {
        const { progress: counted = null, stop = null } = this.#entries.get(resultId) ?? {};
        // Gone already: the service closed without waiting for it any longer.
        if (!this.#entries.delete(resultId)) return report;
        this.#hostLimiter.remove(resultId);
        if (!('lost' in report)) this.#countLoad(requestCountsOf(report), counted);
        this.#finish(run, report, stop);
        return report;
      });
    this.#entries.set(resultId, { run, active, progress, latest: null, stop: null, finished });
    this.#hostLimiter.add(run.job);
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
    void finished.finally(() => {
      clearInterval(timer);
    });
  }

  #stopIfOverLimit({ run, active }: RunEntry, progress: LoadProgress): void {
    const resultId = run.job.runId;
    if (!this.#hostLimiter.recordProgress(resultId, progress)) return;
    this.#deps.log.warn({ event: 'over-limit', test_id: run.testId, result_id: resultId });
    active.stop('over_limit');
  }

  /** What a run that goes on has counted, and how far that was told; null when it does not go on. */
  currentState(
    resultId: string,
  ): { readonly told: RunProgress | null; readonly report: RunReport | null } | null {
    const entry = this.#entries.get(resultId);
    if (entry === undefined) return null;
    const { progress: told } = entry;
    // However many pages ask, the figures are put together once for each second that is told.
    if (entry.latest?.told !== told) entry.latest = { told, report: entry.active.partialReport() };
    return entry.latest;
  }

  progressOf(testId: string): RunProgress | null {
    return this.#entryOf(testId)?.progress ?? null;
  }

  /** Asks the run of a test to end. One that nothing is known of is ended now. */
  stop(testId: string, stop: RunStop): void {
    const entry = this.#entryOf(testId);
    if (entry !== undefined) {
      this.#stopEntry(entry, stop);
      return;
    }
    const { ends, results } = this.#deps;
    // An end that is known and could not be written yet is better than none.
    ends.tick();
    this.#finishLost(results.unfinished().filter((run) => run.testId === testId && !ends.isPending(run.id)));
  }

  #stopEntry(entry: RunEntry, stop: RunStop): void {
    entry.stop ??= stop;
    entry.active.stop('stopped');
  }

  /** Ends every run that sends load to an app: those of its own tests, and others that touch it. */
  stopRunsOn(appId: string, stop: RunStop): void {
    for (const entry of this.#entries.values()) {
      if (entry.run.hosts.some((host) => host.appId === appId)) this.#stopEntry(entry, stop);
    }
  }

  /**
   * Stops every run and keeps its result as stopped. Safe to call twice.
   *
   * @param graceMs how long requests in flight may take to finish
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

  /** Of a run whose generator is lost; where it had made load, its last checkpoint may know of it. */
  #createLossReport(run: RunToStart, error: unknown, wasStarted: boolean): RunReport | LostRun {
    const told = this.#entries.get(run.job.runId)?.progress ?? null;
    if (told === null && !wasStarted) return this.#createFailureReport(run, error);
    this.#logFailure(run.job.runId, error);
    return LOST_RUN;
  }

  /** Of a run that could not even be started. */
  #createFailureReport(run: RunToStart, error: unknown): RunReport {
    const expected = error instanceof ProblemError;
    const reason = expected ? error.problem.message : 'the load generator failed';
    this.#logFailure(run.job.runId, error);
    const report = createEmptyReport('partial', this.#deps.version);
    return { ...report, errorSamples: [{ url: run.job.targets[0]?.url ?? '', error: reason, count: 1 }] };
  }

  #logFailure(resultId: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#deps.log.error({ event: 'run-failed', result_id: resultId, reason });
  }

  #finish(run: RunToStart, report: RunReport | LostRun, stop: RunStop | null = null): void {
    this.#deps.ends.writeEventually({ run: toRunIdentity(run), report, stop });
  }

  /** Counts are since the start of the run; what was told before is counted already. */
  #countLoad(now: LoadCounts, before: LoadCounts | null): void {
    // A report that says less than was told is of a run whose generator was lost.
    const more = (key: keyof LoadCounts) => Math.max(0, now[key] - (before?.[key] ?? 0));
    this.#deps.metrics.addLoad({
      success: more('success'),
      error: more('error'),
      timeoutError: more('timeoutError'),
      networkError: more('networkError'),
    });
  }

  #watchHosts(run: RunToStart, active: ActiveRun, finished: Promise<unknown>): void {
    const { verification, log } = this.#deps;
    const { hostCheckIntervalMs } = this.#deps.limits;
    let failures = 0;
    let ended = false;
    let timer: NodeJS.Timeout;
    const next = () => {
      if (!ended) timer = setTimeout(() => void look(), hostCheckIntervalMs);
    };
    const look = async () => {
      const consents = await Promise.all(
        run.hosts.map(async (host) => await verification.reverify(host, host.addresses)),
      ).catch(() => [false]);
      failures = consents.every(Boolean) ? 0 : failures + 1;
      if (failures >= MAX_FAILED_CHECKS && !ended) {
        log.warn({ event: 'consent-withdrawn', result_id: run.job.runId });
        active.stop('consent_withdrawn' satisfies AbortReason);
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

const LOST_RUN: LostRun = { lost: true, abortReason: 'partial' };

function toRunIdentity({ job, testId, startedAt }: RunToStart): RunIdentity {
  return { id: job.runId, testId, startedAt };
}

/** The four counts of a run, with those of its warm-up. */
function requestCountsOf({ total, warmup }: RunReport): LoadCounts {
  const counts = countsOf(total.ledger);
  if (warmup === null) return counts;
  const before = countsOf(warmup.ledger);
  return {
    success: counts.success + before.success,
    error: counts.error + before.error,
    timeoutError: counts.timeoutError + before.timeoutError,
    networkError: counts.networkError + before.networkError,
  };
}

function countsOf(ledger: Ledger): LoadCounts {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  return {
    success: ledger.success,
    error: sum(ledger.httpError) + sum(ledger.unexpected),
    timeoutError: ledger.timeout.connect + ledger.timeout.tls + ledger.timeout.response,
    networkError: sum(ledger.network) + sum(ledger.protocol),
  };
}

/** The runs that go on in this process: starts and stops them, follows them, keeps how they ended. */
import type { LoadJob } from '../../core/load/job.ts';
import type { AbortReason, Ledger, LoadProgress, RunProgress, RunReport } from '../../core/load/report.ts';
import type { ActiveRun, OnProgress, Runner, VerifiedHost } from '../../core/ports/runner.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { ProblemError } from '../../core/problem.ts';
import type { Verification } from '../../egress/verification.ts';
import type { ServiceLog } from '../log.ts';
import type { LoadCounts, Metrics } from '../metrics.ts';
import { closing, tooMuchLoad } from '../refusal.ts';
import type { EndedRun, ResultStore, StoredRun } from '../store/results.ts';
import { emptyReport } from './empty-report.ts';
import { HostCaps, type HostLimits } from './host-caps.ts';
import type { LostRun, RunEnds } from './run-ends.ts';

export interface RunsParts {
  readonly results: ResultStore;
  readonly ends: RunEnds;
  readonly runner: Runner;
  readonly verification: Verification;
  readonly log: ServiceLog;
  readonly version: string;
  readonly metrics: Metrics;
  readonly limits: RunLimits;
  readonly now: () => number;
}

export interface RunLimits extends HostLimits {
  /** How often the hosts under load are asked whether they still consent. */
  readonly consentCheckMs: number;
  /** How often what a run has counted is kept. */
  readonly checkpointMs: number;
}

/** A host under load, as it was verified for this run. */
export interface LoadedHost extends VerifiedHost {
  readonly appId: string;
  readonly addresses: readonly string[];
}

export interface RunToStart {
  readonly testId: string;
  readonly startedAt: number;
  readonly job: LoadJob;
  readonly hosts: readonly LoadedHost[];
}

interface Entry {
  readonly run: RunToStart;
  readonly active: ActiveRun;
  progress: RunProgress | null;
  /** What was put together of it last, for whoever asks how far it has come. */
  seen: { readonly told: RunProgress | null; readonly report: RunReport | null } | null;
  /** Who asked it to end first; null: nobody. */
  stop: RunStop | null;
  readonly finished: Promise<unknown>;
}

/** So many checks in a row must fail before a run is ended: a single one may be an accident of the network. */
const WITHDRAWALS = 2;

export class Runs {
  readonly #parts: RunsParts;
  /** By result id: a run may outlive its test, while it drains. */
  readonly #entries = new Map<string, Entry>();
  readonly #caps: HostCaps;
  /** Settles when the latest run that wants to start has been admitted or refused. */
  #admission: Promise<unknown> = Promise.resolve();
  #closing = false;

  constructor(parts: RunsParts) {
    this.#parts = parts;
    this.#caps = new HostCaps(parts.limits);
  }

  /**
   * Takes up what an earlier process left behind: a run whose load is still made is followed to its end, any other
   * ends as partial. To be called before anything is started.
   *
   * @param hostsOf the hosts of such a run; null when one of its apps is gone
   */
  async takeUp(hostsOf: (job: LoadJob) => readonly LoadedHost[] | null): Promise<void> {
    const left = this.#parts.results.unfinished();
    const resumed = await Promise.all(left.map(async (run) => await this.#resume(run, hostsOf)));
    this.#endLost(left.filter((_, index) => resumed[index] === false));
  }

  async #resume(left: StoredRun, hostsOf: Parameters<Runs['takeUp']>[0]): Promise<boolean> {
    const { runner, log } = this.#parts;
    const { id, testId, startedAt } = left;
    try {
      const active = await runner.resume(id, this.#hearing(id));
      if (active === null) return false;
      const hosts = hostsOf(active.job);
      log.info({ event: 'run-resumed', test_id: testId, result_id: id });
      const run = { testId, startedAt, job: active.job, hosts: hosts ?? [] };
      void this.#follow(run, active, { told: active.told });
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
      const shortage = await this.#parts.runner.check(job);
      this.#refuseIfClosing();
      if (shortage !== null) throw tooMuchLoad(shortage.reason, shortage.retryAfter);
      this.#caps.refuseOver(job);
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
    const { runner, log } = this.#parts;
    const resultId = run.job.runId;
    let active: ActiveRun;
    try {
      active = runner.start(run.job, this.#hearing(resultId), run.hosts);
    } catch (error) {
      const report = this.#reportOfFailure(run, error);
      this.#finish(run, report);
      return { report: Promise.resolve(report) };
    }
    log.info({ event: 'run-started', test_id: run.testId, result_id: resultId });
    return { report: this.#follow(run, active, null) };
  }

  #hearing(resultId: string): OnProgress {
    return (progress) => {
      const entry = this.#entries.get(resultId);
      if (entry === undefined) return;
      this.#countLoad(progress, entry.progress);
      entry.progress = progress;
      this.#endIfOver(entry, progress);
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
      .catch((error: unknown) => this.#reportOfLoss(run, error, before !== null))
      .then((report) => {
        const { progress: counted = null, stop = null } = this.#entries.get(resultId) ?? {};
        // Gone already: the service closed without waiting for it any longer.
        if (!this.#entries.delete(resultId)) return report;
        this.#caps.remove(resultId);
        if (!('lost' in report)) this.#countLoad(outcomesOf(report), counted);
        this.#finish(run, report, stop);
        return report;
      });
    this.#entries.set(resultId, { run, active, progress, seen: null, stop: null, finished });
    this.#caps.add(run.job);
    this.#watchConsent(run, active, finished);
    this.#keepCheckpoints(run, active, finished);
    const { version } = this.#parts;
    return finished.then((report) => ('lost' in report ? emptyReport(report.abortReason, version) : report));
  }

  #keepCheckpoints(run: RunToStart, active: ActiveRun, finished: Promise<unknown>): void {
    const { ends, limits } = this.#parts;
    const timer = setInterval(() => {
      const report = active.soFar();
      if (report !== null) ends.checkpoint(endedRunOf(run), report);
    }, limits.checkpointMs);
    void finished.finally(() => {
      clearInterval(timer);
    });
  }

  #endIfOver({ run, active }: Entry, progress: LoadProgress): void {
    const resultId = run.job.runId;
    if (!this.#caps.see(resultId, progress)) return;
    this.#parts.log.warn({ event: 'over-limit', test_id: run.testId, result_id: resultId });
    active.stop('over_limit');
  }

  /** What a run that goes on has counted, and how far that was told; null when it does not go on. */
  soFar(resultId: string): { readonly told: RunProgress | null; readonly report: RunReport | null } | null {
    const entry = this.#entries.get(resultId);
    if (entry === undefined) return null;
    const { progress: told } = entry;
    // However many pages ask, the figures are put together once for each second that is told.
    if (entry.seen?.told !== told) entry.seen = { told, report: entry.active.soFar() };
    return entry.seen;
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
    const { ends, results } = this.#parts;
    // An end that is known and could not be written yet is better than none.
    ends.tick();
    this.#endLost(results.unfinished().filter((run) => run.testId === testId && !ends.isWaiting(run.id)));
  }

  #stopEntry(entry: Entry, stop: RunStop): void {
    entry.stop ??= stop;
    entry.active.stop('stopped');
  }

  /** Ends every run that sends load to an app: those of its own tests, and others that touch it. */
  stopLoadOn(appId: string, stop: RunStop): void {
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
    const closing: RunStop = { at: this.#parts.now(), cause: 'closed', client: null };
    for (const entry of this.#entries.values()) this.#stopEntry(entry, closing);
    await this.#allFinishedWithin(graceMs);
    await this.#parts.runner.close();
    await this.#allFinishedWithin(1000);
    for (const [resultId, { run, active, stop }] of this.#entries) {
      this.#entries.delete(resultId);
      this.#finish(run, { ...(active.soFar() ?? { lost: true }), abortReason: 'stopped' }, stop);
    }
  }

  async #allFinishedWithin(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all([...this.#entries.values()].map((entry) => entry.finished)), grace]);
    clearTimeout(timer);
  }

  #endLost(lost: readonly StoredRun[]): void {
    const { ends, log } = this.#parts;
    if (lost.length === 0) return;
    ends.write(lost.map((run) => ({ run, report: LOST })));
    log.warn({ event: 'runs-lost', count: lost.length });
  }

  #entryOf(testId: string): Entry | undefined {
    return [...this.#entries.values()].find((entry) => entry.run.testId === testId);
  }

  /** Of a run whose generator is lost; where it had made load, its last checkpoint may know of it. */
  #reportOfLoss(run: RunToStart, error: unknown, wasStarted: boolean): RunReport | LostRun {
    const told = this.#entries.get(run.job.runId)?.progress ?? null;
    if (told === null && !wasStarted) return this.#reportOfFailure(run, error);
    this.#logFailure(run.job.runId, error);
    return LOST;
  }

  /** Of a run that could not even be started. */
  #reportOfFailure(run: RunToStart, error: unknown): RunReport {
    const expected = error instanceof ProblemError;
    const reason = expected ? error.problem.message : 'the load generator failed';
    this.#logFailure(run.job.runId, error);
    const report = emptyReport('partial', this.#parts.version);
    return { ...report, errorSamples: [{ url: run.job.targets[0]?.url ?? '', error: reason, count: 1 }] };
  }

  #logFailure(resultId: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.log.error({ event: 'run-failed', result_id: resultId, reason });
  }

  #finish(run: RunToStart, report: RunReport | LostRun, stop: RunStop | null = null): void {
    this.#parts.ends.settle({ run: endedRunOf(run), report, stop });
  }

  /** Counts are since the start of the run; what was told before is counted already. */
  #countLoad(now: LoadCounts, before: LoadCounts | null): void {
    // A report that says less than was told is of a run whose generator was lost.
    const more = (key: keyof LoadCounts) => Math.max(0, now[key] - (before?.[key] ?? 0));
    this.#parts.metrics.addLoad({
      success: more('success'),
      error: more('error'),
      timeoutError: more('timeoutError'),
      networkError: more('networkError'),
    });
  }

  #watchConsent(run: RunToStart, active: ActiveRun, finished: Promise<unknown>): void {
    const { verification, log } = this.#parts;
    const { consentCheckMs } = this.#parts.limits;
    let failures = 0;
    let ended = false;
    let timer: NodeJS.Timeout;
    const next = () => {
      if (!ended) timer = setTimeout(() => void look(), consentCheckMs);
    };
    const look = async () => {
      const consents = await Promise.all(
        run.hosts.map(async (host) => await verification.stillConsents(host, host.addresses)),
      ).catch(() => [false]);
      failures = consents.every(Boolean) ? 0 : failures + 1;
      if (failures >= WITHDRAWALS && !ended) {
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

const LOST: LostRun = { lost: true, abortReason: 'partial' };

function endedRunOf({ job, testId, startedAt }: RunToStart): EndedRun {
  return { id: job.runId, testId, startedAt };
}

/** The four counts of a run, with those of its warm-up. */
function outcomesOf({ total, warmup }: RunReport): LoadCounts {
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

/** A run with requests before or after its load. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadJob, PayloadRows } from '../../core/load/load-job.ts';
import type { AbortReason, PhaseReport, RunReport, TracedExchange } from '../../core/load/run-report.ts';
import { Mask } from '../../core/mask.ts';
import type { PhaseName } from '../../core/model/phase.ts';
import type { PhaseOutcome, PhaseRunner } from '../../core/ports/phase-runner.ts';
import type {
  ActiveLoad,
  ActiveRun,
  OnProgress,
  ResumedRun,
  Runner,
  VerifiedHost,
} from '../../core/ports/runner.ts';
import { milliseconds, type Milliseconds } from '../../core/units.ts';
import { createEmptyReport } from './empty-report.ts';

/** The phases of a run, each as a job; null for a phase that the test does not have. */
export interface PhaseJobs {
  readonly setup: LoadJob | null;
  readonly teardown: LoadJob | null;
  /** Interval at which the setup is repeated during the load; null if the setup is sent only once. */
  readonly refresh: Milliseconds | null;
}

interface PhasedLoad {
  readonly job: LoadJob;
  readonly phases: PhaseJobs;
  readonly hosts: readonly VerifiedHost[];
}

export const NO_PHASES: PhaseJobs = { setup: null, teardown: null, refresh: null };

interface PhasedRunDeps {
  readonly runner: Runner;
  readonly phases: PhaseRunner;
  readonly version: string;
}

/** State of a run during its load, from which another process can continue the phases. */
interface KeptState {
  readonly phases: PhaseJobs;
  readonly setup: PhaseReport | null;
  /** Values that the setup extracted for use in the teardown; null if there are none. */
  readonly rows: PayloadRows | null;
  /** Start of the load, in ms since the epoch. */
  readonly startedAt: number;
}

export function startPhasedRun(deps: PhasedRunDeps, run: PhasedLoad, onProgress: OnProgress): ActiveRun {
  const { setup, teardown } = run.phases;
  if (setup === null && teardown === null) return deps.runner.start(run.job, onProgress, run.hosts);
  return PhasedRun.start(deps, run, onProgress);
}

export function resumePhasedRun(deps: PhasedRunDeps, load: ResumedRun): ActiveRun {
  if (load.kept === null) return load;
  // The content is trusted, because it was encrypted by this service.
  return PhasedRun.resume(deps, load, JSON.parse(load.kept) as KeptState);
}

class PhasedRun implements ActiveRun {
  readonly ended: Promise<RunReport>;
  readonly #deps: PhasedRunDeps;
  readonly #phases: PhaseJobs;
  readonly #abort = new AbortController();
  #setup: PhaseReport | null = null;
  /** Latest values of the setup, for the teardown; null if there are none, or if each iteration has its own values. */
  #rows: PayloadRows | null = null;
  #load: ActiveLoad | null = null;
  #startedAt = 0;
  #stopReason: AbortReason | null = null;

  private constructor(
    deps: PhasedRunDeps,
    phases: PhaseJobs,
    follow: (run: PhasedRun) => Promise<RunReport>,
  ) {
    this.#deps = deps;
    this.#phases = phases;
    this.ended = follow(this);
  }

  static start(deps: PhasedRunDeps, run: PhasedLoad, onProgress: OnProgress): PhasedRun {
    return new PhasedRun(deps, run.phases, (phased) => phased.#run(run, onProgress));
  }

  static resume(deps: PhasedRunDeps, load: ResumedRun, state: KeptState): PhasedRun {
    return new PhasedRun(deps, state.phases, (phased) => {
      phased.#setup = state.setup;
      phased.#rows = state.rows;
      phased.#startedAt = state.startedAt;
      return phased.#follow(load.job, load, []);
    });
  }

  /** Stops the run. Has no effect during the teardown, which is also sent if a run is stopped. */
  stop(reason: AbortReason): void {
    this.#stopReason ??= reason;
    if (this.#load === null) this.#abort.abort();
    else this.#load.stop(reason);
  }

  partialReport(): RunReport | null {
    const report = this.#load?.partialReport() ?? null;
    return report && { ...report, setup: this.#setup };
  }

  async #run({ job, hosts }: PhasedLoad, onProgress: OnProgress): Promise<RunReport> {
    const options = { endsOnFailure: true, signal: this.#abort.signal };
    const setup = this.#phases.setup && (await this.#deps.phases.run(this.#phases.setup, options));
    this.#setup = setup && reportOf(setup);
    if (setup !== null) this.#setRows(setup);
    const exchanges = exchangesOf('setup', setup);
    const reason = this.#stopReason ?? (this.#setup?.failure ? 'setup' : null);
    if (reason !== null)
      return await this.#tearDown({ ...createEmptyReport(reason, this.#deps.version), exchanges });
    this.#startedAt = Date.now();
    const load = this.#deps.runner.start(withRows(job, setup?.rows ?? null), onProgress, hosts);
    return await this.#follow(job, load, job.trace === null ? [] : exchanges);
  }

  async #follow(job: LoadJob, load: ActiveLoad, exchanges: readonly TracedExchange[]): Promise<RunReport> {
    this.#load = load;
    const [isOver, isLate] = [new AbortController(), new AbortController()];
    const refreshed = this.#repeatSetup(job, load, { isOver: isOver.signal, isLate: isLate.signal });
    this.#keep(load, this.#phases);
    let report: RunReport | null = null;
    let failure: unknown = null;
    try {
      report = await load.ended;
    } catch (error) {
      failure = error;
    }
    isOver.abort();
    const late = setTimeout(() => isLate.abort(), job.timeout);
    await refreshed;
    clearTimeout(late);
    if (this.#phases.teardown !== null) this.#keep(load, NO_PHASES);
    const ended = await this.#tearDown(
      report && { ...report, exchanges: [...exchanges, ...report.exchanges] },
    );
    if (ended === null) throw failure;
    return ended;
  }

  #setRows({ rows }: PhaseOutcome): void {
    this.#rows = this.#phases.setup?.iterationRows.length === 0 ? rows : null;
  }

  #keep(load: ActiveLoad, phases: PhaseJobs): void {
    const state: KeptState = {
      phases: { ...phases, setup: phases.refresh === null ? null : phases.setup },
      setup: this.#setup,
      rows: this.#rows,
      startedAt: this.#startedAt,
    };
    load.keep(JSON.stringify(state));
  }

  /**
   * Sends the setup again at multiples of the interval until the load ends. After a failed repetition, the earlier
   * values remain in use.
   *
   * @param isOver - Signal that the load has ended, after which the setup is not sent again.
   * @param isLate - Signal that aborts a repetition in progress.
   */
  async #repeatSetup(
    job: LoadJob,
    load: ActiveLoad,
    { isOver, isLate }: { readonly isOver: AbortSignal; readonly isLate: AbortSignal },
  ): Promise<void> {
    const { setup, refresh } = this.#phases;
    if (setup === null || refresh === null) return;
    for (;;) {
      const elapsed = Date.now() - this.#startedAt;
      const next = (Math.floor(elapsed / refresh) + 1) * refresh;
      if (next >= job.duration) return;
      // If the load ends during the wait, `sleep` rejects.
      await sleep(next - elapsed, undefined, { signal: isOver }).catch(() => undefined);
      if (isOver.aborted) return;
      const outcome = await this.#deps.phases.run(setup, { endsOnFailure: true, signal: isLate });
      this.#setup = sumOfReports(this.#setup, reportOf(outcome));
      if (outcome.failure === null && !isLate.aborted) {
        this.#setRows(outcome);
        load.replaceRows(outcome.rows);
      }
      this.#keep(load, this.#phases);
    }
  }

  async #tearDown<Report extends RunReport | null>(report: Report): Promise<Report> {
    const job = this.#phases.teardown;
    const options = { endsOnFailure: false, signal: new AbortController().signal };
    const teardown = job && (await this.#deps.phases.run(withRows(job, this.#rows), options));
    if (report === null) return report;
    const exchanges = [...report.exchanges, ...exchangesOf('teardown', job?.trace ? teardown : null)];
    return { ...report, setup: this.#setup, teardown: teardown && reportOf(teardown), exchanges };
  }
}

function sumOfReports(
  before: PhaseReport | null,
  { requests, failed, elapsed, failure }: PhaseReport,
): PhaseReport {
  return {
    requests: (before?.requests ?? 0) + requests,
    failed: (before?.failed ?? 0) + failed,
    elapsed: milliseconds((before?.elapsed ?? 0) + elapsed),
    failure: before?.failure ?? failure,
  };
}

/**
 * Returns the exchanges of a phase. Masks the values that the phase extracted from responses, because such values are
 * usually credentials.
 */
function exchangesOf(phase: PhaseName, outcome: PhaseOutcome | null): readonly TracedExchange[] {
  if (outcome === null) return [];
  const mask = new Mask(outcome.rows.values.flat().filter((value) => value.length >= MIN_MASKED_LENGTH));
  return outcome.exchanges.map((exchange) => ({
    ...exchange,
    phase,
    url: mask.apply(exchange.url),
    requestHeader: mask.apply(exchange.requestHeader),
    requestBody: mask.apply(exchange.requestBody),
    responseHeader: mask.apply(exchange.responseHeader),
    responseBody: exchange.responseBody && mask.apply(exchange.responseBody),
    variables: Object.fromEntries(Object.keys(exchange.variables).map((name) => [name, '***'])),
  }));
}

/**
 * Minimum length of a masked value. Shorter values, such as a status, are rarely credentials and often occur elsewhere.
 */
const MIN_MASKED_LENGTH = 4;

function reportOf({ counts, failure }: PhaseOutcome): PhaseReport {
  return { ...counts, failure };
}

function withRows(job: LoadJob, rows: PayloadRows | null): LoadJob {
  return rows === null || rows.names.length === 0
    ? job
    : { ...job, iterationRows: [...job.iterationRows, rows] };
}

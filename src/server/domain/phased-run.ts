/** A run with requests before or after its load. The load generator receives the values of the setup as rows. */
import type { LoadJob, PayloadRows } from '../../core/load/load-job.ts';
import type { AbortReason, PhaseReport, RunReport, TracedExchange } from '../../core/load/run-report.ts';
import { Mask } from '../../core/mask.ts';
import type { PhaseName } from '../../core/model/phase.ts';
import type { PhaseOutcome, PhaseRunner } from '../../core/ports/phase-runner.ts';
import type { ActiveRun, OnProgress, Runner, VerifiedHost } from '../../core/ports/runner.ts';
import { createEmptyReport } from './empty-report.ts';

/** The phases of a run, each as a job; null for a phase that the test lacks. */
export interface PhaseJobs {
  readonly setup: LoadJob | null;
  readonly teardown: LoadJob | null;
}

interface PhasedLoad {
  readonly job: LoadJob;
  readonly phases: PhaseJobs;
  readonly hosts: readonly VerifiedHost[];
}

export const NO_PHASES: PhaseJobs = { setup: null, teardown: null };

interface PhasedRunDeps {
  readonly runner: Runner;
  readonly phases: PhaseRunner;
  readonly version: string;
}

/** Starts a run, which begins with its setup and ends with its teardown. */
export function startPhasedRun(deps: PhasedRunDeps, run: PhasedLoad, onProgress: OnProgress): ActiveRun {
  const { setup, teardown } = run.phases;
  if (setup === null && teardown === null) return deps.runner.start(run.job, onProgress, run.hosts);
  return new PhasedRun(deps, run, onProgress);
}

class PhasedRun implements ActiveRun {
  readonly ended: Promise<RunReport>;
  readonly #deps: PhasedRunDeps;
  readonly #abort = new AbortController();
  #setup: PhaseReport | null = null;
  /** The load; null before it starts. */
  #load: ActiveRun | null = null;
  /** First reason for stopping the run; null if there was none. */
  #stopReason: AbortReason | null = null;

  constructor(deps: PhasedRunDeps, run: PhasedLoad, onProgress: OnProgress) {
    this.#deps = deps;
    this.ended = this.#run(run, onProgress);
  }

  /**
   * @param reason - Reason for the stop. A stop during the teardown has no effect, because the load has
   * already ended.
   */
  stop(reason: AbortReason): void {
    this.#stopReason ??= reason;
    if (this.#load === null) this.#abort.abort();
    else this.#load.stop(reason);
  }

  partialReport(): RunReport | null {
    const report = this.#load?.partialReport() ?? null;
    return report && { ...report, setup: this.#setup };
  }

  async #run({ job, phases, hosts }: PhasedLoad, onProgress: OnProgress): Promise<RunReport> {
    const options = { endsOnFailure: true, signal: this.#abort.signal };
    const setup = phases.setup && (await this.#deps.phases.run(phases.setup, options));
    this.#setup = setup && reportOf(setup);
    const rows = setup?.rows ?? null;
    // If the setup has rows, the values differ between iterations.
    const rowsOfTeardown = phases.setup?.iterationRows.length === 0 ? rows : null;
    const reason = this.#stopReason ?? (this.#setup?.failure ? 'setup' : null);
    if (reason !== null) {
      return await this.#tearDown(
        { ...createEmptyReport(reason, this.#deps.version), exchanges: exchangesOf('setup', setup) },
        phases.teardown,
        rowsOfTeardown,
      );
    }
    const load = this.#deps.runner.start(withRows(job, rows), onProgress, hosts);
    this.#load = load;
    let report: RunReport;
    try {
      report = await load.ended;
      if (job.trace !== null)
        report = { ...report, exchanges: [...exchangesOf('setup', setup), ...report.exchanges] };
    } catch (error) {
      await this.#tearDown(null, phases.teardown, rowsOfTeardown);
      throw error;
    }
    return await this.#tearDown(report, phases.teardown, rowsOfTeardown);
  }

  /** Sends the requests after the load, and adds the counts of the phases to the report. */
  async #tearDown<Report extends RunReport | null>(
    report: Report,
    job: LoadJob | null,
    rows: PayloadRows | null,
  ): Promise<Report> {
    const options = { endsOnFailure: false, signal: new AbortController().signal };
    const teardown = job && (await this.#deps.phases.run(withRows(job, rows), options));
    if (report === null) return report;
    const exchanges = [...report.exchanges, ...exchangesOf('teardown', job?.trace ? teardown : null)];
    return { ...report, setup: this.#setup, teardown: teardown && reportOf(teardown), exchanges };
  }
}

/**
 * Returns the exchanges of a phase. Values that it took from responses are masked, because they are usually
 * credentials.
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

/** Shorter values, such as a status or a flag, also occur in other places, and are rarely credentials. */
const MIN_MASKED_LENGTH = 4;

function reportOf({ counts, failure }: PhaseOutcome): PhaseReport {
  return { ...counts, failure };
}

/** Adds the values of the setup to the variables of each iteration. */
function withRows(job: LoadJob, rows: PayloadRows | null): LoadJob {
  return rows === null || rows.names.length === 0
    ? job
    : { ...job, iterationRows: [...job.iterationRows, rows] };
}

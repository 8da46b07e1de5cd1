/** Makes load on this machine: splits a job over threads, adds up what they count, and sums it up. */
import type { LoadJob } from '../core/load/job.ts';
import { isOpenModel } from '../core/load/pace.ts';
import { MOST_EXCHANGES, type AbortReason, type Exchange, type RunReport } from '../core/load/report.ts';
import { shard, type Share } from '../core/load/shard.ts';
import { endsByErrors, JUDGED_EVERY } from '../core/load/stop-rule.ts';
import { summarizeProgress, summarizeRun } from '../core/load/summary.ts';
import { RunTotals } from '../core/load/totals.ts';
import type { OnProgress, Runner } from '../core/ports/runner.ts';
import { problem, ProblemError, type Problem } from '../core/problem.ts';
import { milliseconds } from '../core/units.ts';
import { processTime } from './clock.ts';
import { connectionsNeeded, findShortage, readMachineLimits } from './limits.ts';
import type { FromWorker, Unstarted } from './messages.ts';
import { WorkerPool } from './pool.ts';
import { compileJob } from './request-bytes.ts';
import { packRowsOf, withoutRows, type JobRows } from './row-table.ts';

export interface EngineOptions {
  /** The built entry of the threads, `dist/engine/worker.js`: threads of Node 20 cannot load TypeScript. */
  readonly workerUrl: URL;
  /** For the reports. */
  readonly version: string;
}

/** Between the last thread's readiness and the first request: time for the message to arrive everywhere. */
const START_DELAY_MS = 10;

/** How long threads may take to close their books when the engine closes. */
const CLOSE_GRACE_MS = 1000;

/** Makes load with threads of this process, and so knows of no run of an earlier one. */
export function createEngine(options: EngineOptions): Runner {
  const runs = new Set<Run>();
  let closed = false;
  const findShortfall = (job: LoadJob): Problem | null => {
    const reserved = [...runs].reduce((sum, run) => sum + run.connections, 0);
    return findShortage(job, readMachineLimits(), reserved);
  };
  return {
    start: (job, onProgress) => {
      try {
        if (closed) throw new Error('Bug: the engine is closed');
        const fault = findShortfall(job);
        if (fault !== null) throw new ProblemError(fault);
        // Here rather than in a thread, so that a job that is wrong fails as itself.
        const rows = packRowsOf(job);
        compileJob(job, undefined, rows);
        const run = new Run({ job, rows }, options, onProgress);
        runs.add(run);
        const ended = run.ended.finally(() => runs.delete(run));
        // The job itself, with all its rows, is not kept.
        const { timeout } = job;
        return {
          ended,
          stop: (reason) => {
            run.stop(reason, timeout);
          },
        };
      } catch (error) {
        return {
          ended: Promise.reject(error instanceof Error ? error : new Error(String(error))),
          stop: () => undefined,
        };
      }
    },
    resume: () => Promise.resolve(null),
    check: (job) => {
      const fault = findShortfall(job);
      if (fault === null) return Promise.resolve(null);
      return Promise.resolve(fault.hint === null ? fault.message : `${fault.message}; ${fault.hint}`);
    },
    close: async () => {
      closed = true;
      await Promise.all([...runs].map((run) => run.close()));
    },
  };
}

type WorkerState = 'booting' | 'ready' | 'done' | 'dead';

class Run {
  /** Settles when all books are closed and the threads are gone. */
  readonly ended: Promise<RunReport>;
  /** Connections that it surely needs. */
  readonly connections: number;
  readonly #job: LoadJob;
  readonly #options: EngineOptions;
  readonly #onProgress: OnProgress;
  readonly #totals: RunTotals;
  readonly #shares: readonly Share[];
  readonly #pool: WorkerPool;
  readonly #states: WorkerState[];
  /** The latest second that each worker has told of. */
  readonly #toldSeconds: number[];
  readonly #exchanges: Exchange[] = [];
  #progressTold = -1;
  #started = 0;
  #elapsedMs = 0;
  #abortReason: AbortReason | null = null;
  #judge: NodeJS.Timeout | null = null;
  #over = false;
  #resolve: (report: RunReport) => void = () => undefined;
  #reject: (cause: Error) => void = () => undefined;

  constructor(
    work: { readonly job: LoadJob; readonly rows: JobRows },
    options: EngineOptions,
    onProgress: OnProgress,
  ) {
    const { job, rows } = work;
    this.#job = withoutRows(job);
    this.#options = options;
    this.#onProgress = onProgress;
    this.connections = connectionsNeeded(job);
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#shares = shard(job, job.threads);
    this.#states = this.#shares.map(() => 'booting');
    this.#toldSeconds = this.#shares.map(() => -1);
    this.#totals = new RunTotals({
      targets: job.targets.length,
      workers: this.#shares.length,
      apart: isOpenModel(job),
    });
    // The closed model plans a request when it starts; the open ones have planned them all from the beginning.
    if (isOpenModel(job)) for (const share of this.#shares) this.#totals.plan(share.worker, share.clients);
    this.#pool = new WorkerPool(
      options.workerUrl,
      { job: this.#job, rows, shares: this.#shares },
      {
        onMessage: (worker, message) => {
          this.#hear(worker, message);
        },
        onDeath: (worker, cause) => {
          this.#lose(worker, cause);
        },
      },
    );
  }

  stop(reason: AbortReason, drainMs: number): void {
    if (this.#over) return;
    this.#abortReason ??= reason;
    const unstarted: Unstarted = this.#abortReason === 'stopped' ? 'stopped' : 'aborted';
    this.#pool.tell({ type: 'stop', unstarted, drainMs });
  }

  /** Ends without a drain; threads that do not answer in time are ended by force. */
  async close(): Promise<void> {
    this.stop('stopped', 0);
    const force = setTimeout(() => {
      this.#states.forEach((state, worker) => {
        if (state !== 'done' && state !== 'dead') this.#closeBooks(worker, 'stopped');
      });
      this.#endIfAllDone();
    }, CLOSE_GRACE_MS);
    try {
      await this.ended.catch(() => undefined);
    } finally {
      clearTimeout(force);
    }
  }

  #hear(worker: number, message: FromWorker): void {
    if (this.#over) return;
    switch (message.type) {
      case 'ready':
        this.#states[worker] = 'ready';
        this.#goWhenReady();
        return;
      case 'slice':
        this.#totals.add(message.slice);
        this.#toldSeconds[worker] = message.slice.second;
        this.#tellProgress(message.slice.until);
        return;
      case 'exchange':
        if (this.#exchanges.length < MOST_EXCHANGES) this.#exchanges.push(message.exchange);
        return;
      case 'done':
        this.#states[worker] = 'done';
        this.#elapsedMs = Math.max(this.#elapsedMs, message.elapsedMs);
        this.#endIfAllDone();
        return;
    }
  }

  #goWhenReady(): void {
    if (this.#started > 0 || this.#states.includes('booting')) return;
    this.#started = processTime() + START_DELAY_MS;
    this.#pool.tell({ type: 'go', start: this.#started });
    this.#judge = setInterval(() => {
      if (this.#abortReason === null && endsByErrors(this.#pool.pulse(), this.#job.errorThreshold)) {
        this.stop('error_threshold', this.#job.timeout);
      }
    }, JUDGED_EVERY);
  }

  /** A second is complete when every worker that goes on has told of it. */
  #tellProgress(until: number): void {
    const told = this.#toldSeconds.filter((_, worker) => this.#states[worker] === 'ready');
    const second = Math.min(...told);
    if (!Number.isFinite(second) || second <= this.#progressTold) return;
    this.#progressTold = second;
    this.#onProgress(summarizeProgress(this.#totals, second, until));
  }

  #lose(worker: number, cause: Error): void {
    if (this.#over || this.#states[worker] === 'done') return;
    if (this.#states.every((state) => state === 'booting' || state === 'dead') && this.#started === 0) {
      const message = `the engine's threads could not be started: ${cause.message}`;
      this.#finish(() => {
        this.#reject(new ProblemError(problem('LT_RUN_INCONCLUSIVE', message), { cause }));
      });
      return;
    }
    if (this.#started > 0) this.#elapsedMs = Math.max(this.#elapsedMs, processTime() - this.#started);
    this.#closeBooks(worker, 'aborted');
    this.stop('partial', this.#job.timeout);
    this.#endIfAllDone();
  }

  #closeBooks(worker: number, unstarted: Unstarted): void {
    this.#states[worker] = 'dead';
    this.#totals.close(worker, unstarted);
  }

  #endIfAllDone(): void {
    if (this.#over || !this.#states.every((state) => state === 'done' || state === 'dead')) return;
    this.#finish(() => {
      this.#resolve(
        summarizeRun(this.#job, this.#totals, {
          elapsed: milliseconds(Math.round(this.#elapsedMs)),
          abortReason: this.#abortReason,
          threads: this.#shares.length,
          version: this.#options.version,
          exchanges: this.#exchanges,
        }),
      );
    });
  }

  #finish(settle: () => void): void {
    this.#over = true;
    if (this.#judge !== null) clearInterval(this.#judge);
    // Threads that do not end are no reason to keep the result back.
    this.#pool.close().then(settle, settle);
  }
}

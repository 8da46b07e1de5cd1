/** Engine that generates the whole load of a run with threads of this process and merges their snapshots. */
import { versions } from 'node:process';
import type { LoadJob, PayloadRows } from '../core/load/load-job.ts';
import { RunMerger } from '../core/load/run-merger.ts';
import type { AbortReason, RunReport } from '../core/load/run-report.ts';
import type { GeneratorEnvironment } from '../core/load/generator-totals.ts';
import { splitIntoShards } from '../core/load/shard.ts';
import { CHECK_INTERVAL } from '../core/load/stop-rule.ts';
import { chooseThreads } from '../core/load/thread-count.ts';
import type { OnProgress, Runner } from '../core/ports/runner.ts';
import { problem, ProblemError, type Problem } from '../core/problem.ts';
import { processTime } from './clock.ts';
import { countRequiredConnections, findShortage, readMachineLimits } from './machine-limits.ts';
import { omitRows } from './row-table.ts';
import { ThreadGroup } from './thread-group.ts';
import { readCpuCapacity } from './cpu-capacity.ts';

export interface EngineOptions {
  /** URL of the built thread entry, `dist/engine/thread.js`. Threads of Node.js 20 cannot load TypeScript. */
  readonly threadUrl: URL;
  readonly version: string;
}

/** Time between the start command and the start of the run, so that the command reaches all threads in time. */
const START_DELAY_MS = 10;

/** Maximum time for threads to complete their request accounting when the engine closes, in ms. */
const CLOSE_GRACE_MS = 1000;

/** The engine cannot resume runs, because its runs end with this process. */
export function createEngine(options: EngineOptions): Runner {
  const runs = new Set<LocalRun>();
  let closed = false;
  const findShortageOf = (job: LoadJob): Problem | null => {
    const reserved = [...runs].reduce((sum, run) => sum + run.requiredConnections, 0);
    return findShortage(job, readMachineLimits(), reserved);
  };
  return {
    start: (job, onProgress) => {
      try {
        if (closed) throw new Error('Bug: a run was started after the engine was closed');
        const shortage = findShortageOf(job);
        if (shortage !== null) throw new ProblemError(shortage);
        const threadsInUse = [...runs].reduce((sum, run) => sum + run.threadCount, 0);
        const run = new LocalRun(job, { ...options, threadsInUse }, onProgress);
        runs.add(run);
        return {
          ended: run.ended.finally(() => runs.delete(run)),
          stop: (reason) => run.stop(reason),
          partialReport: () => run.partialReport(),
          replaceRows: (rows) => run.replaceRows(rows),
          keep: () => undefined,
        };
      } catch (error) {
        return {
          ended: Promise.reject(error instanceof Error ? error : new Error(String(error))),
          stop: () => undefined,
          partialReport: () => null,
          replaceRows: () => undefined,
          keep: () => undefined,
        };
      }
    },
    resume: () => Promise.resolve(null),
    check: (job) => {
      const shortage = findShortageOf(job);
      if (shortage === null) return Promise.resolve(null);
      const reason = shortage.hint === null ? shortage.message : `${shortage.message}; ${shortage.hint}`;
      return Promise.resolve({ reason, retryAfter: null });
    },
    close: async () => {
      closed = true;
      await Promise.all([...runs].map((run) => run.close()));
    },
  };
}

interface LocalRunOptions extends EngineOptions {
  readonly threadsInUse: number;
}

class LocalRun {
  /** Settles after the threads have been closed. Rejects if the load generator could not start. */
  readonly ended: Promise<RunReport>;
  readonly requiredConnections: number;
  readonly #job: LoadJob;
  readonly #onProgress: OnProgress;
  readonly #environment: GeneratorEnvironment;
  readonly #threadIndexes: readonly number[];
  readonly #merger: RunMerger;
  readonly #threadGroup: ThreadGroup;
  /** Start on the clock of the process, in ms; null before the start command. */
  #startedAt: number | null = null;
  /** Start in milliseconds since the epoch; null before the start command. */
  #loadStartedAt: number | null = null;
  #errorCheck: NodeJS.Timeout | null = null;
  #over = false;
  #resolve: (report: RunReport) => void = () => undefined;
  #reject: (cause: Error) => void = () => undefined;

  constructor(job: LoadJob, options: LocalRunOptions, onProgress: OnProgress) {
    this.#job = omitRows(job);
    this.#onProgress = onProgress;
    this.requiredConnections = countRequiredConnections(job);
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const capacity = readCpuCapacity(job, options.threadsInUse);
    const { threads, reason } = chooseThreads(job, capacity);
    const { cores, quota } = capacity;
    this.#environment = {
      version: options.version,
      node: versions.node,
      cores,
      quota,
      threadReason: reason,
    };
    const shards = splitIntoShards(job, threads);
    this.#threadIndexes = shards.map(({ threadIndex }) => threadIndex);
    const merger = new RunMerger(this.#job, shards);
    this.#merger = merger;
    this.#threadGroup = new ThreadGroup(
      options.threadUrl,
      { job, shards, lease: null },
      {
        ready: () => this.#launch(),
        snapshot: (snapshot) => {
          merger.add(snapshot);
          this.#reportProgress();
        },
        exchange: (exchange) => merger.addExchange(exchange),
        overloaded: () => {
          merger.markOverloaded();
          this.stop('partial');
        },
        leaseExpired: () => {
          throw new Error('Bug: a lease expired in a local run, which has no lease');
        },
        done: (threadIndex, time) => {
          merger.close(threadIndex, time);
          this.#endIfOver();
        },
        lost: (threadIndex, cause) => this.#loseThread(threadIndex, cause),
      },
    );
  }

  /** @param drainMs - Maximum time for requests in flight to finish, in ms. */
  stop(reason: AbortReason, drainMs: number = this.#job.timeout): void {
    if (!this.#over) this.#threadGroup.stop(this.#merger.abort(reason), drainMs);
  }

  replaceRows(rows: PayloadRows): void {
    if (!this.#over) this.#threadGroup.replaceRows(rows);
  }

  get threadCount(): number {
    return this.#threadIndexes.length;
  }

  partialReport(): RunReport | null {
    return this.#merger.partialReport(this.#environment, this.#loadStartedAt);
  }

  /**
   * Stops the run without letting requests in flight finish. Threads that do not respond within `CLOSE_GRACE_MS` are
   * terminated.
   */
  async close(): Promise<void> {
    this.stop('stopped', 0);
    const force = setTimeout(() => {
      for (const threadIndex of this.#threadIndexes) this.#merger.lose(threadIndex, 'stopped', 0);
      this.#endIfOver();
    }, CLOSE_GRACE_MS);
    try {
      await this.ended.catch(() => undefined);
    } finally {
      clearTimeout(force);
    }
  }

  #launch(): void {
    this.#startedAt = processTime() + START_DELAY_MS;
    this.#loadStartedAt = Date.now() + START_DELAY_MS;
    this.#threadGroup.start(this.#startedAt);
    this.#errorCheck = setInterval(() => {
      if (this.#merger.reachesErrorThreshold(this.#threadGroup.readLiveCounts()))
        this.stop('error_threshold');
    }, CHECK_INTERVAL);
  }

  #loseThread(threadIndex: number, cause: Error): void {
    if (this.#startedAt === null && !this.#threadGroup.hasReadyThread()) {
      const message = `the load generator could not be started: ${cause.message}`;
      this.#finish(() => this.#reject(new ProblemError(problem('LT_RUN_INCONCLUSIVE', message), { cause })));
      return;
    }
    const elapsedMs = this.#startedAt === null ? 0 : processTime() - this.#startedAt;
    this.#merger.lose(threadIndex, 'aborted', elapsedMs);
    this.stop('partial');
    this.#endIfOver();
  }

  #reportProgress(): void {
    const progress = this.#merger.progress();
    if (progress !== null) this.#onProgress(progress);
  }

  #endIfOver(): void {
    if (this.#over) return;
    this.#reportProgress();
    if (!this.#merger.isOver()) return;
    this.#finish(() => this.#resolve(this.#merger.report(this.#environment, this.#loadStartedAt)));
  }

  #finish(settle: () => void): void {
    this.#over = true;
    if (this.#errorCheck !== null) clearInterval(this.#errorCheck);
    // Settles `ended` even if a thread cannot be terminated.
    this.#threadGroup.close().then(settle, settle);
  }
}

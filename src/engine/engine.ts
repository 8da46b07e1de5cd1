/** Makes whole runs on this machine: all shares of a job by its own threads, merged here. */
import { versions } from 'node:process';
import type { LoadJob } from '../core/load/load-job.ts';
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
  /** The built entry of the threads, `dist/engine/thread.js`: threads of Node 20 cannot load TypeScript. */
  readonly threadUrl: URL;
  /** For the reports. */
  readonly version: string;
}

/** Between the last thread's readiness and the first request: time for the message to arrive everywhere. */
const START_DELAY_MS = 10;

/** How long threads may take to close their books when the engine closes. */
const CLOSE_GRACE_MS = 1000;

/** Its runs end with this process, so it knows of none that an earlier one left. */
export function createEngine(options: EngineOptions): Runner {
  const runs = new Set<LocalRun>();
  let closed = false;
  const findShortfall = (job: LoadJob): Problem | null => {
    const reserved = [...runs].reduce((sum, run) => sum + run.requiredConnections, 0);
    return findShortage(job, readMachineLimits(), reserved);
  };
  return {
    start: (job, onProgress) => {
      try {
        if (closed) throw new Error('Bug: the engine is closed');
        const fault = findShortfall(job);
        if (fault !== null) throw new ProblemError(fault);
        const threadsInUse = [...runs].reduce((sum, run) => sum + run.threadCount, 0);
        const run = new LocalRun(job, { ...options, threadsInUse }, onProgress);
        runs.add(run);
        return {
          ended: run.ended.finally(() => runs.delete(run)),
          stop: (reason) => {
            run.stop(reason);
          },
          partialReport: () => run.partialReport(),
        };
      } catch (error) {
        return {
          ended: Promise.reject(error instanceof Error ? error : new Error(String(error))),
          stop: () => undefined,
          partialReport: () => null,
        };
      }
    },
    resume: () => Promise.resolve(null),
    check: (job) => {
      const fault = findShortfall(job);
      if (fault === null) return Promise.resolve(null);
      const reason = fault.hint === null ? fault.message : `${fault.message}; ${fault.hint}`;
      return Promise.resolve({ reason, retryAfter: null });
    },
    close: async () => {
      closed = true;
      await Promise.all([...runs].map((run) => run.close()));
    },
  };
}

interface LocalRunOptions extends EngineOptions {
  /** Threads of the runs that go on already. */
  readonly threadsInUse: number;
}

class LocalRun {
  /** Settles when all books are closed and the threads are gone. */
  readonly ended: Promise<RunReport>;
  /** Connections that it surely needs. */
  readonly requiredConnections: number;
  /** Without its rows: they are not kept. */
  readonly #job: LoadJob;
  readonly #surroundings: GeneratorEnvironment;
  readonly #threadNumbers: readonly number[];
  readonly #merger: RunMerger;
  readonly #threadGroup: ThreadGroup;
  /** On the process's clock; null before the threads are told to start. */
  #startedAt: number | null = null;
  #errorCheck: NodeJS.Timeout | null = null;
  #over = false;
  #resolve: (report: RunReport) => void = () => undefined;
  #reject: (cause: Error) => void = () => undefined;

  /** Errors: throws for a job that should not have got here. */
  constructor(job: LoadJob, options: LocalRunOptions, onProgress: OnProgress) {
    this.#job = omitRows(job);
    this.requiredConnections = countRequiredConnections(job);
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const room = readCpuCapacity(job, options.threadsInUse);
    const { threads, reason } = chooseThreads(job, room);
    const { cores, quota } = room;
    this.#surroundings = {
      version: options.version,
      node: versions.node,
      cores,
      quota,
      threadReason: reason,
    };
    const shards = splitIntoShards(job, threads);
    this.#threadNumbers = shards.map(({ threadIndex }) => threadIndex);
    const merger = new RunMerger(this.#job, shards);
    this.#merger = merger;
    this.#threadGroup = new ThreadGroup(
      options.threadUrl,
      { job, shards, lease: null },
      {
        ready: () => {
          this.#launch();
        },
        snapshot: (snapshot) => {
          const progress = merger.add(snapshot);
          if (progress !== null) onProgress(progress);
        },
        exchange: (exchange) => {
          merger.addExchange(exchange);
        },
        overloaded: () => {
          merger.markOverloaded();
          this.stop('partial');
        },
        leaseExpired: () => {
          throw new Error('Bug: this load needs no lease');
        },
        done: (worker, time) => {
          merger.close(worker, time);
          this.#endIfOver();
        },
        lost: (worker, cause) => {
          this.#loseThread(worker, cause);
        },
      },
    );
  }

  /** @param drainMs how long requests in flight may take to finish */
  stop(reason: AbortReason, drainMs: number = this.#job.timeout): void {
    if (!this.#over) this.#threadGroup.stop(this.#merger.abort(reason), drainMs);
  }

  /** That work for it. */
  get threadCount(): number {
    return this.#threadNumbers.length;
  }

  partialReport(): RunReport | null {
    return this.#merger.partialReport(this.#surroundings);
  }

  /** Ends without a drain; threads that do not answer in time are ended by force. */
  async close(): Promise<void> {
    this.stop('stopped', 0);
    const force = setTimeout(() => {
      for (const worker of this.#threadNumbers) this.#merger.lose(worker, 'stopped', 0);
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
    this.#threadGroup.start(this.#startedAt);
    this.#errorCheck = setInterval(() => {
      if (this.#merger.reachesErrorThreshold(this.#threadGroup.readLiveCounts()))
        this.stop('error_threshold');
    }, CHECK_INTERVAL);
  }

  #loseThread(worker: number, cause: Error): void {
    if (this.#startedAt === null && !this.#threadGroup.hasReadyThread()) {
      const message = `the load generator could not be started: ${cause.message}`;
      this.#finish(() => {
        this.#reject(new ProblemError(problem('LT_RUN_INCONCLUSIVE', message), { cause }));
      });
      return;
    }
    const elapsedMs = this.#startedAt === null ? 0 : processTime() - this.#startedAt;
    this.#merger.lose(worker, 'aborted', elapsedMs);
    this.stop('partial');
    this.#endIfOver();
  }

  #endIfOver(): void {
    if (this.#over || !this.#merger.isOver()) return;
    this.#finish(() => {
      this.#resolve(this.#merger.report(this.#surroundings));
    });
  }

  #finish(settle: () => void): void {
    this.#over = true;
    if (this.#errorCheck !== null) clearInterval(this.#errorCheck);
    // Threads that do not end are no reason to keep the result back.
    this.#threadGroup.close().then(settle, settle);
  }
}

/** Makes whole runs on this machine: all shares of a job by its own threads, merged here. */
import { versions } from 'node:process';
import type { LoadJob } from '../core/load/job.ts';
import { RunMerger } from '../core/load/merge.ts';
import type { AbortReason, RunReport } from '../core/load/report.ts';
import type { Surroundings } from '../core/load/generator-totals.ts';
import { shard } from '../core/load/shard.ts';
import { JUDGED_EVERY } from '../core/load/stop-rule.ts';
import { chooseThreads } from '../core/load/threads.ts';
import type { OnProgress, Runner } from '../core/ports/runner.ts';
import { problem, ProblemError, type Problem } from '../core/problem.ts';
import { processTime } from './clock.ts';
import { connectionsNeeded, findShortage, readMachineLimits } from './limits.ts';
import { withoutRows } from './row-table.ts';
import { ShareLoad } from './share-load.ts';
import { readThreadRoom } from './thread-room.ts';

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

/** Its runs end with this process, so it knows of none that an earlier one left. */
export function createEngine(options: EngineOptions): Runner {
  const runs = new Set<LocalRun>();
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
        const taken = [...runs].reduce((sum, run) => sum + run.threads, 0);
        const run = new LocalRun(job, { ...options, taken }, onProgress);
        runs.add(run);
        return {
          ended: run.ended.finally(() => runs.delete(run)),
          stop: (reason) => {
            run.stop(reason);
          },
          soFar: () => run.soFar(),
        };
      } catch (error) {
        return {
          ended: Promise.reject(error instanceof Error ? error : new Error(String(error))),
          stop: () => undefined,
          soFar: () => null,
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

interface RunOptions extends EngineOptions {
  /** Threads of the runs that go on already. */
  readonly taken: number;
}

class LocalRun {
  /** Settles when all books are closed and the threads are gone. */
  readonly ended: Promise<RunReport>;
  /** Connections that it surely needs. */
  readonly connections: number;
  /** Without its rows: they are not kept. */
  readonly #job: LoadJob;
  readonly #surroundings: Surroundings;
  readonly #workers: readonly number[];
  readonly #merger: RunMerger;
  readonly #load: ShareLoad;
  /** On the process's clock; null before the threads are told to start. */
  #startedAt: number | null = null;
  #judge: NodeJS.Timeout | null = null;
  #over = false;
  #resolve: (report: RunReport) => void = () => undefined;
  #reject: (cause: Error) => void = () => undefined;

  /** Errors: throws for a job that should not have got here. */
  constructor(job: LoadJob, options: RunOptions, onProgress: OnProgress) {
    this.#job = withoutRows(job);
    this.connections = connectionsNeeded(job);
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const room = readThreadRoom(job, options.taken);
    const { threads, because } = chooseThreads(job, room);
    const { cores, quota } = room;
    this.#surroundings = { version: options.version, node: versions.node, cores, quota, because };
    const shares = shard(job, threads);
    this.#workers = shares.map(({ worker }) => worker);
    const merger = new RunMerger(this.#job, shares);
    this.#merger = merger;
    this.#load = new ShareLoad(
      options.workerUrl,
      { job, shares, lease: null },
      {
        ready: () => {
          this.#go();
        },
        slice: (slice) => {
          const progress = merger.add(slice);
          if (progress !== null) onProgress(progress);
        },
        exchange: (exchange) => {
          merger.keep(exchange);
        },
        overloaded: () => {
          merger.overload();
          this.stop('partial');
        },
        lapsed: () => {
          throw new Error('Bug: this load needs no lease');
        },
        done: (worker, time) => {
          merger.close(worker, time);
          this.#endIfOver();
        },
        lost: (worker, cause) => {
          this.#lose(worker, cause);
        },
      },
    );
  }

  /** @param drainMs how long requests in flight may take to finish */
  stop(reason: AbortReason, drainMs: number = this.#job.timeout): void {
    if (!this.#over) this.#load.stop(this.#merger.abort(reason), drainMs);
  }

  /** That work for it. */
  get threads(): number {
    return this.#workers.length;
  }

  soFar(): RunReport | null {
    return this.#merger.soFar(this.#surroundings);
  }

  /** Ends without a drain; threads that do not answer in time are ended by force. */
  async close(): Promise<void> {
    this.stop('stopped', 0);
    const force = setTimeout(() => {
      for (const worker of this.#workers) this.#merger.lose(worker, 'stopped', 0);
      this.#endIfOver();
    }, CLOSE_GRACE_MS);
    try {
      await this.ended.catch(() => undefined);
    } finally {
      clearTimeout(force);
    }
  }

  #go(): void {
    this.#startedAt = processTime() + START_DELAY_MS;
    this.#load.go(this.#startedAt);
    this.#judge = setInterval(() => {
      if (this.#merger.endsByErrors(this.#load.pulse())) this.stop('error_threshold');
    }, JUDGED_EVERY);
  }

  #lose(worker: number, cause: Error): void {
    if (this.#startedAt === null && !this.#load.isUp()) {
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
    if (this.#judge !== null) clearInterval(this.#judge);
    // Threads that do not end are no reason to keep the result back.
    this.#load.close().then(settle, settle);
  }
}

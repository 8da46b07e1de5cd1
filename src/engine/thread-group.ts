/** Group of engine threads that generate the load of the given shards, with one thread per shard. */
import { Worker } from 'node:worker_threads';
import type { LoadJob, PayloadRows } from '../core/load/load-job.ts';
import type { TracedExchange } from '../core/load/run-report.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import type { RequestCounts } from '../core/load/stop-rule.ts';
import { createBudgetCell, releaseBudget, type BudgetCells } from './buffered-body.ts';
import type { Lease } from './lease.ts';
import {
  FAILED_INDEX,
  FINISHED_INDEX,
  LIVE_COUNTS_BYTES,
  type ThreadMessage,
  type ThreadCommand,
  type ThreadInput,
} from './thread-messages.ts';
import { compileJob } from './request-compiler.ts';
import { packJobRows, packRows, omitRows } from './row-table.ts';

/**
 * Receiver of the events of a group until the group is closed. `threadIndex` is the index of the thread's shard in the
 * whole run.
 */
export interface ThreadGroupEvents {
  /** Called at most once, when a thread becomes ready and no other thread is still booting. */
  ready(): void;
  snapshot(snapshot: Snapshot): void;
  exchange(exchange: TracedExchange): void;
  /** Called once for each thread that exhausted the budget for response bodies. */
  overloaded(): void;
  /** Called at most once, when the lease has expired and the threads stop on their own. */
  leaseExpired(): void;
  /** Called when a thread has finished and sent all its messages. */
  done(threadIndex: number, time: ThreadTime): void;
  lost(threadIndex: number, cause: Error): void;
}

/** Load for a group to generate: all shards of the run, or some of them if the run is distributed. */
export interface ThreadGroupWork {
  readonly job: LoadJob;
  readonly shards: readonly Shard[];
  /** Lease that permits load generation until it expires; null if the load needs no lease. */
  readonly lease: Lease | null;
}

/** Number of body bytes reserved by all load runs of this process. */
const PROCESS_BODY_CELL = createBudgetCell();

type ThreadState = 'booting' | 'ready' | 'done' | 'lost';

export class ThreadGroup {
  readonly #events: ThreadGroupEvents;
  readonly #shards: readonly Shard[];
  readonly #threads: readonly Worker[];
  readonly #liveCounts: readonly Float64Array[];
  readonly #bodyCells: BudgetCells[] = [];
  readonly #states: ThreadState[];
  #readySent = false;
  #leaseExpirySent = false;
  #closing: Promise<void> | null = null;

  /** @throws Error if the job is invalid, although an earlier check should have rejected it. */
  constructor(threadUrl: URL, { job, shards, lease }: ThreadGroupWork, events: ThreadGroupEvents) {
    const rows = packJobRows(job);
    // Also compiles the job here, so that an invalid job fails with a specific error.
    compileJob(job, undefined, rows);
    const liveCountBuffers = shards.map(() => new SharedArrayBuffer(LIVE_COUNTS_BYTES));
    this.#events = events;
    this.#shards = shards;
    this.#states = shards.map(() => 'booting');
    this.#liveCounts = liveCountBuffers.map((buffer) => new Float64Array(buffer));
    const commonInput = { job: omitRows(job), rows, lease: lease?.cell ?? null };
    this.#threads = shards.map((shard, index) => {
      const liveCounts = liveCountBuffers[index];
      if (liveCounts === undefined) throw new Error('Bug: a shard has no live counts');
      const bodyCells = { all: PROCESS_BODY_CELL, own: createBudgetCell() };
      this.#bodyCells.push(bodyCells);
      return this.#startThread(threadUrl, index, { ...commonInput, shard, liveCounts, bodyCells });
    });
  }

  /** `at` is an instant on the clock of the process; see `clock.ts`. */
  start(at: number): void {
    this.#broadcast({ type: 'start', start: at });
  }

  stop(unstarted: UnstartedReason, drainMs: number): void {
    this.#broadcast({ type: 'stop', unstarted, drainMs });
  }

  replaceRows(rows: PayloadRows): void {
    this.#broadcast({ type: 'rows', rows: packRows(rows) });
  }

  hasReadyThread(): boolean {
    return this.#states.some((state) => state === 'ready' || state === 'done');
  }

  /** Returns the sums of the live counts, which each thread updates at its sweeps. */
  readLiveCounts(): RequestCounts {
    let finished = 0;
    let failed = 0;
    for (const liveCounts of this.#liveCounts) {
      finished += liveCounts[FINISHED_INDEX] ?? 0;
      failed += liveCounts[FAILED_INDEX] ?? 0;
    }
    return { finished, failed };
  }

  /** Terminates the threads immediately. */
  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#threads.map((thread) => thread.terminate())).then(() =>
      this.#bodyCells.forEach(releaseBudget),
    );
    return this.#closing;
  }

  #startThread(threadUrl: URL, index: number, input: ThreadInput): Worker {
    // Threads need neither the flags nor the environment variables of the process. The variables may contain secrets.
    const thread = new Worker(threadUrl, { workerData: input, env: {}, execArgv: [] });
    const { threadIndex } = input.shard;
    const onLost = (cause: Error): void => {
      const state = this.#states[index];
      if (this.#closing !== null || state === 'done' || state === 'lost') return;
      this.#states[index] = 'lost';
      this.#events.lost(threadIndex, cause);
    };
    thread.on('message', (message: ThreadMessage) => {
      if (this.#closing === null && this.#states[index] !== 'lost') this.#handle(index, message);
    });
    thread.on('error', (error) => onLost(error));
    thread.on('messageerror', onLost);
    thread.on('exit', (code) => onLost(new Error(`an engine thread exited with code ${code}`)));
    return thread;
  }

  #handle(index: number, message: ThreadMessage): void {
    switch (message.type) {
      case 'ready':
        this.#states[index] = 'ready';
        if (this.#readySent || this.#states.includes('booting')) return;
        this.#readySent = true;
        this.#events.ready();
        return;
      case 'snapshot':
        this.#events.snapshot(message.snapshot);
        return;
      case 'overloaded':
        this.#events.overloaded();
        return;
      case 'lease-expired':
        if (this.#leaseExpirySent) return;
        this.#leaseExpirySent = true;
        this.#events.leaseExpired();
        return;
      case 'exchange':
        this.#events.exchange(message.exchange);
        return;
      case 'done':
        this.#states[index] = 'done';
        this.#events.done(this.#shards[index]?.threadIndex ?? index, message.time);
        return;
    }
  }

  #broadcast(message: ThreadCommand): void {
    for (const thread of this.#threads) thread.postMessage(message);
  }
}

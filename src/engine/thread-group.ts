/** Makes the load of given shares of a run, with a thread for each, and hands out what they count. */
import { Worker } from 'node:worker_threads';
import type { LoadJob } from '../core/load/load-job.ts';
import type { Exchange } from '../core/load/run-report.ts';
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
import { packJobRows, omitRows } from './row-table.ts';

/** Each is told until the load is closed. Workers go by the number that their share has in the whole run. */
export interface ThreadGroupEvents {
  /** All threads wait for the start. Told once. */
  ready(): void;
  snapshot(snapshot: Snapshot): void;
  exchange(exchange: Exchange): void;
  /** The bodies of answers that are looked at take more room than they may. */
  overloaded(): void;
  /** The lease is over: the threads end their load by themselves. Told once. */
  leaseExpired(): void;
  /** A worker has come to its end and told everything. */
  done(worker: number, time: ThreadTime): void;
  /** A worker's thread ended without being asked to. */
  lost(worker: number, cause: Error): void;
}

/** Some shares of a run: all of them where one machine makes its whole load. */
export interface ThreadGroupWork {
  readonly job: LoadJob;
  readonly shards: readonly Shard[];
  /** Load is made only while it lasts; null: until its own end. */
  readonly lease: Lease | null;
}

/** Of all runs of this process. */
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

  /** Errors: throws for a job that should not have got here. */
  constructor(workerUrl: URL, { job, shards, lease }: ThreadGroupWork, events: ThreadGroupEvents) {
    const rows = packJobRows(job);
    // Here rather than in a thread, so that a job that is wrong fails as itself.
    compileJob(job, undefined, rows);
    const pulses = shards.map(() => new SharedArrayBuffer(LIVE_COUNTS_BYTES));
    this.#events = events;
    this.#shards = shards;
    this.#states = shards.map(() => 'booting');
    this.#liveCounts = pulses.map((pulse) => new Float64Array(pulse));
    const orders = { job: omitRows(job), rows, lease: lease?.cell ?? null };
    this.#threads = shards.map((shard, index) => {
      const liveCounts = pulses[index];
      if (liveCounts === undefined) throw new Error('Bug: a share without a pulse');
      const bodyCells = { all: PROCESS_BODY_CELL, own: createBudgetCell() };
      this.#bodyCells.push(bodyCells);
      return this.#startThread(workerUrl, index, { ...orders, shard, liveCounts, bodyCells });
    });
  }

  /** Lets all threads start. `at`: on the process's clock, see `clock.ts`. */
  start(at: number): void {
    this.#broadcast({ type: 'go', start: at });
  }

  /** No request starts after this; those in flight may take `drainMs` to finish. */
  stop(unstarted: UnstartedReason, drainMs: number): void {
    this.#broadcast({ type: 'stop', unstarted, drainMs });
  }

  /** Whether any of the threads has come up. */
  hasReadyThread(): boolean {
    return this.#states.some((state) => state === 'ready' || state === 'done');
  }

  /** As of the last sweep of each thread. */
  readLiveCounts(): RequestCounts {
    let finished = 0;
    let failed = 0;
    for (const pulse of this.#liveCounts) {
      finished += pulse[FINISHED_INDEX] ?? 0;
      failed += pulse[FAILED_INDEX] ?? 0;
    }
    return { finished, failed };
  }

  /** Ends the threads at once. */
  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#threads.map((thread) => thread.terminate())).then(() => {
      this.#bodyCells.forEach(releaseBudget);
    });
    return this.#closing;
  }

  #startThread(workerUrl: URL, index: number, orders: ThreadInput): Worker {
    // Nothing of the process's own flags and secrets is of use to a thread.
    const thread = new Worker(workerUrl, { workerData: orders, env: {}, execArgv: [] });
    const { threadIndex } = orders.shard;
    const lost = (cause: Error): void => {
      const state = this.#states[index];
      if (this.#closing !== null || state === 'done' || state === 'lost') return;
      this.#states[index] = 'lost';
      this.#events.lost(threadIndex, cause);
    };
    thread.on('message', (message: ThreadMessage) => {
      if (this.#closing === null && this.#states[index] !== 'lost') this.#handle(index, message);
    });
    thread.on('error', (error) => {
      lost(error);
    });
    thread.on('messageerror', lost);
    thread.on('exit', (code) => {
      lost(new Error(`an engine thread ended with code ${code}`));
    });
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
      case 'slice':
        this.#events.snapshot(message.slice);
        return;
      case 'overloaded':
        this.#events.overloaded();
        return;
      case 'lapsed':
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

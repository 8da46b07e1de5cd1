/** Makes the load of given shares of a run, with a thread for each, and hands out what they count. */
import { Worker } from 'node:worker_threads';
import type { LoadJob } from '../core/load/job.ts';
import type { Exchange } from '../core/load/report.ts';
import type { WorkTime } from '../core/load/merge.ts';
import type { Share } from '../core/load/shard.ts';
import type { Slice, Unstarted } from '../core/load/slice.ts';
import type { RequestsSoFar } from '../core/load/stop-rule.ts';
import { createRoomCell, giveBackAll, type RoomCells } from './kept-body.ts';
import type { Lease } from './lease.ts';
import {
  FAILED,
  FINISHED,
  PULSE_BYTES,
  type FromWorker,
  type ToWorker,
  type WorkerOrders,
} from './messages.ts';
import { compileJob } from './request-bytes.ts';
import { packRowsOf, withoutRows } from './row-table.ts';

/** Each is told until the load is closed. Workers go by the number that their share has in the whole run. */
export interface ShareEvents {
  /** All threads wait for the start. Told once. */
  ready(): void;
  slice(slice: Slice): void;
  exchange(exchange: Exchange): void;
  /** The bodies of answers that are looked at take more room than they may. */
  overloaded(): void;
  /** The lease is over: the threads end their load by themselves. Told once. */
  lapsed(): void;
  /** A worker has come to its end and told everything. */
  done(worker: number, time: WorkTime): void;
  /** A worker's thread ended without being asked to. */
  lost(worker: number, cause: Error): void;
}

/** Some shares of a run: all of them where one machine makes its whole load. */
export interface ShareWork {
  readonly job: LoadJob;
  readonly shares: readonly Share[];
  /** Load is made only while it lasts; null: until its own end. */
  readonly lease: Lease | null;
}

/** Of all runs of this process. */
const ALL_BODIES = createRoomCell();

type ThreadState = 'booting' | 'ready' | 'done' | 'lost';

export class ShareLoad {
  readonly #events: ShareEvents;
  readonly #shares: readonly Share[];
  readonly #threads: readonly Worker[];
  readonly #pulses: readonly Float64Array[];
  readonly #rooms: RoomCells[] = [];
  readonly #states: ThreadState[];
  #toldReady = false;
  #toldLapsed = false;
  #closing: Promise<void> | null = null;

  /** Errors: throws for a job that should not have got here. */
  constructor(workerUrl: URL, { job, shares, lease }: ShareWork, events: ShareEvents) {
    const rows = packRowsOf(job);
    // Here rather than in a thread, so that a job that is wrong fails as itself.
    compileJob(job, undefined, rows);
    const pulses = shares.map(() => new SharedArrayBuffer(PULSE_BYTES));
    this.#events = events;
    this.#shares = shares;
    this.#states = shares.map(() => 'booting');
    this.#pulses = pulses.map((pulse) => new Float64Array(pulse));
    const orders = { job: withoutRows(job), rows, lease: lease?.cell ?? null };
    this.#threads = shares.map((share, index) => {
      const pulse = pulses[index];
      if (pulse === undefined) throw new Error('Bug: a share without a pulse');
      const bodies = { all: ALL_BODIES, own: createRoomCell() };
      this.#rooms.push(bodies);
      return this.#open(workerUrl, index, { ...orders, share, pulse, bodies });
    });
  }

  /** Lets all threads start. `at`: on the process's clock, see `clock.ts`. */
  go(at: number): void {
    this.#tell({ type: 'go', start: at });
  }

  /** No request starts after this; those in flight may take `drainMs` to finish. */
  stop(unstarted: Unstarted, drainMs: number): void {
    this.#tell({ type: 'stop', unstarted, drainMs });
  }

  /** Whether any of the threads has come up. */
  isUp(): boolean {
    return this.#states.some((state) => state === 'ready' || state === 'done');
  }

  /** As of the last sweep of each thread. */
  pulse(): RequestsSoFar {
    let finished = 0;
    let failed = 0;
    for (const pulse of this.#pulses) {
      finished += pulse[FINISHED] ?? 0;
      failed += pulse[FAILED] ?? 0;
    }
    return { finished, failed };
  }

  /** Ends the threads at once. */
  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#threads.map((thread) => thread.terminate())).then(() => {
      this.#rooms.forEach(giveBackAll);
    });
    return this.#closing;
  }

  #open(workerUrl: URL, index: number, orders: WorkerOrders): Worker {
    // Nothing of the process's own flags and secrets is of use to a thread.
    const thread = new Worker(workerUrl, { workerData: orders, env: {}, execArgv: [] });
    const { worker } = orders.share;
    const lost = (cause: Error): void => {
      const state = this.#states[index];
      if (this.#closing !== null || state === 'done' || state === 'lost') return;
      this.#states[index] = 'lost';
      this.#events.lost(worker, cause);
    };
    thread.on('message', (message: FromWorker) => {
      if (this.#closing === null && this.#states[index] !== 'lost') this.#hear(index, message);
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

  #hear(index: number, message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#states[index] = 'ready';
        if (this.#toldReady || this.#states.includes('booting')) return;
        this.#toldReady = true;
        this.#events.ready();
        return;
      case 'slice':
        this.#events.slice(message.slice);
        return;
      case 'overloaded':
        this.#events.overloaded();
        return;
      case 'lapsed':
        if (this.#toldLapsed) return;
        this.#toldLapsed = true;
        this.#events.lapsed();
        return;
      case 'exchange':
        this.#events.exchange(message.exchange);
        return;
      case 'done':
        this.#states[index] = 'done';
        this.#events.done(this.#shares[index]?.worker ?? index, message.time);
        return;
    }
  }

  #tell(message: ToWorker): void {
    for (const thread of this.#threads) thread.postMessage(message);
  }
}

/** The threads of one run: started together, told the same things, and noticed when they die. */
import { Worker } from 'node:worker_threads';
import type { LoadJob } from '../core/load/job.ts';
import type { Share } from '../core/load/shard.ts';
import {
  FAILED,
  FINISHED,
  PULSE_BYTES,
  type FromWorker,
  type ToWorker,
  type WorkerOrders,
} from './messages.ts';
import type { JobRows } from './row-table.ts';

export interface PoolEvents {
  onMessage(worker: number, message: FromWorker): void;
  /** A thread ended without being asked to; told once for each. */
  onDeath(worker: number, cause: Error): void;
}

/** What the threads do together. */
export interface Work {
  readonly job: LoadJob;
  readonly rows: JobRows;
  readonly shares: readonly Share[];
}

export class WorkerPool {
  readonly #workers: readonly Worker[];
  readonly #pulses: readonly Float64Array[];
  #closing: Promise<void> | null = null;

  constructor(workerUrl: URL, work: Work, events: PoolEvents) {
    const { job, rows, shares } = work;
    const pulses = shares.map(() => new SharedArrayBuffer(PULSE_BYTES));
    this.#pulses = pulses.map((pulse) => new Float64Array(pulse));
    this.#workers = pulses.map((pulse, index) => {
      const share = shares[index];
      if (share === undefined) throw new Error('Bug: a pulse without a share');
      const orders: WorkerOrders = { job, rows, share, pulse };
      // Nothing of the process's own flags and secrets is of use to a thread.
      const worker = new Worker(workerUrl, { workerData: orders, env: {}, execArgv: [] });
      let dead = false;
      const died = (cause: Error): void => {
        if (dead || this.#closing !== null) return;
        dead = true;
        events.onDeath(index, cause);
      };
      worker.on('message', (message: FromWorker) => {
        if (!dead) events.onMessage(index, message);
      });
      worker.on('error', (error) => {
        died(error);
      });
      worker.on('messageerror', died);
      worker.on('exit', (code) => {
        died(new Error(`an engine thread ended with code ${code}`));
      });
      return worker;
    });
  }

  tell(message: ToWorker): void {
    for (const worker of this.#workers) worker.postMessage(message);
  }

  /** Requests finished and failed so far, as of the last sweep of each thread. */
  pulse(): { readonly finished: number; readonly failed: number } {
    let finished = 0;
    let failed = 0;
    for (const pulse of this.#pulses) {
      finished += pulse[FINISHED] ?? 0;
      failed += pulse[FAILED] ?? 0;
    }
    return { finished, failed };
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#workers.map((worker) => worker.terminate())).then(() => undefined);
    return this.#closing;
  }
}

/** What the threads of a run say to each other. */
import type { LoadJob } from '../core/load/job.ts';
import type { WorkTime } from '../core/load/merge.ts';
import type { Share } from '../core/load/shard.ts';
import type { Slice, Unstarted } from '../core/load/slice.ts';
import type { Exchange } from '../core/load/report.ts';
import type { RoomCells } from './kept-body.ts';
import type { JobRows } from './row-table.ts';

/** What a worker is born with. */
export interface WorkerOrders {
  /** Without the values of its rows. */
  readonly job: LoadJob;
  readonly rows: JobRows;
  readonly share: Share;
  /** Written by the worker, read by the main thread: see `FINISHED` and `FAILED`. */
  readonly pulse: SharedArrayBuffer;
  /** See `Lease`; null: the load needs none. */
  readonly lease: SharedArrayBuffer | null;
  readonly bodies: RoomCells;
}

/**
 * Indexes into the pulse, which is read as doubles: requests finished and failed since the start.
 *
 * Doubles, since 32 bits would wrap in long runs; one writer, one reader, aligned, and a stale value does no harm.
 */
export const FINISHED = 0;
export const FAILED = 1;
export const PULSE_BYTES = 16;

export type ToWorker =
  | {
      readonly type: 'go';
      /** On the process's clock, see `clock.ts`. */
      readonly start: number;
    }
  | {
      readonly type: 'stop';
      readonly unstarted: Unstarted;
      /** How long requests in flight may take to finish. */
      readonly drainMs: number;
    };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'slice'; readonly slice: Slice }
  | { readonly type: 'exchange'; readonly exchange: Exchange }
  /** There is no room for the bodies that are looked at. Told once. */
  | { readonly type: 'overloaded' }
  /** The lease is over, and the load with it. Told once. */
  | { readonly type: 'lapsed' }
  | {
      readonly type: 'done';
      readonly time: WorkTime;
    };

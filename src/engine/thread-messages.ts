/** What the threads of a run say to each other. */
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import type { Exchange } from '../core/load/run-report.ts';
import type { BudgetCells } from './buffered-body.ts';
import type { JobRows } from './row-table.ts';

/** What a worker is born with. */
export interface ThreadInput {
  /** Without the values of its rows. */
  readonly job: LoadJob;
  readonly rows: JobRows;
  readonly shard: Shard;
  /** Written by the worker, read by the main thread: see `FINISHED` and `FAILED`. */
  readonly liveCounts: SharedArrayBuffer;
  /** See `Lease`; null: the load needs none. */
  readonly lease: SharedArrayBuffer | null;
  readonly bodyCells: BudgetCells;
}

/**
 * Indexes into the pulse, which is read as doubles: requests finished and failed since the start.
 *
 * Doubles, since 32 bits would wrap in long runs; one writer, one reader, aligned, and a stale value does no harm.
 */
export const FINISHED_INDEX = 0;
export const FAILED_INDEX = 1;
export const LIVE_COUNTS_BYTES = 16;

export type ThreadCommand =
  | {
      readonly type: 'go';
      /** On the process's clock, see `clock.ts`. */
      readonly start: number;
    }
  | {
      readonly type: 'stop';
      readonly unstarted: UnstartedReason;
      /** How long requests in flight may take to finish. */
      readonly drainMs: number;
    };

export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'slice'; readonly slice: Snapshot }
  | { readonly type: 'exchange'; readonly exchange: Exchange }
  /** There is no room for the bodies that are looked at. Told once. */
  | { readonly type: 'overloaded' }
  /** The lease is over, and the load with it. Told once. */
  | { readonly type: 'lapsed' }
  | {
      readonly type: 'done';
      readonly time: ThreadTime;
    };

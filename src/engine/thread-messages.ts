/** Messages between the main thread and the engine threads of a run. */
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import type { TracedExchange } from '../core/load/run-report.ts';
import type { BudgetCells } from './buffered-body.ts';
import type { JobRows, PackedRows } from './row-table.ts';

export interface ThreadInput {
  /** The job without its payload rows. */
  readonly job: LoadJob;
  readonly rows: JobRows;
  readonly shard: Shard;
  /** Live counts, which the thread writes and the main thread reads; see `FINISHED_INDEX` and `FAILED_INDEX`. */
  readonly liveCounts: SharedArrayBuffer;
  /** Memory of the `Lease`; null if the load needs none. */
  readonly lease: SharedArrayBuffer | null;
  readonly bodyCells: BudgetCells;
}

/**
 * Indexes into the live counts: requests that finished and that failed since the start. The counts are
 * doubles, because 32 bits would overflow in long runs. Access needs no synchronization: there is one writer
 * and one reader, the doubles are aligned, and a stale value is harmless.
 */
export const FINISHED_INDEX = 0;
export const FAILED_INDEX = 1;
export const LIVE_COUNTS_BYTES = 16;

export type ThreadCommand =
  | {
      readonly type: 'start';
      /** Start of the run on the clock of the process; see `clock.ts`. */
      readonly start: number;
    }
  | {
      readonly type: 'stop';
      readonly unstarted: UnstartedReason;
      readonly drainMs: number;
    }
  | {
      readonly type: 'rows';
      /** New rows, which replace the last list of iteration rows. */
      readonly rows: PackedRows;
    };

export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'exchange'; readonly exchange: TracedExchange }
  /** Sent at most once, when the budget for inspected bodies is exhausted. */
  | { readonly type: 'overloaded' }
  /** Sent at most once, when the lease has expired and the load stops. */
  | { readonly type: 'lease-expired' }
  | {
      readonly type: 'done';
      readonly time: ThreadTime;
    };

/** What the slices of a part add up to: by who told them, and by who merged them. The two must be the same. */
import { countFinished, countNotStarted, outcomesOf, type Snapshot } from '../core/load/snapshot.ts';
import type { ShardTotals } from './cluster-messages.ts';

export const EMPTY_TOTALS: ShardTotals = {
  snapshots: 0,
  planned: 0,
  started: 0,
  finished: 0,
  abandoned: 0,
  notStarted: 0,
  bytesSent: 0,
  bytesReceived: 0,
};

export function withSnapshot(sums: ShardTotals, snapshot: Snapshot): ShardTotals {
  const added = { ...sums, slices: sums.snapshots + 1 };
  for (const tally of [...snapshot.targets, ...(snapshot.warmup ?? [])]) {
    added.planned += tally.planned;
    added.started += tally.started;
    added.finished += countFinished(outcomesOf(tally));
    added.abandoned += tally.abandoned;
    added.notStarted += countNotStarted(tally);
    added.bytesSent += tally.bytesSent;
    added.bytesReceived += tally.bytesReceived;
  }
  return added;
}

export function areTotalsEqual(one: ShardTotals, other: ShardTotals): boolean {
  return Object.entries(one).every(([key, value]) => other[key as keyof ShardTotals] === value); // of one type
}

/**
 * Totals over the snapshots of a shard. The worker and the service compute the totals independently, and both results
 * must be equal.
 */
import { countFinished, countNotStarted, outcomesOf, type Snapshot } from '../core/load/snapshot.ts';
import { isCount } from '../core/unknown-value.ts';
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

export function withSnapshot(totals: ShardTotals, snapshot: Snapshot): ShardTotals {
  const sum = { ...totals, snapshots: totals.snapshots + 1 };
  for (const tally of [...snapshot.targets, ...(snapshot.warmup ?? [])]) {
    sum.planned += tally.planned;
    sum.started += tally.started;
    sum.finished += countFinished(outcomesOf(tally));
    sum.abandoned += tally.abandoned;
    sum.notStarted += countNotStarted(tally);
    sum.bytesSent += tally.bytesSent;
    sum.bytesReceived += tally.bytesReceived;
  }
  return sum;
}

/** True if all totals are valid. A snapshot that withdraws unreported counts can make a total negative. */
export function areCounts(totals: ShardTotals): boolean {
  return Object.values(totals).every(isCount);
}

export function areTotalsEqual(one: ShardTotals, other: ShardTotals): boolean {
  // Both objects have the same keys.
  return Object.entries(one).every(([key, value]) => other[key as keyof ShardTotals] === value);
}

/** What the slices of a part add up to: by who told them, and by who merged them. The two must be the same. */
import { finishedOf, notStartedOf, outcomesOf, type Slice } from '../core/load/slice.ts';
import type { PartSums } from './messages.ts';

export const NO_SUMS: PartSums = {
  slices: 0,
  planned: 0,
  started: 0,
  finished: 0,
  abandoned: 0,
  notStarted: 0,
  bytesSent: 0,
  bytesReceived: 0,
};

export function withSlice(sums: PartSums, slice: Slice): PartSums {
  const added = { ...sums, slices: sums.slices + 1 };
  for (const tally of [...slice.targets, ...(slice.warmup ?? [])]) {
    added.planned += tally.planned;
    added.started += tally.started;
    added.finished += finishedOf(outcomesOf(tally));
    added.abandoned += tally.abandoned;
    added.notStarted += notStartedOf(tally);
    added.bytesSent += tally.bytesSent;
    added.bytesReceived += tally.bytesReceived;
  }
  return added;
}

export function areEqual(one: PartSums, other: PartSums): boolean {
  return Object.entries(one).every(([key, value]) => other[key as keyof PartSums] === value); // of one type
}

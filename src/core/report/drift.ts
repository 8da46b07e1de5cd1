/** Detection of response times that grow during a run, although its load is constant. */
import { metricText } from '../model/metric-text.ts';
import type { RunRecord, SecondRecord } from '../run-record/run-record.ts';
import { sumOf } from '../sum.ts';

/** Minimum number of entries of the timeline. In shorter runs, random changes in a queue look like growth. */
const MIN_ENTRIES = 30;
const BLOCKS = 5;
/** Minimum number of responses in a block; with fewer responses, p95 would equal the maximum. */
const MIN_BLOCK_RESPONSES = 20;
/** Minimum ratio of the fastest block of the last third to the slowest block of the first third. */
const MIN_GROWTH = 1.2;
/** Minimum growth in ms. */
const MIN_GROWTH_MS = 1;
/** Maximum difference between the loads of the first and the last third of an open model, as a fraction. */
const MAX_LOAD_CHANGE = 0.1;

type Entries = readonly SecondRecord[];

/**
 * Describes response times that grew during a run with a constant load; null if they did not.
 * @remarks If the order of all ten blocks were random, the last five would all be slower than the first five in 1 of
 * 252 runs. Successive seconds are not independent, so the blocks must also differ by 20%.
 */
export function driftText({ timeline, delivery }: Pick<RunRecord, 'timeline' | 'delivery'>): string | null {
  if (timeline === null || delivery === null) return null;
  const measured = timeline.filter(({ warmup }) => !warmup);
  // Excludes the time after the last start of a request, which is not part of the load.
  const entries = measured.slice(0, measured.findLastIndex(({ started }) => started > 0) + 1);
  if (entries.length < MIN_ENTRIES) return null;
  const third = Math.floor(entries.length / 3);
  const [first, last] = [entries.slice(0, third), entries.slice(-third)];
  const isConstant =
    delivery.model === 'closed' ? hasConstantConnections(entries) : haveSameRate(first, last);
  const [before, after] = [blockTimes(first), blockTimes(last)];
  if (!isConstant || before === null || after === null) return null;
  const [slowest, fastest] = [Math.max(...before), Math.min(...after)];
  if (fastest < MIN_GROWTH * slowest || fastest < slowest + MIN_GROWTH_MS) return null;
  const textOf = (times: readonly number[]) => metricText('p95', medianOf(times));
  return `p95 grew from ${textOf(before)} to ${textOf(after)} during the run; the target may not have reached a steady state`;
}

function hasConstantConnections(entries: Entries): boolean {
  const numbers = new Set(entries.map(({ connections }) => connections));
  return numbers.size === 1 && !numbers.has(null);
}

function haveSameRate(first: Entries, last: Entries): boolean {
  const startedIn = (entries: Entries) => sumOf(entries.map(({ started }) => started));
  const [before, after] = [startedIn(first), startedIn(last)];
  return Math.abs(after - before) <= MAX_LOAD_CHANGE * before;
}

/** Returns the median p95 of each block in ms; null if a block has too few responses. */
function blockTimes(entries: Entries): readonly number[] | null {
  const blocks = Array.from({ length: BLOCKS }, (_, block) =>
    entries.slice(
      Math.floor((block * entries.length) / BLOCKS),
      Math.floor(((block + 1) * entries.length) / BLOCKS),
    ),
  );
  const isMeasured = (block: Entries) =>
    sumOf(block.map(({ success, error }) => success + error)) >= MIN_BLOCK_RESPONSES &&
    block.some(({ p95 }) => p95 !== null);
  if (!blocks.every(isMeasured)) return null;
  return blocks.map((block) => medianOf(block.flatMap(({ p95 }) => p95 ?? [])));
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

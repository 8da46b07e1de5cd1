/**
 * Selection of one of several tests with the same marker: the test that started first. If start times are equal or
 * unknown, the test with the smallest ID is selected.
 * @see docs/internals/reconciler.md, section 4.1, step 8
 */
import type { TestId } from '../model/ids.ts';
import type { ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../run-record/run-result.ts';

/** Start of the first run of each test, in ms since the epoch, by the clock of the service. */
export type FirstStartTimes = ReadonlyMap<TestId, number>;

interface WithTest {
  readonly test: Pick<ObservedTest, 'id'>;
}

/** Returns a comparison function for `sort`, which orders tests without a start last. */
export function compareByFirstStart(starts: FirstStartTimes): (a: WithTest, b: WithTest) => number {
  return ({ test: a }, { test: b }) => {
    const [startA, startB] = [starts.get(a.id) ?? Infinity, starts.get(b.id) ?? Infinity];
    if (startA !== startB) return startA < startB ? -1 : 1;
    return a.id < b.id ? -1 : 1;
  };
}

export function firstStartOf(results: readonly RunResult[]): number | null {
  const times = results.flatMap(({ record: { startedAt } }) => (startedAt === null ? [] : [startedAt]));
  return times.length === 0 ? null : Math.min(...times);
}

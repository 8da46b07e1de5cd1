/**
 * Which of several tests with one mark counts: the one that began earlier on the service, then the smaller id.
 *
 * Shape:  every process and machine decides the same, without talking.
 * Source: docs/internals/reconciler.md, section 4.1, step 8.
 */
import type { TestId } from '../model/ids.ts';
import type { ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';

/** When the first run of each test began, by the clock of the service, in ms since the epoch. */
export type FirstStartTimes = ReadonlyMap<TestId, number>;

interface WithTest {
  readonly test: Pick<ObservedTest, 'id'>;
}

/** For `sort`. A test that has not begun comes last. */
export function compareByFirstStart(began: FirstStartTimes): (a: WithTest, b: WithTest) => number {
  return ({ test: a }, { test: b }) => {
    const [beganA, beganB] = [began.get(a.id) ?? Infinity, began.get(b.id) ?? Infinity];
    if (beganA !== beganB) return beganA < beganB ? -1 : 1;
    return a.id < b.id ? -1 : 1;
  };
}

/** When the first of the runs began; null: none of them tells. */
export function firstStartOf(results: readonly RunResult[]): number | null {
  const times = results.flatMap(({ startedAt }) => (startedAt === null ? [] : [startedAt]));
  return times.length === 0 ? null : Math.min(...times);
}

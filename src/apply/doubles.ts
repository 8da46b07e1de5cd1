/**
 * Two tests of one mark: somebody else won too, or a request was executed late.
 *
 * Source: docs/design/reconciler.md, section 4.1, step 8.
 */
import { testAddress, testKey, type Address } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { isArmed, stateOf } from '../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import { readMark, sameCreation, type Mark } from '../core/reconcile/mark.ts';
import { stopTest } from './stop-test.ts';
import type { World } from './world.ts';

interface Marked {
  readonly test: ObservedTest;
  readonly mark: Mark;
}

/** What is wrong with the tests of one key. */
export interface Double {
  readonly address: Address;
  readonly problem: Problem;
}

/** The smallest id counts, for every process. Stops the others if this journal created them. Errors: CallError. */
export async function stopDoubles(marks: readonly Mark[], world: World): Promise<Double[]> {
  const { items } = await world.service.listTests();
  const marked = items.flatMap((test): Marked[] => {
    const reading = readMark(test.notes);
    return reading.kind === 'mark' ? [{ test, mark: reading.mark }] : [];
  });
  const ours = new Set(world.journal.lines().map((line) => line.nonce));
  const doubles: Double[] = [];
  for (const mark of marks) {
    const [winner, ...losers] = marked
      .filter((one) => sameCreation(one.mark, mark))
      .sort((a, b) => (a.test.id < b.test.id ? -1 : 1));
    if (winner === undefined || losers.length === 0) continue;
    const own = losers.filter((one) => ours.has(one.mark.nonce));
    const problems: Problem[] = [];
    for (const { test } of own) problems.push(...(await stopLoser(test, world)));
    const lost = own.length === 0 ? '' : `, and ours, ${own.map(({ test }) => test.id).join(', ')}, does not`;
    const text = `"${mark.key}" was created more than once; ${winner.test.id} counts${lost}`;
    problems.push(problem('LT_PLAN_DUPLICATE', text));
    const address = testAddress(testKey(mark.key));
    doubles.push(...problems.map((one) => ({ address, problem: one })));
  }
  return doubles;
}

async function stopLoser(test: ObservedTest, world: World): Promise<Problem[]> {
  const state = stateOf(test, world.clock.now());
  if (!isArmed(state)) return [];
  try {
    const after = await stopTest(test, world, 10_000);
    if (!isArmed(after)) return [];
    return [problem('LT_PLAN_DUPLICATE', `the duplicate ${test.id} did not stop`)];
  } catch (error) {
    if (error instanceof ProblemError) return [error.problem];
    throw error;
  }
}

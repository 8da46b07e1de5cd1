/** Deletes apps with all that lives there, unless something there is not of this file. */
import { deleteApp } from '../../apply/delete-app.ts';
import { stopTest } from '../../apply/stop-test.ts';
import type { World } from '../../apply/world.ts';
import { isArmed } from '../../core/model/test-state.ts';
import { exitCodeOf, exitCodeOfProblems, problem, ProblemError, type Problem } from '../../core/problem.ts';
import { systemClock, type Session } from '../session/session.ts';
import type { Context } from '../terminal/context.ts';
import type { Doomed, DoomedApp, DoomedTest } from './doomed.ts';

/** How long a test may take to stop, in ms. */
const PATIENCE = 30_000;

/** Why nothing is deleted: tests that are not of this file live there, or may. */
export function foreignProblems({ apps, perhapsCut }: Doomed): Problem[] {
  const hint = '--with-foreign deletes them as well';
  const foreign = apps.flatMap(({ declared, tests }) => {
    const count = tests.filter(({ key }) => key === null).length;
    if (count === 0) return [];
    const live = count === 1 ? 'a test lives there that is' : `${count} tests live there that are`;
    return [
      problem('LT_PLAN_FOREIGN', `"${declared.key}" is not deleted: ${live} not of this file`, {
        source: declared.source,
        hint,
      }),
    ];
  });
  if (!perhapsCut || apps.length === 0) return foreign;
  const text = 'nothing is deleted: the list of tests may be cut off, so others may live there unseen';
  return [...foreign, problem('LT_PLAN_FOREIGN', text, { hint })];
}

type DeleteOutcome = 'done' | 'failed' | 'not_tried';
export type Outcomes = ReadonlyMap<DoomedApp, DeleteOutcome>;

/** One after another: what fails stops nothing else, but a refused key ends it all. */
export async function deleteEach(
  apps: readonly DoomedApp[],
  session: Session,
  context: Context,
): Promise<{ outcomes: Outcomes; problems: Problem[] }> {
  const outcomes = new Map<DoomedApp, DeleteOutcome>();
  const problems: Problem[] = [];
  const world = { service: session.connection.service, clock: systemClock };
  let halted = false;
  for (const doomed of apps) {
    if (halted || context.interruption.signal.aborted) {
      outcomes.set(doomed, 'not_tried');
      continue;
    }
    try {
      await stopAll(doomed.tests, world);
      await deleteApp(doomed.app.id, world);
      outcomes.set(doomed, 'done');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push({
        ...error.problem,
        message: `"${doomed.declared.key}" is not deleted: ${error.message}`,
      });
      outcomes.set(doomed, 'failed');
      halted = error.problem.code === 'LT_API_KEY';
    }
  }
  return { outcomes, problems };
}

/** Load must not go on at a host that is being taken out of the account. */
async function stopAll(tests: readonly DoomedTest[], world: Pick<World, 'service' | 'clock'>): Promise<void> {
  for (const { test, state } of tests) {
    if (!isArmed(state)) continue;
    const after = await stopTest(test, world, PATIENCE);
    if (isArmed(after))
      throw new ProblemError(problem('LT_RUN_TIMEOUT', `the test "${test.id}" did not stop in time`));
  }
}

export function exitCodeOfDeletion(
  outcomes: Outcomes,
  problems: readonly Problem[],
  context: Context,
): number {
  const all = [...outcomes.values()];
  const partial = all.includes('done') && all.some((one) => one !== 'done');
  const signal = context.interruption.exitCode();
  return exitCodeOf([
    exitCodeOfProblems(problems),
    ...(partial ? [7] : []),
    ...(signal === null ? [] : [signal]),
  ]);
}

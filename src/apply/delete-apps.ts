/** Deletes apps with all that lives there, unless something there is not of this file. */
import type { CallError } from '../core/call-error.ts';
import type { AppId } from '../core/model/ids.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { exitCodeOf, exitCodeOfProblems, problem, ProblemError, type Problem } from '../core/problem.ts';
import type { DeletionPlan, AppDeletion, TestDeletion } from './deletion-plan.ts';
import { sendOrThrow, throwIfInterrupted, type RetryDecision } from './write-retry.ts';
import { stopTest } from './stop-test.ts';
import type { ApplyContext } from './apply-context.ts';

type DeletionContext = Pick<ApplyContext, 'service' | 'clock' | 'settle' | 'interrupted'>;

export type Deletions = ReadonlyMap<AppDeletion, 'done' | 'failed' | 'not_attempted'>;

/** How long a test may take to stop, in ms. */
const STOP_TIMEOUT_MS = 30_000;

/** Why nothing is deleted: tests that are not of this file live there, or may. */
export function listUnmanagedProblems({ apps, maybeTruncated }: DeletionPlan): Problem[] {
  const hint = 'use --with-unmanaged to delete them as well';
  const foreign = apps.flatMap(({ declared, tests }) => {
    const count = tests.filter(({ key }) => key === null).length;
    if (count === 0) return [];
    const live = count === 1 ? 'it has a test that is' : `it has ${count} tests that are`;
    return [
      problem('LT_PLAN_UNMANAGED', `"${declared.key}" is not deleted: ${live} not from this file`, {
        source: declared.source,
        hint,
      }),
    ];
  });
  if (!maybeTruncated || apps.length === 0) return foreign;
  const text = 'nothing is deleted: the list of tests may be incomplete, so there may be other tests';
  return [...foreign, problem('LT_PLAN_UNMANAGED', text, { hint })];
}

/** One after another: what fails stops nothing else, but a refused key ends it all. */
export async function deleteApps(
  apps: readonly AppDeletion[],
  world: DeletionContext,
): Promise<{ readonly outcomes: Deletions; readonly problems: readonly Problem[] }> {
  const outcomes = new Map<AppDeletion, 'done' | 'failed' | 'not_attempted'>();
  const problems: Problem[] = [];
  let halted = false;
  for (const doomed of apps) {
    if (halted || world.interrupted.aborted) {
      outcomes.set(doomed, 'not_attempted');
      continue;
    }
    const { app, declared, tests } = doomed;
    try {
      await stopAll(tests, world);
      throwIfInterrupted(world);
      await deleteApp(app.id, world);
      outcomes.set(doomed, 'done');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.problem.code === 'LT_CLI_INTERRUPTED') {
        outcomes.set(doomed, 'not_attempted');
        continue;
      }
      const message = `"${declared.key}" is not deleted: ${error.message}`;
      problems.push({ ...error.problem, message, source: declared.source });
      outcomes.set(doomed, 'failed');
      halted = error.problem.code === 'LT_API_KEY';
    }
  }
  return { outcomes, problems };
}

/** Load must not go on at a host that is being taken out of the account. */
async function stopAll(tests: readonly TestDeletion[], world: DeletionContext): Promise<void> {
  for (const { test, state } of tests) {
    if (!isStoppable(state)) continue;
    if (!isStoppable((await stopTest(test, world, STOP_TIMEOUT_MS)).state)) continue;
    throw new ProblemError(problem('LT_RUN_TIMEOUT', `the test "${test.id}" did not stop in time`));
  }
}

/** Deleting may be repeated: an app that is gone after a doubt was deleted by us. Errors: CallError. */
export async function deleteApp(id: AppId, world: DeletionContext): Promise<void> {
  const decide = (error: CallError, doubt: CallError | null): RetryDecision<void> => {
    if (doubt !== null && error.status === 404) return { done: undefined };
    return error.transient ? 'again' : 'end';
  };
  const send = () => world.service.deleteApp(id);
  await sendOrThrow({ send, decide, interrupted: world.interrupted }, world.clock);
}

/** @param signal the number that an interruption exits with; null when there was none */
export function exitCodeOfDeletions(
  outcomes: Deletions,
  problems: readonly Problem[],
  signal: 130 | 143 | null,
): number {
  const all = [...outcomes.values()];
  const partial = all.includes('done') && all.some((one) => one !== 'done');
  return exitCodeOf([
    exitCodeOfProblems(problems),
    ...(partial ? [7] : []),
    ...(signal === null ? [] : [signal]),
  ]);
}

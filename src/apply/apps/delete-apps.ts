import type { CallError } from '../../core/call-error.ts';
import type { AppId } from '../../core/model/ids.ts';
import { isStoppable } from '../../core/model/test-state.ts';
import {
  exitCodeOf,
  exitCodeOfProblems,
  problem,
  ProblemError,
  type Problem,
  type SignalExitCode,
} from '../../core/problem.ts';
import type { DeletionPlan, AppDeletion, TestDeletion } from './deletion-plan.ts';
import { sendOrThrow, throwIfInterrupted, type RetryDecision } from '../uncertainty/sending.ts';
import { stopTest } from '../tests/stop-test.ts';
import type { ApplyContext } from '../apply-context.ts';

type DeletionContext = Pick<ApplyContext, 'service' | 'clock' | 'settle' | 'interrupted'>;

export type Deletions = ReadonlyMap<AppDeletion, 'done' | 'failed' | 'not_attempted'>;

const STOP_TIMEOUT_MS = 30_000;

/** Returns a problem for each app with unmanaged tests, and a problem if the lists may be incomplete. */
export function listUnmanagedProblems({ apps, maybeTruncated }: DeletionPlan): Problem[] {
  const hint = 'to delete unmanaged tests too, pass --with-unmanaged';
  const unmanaged = apps.flatMap(({ declared, tests }) => {
    const count = tests.filter(({ key }) => key === null).length;
    if (count === 0) return [];
    const subject = count === 1 ? 'a test' : `${count} tests`;
    return [
      problem(
        'LT_PLAN_UNMANAGED',
        `"${declared.key}" is not deleted: it has ${subject} that this file does not manage`,
        {
          source: declared.source,
          hint,
        },
      ),
    ];
  });
  if (!maybeTruncated || apps.length === 0) return unmanaged;
  const text =
    'nothing is deleted: the list of apps or tests may be incomplete, so unmanaged tests may exist';
  return [...unmanaged, problem('LT_PLAN_UNMANAGED', text, { hint })];
}

/** Continues after a failure, unless the service rejects the key or a signal arrives. */
export async function deleteApps(
  apps: readonly AppDeletion[],
  context: DeletionContext,
): Promise<{ readonly outcomes: Deletions; readonly problems: readonly Problem[] }> {
  const outcomes = new Map<AppDeletion, 'done' | 'failed' | 'not_attempted'>();
  const problems: Problem[] = [];
  let halted = false;
  for (const deletion of apps) {
    if (halted || context.interrupted.aborted) {
      outcomes.set(deletion, 'not_attempted');
      continue;
    }
    const { app, declared, tests } = deletion;
    try {
      await stopAll(tests, context);
      throwIfInterrupted(context);
      await deleteApp(app.id, context);
      outcomes.set(deletion, 'done');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.problem.code === 'LT_CLI_INTERRUPTED') {
        outcomes.set(deletion, 'not_attempted');
        continue;
      }
      const message = `"${declared.key}" is not deleted: ${error.message}`;
      problems.push({ ...error.problem, message, source: declared.source });
      outcomes.set(deletion, 'failed');
      halted = error.problem.code === 'LT_API_KEY';
    }
  }
  return { outcomes, problems };
}

/** Stops the tests, so that no app is deleted while its host receives load. */
async function stopAll(tests: readonly TestDeletion[], context: DeletionContext): Promise<void> {
  for (const { test, state } of tests) {
    if (!isStoppable(state)) continue;
    if (!isStoppable((await stopTest(test, context, STOP_TIMEOUT_MS)).state)) continue;
    throw new ProblemError(problem('LT_RUN_TIMEOUT', `the test "${test.id}" did not stop in time`));
  }
}

/**
 * A 404 response after an attempt with an unknown outcome counts as success.
 * @throws CallError
 */
export async function deleteApp(id: AppId, context: DeletionContext): Promise<void> {
  const decide = (error: CallError, uncertain: CallError | null): RetryDecision<void> => {
    if (uncertain !== null && error.status === 404) return { done: undefined };
    return error.transient ? 'again' : 'end';
  };
  const send = () => context.service.deleteApp(id);
  await sendOrThrow({ send, decide }, context);
}

/** @param signal - Exit code of an interruption; null if there was none. */
export function exitCodeOfDeletions(
  outcomes: Deletions,
  problems: readonly Problem[],
  signal: SignalExitCode | null,
): number {
  const all = [...outcomes.values()];
  const partial = all.includes('done') && all.some((one) => one !== 'done');
  return exitCodeOf([
    exitCodeOfProblems(problems),
    ...(partial ? [7] : []),
    ...(signal === null ? [] : [signal]),
  ]);
}

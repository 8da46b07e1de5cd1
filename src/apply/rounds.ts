/**
 * Executes a plan and repeats its runs in interleaved rounds, such as A B, A B, A B.
 * @remarks A round starts after all runs of the previous round have ended.
 * @see docs/internals/results.md, section 4
 */
import { NO_REGRESSION } from '../core/model/regression.ts';
import type { RunResult } from '../core/run-record/run-result.ts';
import { testAddress, type Address } from '../core/model/ids.ts';
import type { RunnableTest } from '../core/model/load-test.ts';
import { isChange, type Action, type RunAction } from '../core/reconcile/action.ts';
import { planFromActions, type Plan } from '../core/reconcile/plan.ts';
import { sortByDependencies } from '../core/reconcile/run-order.ts';
import { ProblemError } from '../core/problem.ts';
import { execute, type ExecuteOptions, type Execution } from './execute.ts';
import type { DoneRun } from './runs/runs.ts';
import { readExisting } from './uncertainty/lookups.ts';
import type { ApplyContext } from './apply-context.ts';

export interface RoundRun extends DoneRun {
  /** Number of the round, starting at 1; null if only one round was requested or this command did not start the run. */
  readonly round: number | null;
}

export interface RepeatedExecution extends Execution {
  readonly runs: readonly RoundRun[];
  /** Number of rounds that were not completed successfully; 0 if the first round started no test. */
  readonly roundsLeft: number;
}

export interface RoundsInput {
  readonly context: ApplyContext;
  readonly options: Omit<ExecuteOptions, 'earlier'>;
  /** At least 1. */
  readonly rounds: number;
}

/** Failures are part of the result. Only bugs throw. */
export async function executeRounds(
  plan: Plan,
  apps: Parameters<typeof execute>[1],
  { context, options, rounds }: RoundsInput,
): Promise<RepeatedExecution> {
  const earlier = new Map<Address, readonly RunResult[]>();
  const executeRound = async (roundPlan: Plan, round: number) => {
    reportRound(context, round, rounds);
    return await execute(round < rounds ? withoutRegression(roundPlan) : roundPlan, apps, {
      context,
      options: { ...options, earlier },
    });
  };
  const first = await executeRound(plan, 1);
  const starts = listStartedTests(plan, first);
  const runs = withRound(first.runs, rounds > 1 ? 1 : null);
  const problems = [...first.problems];
  let done = first;
  let round = 1;
  while (round < rounds && starts.length > 0 && isSuccessful(done) && !context.interrupted.aborted) {
    for (const { address, result } of done.runs) {
      if (result !== null) earlier.set(address, [...(earlier.get(address) ?? []), result]);
    }
    const next = await actionsOf(starts, done, context);
    if ('problem' in next) {
      problems.push(next.problem);
      break;
    }
    round++;
    done = await executeRound(planFromActions(plan, next.actions), round);
    runs.push(...withRound(done.runs, round));
    problems.push(...done.problems);
  }
  const roundsLeft = starts.length === 0 ? 0 : rounds - round + (isSuccessful(done) ? 0 : 1);
  return { ...first, runs, problems, roundsLeft };
}

function reportRound(context: ApplyContext, round: number, rounds: number): void {
  if (rounds > 1) context.emit({ kind: 'note', text: `round ${round} of ${rounds}` });
}

function withRound(runs: readonly DoneRun[], round: number | null): RoundRun[] {
  return runs.map((run) => ({ ...run, round: run.startedByUs ? round : null }));
}

/** Removes the regression thresholds. Only the last round evaluates these thresholds, with the runs of all rounds. */
function withoutRegression(plan: Plan): Plan {
  const actions = plan.actions.map((action): Action => {
    if (action.verb === 'create' || action.verb === 'replace')
      return { ...action, test: { ...action.test, regression: NO_REGRESSION } };
    if (action.verb === 'run') return { ...action, test: { ...action.test, regression: NO_REGRESSION } };
    return action;
  });
  return { ...plan, actions };
}

function listStartedTests({ actions }: Plan, { runs }: Execution): readonly RunnableTest[] {
  const started = new Set(runs.filter(({ startedByUs }) => startedByUs).map(({ address }) => address));
  const tests = actions.flatMap((action) =>
    isChange(action) && 'test' in action && started.has(action.address) ? [action.test] : [],
  );
  return sortByDependencies(tests);
}

function isSuccessful({ actions, runs }: Execution): boolean {
  return (
    runs.every(({ end }) => end === 'ended') &&
    actions.every(({ action, outcome }) => !isChange(action) || outcome === 'done')
  );
}

async function actionsOf(
  tests: readonly RunnableTest[],
  { runs }: Execution,
  context: ApplyContext,
): Promise<{ readonly actions: readonly RunAction[] } | { readonly problem: ProblemError['problem'] }> {
  const actions: RunAction[] = [];
  try {
    for (const test of tests) {
      const address = testAddress(test.key);
      const run = runs.find((one) => one.address === address && one.startedByUs);
      // If another process started the test, the run of that process replaces the run of this round.
      const id = (run ?? runs.find((one) => one.address === address))?.testId;
      if (id === undefined) continue;
      const { test: observed } = await readExisting(() => context.service.getTest(id), context);
      actions.push({ verb: 'run', address, test, observed, uncomparedSecrets: [], note: null });
    }
    return { actions };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem };
    throw error;
  }
}

/** The `run` command: starts tests, or creates missing ones, waits for their runs and evaluates them. */
import { runActionOf } from '../../apply/runs/run-by-id.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { matchesAny } from '../../core/glob.ts';
import { findLimitViolations } from '../../core/reconcile/limit-violations.ts';
import { planFromActions } from '../../core/reconcile/plan.ts';
import { findTestsById, idsOf } from '../steps/tests-by-id.ts';
import { executePlan } from '../steps/execute-plan.ts';
import type { Context } from '../terminal/context.ts';
import { fileArgs, repeatArgs } from '../steps/resume-hint.ts';
import { planProject, type Planned } from '../steps/plan-project.ts';
import { runOnce, type OnceFlags } from '../steps/run-once.ts';
import { withProject, withService } from '../session/open-session.ts';
import { usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { selectTests } from '../steps/key-selection.ts';
import { DEFAULT_PARALLELISM, outerLimitsOf, planOptions } from '../steps/plan-flags.ts';
import { actionsText, planText } from '../../report/plan-text.ts';
import { UNSCOPED } from '../session/session.ts';

export interface RunFlags extends OnceFlags {
  readonly once?: boolean;
}

/** @param names - Keys or patterns of tests in the configuration file, or `id:ID`. */
export async function run(context: Context, names: readonly string[], flags: RunFlags): Promise<Outcome> {
  if (flags.once === true && flags.repeat !== undefined)
    throw usageError('--once and --repeat cannot be combined: --once runs a single iteration');
  if (flags.url !== undefined && flags.once !== true)
    throw usageError('--url requires --once: --url selects the last request of a single iteration');
  const ids = idsOf(names);
  if (ids !== null) return await runById(context, ids, flags);
  const check = (config: LoadedConfig) => void selectTests(config, names);
  const selectsTest = (key: string) => matchesAny(names, key);
  const request = { flags, writes: true, selectsTest, sendsSecrets: selectsTest, check };
  return await withProject(context, request, async (opened) => {
    const { config, session } = opened;
    if (flags.once === true) return await runOnce(context, { config, session, patterns: names, flags });
    const options = { ...planOptions({ ...flags, run: true }, Date.now(), context), only: names };
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await executePlan(context, {
      command: 'run',
      ...opened,
      flags,
      plan: async (context) => await planProject(session, config.desired, { options, parallelism, context }),
      render: planText,
      check: () => [],
      approved: flags.yes === true,
      resumeHint: ({ keys, rounds }) => ['run', ...keys, ...repeatArgs(rounds), ...fileArgs(flags)],
    });
  });
}

async function runById(context: Context, ids: readonly string[], flags: RunFlags): Promise<Outcome> {
  if (flags.once === true)
    throw usageError('--once requires keys of tests in the file and cannot be combined with id:ID');
  if (flags.allowLimit !== undefined)
    throw usageError(
      '--allow-limit and id:ID cannot be combined: the limits of the file apply only to its own tests',
      'remove --allow-limit',
    );
  return await withService(context, { flags, writes: true }, async (opened) => {
    const { config, session } = opened;
    const plan = async (): Promise<Planned> => {
      const tests = await findTestsById(session.connection.service, ids);
      const actions = tests.map(runActionOf);
      const projectPlan = planFromActions(config?.desired ?? UNSCOPED, actions, flags.repeat);
      const outer = outerLimitsOf(context);
      const limited = {
        tests: actions.map(({ test }) => test),
        load: projectPlan.load,
        rounds: () => flags.repeat ?? 1,
        allowed: [],
      };
      const problems = outer === null ? [] : findLimitViolations({ ...limited, ...outer });
      return { plan: projectPlan, problems };
    };
    return await executePlan(context, {
      command: 'run',
      ...opened,
      flags,
      plan,
      render: actionsText,
      check: () => [],
      approved: flags.yes === true,
      resumeHint: ({ keys, rounds }) => [
        'run',
        ...keys.map((id) => `id:${id}`),
        ...repeatArgs(rounds),
        ...fileArgs(flags),
      ],
    });
  });
}

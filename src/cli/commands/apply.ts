/** The `apply` command: executes a plan, waits for the runs that it starts and evaluates them. */
import { digestOfSavedPlan, listStaleReasons } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { selects } from '../../core/reconcile/plan-input.ts';
import { executePlan } from '../steps/execute-plan.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { applyArgs } from '../steps/resume-hint.ts';
import { planProject, signingOf } from '../steps/plan-project.ts';
import { forEachFile } from '../steps/several-files.ts';
import { checkSignature, openSavedPlan, refuseSpentPlan } from '../steps/saved-plan.ts';
import { withProject } from '../session/open-session.ts';
import { sha256 } from '../files/sha256.ts';
import { usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { checkSelection } from '../steps/key-selection.ts';
import { DEFAULT_PARALLELISM, savedFlags, planOptions } from '../steps/plan-flags.ts';
import { planText } from '../../report/plan-text.ts';

/**
 * Runs the command `apply`.
 * @param planFile - A file written by `plan -o`.
 */
export async function apply(
  context: Context,
  planFile: string | undefined,
  flags: ApplyFlags,
): Promise<Outcome> {
  if (planFile !== undefined) return await applyFile(context, planFile, flags);
  const run = async (one: ApplyFlags) => await applyFile(context, planFile, one);
  return await forEachFile(context, 'apply', { flags, run });
}

async function applyFile(
  context: Context,
  planFile: string | undefined,
  requestedFlags: ApplyFlags,
): Promise<Outcome> {
  const saved = planFile === undefined ? null : await openSavedPlan(context, planFile);
  if (saved !== null && Object.keys(savedFlags(requestedFlags)).length > 0) {
    throw usageError('a saved plan includes its flags; only flags for waiting and output can be added');
  }
  if (saved === null && (requestedFlags.again === true || requestedFlags.maxPlanAge !== undefined))
    throw usageError('--again and --max-plan-age apply only to a saved plan', 'pass the file of the plan');
  const flags = saved === null ? requestedFlags : { ...requestedFlags, ...saved.flags };
  const now = Date.now();
  const options = planOptions(flags, now, context);
  const check = (config: LoadedConfig) => {
    checkSelection(config, options);
  };
  const chosen = (key: string) => selects(options, key);
  const sendsSecrets = (key: string) => options.start && chosen(key);
  const request = { flags, writes: true, selectsTest: chosen, sendsSecrets, check };
  return await withProject(context, request, async (opened) => {
    const { config, session } = opened;
    const signing = saved === null ? null : signingOf(config, session, { flags, now, context });
    const journal = session.journal(config.desired);
    let unsigned: string | null = null;
    if (saved !== null && signing !== null) {
      unsigned = checkSignature(context, saved, { signing, project: config.desired.project });
      refuseSpentPlan(saved, journal, { flags, now });
    }
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await executePlan(context, {
      command: 'apply',
      ...opened,
      flags,
      plan: async (context) => await planProject(session, config.desired, { options, parallelism, context }),
      render: planText,
      check: (document) => {
        if (saved === null || signing === null) return [];
        return listStaleReasons(saved.plan, { plan: document, saved: signing.origin });
      },
      // With a plan that was signed elsewhere, --yes approves nothing, because its flags are not those of this user.
      approved: saved === null ? flags.yes === true : unsigned === null,
      ...(unsigned === null ? {} : { doubt: unsigned }),
      onApproved: () => {
        if (saved !== null) journal.recordPlan(digestOfSavedPlan(saved.plan, sha256), Date.now());
      },
      resumeHint: (unfinished) => applyArgs(flags, unfinished),
    });
  });
}

/** The `apply` command: executes a plan, waits for the runs that it starts and evaluates them. */
import { digestOfSavedPlan, listPlanChanges, listStaleReasons } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { fail, type Result } from '../../core/result.ts';
import { selects } from '../../core/reconcile/plan-input.ts';
import { executePlan } from '../steps/execute-plan.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { applyArgs } from '../steps/resume-hint.ts';
import { planProject, signingOf } from '../steps/plan-project.ts';
import { applyTogether, type Stage } from '../steps/apply-together.ts';
import { loadFiles, type ProjectFile } from '../steps/several-files.ts';
import { checkSignature, openSavedPlans, refuseSpentPlan, type OpenedPlan } from '../steps/saved-plan.ts';
import { loadProject } from '../files/project.ts';
import { withProject } from '../session/open-session.ts';
import { sha256 } from '../files/sha256.ts';
import { usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { checkSelection } from '../steps/key-selection.ts';
import { DEFAULT_PARALLELISM, savedFlags, planOptions } from '../steps/plan-flags.ts';
import { planText } from '../../report/plan-text.ts';

/** `saved` is null if the command creates the plan itself. */
interface FileToApply extends ProjectFile<ApplyFlags> {
  readonly saved: OpenedPlan | null;
}

/** @param planFile - A file that `plan --out` wrote; undefined to create the plan. */
export async function apply(
  context: Context,
  planFile: string | undefined,
  flags: ApplyFlags,
): Promise<Outcome> {
  const files = await (planFile === undefined
    ? openFiles(context, flags)
    : openSavedFiles(context, planFile, flags));
  const now = Date.now();
  const [first] = files;
  if (first !== undefined && files.length === 1) return await applyFile(context, first, { now });
  return await applyTogether(context, {
    files,
    approved: planFile !== undefined || flags.yes === true,
    run: async (own, file, stage) => await applyFile(own, file, { now, ...stage }),
  });
}

async function openFiles(context: Context, flags: ApplyFlags): Promise<readonly FileToApply[]> {
  if (flags.again === true || flags.maxPlanAge !== undefined)
    throw usageError(
      '--again and --max-plan-age apply only to a saved plan',
      'pass the plan file: loadtests apply FILE',
    );
  const files = await loadFiles(context, flags, loadProject);
  return files.map((file) => ({ ...file, saved: null }));
}

async function openSavedFiles(
  context: Context,
  planFile: string,
  requested: ApplyFlags,
): Promise<readonly FileToApply[]> {
  const plans = await openSavedPlans(context, planFile);
  if (requested.file !== undefined || Object.keys(savedFlags(requested)).length > 0) {
    throw usageError(
      'a saved plan includes its file and flags, so --file and flags that change the plan, such as --only, cannot be added',
      'remove these flags, or pass them when you create the plan: loadtests plan -o FILE',
    );
  }
  const files: FileToApply[] = [];
  for (const saved of plans) {
    const flags = { ...requested, ...saved.flags };
    files.push({ flags, loaded: withPlanHint(await loadProject(context, flags)), saved });
  }
  return files;
}

/** Explains that the path of a missing file in a saved plan is relative to the directory of `plan`. */
function withPlanHint(loaded: Result<LoadedConfig>): Result<LoadedConfig> {
  if (loaded.ok) return loaded;
  const hint = 'run "apply" in the directory in which the plan was created, or create a new plan';
  return fail(loaded.problems.map((one) => (one.code === 'LT_CONFIG_NOT_FOUND' ? { ...one, hint } : one)));
}

async function applyFile(
  context: Context,
  { flags, loaded, saved }: FileToApply,
  { now, kind, approved, onDoubt }: { readonly now: number } & Partial<Stage>,
): Promise<Outcome> {
  const options = planOptions(flags, now, context);
  const check = (config: LoadedConfig) => checkSelection(config, options);
  const chosen = (key: string) => selects(options, key);
  const sendsSecrets = (key: string) => options.start && chosen(key);
  const load = async () => await Promise.resolve(loaded);
  const request = { flags, load, writes: true, selectsTest: chosen, sendsSecrets, check };
  return await withProject(context, request, async (opened) => {
    const { config, session } = opened;
    const signing = saved === null ? null : signingOf(config, session, { flags, now, context });
    const journal = session.journal(config.desired);
    let unsigned: string | null = null;
    if (saved !== null && signing !== null) {
      unsigned = checkSignature(context, saved, { signing, project: config.desired.project });
      refuseSpentPlan(saved, journal, { flags, now });
      if (unsigned !== null) onDoubt?.(unsigned);
    }
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await executePlan(context, {
      command: 'apply',
      ...opened,
      flags,
      plan: async (context) => await planProject(session, config.desired, { options, parallelism, context }),
      render: planText,
      check: (document) => [
        ...(saved === null || signing === null
          ? []
          : listStaleReasons(saved.plan, { plan: document, saved: signing.origin }, sha256)),
        ...(approved == null ? [] : listPlanChanges(approved, document, sha256)),
      ],
      ...(kind === undefined ? {} : { stage: kind }),
      // `--yes` does not approve a plan that was signed with another key, because another user may have
      // chosen the flags in the plan.
      approved: saved === null ? flags.yes === true : unsigned === null,
      ...(unsigned === null ? {} : { doubt: unsigned }),
      onApproved: () => {
        if (saved !== null) journal.recordPlan(digestOfSavedPlan(saved.plan, sha256), Date.now());
      },
      resumeHint: (unfinished) => applyArgs(flags, unfinished),
    });
  });
}

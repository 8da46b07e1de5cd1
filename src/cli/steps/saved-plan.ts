/** Opens saved plans for `apply`. The signature is checked, because a saved plan counts as approved. */
import { isAbsolute, resolve } from 'node:path';
import {
  creationTimeOf,
  digestOfSavedPlan,
  isSigned,
  readSavedPlans,
  type SavedPlan,
} from '../../apply/saved-plan.ts';
import type { Journal } from '../../apply/uncertainty/journal.ts';
import { findConfigFile } from '../../config/read-files.ts';
import { readInput } from '../../disk/input-file.ts';
import { timeText } from '../../core/instant.ts';
import { canonical } from '../../core/canonical.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import { allowedRootOf, isGitPath, isInsideDirectory } from '../../disk/untrusted-file.ts';
import { sha256 } from '../files/sha256.ts';
import { MIN_PLAN_KEY_LENGTH } from '../session/session.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { ApplyFlags, PlanFlags } from '../terminal/flags.ts';
import { readSavedFlags } from './plan-flags.ts';
import type { Signing } from './plan-project.ts';

const MAX_PLAN_BYTES = 64 * 1024 * 1024;

export interface OpenedPlan {
  /** Path of the plan file, as written on the command line. */
  readonly file: string;
  readonly plan: SavedPlan;
  /** The flags of the `plan` command, including the configuration file. */
  readonly flags: PlanFlags;
}

/**
 * Reads a saved plan for one or several configuration files. The returned plans are untrusted until `checkSignature`
 * succeeds.
 * @throws ProblemError LT_PLAN_BAD_FILE if the file is not a valid saved plan.
 */
export async function openSavedPlans(context: Context, file: string): Promise<readonly OpenedPlan[]> {
  const { directory } = context;
  let text: string;
  try {
    const { bytes } = await readInput(resolve(directory, file), MAX_PLAN_BYTES);
    text = new TextDecoder().decode(bytes);
  } catch (error) {
    throw badPlanError(`"${file}" cannot be read: ${reasonOf(error)}`, null);
  }
  const plans = readSavedPlans(text, sha256);
  if (plans === null) throw badPlanError(`"${file}" is not a saved plan, or was changed`, REPLAN_HINT);
  return plans.map((plan) => openPlan(file, plan, directory));
}

function openPlan(file: string, plan: SavedPlan, directory: string): OpenedPlan {
  if (!isAllowedPath(plan.saved.file, directory))
    throw badPlanError(
      `"${file}" refers to "${plan.saved.file}"; a saved plan can use only a file in this directory or its git work tree, outside ".git"`,
      REPLAN_HINT,
    );
  const flags = readSavedFlags(plan.saved.flags);
  if (typeof flags === 'string')
    throw badPlanError(
      `"${file}" contains the flag "${flags}", which is unknown or has an invalid value`,
      REPLAN_HINT,
    );
  return { file, plan, flags: { ...flags, file: plan.saved.file } };
}

/**
 * Checks the project and the signature of a saved plan.
 * @returns Null if the plan counts as approved; otherwise, a statement to show in the prompt for approval.
 * @throws ProblemError LT_PLAN_BAD_FILE if the plan must not be applied.
 */
export function checkSignature(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  { file, plan }: OpenedPlan,
  { signing: { origin, sign }, project }: { readonly signing: Signing; readonly project: string },
): string | null {
  if (plan.plan.project !== project)
    throw badPlanError(
      `"${file}" is a plan for the project "${plan.plan.project ?? ''}", but "${plan.saved.file}" declares the project "${project}"`,
      REPLAN_HINT,
    );
  if (isSigned(plan, sign)) return null;
  if (plan.saved.account === origin.account)
    throw badPlanError(`"${file}" was changed after it was created: its signature is invalid`, REPLAN_HINT);
  if (origin.service !== 'embedded')
    throw badPlanError(`"${file}" was created with a different API key, or was changed`, REPLAN_HINT);
  if (stdin.isTerminal && stderr.isTerminal) {
    const flags =
      Object.keys(plan.saved.flags).length === 0
        ? ''
        : `; the flags of the plan are ${canonical(plan.saved.flags)}`;
    return `"${file}" was not signed by this user on this machine for this directory, so it does not count as approval${flags}`;
  }
  throw badPlanError(
    `"${file}" was created on a different machine, by a different user, in a different directory or with a different LOADTESTS_API_KEY, or was changed`,
    `apply the plan where it was created, apply it in a terminal to review it, or set LOADTESTS_API_KEY to the same secret of at least ${MIN_PLAN_KEY_LENGTH} characters for "plan" and "apply"; the embedded service then signs plans with it`,
  );
}

const DEFAULT_MAX_PLAN_AGE = milliseconds(24 * 3_600_000);

/**
 * @throws ProblemError LT_PLAN_STALE if the plan is too old or was already applied from this data directory;
 * LT_PLAN_BAD_FILE if its age is unknown.
 */
export function refuseSpentPlan(
  { file, plan }: OpenedPlan,
  journal: Journal,
  { flags, now }: { readonly flags: ApplyFlags; readonly now: number },
): void {
  const { maxPlanAge = DEFAULT_MAX_PLAN_AGE, again } = flags;
  const created = creationTimeOf(plan);
  if (Number.isNaN(created))
    throw badPlanError(`"${file}" does not contain a valid creation time`, REPLAN_HINT);
  if (now - created > maxPlanAge) {
    throw stalePlanError(
      `"${file}" was created at ${timeText(created)}, more than ${formatDuration(maxPlanAge)} ago`,
      'create a new plan and review it, or increase --max-plan-age',
    );
  }
  const applied = journal.planAppliedAt(digestOfSavedPlan(plan, sha256));
  if (applied === null || again === true) return;
  throw stalePlanError(
    `"${file}" was already applied at ${timeText(applied)}`,
    'create a new plan and review it, or pass --again to apply this plan again',
  );
}

/** Reports whether a path is relative, outside `.git`, and either inside the allowed root or the default file. */
function isAllowedPath(file: string, directory: string): boolean {
  const path = resolve(directory, file);
  if (isAbsolute(file) || isGitPath(file)) return false;
  if (isInsideDirectory(allowedRootOf(directory), path)) return true;
  const found = findConfigFile(directory);
  return found.ok && found.value === path;
}

/** @throws ProblemError LT_CLI_PATH if a saved plan must not refer to the file. */
export function checkPlanPath(file: string, directory: string): void {
  if (isAllowedPath(file, directory)) return;
  throw new ProblemError(
    problem(
      'LT_CLI_PATH',
      `a saved plan cannot refer to "${file}", which is outside this directory and its git work tree`,
      {
        hint: 'run "plan" and "apply" in the directory of this file, or in a parent directory',
      },
    ),
  );
}

const REPLAN_HINT = 'create a new plan with "loadtests plan -o FILE"';

function stalePlanError(message: string, hint: string): ProblemError {
  return new ProblemError(problem('LT_PLAN_STALE', message, { hint }));
}

function badPlanError(message: string, hint: string | null): ProblemError {
  return new ProblemError(problem('LT_PLAN_BAD_FILE', message, { hint }));
}

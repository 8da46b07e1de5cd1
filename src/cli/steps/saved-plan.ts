/** A plan that `plan -o` wrote, opened for `apply`. It is consent, so only who has the key can have written it. */
import { isAbsolute, resolve } from 'node:path';
import { isSigned, readSavedPlan, type SavedPlan } from '../../apply/saved-plan.ts';
import { findConfigFile } from '../../config/read-files.ts';
import { readInput } from '../../disk/input-file.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { allowedRootOf, isGitPath, isInsideDirectory } from '../../disk/untrusted-file.ts';
import { sha256 } from '../files/sha256.ts';
import { MIN_PLAN_KEY_LENGTH } from '../session/session.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { readSavedFlags } from './plan-flags.ts';
import type { Signing } from './plan-project.ts';

/** Far more than a plan of thousands of tests. */
const MAX_PLAN_BYTES = 64 * 1024 * 1024;

export interface OpenedPlan {
  /** As the command line names it. */
  readonly file: string;
  readonly plan: SavedPlan;
  /** That it was made with, the file among them. */
  readonly flags: PlanFlags;
}

/**
 * Until `checkSignature`, anybody may have written what this gives.
 *
 * Errors: ProblemError LT_PLAN_BAD_FILE.
 */
export async function openSavedPlan({ directory }: Context, file: string): Promise<OpenedPlan> {
  let text: string;
  try {
    const { bytes } = await readInput(resolve(directory, file), MAX_PLAN_BYTES);
    text = new TextDecoder().decode(bytes);
  } catch (error) {
    throw badPlanError(`"${file}" cannot be read: ${reasonOf(error)}`, null);
  }
  const plan = readSavedPlan(text, sha256);
  if (plan === null) throw badPlanError(`"${file}" is not a saved plan, or was changed`, REPLAN_HINT);
  if (!isAllowedPath(plan.saved.file, directory))
    throw badPlanError(`"${file}" names a file outside of this directory, "${plan.saved.file}"`, REPLAN_HINT);
  const flags = readSavedFlags(plan.saved.flags);
  if (typeof flags === 'string')
    throw badPlanError(`"${file}" was altered: "${flags}" of its flags has no such value`, REPLAN_HINT);
  return { file, plan, flags: { ...flags, file: plan.saved.file } };
}

/** Errors: ProblemError LT_PLAN_BAD_FILE, unless it was made with the same key for this project. */
export function checkSignature({ file, plan }: OpenedPlan, { origin, sign }: Signing, project: string): void {
  if (plan.plan.project !== project)
    throw badPlanError(
      `"${file}" is a plan of the project "${plan.plan.project ?? ''}", not of "${project}"`,
      REPLAN_HINT,
    );
  if (isSigned(plan, sign)) return;
  if (plan.saved.account === origin.account)
    throw badPlanError(`"${file}" was changed since it was made: its signature does not fit`, REPLAN_HINT);
  if (origin.service !== 'embedded')
    throw badPlanError(`"${file}" was made with the API key of another account, or was changed`, REPLAN_HINT);
  throw badPlanError(
    `"${file}" was made on another machine, in another directory, or with another LOADTESTS_API_KEY, or was changed`,
    `apply it where it was made, or set LOADTESTS_API_KEY to the same secret of at least ${MIN_PLAN_KEY_LENGTH} characters where it is made and where it is applied; the embedded service then signs plans with it`,
  );
}

/** Whether a saved plan may name the file: it lies in this directory or its work tree, or is found from here anyway. */
function isAllowedPath(file: string, directory: string): boolean {
  const path = resolve(directory, file);
  if (isAbsolute(file) || isGitPath(file)) return false;
  if (isInsideDirectory(allowedRootOf(directory), path)) return true;
  const found = findConfigFile(directory);
  return found.ok && found.value === path;
}

/** Errors: ProblemError LT_CLI_PATH. */
export function checkPlanPath(file: string, directory: string): void {
  if (isAllowedPath(file, directory)) return;
  throw new ProblemError(
    problem('LT_CLI_PATH', `a saved plan cannot name "${file}", which lies outside of this directory`, {
      hint: 'make the plan, and apply it, in a directory above the file',
    }),
  );
}

const REPLAN_HINT = 'create one with "loadtests plan -o FILE"';

function badPlanError(message: string, hint: string | null): ProblemError {
  return new ProblemError(problem('LT_PLAN_BAD_FILE', message, { hint }));
}

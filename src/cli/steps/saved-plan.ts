/** A plan that `plan -o` wrote, opened for `apply`. It is consent, so only who has the key can have written it. */
import { isAbsolute, resolve } from 'node:path';
import { isSigned, readSavedPlan, type SavedPlan } from '../../apply/saved-plan.ts';
import { findConfigFile } from '../../config/read.ts';
import { readPatiently } from '../../disk/input-file.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { groundsOf, isGits, isInside } from '../../disk/stranger-file.ts';
import { sha256 } from '../files/sha256.ts';
import { LEAST_PLAN_KEY } from '../session/session.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { readSavedFlags } from './plan-flags.ts';
import type { Signing } from './planning.ts';

/** Far more than a plan of thousands of tests. */
const LARGEST_PLAN = 64 * 1024 * 1024;

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
export async function openSavedPlan({ folder }: Context, file: string): Promise<OpenedPlan> {
  let text: string;
  try {
    const { bytes } = await readPatiently(resolve(folder, file), LARGEST_PLAN);
    text = new TextDecoder().decode(bytes);
  } catch (error) {
    throw badFile(`"${file}" cannot be read: ${reasonOf(error)}`, null);
  }
  const plan = readSavedPlan(text, sha256);
  if (plan === null) throw badFile(`"${file}" is not a saved plan, or was changed`, REWRITE);
  if (!isPlaceOfPlan(plan.saved.file, folder))
    throw badFile(`"${file}" names a file outside of this folder, "${plan.saved.file}"`, REWRITE);
  const flags = readSavedFlags(plan.saved.flags);
  if (typeof flags === 'string')
    throw badFile(`"${file}" was altered: "${flags}" of its flags has no such value`, REWRITE);
  return { file, plan, flags: { ...flags, file: plan.saved.file } };
}

/** Errors: ProblemError LT_PLAN_BAD_FILE, unless it was made with the same key for this project. */
export function checkSignature({ file, plan }: OpenedPlan, { origin, sign }: Signing, project: string): void {
  if (plan.plan.project !== project)
    throw badFile(
      `"${file}" is a plan of the project "${plan.plan.project ?? ''}", not of "${project}"`,
      REWRITE,
    );
  if (isSigned(plan, sign)) return;
  if (plan.saved.account === origin.account)
    throw badFile(`"${file}" was changed since it was made: its signature does not fit`, REWRITE);
  if (origin.service !== 'embedded')
    throw badFile(`"${file}" was made with the API key of another account, or was changed`, REWRITE);
  throw badFile(
    `"${file}" was made on another machine, in another folder, or with another LOADTESTS_API_KEY, or was changed`,
    `apply it where it was made, or set LOADTESTS_API_KEY to the same secret of at least ${LEAST_PLAN_KEY} characters where it is made and where it is applied; the embedded service then signs plans with it`,
  );
}

/** Whether a saved plan may name the file: it lies in this folder or its work tree, or is found from here anyway. */
function isPlaceOfPlan(file: string, folder: string): boolean {
  const path = resolve(folder, file);
  if (isAbsolute(file) || isGits(file)) return false;
  if (isInside(groundsOf(folder), path)) return true;
  const found = findConfigFile(folder);
  return found.ok && found.value === path;
}

/** Errors: ProblemError LT_CLI_PATH. */
export function checkPlace(file: string, folder: string): void {
  if (isPlaceOfPlan(file, folder)) return;
  throw new ProblemError(
    problem('LT_CLI_PATH', `a saved plan cannot name "${file}", which lies outside of this folder`, {
      hint: 'make the plan, and apply it, in a folder above the file',
    }),
  );
}

const REWRITE = 'create one with "loadtests plan -o FILE"';

function badFile(message: string, hint: string | null): ProblemError {
  return new ProblemError(problem('LT_PLAN_BAD_FILE', message, { hint }));
}

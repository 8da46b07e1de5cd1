/** A plan that `plan -o` wrote, opened for `apply`. */
import { resolve } from 'node:path';
import { readSavedPlan, type SavedPlan } from '../../apply/saved-plan.ts';
import { readPatiently } from '../../disk/input-file.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { sha256 } from '../session/digest.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { readSavedFlags } from './plan-flags.ts';

/** Far more than a plan of thousands of tests. */
const LARGEST_PLAN = 64 * 1024 * 1024;

/** With the flags that it was made with, the file among them. Errors: ProblemError LT_PLAN_BAD_FILE. */
export async function openSavedPlan(
  { folder }: Context,
  file: string,
): Promise<{ readonly plan: SavedPlan; readonly flags: PlanFlags }> {
  let text: string;
  try {
    const { bytes } = await readPatiently(resolve(folder, file), LARGEST_PLAN);
    text = new TextDecoder().decode(bytes);
  } catch (error) {
    throw badFile(`"${file}" cannot be read: ${reasonOf(error)}`, null);
  }
  const plan = readSavedPlan(text, sha256);
  if (plan === null) throw badFile(`"${file}" is not a saved plan, or was changed`, REWRITE);
  const flags = readSavedFlags(plan.saved.flags);
  // The checksum needs no key, so it fits what was altered with care.
  if (typeof flags === 'string')
    throw badFile(`"${file}" was altered: "${flags}" of its flags has no such value`, REWRITE);
  return { plan, flags: { ...flags, file: plan.saved.file } };
}

const REWRITE = 'create one with "loadtests plan -o FILE"';

function badFile(message: string, hint: string | null): ProblemError {
  return new ProblemError(problem('LT_PLAN_BAD_FILE', message, { hint }));
}

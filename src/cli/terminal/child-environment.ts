/** Environment of the programs that a command starts. */
import type { Context } from './context.ts';

/** Variables of loadtests, and inputs and tokens of the steps of GitHub Actions. */
const PRIVATE_PREFIXES = /^(LOADTESTS|INPUT|ACTIONS)_/i;
/** Files of GitHub Actions that determine what later steps of a job run. */
const COMMAND_FILES = /^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/i;

/** Removes the variables that contain keys and tokens, and those that control the rest of a CI job. */
export function childEnvironment(env: Context['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !PRIVATE_PREFIXES.test(name) && !COMMAND_FILES.test(name)),
  );
}

/** Environment of the programs that a command starts. */
import type { Context } from './context.ts';

/** Variables of loadtests, and inputs and tokens of the steps of GitHub Actions. */
const PRIVATE_PREFIXES = /^(LOADTESTS|INPUT|ACTIONS)_/i;
/** Files of GitHub Actions that determine what later steps of a job run. */
const COMMAND_FILES = /^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/i;

/**
 * Tokens that CI systems and their tools use. The key of a package registry is not among them, because commands such as
 * `npm start` may need it.
 */
const JOB_TOKENS =
  /^((GITHUB|GH)_(ENTERPRISE_)?TOKEN|GITLAB_TOKEN|CI_JOB_(TOKEN|JWT\w*)|CI_(DEPLOY|REGISTRY)_PASSWORD|SYSTEM_ACCESSTOKEN)$/i;

/** Removes the variables that contain keys and tokens, and those that control the rest of a CI job. */
export function childEnvironment(env: Context['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => ![PRIVATE_PREFIXES, COMMAND_FILES, JOB_TOKENS].some((pattern) => pattern.test(name)),
    ),
  );
}

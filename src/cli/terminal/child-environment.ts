import type { Context } from './context.ts';

/** Matches loadtests variables, and inputs and tokens of GitHub Actions steps. */
const PRIVATE_PREFIXES = /^(LOADTESTS|INPUT|ACTIONS)_/i;
/** Matches variables with the paths of files that affect later steps of a GitHub Actions job. */
const COMMAND_FILES = /^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/i;

/**
 * Matches tokens of CI systems. Tokens of package registries are inherited, because commands such as `npm start` may
 * need them.
 */
const JOB_TOKENS =
  /^((GITHUB|GH)_(ENTERPRISE_)?TOKEN|GITLAB_TOKEN|CI_JOB_(TOKEN|JWT\w*)|CI_(DEPLOY|REGISTRY)_PASSWORD|SYSTEM_ACCESSTOKEN)$/i;

export function childEnvironment(env: Context['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => ![PRIVATE_PREFIXES, COMMAND_FILES, JOB_TOKENS].some((pattern) => pattern.test(name)),
    ),
  );
}

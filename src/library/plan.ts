import { listOpenIntents } from '../apply/uncertainty/intents.ts';
import { checkSelection } from '../cli/steps/key-selection.ts';
import { DEFAULT_PARALLELISM } from '../cli/steps/plan-flags.ts';
import { planProject, type Planned } from '../cli/steps/plan-project.ts';
import { Session } from '../cli/session/session.ts';
import { parseThreadsFlag } from '../cli/terminal/flags.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import type { LimitName } from '../core/model/state.ts';
import type { Problem } from '../core/problem.ts';
import type { PlanOptions } from '../core/reconcile/plan-input.ts';
import { milliseconds } from '../core/units.ts';
import { createLibraryContext, type LibraryEnvironment } from './context.ts';

export interface PlanRequest extends LibraryEnvironment {
  /** Patterns for the keys of the selected tests (`*`, `?`); default: all tests. */
  readonly only?: readonly string[];
  /** Patterns for the keys of excluded tests. */
  readonly exclude?: readonly string[];
  /** Tests to start. `new`: only new tests; `existing`: also existing tests; `nothing`: no tests. Default: `new`. */
  readonly start?: 'new' | 'existing' | 'nothing';
  /** Maximum age of the last verdict, in ms. Existing tests with an older verdict are also started. */
  readonly maxAge?: number;
  /** Patterns for the keys of tests that are replaced even if they are unchanged. */
  readonly replace?: readonly string[];
  /** Action for tests that were edited on the service; default: `report`. */
  readonly onDrift?: 'report' | 'replace';
  /** Names of limits in the file that the plan may exceed. */
  readonly allowLimits?: readonly LimitName[];
  /** True to create tests even if the service may already have copies, for example because it does not store notes. */
  readonly allowUnmarked?: boolean;
  /** Maximum number of concurrent reads, registrations and verifications; default: 4. */
  readonly parallelism?: number;
  /** Maximum wait for another process that uses the data directory, in ms; default: 30,000. */
  readonly lockTimeout?: number;
}

/**
 * Returns the actions that `apply` would execute, and the load that these actions would start. Sends only GET requests.
 * @returns The plan and its problems. `apply` refuses a plan with a problem of severity `error`.
 * @throws ProblemError if the service is unreachable or refuses the key (LT_API_…), another process uses the data
 * directory (LT_CLI_LOCKED), or a pattern matches no test (LT_CLI_NO_SUCH_TEST).
 */
export async function plan(config: LoadedConfig, request: PlanRequest = {}): Promise<Planned> {
  const options = planOptions(config, request);
  const { session, warnings } = await openSession(config, request, false);
  try {
    const parallelism = parallelismOf(request);
    const planned = await planProject(session, config.desired, { options, parallelism, context: null });
    const open = listOpenIntents(session.journal(config.desired));
    return { ...planned, problems: [...warnings, ...open, ...planned.problems] };
  } finally {
    await session.close();
  }
}

/** @throws ProblemError LT_CLI_NO_SUCH_TEST if a pattern matches no test. */
export function planOptions(config: LoadedConfig, request: PlanRequest): PlanOptions {
  const { start = 'new', only = [], exclude = [], replace = [] } = request;
  checkSelection(config, { only, exclude, replace });
  const age = request.maxAge === undefined ? null : milliseconds(request.maxAge);
  return {
    now: Date.now(),
    start: start !== 'nothing',
    maxAge: start === 'existing' ? milliseconds(0) : age,
    replace,
    onDrift: request.onDrift ?? 'report',
    only,
    exclude,
    allowLimits: request.allowLimits ?? [],
    allowUnmarked: request.allowUnmarked ?? false,
  };
}

export function parallelismOf(request: PlanRequest): number {
  return request.parallelism ?? DEFAULT_PARALLELISM;
}

/**
 * Connects to the service. The caller must close the session.
 * @returns The session, and a list of warnings that can grow during use.
 */
export async function openSession(
  config: LoadedConfig,
  request: PlanRequest & { readonly threads?: number },
  writes: boolean,
): Promise<{ readonly session: Session; readonly warnings: readonly Problem[] }> {
  const { directory } = config.file;
  const lockTimeout = request.lockTimeout === undefined ? undefined : milliseconds(request.lockTimeout);
  const context = createLibraryContext({ ...request, directory: directory });
  const threads =
    request.threads === undefined ? undefined : parseThreadsFlag('threads', String(request.threads));
  const flags = withoutUndefined({ lockTimeout, threads, allowCommands: true });
  const session = await Session.open(context, { config, directory, writes, flags });
  return { session, warnings: context.warnings };
}

/** A plan, for a program. */
import { listOpenIntents } from '../apply/intents.ts';
import { checkSelection } from '../cli/steps/key-selection.ts';
import { DEFAULT_PARALLELISM } from '../cli/steps/plan-flags.ts';
import { planProject, type Planned } from '../cli/steps/plan-project.ts';
import { Session } from '../cli/session/session.ts';
import { parseThreadsFlag } from '../cli/terminal/flags.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { LimitName } from '../core/model/state.ts';
import type { Problem } from '../core/problem.ts';
import type { PlanOptions } from '../core/reconcile/plan.ts';
import { milliseconds } from '../core/units.ts';
import { createLibraryContext, type LibraryEnvironment } from './context.ts';

export interface PlanRequest extends LibraryEnvironment {
  /** Patterns of keys (`*`, `?`): only these tests. Left out: all. */
  readonly only?: readonly string[];
  /** Patterns of keys: not these tests. */
  readonly exclude?: readonly string[];
  /** `existing`: also start tests that are already there. `nothing`: start no load. Left out: start what is new. */
  readonly start?: 'new' | 'existing' | 'nothing';
  /** Also start tests whose last verdict is older than so many milliseconds. */
  readonly maxAge?: number;
  /** Patterns of keys to create anew, changed or not. */
  readonly replace?: readonly string[];
  /** What becomes of tests that were edited on the service. Left out: `report`. */
  readonly onDrift?: 'report' | 'replace';
  /** Limits of the file that this plan may break. */
  readonly allowLimits?: readonly LimitName[];
  /** Also create tests that may exist without being recognised: the service drops notes, or cuts its list off. */
  readonly allowUnmarked?: boolean;
  /** Reads, registrations and verifications at once. Left out: 4. */
  readonly parallelism?: number;
  /** How many milliseconds to wait for another process that uses the data directory. Left out: 30,000. */
  readonly lockTimeout?: number;
}

/**
 * Says what `apply` would do, and the load it would start. Sends nothing but GET.
 *
 * Shape:  the plan, and its problems: one of severity `error` means that `apply` would refuse it.
 * Errors: rejects with a ProblemError: the service cannot be reached or refuses the key (LT_API_…), another process
 *         holds the data directory (LT_CLI_LOCKED), a pattern matches no test (LT_CLI_NO_SUCH_TEST).
 */
export async function plan(config: LoadedConfig, request: PlanRequest = {}): Promise<Planned> {
  const options = planOptions(config, request);
  const { session, warnings } = await openSession(config, request, false);
  try {
    const parallelism = parallelismOf(request);
    const made = await planProject(session, config.desired, { options, parallelism, context: null });
    const open = listOpenIntents(session.journal(config.desired));
    return { ...made, problems: [...warnings, ...open, ...made.problems] };
  } finally {
    await session.close();
  }
}

/** Errors: ProblemError LT_CLI_NO_SUCH_TEST. */
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
 * The service that the file names, or one in this process. To be closed.
 *
 * Shape: `warnings` grows while the session is used: lines of the journal that cannot be read.
 */
export async function openSession(
  config: LoadedConfig,
  request: PlanRequest & { readonly threads?: number },
  writes: boolean,
): Promise<{ readonly session: Session; readonly warnings: readonly Problem[] }> {
  const { directory } = config.file;
  const lockTimeout = request.lockTimeout === undefined ? undefined : milliseconds(request.lockTimeout);
  const context = createLibraryContext({ ...request, directory: directory });
  const threads = request.threads === undefined ? undefined : parseThreadsFlag(String(request.threads));
  const session = await Session.open(context, { config, directory, writes, lockTimeout, threads });
  return { session, warnings: context.warnings };
}

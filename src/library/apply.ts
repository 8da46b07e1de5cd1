/** The `apply` function of the library. */
import { execute } from '../apply/execute.ts';
import { settleIntents } from '../apply/uncertainty/intents.ts';
import type { DoneAction } from '../apply/outcomes.ts';
import { sourcesOfState } from '../apply/source-locations.ts';
import type { DoneRun } from '../apply/runs/runs.ts';
import { planProject } from '../cli/steps/plan-project.ts';
import { missingSecretErrors } from '../cli/files/project.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Problem } from '../core/problem.ts';
import { isChange } from '../core/reconcile/action.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { selects } from '../core/reconcile/plan-input.ts';
import { milliseconds } from '../core/units.ts';
import { openSession, parallelismOf, planOptions, type PlanRequest } from './plan.ts';

export interface ApplyRequest extends PlanRequest {
  /**
   * Decides whether to execute the plan: the plan is executed only if this function returns true. Called at most once.
   * Before the approval, only GET requests are sent. During the call, a lock prevents other commands with the same
   * data directory from changing the declared tests.
   */
  readonly approve: (plan: Plan) => boolean | Promise<boolean>;
  /**
   * Maximum wait for a run, in milliseconds; default: the duration and timeout of the test (and its delays in
   * an open model) plus one minute.
   */
  readonly timeout?: number;
  /** Effect of an aborted `signal` on started runs; default: `stop`. */
  readonly onInterrupt?: 'stop' | 'detach';
  /** Load generator threads per run, for the embedded service; default: automatic. */
  readonly threads?: number;
  /** True to report a run without a verdict as a problem. */
  readonly requireVerdict?: boolean;
}

export interface ApplyResult {
  /** The plan; null if missing secrets prevented its creation. */
  readonly plan: Plan | null;
  /** False if nothing was executed, because of an error before the approval or because `approve` returned false. */
  readonly executed: boolean;
  /** Each action of the plan with its outcome. */
  readonly actions: readonly DoneAction[];
  /**
   * The evaluated runs, each with its verdict and, if it is available, its result. This can include earlier runs of
   * unchanged tests.
   */
  readonly runs: readonly DoneRun[];
  /** The problems, including failed thresholds (LT_RUN_THRESHOLD). */
  readonly problems: readonly Problem[];
}

/**
 * Creates a plan, asks for approval, executes the plan, waits for the runs and evaluates them.
 *
 * @remarks A failed action prevents only the actions that depend on it. The service has confirmed each action
 * with the outcome `done`.
 * @throws ProblemError in the same cases as `plan`, before anything is changed. Later errors are in `problems`.
 */
export async function apply(config: LoadedConfig, request: ApplyRequest): Promise<ApplyResult> {
  const options = planOptions(config, request);
  const missing = missingSecretErrors(config, (key) => options.start && selects(options, key));
  if (missing.length > 0) return refusedResult(null, missing);
  const { session, warnings } = await openSession(config, request, true);
  try {
    const context = session.applyContext(config.desired, request.onEvent ?? (() => undefined));
    const settled = await settleIntents(context, sourcesOfState(config.desired));
    const parallelism = parallelismOf(request);
    const planned = await planProject(session, config.desired, { options, parallelism, context });
    const before = [...warnings, ...settled, ...planned.problems];
    if (before.some(({ severity }) => severity === 'error')) return refusedResult(planned.plan, before);
    if (!(await request.approve(planned.plan))) return refusedResult(planned.plan, before);
    if (planned.plan.actions.some(isChange)) await session.startWebServer();
    const { actions, runs, problems } = await execute(planned.plan, config.desired.apps, {
      world: context,
      options: {
        parallelism,
        wait: true,
        timeout: request.timeout === undefined ? null : milliseconds(request.timeout),
        onInterrupt: request.onInterrupt ?? 'stop',
        requireVerdict: request.requireVerdict ?? false,
        allowUnmarked: options.allowUnmarked,
      },
    });
    return { plan: planned.plan, executed: true, actions, runs, problems: [...before, ...problems] };
  } finally {
    await session.close();
  }
}

function refusedResult(plan: Plan | null, problems: readonly Problem[]): ApplyResult {
  return { plan, executed: false, actions: [], runs: [], problems };
}

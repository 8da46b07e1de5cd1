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
   * Returns true to execute the plan. Called at most once. Only GET requests are sent before the approval. During the
   * call, a lock prevents other commands with the same data directory from changing the declared tests.
   */
  readonly approve: (plan: Plan) => boolean | Promise<boolean>;
  /** Maximum wait for a run, in ms; default: the maximum run time of the test plus one minute. */
  readonly timeout?: number;
  /** Effect of an aborted `signal` on started runs; default: `stop`. */
  readonly onInterrupt?: 'stop' | 'detach';
  /** Load generator threads per run of the embedded service; default: automatic. */
  readonly threads?: number;
  /** True to report an error if a service without results prevents the evaluation of thresholds. */
  readonly requireVerdict?: boolean;
}

export interface ApplyResult {
  /** The plan; null if missing secrets prevented its creation. */
  readonly plan: Plan | null;
  /** False if an error occurred before the approval, or if `approve` returned false. */
  readonly executed: boolean;
  /** The actions of the plan, each with its outcome. */
  readonly actions: readonly DoneAction[];
  /** The runs, each with its verdict and, if available, its result. May include earlier runs of unchanged tests. */
  readonly runs: readonly DoneRun[];
  /** The problems, including failed thresholds (LT_RUN_THRESHOLD). */
  readonly problems: readonly Problem[];
}

/**
 * Creates a plan, calls `approve`, executes the plan, waits for the runs and evaluates them.
 *
 * @remarks A failed action prevents actions that depend on it. The outcome `done` means that the service has confirmed
 * the action.
 * @throws ProblemError in the same cases as `plan`, before anything is changed. Later problems are in the result.
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
      context,
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

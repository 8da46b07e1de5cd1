/** Carrying out a plan, for a program. */
import { execute } from '../apply/execute.ts';
import { settleIntents } from '../apply/intents.ts';
import type { DoneAction } from '../apply/outcomes.ts';
import { sourcesOfState } from '../apply/source-locations.ts';
import type { DoneRun } from '../apply/runs.ts';
import { planProject } from '../cli/steps/plan-project.ts';
import { missingSecretErrors } from '../cli/files/project.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Problem } from '../core/problem.ts';
import { isChange } from '../core/reconcile/action.ts';
import { selects, type Plan } from '../core/reconcile/plan.ts';
import { milliseconds } from '../core/units.ts';
import { openSession, parallelismOf, planOptions, type PlanRequest } from './plan.ts';

export interface ApplyRequest extends PlanRequest {
  /**
   * Asked once, with the plan that is carried out if the answer is true. Nothing was sent but GET by then, and while
   * it is asked no other process changes what this file declares.
   */
  readonly approve: (plan: Plan) => boolean | Promise<boolean>;
  /** Give up waiting for a run after so many milliseconds. Left out: its duration, its timeout and a minute. */
  readonly timeout?: number;
  /** What a fired `signal` does with runs that were started. Left out: `stop`. */
  readonly onInterrupt?: 'stop' | 'detach';
  /** Threads that make the load of a run, with the embedded service. Left out: as many as it needs. */
  readonly threads?: number;
  /** Whether a run without a verdict is a problem. */
  readonly requireVerdict?: boolean;
}

export interface ApplyResult {
  /** Null: there was none to make, since secrets are not set. */
  readonly plan: Plan | null;
  /** False: the plan has an error, or `agree` said no; nothing was changed. */
  readonly executed: boolean;
  /** Each action of the plan, with what became of it. */
  readonly actions: readonly DoneAction[];
  /** Each run that was waited for, with its result and its verdict. */
  readonly runs: readonly DoneRun[];
  /** Whatever went wrong. A failed threshold is one (LT_RUN_THRESHOLD). */
  readonly problems: readonly Problem[];
}

/**
 * Plans, asks, carries out, waits for the runs and judges them.
 *
 * Shape:  an action that fails stops what depends on it, and nothing else. What is told was confirmed by the service.
 * Errors: rejects with a ProblemError as `plan` does, before anything was changed. What goes wrong later stands in
 *         `problems`.
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

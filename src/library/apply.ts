/** Carrying out a plan, for a program. */
import { execute } from '../apply/execute.ts';
import { settleIntents } from '../apply/intents.ts';
import type { DoneAction } from '../apply/outcomes.ts';
import { sourcesOfState } from '../apply/places.ts';
import type { DoneRun } from '../apply/runs.ts';
import { planProject } from '../cli/steps/planning.ts';
import { missingSecrets } from '../cli/files/project.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Problem } from '../core/problem.ts';
import { changesSomething } from '../core/reconcile/action.ts';
import { selects, type Plan } from '../core/reconcile/plan.ts';
import { milliseconds } from '../core/units.ts';
import { openSession, parallelismOf, planOptions, type PlanRequest } from './plan.ts';

export interface ApplyRequest extends PlanRequest {
  /**
   * Asked once, with the plan that is carried out if the answer is true. Nothing was sent but GET by then, and while
   * it is asked no other process changes what this file declares.
   */
  readonly agree: (plan: Plan) => boolean | Promise<boolean>;
  /** Give up waiting for a run after so many milliseconds. Left out: its duration, its timeout and a minute. */
  readonly timeout?: number;
  /** What a fired `signal` does with runs that were started. Left out: `stop`. */
  readonly onInterrupt?: 'stop' | 'detach';
  /** Threads that make the load of a run, with the embedded service. Left out: as many as it needs. */
  readonly threads?: number;
  /** Whether a run without a verdict is a problem. */
  readonly requireVerdict?: boolean;
}

export interface Applied {
  /** Null: there was none to make, since secrets are not set. */
  readonly plan: Plan | null;
  /** False: the plan has an error, or `agree` said no; nothing was changed. */
  readonly carriedOut: boolean;
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
export async function apply(config: LoadedConfig, request: ApplyRequest): Promise<Applied> {
  const options = planOptions(config, request);
  const missing = missingSecrets(config, (key) => options.start && selects(options, key));
  if (missing.length > 0) return refused(null, missing);
  const { session, warnings } = await openSession(config, request, true);
  try {
    const world = session.world(config.desired, request.onEvent ?? (() => undefined));
    const settled = await settleIntents(world, sourcesOfState(config.desired));
    const parallelism = parallelismOf(request);
    const planned = await planProject(session, config.desired, { options, parallelism, world });
    const before = [...warnings, ...settled, ...planned.problems];
    if (before.some(({ severity }) => severity === 'error')) return refused(planned.plan, before);
    if (!(await request.agree(planned.plan))) return refused(planned.plan, before);
    if (planned.plan.actions.some(changesSomething)) await session.startWebServer();
    const { actions, runs, problems } = await execute(planned.plan, config.desired.apps, {
      world,
      options: {
        parallelism,
        wait: true,
        timeout: request.timeout === undefined ? null : milliseconds(request.timeout),
        onInterrupt: request.onInterrupt ?? 'stop',
        requireVerdict: request.requireVerdict ?? false,
        allowUnmarked: options.allowUnmarked,
      },
    });
    return { plan: planned.plan, carriedOut: true, actions, runs, problems: [...before, ...problems] };
  } finally {
    await session.close();
  }
}

function refused(plan: Plan | null, problems: readonly Problem[]): Applied {
  return { plan, carriedOut: false, actions: [], runs: [], problems };
}

/**
 * Executes a plan: stops, then apps, then tests in run order.
 * @remarks A failed action prevents actions that depend on it. A rejected API key, a bug or a signal prevents all
 * further actions.
 * @see docs/internals/reconciler.md, sections 3 to 5
 * @see docs/internals/command-line.md, section 2
 */
import { allTargetsOf } from '../core/model/phase.ts';
import { createAppFinder, type DeclaredApp } from '../core/model/app.ts';
import type { Address, TestId } from '../core/model/ids.ts';
import type { RunnableTest, ObservedTest } from '../core/model/load-test.ts';
import { hasThresholds } from '../core/compare/run-evaluation.ts';
import { exitCodeOf, problem, ProblemError, type Problem, type SignalExitCode } from '../core/problem.ts';
import { CODES } from '../core/codes.ts';
import { timeText } from '../core/instant.ts';
import type { CreateAction, NoOpAction, RunAction } from '../core/reconcile/action.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { sortByDependencies, readyToStart, sharesHost } from '../core/reconcile/run-order.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { Outcomes, type DoneAction } from './outcomes.ts';
import { prepareApps } from './apps/prepare-apps.ts';
import { Runs, type DoneRun, type WaitOptions } from './runs/runs.ts';
import { stopTest } from './tests/stop-test.ts';
import { TestStarts } from './tests/test-starts.ts';
import { DuplicateWatch } from './uncertainty/duplicate-watch.ts';
import type { ApplyContext } from './apply-context.ts';

export interface ExecuteOptions extends WaitOptions {
  /** Maximum number of concurrent registrations and verifications. */
  readonly parallelism: number;
  /** True to continue to create tests if the service does not store ownership markers. */
  readonly allowUnmarked: boolean;
}

export interface Execution {
  readonly actions: readonly DoneAction[];
  readonly runs: readonly DoneRun[];
  readonly problems: readonly Problem[];
  /** Tests that require `id:` in the file, because the service does not store notes. */
  readonly idsToPin: readonly { readonly key: string; readonly id: TestId }[];
}

/** Failures are part of the result. Only bugs throw. */
export async function execute(
  plan: Plan,
  apps: readonly DeclaredApp[],
  { context, options }: { readonly context: ApplyContext; readonly options: ExecuteOptions },
): Promise<Execution> {
  const run = new PlanExecution(plan, apps, context, options);
  return await run.run();
}

class PlanExecution {
  readonly #plan: Plan;
  readonly #appOf: (url: string) => DeclaredApp | undefined;
  readonly #context: ApplyContext;
  readonly #options: ExecuteOptions;
  readonly #outcomes: Outcomes;
  readonly #runs: Runs;
  readonly #duplicates: DuplicateWatch;
  readonly #starts: TestStarts;
  #blockedApps: ReadonlySet<DeclaredApp> = new Set();

  constructor(plan: Plan, apps: readonly DeclaredApp[], context: ApplyContext, options: ExecuteOptions) {
    this.#plan = plan;
    this.#appOf = createAppFinder(apps);
    this.#context = context;
    this.#options = options;
    this.#outcomes = new Outcomes(plan, context);
    this.#runs = new Runs(context, options, this.#outcomes);
    this.#duplicates = new DuplicateWatch(context, this.#outcomes, options.wait);
    this.#starts = new TestStarts({
      context,
      outcomes: this.#outcomes,
      runs: this.#runs,
      duplicates: this.#duplicates,
      allowUnmarked: options.allowUnmarked,
    });
  }

  async run(): Promise<Execution> {
    await this.#stopTests();
    this.#blockedApps = await prepareApps(this.#plan, this.#outcomes, {
      context: this.#context,
      parallelism: this.#options.parallelism,
    });
    await this.#startTests();
    await this.#duplicates.end();
    await this.#runs.end();
    this.#outcomes.throwBug();
    const { problems } = this.#outcomes;
    const { idsToPin } = this.#starts;
    return { actions: this.#outcomes.actions(), runs: this.#runs.done, problems, idsToPin };
  }

  async #stopTests(): Promise<void> {
    for (const action of this.#plan.actions) {
      if (action.verb !== 'stop' || this.#outcomes.isStopping) continue;
      try {
        const { state } = await stopTest(action.observed, this.#context, 30_000);
        if (isStoppable(state)) throw stillActiveError(action.address, action.observed);
        this.#outcomes.end(action, { outcome: 'done', id: action.observed.id }, 'stopped');
      } catch (error) {
        this.#outcomes.fail(action, error);
        this.#blockReplacement(action.address);
      }
    }
  }

  #blockReplacement(address: Address): void {
    for (const action of this.#plan.actions) {
      if (action.verb === 'replace' && action.address === address) this.#starts.failed.add(action.test);
    }
  }

  async #startTests(): Promise<void> {
    const actions = new Map<RunnableTest, CreateAction | RunAction | NoOpAction>();
    const unchanged: NoOpAction[] = [];
    for (const action of this.#plan.actions) {
      if (action.verb === 'create' || action.verb === 'replace' || action.verb === 'run') {
        actions.set(action.test, action);
      } else if (action.verb === 'no-op') {
        unchanged.push(action);
        if (action.duplicateMarker !== null) this.#duplicates.tests.addKnown(action.duplicateMarker);
      } else if (action.verb === 'blocked') {
        this.#starts.failed.add(action.test);
      }
    }
    const running = new Map<RunnableTest, Promise<void>>();
    // Runs that are already in progress are followed first, because they occupy their hosts.
    for (const action of unchanged) {
      if (this.#mustFollow(action, [...actions.keys()])) {
        running.set(action.test, this.#follow(action.test, running, this.#runs.watchUnchanged(action)));
      } else {
        this.#runs.evaluateUnchanged(action);
      }
    }
    let waiting = await this.#schedule(sortByDependencies([...actions.keys()]), actions);
    while (waiting.length + running.size > 0) {
      const ready = this.#outcomes.isStopping ? [] : readyToStart(waiting, [...running.keys()]);
      waiting = waiting.filter((test) => !ready.includes(test));
      for (const test of ready) {
        const action = actions.get(test);
        if (action === undefined || action.verb === 'no-op' || !this.#mayStart(test)) continue;
        // Requests are sequential, so that consecutive create requests can share one list.
        const followed = await this.#starts.start(action);
        if (followed !== null) running.set(test, this.#follow(test, running, followed()));
      }
      this.#starts.endSequence();
      if (running.size > 0) await Promise.race(running.values());
      else if (ready.length === 0) break;
    }
  }

  /** Creates the scheduled tests, which need not wait for other tests. Returns the other tests. */
  async #schedule(
    tests: readonly RunnableTest[],
    actions: ReadonlyMap<RunnableTest, CreateAction | RunAction | NoOpAction>,
  ): Promise<readonly RunnableTest[]> {
    const waiting: RunnableTest[] = [];
    for (const test of tests) {
      const action = actions.get(test);
      const create = action?.verb === 'create' || action?.verb === 'replace' ? action : null;
      if (create === null || test.spec.scheduledAt === null) waiting.push(test);
      else if (this.#mayStart(test)) await this.#starts.start(create);
    }
    this.#starts.endSequence();
    return waiting;
  }

  async #follow(
    test: RunnableTest,
    running: Map<RunnableTest, Promise<void>>,
    run: Promise<void>,
  ): Promise<void> {
    try {
      await run;
    } catch (error) {
      // Stored, because an unhandled rejection would end the process.
      this.#outcomes.haltForBug(error);
    }
    running.delete(test);
  }

  /** Reports whether the command must wait for the run of an unchanged test. */
  #mustFollow(action: NoOpAction, starting: readonly RunnableTest[]): boolean {
    const { test, state } = action;
    if (state !== 'running' || !this.#options.wait) return false;
    const awaited = starting.some((other) => sharesHost(other, test) || other.needs.includes(test.key));
    return awaited || hasThresholds(test);
  }

  #mayStart(test: RunnableTest): boolean {
    if (this.#outcomes.isStopping) return false;
    const apps = allTargetsOf<{ readonly url: string }>(test.spec).map((target) => this.#appOf(target.url));
    const canReceiveLoad = apps.every((app) => app === undefined || !this.#blockedApps.has(app));
    const isBlocked = [...this.#starts.failed, ...this.#runs.unfinished].some((other) =>
      test.needs.includes(other.key),
    );
    // Scheduled tests start at the scheduled time, even if the host is busy.
    const isHostBusy =
      test.spec.scheduledAt === null && [...this.#runs.unfinished].some((other) => sharesHost(test, other));
    const mayStart = canReceiveLoad && !isBlocked && !isHostBusy && !this.#starts.failed.has(test);
    if (!mayStart) this.#starts.failed.add(test);
    return mayStart;
  }
}

function stillActiveError(address: Address, observed: ObservedTest): ProblemError {
  const schedule =
    observed.scheduledAt === null ? '' : `; it is scheduled to start at ${timeText(observed.scheduledAt)}`;
  return new ProblemError(
    problem('LT_PLAN_BLOCKED', `the earlier version of ${address} (${observed.id}) did not stop${schedule}`),
  );
}

/**
 * @param signal - Exit code of an interruption; null if there was none.
 * @see docs/internals/command-line.md, section 3
 */
export function exitCodeOfExecution(execution: Execution, signal: SignalExitCode | null): number {
  const codes: number[] = execution.problems
    .filter((one) => one.severity === 'error')
    .map((one) => CODES[one.code].exit);
  for (const { action } of execution.actions) {
    if (action.verb === 'blocked') codes.push(CODES[action.code].exit);
  }
  if (signal !== null) codes.push(signal);
  return exitCodeOf(codes);
}

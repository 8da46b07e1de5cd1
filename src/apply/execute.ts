/**
 * Executes a plan: stops, then apps, then tests in run order.
 *
 * @remarks A failed action stops only the actions that depend on it. Only confirmed outcomes are reported.
 * @see docs/internals/reconciler.md, sections 3 to 5
 * @see docs/internals/command-line.md, section 2
 */
import { CallError } from '../core/call-error.ts';
import { createAppFinder, type DeclaredApp } from '../core/model/app.ts';
import type { Address, TestId } from '../core/model/ids.ts';
import type { RunnableTest, ObservedTest } from '../core/model/load-test.ts';
import { hasThresholds } from '../core/run-evaluation.ts';
import { exitCodeOf, problem, ProblemError, type Problem } from '../core/problem.ts';
import { CODES } from '../core/codes.ts';
import { formatInstant } from '../core/instant.ts';
import type { CreateAction, NoOpAction, RunAction } from '../core/reconcile/action.ts';
import { readMarker } from '../core/reconcile/ownership-marker.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { unmarkedProblem } from '../core/reconcile/plan-problems.ts';
import { sortByDependencies, readyToStart, sharesHost } from '../core/reconcile/run-order.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { createTest } from './tests/create-test.ts';
import { DuplicateRuns } from './uncertainty/duplicate-runs.ts';
import { Duplicates } from './uncertainty/duplicates.ts';
import { refuseSilentTargets } from './apps/listening-targets.ts';
import { Outcomes, type DoneAction } from './outcomes.ts';
import { prepareApps } from './apps/prepare-apps.ts';
import { Runs, type DoneRun, type WaitOptions } from './runs/runs.ts';
import { isKeyRefusal } from './uncertainty/sending.ts';
import { startRun } from './tests/start-run.ts';
import { stopTest } from './tests/stop-test.ts';
import type { ApplyContext } from './apply-context.ts';

export interface ExecuteOptions extends WaitOptions {
  /** Maximum number of concurrent registrations and verifications. */
  readonly parallelism: number;
  /** Continue creating tests if the service does not store markers. */
  readonly allowUnmarked: boolean;
}

export interface Execution {
  readonly actions: readonly DoneAction[];
  readonly runs: readonly DoneRun[];
  readonly problems: readonly Problem[];
  /** Keys and ids for `id:` lines in the file, if the service does not store notes. */
  readonly idsToPin: readonly { readonly key: string; readonly id: TestId }[];
}

/** Executes a plan. Failures are part of the outcome; only bugs throw. */
export async function execute(
  plan: Plan,
  apps: readonly DeclaredApp[],
  { world: context, options }: { readonly world: ApplyContext; readonly options: ExecuteOptions },
): Promise<Execution> {
  const run = new PlanExecution(plan, apps, context, options);
  return await run.run();
}

/** Result of a check for duplicates. */
interface DuplicateCheck {
  /** Listed tests; null if they were not read. */
  readonly items: readonly ObservedTest[] | null;
  /** Error of the check. */
  readonly problem: Problem | null;
}

/** Execution of one plan, with its confirmed outcomes. */
class PlanExecution {
  readonly #plan: Plan;
  readonly #appOf: (url: string) => DeclaredApp | undefined;
  readonly #context: ApplyContext;
  readonly #options: ExecuteOptions;
  readonly #outcomes: Outcomes;
  readonly #runs: Runs;
  readonly #idsToPin: { key: string; id: TestId }[] = [];
  /** Apps that cannot receive load. */
  #blockedApps: ReadonlySet<DeclaredApp> = new Set();
  /** Tests that were not started, which blocks the tests that need them. */
  readonly #failed = new Set<RunnableTest>();
  readonly #duplicates: Duplicates;
  readonly #duplicateRuns: DuplicateRuns;
  /** Time of the last request that may be executed twice, on the monotonic clock. */
  #lastSent = 0;
  readonly #watches: Promise<void>[] = [];
  #pendingCheck: Promise<unknown> = Promise.resolve();
  /** Fires when all runs have ended. */
  readonly #allRunsEnded = new AbortController();
  /** List of tests, updated after each create and reused by the next one. */
  #listCache: readonly ObservedTest[] | null = null;
  #notesDropped = false;
  /** First unexpected error in a followed run, rethrown after all other runs have ended. */
  #bug: { readonly error: unknown } | null = null;

  constructor(plan: Plan, apps: readonly DeclaredApp[], context: ApplyContext, options: ExecuteOptions) {
    this.#plan = plan;
    this.#appOf = createAppFinder(apps);
    this.#context = context;
    this.#options = options;
    this.#outcomes = new Outcomes(plan, context);
    this.#runs = new Runs(context, options, this.#outcomes);
    this.#duplicates = new Duplicates(context);
    this.#duplicateRuns = new DuplicateRuns(context);
  }

  async run(): Promise<Execution> {
    await this.#stopTests();
    this.#blockedApps = await prepareApps(this.#plan, this.#outcomes, {
      world: this.#context,
      parallelism: this.#options.parallelism,
    });
    await this.#startTests();
    this.#allRunsEnded.abort();
    await Promise.all(this.#watches);
    await this.#reportDuplicates();
    await this.#runs.end();
    if (this.#bug !== null) throw this.#bug.error;
    const { problems } = this.#outcomes;
    return { actions: this.#outcomes.actions(), runs: this.#runs.done, problems, idsToPin: this.#idsToPin };
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
      if (action.verb === 'replace' && action.address === address) this.#failed.add(action.test);
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
        if (action.duplicateMarker !== null) this.#duplicates.addKnown(action.duplicateMarker);
      } else if (action.verb === 'blocked') {
        this.#failed.add(action.test);
      }
    }
    const running = new Map<RunnableTest, Promise<void>>();
    // Active tests occupy their hosts before any other test starts.
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
        // Writes are sequential. Consecutive creates share the list that was read before them.
        const followed = await this.#start(action);
        if (followed !== null) running.set(test, this.#follow(test, running, followed()));
      }
      this.#listCache = null;
      if (running.size > 0) await Promise.race(running.values());
      else if (ready.length === 0) break;
    }
  }

  /** Creates tests with a scheduled time, which must not wait for other tests. Returns the other tests. */
  async #schedule(
    tests: readonly RunnableTest[],
    actions: ReadonlyMap<RunnableTest, CreateAction | RunAction | NoOpAction>,
  ): Promise<readonly RunnableTest[]> {
    const waiting: RunnableTest[] = [];
    for (const test of tests) {
      const action = actions.get(test);
      const create = action?.verb === 'create' || action?.verb === 'replace' ? action : null;
      if (create === null || test.spec.scheduledAt === null) waiting.push(test);
      else if (this.#mayStart(test)) await this.#start(create);
    }
    this.#listCache = null;
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
      // Stores the error: the run may not be awaited now, and a rejection would end the process.
      this.#bug ??= { error };
      this.#outcomes.halt();
    }
    running.delete(test);
  }

  /**
   * Reports whether the command waits for a test that is already running, to evaluate it or because another
   * test must wait for its end.
   */
  #mustFollow(action: NoOpAction, starting: readonly RunnableTest[]): boolean {
    const { test, state } = action;
    if (state !== 'running' || !this.#options.wait) return false;
    const awaited = starting.some((other) => sharesHost(other, test) || other.needs.includes(test.key));
    return awaited || hasThresholds(test);
  }

  #mayStart(test: RunnableTest): boolean {
    if (this.#outcomes.isStopping) return false;
    const apps = test.spec.targets.map((target) => this.#appOf(target.url));
    const canReceiveLoad = apps.every((app) => app === undefined || !this.#blockedApps.has(app));
    const isBlocked = [...this.#failed, ...this.#runs.unfinished].some((other) =>
      test.needs.includes(other.key),
    );
    // Scheduled tests start at their time, even if the host is busy.
    const isHostBusy =
      test.spec.scheduledAt === null && [...this.#runs.unfinished].some((other) => sharesHost(test, other));
    const mayStart = canReceiveLoad && !isBlocked && !isHostBusy && !this.#failed.has(test);
    if (!mayStart) this.#failed.add(test);
    return mayStart;
  }

  /** Sends a create or start. Returns a function that follows the run; null if nothing must be followed. */
  async #start(action: CreateAction | RunAction): Promise<(() => Promise<void>) | null> {
    try {
      await refuseSilentTargets(action.test, this.#context);
      return action.verb === 'run' ? await this.#startExisting(action) : await this.#create(action);
    } catch (error) {
      this.#listCache = null;
      this.#failed.add(action.test);
      this.#outcomes.fail(action, error);
      if (this.#outcomes.of(action) === 'unknown') this.#runs.unfinished.add(action.test);
      return null;
    }
  }

  async #startExisting(action: RunAction): Promise<(() => Promise<void>) | null> {
    this.#listCache = null;
    const { id } = action.observed;
    const started = await startRun(action.observed, action.address, this.#context);
    const { resultId, priorResults, startedByUs, sentAt } = started;
    if (started.journalProblem !== null) this.#outcomes.add(action.address, started.journalProblem);
    if (startedByUs) {
      this.#duplicateRuns.add({ address: action.address, id, priorResults: started.knownResults });
      await this.#findDuplicates();
    }
    this.#outcomes.end(
      action,
      { outcome: 'done', id, resultId },
      startedByUs ? `started ${id}` : `${id} is already running`,
    );
    return () =>
      this.#runs.watch({
        test: action.test,
        id,
        resultId,
        priorResults,
        isRerun: true,
        startedByUs,
        sentAt,
      });
  }

  async #create(action: CreateAction): Promise<(() => Promise<void>) | null> {
    const { test } = action;
    if (this.#notesDropped && !this.#options.allowUnmarked) {
      throw new ProblemError(
        problem('LT_PLAN_BLOCKED', `"${test.key}" is not created: the service does not store notes`, {
          source: test.source,
          hint: 'add the "id:" lines to the file first, or pass --allow-unmarked to create it anyway',
        }),
      );
    }
    const created = await createTest(action, this.#context, () => this.#listForCreates());
    const { id, resultId, createdByUs, sentAt } = created;
    if (created.journalProblem !== null) this.#outcomes.add(action.address, created.journalProblem);
    this.#duplicates.add(created.marker);
    this.#outcomes.end(
      action,
      { outcome: 'done', id, resultId },
      createdByUs ? `created ${id}` : `already exists as ${id}`,
    );
    await this.#checkNotes(action, id);
    await this.#findDuplicates();
    if (test.spec.scheduledAt !== null) return null;
    return () =>
      this.#runs.watch({
        test,
        id,
        resultId,
        priorResults: [],
        isRerun: false,
        startedByUs: createdByUs,
        sentAt,
      });
  }

  /** Returns one list for consecutive creates, because listing a large account takes about a second. */
  async #listForCreates(): Promise<readonly ObservedTest[]> {
    this.#listCache ??= (await this.#context.service.listTests()).items;
    return this.#listCache;
  }

  /** Reads each created test again, because a service may drop or truncate the marker in the notes. */
  async #checkNotes({ address, test }: CreateAction, id: TestId): Promise<void> {
    try {
      const read = await this.#context.service.getTest(id);
      if (readMarker(read.test.notes).kind === 'marker') return;
      this.#notesDropped = true;
      this.#idsToPin.push({ key: test.key, id });
      const severity = this.#options.allowUnmarked ? 'warning' : 'error';
      this.#outcomes.add(address, unmarkedProblem(test, id, severity));
    } catch (error) {
      // The test exists, even if it could not be read.
      if (!(error instanceof CallError)) throw error;
      if (isKeyRefusal(error)) this.#outcomes.record(address, error);
    }
  }

  /** Checks for duplicates after each create and start, so that they do not load the host for long. */
  async #findDuplicates(): Promise<void> {
    this.#lastSent = this.#context.clock.monotonic();
    const { items } = await this.#checkDuplicates();
    this.#listCache = items;
    if (this.#options.wait) this.#watches.push(this.#watchForDuplicates(this.#lastSent));
  }

  /** Repeats the check while runs are awaited, until the service can no longer execute the request late. */
  async #watchForDuplicates(sent: number): Promise<void> {
    const { clock, settle } = this.#context;
    const { signal } = this.#allRunsEnded;
    try {
      for (let pause = 2000; ; pause *= 2) {
        const remaining = sent + settle - clock.monotonic();
        if (remaining <= 0) break;
        await clock.sleep(Math.min(pause, remaining), signal);
        // A later request has its own loop, which covers all requests.
        if (signal.aborted || this.#lastSent !== sent) break;
        await this.#checkDuplicates();
      }
    } catch (error) {
      this.#bug ??= { error };
      this.#outcomes.halt();
    }
  }

  /** Runs one check at a time, so that no test is stopped twice. */
  async #checkDuplicates(): Promise<DuplicateCheck> {
    const check = this.#pendingCheck.then(async () => await this.#checkDuplicatesExclusively());
    this.#pendingCheck = check.catch(() => undefined);
    return await check;
  }

  /** A failed read is repeated by the next check. */
  async #checkDuplicatesExclusively(): Promise<DuplicateCheck> {
    if (this.#outcomes.isHalted) return { items: null, problem: null };
    try {
      const items = this.#duplicates.hasAny ? await this.#duplicates.check() : null;
      if (this.#duplicateRuns.hasAny) await this.#duplicateRuns.check();
      return { items, problem: null };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { items: null, problem: error.problem };
    }
  }

  async #reportDuplicates(): Promise<void> {
    const { problem } = await this.#checkDuplicates();
    if (problem !== null) this.#outcomes.problems.push({ ...problem, severity: 'warning' });
    for (const { address, problem: found } of [
      ...this.#duplicates.problems(),
      ...this.#duplicateRuns.problems(),
    ]) {
      this.#outcomes.add(address, found);
    }
  }
}

function stillActiveError(address: Address, observed: ObservedTest): ProblemError {
  const schedule =
    observed.scheduledAt === null ? '' : `; it starts at ${formatInstant(observed.scheduledAt)} UTC`;
  return new ProblemError(
    problem('LT_PLAN_BLOCKED', `the earlier version of ${address}, ${observed.id}, did not stop${schedule}`),
  );
}

/**
 * Returns the exit code of an execution.
 *
 * @param signal - Exit code of an interruption; null if there was none.
 * @see docs/internals/command-line.md, section 3
 */
export function exitCodeOfExecution(execution: Execution, signal: 130 | 143 | null): number {
  const codes: number[] = execution.problems
    .filter((one) => one.severity === 'error')
    .map((one) => CODES[one.code].exit);
  for (const { action } of execution.actions) {
    if (action.verb === 'blocked') codes.push(CODES[action.code].exit);
  }
  if (signal !== null) codes.push(signal);
  return exitCodeOf(codes);
}

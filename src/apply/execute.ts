/**
 * Carries out a plan: stops, apps, then tests in their turns; waits, and judges.
 *
 * Shape:  a failed action stops what depends on it, and nothing else. What is reported is what was confirmed.
 * Source: the reconciler's design, sections 3 to 5; the command line contract, section 2.
 */
import { CallError } from '../core/call-error.ts';
import { judge, type Judgement } from '../core/judge.ts';
import { appOfUrl, type DeclaredApp } from '../core/model/app.ts';
import { testAddress, type Address, type AppId, type ResultId, type TestId } from '../core/model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run.ts';
import { exitCodeOf, problem, ProblemError, type Problem } from '../core/problem.ts';
import { CODES } from '../core/codes.ts';
import { formatInstant } from '../core/instant.ts';
import type { Action, CreateAction, KeepAction, RunAction } from '../core/reconcile/action.ts';
import { readNotes } from '../core/reconcile/mark.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { inTurnOrder, readyToStart } from '../core/reconcile/turns.ts';
import type { Milliseconds } from '../core/units.ts';
import { awaitRun, type FollowedRun } from './await-run.ts';
import { createTest, findMark, sameCreation } from './create-test.ts';
import type { ActionOutcome } from './events.ts';
import { registerApp, verifyApp, type RegisteredApp } from './prepare-app.ts';
import { startRun } from './start-run.ts';
import { stopTest } from './stop-test.ts';
import type { Listed } from './port.ts';
import type { World } from './world.ts';

export interface ExecuteOptions {
  /** Bounds registrations and verifications at once. */
  readonly parallelism: number;
  readonly wait: boolean;
  /** For each run; null: its duration, timeout and a minute. */
  readonly timeout: Milliseconds | null;
  readonly onInterrupt: 'stop' | 'detach';
  readonly requireVerdict: boolean;
}

export interface DoneAction {
  readonly action: Action;
  readonly outcome: ActionOutcome;
  readonly id: string | null;
  readonly resultId: ResultId | null;
}

export interface DoneRun {
  readonly address: Address;
  readonly testId: TestId;
  readonly resultId: ResultId | null;
  readonly status: string | null;
  readonly startedByUs: boolean;
  readonly judgement: Judgement;
  readonly result: RunResult | null;
}

export interface Execution {
  readonly actions: readonly DoneAction[];
  readonly runs: readonly DoneRun[];
  readonly problems: readonly Problem[];
  /** `id:` lines to add where the service does not keep notes: key and id. */
  readonly idsToPin: readonly { readonly key: string; readonly id: TestId }[];
}

/** Errors: none but bugs; what goes wrong stands in the outcome. */
export async function execute(
  plan: Plan,
  apps: readonly DeclaredApp[],
  given: { readonly world: World; readonly options: ExecuteOptions },
): Promise<Execution> {
  const run = new Executing(plan, apps, given.world, given.options);
  return await run.all();
}

/** One carrying-out of one plan: what was confirmed until now. */
class Executing {
  readonly #plan: Plan;
  readonly #apps: readonly DeclaredApp[];
  readonly #world: World;
  readonly #options: ExecuteOptions;
  readonly #outcomes = new Map<Action, DoneAction>();
  readonly #runs: DoneRun[] = [];
  readonly #problems: Problem[] = [];
  readonly #idsToPin: { key: string; id: TestId }[] = [];
  /** Why each app cannot take load, for those that cannot. */
  readonly #unusable = new Set<DeclaredApp>();
  /** Tests that could not be started, so that those which need them are not tried. */
  readonly #failed = new Set<DeclaredTest>();
  readonly #created: { readonly action: CreateAction; readonly id: TestId }[] = [];
  /** The list of tests as long as nothing was sent since it was read. */
  #list: Listed<ObservedTest> | null = null;
  #notesKept: boolean | null = null;
  /** Set by what makes every further write pointless: a refused key. */
  #halted = false;

  constructor(plan: Plan, apps: readonly DeclaredApp[], world: World, options: ExecuteOptions) {
    this.#plan = plan;
    this.#apps = apps;
    this.#world = world;
    this.#options = options;
  }

  async all(): Promise<Execution> {
    await this.#stops();
    await this.#prepareApps();
    await this.#tests();
    await this.#checkForDoubles();
    const actions = this.#plan.actions.map(
      (action): DoneAction => this.#outcomes.get(action) ?? notTried(action),
    );
    return { actions, runs: this.#runs, problems: this.#problems, idsToPin: this.#idsToPin };
  }

  get #stopping(): boolean {
    return this.#halted || this.#world.interrupted.aborted;
  }

  #begin(action: Action): void {
    this.#world.emit({ kind: 'begin', verb: action.verb, address: action.address });
  }

  #end(action: Action, done: Partial<DoneAction> & { readonly outcome: ActionOutcome }, text: string): void {
    this.#outcomes.set(action, { action, id: null, resultId: null, ...done });
    this.#world.emit({
      kind: 'end',
      verb: action.verb,
      address: action.address,
      outcome: done.outcome,
      text,
    });
  }

  /** Records a failure. Errors: throws what is no expected failure. */
  #fail(action: Action, error: unknown): void {
    if (!(error instanceof ProblemError)) throw error;
    this.#problems.push(error.problem);
    if (error.problem.code === 'LT_API_KEY') this.#halted = true;
    const unknown = error.problem.code === 'LT_API_UNKNOWN';
    this.#end(action, { outcome: unknown ? 'unknown' : 'failed' }, error.message);
  }

  async #stops(): Promise<void> {
    for (const action of this.#plan.actions) {
      if (action.verb !== 'stop' || this.#stopping) continue;
      this.#begin(action);
      try {
        const state = await stopTest(action.observed.id, this.#world, 30_000);
        if (state === 'running' || state === 'scheduled') throw stillArmed(action.address, action.observed);
        this.#end(action, { outcome: 'done', id: action.observed.id }, 'stopped');
      } catch (error) {
        this.#fail(action, error);
        this.#blockReplacement(action.address);
      }
    }
  }

  #blockReplacement(address: Address): void {
    for (const action of this.#plan.actions) {
      if (action.verb === 'replace' && action.address === address) this.#failed.add(action.test);
    }
  }

  async #prepareApps(): Promise<void> {
    const queue = this.#plan.actions.filter(
      (action) => action.verb === 'register' || action.verb === 'verify',
    );
    const apps = [...new Set(queue.map((action) => action.app))];
    const workers = Array.from({ length: Math.min(this.#options.parallelism, apps.length) }, async () => {
      for (let app = apps.shift(); app !== undefined; app = apps.shift()) await this.#prepareApp(app);
    });
    await Promise.all(workers);
  }

  async #prepareApp(app: DeclaredApp): Promise<void> {
    let registered: RegisteredApp | null = null;
    for (const action of this.#plan.actions) {
      if (action.verb !== 'register' && action.verb !== 'verify') continue;
      if (action.app !== app) continue;
      if (this.#stopping || this.#unusable.has(app)) {
        this.#unusable.add(app);
        continue;
      }
      this.#begin(action);
      try {
        if (action.verb === 'register') {
          registered = await registerApp(app, this.#world);
          this.#end(action, { outcome: 'done', id: registered.id }, app.host);
        } else {
          const known = registered ?? knownApp(action.appId);
          await verifyApp(app, known, this.#world);
          this.#end(action, { outcome: 'done', id: known.id }, `${app.host} is verified`);
        }
      } catch (error) {
        this.#unusable.add(app);
        this.#fail(action, error);
      }
    }
  }

  async #tests(): Promise<void> {
    const actions = new Map<DeclaredTest, CreateAction | RunAction | KeepAction>();
    for (const action of this.#plan.actions) {
      if (action.verb === 'create' || action.verb === 'replace' || action.verb === 'run') {
        actions.set(action.test, action);
      } else if (action.verb === 'keep') {
        if (action.state === 'running' && this.#mustJudge(action)) actions.set(action.test, action);
        else this.#judgeKept(action);
      }
    }
    let waiting = [...inTurnOrder([...actions.keys()])];
    const running = new Map<DeclaredTest, Promise<void>>();
    // What runs already has its host before anything that would start.
    for (const test of waiting) {
      const action = actions.get(test);
      if (action?.verb === 'keep') running.set(test, this.#follow(test, running, this.#watchKept(action)));
    }
    waiting = waiting.filter((test) => !running.has(test));
    while (waiting.length + running.size > 0) {
      const ready = this.#stopping ? [] : readyToStart(waiting, [...running.keys()]);
      waiting = waiting.filter((test) => !ready.includes(test));
      for (const test of ready) {
        const action = actions.get(test);
        if (action === undefined || action.verb === 'keep' || !this.#mayStart(test)) continue;
        // Writes go one after another: the list read before each must show the one before.
        const followed = await this.#start(action);
        if (followed !== null) running.set(test, this.#follow(test, running, followed()));
      }
      if (running.size > 0) await Promise.race(running.values());
      else if (ready.length === 0) break;
    }
  }

  async #follow(
    test: DeclaredTest,
    running: Map<DeclaredTest, Promise<void>>,
    run: Promise<void>,
  ): Promise<void> {
    await run;
    running.delete(test);
  }

  #mustJudge(action: KeepAction): boolean {
    return this.#options.wait && action.test.thresholds.length > 0;
  }

  #mayStart(test: DeclaredTest): boolean {
    const apps = test.spec.targets.map((target) => appOfUrl(this.#apps, target.url));
    const usable = apps.every((app) => app === undefined || !this.#unusable.has(app));
    const needed = [...this.#failed].some((failed) => test.needs.includes(failed.key));
    const may = usable && !needed && !this.#failed.has(test);
    if (!may) this.#failed.add(test);
    return may;
  }

  /** Sends the create or the start. Gives how to follow the run; null when there is none to follow. */
  async #start(action: CreateAction | RunAction): Promise<(() => Promise<void>) | null> {
    this.#begin(action);
    try {
      return action.verb === 'run' ? await this.#startExisting(action) : await this.#create(action);
    } catch (error) {
      this.#failed.add(action.test);
      this.#fail(action, error);
      return null;
    } finally {
      this.#list = null;
    }
  }

  async #startExisting(action: RunAction): Promise<(() => Promise<void>) | null> {
    const { id } = action.observed;
    const { resultId, before } = await startRun(action.observed, action.address, this.#world);
    this.#end(action, { outcome: 'done', id, resultId }, `started ${id}`);
    return () => this.#watch({ test: action.test, id, resultId, before, startedByUs: true });
  }

  async #create(action: CreateAction): Promise<(() => Promise<void>) | null> {
    if (this.#notesKept === false) {
      throw new ProblemError(
        problem('LT_PLAN_BLOCKED', `"${action.test.key}" is not created: the service does not keep notes`, {
          source: action.test.source,
          hint: 'add the printed "id:" lines to the file first',
        }),
      );
    }
    this.#list ??= await this.#world.service.listTests();
    const { id, resultId, byUs } = await createTest(action, this.#world, this.#list);
    this.#created.push({ action, id });
    this.#end(
      action,
      { outcome: 'done', id, resultId },
      byUs ? `created ${id}` : `was there already, as ${id}`,
    );
    await this.#checkNotes(action, id);
    if (action.test.spec.scheduledAt !== null) return null;
    return () => this.#watch({ test: action.test, id, resultId, before: [], startedByUs: byUs });
  }

  /** The first create is read back: a service that drops notes would lose our marks. */
  async #checkNotes(action: CreateAction, id: TestId): Promise<void> {
    if (this.#notesKept === null) {
      const { test } = await this.#world.service.getTest(id);
      this.#notesKept = readNotes(test.notes).reading.kind === 'mark';
    }
    if (!this.#notesKept) this.#idsToPin.push({ key: action.test.key, id });
  }

  async #watchKept(action: KeepAction): Promise<void> {
    const results = await this.#world.service.listResults(action.observed.id).catch(ignoreCallError);
    const resultId = results?.find((result) => result.status !== 'ready')?.id ?? null;
    const before = (results ?? []).filter((result) => result.status === 'ready').map((result) => result.id);
    await this.#watch({ test: action.test, id: action.observed.id, resultId, before, startedByUs: false });
  }

  async #watch(run: {
    readonly test: DeclaredTest;
    readonly id: TestId;
    readonly resultId: ResultId | null;
    readonly before: readonly ResultId[];
    readonly startedByUs: boolean;
  }): Promise<void> {
    const { test, id, startedByUs } = run;
    const address = testAddress(test.key);
    const world = this.#world;
    if (!this.#options.wait) {
      const judgement: Judgement = { verdict: 'none', thresholds: [], reason: 'not judged' };
      this.#runs.push({
        address,
        testId: id,
        resultId: run.resultId,
        status: 'running',
        startedByUs,
        judgement,
        result: null,
      });
      return;
    }
    try {
      const patience = this.#options.timeout;
      let followed = await awaitRun({ ...run, patience }, world, world.interrupted);
      if (followed.kind === 'interrupted' && startedByUs && this.#options.onInterrupt === 'stop') {
        followed = await this.#stopOwn(run, followed);
      }
      this.#judgeFollowed(run, followed);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#problems.push(error.problem);
      this.#world.emit({ kind: 'note', text: `${address}: ${error.message}` });
    }
  }

  /** A run that this process started ends with it. */
  async #stopOwn(
    run: { readonly test: DeclaredTest; readonly id: TestId; readonly resultId: ResultId | null },
    followed: FollowedRun,
  ): Promise<FollowedRun> {
    const world = this.#world;
    world.emit({ kind: 'note', text: `stopping ${testAddress(run.test.key)} (${run.id})` });
    await stopTest(run.id, world, 10_000);
    const never = new AbortController().signal;
    const after = await awaitRun({ ...run, before: [], patience: 5000 }, world, never);
    return { ...after, kind: followed.kind };
  }

  #judgeFollowed(
    run: { readonly test: DeclaredTest; readonly id: TestId; readonly startedByUs: boolean },
    followed: FollowedRun,
  ): void {
    const { test, id, startedByUs } = run;
    const address = testAddress(test.key);
    const { source } = test;
    if (followed.kind === 'timeout') {
      this.#problems.push(problem('LT_RUN_TIMEOUT', `"${test.key}" (${id}) did not end in time`, { source }));
    }
    const judgement = this.#judgeResult(test, followed.result, followed.hasResults);
    this.#runs.push({
      address,
      testId: id,
      resultId: followed.resultId,
      status: followed.status,
      startedByUs,
      judgement,
      result: followed.result,
    });
    this.#world.emit({ kind: 'ended', address, testId: id, resultId: followed.resultId, judgement });
  }

  #judgeResult(test: DeclaredTest, result: RunResult | null, hasResults: boolean): Judgement {
    const { source } = test;
    if (!hasResults) {
      const judgement: Judgement = { verdict: 'none', thresholds: [], reason: 'the service has no results' };
      if (test.thresholds.length > 0) {
        const severity = this.#options.requireVerdict ? 'error' : 'warning';
        const text = `the thresholds of "${test.key}" cannot be judged: the service has no results`;
        this.#problems.push(problem('LT_PLAN_NO_RESULTS', text, { severity, source }));
      }
      return judgement;
    }
    const judgement = judge(test.thresholds, result);
    this.#problems.push(...problemsOfVerdict(test, judgement));
    return judgement;
  }

  /** A test that was left alone still counts: trying again must not turn red into green. */
  #judgeKept(action: KeepAction): void {
    const { test, observed, state, judgement } = action;
    if (test.thresholds.length === 0 || state === 'scheduled' || state === 'running') return;
    if (judgement === null) {
      this.#runs.push(this.#keptRun(action, this.#judgeResult(test, null, false)));
      return;
    }
    this.#problems.push(...problemsOfVerdict(test, judgement, 'start it again with --run'));
    this.#runs.push(this.#keptRun(action, judgement));
    this.#world.emit({
      kind: 'ended',
      address: action.address,
      testId: observed.id,
      resultId: action.result?.id ?? null,
      judgement,
    });
  }

  #keptRun(action: KeepAction, judgement: Judgement): DoneRun {
    return {
      address: action.address,
      testId: action.observed.id,
      resultId: action.result?.id ?? null,
      status: action.observed.status,
      startedByUs: false,
      judgement,
      result: action.result,
    };
  }

  /** Two of one mark: somebody else won too, or a late request. The smallest id counts, on both sides. */
  async #checkForDoubles(): Promise<void> {
    if (this.#created.length === 0 || this.#halted) return;
    try {
      const { items } = await this.#world.service.listTests();
      for (const { action, id } of this.#created) await this.#checkForDouble(action, id, items);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#problems.push({ ...error.problem, severity: 'warning' });
    }
  }

  async #checkForDouble(action: CreateAction, id: TestId, items: readonly ObservedTest[]): Promise<void> {
    const { reading } = readNotes(items.find((test) => test.id === id)?.notes ?? null);
    if (reading.kind !== 'mark') return;
    const winner = findMark(items, (mark) => sameCreation(mark, reading.mark));
    const count = items.filter((test) => findMark([test], (mark) => sameCreation(mark, reading.mark))).length;
    if (winner === undefined || count < 2) return;
    const lost = winner.id !== id;
    const text = `"${action.test.key}" was created more than once; ${winner.id} counts`;
    this.#problems.push(problem('LT_PLAN_DUPLICATE', lost ? `${text}, and ours, ${id}, is stopped` : text));
    if (lost) await stopTest(id, this.#world, 10_000);
  }
}

function notTried(action: Action): DoneAction {
  const nothingToDo = action.verb === 'keep' || action.verb === 'blocked' || action.verb === 'deferred';
  return {
    action,
    outcome: nothingToDo && action.verb === 'keep' ? 'done' : 'not_tried',
    id: 'observed' in action ? action.observed.id : null,
    resultId: null,
  };
}

function knownApp(id: AppId | null): RegisteredApp {
  if (id === null) throw new Error('Bug: an app is verified before it was registered');
  return { id, verificationId: null };
}

function ignoreCallError(error: unknown): null {
  if (error instanceof CallError) return null;
  throw error;
}

function stillArmed(address: Address, observed: ObservedTest): ProblemError {
  const fires =
    observed.scheduledAt === null ? '' : `; it fires at ${formatInstant(observed.scheduledAt)} UTC`;
  return new ProblemError(
    problem('LT_PLAN_BLOCKED', `the earlier version of ${address}, ${observed.id}, did not stop${fires}`),
  );
}

function problemsOfVerdict(test: DeclaredTest, judgement: Judgement, hint: string | null = null): Problem[] {
  const { verdict, thresholds, reason } = judgement;
  if (verdict === 'pass' || verdict === 'none') return [];
  if (verdict === 'inconclusive') {
    const text = `"${test.key}" has no verdict: ${reason ?? 'a figure is missing'}`;
    return [problem('LT_RUN_INCONCLUSIVE', text, { source: test.source, hint })];
  }
  const failed = thresholds.filter((one) => one.verdict === 'fail');
  if (failed.length === 0) {
    return [problem('LT_RUN_THRESHOLD', `"${test.key}" failed: ${reason ?? ''}`, { source: test.source })];
  }
  return failed.map(({ metric, limit, value }) => {
    const threshold = test.thresholds.find((one) => one.metric === metric && one.limit === limit);
    const text = `"${test.key}": ${metric} is ${value === null ? 'unknown' : Number(value.toFixed(3))}, which is not ${limit}`;
    return problem('LT_RUN_THRESHOLD', text, { source: threshold?.source ?? test.source });
  });
}

/**
 * The exit code of carrying out a plan.
 *
 * @param signal the number that an interruption exits with; null when there was none
 * Source: the command line contract, section 3.
 */
export function exitCodeOfExecution(execution: Execution, signal: 130 | 143 | null): number {
  const codes: number[] = execution.problems
    .filter((one) => one.severity === 'error')
    .map((one) => CODES[one.code].exit);
  if (execution.actions.some((done) => done.action.verb === 'blocked')) codes.push(12);
  if (signal !== null) codes.push(signal);
  return exitCodeOf(codes);
}

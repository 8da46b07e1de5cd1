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
import { isKnownStatus } from '../core/model/test-state.ts';
import { printable } from '../core/printable.ts';
import { exitCodeOf, problem, ProblemError, type Problem } from '../core/problem.ts';
import { CODES } from '../core/codes.ts';
import { formatInstant } from '../core/instant.ts';
import type { Action, CreateAction, KeepAction, RunAction } from '../core/reconcile/action.ts';
import { readNotes, type Mark } from '../core/reconcile/mark.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { inTurnOrder, readyToStart, sharesHost } from '../core/reconcile/turns.ts';
import type { Milliseconds } from '../core/units.ts';
import { awaitRun, type FollowedRun } from './await-run.ts';
import { createTest } from './create-test.ts';
import { stopDoubles } from './doubles.ts';
import type { ActionOutcome } from './events.ts';
import { registerApp, verifyApp, type RegisteredApp } from './prepare-app.ts';
import { refusesKey } from './send-once.ts';
import { startRun } from './start-run.ts';
import { stopTest } from './stop-test.ts';
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
  /** Tests that perhaps still run: nobody saw them end. Their hosts are not free. */
  readonly #unended = new Set<DeclaredTest>();
  /** Marks that may stand on two tests. */
  readonly #marks: Mark[] = [];
  readonly #toldDoubles = new Set<string>();
  #notesDropped = false;
  /** Set by what makes every further write pointless: a refused key. */
  #halted = false;
  /** What nobody expected, in a run that was followed; kept until all others are seen to. */
  #bug: { readonly error: unknown } | null = null;

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
    if (this.#bug !== null) throw this.#bug.error;
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
    const { code, message } = this.#record(error);
    this.#end(action, { outcome: OUTCOMES[code] ?? 'failed' }, message);
  }

  /** Errors: throws what is no expected failure. */
  #record(error: unknown): Problem {
    if (!(error instanceof ProblemError)) throw error;
    const { problem: what } = error;
    // That there was a signal is told once, by whoever handles it.
    if (what.code !== 'LT_CLI_INTERRUPTED') this.#problems.push(what);
    if (what.code === 'LT_API_KEY') this.#halted = true;
    return what;
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
    const kept: KeepAction[] = [];
    for (const action of this.#plan.actions) {
      if (action.verb === 'create' || action.verb === 'replace' || action.verb === 'run') {
        actions.set(action.test, action);
      } else if (action.verb === 'keep') {
        kept.push(action);
        if (action.doubled !== null) this.#marks.push(action.doubled);
      } else if (action.verb === 'blocked') {
        this.#failed.add(action.test);
      }
    }
    const running = new Map<DeclaredTest, Promise<void>>();
    // What runs already has its host before anything that would start.
    for (const action of kept) {
      if (this.#mustFollow(action, [...actions.keys()])) {
        running.set(action.test, this.#follow(action.test, running, this.#watchKept(action)));
      } else {
        this.#judgeKept(action);
      }
    }
    let waiting = await this.#schedule(inTurnOrder([...actions.keys()]), actions);
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
      // As soon as the last one is created, so that a double does not load the host for long.
      if (waiting.length === 0 && ready.length > 0) await this.#checkForDoubles();
      if (running.size > 0) await Promise.race(running.values());
      else if (ready.length === 0) break;
    }
  }

  /** Creates what has its own time: it takes no turn, and waiting for one could make it late. Gives the others. */
  async #schedule(
    tests: readonly DeclaredTest[],
    actions: ReadonlyMap<DeclaredTest, CreateAction | RunAction | KeepAction>,
  ): Promise<readonly DeclaredTest[]> {
    const waiting: DeclaredTest[] = [];
    for (const test of tests) {
      const action = actions.get(test);
      const create = action?.verb === 'create' || action?.verb === 'replace' ? action : null;
      if (create === null || test.spec.scheduledAt === null) waiting.push(test);
      else if (this.#mayStart(test)) await this.#start(create);
    }
    return waiting;
  }

  async #follow(
    test: DeclaredTest,
    running: Map<DeclaredTest, Promise<void>>,
    run: Promise<void>,
  ): Promise<void> {
    try {
      await run;
    } catch (error) {
      // Nobody may be waiting for this run now, so that a rejection would end the process.
      this.#bug ??= { error };
      this.#halted = true;
    }
    running.delete(test);
  }

  /** Whether a test that runs already is waited for: to judge it, or since another one waits for its end. */
  #mustFollow(action: KeepAction, starting: readonly DeclaredTest[]): boolean {
    const { test, state } = action;
    if (state !== 'running' || !this.#options.wait) return false;
    const awaited = starting.some((other) => sharesHost(other, test) || other.needs.includes(test.key));
    return awaited || test.thresholds.length > 0;
  }

  #mayStart(test: DeclaredTest): boolean {
    if (this.#stopping) return false;
    const apps = test.spec.targets.map((target) => appOfUrl(this.#apps, target.url));
    const usable = apps.every((app) => app === undefined || !this.#unusable.has(app));
    const needed = [...this.#failed, ...this.#unended].some((other) => test.needs.includes(other.key));
    // What is scheduled starts at its own time, whoever has the host now.
    const hostBusy =
      test.spec.scheduledAt === null && [...this.#unended].some((other) => sharesHost(test, other));
    const may = usable && !needed && !hostBusy && !this.#failed.has(test);
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
      if (this.#outcomes.get(action)?.outcome === 'unknown') this.#unended.add(action.test);
      return null;
    }
  }

  async #startExisting(action: RunAction): Promise<(() => Promise<void>) | null> {
    const { id } = action.observed;
    const started = await startRun(action.observed, action.address, this.#world);
    const { resultId, before, byUs } = started;
    if (started.unwritten !== null) this.#problems.push(started.unwritten);
    this.#end(action, { outcome: 'done', id, resultId }, byUs ? `started ${id}` : `${id} runs already`);
    return () => this.#watch({ test: action.test, id, resultId, before, again: true, startedByUs: byUs });
  }

  async #create(action: CreateAction): Promise<(() => Promise<void>) | null> {
    const { test } = action;
    if (this.#notesDropped) {
      throw new ProblemError(
        problem('LT_PLAN_BLOCKED', `"${test.key}" is not created: the service does not keep notes`, {
          source: test.source,
          hint: 'add the printed "id:" lines to the file first',
        }),
      );
    }
    const created = await createTest(action, this.#world);
    const { id, resultId, byUs } = created;
    if (created.unwritten !== null) this.#problems.push(created.unwritten);
    this.#marks.push(created.mark);
    this.#end(
      action,
      { outcome: 'done', id, resultId },
      byUs ? `created ${id}` : `was there already, as ${id}`,
    );
    await this.#checkNotes(test, id);
    if (test.spec.scheduledAt !== null) return null;
    return () => this.#watch({ test, id, resultId, before: [], again: false, startedByUs: byUs });
  }

  /** Each create is read back: a service that drops notes, or shortens long ones, would lose our marks. */
  async #checkNotes(test: DeclaredTest, id: TestId): Promise<void> {
    try {
      const read = await this.#world.service.getTest(id);
      if (readNotes(read.test.notes).reading.kind === 'mark') return;
      this.#notesDropped = true;
      this.#idsToPin.push({ key: test.key, id });
    } catch (error) {
      // The test is there, whatever became of reading it.
      if (!(error instanceof CallError)) throw error;
      if (refusesKey(error)) this.#record(error);
    }
  }

  async #watchKept(action: KeepAction): Promise<void> {
    const { test, observed } = action;
    const run = { test, id: observed.id, again: false, startedByUs: false };
    let results: readonly RunResult[] | null;
    try {
      results = await this.#world.service.listResults(observed.id);
    } catch (error) {
      this.#loseSight({ ...run, resultId: null, before: [] }, this.#record(error));
      return;
    }
    const current = results?.find((result) => result.status !== 'ready') ?? null;
    const before = (results ?? []).filter((result) => result !== current).map((result) => result.id);
    await this.#watch({ ...run, resultId: current?.id ?? null, before });
  }

  async #watch(run: WatchedRun): Promise<void> {
    const { test, id } = run;
    const world = this.#world;
    if (!this.#options.wait) {
      this.#addRun(run, { status: 'running', judgement: NOT_JUDGED });
      return;
    }
    try {
      const patience = this.#options.timeout;
      const followed = await awaitRun({ ...run, patience }, world, world.interrupted);
      if (followed.kind === 'interrupted' && run.startedByUs && this.#options.onInterrupt === 'stop') {
        world.emit({ kind: 'note', text: `stopping ${testAddress(test.key)} (${id})` });
        await stopTest(id, world, 10_000);
        const never = new AbortController().signal;
        const after = await awaitRun({ ...run, again: false, patience: 5000 }, world, never);
        this.#judgeFollowed(run, { ...after, kind: 'interrupted' });
      } else {
        if (followed.kind === 'interrupted') {
          world.emit({ kind: 'note', text: `${testAddress(test.key)} goes on, as ${id}` });
        }
        this.#judgeFollowed(run, followed);
      }
    } catch (error) {
      this.#loseSight(run, this.#record(error));
    }
  }

  /** Nobody sees how the run ends. */
  #loseSight(run: WatchedRun, { message }: Problem): void {
    this.#unended.add(run.test);
    const verdict = run.test.thresholds.length > 0 ? 'inconclusive' : 'none';
    this.#addRun(run, { status: null, judgement: { verdict, thresholds: [], reason: message } });
    this.#world.emit({ kind: 'note', text: `${testAddress(run.test.key)}: ${message}` });
  }

  #addRun(
    run: WatchedRun,
    known: Pick<DoneRun, 'status' | 'judgement'> & Partial<Pick<DoneRun, 'resultId' | 'result'>>,
  ): void {
    const { test, id, resultId, startedByUs } = run;
    const address = testAddress(test.key);
    this.#runs.push({ address, testId: id, resultId, startedByUs, result: null, ...known });
  }

  #judgeFollowed(run: WatchedRun, followed: FollowedRun): void {
    const { test, id } = run;
    const { status, resultId, result } = followed;
    if (followed.kind === 'timeout') this.#unended.add(test);
    const lost = problemOfEnd(run, followed);
    if (lost !== null) this.#problems.push(lost);
    const judgement = this.#judgeResult(test, result, followed.hasResults);
    this.#addRun(run, { status, resultId, judgement, result });
    this.#world.emit({ kind: 'ended', address: testAddress(test.key), testId: id, resultId, judgement });
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
    const judged = test.thresholds.length > 0 || judgement?.verdict === 'fail';
    if (!judged || state === 'scheduled' || state === 'running') return;
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

  async #checkForDoubles(): Promise<void> {
    if (this.#marks.length === 0 || this.#halted) return;
    try {
      for (const found of await stopDoubles(this.#marks, this.#world)) {
        if (this.#toldDoubles.has(found.message)) continue;
        this.#toldDoubles.add(found.message);
        this.#problems.push(found);
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#problems.push({ ...error.problem, severity: 'warning' });
    }
  }
}

interface WatchedRun {
  readonly test: DeclaredTest;
  readonly id: TestId;
  readonly resultId: ResultId | null;
  readonly before: readonly ResultId[];
  readonly again: boolean;
  readonly startedByUs: boolean;
}

const NOT_JUDGED: Judgement = { verdict: 'none', thresholds: [], reason: 'not judged' };

/** Outcomes of actions whose problem says more than that they failed. */
const OUTCOMES: Partial<Record<Problem['code'], ActionOutcome>> = {
  LT_API_UNKNOWN: 'unknown',
  LT_CLI_INTERRUPTED: 'not_tried',
};

/** What is wrong with how a run ended, whatever its figures are. */
function problemOfEnd({ test, id }: WatchedRun, { kind, status }: FollowedRun): Problem | null {
  const { source } = test;
  const subject = `"${test.key}" (${id})`;
  if (kind === 'vanished') {
    return problem('LT_RUN_INCONCLUSIVE', `${subject} is not on the service any more`, { source });
  }
  if (kind !== 'timeout') return null;
  if (status !== null && !isKnownStatus(status)) {
    const text = `${subject} has the status "${printable(status)}", which is not known to be an end`;
    return problem('LT_RUN_INCONCLUSIVE', text, { source });
  }
  return problem('LT_RUN_TIMEOUT', `${subject} did not end in time`, { source });
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

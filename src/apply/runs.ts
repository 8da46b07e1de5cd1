/**
 * The runs of a plan that is carried out: waits for their ends, and has them judged.
 *
 * Source: docs/design/reconciler.md, section 5; docs/design/command-line.md, section 2.
 */
import { hasLimits } from '../core/judge.ts';
import { testAddress, type Address, type ResultId, type TestId } from '../core/model/ids.ts';
import type { Judgement } from '../core/model/judgement.ts';
import type { RunnableTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run.ts';
import { isArmed } from '../core/model/test-state.ts';
import { printable } from '../core/printable.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { KeepAction } from '../core/reconcile/action.ts';
import type { Milliseconds } from '../core/units.ts';
import { awaitRun, type FollowedRun } from './await-run.ts';
import {
  cutShort,
  judgeResult,
  problemsOfVerdict,
  shortenedRun,
  shortestRun,
  unjudgeable,
  unjudged,
} from './judging.ts';
import { noteResult } from './history.ts';
import type { Outcomes } from './outcomes.ts';
import { readSeen } from './sending.ts';
import { stopTest } from './stop-test.ts';
import { ToldJudgements } from './told-judgements.ts';
import type { World } from './world.ts';

export interface WaitOptions {
  readonly wait: boolean;
  /** For each run; null: its duration, timeout and a minute. */
  readonly timeout: Milliseconds | null;
  readonly onInterrupt: 'stop' | 'detach';
  readonly requireVerdict: boolean;
  /** Results of the rounds before this one, to be compared with the baseline together; left out: none. */
  readonly earlier?: ReadonlyMap<Address, readonly RunResult[]>;
}

export interface DoneRun {
  readonly address: Address;
  readonly testId: TestId;
  readonly resultId: ResultId | null;
  readonly status: string | null;
  readonly startedByUs: boolean;
  readonly judgement: Judgement;
  readonly result: RunResult | null;
  /** What the file calls the URLs of the test; empty where it names none. */
  readonly urlNames: readonly (string | null)[];
  /** `stopped`: by this command, or with it. `in_progress`: as far as is known. */
  readonly end: 'ended' | 'stopped' | 'in_progress';
}

/** A run that goes on, as far as is known. */
export interface WatchedRun {
  readonly test: RunnableTest;
  readonly id: TestId;
  readonly resultId: ResultId | null;
  readonly before: readonly ResultId[];
  readonly again: boolean;
  readonly startedByUs: boolean;
  /** As `RunToFollow` has it. */
  readonly sentAt: number | null;
}

export class Runs {
  readonly done: DoneRun[] = [];
  /** Tests that perhaps still run: nobody saw them end. Their hosts are not free. */
  readonly unended = new Set<RunnableTest>();
  readonly #world: World;
  readonly #options: WaitOptions;
  readonly #outcomes: Outcomes;
  readonly #told: ToldJudgements;

  constructor(world: World, options: WaitOptions, outcomes: Outcomes) {
    this.#world = world;
    this.#options = options;
    this.#outcomes = outcomes;
    this.#told = new ToldJudgements(world);
  }

  /** When nothing is waited for any more. Errors: none but bugs. */
  async end(): Promise<void> {
    await this.#told.end();
  }

  async watchKept(action: KeepAction): Promise<void> {
    const { test, observed } = action;
    const run = { test, id: observed.id, again: false, startedByUs: false, sentAt: null };
    let results: readonly RunResult[] | null;
    try {
      results = await readSeen(() => this.#world.service.listResults(observed.id), this.#world);
    } catch (error) {
      this.#loseSight({ ...run, resultId: null, before: [] }, this.#outcomes.record(action.address, error));
      return;
    }
    const current = results?.find((result) => result.status !== 'ready') ?? null;
    const before = (results ?? []).filter((result) => result !== current).map((result) => result.id);
    await this.watch({ ...run, resultId: current?.id ?? null, before });
  }

  async watch(run: WatchedRun): Promise<void> {
    const { test } = run;
    const world = this.#world;
    if (!this.#options.wait) {
      this.#addRun(run, { status: 'running', judgement: NOT_JUDGED, end: 'in_progress' });
      return;
    }
    try {
      const patience = this.#options.timeout;
      const followed = await awaitRun({ ...run, patience }, world, world.interrupted);
      if (followed.kind === 'interrupted' && run.startedByUs && this.#options.onInterrupt === 'stop') {
        await this.#stop(run, followed);
      } else if (mayGoOn(followed)) {
        this.#leave(run, followed);
      } else {
        this.#judgeFollowed(run, followed, 'ended');
      }
    } catch (error) {
      this.#loseSight(run, this.#outcomes.record(testAddress(test.key), error));
    }
  }

  /** What has ended by itself meanwhile is not stopped, and is judged as what it is. Errors: CallError. */
  async #stop(run: WatchedRun, followed: FollowedRun): Promise<void> {
    const { test, id, sentAt } = run;
    const world = this.#world;
    const ran = sentAt === null ? 0 : world.clock.monotonic() - sentAt;
    world.emit({ kind: 'note', text: `stopping ${testAddress(test.key)} (${id})` });
    const { sent } = await stopTest({ id, resultId: followed.resultId ?? run.resultId }, world, 10_000);
    const never = new AbortController().signal;
    const after = await awaitRun({ ...run, again: false, patience: 5000 }, world, never);
    const whole = !sent || after.result?.abortReason === null || ran >= shortestRun(test.spec);
    if (isArmed(after.state)) this.#leave(run, after);
    else if (whole) this.#judgeFollowed(run, after, 'ended');
    else this.#judgeFollowed(run, { ...after, result: cutShort(after.result) }, 'stopped');
  }

  /** Nobody sees how the run ends. */
  #loseSight(run: WatchedRun, { message }: Problem): void {
    this.unended.add(run.test);
    const judgement = unjudged(run.test, null, message);
    this.#addRun(run, { status: null, judgement, end: 'in_progress' });
    this.#tellLeft(run, message);
  }

  /** Nobody waits for the run any more, though it has not ended. */
  #leave(run: WatchedRun, followed: FollowedRun): void {
    const { test, id } = run;
    const { status, resultId, result, kind } = followed;
    this.unended.add(test);
    const goesOn = this.#world.loadOutlivesUs();
    const text = goesOn ? `is still running, as ${id}` : 'ends with this command';
    if (kind === 'timeout') this.#outcomes.add(testAddress(test.key), problemOfTimeout(run, followed, text));
    const judgement = unjudged(test, result, `it ${text}`);
    this.#addRun(run, { status, resultId, judgement, result, end: goesOn ? 'in_progress' : 'stopped' });
    this.#tellLeft(run, text);
  }

  #tellLeft({ test, id }: WatchedRun, text: string): void {
    this.#world.emit({ kind: 'left', address: testAddress(test.key), testId: id, text });
  }

  #addRun(
    run: WatchedRun,
    known: Pick<DoneRun, 'status' | 'judgement' | 'end'> & Partial<Pick<DoneRun, 'resultId' | 'result'>>,
  ): void {
    const { test, id, resultId, startedByUs } = run;
    const address = testAddress(test.key);
    const { urlNames } = test;
    this.done.push({ address, testId: id, resultId, startedByUs, result: null, urlNames, ...known });
  }

  #judgeFollowed(run: WatchedRun, followed: FollowedRun, end: DoneRun['end']): void {
    const { test, id } = run;
    const { status, resultId, result } = followed;
    if (result !== null) noteResult(this.#world.journal, id, result);
    if (followed.kind === 'timeout') this.unended.add(test);
    const lost = end === 'stopped' ? null : problemOfEnd(run, followed);
    if (lost !== null) this.#outcomes.add(testAddress(test.key), lost);
    const judgement = this.#judgeEnded(run, followed, end);
    this.#addRun(run, { status, resultId, judgement, result, end });
    this.#told.tell(id, result, judgement);
    this.#world.emit({ kind: 'ended', address: testAddress(test.key), testId: id, resultId, judgement });
  }

  #judgeEnded({ test, id }: WatchedRun, followed: FollowedRun, end: DoneRun['end']): Judgement {
    const { result, atMost, since, hasResults } = followed;
    const stop = () => this.#world.stopNoted(id, since);
    const shortened =
      end === 'stopped' || atMost === null ? null : shortenedRun(test, result, { atMost, stop });
    if (shortened === null) return this.#judge(test, result, hasResults);
    this.#outcomes.add(testAddress(test.key), ...shortened.problems);
    return shortened.judgement;
  }

  #judge(test: RunnableTest, result: RunResult | null, hasResults: boolean): Judgement {
    const judged = hasResults
      ? judgeResult(test, result, this.#options.earlier?.get(testAddress(test.key)))
      : unjudgeable(test, this.#options.requireVerdict);
    this.#outcomes.add(testAddress(test.key), ...judged.problems);
    return judged.judgement;
  }

  /** A test that was left alone still counts: trying again must not turn red into green. */
  judgeKept(action: KeepAction): void {
    const { test, observed, state, judgement } = action;
    if (action.result !== null) noteResult(this.#world.journal, observed.id, action.result);
    const judged = hasLimits(test) || judgement?.verdict === 'fail';
    if (!judged || isArmed(state)) return;
    if (judgement === null) {
      this.done.push(this.#keptRun(action, this.#judge(test, null, false)));
      return;
    }
    this.#outcomes.add(
      action.address,
      ...problemsOfVerdict(test, judgement, { hint: 'run it again with --run' }),
    );
    this.done.push(this.#keptRun(action, judgement));
    this.#told.tell(observed.id, action.result, judgement);
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
      urlNames: action.test.urlNames,
      end: 'ended',
    };
  }
}

const NOT_JUDGED: Judgement = { verdict: 'none', thresholds: [], reason: 'not judged' };

/** Whether a run that is not waited for any more may still make load. */
function mayGoOn({ kind, state }: FollowedRun): boolean {
  return (kind === 'timeout' || kind === 'interrupted') && state !== 'ended';
}

/** What is wrong with how a run ended, whatever its figures are. */
function problemOfEnd({ test, id }: WatchedRun, { kind }: FollowedRun): Problem | null {
  const { source } = test;
  const subject = `"${test.key}" (${id})`;
  if (kind === 'vanished') {
    return problem('LT_RUN_INCONCLUSIVE', `${subject} no longer exists on the service`, { source });
  }
  if (kind === 'resultless') {
    return problem('LT_RUN_INCONCLUSIVE', `the results of ${subject} no longer exist on the service`, {
      source,
    });
  }
  if (kind !== 'timeout') return null;
  return problem('LT_RUN_TIMEOUT', `the result of ${subject} was not available in time`, { source });
}

function problemOfTimeout(
  { test, id }: WatchedRun,
  { status, statusKind }: FollowedRun,
  left: string,
): Problem {
  const { source } = test;
  if (status !== null && statusKind === 'unrecognised') {
    const text = `"${test.key}" (${id}) has the status "${printable(status)}", which is not a known end status`;
    return problem('LT_RUN_INCONCLUSIVE', text, { source });
  }
  return problem('LT_RUN_TIMEOUT', `"${test.key}" did not end in time; it ${left}`, { source });
}

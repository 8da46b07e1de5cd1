/**
 * Follows the runs of a plan until they end, and evaluates them.
 * @see docs/internals/reconciler.md, section 5
 * @see docs/internals/command-line.md, section 2
 */
import type { CompletedRun } from '../../core/report/run-document.ts';
import { hasThresholds, pendingThresholds } from '../../core/compare/run-evaluation.ts';
import { testAddress, type Address, type ResultId, type TestId } from '../../core/model/ids.ts';
import type { RunVerdict } from '../../core/model/run-verdict.ts';
import type { RunnableTest } from '../../core/model/load-test.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { isStoppable } from '../../core/model/test-state.ts';
import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import type { NoOpAction } from '../../core/reconcile/action.ts';
import type { Milliseconds } from '../../core/units.ts';
import { awaitRun, type FollowedRun, type RunToFollow } from './await-run.ts';
import {
  markAsStopped,
  evaluateResult,
  problemsOfVerdict,
  evaluateShortenedRun,
  minRunTime,
  evaluateWithoutResults,
  skipEvaluation,
} from './evaluation.ts';
import { recordResult } from '../observation/history.ts';
import type { Outcomes } from '../outcomes.ts';
import { readExisting } from '../uncertainty/lookups.ts';
import { stopTest } from '../tests/stop-test.ts';
import { publishedVerdict, VerdictPublisher } from './verdict-publisher.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface WaitOptions {
  readonly wait: boolean;
  /** Timeout per run, in ms; null for the maximum run time plus 60 s. */
  readonly timeout: Milliseconds | null;
  readonly onInterrupt: 'stop' | 'detach';
  readonly requireVerdict: boolean;
  /** Results of earlier rounds, which regression thresholds also compare with the baseline. */
  readonly earlier?: ReadonlyMap<Address, readonly RunResult[]>;
}

export interface DoneRun extends Omit<CompletedRun, 'round'> {
  readonly address: Address;
  readonly testId: TestId;
  readonly resultId: ResultId | null;
}

export interface WatchedRun extends Omit<RunToFollow, 'timeout'> {
  readonly startedByUs: boolean;
}

export class Runs {
  readonly done: DoneRun[] = [];
  /** Tests whose runs may still be in progress, because the end of these runs was not observed. */
  readonly unfinished = new Set<RunnableTest>();
  readonly #context: ApplyContext;
  readonly #options: WaitOptions;
  readonly #outcomes: Outcomes;
  readonly #verdictPublisher: VerdictPublisher;

  constructor(context: ApplyContext, options: WaitOptions, outcomes: Outcomes) {
    this.#context = context;
    this.#options = options;
    this.#outcomes = outcomes;
    this.#verdictPublisher = new VerdictPublisher(context);
  }

  /** Waits briefly until pending verdicts have been published. */
  async end(): Promise<void> {
    await this.#verdictPublisher.end();
  }

  async watchUnchanged(action: NoOpAction): Promise<void> {
    const { test, observed } = action;
    const run = { test, id: observed.id, isRerun: false, startedByUs: false, sentAt: null };
    let results: readonly RunResult[] | null;
    try {
      results = await readExisting(() => this.#context.service.listResults(observed.id), this.#context);
    } catch (error) {
      this.#markUnobserved(
        { ...run, resultId: null, priorResults: [] },
        this.#outcomes.record(action.address, error),
      );
      return;
    }
    const current = results?.find((result) => result.status !== 'ready') ?? null;
    const priorResults = (results ?? []).filter((result) => result !== current).map((result) => result.id);
    await this.watch({ ...run, resultId: current?.id ?? null, priorResults });
  }

  async watch(run: WatchedRun): Promise<void> {
    const { test } = run;
    const context = this.#context;
    this.#verdictPublisher.publishThresholds(run.id, run.resultId, {
      ...publishedVerdict(test, NOT_EVALUATED),
      thresholds: pendingThresholds(test),
    });
    if (!this.#options.wait) {
      this.#addRun(run, { status: 'running', verdict: NOT_EVALUATED, end: 'in_progress' });
      return;
    }
    try {
      const timeout = this.#options.timeout;
      const followed = await awaitRun({ ...run, timeout }, context, context.interrupted);
      if (followed.kind === 'interrupted' && run.startedByUs && this.#options.onInterrupt === 'stop') {
        await this.#stop(run, followed);
      } else if (isMaybeRunning(followed)) {
        this.#detach(run, followed);
      } else {
        this.#evaluateFollowed(run, followed, 'ended');
      }
    } catch (error) {
      this.#markUnobserved(run, this.#outcomes.record(testAddress(test.key), error));
    }
  }

  /**
   * Stops a run and evaluates it. A run that has already ended by itself is evaluated as a completed run.
   * @throws CallError
   */
  async #stop(run: WatchedRun, followed: FollowedRun): Promise<void> {
    const { test, id, sentAt } = run;
    const context = this.#context;
    const elapsed = sentAt === null ? 0 : context.clock.monotonic() - sentAt;
    context.emit({ kind: 'note', text: `stopping ${testAddress(test.key)} (${id})` });
    const { sent } = await stopTest({ id, resultId: followed.resultId ?? run.resultId }, context, 10_000);
    const uninterrupted = new AbortController().signal;
    const after = await awaitRun({ ...run, isRerun: false, timeout: 5000 }, context, uninterrupted);
    const isComplete = !sent || after.result?.record.abortReason === null || elapsed >= minRunTime(test.spec);
    if (isStoppable(after.state)) this.#detach(run, after);
    else if (isComplete) this.#evaluateFollowed(run, after, 'ended');
    else this.#evaluateFollowed(run, { ...after, result: markAsStopped(after.result) }, 'stopped');
  }

  #markUnobserved(run: WatchedRun, { message }: Problem): void {
    this.unfinished.add(run.test);
    const verdict = skipEvaluation(run.test, null, message);
    this.#addRun(run, { status: null, verdict, end: 'in_progress' });
    this.#reportDetached(run, message);
  }

  #detach(run: WatchedRun, followed: FollowedRun): void {
    const { test, id } = run;
    const { status, resultId, result, kind } = followed;
    this.unfinished.add(test);
    const continues = this.#context.loadOutlivesCommand();
    const text = continues ? `is still running (${id})` : 'stops when this command ends';
    if (kind === 'timeout') this.#outcomes.add(testAddress(test.key), problemOfTimeout(run, followed, text));
    const verdict = skipEvaluation(test, result, `the test ${text}`);
    this.#addRun(run, { status, resultId, verdict, result, end: continues ? 'in_progress' : 'stopped' });
    this.#reportDetached(run, text);
  }

  #reportDetached({ test, id }: WatchedRun, text: string): void {
    this.#context.emit({ kind: 'left', address: testAddress(test.key), testId: id, text });
  }

  #addRun(
    run: Pick<WatchedRun, 'test' | 'id' | 'resultId' | 'startedByUs'>,
    known: Pick<DoneRun, 'status' | 'verdict' | 'end'> & Partial<Pick<DoneRun, 'resultId' | 'result'>>,
  ): void {
    const { test, id, resultId, startedByUs } = run;
    const address = testAddress(test.key);
    const { urlNames } = test;
    this.done.push({ address, testId: id, resultId, startedByUs, result: null, urlNames, ...known });
  }

  #evaluateFollowed(run: WatchedRun, followed: FollowedRun, end: DoneRun['end']): void {
    const { test, id } = run;
    const { status, resultId, result } = followed;
    if (result !== null) recordResult(this.#context.journal, id, result);
    if (followed.kind === 'timeout') this.unfinished.add(test);
    const endProblem = end === 'stopped' ? null : problemOfEnd(run, followed);
    if (endProblem !== null) this.#outcomes.add(testAddress(test.key), endProblem);
    const verdict = this.#evaluateEnded(run, followed, end);
    this.#addRun({ ...run, resultId }, { status, verdict, result, end });
    this.#reportVerdict({ ...run, resultId }, result, verdict);
  }

  #reportVerdict(
    { test, id, resultId }: Pick<WatchedRun, 'test' | 'id' | 'resultId'>,
    result: RunResult | null,
    verdict: RunVerdict,
  ): void {
    this.#verdictPublisher.publish(id, result, publishedVerdict(test, verdict));
    this.#context.emit({
      kind: 'ended',
      address: testAddress(test.key),
      testId: id,
      resultId,
      judgement: verdict,
    });
  }

  #evaluateEnded({ test, id }: WatchedRun, followed: FollowedRun, end: DoneRun['end']): RunVerdict {
    const { result, maxElapsed, firstReadAt, hasResults } = followed;
    const stop = () => this.#context.findStop(id, firstReadAt);
    const shortened =
      end === 'stopped' || maxElapsed === null
        ? null
        : evaluateShortenedRun(test, result, { atMost: maxElapsed, stop });
    if (shortened === null) return this.#evaluate(test, result, hasResults);
    this.#outcomes.add(testAddress(test.key), ...shortened.problems);
    return shortened.verdict;
  }

  #evaluate(test: RunnableTest, result: RunResult | null, hasResults: boolean): RunVerdict {
    const evaluation = hasResults
      ? evaluateResult(test, result, this.#options.earlier?.get(testAddress(test.key)))
      : evaluateWithoutResults(test, this.#options.requireVerdict);
    this.#outcomes.add(testAddress(test.key), ...evaluation.problems);
    return evaluation.verdict;
  }

  /** Reports the verdict on the last run of an unchanged test, so that a repeated command reports the same failure. */
  evaluateUnchanged(action: NoOpAction): void {
    const { test, observed, state, verdict, result } = action;
    const { id, status } = observed;
    if (result !== null) recordResult(this.#context.journal, id, result);
    const isEvaluated = hasThresholds(test) || verdict?.verdict === 'fail';
    if (!isEvaluated || isStoppable(state)) return;
    const run = { test, id, resultId: result?.id ?? null, startedByUs: false };
    if (verdict === null) {
      this.#addRun(run, { status, verdict: this.#evaluate(test, null, false), result, end: 'ended' });
      return;
    }
    this.#outcomes.add(
      action.address,
      ...problemsOfVerdict(test, verdict, {
        hint: 'to run the test again, pass --run',
        record: result?.record ?? null,
      }),
    );
    this.#addRun(run, { status, verdict, result, end: 'ended' });
    this.#reportVerdict(run, result, verdict);
  }
}

const NOT_EVALUATED: RunVerdict = { verdict: 'none', thresholds: [], reason: 'not evaluated' };

function isMaybeRunning({ kind, state }: FollowedRun): boolean {
  return (kind === 'timeout' || kind === 'interrupted') && state !== 'ended';
}

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
  state: string,
): Problem {
  const { source } = test;
  if (status !== null && statusKind === 'unrecognized') {
    const text = `"${test.key}" (${id}) has the status "${printable(status)}", which loadtests does not recognize`;
    return problem('LT_RUN_INCONCLUSIVE', text, { source });
  }
  return problem('LT_RUN_TIMEOUT', `"${test.key}" did not end in time; it ${state}`, { source });
}

/**
 * Follows a run to its end.
 *
 * Source: docs/internals/reconciler.md, section 5.
 */
import { CallError } from '../core/call-error.ts';
import { countedIterationTime } from '../core/load/delay.ts';
import type { ResultId, TestId } from '../core/model/ids.ts';
import { testAddress } from '../core/model/ids.ts';
import { paceOf, type RunnableTest, type StatusKind } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run-result.ts';
import { needsFullRecord } from '../core/model/regression.ts';
import { isStoppable, stateOf, type TestState } from '../core/model/test-state.ts';
import type { RetryBounds } from '../core/ports/service-port.ts';
import { hasGivenResults } from './history.ts';
import { isKeyRefusal } from './write-retry.ts';
import { findNewResult } from './start-run.ts';
import type { ApplyContext } from './apply-context.ts';

export interface RunToFollow {
  readonly test: RunnableTest;
  readonly id: TestId;
  /** Null where the service did not name it. */
  readonly resultId: ResultId | null;
  /** Results that were there before the run. */
  readonly priorResults: readonly ResultId[];
  /** The test has run before, so that its status may still be that of the earlier run. */
  readonly isRerun: boolean;
  /** Ms; null: duration + timeout + delays + 60 s. */
  readonly timeout: number | null;
  /** When the start was sent, by the monotonic clock; null: by somebody else, or it is not known. */
  readonly sentAt: number | null;
}

export interface FollowedRun {
  /** `vanished`: the test is gone. `resultless`: its results are, though they were there. */
  readonly kind: 'ended' | 'timeout' | 'interrupted' | 'vanished' | 'resultless';
  /** As the service last told it; null: it never answered. */
  readonly status: string | null;
  readonly statusKind: StatusKind | null;
  readonly state: TestState | null;
  readonly resultId: ResultId | null;
  readonly result: RunResult | null;
  /** False: the service has no results at all, so nothing can be judged. */
  readonly hasResults: boolean;
  /** When it was first looked at, in ms since the epoch. */
  readonly firstReadAt: number;
  /** What the run took, at most, in ms; null: not known. */
  readonly maxElapsed: number | null;
}

/** A run with its result may take this long after its status says complete. */
const RESULT_GRACE_MS = 60_000;

/** Without what a service takes to tell of it. */
function maxRunTime(spec: RunnableTest['spec']): number {
  return spec.duration + countedIterationTime(spec.targets, paceOf(spec).timeout);
}

/** Errors: CallError, when the service stays out of reach or refuses the key. */
export async function awaitRun(
  run: RunToFollow,
  context: ApplyContext,
  interrupted: AbortSignal,
): Promise<FollowedRun> {
  const { spec } = run.test;
  const { clock, settle } = context;
  const start = clock.monotonic();
  const longestInterval = Math.min(5000, Math.max(500, spec.duration / 10));
  const patience = run.timeout ?? maxRunTime(spec) + RESULT_GRACE_MS;
  let interval = 200;
  let seenRunning = !run.isRerun;
  let last: FollowedRun = {
    kind: 'timeout',
    status: null,
    statusKind: null,
    state: null,
    resultId: run.resultId,
    result: null,
    hasResults: true,
    firstReadAt: clock.now(),
    maxElapsed: null,
  };
  let sawRunning = false;
  let sawResults = run.priorResults.length > 0 || hasGivenResults(context.journal.lines());
  /** When it was first seen ended after it ran, and when the test and its results were first said to be gone. */
  const since: Record<'ended' | 'missing' | 'resultless', number | null> = {
    ended: null,
    missing: null,
    resultless: null,
  };
  const lasts = (from: number | null) => from !== null && clock.monotonic() - from >= settle;
  for (;;) {
    const elapsed = clock.monotonic() - start;
    let toldProgress = false;
    let asked = 0;
    // However long the service asks to wait, the patience of the command counts.
    const bounds = { within: Math.max(0, patience - elapsed) };
    const unlessInterrupted = <T>(reading: Promise<T>) =>
      untilInterrupted(reading, { world: context, interrupted });
    try {
      const seen = await unlessInterrupted(context.service.getTest(run.id, bounds));
      if (seen === INTERRUPTED) return { ...last, kind: 'interrupted' };
      const { test, progress } = seen;
      toldProgress = progress !== null;
      since.missing = null;
      context.emit({
        kind: 'running',
        address: testAddress(run.test.key),
        testId: run.id,
        elapsed,
        duration: spec.duration,
        progress,
      });
      const state = stateOf(test, context.clock.now());
      last = { ...last, status: test.status, statusKind: test.statusKind, state };
      seenRunning ||= state === 'running';
      sawRunning ||= state === 'running';
      since.ended = state === 'running' || !sawRunning ? null : (since.ended ?? clock.monotonic());
      if (!isStoppable(state)) {
        const found = await unlessInterrupted(readRunResult(run, context, bounds));
        if (found === INTERRUPTED) return { ...last, kind: 'interrupted' };
        sawResults ||= found.isListed;
        since.resultless = found.hasResults ? null : (since.resultless ?? clock.monotonic());
        const maxElapsed = run.sentAt === null ? null : (since.ended ?? clock.monotonic()) - run.sentAt;
        last = { ...last, ...found, hasResults: found.hasResults || sawResults, maxElapsed };
        if (sawResults && lasts(since.resultless)) return { ...last, kind: 'resultless' };
        // Without results only the status tells the end, and right after a start it may be that of the last run.
        const endedByStatus = state === 'ended' && (seenRunning || elapsed >= spec.duration);
        if (last.hasResults ? last.result?.status === 'ready' : endedByStatus) {
          return { ...last, kind: 'ended' };
        }
      }
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // One such answer is not believed.
      since.missing = error.status === 404 ? (since.missing ?? clock.monotonic()) : null;
      if (lasts(since.missing)) return { ...last, kind: 'vanished' };
      if (isKeyRefusal(error) || (since.missing === null && elapsed > patience)) throw error;
      asked = Math.min(error.retryAfter ?? 0, bounds.within);
    }
    if (interrupted.aborted) return { ...last, kind: 'interrupted' };
    const unsure = since.missing !== null || (since.resultless !== null && sawResults);
    if (elapsed > patience && !unsure) return { ...last, kind: 'timeout' };
    const pause = Math.max(interval * (0.8 + 0.4 * context.clock.random()), asked);
    // The last look is right after the patience is over.
    await context.clock.sleep(unsure ? pause : Math.min(pause, bounds.within + 1), interrupted);
    interval = Math.min(toldProgress ? 1000 : longestInterval, interval * 1.5);
  }
}

const INTERRUPTED = Symbol('interrupted');

/** What a read may still take after a signal, in ms; the pauses between its tries take longer. */
const FINAL_READ_MS = 1000;

/** What the read gives, unless a signal comes while it waits. A signal that came before does not count. */
async function untilInterrupted<T>(
  reading: Promise<T>,
  {
    world: context,
    interrupted,
  }: { readonly world: Pick<ApplyContext, 'clock'>; readonly interrupted: AbortSignal },
): Promise<T | typeof INTERRUPTED> {
  if (interrupted.aborted) return await reading;
  // Where nobody waits for it any more, its failure is nobody's.
  reading.catch(() => undefined);
  let onSignal = (): void => undefined;
  const given = new Promise<typeof INTERRUPTED>((resolve) => {
    onSignal = () => {
      void context.clock.sleep(FINAL_READ_MS).then(() => {
        resolve(INTERRUPTED);
      });
    };
    interrupted.addEventListener('abort', onSignal);
  });
  try {
    return await Promise.race([reading, given]);
  } finally {
    interrupted.removeEventListener('abort', onSignal);
  }
}

interface RunResultReading extends Pick<FollowedRun, 'resultId' | 'result' | 'hasResults'> {
  /** Whether a result of the test was there. */
  readonly isListed: boolean;
}

async function readRunResult(
  run: RunToFollow,
  context: ApplyContext,
  bounds: RetryBounds,
): Promise<RunResultReading> {
  if (run.resultId !== null) {
    const result = await context.service.getResult(run.id, run.resultId, bounds);
    if (result !== null) return { resultId: result.id, result, hasResults: true, isListed: true };
  }
  const results = await context.service.listResults(run.id, bounds);
  if (results === null) return { resultId: run.resultId, result: null, hasResults: false, isListed: false };
  const result =
    results.find((one) => one.id === run.resultId) ??
    (run.resultId === null ? findNewResult(results, run.priorResults) : undefined) ??
    null;
  // Lists leave out what is long.
  const lacks = result?.status === 'ready' && needsFullRecord(run.test);
  const whole = lacks ? await context.service.getResult(run.id, result.id, bounds) : null;
  return {
    resultId: result?.id ?? run.resultId,
    result: whole ?? result,
    hasResults: true,
    isListed: results.length > 0,
  };
}

/**
 * Waits for the end of a run.
 * @see docs/internals/reconciler.md, section 5
 */
import { CallError } from '../../core/call-error.ts';
import { maxLoadTime } from '../../core/model/peak-load.ts';
import type { ResultId, TestId } from '../../core/model/ids.ts';
import { testAddress } from '../../core/model/ids.ts';
import { paceOf, type RunnableTest, type StatusKind } from '../../core/model/load-test.ts';
import { phaseTimeOf } from '../../core/reconcile/planned-load.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { needsFullRecord } from '../../core/model/regression.ts';
import { isStoppable, stateOf, type TestState } from '../../core/model/test-state.ts';
import type { RetryBounds } from '../../core/ports/service-port.ts';
import { hasGivenResults } from '../observation/history.ts';
import { isKeyRefusal } from '../uncertainty/sending.ts';
import { findNewResult } from '../tests/start-run.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface RunToFollow {
  readonly test: RunnableTest;
  readonly id: TestId;
  /** Null if the service has not returned the ID. */
  readonly resultId: ResultId | null;
  /** IDs of the results that existed before the run. */
  readonly priorResults: readonly ResultId[];
  /** True if the test may have run before. In this case, its status may initially describe an earlier run. */
  readonly isRerun: boolean;
  /** Maximum wait, in ms; null for the maximum run time plus 60 s. */
  readonly timeout: number | null;
  /** Monotonic time of the start request; null if another process sent the request or its outcome was unknown. */
  readonly sentAt: number | null;
}

export interface FollowedRun {
  /**
   * Outcome of the wait. `vanished`: the test no longer exists. `resultless`: the results of the test no longer exist.
   */
  readonly kind: 'ended' | 'timeout' | 'interrupted' | 'vanished' | 'resultless';
  /** Last status of the test; null if no read succeeded. */
  readonly status: string | null;
  readonly statusKind: StatusKind | null;
  readonly state: TestState | null;
  readonly resultId: ResultId | null;
  readonly result: RunResult | null;
  /** False if the service does not provide results. */
  readonly hasResults: boolean;
  /** Time immediately before the first read, in ms since the epoch. */
  readonly firstReadAt: number;
  /** Upper bound of the run time, in ms; null if `sentAt` is null or the run was not found to have ended. */
  readonly maxElapsed: number | null;
}

/** The default timeout is the maximum run time plus this time, in ms. */
const RESULT_GRACE_MS = 60_000;

/** Returns the maximum run time in ms, including setup and teardown, but without delays of the service. */
function maxRunTime(spec: RunnableTest['spec']): number {
  return maxLoadTime(paceOf(spec)) + phaseTimeOf(spec);
}

/**
 * Waits until a run has ended and its result is available. Also returns after the timeout or a signal, or if the test
 * or its results no longer exist.
 * @throws CallError if the service remains unreachable or rejects the key.
 */
export async function awaitRun(
  run: RunToFollow,
  context: ApplyContext,
  interrupted: AbortSignal,
): Promise<FollowedRun> {
  const { spec } = run.test;
  const { clock, settle } = context;
  const start = clock.monotonic();
  const longestInterval = Math.min(5000, Math.max(500, spec.duration / 10));
  const timeout = run.timeout ?? maxRunTime(spec) + RESULT_GRACE_MS;
  let interval = 200;
  let isStatusCurrent = !run.isRerun;
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
  let hasRun = false;
  let hadResults = run.priorResults.length > 0 || hasGivenResults(context.journal.lines());
  /** Monotonic time since which each state has been observed; null for other states. */
  const since: Record<'ended' | 'missing' | 'resultless', number | null> = {
    ended: null,
    missing: null,
    resultless: null,
  };
  const hasLasted = (from: number | null) => from !== null && clock.monotonic() - from >= settle;
  for (;;) {
    const elapsed = clock.monotonic() - start;
    let hasProgress = false;
    let requestedPause = 0;
    const bounds = { within: Math.max(0, timeout - elapsed) };
    const unlessInterrupted = <T>(reading: Promise<T>) => untilInterrupted(reading, { context, interrupted });
    try {
      const response = await unlessInterrupted(context.service.getTest(run.id, bounds));
      if (response === INTERRUPTED) return { ...last, kind: 'interrupted' };
      const { test, progress } = response;
      hasProgress = progress !== null;
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
      isStatusCurrent ||= state === 'running';
      hasRun ||= state === 'running';
      since.ended = state === 'running' || !hasRun ? null : (since.ended ?? clock.monotonic());
      if (!isStoppable(state)) {
        const found = await unlessInterrupted(readRunResult(run, context, bounds));
        if (found === INTERRUPTED) return { ...last, kind: 'interrupted' };
        hadResults ||= found.isListed;
        since.resultless = found.hasResults ? null : (since.resultless ?? clock.monotonic());
        const maxElapsed = run.sentAt === null ? null : (since.ended ?? clock.monotonic()) - run.sentAt;
        last = { ...last, ...found, hasResults: found.hasResults || hadResults, maxElapsed };
        if (hadResults && hasLasted(since.resultless)) return { ...last, kind: 'resultless' };
        // Without results, only the status shows the end of a run. The status may still describe the previous run.
        const endedByStatus = state === 'ended' && (isStatusCurrent || elapsed >= spec.duration);
        if (last.hasResults ? last.result?.status === 'ready' : endedByStatus) {
          return { ...last, kind: 'ended' };
        }
      }
      since.missing = null;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // A single 404 response does not prove that the test is gone.
      since.missing = error.status === 404 ? (since.missing ?? clock.monotonic()) : null;
      if (hasLasted(since.missing)) return { ...last, kind: 'vanished' };
      if (isKeyRefusal(error) || (since.missing === null && elapsed > timeout)) throw error;
      requestedPause = Math.min(error.retryAfter ?? 0, bounds.within);
    }
    if (interrupted.aborted) return { ...last, kind: 'interrupted' };
    const isUncertain = since.missing !== null || (since.resultless !== null && hadResults);
    if (elapsed > timeout && !isUncertain) return { ...last, kind: 'timeout' };
    const pause = Math.max(interval * (0.8 + 0.4 * context.clock.random()), requestedPause);
    await context.clock.sleep(isUncertain ? pause : Math.min(pause, bounds.within + 1), interrupted);
    interval = Math.min(hasProgress ? 1000 : longestInterval, interval * 1.5);
  }
}

const INTERRUPTED = Symbol('interrupted');

/** Maximum duration of a read after a signal, in ms. */
const FINAL_READ_MS = 1000;

/** Returns the result of a read; INTERRUPTED if the read takes longer than FINAL_READ_MS after a signal. */
async function untilInterrupted<T>(
  reading: Promise<T>,
  {
    context,
    interrupted,
  }: { readonly context: Pick<ApplyContext, 'clock'>; readonly interrupted: AbortSignal },
): Promise<T | typeof INTERRUPTED> {
  if (interrupted.aborted) return await reading;
  // Prevents an unhandled rejection if the read is abandoned.
  reading.catch(() => undefined);
  let onSignal = (): void => undefined;
  const interruption = new Promise<typeof INTERRUPTED>((resolve) => {
    onSignal = () => void context.clock.sleep(FINAL_READ_MS).then(() => resolve(INTERRUPTED));
    interrupted.addEventListener('abort', onSignal);
  });
  try {
    return await Promise.race([reading, interruption]);
  } finally {
    interrupted.removeEventListener('abort', onSignal);
  }
}

interface RunResultReading extends Pick<FollowedRun, 'resultId' | 'result' | 'hasResults'> {
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
  // Thresholds may need fields that lists omit.
  const isPartial = result?.status === 'ready' && needsFullRecord(run.test);
  const full = isPartial ? await context.service.getResult(run.id, result.id, bounds) : null;
  return {
    resultId: result?.id ?? run.resultId,
    result: full ?? result,
    hasResults: true,
    isListed: results.length > 0,
  };
}

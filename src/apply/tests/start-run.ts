/**
 * Starts a run of an existing test. The journal helps to avoid duplicate runs.
 * @see docs/internals/reconciler.md, section 4.1
 */
import { CallError } from '../../core/call-error.ts';
import type { Address, ResultId, TestId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import type { StartedRun } from '../../core/ports/service-port.ts';
import { stateOf } from '../../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../../core/problem.ts';
import type { Phase, StartLine } from '../uncertainty/journal.ts';
import { pollUntilSettled, readExisting } from '../uncertainty/lookups.ts';
import { isKeyRefusal, sendOnce, throwIfInterrupted, type WriteOutcome } from '../uncertainty/sending.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface StartOutcome {
  readonly resultId: ResultId | null;
  /** IDs of the results of earlier runs. */
  readonly priorResults: readonly ResultId[];
  /** IDs of the results before the start request; null if the service does not provide results. */
  readonly knownResults: readonly ResultId[] | null;
  /** False if a run was already in progress. */
  readonly startedByUs: boolean;
  /**
   * Monotonic time immediately before the request; null if this command did not start the run or the outcome of the
   * request was unknown.
   */
  readonly sentAt: number | null;
  /** Problem of the last journal write, after which the run continues nevertheless; null if the write succeeded. */
  readonly journalProblem: Problem | null;
}

/**
 * Starts a run, unless one is in progress.
 * @throws CallError with outcome `refused` or `not_sent`, or ProblemError LT_CLI_DISK or LT_CLI_INTERRUPTED if the run
 * was not started; ProblemError LT_API_UNKNOWN if it may have been started.
 */
export async function startRun(
  test: ObservedTest,
  address: Address,
  context: ApplyContext,
): Promise<StartOutcome> {
  const results = await readExisting(() => context.service.listResults(test.id), context);
  const before = results === null ? null : results.map((result) => result.id);
  const { service, p, e } = context.journal.identity;
  const nonce = context.nonce();
  const line = (phase: Phase): StartLine => ({
    op: 'start',
    service,
    p,
    e,
    address,
    id: test.id,
    before,
    nonce,
    phase,
    at: context.clock.now(),
    up: context.clock.monotonic(),
  });
  context.journal.write(line('intended'));
  const current = await readExisting(() => findCurrentRun(test.id, results, context), context);
  if (current !== null) {
    return {
      ...current,
      knownResults: before,
      startedByUs: false,
      sentAt: null,
      journalProblem: context.journal.writeOutcome(line('done')),
    };
  }
  throwIfInterrupted(context);
  context.journal.write(line('sent'));
  const sentAt = context.clock.monotonic();
  let sent: WriteOutcome<StartedRun>;
  try {
    sent = await sendOnce((isRetry) => {
      if (isRetry) context.journal.writeOutcome(line('sent'));
      return context.service.runTest(test.id, nonce);
    }, context);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const journalProblem = context.journal.writeOutcome(line('refused'));
    const running = await findRunAfterRefusal(test.id, error, context);
    if (running === null) throw error;
    return { ...running, knownResults: before, startedByUs: false, sentAt: null, journalProblem };
  }
  const run =
    sent.kind === 'done'
      ? sent.value
      : await pollUntilSettled(() => findRunEvidence(test.id, before, context), context);
  if (run === null) throw unknownStartOutcome(address, sent.kind === 'doubt' ? sent.error : null);
  return {
    resultId: run.resultId,
    priorResults: before ?? [],
    knownResults: before,
    startedByUs: true,
    sentAt: sent.kind === 'done' ? sentAt : null,
    journalProblem: context.journal.writeOutcome(line('done')),
  };
}

async function findCurrentRun(
  id: TestId,
  results: readonly RunResult[] | null,
  context: ApplyContext,
): Promise<Pick<StartOutcome, 'resultId' | 'priorResults'> | null> {
  const { test } = await context.service.getTest(id);
  const state = stateOf(test, context.clock.now());
  const unready = results?.find((result) => result.status === 'not_ready') ?? null;
  const isRunning = state === 'running' || (state === 'unspecified' && unready !== null);
  if (!isRunning) return null;
  const priorResults = (results ?? []).filter((result) => result !== unready).map((result) => result.id);
  return { resultId: unready?.id ?? null, priorResults };
}

/** Searches for a run in progress, which may be the reason for the refusal. */
async function findRunAfterRefusal(
  id: TestId,
  refusal: CallError,
  context: ApplyContext,
): Promise<Pick<StartOutcome, 'resultId' | 'priorResults'> | null> {
  if (refusal.outcome !== 'refused' || isKeyRefusal(refusal)) return null;
  try {
    return await findCurrentRun(id, await context.service.listResults(id), context);
  } catch (error) {
    if (error instanceof CallError) return null;
    throw error;
  }
}

/**
 * Searches for a new result or a running test as evidence of a start. Returns null if there is none.
 * @throws CallError
 */
export async function findRunEvidence(
  id: TestId,
  before: readonly ResultId[] | null,
  context: Pick<ApplyContext, 'service' | 'clock'>,
): Promise<{ readonly resultId: ResultId | null } | null> {
  if (before !== null) {
    const found = findNewResult((await context.service.listResults(id)) ?? [], before);
    if (found !== undefined) return { resultId: found.id };
  }
  const { test } = await context.service.getTest(id);
  return stateOf(test, context.clock.now()) === 'running' ? { resultId: null } : null;
}

export function findNewResult(
  results: readonly RunResult[],
  before: readonly ResultId[],
): RunResult | undefined {
  return results.find((result) => !before.includes(result.id));
}

function unknownStartOutcome(address: Address, error: CallError | null): ProblemError {
  const reason = error === null ? '' : `: ${error.problem.message}`;
  return new ProblemError(
    problem('LT_API_UNKNOWN', `the outcome of starting ${address} is unknown${reason}`, {
      hint: 'run apply again; it searches for the run before it sends a request',
    }),
  );
}

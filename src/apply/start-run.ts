/**
 * Starts a run of a test that is there, once.
 *
 * Source: docs/internals/reconciler.md, section 4.1.
 */
import { CallError } from '../core/call-error.ts';
import type { Address, ResultId, TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run-result.ts';
import type { StartedRun } from '../core/ports/service-port.ts';
import { stateOf } from '../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import type { Phase, StartLine } from './journal.ts';
import {
  pollUntilSettled,
  readExisting,
  isKeyRefusal,
  sendOnce,
  throwIfInterrupted,
  type WriteOutcome,
} from './write-retry.ts';
import type { ApplyContext } from './apply-context.ts';

export interface StartOutcome {
  readonly resultId: ResultId | null;
  /** Results that were there before the run. */
  readonly priorResults: readonly ResultId[];
  /** The same; null where the service has none to list. */
  readonly knownResults: readonly ResultId[] | null;
  /** False when somebody else had started it in the meantime: then that run is the run. */
  readonly startedByUs: boolean;
  /** Before it was sent, by the monotonic clock; null: by somebody else, or nobody saw when it was executed. */
  readonly sentAt: number | null;
  /** The disk refused the journal's last line; the run goes on all the same. */
  readonly journalProblem: Problem | null;
}

/**
 * Errors: CallError `refused` or `not_sent`, or ProblemError LT_CLI_DISK and LT_CLI_INTERRUPTED: not started.
 *         ProblemError LT_API_UNKNOWN: perhaps started.
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
  const going = await readExisting(() => findCurrentRun(test.id, results, context), context);
  if (going !== null) {
    return {
      ...going,
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
    sent = await sendOnce((again) => {
      // What the service may do late counts from the last try.
      if (again) context.journal.writeOutcome(line('sent'));
      return context.service.runTest(test.id, nonce);
    }, context);
  } catch (error) {
    // Whatever else went wrong says nothing of the request: it stays open.
    if (!(error instanceof CallError)) throw error;
    const journalProblem = context.journal.writeOutcome(line('refused'));
    const running = await findRunAfterRefusal(test.id, error, context);
    if (running === null) throw error;
    return { ...running, knownResults: before, startedByUs: false, sentAt: null, journalProblem };
  }
  const run =
    sent.kind === 'answer'
      ? sent.value
      : await pollUntilSettled(() => findRunEvidence(test.id, before, context), context);
  if (run === null) throw unknownStartOutcome(address, sent.kind === 'doubt' ? sent.error : null);
  return {
    resultId: run.resultId,
    priorResults: before ?? [],
    knownResults: before,
    startedByUs: true,
    sentAt: sent.kind === 'answer' ? sentAt : null,
    journalProblem: context.journal.writeOutcome(line('done')),
  };
}

/** The run that goes on already; null when there is none. */
async function findCurrentRun(
  id: TestId,
  results: readonly RunResult[] | null,
  context: ApplyContext,
): Promise<Pick<StartOutcome, 'resultId' | 'priorResults'> | null> {
  const { test } = await context.service.getTest(id);
  const state = stateOf(test, context.clock.now());
  const unready = results?.find((result) => result.status === 'not_ready') ?? null;
  const going = state === 'running' || (state === 'unspecified' && unready !== null);
  if (!going) return null;
  const priorResults = (results ?? []).filter((result) => result !== unready).map((result) => result.id);
  return { resultId: unready?.id ?? null, priorResults };
}

/** A start is refused while the test runs: then that run is the run. Null: there is none, as far as can be seen. */
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

/** What shows that a run was started: a result that was not there, or a status. Errors: CallError. */
export async function findRunEvidence(
  id: TestId,
  before: readonly ResultId[] | null,
  context: Pick<ApplyContext, 'service' | 'clock'>,
): Promise<{ readonly resultId: ResultId | null } | null> {
  if (before !== null) {
    const fresh = findNewResult((await context.service.listResults(id)) ?? [], before);
    if (fresh !== undefined) return { resultId: fresh.id };
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
      hint: 'run apply again; it looks for the run before sending anything',
    }),
  );
}

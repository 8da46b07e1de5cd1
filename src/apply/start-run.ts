/**
 * Starts a run of a test that is there, once.
 *
 * Source: docs/design/reconciler.md, section 4.1, last paragraphs.
 */
import { CallError } from '../core/call-error.ts';
import type { Address, ResultId, TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run.ts';
import type { StartedRun } from '../core/ports/service-port.ts';
import { stateOf } from '../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import type { Phase, StartLine } from './journal.ts';
import {
  lookThroughSettle,
  readSeen,
  refusesKey,
  sendOnce,
  throwIfInterrupted,
  type Sent,
} from './sending.ts';
import type { World } from './world.ts';

export interface Started {
  readonly resultId: ResultId | null;
  /** Results that were there before the run. */
  readonly before: readonly ResultId[];
  /** The same; null where the service has none to list. */
  readonly known: readonly ResultId[] | null;
  /** False when somebody else had started it in the meantime: then that run is the run. */
  readonly byUs: boolean;
  /** Before it was sent, by the monotonic clock; null: by somebody else, or nobody saw when it was executed. */
  readonly sentAt: number | null;
  /** The disk refused the journal's last line; the run goes on all the same. */
  readonly unwritten: Problem | null;
}

/**
 * Errors: CallError `refused` or `not_sent`, or ProblemError LT_CLI_DISK and LT_CLI_INTERRUPTED: not started.
 *         ProblemError LT_API_UNKNOWN: perhaps started.
 */
export async function startRun(test: ObservedTest, address: Address, world: World): Promise<Started> {
  const results = await readSeen(() => world.service.listResults(test.id), world);
  const before = results === null ? null : results.map((result) => result.id);
  const { service, p, e } = world.journal.identity;
  const nonce = world.nonce();
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
    at: world.clock.now(),
    up: world.clock.monotonic(),
  });
  world.journal.write(line('intended'));
  const going = await readSeen(() => currentRun(test.id, results, world), world);
  if (going !== null) {
    return {
      ...going,
      known: before,
      byUs: false,
      sentAt: null,
      unwritten: world.journal.writeOutcome(line('done')),
    };
  }
  throwIfInterrupted(world);
  world.journal.write(line('sent'));
  const sentAt = world.clock.monotonic();
  let sent: Sent<StartedRun>;
  try {
    sent = await sendOnce((again) => {
      // What the service may do late counts from the last try.
      if (again) world.journal.writeOutcome(line('sent'));
      return world.service.runTest(test.id, nonce);
    }, world);
  } catch (error) {
    // Whatever else went wrong says nothing of the request: it stays open.
    if (!(error instanceof CallError)) throw error;
    const unwritten = world.journal.writeOutcome(line('refused'));
    const running = await runAfterRefusal(test.id, error, world);
    if (running === null) throw error;
    return { ...running, known: before, byUs: false, sentAt: null, unwritten };
  }
  const run =
    sent.kind === 'answer'
      ? sent.value
      : await lookThroughSettle(() => evidenceOfRun(test.id, before, world), world);
  if (run === null) throw unknownOutcome(address, sent.kind === 'doubt' ? sent.error : null);
  return {
    resultId: run.resultId,
    before: before ?? [],
    known: before,
    byUs: true,
    sentAt: sent.kind === 'answer' ? sentAt : null,
    unwritten: world.journal.writeOutcome(line('done')),
  };
}

/** The run that goes on already; null when there is none. */
async function currentRun(
  id: TestId,
  results: readonly RunResult[] | null,
  world: World,
): Promise<Pick<Started, 'resultId' | 'before'> | null> {
  const { test } = await world.service.getTest(id);
  const state = stateOf(test, world.clock.now());
  const unready = results?.find((result) => result.status === 'not_ready') ?? null;
  const going = state === 'running' || (state === 'unspecified' && unready !== null);
  if (!going) return null;
  const before = (results ?? []).filter((result) => result !== unready).map((result) => result.id);
  return { resultId: unready?.id ?? null, before };
}

/** A start is refused while the test runs: then that run is the run. Null: there is none, as far as can be seen. */
async function runAfterRefusal(
  id: TestId,
  refusal: CallError,
  world: World,
): Promise<Pick<Started, 'resultId' | 'before'> | null> {
  if (refusal.outcome !== 'refused' || refusesKey(refusal)) return null;
  try {
    return await currentRun(id, await world.service.listResults(id), world);
  } catch (error) {
    if (error instanceof CallError) return null;
    throw error;
  }
}

/** What shows that a run was started: a result that was not there, or a status. Errors: CallError. */
export async function evidenceOfRun(
  id: TestId,
  before: readonly ResultId[] | null,
  world: Pick<World, 'service' | 'clock'>,
): Promise<{ readonly resultId: ResultId | null } | null> {
  if (before !== null) {
    const fresh = newResult((await world.service.listResults(id)) ?? [], before);
    if (fresh !== undefined) return { resultId: fresh.id };
  }
  const { test } = await world.service.getTest(id);
  return stateOf(test, world.clock.now()) === 'running' ? { resultId: null } : null;
}

export function newResult(results: readonly RunResult[], before: readonly ResultId[]): RunResult | undefined {
  return results.find((result) => !before.includes(result.id));
}

function unknownOutcome(address: Address, error: CallError | null): ProblemError {
  const reason = error === null ? '' : `: ${error.problem.message}`;
  return new ProblemError(
    problem('LT_API_UNKNOWN', `the outcome of starting ${address} is unknown${reason}`, {
      hint: 'run apply again; it looks for the run before sending anything',
    }),
  );
}

/**
 * Starts a run of a test that is there, once.
 *
 * Source: the reconciler's design, section 4.1, last paragraphs.
 */
import { CallError } from '../core/call-error.ts';
import type { ResultId, TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run.ts';
import { stateOf } from '../core/model/test-state.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { Address } from '../core/model/ids.ts';
import { backOff } from './create-test.ts';
import type { Phase, StartLine } from './journal.ts';
import type { World } from './world.ts';

export interface Started {
  readonly resultId: ResultId | null;
  /** Results that were there before the run. */
  readonly before: readonly ResultId[];
}

const TRIES = 4;

/** Errors: CallError `refused` or `not_sent`: not started. ProblemError LT_API_UNKNOWN: perhaps started. */
export async function startRun(test: ObservedTest, address: Address, world: World): Promise<Started> {
  const results = await world.service.listResults(test.id);
  const before = results === null ? null : results.map((result) => result.id);
  const nonce = world.nonce();
  const { service, p, e } = world.journal.identity;
  const write = (phase: Phase) => {
    const line: StartLine = {
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
    };
    world.journal.write(line);
  };
  write('intended');
  write('sent');
  for (let attempt = 1; ; attempt++) {
    try {
      const started = await world.service.runTest(test.id, nonce);
      write('done');
      return { resultId: started.resultId, before: before ?? [] };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const repeatable =
        error.outcome === 'not_sent' || (error.outcome === 'unknown' && world.service.honoursIdempotency());
      if (repeatable && attempt < TRIES && !world.interrupted.aborted) {
        await world.clock.sleep(backOff(attempt, world), world.interrupted);
        continue;
      }
      if (error.outcome !== 'unknown') {
        write('refused');
        throw error;
      }
      const found = await lookForRun(test.id, before, world);
      if (found === 'not found') throw unknownOutcome(address, error);
      write('done');
      return { resultId: found, before: before ?? [] };
    }
  }
}

/** The new result's id; null where only the status shows that a run goes on. */
async function lookForRun(
  id: TestId,
  before: readonly ResultId[] | null,
  world: World,
): Promise<ResultId | null | 'not found'> {
  const deadline = world.clock.now() + world.settle;
  for (let attempt = 1; ; attempt++) {
    const seen = await evidenceOfRun(id, before, world);
    if (seen !== 'none') return seen;
    const left = deadline - world.clock.now();
    if (left <= 0 || world.interrupted.aborted) return 'not found';
    await world.clock.sleep(Math.min(left, backOff(attempt, world)), world.interrupted);
  }
}

/** What shows that a run was started: a result that was not there, or a status. Errors: CallError. */
export async function evidenceOfRun(
  id: TestId,
  before: readonly ResultId[] | null,
  world: Pick<World, 'service' | 'clock'>,
): Promise<ResultId | null | 'none'> {
  if (before !== null) {
    const results = await world.service.listResults(id);
    const fresh = newResult(results ?? [], before);
    if (fresh !== undefined) return fresh.id;
  }
  const { test } = await world.service.getTest(id);
  return stateOf(test, world.clock.now()) === 'running' ? null : 'none';
}

export function newResult(results: readonly RunResult[], before: readonly ResultId[]): RunResult | undefined {
  return results.find((result) => !before.includes(result.id));
}

function unknownOutcome(address: Address, error: CallError): ProblemError {
  return new ProblemError(
    problem(
      'LT_API_UNKNOWN',
      `it is not known whether a run of ${address} was started: ${error.problem.message}`,
      {
        hint: 'run apply again; it looks for the run before it sends anything',
      },
    ),
  );
}

/** Stops a test and waits until the service says so: a stop is asynchronous. */
import { CallError } from '../core/call-error.ts';
import type { ResultId, TestId } from '../core/model/ids.ts';
import { isArmed, stateOf, type TestState } from '../core/model/test-state.ts';
import type { ReadBounds } from '../core/ports/service-port.ts';
import { sendOrThrow, type Decision } from './sending.ts';
import type { World } from './world.ts';

/** What is to be stopped. */
export interface Stoppable {
  readonly id: TestId;
  /** The run that is meant; none: whichever goes on. */
  readonly resultId?: ResultId | null;
}

/**
 * Gives the state it was last seen in: `running` or `scheduled` when it did not stop within the patience (ms).
 *
 * Errors: CallError. Works after an interruption too: stopping is what an interruption asks for.
 */
export async function stopTest(
  what: Stoppable,
  world: Pick<World, 'service' | 'clock'>,
  patience: number,
): Promise<TestState> {
  const deadline = world.clock.now() + patience;
  await sendStop(what, world, patience);
  for (let interval = 100; ; interval = Math.min(2000, interval * 2)) {
    const state = await stateNow(what.id, world, deadline - world.clock.now());
    if (!isArmed(state) || world.clock.now() >= deadline) return state;
    await world.clock.sleep(interval);
  }
}

/** Sent again only while that run is still going: the next one may belong to someone else. Errors: CallError. */
async function sendStop(
  what: Stoppable,
  world: Pick<World, 'service' | 'clock'>,
  patience: number,
): Promise<void> {
  const decide = async (error: CallError): Promise<Decision<void>> => {
    // A refused stop may mean that it has stopped already: its status tells.
    if (error.outcome === 'refused' && !error.passing) return { done: undefined };
    if (error.outcome === 'not_sent' && !error.passing) return 'end';
    const goesOn = await isGoingOn(what, world, patience).catch(() => {
      // What went wrong with stopping says more than what went wrong with looking.
      throw error;
    });
    return goesOn ? 'again' : { done: undefined };
  };
  const send = async () => {
    await world.service.stopTest(what.id);
  };
  await sendOrThrow({ send, decide, interrupted: null, patience }, world.clock);
}

async function isGoingOn(
  { id, resultId }: Stoppable,
  world: Pick<World, 'service' | 'clock'>,
  patience: number,
): Promise<boolean> {
  const state = await stateNow(id, world, patience);
  if (!isArmed(state)) return false;
  const result = resultId == null ? null : await world.service.getResult(id, resultId, boundsOf(patience));
  return result?.status !== 'ready';
}

/** A test that is gone has ended. */
async function stateNow(
  id: TestId,
  world: Pick<World, 'service' | 'clock'>,
  patience: number,
): Promise<TestState> {
  try {
    const { test } = await world.service.getTest(id, boundsOf(patience));
    return stateOf(test, world.clock.now());
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return 'ended';
    throw error;
  }
}

function boundsOf(patience: number): ReadBounds {
  return { within: Math.max(0, patience) };
}

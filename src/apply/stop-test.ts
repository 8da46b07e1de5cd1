/** Stops a test and waits until the service says so: a stop is asynchronous. */
import { CallError } from '../core/call-error.ts';
import type { TestId } from '../core/model/ids.ts';
import { isArmed, stateOf, type TestState } from '../core/model/test-state.ts';
import type { World } from './world.ts';

const TRIES = 3;

/**
 * Gives the state it was last seen in: `running` or `scheduled` when it did not stop within the patience (ms).
 *
 * Errors: CallError. Works after an interruption too: stopping is what an interruption asks for.
 */
export async function stopTest(
  id: TestId,
  world: Pick<World, 'service' | 'clock'>,
  patience: number,
): Promise<TestState> {
  for (let attempt = 1; ; attempt++) {
    try {
      await world.service.stopTest(id);
      break;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // A refused stop may mean that it has stopped already: its status tells.
      if (error.outcome === 'refused') break;
      if (attempt === TRIES) throw error;
    }
  }
  const deadline = world.clock.now() + patience;
  for (let interval = 100; ; interval = Math.min(2000, interval * 2)) {
    const state = await stateNow(id, world);
    if (!isArmed(state) || world.clock.now() >= deadline) return state;
    await world.clock.sleep(interval);
  }
}

/** A test that is gone has ended. */
async function stateNow(id: TestId, world: Pick<World, 'service' | 'clock'>): Promise<TestState> {
  try {
    const { test } = await world.service.getTest(id);
    return stateOf(test, world.clock.now());
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return 'ended';
    throw error;
  }
}

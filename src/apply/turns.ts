/** Splits long computations into several turns of the event loop. */
import type { Steps } from '../core/steps.ts';

/**
 * Performs each step in a separate turn, so that signals and requests are processed between steps. If there
 * are several steps, the caller also continues in a new turn.
 */
export async function performInTurns<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  if (step.done === true) return step.value;
  for (;;) {
    await nextTurn();
    if (step.done === true) return step.value;
    step = steps.next();
  }
}

/** Waits for the next turn of the event loop. Pending signals are processed during the wait. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Execution of long computations in several turns of the event loop. */
import type { Steps } from '../core/steps.ts';

/** Performs each step in a separate turn, so that signals and requests are processed between steps. */
export async function performInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Long computations, divided among turns of the event loop. */
import type { Steps } from '../core/steps.ts';

/** Performs each step in a turn of its own, so that signals and requests are processed in between. */
export async function performInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

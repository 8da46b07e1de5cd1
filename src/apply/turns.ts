import type { Steps } from '../core/steps.ts';

/** Performs each step in a separate turn, so that signals and I/O are processed between steps. */
export async function performInTurns<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  if (step.done === true) return step.value;
  for (;;) {
    await nextTurn();
    if (step.done === true) return step.value;
    step = steps.next();
  }
}

export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

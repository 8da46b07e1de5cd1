/**
 * Long computations in steps. The core layer does not use the event loop, so the caller decides what to do between
 * steps, such as processing signals.
 */

/** A computation that pauses after each step. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Reports whether a step ends before the list member at an index. */
export function isStepEnd(index: number): boolean {
  return index > 0 && index % MEMBERS_PER_STEP === 0;
}

export const MEMBERS_PER_STEP = 2048;

export function performSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

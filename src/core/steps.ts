/**
 * Long computations in steps, between which a command can process signals. The core layer has no event loop,
 * so its callers decide what happens between two steps.
 */

/** A computation that pauses after each step. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Reports whether a step ends before the member of a long list with this index. */
export function isStepEnd(index: number): boolean {
  return index > 0 && index % MEMBERS_PER_STEP === 0;
}

const MEMBERS_PER_STEP = 4096;

/** Performs all steps without a pause. */
export function performSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

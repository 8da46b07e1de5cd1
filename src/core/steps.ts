/** Long computations in steps, between which the caller can use the event loop. */

export type Steps<T> = Generator<undefined, T, undefined>;

/** Reports whether a step ends before the list element at an index. */
export function isStepEnd(index: number): boolean {
  return index > 0 && index % MEMBERS_PER_STEP === 0;
}

/** Number of list elements per step, so that a step takes a few milliseconds. */
export const MEMBERS_PER_STEP = 512;

export function performSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** What is said of a thread: from when on it stood still, and from when on it was too busy. */

/** A second of a thread is calm at one of these if none of its ticks was later than that, in ms. */
export const STALL_TOLERANCES = [2, 10, 50, 250] as const;

export type StallTolerance = (typeof STALL_TOLERANCES)[number];

/** The largest step within a tenth of a time in ms; the least one where that is too much already. */
export function stallToleranceFor(ms: number): StallTolerance {
  return STALL_TOLERANCES.findLast((step) => step <= ms / 10) ?? STALL_TOLERANCES[0];
}

/** A thread that has something to do for more than this share of its time could not have made more requests. */
export const BUSY_THRESHOLD = 0.95;

/** Limits from which a thread counts as stalled or as saturated. */

/**
 * Stall tolerances in ms. A second of a thread is stall-free at a tolerance if none of its ticks was later
 * than that.
 */
export const STALL_TOLERANCES = [2, 10, 50, 250] as const;

export type StallTolerance = (typeof STALL_TOLERANCES)[number];

/**
 * Returns the largest tolerance within a tenth of a time in ms, or the smallest tolerance if all are larger.
 */
export function stallToleranceFor(ms: number): StallTolerance {
  return STALL_TOLERANCES.findLast((tolerance) => tolerance <= ms / 10) ?? STALL_TOLERANCES[0];
}

/** A thread that is busy for a larger fraction of its time could not have sent more requests. */
export const BUSY_THRESHOLD = 0.95;

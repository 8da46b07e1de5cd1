/** Limits above which a thread counts as stalled or saturated. */

/**
 * Stall tolerances in ms. A second of a thread is stall-free at a tolerance if no tick was delayed by more than the
 * tolerance.
 */
export const STALL_TOLERANCES = [2, 10, 50, 250] as const;

/** The tolerance that timers can reach without a stall. */
export const MIN_STALL_TOLERANCE = STALL_TOLERANCES[0];

export type StallTolerance = (typeof STALL_TOLERANCES)[number];

/**
 * Returns the largest tolerance that is at most a tenth of a time in ms, or the smallest tolerance if there is none.
 */
export function stallToleranceFor(ms: number): StallTolerance {
  return STALL_TOLERANCES.findLast((tolerance) => tolerance <= ms / 10) ?? STALL_TOLERANCES[0];
}

/** Fraction of time above which a busy thread counts as saturated: it could not have sent more requests. */
export const BUSY_THRESHOLD = 0.95;

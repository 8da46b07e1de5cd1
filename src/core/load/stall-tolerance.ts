/** Limits above which a thread counts as stalled or saturated. */

/**
 * Tolerances in ms. A second of a thread is stall-free at a tolerance if no tick was delayed by more than the
 * tolerance.
 */
export const STALL_TOLERANCES = [2, 10, 50, 250] as const;

export const MIN_STALL_TOLERANCE = STALL_TOLERANCES[0];

export type StallTolerance = (typeof STALL_TOLERANCES)[number];

/**
 * Returns the largest tolerance that is at most a tenth of a time in ms; if there is none, returns the smallest
 * tolerance.
 */
export function stallToleranceFor(ms: number): StallTolerance {
  return STALL_TOLERANCES.findLast((tolerance) => tolerance <= ms / 10) ?? STALL_TOLERANCES[0];
}

/** Utilization above which a thread counts as saturated, and may have been unable to send more requests. */
export const BUSY_THRESHOLD = 0.95;

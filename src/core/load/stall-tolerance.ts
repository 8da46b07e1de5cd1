/** Limits above which a thread counts as stalled or saturated. */

/** Tolerances in ms. A second of a thread is stall-free at a tolerance if no tick was delayed by more. */
export const STALL_TOLERANCES = [2, 10, 50, 250] as const;

/** The tolerance that timers meet unless there is a stall. */
export const MIN_STALL_TOLERANCE = STALL_TOLERANCES[0];

export type StallTolerance = (typeof STALL_TOLERANCES)[number];

/** Returns the largest tolerance of at most a tenth of a time in ms, or else the smallest tolerance. */
export function stallToleranceFor(ms: number): StallTolerance {
  return STALL_TOLERANCES.findLast((tolerance) => tolerance <= ms / 10) ?? STALL_TOLERANCES[0];
}

/** Utilization above which a thread counts as saturated, because it may have been unable to send more requests. */
export const BUSY_THRESHOLD = 0.95;

/** When errors end a run. */
import { milliseconds } from '../units.ts';

/** How often the rule is applied. */
export const CHECK_INTERVAL = milliseconds(100);

/** Fewer finished requests than this prove nothing. */
const MIN_FINISHED = 20;

/** Requests of a run that have ended so far. */
export interface RequestCounts {
  readonly finished: number;
  /** Of them. */
  readonly failed: number;
}

/**
 * Whether failures end the run: their share of all finished so far has reached the threshold.
 *
 * Units:  threshold in percent; 100 never ends a run, 0 ends it at the first failure that is judged.
 * Source: the API's `error_threshold`.
 */
export function reachesErrorThreshold(soFar: RequestCounts, threshold: number): boolean {
  if (threshold >= 100 || soFar.failed === 0 || soFar.finished < MIN_FINISHED) return false;
  return soFar.failed * 100 >= threshold * soFar.finished;
}

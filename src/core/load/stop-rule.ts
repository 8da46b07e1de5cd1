import { milliseconds } from '../units.ts';

export const CHECK_INTERVAL = milliseconds(100);

/**
 * Minimum number of finished requests before errors can end a run. The fraction of failures in fewer requests is not
 * significant.
 */
const MIN_FINISHED = 20;

export interface RequestCounts {
  readonly finished: number;
  readonly failed: number;
}

/**
 * Reports whether the fraction of failed requests has reached the threshold that ends the run.
 * @param threshold - a percentage; 100 disables the rule. With 0, one failure among at least `MIN_FINISHED` finished
 * requests is sufficient.
 * @see `error_threshold` of the API
 */
export function reachesErrorThreshold(soFar: RequestCounts, threshold: number): boolean {
  if (threshold >= 100 || soFar.failed === 0 || soFar.finished < MIN_FINISHED) return false;
  return soFar.failed * 100 >= threshold * soFar.finished;
}

import type { RunRecord } from './run-record.ts';

export type TimeoutContext = Pick<RunRecord, 'timeout' | 'metrics'>;

/**
 * Returns a lower bound, in ms, for a percentile or maximum that may be the time of a timed-out request; otherwise
 * null.
 */
export function timeoutBound(
  metric: string,
  value: number,
  { timeout, metrics }: TimeoutContext,
): number | null {
  if (!/^(?:p\d|max)/.test(metric)) return null;
  if (timeout === null || value < timeout || (metrics.timeout_error ?? 0) === 0) return null;
  // Requests are aborted late, and times are rounded. Therefore, a value of up to 1% plus 100 ms above the timeout
  // counts as the timeout.
  return value <= timeout * 1.01 + 100 ? timeout : value;
}

/** Lower bounds of times that may belong to requests that timed out. */
import type { RunRecord } from './run-record.ts';

/** The timeout of requests, and the number of requests that timed out. */
export type TimeoutContext = Pick<RunRecord, 'timeout' | 'metrics'>;

/**
 * Returns the lower bound of a time that may belong to a request that timed out, because its full duration is
 * unknown; otherwise null.
 */
export function timeoutBound(
  metric: string,
  value: number,
  { timeout, metrics }: TimeoutContext,
): number | null {
  if (!/^(?:p\d|max)/.test(metric)) return null;
  if (timeout === null || value < timeout || (metrics.timeout_error ?? 0) === 0) return null;
  // Requests are aborted at most 50 ms after the timeout.
  return value <= timeout * 1.01 + 100 ? timeout : value;
}

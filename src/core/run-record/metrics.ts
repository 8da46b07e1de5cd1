import type { Sample } from '../model/sample.ts';
import { ITERATION_METRICS, PERCENTILES, type ResultMetric } from '../model/threshold.ts';
import type { Times } from './run-record.ts';

export interface MetricSources {
  readonly success: number | null;
  readonly error: number | null;
  readonly timeoutError: number | null;
  readonly networkError: number | null;
  /** Number of finished requests; used only if one of the counts above is null. */
  readonly requests: number | null;
  /** Error rate in percent; used only if one of the counts above is null. */
  readonly errorRate: number | null;
  /** Number of omitted requests, which count as failed. */
  readonly omitted: number | null;
  readonly dataReceived: number | null;
  readonly requestsPerSecond: number | null;
  readonly statusCodes: Readonly<Record<string, number>> | null;
  /** Mean response time in ms. */
  readonly mean: number | null;
  readonly latency: Times | null;
  /** Null if unknown, or if each iteration was one request. */
  readonly iterations: {
    readonly completed: number | null;
    readonly failed: number | null;
    readonly withErrors: number | null;
    readonly durations: Times | null;
  } | null;
}

export function metricsOf(sources: MetricSources): Sample['metrics'] {
  const { success, error, timeoutError, networkError, omitted, latency, statusCodes } = sources;
  const metrics: Partial<Record<ResultMetric, number>> = {};
  const set = (metric: ResultMetric, value: number | null | undefined) => {
    if (value != null) metrics[metric] = value;
  };
  set('success', success);
  set('error', error);
  set('timeout_error', timeoutError);
  set('network_error', networkError);
  if (success === null || error === null || timeoutError === null || networkError === null) {
    const { requests, errorRate } = sources;
    set('requests', requests);
    set('error_rate', errorRate);
    set('success_rate', errorRate === null ? null : 100 - errorRate);
  } else {
    const requests = success + error + timeoutError + networkError;
    set('requests', requests);
    const expected = requests + (omitted ?? 0);
    if (expected > 0) {
      set('error_rate', (100 * (expected - success)) / expected);
      set('success_rate', (100 * success) / expected);
      if (statusCodes !== null)
        set('http_error_rate', (100 * (expected - countBelow400(statusCodes))) / expected);
    }
  }
  set('data_received', sources.dataReceived);
  set('requests_per_second', sources.requestsPerSecond);
  if ((metrics.requests ?? 1) > 0) set('avg_response_time', sources.mean);
  for (const metric of ['min', 'max', ...PERCENTILES] as const) set(metric, latency?.[metric]);
  if (sources.iterations !== null) {
    const { completed, failed, withErrors, durations } = sources.iterations;
    const ended = (completed ?? 0) + (failed ?? 0);
    const values: Readonly<Record<string, number | null | undefined>> = {
      ...durations,
      requests: completed,
      avg_response_time: durations?.mean,
      error_rate: withErrors === null || ended === 0 ? null : (100 * withErrors) / ended,
    };
    for (const [metric, ofRequests] of Object.entries(ITERATION_METRICS))
      set(metric as keyof typeof ITERATION_METRICS, values[ofRequests]); // The name is a key of the table.
  }
  return metrics;
}

function countBelow400(statusCodes: Readonly<Record<string, number>>): number {
  return Object.entries(statusCodes).reduce(
    (sum, [status, count]) => sum + (Number(status) < 400 ? count : 0),
    0,
  );
}

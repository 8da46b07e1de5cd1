/** One figure of a run, or of one of its URLs, with its ends. */
import type { Histogram } from './load/histogram.ts';
import type { Interval } from './load/run-report.ts';
import type { Sample } from './model/run-result.ts';
import { isResultMetric, shareOf, type Metric } from './model/threshold.ts';

export interface MetricValue {
  /** Null: the result does not have it. */
  readonly value: number | null;
  readonly bounds?: Interval | undefined;
}

export function metricValueOf(metric: Metric, sample: Sample | null): MetricValue {
  if (sample === null) return { value: null };
  const { metrics, bounds, times } = sample;
  if (isResultMetric(metric)) return { value: metrics[metric] ?? null, bounds: bounds?.[metric] };
  const value = percentileOf(metric, times?.measured);
  if (value === null || bounds === null) return { value };
  // A record of before tells no low end: it may be 0.
  const low = Math.min(value, percentileOf(metric, times?.minimum) ?? 0);
  return { value, bounds: { low, high: value } };
}

/** In ms. */
function percentileOf(metric: Metric, times: Histogram | null | undefined): number | null {
  const microseconds = times?.quantile(shareOf(metric) ?? 0) ?? null;
  return microseconds === null ? null : Math.round(microseconds) / 1000;
}

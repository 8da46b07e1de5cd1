/** The value of a metric in a run or in one of its URLs, with its bounds. */
import { storedQuantile } from '../load/histogram.ts';
import type { Interval, Sample, StoredHistogram } from '../model/sample.ts';
import { isResultMetric, requestMetricOf, shareOf, type Metric } from '../model/threshold.ts';

export interface MetricValue {
  /** Value of the metric; null if the result does not contain it. */
  readonly value: number | null;
  readonly bounds?: Interval | undefined;
}

export function metricValueOf(metric: Metric, sample: Sample | null): MetricValue {
  if (sample === null) return { value: null };
  const { metrics, bounds, iterations } = sample;
  const ofRequests = requestMetricOf(metric);
  if (ofRequests !== null && iterations?.areRequests === true) return metricValueOf(ofRequests, sample);
  if (isResultMetric(metric)) return { value: metrics[metric] ?? null, bounds: bounds?.[metric] };
  const times = ofRequests === null ? sample.times : iterations?.times;
  const value = percentileOf(metric, times?.measured);
  if (value === null || bounds === null) return { value };
  // Records of earlier versions have no lower bound, so a bound of 0 is used.
  const low = Math.min(value, percentileOf(metric, times?.minimum) ?? 0);
  return { value, bounds: { low, high: value } };
}

/** Returns a percentile of stored times, in ms. */
function percentileOf(metric: Metric, times: StoredHistogram | null | undefined): number | null {
  const microseconds = times == null ? null : storedQuantile(times, shareOf(metric) ?? 0);
  return microseconds === null ? null : Math.round(microseconds) / 1000;
}

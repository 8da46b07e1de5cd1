import { countUpTo, storedCount, storedQuantile } from '../load/histogram.ts';
import type { Interval, Sample, StoredHistogram } from '../model/sample.ts';
import { isResultMetric, requestMetricOf, shareOf, timeWithin, type Metric } from '../model/threshold.ts';

export interface MetricValue {
  /** Value of the metric; null if the sample is missing or does not contain the metric. */
  readonly value: number | null;
  readonly bounds?: Interval | undefined;
}

export function metricValueOf(metric: Metric, sample: Sample | null): MetricValue {
  if (sample === null) return { value: null };
  const within = timeWithin(metric);
  if (within !== null) return shareWithin(within, sample);
  const { metrics, bounds, iterations } = sample;
  const ofRequests = requestMetricOf(metric);
  if (ofRequests !== null && iterations?.areRequests === true) return metricValueOf(ofRequests, sample);
  if (isResultMetric(metric)) return { value: metrics[metric] ?? null, bounds: bounds?.[metric] };
  const times = ofRequests === null ? sample.times : iterations?.times;
  const value = percentileOf(metric, times?.measured);
  if (value === null || bounds === null) return { value };
  // Records of earlier versions and of third-party services may lack lower bounds.
  const low = Math.min(value, percentileOf(metric, times?.minimum) ?? 0);
  return { value, bounds: { low, high: value } };
}

/**
 * Returns the percentage of responses within a time in ms. The result has bounds if delays of the load generator or the
 * width of a histogram bucket make the percentage uncertain.
 */
function shareWithin(ms: number, { bounds, times }: Sample): MetricValue {
  const total = times === null ? 0 : storedCount(times.measured);
  if (times === null || total === 0) return { value: null };
  const { measured, minimum } = times;
  const percent = (count: number): number => (100 * count) / total;
  const counts = countUpTo(measured, 1000 * ms);
  const low = percent(counts.certain);
  // Delays of the load generator can only increase times, so the true percentage may be higher.
  const high =
    bounds === null
      ? percent(counts.possible)
      : minimum === null
        ? 100
        : percent(Math.max(counts.possible, countUpTo(minimum, 1000 * ms).possible));
  const value = percent(counts.probable);
  return low === high ? { value } : { value, bounds: { low, high } };
}

function percentileOf(metric: Metric, times: StoredHistogram | null | undefined): number | null {
  const microseconds = times == null ? null : storedQuantile(times, shareOf(metric) ?? 0);
  return microseconds === null ? null : Math.round(microseconds) / 1000;
}

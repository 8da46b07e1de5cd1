import { Histogram, storedCount } from '../load/histogram.ts';
import { latencySummary } from '../load/run-summary.ts';
import type { Bounds, Interval, Sample, StoredHistogram } from '../model/sample.ts';
import { isResultMetric, RESULT_METRICS, shareOf, type ResultMetric } from '../model/threshold.ts';
import { metricsOf } from '../run-record/metrics.ts';
import type { Counts, MeasurementRecord, RunRecord } from '../run-record/run-record.ts';
import { sumOf, sumOrNull } from '../sum.ts';

/** Returns the combined sample of a group of URLs; null if the record lacks a URL of the group. */
export function groupSampleOf(
  { urls }: Pick<RunRecord, 'urls'>,
  group: { readonly urls: readonly number[] },
): Sample | null {
  const parts = group.urls.flatMap((index) => urls?.[index] ?? []);
  return parts.length < group.urls.length || parts.length === 0 ? null : mergeSamples(parts);
}

/**
 * Merges the samples of several URLs. If a sample lacks a metric, the result also lacks this metric, unless a sample
 * without requests lacks a time.
 */
export function mergeSamples(parts: readonly MeasurementRecord[]): Sample {
  const total = (metric: ResultMetric) => sumOrNull(parts.map(({ metrics }) => metrics[metric] ?? null));
  const used = parts.filter(({ metrics }) => metrics.requests !== 0 || metrics.p50 !== undefined);
  const measured = mergeHistograms(used.map(({ times }) => times?.measured ?? null));
  const minimum = mergeHistograms(used.map(({ times }) => times?.minimum ?? null));
  const summary = measured && latencySummary(measured);
  const counts = {
    success: total('success'),
    error: total('error'),
    timeoutError: total('timeout_error'),
    networkError: total('network_error'),
    requests: total('requests'),
  };
  const stored = measured?.toStored() ?? null;
  return {
    metrics: metricsOf({
      ...counts,
      errorRate: null,
      omitted: sumOrNull(parts.map(({ omitted }) => omitted ?? 0)),
      dataReceived: total('data_received'),
      requestsPerSecond: total('requests_per_second'),
      statusCodes: mergeCounts(parts.map(({ statusCodes }) => statusCodes)),
      mean: summary?.mean ?? null,
      latency: summary,
      iterations: null,
    }),
    bounds: mergeBounds(parts, used, measured, minimum),
    times: stored && { measured: stored, minimum: minimum?.toStored() ?? null },
  };
}

/** Returns the sums of counts by name; null if one of the parts is null. */
function mergeCounts(parts: readonly (Counts | null)[]): Counts | null {
  const sums: Record<string, number> = {};
  for (const part of parts) {
    if (part === null) return null;
    for (const [name, count] of Object.entries(part)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** Returns null if a histogram is missing or invalid, or if there are no records. */
function mergeHistograms(parts: readonly (StoredHistogram | null)[]): Histogram | null {
  const merged = Histogram.createTotal();
  for (const part of parts) {
    const histogram = part && Histogram.fromStored(part);
    if (histogram === null) return null;
    merged.add(histogram);
  }
  return merged.count === 0 ? null : merged;
}

/**
 * Merges the bounds of several URLs. Sums counts, averages rates in proportion to the numbers of requests, and computes
 * percentiles from the merged histograms. Returns null if one of the URLs has no bounds.
 */
function mergeBounds(
  parts: readonly MeasurementRecord[],
  used: readonly MeasurementRecord[],
  measured: Histogram | null,
  minimum: Histogram | null,
): Bounds | null {
  if (parts.some(({ bounds }) => bounds === null)) return null;
  const boundsIn = (metric: ResultMetric, of: readonly MeasurementRecord[]) =>
    of.flatMap(({ bounds }) => bounds?.[metric] ?? []);
  const merged: Partial<Record<ResultMetric, Interval>> = {};
  for (const metric of Object.keys(RESULT_METRICS).filter(isResultMetric)) {
    const each = boundsIn(metric, RESULT_METRICS[metric] === 'count' ? parts : used);
    if (RESULT_METRICS[metric] === 'count') {
      if (each.length < parts.length) continue;
      merged[metric] = {
        low: sumOf(each.map(({ low }) => low)),
        high: sumOrNull(each.map(({ high }) => high)),
      };
    } else if (each.length < used.length || each.length === 0) continue;
    else if (RESULT_METRICS[metric] === 'rate') merged[metric] = meanOf(each, used.map(expectedRequests));
    else if (measured !== null)
      merged[metric] = timeBounds(metric, each, { measured, minimum, counts: used.map(timesIn) });
  }
  return merged;
}

/** Returns the number of finished and omitted requests, which is the denominator of rates. */
function expectedRequests({ metrics, omitted }: MeasurementRecord): number {
  return (metrics.requests ?? 0) + (omitted ?? 0);
}

function timesIn({ times }: MeasurementRecord): number {
  return times === null ? 0 : storedCount(times.measured);
}

function meanOf(intervals: readonly Interval[], weights: readonly number[]): Interval {
  const sum = sumOf(weights);
  const mean = (end: (interval: Interval) => number) =>
    sum === 0 ? 0 : sumOf(intervals.map((one, index) => end(one) * (weights[index] ?? 0))) / sum;
  return { low: mean(({ low }) => low), high: mean(({ low, high }) => high ?? low) };
}

function timeBounds(
  metric: ResultMetric,
  each: readonly Interval[],
  {
    measured,
    minimum,
    counts,
  }: { measured: Histogram; minimum: Histogram | null; counts: readonly number[] },
): Interval {
  const share = shareOf(metric);
  if (metric === 'avg_response_time') return meanOf(each, counts);
  const choose = metric === 'min' ? Math.min : Math.max;
  if (share === null)
    return {
      low: choose(...each.map(({ low }) => low)),
      high: choose(...each.map(({ low, high }) => high ?? low)),
    };
  const high = (measured.quantile(share) ?? 0) / 1000;
  return { low: Math.min(high, (minimum?.quantile(share) ?? 0) / 1000), high };
}

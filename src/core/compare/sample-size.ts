/**
 * Checks whether there are enough times for a verdict on a percentile, and whether the times prove a failure.
 * @see docs/internals/results.md, section 2
 */
import { countUpTo, rankOf, storedCount, storedMoments } from '../load/histogram.ts';
import { counted, withCommas } from '../counted.ts';
import { metricText } from '../model/metric-text.ts';
import type { Sample } from '../model/sample.ts';
import {
  isResultMetric,
  meetsCondition,
  percentileShareOf,
  requestMetricOf,
  RESULT_METRICS,
  requiredSamples,
  shareOf,
  timeWithin,
  type Metric,
  type ResultMetric,
  type Threshold,
} from '../model/threshold.ts';

/** Maximum probability that a target that meets a threshold appears to fail it. */
const SIGNIFICANCE = 0.01;

export interface SampleShortage {
  readonly samples: number;
  readonly required: number;
}

/** The times to which a threshold applies: response times or durations of iterations. */
interface TimesOfThreshold {
  readonly times: Sample['times'];
  /** Number of measured times; null if the sample does not contain it. */
  readonly samples: number | null;
  /** Metrics of these times. */
  readonly ofTimes: readonly ResultMetric[];
}

function timesFor(metric: Metric, { metrics, times, iterations }: Sample): TimesOfThreshold {
  const isOfIterations = requestMetricOf(metric) !== null && iterations?.areRequests !== true;
  const used = isOfIterations ? (iterations?.times ?? null) : times;
  const count = isOfIterations ? metrics.iterations : metrics.requests;
  return {
    times: used,
    samples: used === null ? (count ?? null) : storedCount(used.measured),
    ofTimes: Object.keys(RESULT_METRICS)
      .filter(isResultMetric)
      .filter((name) => (requestMetricOf(name) !== null) === isOfIterations),
  };
}

/**
 * Returns the measured and the required number of times if there are too few for a verdict; otherwise null. Also null
 * if the measured number is unknown, or if no number is required.
 */
export function shortageOf(threshold: Threshold, sample: Sample): SampleShortage | null {
  const [{ samples }, required] = [timesFor(threshold.metric, sample), requiredSamples(threshold)];
  return samples === null || required === null || samples >= required ? null : { samples, required };
}

/** Describes a shortage: `412 ms from 120 responses (at least 1,000 are needed)`. */
export function shortageText(metric: Metric, value: number, { samples, required }: SampleShortage): string {
  const what = requestMetricOf(metric) === null ? 'response' : 'iteration';
  return `${metricText(metric, value)} from ${counted(samples, what)} (at least ${withCommas(required)} are needed)`;
}

/**
 * Reports whether the measured times prove that a percentile fails its threshold. A target that meets the threshold
 * would probably cause fewer violations.
 * @param significance - see `SIGNIFICANCE`
 */
export function isProvenFailure(threshold: Threshold, sample: Sample, significance = SIGNIFICANCE): boolean {
  const share = percentileShareOf(threshold);
  const used = timesFor(threshold.metric, sample);
  const { samples } = used;
  if (share === null || samples === null) return false;
  const within = timeWithin(threshold.metric);
  const condition = within === null ? threshold : ({ operator: '<=', value: within } as const);
  const permitted = condition.operator.startsWith('<') ? 1 - share : share;
  return (
    binomialTail(samples, permitted, countMissing(condition, sample, { ...used, samples })) <= significance
  );
}

/**
 * Requirements for a proof that a mean violates a threshold: the number of measured times, and the distance from the
 * threshold in standard errors.
 */
const MIN_MEAN_SAMPLES = 100;
const MEAN_DISTANCE = 5;

export function isProvenMean(threshold: Threshold, sample: Sample): boolean {
  const { times } = timesFor(threshold.metric, sample);
  if (times === null) return false;
  const isUpper = threshold.operator.startsWith('<');
  const { count, mean, deviation } = storedMoments(
    isUpper ? (times.minimum ?? times.measured) : times.measured,
  );
  const distance = (mean / 1000 - threshold.value) * (isUpper ? 1 : -1);
  return count >= MIN_MEAN_SAMPLES && distance * 1000 > (MEAN_DISTANCE * deviation) / Math.sqrt(count);
}

/** Returns a lower bound of the number of times that do not meet a condition, whose value is in ms. */
function countMissing(
  condition: Pick<Threshold, 'operator' | 'value'>,
  { bounds, metrics }: Sample,
  { times, samples, ofTimes }: TimesOfThreshold & { readonly samples: number },
): number {
  const isUpper = condition.operator.startsWith('<');
  const microseconds = condition.value * 1000;
  if (times !== null) {
    if (!isUpper) return countUpTo(times.measured, microseconds - 1).certain;
    // Each time without delays of the load generator would be at least its lower bound.
    const minimum = bounds === null ? times.measured : times.minimum;
    return minimum === null ? 0 : samples - countUpTo(minimum, microseconds).possible;
  }
  const counts = ofTimes.map((metric) => {
    const fraction = shareOf(metric);
    const measured = metrics[metric];
    const value = isUpper && bounds !== null ? bounds[metric]?.low : measured;
    if (fraction === null || value === undefined || meetsCondition(value, condition)) return 0;
    const rank = rankOf(fraction, samples);
    return isUpper ? samples - rank + 1 : rank;
  });
  return Math.max(...counts);
}

/**
 * Returns the probability of at least `count` events in independent trials. Returns 1 if `count` does not exceed the
 * mean.
 */
export function binomialTail(trials: number, probability: number, count: number): number {
  if (count <= trials * probability) return 1;
  let logarithm = (trials - count) * Math.log1p(-probability) + count * Math.log(probability);
  for (let event = 1; event <= count; event++) logarithm += Math.log((trials - count + event) / event);
  let term = Math.exp(logarithm);
  let sum = 0;
  // Above the mean, the terms decrease, so the loop can stop at a negligible term.
  for (let events = count; events <= trials && term > sum * 1e-12; events++) {
    sum += term;
    term *= ((trials - events) / (events + 1)) * (probability / (1 - probability));
  }
  return sum;
}

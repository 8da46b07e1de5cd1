/** Thresholds on metrics of a result. */
import type { SourceRange } from '../source-location.ts';
import type { Milliseconds } from '../units.ts';
import { compareNumbers } from './comparison.ts';

/** Metrics that results contain by name, and the kind of each metric. Times are in ms, and rates in percent. */
export const RESULT_METRICS = {
  error_rate: 'rate',
  success_rate: 'rate',
  http_error_rate: 'rate',
  avg_response_time: 'time',
  min: 'time',
  max: 'time',
  p50: 'time',
  p75: 'time',
  p90: 'time',
  p95: 'time',
  p99: 'time',
  'p99.9': 'time',
  requests: 'count',
  requests_per_second: 'count',
  success: 'count',
  error: 'count',
  timeout_error: 'count',
  network_error: 'count',
  data_received: 'count',
  iterations: 'count',
  iteration_error_rate: 'rate',
  iteration_mean: 'time',
  iteration_max: 'time',
  iteration_p50: 'time',
  iteration_p75: 'time',
  iteration_p90: 'time',
  iteration_p95: 'time',
  iteration_p99: 'time',
  'iteration_p99.9': 'time',
} as const satisfies Readonly<Record<string, 'rate' | 'time' | 'count'>>;

export type ResultMetric = keyof typeof RESULT_METRICS;

/** The percentiles that results contain by name. */
export const PERCENTILES = ['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'] as const;

export type NamedPercentile = (typeof PERCENTILES)[number];

/** The metrics of iterations, each with the corresponding metric of requests. */
export const ITERATION_METRICS = {
  iterations: 'requests',
  iteration_error_rate: 'error_rate',
  iteration_mean: 'avg_response_time',
  iteration_max: 'max',
  iteration_p50: 'p50',
  iteration_p75: 'p75',
  iteration_p90: 'p90',
  iteration_p95: 'p95',
  iteration_p99: 'p99',
  'iteration_p99.9': 'p99.9',
} as const satisfies Readonly<Partial<Record<ResultMetric, ResultMetric>>>;

const ITERATION_PREFIX = 'iteration_';

/** A percentile that results do not contain by name, such as `p97`, and that is computed from a histogram. */
export type Percentile = `p${number}` | `iteration_p${number}`;

/** The share of responses that take at most the given time, such as `within_500ms`, computed from a histogram. */
export type Within = `within_${string}`;

export type Metric = ResultMetric | Percentile | Within;

export function isResultMetric(metric: string): metric is ResultMetric {
  return Object.hasOwn(RESULT_METRICS, metric);
}

/** Returns the metric of requests that corresponds to a metric of iterations; null for other metrics. */
export function requestMetricOf(metric: Metric): Metric | null {
  if (Object.hasOwn(ITERATION_METRICS, metric))
    return ITERATION_METRICS[metric as keyof typeof ITERATION_METRICS]; // The condition checks the key.
  // The other metrics of iterations are percentiles.
  return metric.startsWith(ITERATION_PREFIX) ? (metric.slice(ITERATION_PREFIX.length) as Percentile) : null;
}

/** Returns the kind of a metric; null if the name is not a metric. */
export function kindOf(metric: string): 'rate' | 'time' | 'count' | null {
  if (isResultMetric(metric)) return RESULT_METRICS[metric];
  if (timeWithin(metric) !== null) return 'rate';
  return shareOf(metric) === null ? null : 'time';
}

/** Returns the time in the name of a metric such as `within_1.5s`, in ms (1500); null for other metrics. */
export function timeWithin(metric: string): number | null {
  const [, digits, unit] = /^within_(\d{1,6}(?:\.\d{1,3})?)(ms|s)$/.exec(metric) ?? [];
  const time = Number(digits ?? 0) * (unit === 's' ? 1000 : 1);
  return time > 0 ? time : null;
}

/** Returns the fraction that a percentile denotes, between 0 and 1: 0.97 for `p97`; null for other metrics. */
export function shareOf(metric: string): number | null {
  const match = /^(?:iteration_)?p((?:\d|[1-9]\d)(?:\.\d{0,5}[1-9])?)$/.exec(metric);
  const percent = Number(match?.[1] ?? 0);
  // Rounding removes the floating-point error of the division.
  return percent === 0 ? null : Number((percent / 100).toFixed(8));
}

/** The URL or flow of a test that a threshold applies to. */
export interface ThresholdPart {
  readonly index: number;
  readonly label: string;
}

export interface UrlGroup {
  readonly name: string;
  readonly urls: readonly number[];
}

export interface Threshold {
  readonly metric: Metric;
  /** URL that the threshold applies to; null for other thresholds. */
  readonly url: ThresholdPart | null;
  /** Flow that the threshold applies to; absent for other thresholds. */
  readonly flow?: ThresholdPart;
  /** Group of URLs that the threshold applies to, with the indexes of its URLs; absent for other thresholds. */
  readonly group?: { readonly label: string; readonly urls: readonly number[] };
  readonly operator: '<' | '<=' | '>' | '>=';
  /** Limit in percent for rates, in ms for times, and as a plain number for counts. */
  readonly value: number;
  /** The condition as written: `< 300ms`. */
  readonly limit: string;
  /** Declared minimum number of responses for a verdict; absent for the default of `requiredSamples`. */
  readonly minSamples?: number;
  /** Minimum time of measured load before a failure of the threshold can end the run; absent if no failure ends it. */
  readonly abortAfter?: Milliseconds;
  readonly source: SourceRange | null;
}

type Condition = Pick<Threshold, 'operator' | 'value'>;

export function meetsCondition(actual: number, { operator, value }: Condition): boolean {
  return compareNumbers(actual, operator, value);
}

export interface ValueRange {
  /** Lower end of the range; null if unknown or unbounded. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Returns `pass` if the worse end of a range meets a condition, and `fail` if even the better end does not. */
export function verdictWithin({ low, high }: ValueRange, limit: Condition): 'pass' | 'fail' | 'inconclusive' {
  const isUpper = limit.operator.startsWith('<');
  const [worse, better] = isUpper ? [high, low] : [low, high];
  if (worse !== null && meetsCondition(worse, limit)) return 'pass';
  return better !== null && !meetsCondition(better, limit) ? 'fail' : 'inconclusive';
}

/** Minimum number of responses beyond a percentile. With fewer, the percentile varies widely between equal runs. */
const MIN_SAMPLES_BEYOND = 10;

type PartOfThreshold = Pick<Threshold, 'minSamples'> &
  Partial<Condition> & {
    readonly metric: string;
  };

/** Returns the fraction of a percentile: 0.95 for `p95` and for `within_500ms: '>= 95%'`; null for other thresholds. */
export function percentileShareOf({ metric, operator, value = 100 }: PartOfThreshold): number | null {
  if (timeWithin(metric) === null) return shareOf(metric);
  return operator?.startsWith('>') === true && value > 0 && value < 100 ? value / 100 : null;
}

/** Returns the number of responses required for a verdict, such as 1,000 for p99; null if there is no minimum. */
export function requiredSamples(threshold: PartOfThreshold): number | null {
  const { minSamples } = threshold;
  if (minSamples !== undefined) return minSamples;
  const share = percentileShareOf(threshold);
  // Rounding removes the floating-point error of the division.
  return share === null ? null : Math.ceil(Number((MIN_SAMPLES_BEYOND / (1 - share)).toFixed(6)));
}

/** Returns the verdict of a threshold if it is the same for all possible values; null if it depends on the value. */
export function constantVerdictOf(threshold: Pick<Threshold, 'metric'> & Condition): 'pass' | 'fail' | null {
  const high = kindOf(threshold.metric) === 'rate' ? 100 : null;
  const verdict = verdictWithin({ low: 0, high }, threshold);
  return verdict === 'inconclusive' ? null : verdict;
}

/** Label of the URL, flow or group of URLs that a threshold applies to; no member is set for the whole run. */
export interface ThresholdLabels {
  readonly url?: string;
  readonly flow?: string;
  readonly group?: string;
}

export function labelsOf({
  metric,
  url,
  flow,
  group,
}: Threshold): ThresholdLabels & { readonly metric: Metric } {
  if (group !== undefined) return { metric, group: group.label };
  if (flow !== undefined) return { metric, flow: flow.label };
  return url === null ? { metric } : { metric, url: url.label };
}

/** Formats the subject of a threshold, such as `p95 of "pay"`, `p95 of the flow "buy"` or `p95 of the group "read"`. */
export function subjectText({
  metric,
  url,
  flow,
  group,
}: { readonly metric: string } & {
  readonly [Part in keyof ThresholdLabels]: ThresholdLabels[Part] | undefined;
}): string {
  if (group !== undefined) return `${metric} of the group "${group}"`;
  if (flow !== undefined) return `${metric} of the flow "${flow}"`;
  return url === undefined ? metric : `${metric} of "${url}"`;
}

/**
 * Parses `OP VALUE` for a metric.
 * @returns null if the name is not a metric, the text is not a condition, or its unit does not fit the metric.
 * @see docs/internals/command-line.md, section 1
 */
export function parseThreshold(
  metric: string,
  text: string,
  source: SourceRange | null = null,
): Threshold | null {
  const match = /^\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(%|ms|s)?\s*$/.exec(text);
  if (match === null) return null;
  const [, operator, digits, unit] = match;
  const number = Number(digits);
  const kind = kindOf(metric);
  const fits =
    (kind === 'rate' && unit === '%') ||
    (kind === 'time' && (unit === 'ms' || unit === 's')) ||
    (kind === 'count' && unit === undefined);
  if (!fits) return null;
  const value = unit === 's' ? number * 1000 : number;
  return {
    metric: metric as Metric, // Only metrics have a kind.
    url: null,
    operator: operator as Threshold['operator'],
    value,
    limit: text.trim(),
    source,
  };
}

/** Thresholds on metrics of a result. Evaluation: compare/run-evaluation.ts. */
import type { SourceRange } from '../source-location.ts';
import { compareNumbers } from './comparison.ts';

/**
 * Metrics that results contain by name, and the kind of each metric. Thresholds are written in ms for times and in
 * percent for rates.
 */
export const RESULT_METRICS = {
  error_rate: 'rate',
  success_rate: 'rate',
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

/** The metrics of iterations, each with the metric of requests that is computed in the same way. */
export const ITERATION_METRICS = {
  iterations: 'requests',
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

/**
 * A percentile that results do not contain by name (`p97`, `iteration_p99.99`). It is read from the histogram of
 * response times, or of durations of iterations.
 */
export type Percentile = `p${number}` | `iteration_p${number}`;

/** A metric that a threshold can refer to. */
export type Metric = ResultMetric | Percentile;

export function isResultMetric(metric: string): metric is ResultMetric {
  return Object.hasOwn(RESULT_METRICS, metric);
}

/** Returns the metric of requests that is computed like a metric of iterations; null for other metrics. */
export function requestMetricOf(metric: Metric): Metric | null {
  if (Object.hasOwn(ITERATION_METRICS, metric))
    return ITERATION_METRICS[metric as keyof typeof ITERATION_METRICS]; // as checked
  return metric.startsWith(ITERATION_PREFIX) ? (metric.slice(ITERATION_PREFIX.length) as Percentile) : null; // the only other form
}

/** Returns the kind of a metric; null if the name is not a metric. */
export function kindOf(metric: string): 'rate' | 'time' | 'count' | null {
  if (isResultMetric(metric)) return RESULT_METRICS[metric];
  return shareOf(metric) === null ? null : 'time';
}

/** Returns the fraction that a percentile denotes, between 0 and 1: 0.97 for `p97`. Null for other metrics. */
export function shareOf(metric: string): number | null {
  const match = /^(?:iteration_)?p((?:\d|[1-9]\d)(?:\.\d{0,5}[1-9])?)$/.exec(metric);
  const percent = Number(match?.[1] ?? 0);
  // Rounding removes the floating-point error of the division.
  return percent === 0 ? null : Number((percent / 100).toFixed(8));
}

/** The URL or flow of a test that a threshold applies to. */
export interface ThresholdPart {
  /** Index of the URL or flow in the test. */
  readonly index: number;
  /** Label for display. */
  readonly label: string;
}

export interface Threshold {
  readonly metric: Metric;
  /** URL that the threshold applies to; null for the run as a whole or for a flow. */
  readonly url: ThresholdPart | null;
  /** Flow that the threshold applies to; absent for the run as a whole or for a URL. */
  readonly flow?: ThresholdPart;
  readonly operator: '<' | '<=' | '>' | '>=';
  /** Limit in percent for rates, in ms for times, and as a plain number for counts. */
  readonly value: number;
  /** The condition as written: `< 300ms`. */
  readonly limit: string;
  readonly source: SourceRange | null;
}

type Condition = Pick<Threshold, 'operator' | 'value'>;

export function meetsCondition(actual: number, { operator, value }: Condition): boolean {
  return compareNumbers(actual, operator, value);
}

interface ValueRange {
  /** Lower end of the range; null if unknown or unbounded. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Evaluates a condition for a range of values. The verdict is pass if the worse end meets the condition, and fail if
 * the better end does not meet it.
 */
export function verdictWithin({ low, high }: ValueRange, limit: Condition): 'pass' | 'fail' | 'inconclusive' {
  const isUpper = limit.operator.startsWith('<');
  const [worse, better] = isUpper ? [high, low] : [low, high];
  if (worse !== null && meetsCondition(worse, limit)) return 'pass';
  return better !== null && !meetsCondition(better, limit) ? 'fail' : 'inconclusive';
}

/** Returns the verdict of a threshold if it is the same for all possible values; null if it depends on the value. */
export function constantVerdictOf(threshold: Pick<Threshold, 'metric'> & Condition): 'pass' | 'fail' | null {
  const high = kindOf(threshold.metric) === 'rate' ? 100 : null;
  const verdict = verdictWithin({ low: 0, high }, threshold);
  return verdict === 'inconclusive' ? null : verdict;
}

/** Formats the subject of a threshold: `p95`, `p95 of "pay"`, `p95 of the flow "buy"`. */
export function subjectText({
  metric,
  url,
  flow,
}: {
  readonly metric: string;
  readonly url?: string | undefined;
  readonly flow?: string | undefined;
}): string {
  if (flow !== undefined) return `${metric} of the flow "${flow}"`;
  return url === undefined ? metric : `${metric} of "${url}"`;
}

/**
 * Parses `OP VALUE` for a metric.
 * @returns null if the text is not a condition, or its unit does not fit the metric.
 * @see docs/internals/command-line.md, section 1
 */
export function parseThreshold(metric: Metric, text: string, source: SourceRange | null): Threshold | null {
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
    metric,
    url: null,
    operator: operator as Threshold['operator'],
    value,
    limit: text.trim(),
    source,
  };
}

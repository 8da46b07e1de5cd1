/** A limit on a figure of a result. Judging is in judge.ts. */
import type { SourceRange } from '../source-location.ts';

/** The figures that a result names, and the unit their limits are written in. Times are ms, rates percent. */
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
} as const satisfies Readonly<Record<string, 'rate' | 'time' | 'count'>>;

export type ResultMetric = keyof typeof RESULT_METRICS;

/** `p97`, `p99.99`: any percentile that no result names, read from its histogram of response times. */
export type Percentile = `p${number}`;

/** What a limit can be put on. */
export type Metric = ResultMetric | Percentile;

export function isResultMetric(metric: string): metric is ResultMetric {
  return Object.hasOwn(RESULT_METRICS, metric);
}

/** Null for a word that is no metric. */
export function kindOf(metric: string): 'rate' | 'time' | 'count' | null {
  if (isResultMetric(metric)) return RESULT_METRICS[metric];
  return shareOf(metric) === null ? null : 'time';
}

/** The share of a percentile, between 0 and 1: `p97` is 0.97. Null for anything else. */
export function shareOf(metric: string): number | null {
  const match = /^p((?:\d|[1-9]\d)(?:\.\d{0,5}[1-9])?)$/.exec(metric);
  const percent = Number(match?.[1] ?? 0);
  // Digits as they were written: 0.07 · 100 is no whole number.
  return percent === 0 ? null : Number((percent / 100).toFixed(8));
}

/** The URL of a test that a limit is on. */
export interface ThresholdUrl {
  /** Among the URLs of its test. */
  readonly index: number;
  /** For people. */
  readonly label: string;
}

export interface Threshold {
  readonly metric: Metric;
  /** Null: on the run as a whole. */
  readonly url: ThresholdUrl | null;
  readonly operator: '<' | '<=' | '>' | '>=';
  /** Percent for rates, ms for times, a plain number for counts. */
  readonly value: number;
  /** As written: `< 300ms`. */
  readonly limit: string;
  readonly source: SourceRange | null;
}

type Condition = Pick<Threshold, 'operator' | 'value'>;

export function meetsCondition(figure: number, { operator, value }: Condition): boolean {
  switch (operator) {
    case '<':
      return figure < value;
    case '<=':
      return figure <= value;
    case '>':
      return figure > value;
    case '>=':
      return figure >= value;
  }
}

interface ValueRange {
  /** Null: not known, or none. */
  readonly low: number | null;
  readonly high: number | null;
}

/** A limit that holds at the worse end passes, and one that is broken at the better end fails. */
export function verdictWithin({ low, high }: ValueRange, limit: Condition): 'pass' | 'fail' | 'inconclusive' {
  const isUpper = limit.operator.startsWith('<');
  const [worse, better] = isUpper ? [high, low] : [low, high];
  if (worse !== null && meetsCondition(worse, limit)) return 'pass';
  return better !== null && !meetsCondition(better, limit) ? 'fail' : 'inconclusive';
}

/** What a limit says of every run there can be: it passes each, or fails each. Null: it tells them apart. */
export function constantVerdictOf(threshold: Pick<Threshold, 'metric'> & Condition): 'pass' | 'fail' | null {
  const high = kindOf(threshold.metric) === 'rate' ? 100 : null;
  const verdict = verdictWithin({ low: 0, high }, threshold);
  return verdict === 'inconclusive' ? null : verdict;
}

/** `p95`, `p95 of "pay"`. */
export function subjectText({
  metric,
  url,
}: {
  readonly metric: string;
  readonly url?: string | undefined;
}): string {
  return url === undefined ? metric : `${metric} of "${url}"`;
}

/**
 * Reads `OP VALUE` for a metric.
 *
 * Errors: null when the text is none, or its unit does not fit the metric.
 * Source: docs/internals/command-line.md, section 1.
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

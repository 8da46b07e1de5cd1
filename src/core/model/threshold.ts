/** A limit on a figure of a result. Judging is in judge.ts. */
import type { SourceRange } from '../source.ts';

/** Metric names and the unit their limits are written in. Times are ms, rates percent. */
export const METRICS = {
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

export type Metric = keyof typeof METRICS;

export interface Threshold {
  readonly metric: Metric;
  readonly operator: '<' | '<=' | '>' | '>=';
  /** Percent for rates, ms for times, a plain number for counts. */
  readonly value: number;
  /** As written: `< 300ms`. */
  readonly limit: string;
  readonly source: SourceRange | null;
}

/**
 * Reads `OP VALUE` for a metric.
 *
 * Errors: null when the text is none, or its unit does not fit the metric.
 * Source: docs/design/command-line.md, section 1.
 */
export function parseThreshold(metric: Metric, text: string, source: SourceRange | null): Threshold | null {
  const match = /^\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(%|ms|s)?\s*$/.exec(text);
  if (match === null) return null;
  const [, operator, digits, unit] = match;
  const number = Number(digits);
  const kind = METRICS[metric];
  const fits =
    (kind === 'rate' && unit === '%') ||
    (kind === 'time' && (unit === 'ms' || unit === 's')) ||
    (kind === 'count' && unit === undefined);
  if (!fits) return null;
  const value = unit === 's' ? number * 1000 : number;
  return { metric, operator: operator as Threshold['operator'], value, limit: text.trim(), source };
}

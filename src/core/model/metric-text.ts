/** Formatting of metrics for display. */
import { withCommas } from '../counted.ts';
import type { Interval } from './sample.ts';
import { kindOf } from './threshold.ts';
import { formatBytes } from '../units.ts';

/** Returns the name of a metric for display: `error rate`. */
export function metricLabel(metric: string): string {
  return metric.replaceAll('_', ' ');
}

/** Formats a value with its unit, rounded by `roundToThreeDigits`: `0.52%`, `9.06 ms`, `18,813`, `3.2 MB`. */
export function metricText(metric: string, value: number): string {
  if (metric === 'data_received') return formatBytes(value);
  return `${withCommas(roundToThreeDigits(value))}${unitOf(metric)}`;
}

/** Formats a value with up to three decimal places, for comparison with a threshold. */
export function exactMetricText(metric: string, value: number): string {
  const unit = metric === 'data_received' ? ' bytes' : unitOf(metric);
  return `${withCommas(Number(value.toFixed(3)))}${unit}`;
}

/** Formats a range, with ends rounded outward except for `data_received`: `between 0 and 242 ms`, `at least 1,234`. */
export function intervalText(metric: string, { low, high }: Interval): string {
  const from = roundOutward(low, Math.floor);
  if (high === null) return `at least ${metricText(metric, from)}`;
  const to = roundOutward(high, Math.ceil);
  const start = metric === 'data_received' ? metricText(metric, from) : withCommas(from);
  return `between ${start} and ${metricText(metric, to)}`;
}

/** Rounds with `round` to three significant digits; a value of 1,000 or more, to an integer. */
function roundOutward(value: number, round: (value: number) => number): number {
  const unit = 10 ** Math.min(0, Math.floor(Math.log10(Math.abs(value) || 1)) - 2);
  return Number((round(Number((value / unit).toFixed(6))) * unit).toPrecision(12));
}

/** Rounds a value to three significant digits, or to an integer if it is 1,000 or more. */
export function roundToThreeDigits(value: number): number {
  return Number(value.toPrecision(Math.max(3, Math.trunc(Math.abs(value)).toString().length)));
}

function unitOf(metric: string): string {
  const kind = kindOf(metric);
  return kind === 'rate' ? '%' : kind === 'time' ? ' ms' : '';
}

/** Figures of results, as people read them. */
import { withCommas } from './counted.ts';
import type { Interval } from './load/run-report.ts';
import { kindOf } from './model/threshold.ts';
import { formatBytes } from './units.ts';

/** `0.52%`, `9.06 ms`, `18,813`, `3.2 MB`: at least three digits. */
export function metricText(metric: string, value: number): string {
  if (metric === 'data_received') return formatBytes(value);
  return `${withCommas(roundToThreeDigits(value))}${unitOf(metric)}`;
}

/** The same with three decimals, so that a value beside the limit that it misses never looks like that limit. */
export function exactMetricText(metric: string, value: number): string {
  const unit = metric === 'data_received' ? ' bytes' : unitOf(metric);
  return `${withCommas(Number(value.toFixed(3)))}${unit}`;
}

/** `between 0 and 242 ms`, `at least 1,234`: rounded outwards, so that no end seems to hold a limit that it does not. */
export function intervalText(metric: string, { low, high }: Interval): string {
  const from = roundOutward(low, Math.floor);
  if (high === null) return `at least ${metricText(metric, from)}`;
  const to = roundOutward(high, Math.ceil);
  const start = metric === 'data_received' ? metricText(metric, from) : withCommas(from);
  return `between ${start} and ${metricText(metric, to)}`;
}

/** To three digits that say something. */
function roundOutward(value: number, round: (value: number) => number): number {
  const unit = 10 ** Math.min(0, Math.floor(Math.log10(Math.abs(value) || 1)) - 2);
  return Number((round(Number((value / unit).toFixed(6))) * unit).toPrecision(12));
}

/** Three digits that say something. */
export function roundToThreeDigits(value: number): number {
  return Number(value.toPrecision(Math.max(3, Math.trunc(Math.abs(value)).toString().length)));
}

function unitOf(metric: string): string {
  const kind = kindOf(metric);
  return kind === 'rate' ? '%' : kind === 'time' ? ' ms' : '';
}

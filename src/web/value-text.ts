/** Formats chart values in the same way as the text output of the commands. */
import { withCommas } from '../core/counted.ts';
import { metricText } from '../core/model/metric-text.ts';
import { clockText } from '../core/report/timeline.ts';
import type { Chart, Quantity } from './chart.ts';

/** Formats a value, such as `938/s`, `63.1 ms` or `1,204`; a dash if there is no value. */
export function valueText(quantity: Quantity, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  switch (quantity) {
    case 'rate':
      return `${metricText('requests_per_second', value)}/s`;
    case 'time':
      return metricText('p99', value);
    case 'count':
      return withCommas(Math.round(value));
  }
}

/** Formats a metric, such as `9.06 ms`; a dash if there is no value. */
export function metricTextOrDash(metric: string, value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : metricText(metric, value);
}

/** Formats a position on the x axis: `0:12`, the time of day `09:34:39`, or `p99.9`. */
export function positionText({ across, clock }: Pick<Chart, 'across' | 'clock'>, at: number): string {
  if (across === 'nines') return percentileName(at);
  return clock === null ? clockText(at) : new Date(clock + at * 1000).toTimeString().slice(0, 8);
}

/**
 * Returns the name of a percentile, `p0`, `p50` or `p99.9`, with enough digits to distinguish it from its
 * neighbors.
 * @param nines - 1 is p90, 2 is p99.
 */
export function percentileName(nines: number): string {
  const digits = Math.max(0, Math.ceil(nines - 1e-9) - 1 + (Number.isInteger(nines) || nines < 1 ? 0 : 1));
  return `p${Number((100 * (1 - 10 ** -nines)).toFixed(digits))}`;
}

/** Values of charts as people read them: as the terminal writes them. */
import { withCommas } from '../core/counted.ts';
import { metricText } from '../core/metric-text.ts';
import { clockText } from '../core/report/timeline.ts';
import type { Chart, Quantity } from './chart.ts';

/** `938/s`, `63.1 ms`, `1,204`. */
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

/** Where a value stands: `0:12`, or `p99.9`. */
export function positionText(across: Chart['across'], at: number): string {
  return across === 'seconds' ? clockText(at) : percentileName(at);
}

/** `p0`, `p50`, `p99.9` from nines, with as many digits as tell it from its neighbours. */
export function percentileName(nines: number): string {
  const digits = Math.max(0, Math.ceil(nines - 1e-9) - 1 + (Number.isInteger(nines) || nines < 1 ? 0 : 1));
  return `p${Number((100 * (1 - 10 ** -nines)).toFixed(digits))}`;
}

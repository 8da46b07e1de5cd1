/** Side-by-side metrics of two runs, as text. */
import { metricText } from '../model/metric-text.ts';
import { timeText } from '../instant.ts';
import { counted, withCommas } from '../counted.ts';
import { minimumText } from './result-text.ts';
import type { Comparison } from './generated/documents.ts';

type ComparedValues = Comparison['metrics'][number];

export function comparedMetricRows({
  metrics,
}: Comparison): readonly (readonly [string, string, string, string])[] {
  return metrics.map((one) => [one.metric, sideText(one, 'before'), sideText(one, 'after'), changeText(one)]);
}

/** Formats the value of one side: `412 ms`, `≥ 1,204`, or `-` if it is unknown. */
export function sideText(compared: ComparedValues, side: 'before' | 'after'): string {
  const { metric, minimums, [side]: value } = compared;
  if (value === null) return '-';
  return minimums?.includes(side) ? minimumText(metric, value) : metricText(metric, value);
}

/**
 * Formats a change: `+12%`, `≥ +1,200%`, or `-` if it is unknown. A change from 0 is absolute, such as `+20.4 points`.
 */
export function changeText(compared: ComparedValues): string {
  const { metric, after, change, minimums } = compared;
  const growth = growthOf(compared);
  if (growth === null || after === null) return '-';
  const bound = minimums === undefined ? '' : '≥ ';
  const sign = growth > 0 ? '+' : '';
  if (change !== null) return `${bound}${sign}${withCommas(Number(change.toPrecision(2)))}%`;
  return `${bound}${sign}${metricText(metric, after).replace('%', ' points')}`;
}

/** Returns the change in percent; null if it is unknown, and infinite for a change from 0 to a higher value. */
export function growthOf({ before, after, change, minimums = [] }: ComparedValues): number | null {
  if (change !== null || before !== 0 || after === null || minimums.includes('before')) return change;
  return after > 0 ? Infinity : minimums.includes('after') ? null : 0;
}

/** Returns text like `the baseline (mean of 5 runs)` or `the run of 2026-11-20 14:02:11 UTC`. */
export function comparisonSideText({ with: kind, runs, started_at: at }: Comparison): string {
  if (kind === 'baseline') return `the baseline (mean of ${counted(runs, 'run')})`;
  return at === null ? 'a run with an unknown start time' : `the run of ${timeText(Date.parse(at))}`;
}

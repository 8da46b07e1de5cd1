/** Side-by-side metrics of two runs, as text. */
import { metricText } from '../model/metric-text.ts';
import { timeText } from '../instant.ts';
import { withCommas } from '../counted.ts';
import { minimumText } from './result-text.ts';
import type { Comparison } from './generated/documents.ts';

/** Returns one row per metric, with its name, its values in the earlier and the later run, and the change. */
export function comparedMetricRows({
  metrics,
}: Comparison): readonly (readonly [string, string, string, string])[] {
  return metrics.map((one) => [one.metric, sideText(one, 'before'), sideText(one, 'after'), changeText(one)]);
}

/** Formats the value of one side: `412 ms`, `≥ 1,204`, or `-` if it is unknown. */
export function sideText(compared: Comparison['metrics'][number], side: 'before' | 'after'): string {
  const { metric, minimums, [side]: value } = compared;
  if (value === null) return '-';
  return minimums?.includes(side) ? minimumText(metric, value) : metricText(metric, value);
}

/** Formats a change: `+12%`, `≥ +1,200%`, or `-` if it is unknown. */
export function changeText({
  change,
  minimums,
}: Pick<Comparison['metrics'][number], 'change' | 'minimums'>): string {
  if (change === null) return '-';
  const bound = minimums === undefined ? '' : '≥ ';
  return `${bound}${change > 0 ? '+' : ''}${withCommas(Number(change.toPrecision(2)))}%`;
}

/**
 * Returns the name of the other side of a comparison: `the baseline (mean of 5)`, `the run of 2026-11-20 14:02:11
 * UTC`.
 */
export function comparisonSideText({ with: kind, runs, started_at: at }: Comparison): string {
  if (kind === 'baseline') return `the baseline (mean of ${runs})`;
  return `the run of ${at === null ? 'an unknown time' : timeText(Date.parse(at))}`;
}

/** Figures of two runs side by side, in words. */
import { metricText } from '../metric-text.ts';
import { formatInstant } from '../instant.ts';
import type { Comparison } from './generated/documents.ts';

/** A row for each figure: before, after, change. */
export function comparedMetricRows({
  metrics,
}: Comparison): readonly (readonly [string, string, string, string])[] {
  return metrics.map(({ metric, before, after, change }) => [
    metric,
    before === null ? '-' : metricText(metric, before),
    after === null ? '-' : metricText(metric, after),
    changeText(change),
  ]);
}

/** `+12%`; `-` where it cannot be told. @param change in percent */
export function changeText(change: number | null): string {
  return change === null ? '-' : `${change > 0 ? '+' : ''}${Number(change.toPrecision(2))}%`;
}

/** `the baseline (mean of 5)`, `the run of 2026-11-20 14:02:11 UTC` */
export function comparisonSideText({ with: kind, runs, started_at: at }: Comparison): string {
  if (kind === 'baseline') return `the baseline (mean of ${runs})`;
  return `the run of ${at === null ? 'an unknown time' : `${formatInstant(Date.parse(at))} UTC`}`;
}

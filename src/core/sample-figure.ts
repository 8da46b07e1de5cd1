/** One figure of a run, or of one of its URLs, with its ends. */
import type { Histogram } from './load/histogram.ts';
import type { Interval } from './load/report.ts';
import type { Sample } from './model/run.ts';
import { isFigure, shareOf, type Metric } from './model/threshold.ts';

export interface FoundFigure {
  /** Null: the result does not have it. */
  readonly value: number | null;
  readonly bounds?: Interval | undefined;
}

export function figureOf(metric: Metric, sample: Sample | null): FoundFigure {
  if (sample === null) return { value: null };
  const { figures, bounds, times } = sample;
  if (isFigure(metric)) return { value: figures[metric] ?? null, bounds: bounds?.[metric] };
  const value = percentileOf(metric, times?.measured);
  if (value === null || bounds === null) return { value };
  // A record of before tells no low end: it may be 0.
  const low = Math.min(value, percentileOf(metric, times?.least) ?? 0);
  return { value, bounds: { low, high: value } };
}

/** In ms. */
function percentileOf(metric: Metric, times: Histogram | null | undefined): number | null {
  const microseconds = times?.quantile(shareOf(metric) ?? 0) ?? null;
  return microseconds === null ? null : Math.round(microseconds) / 1000;
}

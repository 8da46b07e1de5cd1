/** Regression thresholds: limits for how much worse a metric may be than in the baseline. */
import type { SourceRange } from '../source-location.ts';
import type { Baseline } from './baseline.ts';
import { isResultMetric, kindOf, type Metric, type Threshold } from './threshold.ts';

/** A threshold on the change of a time, or of the request rate in the closed model. */
export interface RegressionThreshold {
  readonly metric: Metric;
  /** Maximum relative change: 0.1 is 10%. */
  readonly allowed: number;
  /** The limit, with the notation of the file: `10%`. */
  readonly limit: string;
  readonly source: SourceRange | null;
}

export type BaselineState =
  | { readonly kind: 'missing'; readonly path: string }
  /** The file was recorded with a different load. */
  | { readonly kind: 'stale'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string; readonly baseline: Baseline };

export interface Regression {
  readonly thresholds: readonly RegressionThreshold[];
  /** State of the baseline file; null if it has not been read. */
  readonly baseline: BaselineState | null;
}

export const NO_REGRESSION: Regression = { thresholds: [], baseline: null };

/** Returns the result IDs of the runs in the baseline; empty if there is no usable baseline. */
export function baselineIdsOf({ baseline }: Regression): readonly string[] {
  return baseline?.kind === 'read' ? baseline.baseline.runs.map(({ id }) => id) : [];
}

/** Returns the direction that is worse: `more` for times, `less` for `requests_per_second`, otherwise null. */
export function worseDirectionOf(metric: string): 'more' | 'less' | null {
  if (metric === 'requests_per_second') return 'less';
  return kindOf(metric) === 'time' ? 'more' : null;
}

/** Parses a percentage: `10%` becomes 0.1; returns null for other text. */
export function parseAllowed(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text);
  return match === null ? null : Number(match[1]) / 100;
}

/** Reports whether thresholds need data that is not in lists of results. */
export function needsFullRecord({
  thresholds,
  regression,
}: {
  readonly thresholds: readonly Threshold[];
  readonly regression: Regression;
}): boolean {
  const needsParts = thresholds.some(
    ({ metric, url, flow, group }) =>
      url !== null || flow !== undefined || group !== undefined || !isResultMetric(metric),
  );
  return needsParts || regression.thresholds.some(({ metric }) => !isResultMetric(metric));
}

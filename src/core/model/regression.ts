/** How much worse than its baseline a test may get. Judging is in compare/regression.ts. */
import type { Baseline } from '../compare/baseline.ts';
import type { SourceRange } from '../source-location.ts';
import { isResultMetric, kindOf, type Metric, type Threshold } from './threshold.ts';

/** A limit on the change of a figure: of a time, or of the rate of a closed test. */
export interface RegressionThreshold {
  readonly metric: Metric;
  /** The share by which it may be worse: 0.1 is 10 %. */
  readonly allowed: number;
  /** As written: `10%`. */
  readonly limit: string;
  readonly source: SourceRange | null;
}

/** The committed runs that a test is compared with. */
export type BaselineState =
  /** There is no such file yet. */
  | { readonly kind: 'missing'; readonly path: string }
  /** It is of another load than the one that is declared now. */
  | { readonly kind: 'stale'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string; readonly baseline: Baseline };

export interface Regression {
  readonly thresholds: readonly RegressionThreshold[];
  /** Null: nobody has looked for it. */
  readonly baseline: BaselineState | null;
}

export const NO_REGRESSION: Regression = { thresholds: [], baseline: null };

/** More of a time is worse, and less of a rate. Null for figures that are not compared so. */
export function worseDirectionOf(metric: string): 'more' | 'less' | null {
  if (metric === 'requests_per_second') return 'less';
  return kindOf(metric) === 'time' ? 'more' : null;
}

/** Reads `10%`. Null for any other text. */
export function parseAllowed(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text);
  return match === null ? null : Number(match[1]) / 100;
}

/** Whether limits need what lists of results leave out. */
export function needsFullRecord({
  thresholds,
  regression,
}: {
  readonly thresholds: readonly Threshold[];
  readonly regression: Regression;
}): boolean {
  const onPart = thresholds.some(({ metric, url }) => url !== null || !isResultMetric(metric));
  return onPart || regression.thresholds.some(({ metric }) => !isResultMetric(metric));
}

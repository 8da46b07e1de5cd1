/**
 * One-sided statistical test that compares the change of a time or rate with a threshold.
 * @remarks Each run is one sample. Requests are not samples, because all requests of a run share the conditions of the
 * run.
 * @see docs/internals/results.md, section 4
 */
import { tQuantile } from './t-quantile.ts';
import { sumOf } from '../sum.ts';

/** Values of a metric: one per run, all in the same unit and above 0. */
export interface RegressionSamples {
  readonly current: readonly number[];
  readonly baseline: readonly number[];
  readonly worseDirection: 'more' | 'less';
}

/** Estimate of a change on a logarithmic scale; positive values are worse. */
export interface RegressionEstimate {
  readonly change: number;
  /** Standard deviation between runs; null if there are too few runs to compute an estimate. */
  readonly standardDeviation: number | null;
  readonly runs: { readonly current: number; readonly baseline: number };
}

export type RegressionVerdict = 'pass' | 'fail' | 'inconclusive';

/** Minimum standard deviation to assume, because an estimate from a few runs may be too small by chance. */
export const MIN_STANDARD_DEVIATION = 0.02;

const MAX_RUNS = 50;

/**
 * Returns the maximum permitted change on a logarithmic scale.
 * @param allowed - fraction by which a value may be worse: 0.1 is 10%
 */
export function maxRegression(worse: RegressionSamples['worseDirection'], allowed: number): number {
  // A rate that may be 10% worse may fall to 90% of the baseline.
  return worse === 'more' ? Math.log1p(allowed) : -Math.log1p(-allowed);
}

/**
 * Estimates the change from the baseline to the new runs. Returns null if one side has no runs, or if a value is not
 * above 0.
 */
export function testRegression({
  current,
  baseline,
  worseDirection,
}: RegressionSamples): RegressionEstimate | null {
  const sides = [current, baseline].map((side) => side.map(Math.log));
  const [now = [], before = []] = sides;
  if (now.length === 0 || before.length === 0 || !sides.flat().every(Number.isFinite)) return null;
  const rise = mean(now) - mean(before);
  const degrees = now.length + before.length - 2;
  return {
    change: worseDirection === 'more' ? rise : -rise,
    standardDeviation: degrees < 1 ? null : Math.sqrt((sumOfSquares(now) + sumOfSquares(before)) / degrees),
    runs: { current: now.length, baseline: before.length },
  };
}

/** @param maxChange - see `maxRegression` */
export function verdictOfRegression(
  { change, standardDeviation, runs }: RegressionEstimate,
  maxChange: number,
): RegressionVerdict {
  if (standardDeviation === null) return 'inconclusive';
  const margin = marginOf(standardDeviation, runs);
  if (change > maxChange && change > margin) return 'fail';
  return change + margin <= maxChange ? 'pass' : 'inconclusive';
}

/**
 * Returns the total number of new runs that a verdict needs, assuming the same change and standard deviation. Null if
 * this number exceeds `MAX_RUNS`, or if the standard deviation is null.
 */
export function runsToDecide(estimate: RegressionEstimate, maxChange: number): number | null {
  const { change, standardDeviation, runs } = estimate;
  if (standardDeviation === null) return null;
  for (let current = runs.current; current <= MAX_RUNS; current++) {
    const more: RegressionEstimate = { change, standardDeviation, runs: { ...runs, current } };
    if (verdictOfRegression(more, maxChange) !== 'inconclusive') return current;
  }
  return null;
}

/** Returns the change that 1 in 20 comparisons exceeds by chance if the system under test has not changed. */
function marginOf(standardDeviation: number, { current, baseline }: RegressionEstimate['runs']): number {
  const error = Math.max(MIN_STANDARD_DEVIATION, standardDeviation) * Math.sqrt(1 / current + 1 / baseline);
  return tQuantile(current + baseline - 2) * error;
}

function mean(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

function sumOfSquares(values: readonly number[]): number {
  const average = mean(values);
  return values.reduce((sum, value) => sum + (value - average) ** 2, 0);
}

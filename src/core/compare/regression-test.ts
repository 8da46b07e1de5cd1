/**
 * Whether runs are worse than earlier ones of the same load: one rule, for times and for rates. Pure.
 *
 * Shape:  the run is the sample, never the request: the requests of one run share its luck.
 * Source: docs/internals/results.md, section 4.
 */
import { tQuantile } from './t-quantile.ts';

/** The figure of each run, in any unit, all above 0. */
export interface RegressionSamples {
  readonly current: readonly number[];
  readonly baseline: readonly number[];
  /** More of a time is worse, and less of a rate. */
  readonly worseDirection: 'more' | 'less';
}

/** What is known of the change, in logarithms: positive is worse. */
export interface RegressionEstimate {
  readonly change: number;
  /** Of single runs about their mean, as it was seen; null where there were too few runs to see any. */
  readonly standardDeviation: number | null;
  readonly runs: { readonly current: number; readonly baseline: number };
}

export type RegressionVerdict = 'pass' | 'fail' | 'inconclusive';

/** Runs of one machine agree no better than this for long, whatever a few of them look like. */
export const MIN_STANDARD_DEVIATION = 0.02;

/** Nobody makes more runs than this to decide. */
const MAX_RUNS = 50;

/** How much worse than a baseline a figure may be, as a logarithm. @param allowed the share: 0.1 is 10 % */
export function maxRegression(worse: RegressionSamples['worseDirection'], allowed: number): number {
  // A rate that may fall by 10 % may be 0.9 of what it was.
  return worse === 'more' ? Math.log1p(allowed) : -Math.log1p(-allowed);
}

/** Null where a side has no runs, or a figure has no logarithm. */
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

/** @param most see `maxRegression` */
export function verdictOfRegression(
  { change, standardDeviation, runs }: RegressionEstimate,
  most: number,
): RegressionVerdict {
  if (standardDeviation === null) return 'inconclusive';
  const margin = marginOf(standardDeviation, runs);
  if (change > most && change > margin) return 'fail';
  return change + margin <= most ? 'pass' : 'inconclusive';
}

/**
 * How many new runs would decide if they went as those did that are there, in all.
 *
 * Shape: null where no number does that anybody would make, or the spread is not known.
 */
export function runsToDecide(seen: RegressionEstimate, most: number): number | null {
  const { change, standardDeviation, runs } = seen;
  if (standardDeviation === null) return null;
  for (let fresh = runs.current; fresh <= MAX_RUNS; fresh++) {
    const more = { change, standardDeviation, runs: { ...runs, fresh } };
    if (verdictOfRegression(more, most) !== 'inconclusive') return fresh;
  }
  return null;
}

/** What chance alone may make of a change, in 19 of 20 cases. */
function marginOf(spread: number, { current, baseline }: RegressionEstimate['runs']): number {
  const error = Math.max(MIN_STANDARD_DEVIATION, spread) * Math.sqrt(1 / current + 1 / baseline);
  return tQuantile(current + baseline - 2) * error;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sum of the squared distances from the mean. */
function sumOfSquares(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

/**
 * Whether runs are worse than earlier ones of the same load: one rule, for times and for rates. Pure.
 *
 * Shape:  the run is the sample, never the request: the requests of one run share its luck.
 * Source: docs/design/results.md, section 4.
 */
import { tQuantile } from './t-quantile.ts';

/** The figure of each run, in any unit, all above 0. */
export interface Sides {
  readonly fresh: readonly number[];
  readonly baseline: readonly number[];
  /** More of a time is worse, and less of a rate. */
  readonly worse: 'more' | 'less';
}

/** What is known of the change, in logarithms: positive is worse. */
export interface Worsening {
  readonly change: number;
  /** Of single runs about their mean, as it was seen; null where there were too few runs to see any. */
  readonly spread: number | null;
  readonly runs: { readonly fresh: number; readonly baseline: number };
}

export type WorseningVerdict = 'pass' | 'fail' | 'inconclusive';

/** Runs of one machine agree no better than this for long, whatever a few of them look like. */
export const LEAST_SPREAD = 0.02;

/** Nobody makes more runs than this to decide. */
const MOST_RUNS = 50;

/** How much worse than a baseline a figure may be, as a logarithm. @param allowed the share: 0.1 is 10 % */
export function mostWorsening(worse: Sides['worse'], allowed: number): number {
  // A rate that may fall by 10 % may be 0.9 of what it was.
  return worse === 'more' ? Math.log1p(allowed) : -Math.log1p(-allowed);
}

/** Null where a side has no runs, or a figure has no logarithm. */
export function worseningOf({ fresh, baseline, worse }: Sides): Worsening | null {
  const sides = [fresh, baseline].map((side) => side.map(Math.log));
  const [now = [], before = []] = sides;
  if (now.length === 0 || before.length === 0 || !sides.flat().every(Number.isFinite)) return null;
  const rise = mean(now) - mean(before);
  const degrees = now.length + before.length - 2;
  return {
    change: worse === 'more' ? rise : -rise,
    spread: degrees < 1 ? null : Math.sqrt((squares(now) + squares(before)) / degrees),
    runs: { fresh: now.length, baseline: before.length },
  };
}

/** @param most see `mostWorsening` */
export function verdictOfWorsening({ change, spread, runs }: Worsening, most: number): WorseningVerdict {
  if (spread === null) return 'inconclusive';
  const margin = marginOf(spread, runs);
  if (change > most && change > margin) return 'fail';
  return change + margin <= most ? 'pass' : 'inconclusive';
}

/**
 * How many new runs would decide if they went as those did that are there, in all.
 *
 * Shape: null where no number does that anybody would make, or the spread is not known.
 */
export function runsToDecide(seen: Worsening, most: number): number | null {
  const { change, spread, runs } = seen;
  if (spread === null) return null;
  for (let fresh = runs.fresh; fresh <= MOST_RUNS; fresh++) {
    const more = { change, spread, runs: { ...runs, fresh } };
    if (verdictOfWorsening(more, most) !== 'inconclusive') return fresh;
  }
  return null;
}

/** What chance alone may make of a change, in 19 of 20 cases. */
function marginOf(spread: number, { fresh, baseline }: Worsening['runs']): number {
  const error = Math.max(LEAST_SPREAD, spread) * Math.sqrt(1 / fresh + 1 / baseline);
  return tQuantile(fresh + baseline - 2) * error;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sum of the squared distances from the mean. */
function squares(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

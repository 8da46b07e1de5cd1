/**
 * Judges runs by how much worse than their baseline they may be. Pure.
 *
 * Source: docs/internals/results.md, section 4.
 */
import { counted } from '../counted.ts';
import { metricText } from '../metric-text.ts';
import { worseDirectionOf, type BaselineState, type RegressionThreshold } from '../model/regression.ts';
import type { BaselineComparison } from '../model/run-verdict.ts';
import type { RunResult, Sample } from '../model/run-result.ts';
import type { Metric } from '../model/threshold.ts';
import { metricValueOf } from '../metric-value.ts';
import { busyText } from '../uncertainty.ts';
import type { BaselineMachine } from './baseline.ts';
import {
  maxRegression,
  runsToDecide,
  verdictOfRegression,
  testRegression,
  type RegressionEstimate,
  type RegressionVerdict,
} from './regression-test.ts';

export interface RegressionEvaluation {
  /** The mean figure of the new runs; null where one lacks it. */
  readonly value: number | null;
  readonly verdict: RegressionVerdict;
  /** Why it is inconclusive. */
  readonly reason?: string;
  readonly comparison?: BaselineComparison;
}

/** Chance raises a false alarm of a limit in so many percent of runs that are as they were: of 1 run against 5. */
const FALSE_POSITIVE_PERCENT = 2.4;
const MAX_THRESHOLDS = 5;

/** A time of 0 has no logarithm; this is the least that is told apart, in ms. */
const MIN_TIME_MS = 0.001;

/** @param runs new ones that can be judged, of one load */
export function evaluateRegression(
  { metric, allowed }: RegressionThreshold,
  state: BaselineState | null,
  runs: readonly RunResult[],
): RegressionEvaluation {
  const current = metricValuesOf(metric, runs.map(sampleOf));
  const value = current === null ? null : meanOf(current);
  const unjudged = (reason: string): RegressionEvaluation => ({
    ...{ value, verdict: 'inconclusive' },
    reason: `not compared: ${reason}`,
  });
  const lacking = baselineProblem(state, runs);
  if (lacking !== null || state?.kind !== 'read') return unjudged(lacking ?? 'there is no baseline');
  const kept = state.baseline.runs;
  const before = metricValuesOf(metric, kept);
  const worseDirection = worseDirectionOf(metric);
  if (current === null || worseDirection === null) return unjudged('the result does not have it');
  if (before === null) return unjudged('the baseline does not have it');
  const seen = testRegression({ current, baseline: before, worseDirection });
  if (seen === null) return unjudged('it is 0 in some run');
  const comparison: BaselineComparison = {
    worseBy: percentOf(seen.change, worseDirection),
    allowed: 100 * allowed,
    baseline: meanOf(before),
    runs: seen.runs.current,
    baselineRuns: seen.runs.baseline,
    standardDeviation: seen.standardDeviation === null ? null : 100 * Math.expm1(seen.standardDeviation),
  };
  const most = maxRegression(worseDirection, allowed);
  const verdict = verdictOfRegression(seen, most);
  if (verdict === 'inconclusive') {
    return {
      value,
      verdict,
      comparison,
      reason: undecidedText(metric, comparison, runsToDecide(seen, most)),
    };
  }
  const doubt = delayDoubt(verdict, { metric, worse: worseDirection, seen, most }, [
    runs.map(sampleOf),
    kept,
  ]);
  if (doubt) {
    const busy = runs
      .map(({ generator }) => busyText(generator?.machine ?? null))
      .find((one) => one !== null);
    const why = busy ?? 'the machine that made the load stood still too often in some of the runs';
    return {
      value,
      verdict: 'inconclusive',
      comparison,
      reason: `${changeText(metric, comparison)}: ${why}`,
    };
  }
  return { value, verdict, comparison };
}

/** `12% worse than the baseline's 40.2 ms` */
export function changeText(
  metric: string,
  { worseBy, baseline }: Pick<BaselineComparison, 'worseBy' | 'baseline'>,
): string {
  const of = `the baseline's ${metricText(metric, baseline)}${metric === 'requests_per_second' ? '/s' : ''}`;
  const share = Math.abs(Number(worseBy.toPrecision(2)));
  // What is too little to be told with two digits is nothing.
  if (share < 0.1) return `as ${of}`;
  return `${share}% ${worseBy > 0 ? 'worse' : 'better'} than ${of}`;
}

/** Of many limits, one fails by chance now and then: the sum of their chances in percent; null for few limits. */
export function falsePositiveRate(limits: number): number | null {
  return limits > MAX_THRESHOLDS ? Math.min(100, Math.round(limits * FALSE_POSITIVE_PERCENT)) : null;
}

/** Where the baseline was made on another machine, in words; null where it was not, or nobody knows. */
export function otherMachineText(made: BaselineMachine | null, now: BaselineMachine | null): string | null {
  if (made === null || now === null) return null;
  const parts = [
    made.cores === now.cores ? null : `${counted(made.cores, 'core')}, now ${now.cores}`,
    made.threads === now.threads ? null : `${counted(made.threads, 'thread')}, now ${now.threads}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

/** What a record tells of the machine that made the load. */
export function machineOf({ generator, generatorVersion: version }: RunResult): BaselineMachine | null {
  const machine = generator?.machine ?? null;
  if (machine === null) return null;
  const { cores, node, measurementVersion, threadLoads } = machine;
  return { cores, threads: threadLoads.length, node, measurementVersion, version };
}

/** Why there is nothing to compare with; null where there is. */
function baselineProblem(state: BaselineState | null, runs: readonly RunResult[]): string | null {
  if (state === null || state.kind === 'missing') return 'there is no baseline yet';
  if (state.kind === 'stale') return 'the baseline is of another load';
  const versions = [
    ...state.baseline.runs.map(({ machine }) => machine?.measurementVersion ?? null),
    ...runs.map(({ generator }) => generator?.machine?.measurementVersion ?? null),
  ];
  return versions.every((one) => one === versions[0]) ? null : 'the baseline was measured in another way';
}

/** `p95 is 6% worse than …, and runs differ by 8.2%; 9 new runs would decide, with --repeat 9` */
function undecidedText(metric: string, against: BaselineComparison, enough: number | null): string {
  const { standardDeviation, runs, baselineRuns } = against;
  const change = changeText(metric, against);
  if (standardDeviation === null) {
    return `${change}, and nobody knows how much runs differ: there is ${runs} new and ${baselineRuns} in the baseline; --repeat 5 tells`;
  }
  const differ = `${change}, and runs differ by ${Number(standardDeviation.toPrecision(2))}%`;
  return enough === null
    ? `${differ}; no number of runs up to 50 would decide`
    : `${differ}; ${enough} new runs would decide, with --repeat ${enough}`;
}

/**
 * Whether the verdict hangs on delays of the machine that made the load: a fail that would be none without them, or a
 * pass that would fail.
 */
function delayDoubt(
  verdict: 'pass' | 'fail',
  about: {
    readonly metric: Metric;
    readonly worse: 'more' | 'less';
    readonly seen: RegressionEstimate;
    readonly most: number;
  },
  [fresh, kept]: readonly [readonly Sample[], readonly Sample[]],
): boolean {
  const { metric, worse, seen, most } = about;
  const [now, before] = [generatorDelays(metric, fresh), generatorDelays(metric, kept)];
  if (now === null || before === null) return false;
  if (!Number.isFinite(now) || !Number.isFinite(before)) {
    // Nobody knows how many requests a machine at its limit kept from being made.
    return verdict === 'fail' && worse === 'less' && !Number.isFinite(now);
  }
  const without = verdictOfRegression({ ...seen, change: seen.change - (now - before) }, most);
  return verdict === 'fail' ? without !== 'fail' : without === 'fail';
}

/** How much worse the machine's own delays may have made a figure, as a mean logarithm; null where runs do not tell. */
function generatorDelays(metric: Metric, samples: readonly Sample[]): number | null {
  const each = samples.map((sample) => {
    const { value, bounds } = metricValueOf(metric, sample);
    if (value === null || bounds === undefined) return null;
    if (worseDirectionOf(metric) === 'less') {
      return bounds.high === null ? Number.POSITIVE_INFINITY : Math.log(bounds.high / value);
    }
    return Math.log(Math.max(MIN_TIME_MS, value) / Math.max(MIN_TIME_MS, bounds.low));
  });
  const known = each.filter((one) => one !== null);
  return known.length < each.length ? null : known.reduce((sum, one) => sum + one, 0) / each.length;
}

/** Null where a run lacks it, or there are none. */
function metricValuesOf(metric: Metric, samples: readonly Sample[]): readonly number[] | null {
  const metrics = samples.map((sample) => metricValueOf(metric, sample).value);
  const known = metrics.filter((one) => one !== null);
  if (known.length === 0 || known.length < metrics.length) return null;
  return worseDirectionOf(metric) === 'more' ? known.map((one) => Math.max(MIN_TIME_MS, one)) : known;
}

export function sampleOf({ metrics, generator, times }: RunResult): Sample {
  return { metrics, bounds: generator?.bounds ?? null, times };
}

/** That of the logarithms, as it is compared. */
export function meanOf(metrics: readonly number[]): number {
  return Math.exp(metrics.reduce((sum, one) => sum + Math.log(one), 0) / metrics.length);
}

/** As people say it: a rate that halves is 50 % worse. */
function percentOf(change: number, worse: 'more' | 'less'): number {
  return worse === 'more' ? 100 * Math.expm1(change) : -100 * Math.expm1(-change);
}

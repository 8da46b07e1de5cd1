/**
 * Judges runs by how much worse than their baseline they may be. Pure.
 *
 * Source: docs/design/results.md, section 4.
 */
import { counted } from '../counted.ts';
import { figureText } from '../figure-text.ts';
import { worseOf, type BaselineState, type RegressionLimit } from '../model/regression.ts';
import type { AgainstBaseline } from '../model/judgement.ts';
import type { RunResult, Sample } from '../model/run.ts';
import type { Metric } from '../model/threshold.ts';
import { figureOf } from '../sample-figure.ts';
import { busyText } from '../uncertainty.ts';
import type { BaselineMachine } from './baseline.ts';
import {
  mostWorsening,
  runsToDecide,
  verdictOfWorsening,
  worseningOf,
  type Worsening,
  type WorseningVerdict,
} from './worsening.ts';

export interface JudgedRegression {
  /** The mean figure of the new runs; null where one lacks it. */
  readonly value: number | null;
  readonly verdict: WorseningVerdict;
  /** Why it is inconclusive. */
  readonly reason?: string;
  readonly against?: AgainstBaseline;
}

/** Chance raises a false alarm of a limit in so many percent of runs that are as they were: of 1 run against 5. */
const FALSE_ALARM = 2.4;
const MOST_LIMITS = 5;

/** A time of 0 has no logarithm; this is the least that is told apart, in ms. */
const LEAST_TIME = 0.001;

/** @param runs new ones that can be judged, of one load */
export function judgeRegression(
  { metric, allowed }: RegressionLimit,
  state: BaselineState | null,
  runs: readonly RunResult[],
): JudgedRegression {
  const fresh = figuresOf(metric, runs.map(sampleOf));
  const value = fresh === null ? null : meanOf(fresh);
  const unjudged = (reason: string): JudgedRegression => ({
    ...{ value, verdict: 'inconclusive' },
    reason: `not compared: ${reason}`,
  });
  const lacking = baselineFault(state, runs);
  if (lacking !== null || state?.kind !== 'read') return unjudged(lacking ?? 'there is no baseline');
  const kept = state.baseline.runs;
  const before = figuresOf(metric, kept);
  const worse = worseOf(metric);
  if (fresh === null || worse === null) return unjudged('the result does not have it');
  if (before === null) return unjudged('the baseline does not have it');
  const seen = worseningOf({ fresh, baseline: before, worse });
  if (seen === null) return unjudged('it is 0 in some run');
  const against: AgainstBaseline = {
    worseBy: percentOf(seen.change, worse),
    allowed: 100 * allowed,
    baseline: meanOf(before),
    runs: seen.runs.fresh,
    baselineRuns: seen.runs.baseline,
    standardDeviation: seen.spread === null ? null : 100 * Math.expm1(seen.spread),
  };
  const most = mostWorsening(worse, allowed);
  const verdict = verdictOfWorsening(seen, most);
  if (verdict === 'inconclusive') {
    return { value, verdict, against, reason: undecidedText(metric, against, runsToDecide(seen, most)) };
  }
  const doubt = doubtOf(verdict, { metric, worse, seen, most }, [runs.map(sampleOf), kept]);
  if (doubt) {
    const busy = runs.map(({ measured }) => busyText(measured?.machine ?? null)).find((one) => one !== null);
    const why = busy ?? 'the machine that made the load stood still too often in some of the runs';
    return { value, verdict: 'inconclusive', against, reason: `${changeText(metric, against)}: ${why}` };
  }
  return { value, verdict, against };
}

/** `12% worse than the baseline's 40.2 ms` */
export function changeText(
  metric: string,
  { worseBy, baseline }: Pick<AgainstBaseline, 'worseBy' | 'baseline'>,
): string {
  const of = `the baseline's ${figureText(metric, baseline)}${metric === 'requests_per_second' ? '/s' : ''}`;
  const share = Math.abs(Number(worseBy.toPrecision(2)));
  // What is too little to be told with two digits is nothing.
  if (share < 0.1) return `as ${of}`;
  return `${share}% ${worseBy > 0 ? 'worse' : 'better'} than ${of}`;
}

/** Of many limits, one fails by chance now and then: the sum of their chances in percent; null for few limits. */
export function falseAlarms(limits: number): number | null {
  return limits > MOST_LIMITS ? Math.min(100, Math.round(limits * FALSE_ALARM)) : null;
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
export function machineOf({ measured, generatorVersion: version }: RunResult): BaselineMachine | null {
  const machine = measured?.machine ?? null;
  if (machine === null) return null;
  const { cores, node, measuring, loops } = machine;
  return { cores, threads: loops.length, node, measuring, version };
}

/** Why there is nothing to compare with; null where there is. */
function baselineFault(state: BaselineState | null, runs: readonly RunResult[]): string | null {
  if (state === null || state.kind === 'missing') return 'there is no baseline yet';
  if (state.kind === 'stale') return 'the baseline is of another load';
  const versions = [
    ...state.baseline.runs.map(({ machine }) => machine?.measuring ?? null),
    ...runs.map(({ measured }) => measured?.machine?.measuring ?? null),
  ];
  return versions.every((one) => one === versions[0]) ? null : 'the baseline was measured in another way';
}

/** `p95 is 6% worse than …, and runs differ by 8.2%; 9 new runs would decide, with --repeat 9` */
function undecidedText(metric: string, against: AgainstBaseline, enough: number | null): string {
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
function doubtOf(
  verdict: 'pass' | 'fail',
  about: {
    readonly metric: Metric;
    readonly worse: 'more' | 'less';
    readonly seen: Worsening;
    readonly most: number;
  },
  [fresh, kept]: readonly [readonly Sample[], readonly Sample[]],
): boolean {
  const { metric, worse, seen, most } = about;
  const [now, before] = [ownDelays(metric, fresh), ownDelays(metric, kept)];
  if (now === null || before === null) return false;
  if (!Number.isFinite(now) || !Number.isFinite(before)) {
    // Nobody knows how many requests a machine at its limit kept from being made.
    return verdict === 'fail' && worse === 'less' && !Number.isFinite(now);
  }
  const without = verdictOfWorsening({ ...seen, change: seen.change - (now - before) }, most);
  return verdict === 'fail' ? without !== 'fail' : without === 'fail';
}

/** How much worse the machine's own delays may have made a figure, as a mean logarithm; null where runs do not tell. */
function ownDelays(metric: Metric, samples: readonly Sample[]): number | null {
  const each = samples.map((sample) => {
    const { value, bounds } = figureOf(metric, sample);
    if (value === null || bounds === undefined) return null;
    if (worseOf(metric) === 'less') {
      return bounds.high === null ? Number.POSITIVE_INFINITY : Math.log(bounds.high / value);
    }
    return Math.log(Math.max(LEAST_TIME, value) / Math.max(LEAST_TIME, bounds.low));
  });
  const known = each.filter((one) => one !== null);
  return known.length < each.length ? null : known.reduce((sum, one) => sum + one, 0) / each.length;
}

/** Null where a run lacks it, or there are none. */
function figuresOf(metric: Metric, samples: readonly Sample[]): readonly number[] | null {
  const figures = samples.map((sample) => figureOf(metric, sample).value);
  const known = figures.filter((one) => one !== null);
  if (known.length === 0 || known.length < figures.length) return null;
  return worseOf(metric) === 'more' ? known.map((one) => Math.max(LEAST_TIME, one)) : known;
}

export function sampleOf({ figures, measured, times }: RunResult): Sample {
  return { figures, bounds: measured?.bounds ?? null, times };
}

/** That of the logarithms, as it is compared. */
export function meanOf(figures: readonly number[]): number {
  return Math.exp(figures.reduce((sum, one) => sum + Math.log(one), 0) / figures.length);
}

/** As people say it: a rate that halves is 50 % worse. */
function percentOf(change: number, worse: 'more' | 'less'): number {
  return worse === 'more' ? 100 * Math.expm1(change) : -100 * Math.expm1(-change);
}

/**
 * Evaluation of regression thresholds.
 * @see docs/internals/results.md, section 4
 */
import { counted } from '../counted.ts';
import { metricText } from '../model/metric-text.ts';
import type { BaselineMachine } from '../model/baseline.ts';
import { worseDirectionOf, type BaselineState, type RegressionThreshold } from '../model/regression.ts';
import type { BaselineComparison } from '../model/run-verdict.ts';
import type { Sample } from '../model/sample.ts';
import type { Metric } from '../model/threshold.ts';
import type { RunRecord } from '../run-record/run-record.ts';
import { metricValueOf } from './metric-value.ts';
import { busyText } from './uncertainty.ts';
import {
  maxRegression,
  runsToDecide,
  verdictOfRegression,
  testRegression,
  type RegressionEstimate,
  type RegressionVerdict,
} from './regression-test.ts';
import { sumOf, sumOrNull } from '../sum.ts';

export interface RegressionEvaluation {
  /**
   * Geometric mean of the metric in the new runs; null if there are no new runs, or if one of them lacks the metric.
   */
  readonly value: number | null;
  readonly verdict: RegressionVerdict;
  readonly reason?: string;
  readonly comparison?: BaselineComparison;
}

/** False-positive rate of one threshold in percent, for 1 new run and 5 baseline runs. */
const FALSE_POSITIVE_PERCENT = 2.4;
const MAX_THRESHOLDS = 5;

/** Resolution of times, in ms. Smaller times are replaced by this value, because 0 has no logarithm. */
const MIN_TIME_MS = 0.001;

/** @param runs - new runs that can be evaluated and have the same load */
export function evaluateRegression(
  { metric, allowed }: RegressionThreshold,
  state: BaselineState | null,
  runs: readonly RunRecord[],
): RegressionEvaluation {
  const current = metricValuesOf(metric, runs);
  const value = current === null ? null : meanOf(current);
  const inconclusive = (reason: string): RegressionEvaluation => ({
    value,
    verdict: 'inconclusive',
    reason: `not compared: ${reason}`,
  });
  const problem = baselineProblem(state, runs);
  if (problem !== null || state?.kind !== 'read') return inconclusive(problem ?? 'there was no baseline');
  const baselineRuns = state.baseline.runs;
  const before = metricValuesOf(metric, baselineRuns);
  const worseDirection = worseDirectionOf(metric);
  if (current === null || worseDirection === null)
    return inconclusive('at least one result does not contain the metric');
  if (before === null) return inconclusive('at least one run of the baseline does not contain the metric');
  const estimate = testRegression({ current, baseline: before, worseDirection });
  if (estimate === null) return inconclusive('the metric is 0 in at least one run');
  const comparison: BaselineComparison = {
    worseBy: percentOf(estimate.change, worseDirection),
    allowed: 100 * allowed,
    baseline: meanOf(before),
    runs: estimate.runs.current,
    baselineRuns: estimate.runs.baseline,
    standardDeviation:
      estimate.standardDeviation === null ? null : 100 * Math.expm1(estimate.standardDeviation),
  };
  const maxChange = maxRegression(worseDirection, allowed);
  const verdict = verdictOfRegression(estimate, maxChange);
  if (verdict === 'inconclusive') {
    return {
      value,
      verdict,
      comparison,
      reason: inconclusiveText(metric, comparison, runsToDecide(estimate, maxChange)),
    };
  }
  const isUncertain = hasDecisiveDelays(verdict, { metric, worse: worseDirection, estimate, maxChange }, [
    runs,
    baselineRuns,
  ]);
  if (isUncertain) {
    const busy = runs.map(({ machine }) => busyText(machine)).find((one) => one !== null);
    const why = busy ?? 'delays of the load generator could change the verdict';
    return {
      value,
      verdict: 'inconclusive',
      comparison,
      reason: `${changeText(metric, comparison)}: ${why}`,
    };
  }
  return { value, verdict, comparison };
}

/**
 * Returns an inconclusive evaluation for a run that has not ended. If the baseline is usable, `comparison` contains the
 * value of the baseline, but no change.
 */
export function pendingRegression(
  { metric, allowed }: RegressionThreshold,
  state: BaselineState | null,
): RegressionEvaluation {
  const pending = { value: null, verdict: 'inconclusive' } as const;
  const runs = state?.kind === 'read' && baselineProblem(state, []) === null ? state.baseline.runs : [];
  const before = metricValuesOf(metric, runs);
  if (before === null) return pending;
  const comparison: BaselineComparison = {
    worseBy: 0,
    allowed: 100 * allowed,
    baseline: meanOf(before),
    runs: 0,
    baselineRuns: runs.length,
    standardDeviation: null,
  };
  return { ...pending, comparison };
}

/**
 * Returns how much worse a value is than the baseline, in percent of the baseline. Negative if the value is better; 0
 * if the baseline is 0.
 */
export function worsening(metric: string, value: number, baseline: number): number {
  if (!(baseline > 0)) return 0;
  const change = 100 * (value / baseline - 1);
  return worseDirectionOf(metric) === 'less' ? -change : change;
}

/** Describes a change: `12% worse than the baseline's 40.2 ms`. */
export function changeText(
  metric: string,
  { worseBy, baseline }: Pick<BaselineComparison, 'worseBy' | 'baseline'>,
): string {
  const baselineText = `the baseline's ${metricText(metric, baseline)}${metric === 'requests_per_second' ? '/s' : ''}`;
  const percent = Math.abs(Number(worseBy.toPrecision(2)));
  if (percent < 0.1) return `the same as ${baselineText}`;
  return `${percent}% ${worseBy > 0 ? 'worse' : 'better'} than ${baselineText}`;
}

/**
 * Returns an upper bound, in percent, of the probability that at least one threshold fails by chance; null for up to
 * `MAX_THRESHOLDS` thresholds.
 */
export function falsePositiveRate(thresholds: number): number | null {
  return thresholds > MAX_THRESHOLDS ? Math.min(100, Math.round(thresholds * FALSE_POSITIVE_PERCENT)) : null;
}

/** Describes differences in the numbers of cores and threads; null if there are none, or if a machine is null. */
export function otherMachineText(before: BaselineMachine | null, now: BaselineMachine | null): string | null {
  if (before === null || now === null) return null;
  const parts = [
    before.cores === now.cores ? null : `${counted(before.cores, 'core')}, now ${now.cores}`,
    before.threads === now.threads ? null : `${counted(before.threads, 'thread')}, now ${now.threads}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

export function machineOf({ generator, machine }: RunRecord): BaselineMachine | null {
  if (machine === null) return null;
  const { cores, node, measurementVersion, threadLoads } = machine;
  return {
    cores: cores ?? 0,
    threads: threadLoads.length,
    node: node ?? '',
    measurementVersion: measurementVersion ?? 0,
    version: generator?.version ?? null,
  };
}

/** Returns the reason why the baseline cannot be used; null if there is none. */
function baselineProblem(state: BaselineState | null, runs: readonly RunRecord[]): string | null {
  if (state === null || state.kind === 'missing') return 'there was no baseline';
  if (state.kind === 'stale') return 'the baseline was recorded with a different load';
  const versions = [
    ...state.baseline.runs.map(({ machine }) => machine?.measurementVersion ?? null),
    ...runs.map(({ machine }) => machine?.measurementVersion ?? null),
  ];
  return versions.every((one) => one === versions[0])
    ? null
    : 'the runs and the baseline were not all measured in the same way; record a new baseline';
}

/** Explains an inconclusive comparison: `6% worse than …, and runs differ by 8.2%; 9 new runs are needed …`. */
function inconclusiveText(metric: string, comparison: BaselineComparison, neededRuns: number | null): string {
  const { standardDeviation } = comparison;
  const change = changeText(metric, comparison);
  if (standardDeviation === null) {
    return `${change}, but one new run and one baseline run do not show how much results vary between runs; use --repeat 5`;
  }
  const differ = `${change}, and runs differ by ${Number(standardDeviation.toPrecision(2))}%`;
  return neededRuns === null
    ? `${differ}; more than 50 new runs would be needed for a verdict`
    : `${differ}; ${neededRuns} new runs are needed for a verdict: --repeat ${neededRuns}`;
}

/** Reports whether delays of the load generator could have changed the verdict to or from `fail`. */
function hasDecisiveDelays(
  verdict: 'pass' | 'fail',
  about: {
    readonly metric: Metric;
    readonly worse: 'more' | 'less';
    readonly estimate: RegressionEstimate;
    readonly maxChange: number;
  },
  [current, baseline]: readonly [readonly Sample[], readonly Sample[]],
): boolean {
  const { metric, worse, estimate, maxChange } = about;
  const now = generatorDelays(metric, current);
  const before = generatorDelays(metric, baseline);
  if (now === null || before === null) return false;
  if (!Number.isFinite(now) || !Number.isFinite(before)) {
    // If a rate has no upper bound, the load generator may have prevented any number of requests.
    return verdict === 'fail' && worse === 'less' && !Number.isFinite(now);
  }
  const withoutDelays = verdictOfRegression(
    { ...estimate, change: estimate.change - (now - before) },
    maxChange,
  );
  return verdict === 'fail' ? withoutDelays !== 'fail' : withoutDelays === 'fail';
}

/**
 * Returns the maximum effect of load generator delays on a metric, as the mean of the logarithmic changes of all runs.
 * Infinity if a rate has no upper bound; null if a run lacks the metric or the bounds of the metric.
 */
function generatorDelays(metric: Metric, samples: readonly Sample[]): number | null {
  const each = samples.map((sample) => {
    const { value, bounds } = metricValueOf(metric, sample);
    if (value === null || bounds === undefined) return null;
    if (worseDirectionOf(metric) === 'less') {
      return bounds.high === null ? Number.POSITIVE_INFINITY : Math.log(bounds.high / value);
    }
    return Math.log(Math.max(MIN_TIME_MS, value) / Math.max(MIN_TIME_MS, bounds.low));
  });
  const sum = sumOrNull(each);
  return sum === null ? null : sum / each.length;
}

function metricValuesOf(metric: Metric, samples: readonly Sample[]): readonly number[] | null {
  const values = samples.map((sample) => metricValueOf(metric, sample).value);
  const known = values.filter((one) => one !== null);
  if (known.length === 0 || known.length < values.length) return null;
  return worseDirectionOf(metric) === 'more' ? known.map((one) => Math.max(MIN_TIME_MS, one)) : known;
}

/** Returns the geometric mean. */
export function meanOf(values: readonly number[]): number {
  return Math.exp(sumOf(values.map(Math.log)) / values.length);
}

/** Converts a logarithmic change to a percentage of the original value: a rate that halves is 50% worse. */
function percentOf(change: number, worse: 'more' | 'less'): number {
  return worse === 'more' ? 100 * Math.expm1(change) : -100 * Math.expm1(-change);
}

/**
 * The verdict of a run: one pure function of the result, the same for the command line, reports and pages.
 *
 * Source: docs/design/results.md, section 2.
 */
import {
  judgeRegression,
  machineOf,
  otherMachineText,
  sampleOf,
  type AgainstBaseline,
} from './compare/regression.ts';
import type { Interval } from './load/report.ts';
import type { RunnableTest } from './model/load-test.ts';
import type { RegressionLimit } from './model/regression.ts';
import type { RunResult, Sample } from './model/run.ts';
import { stopText } from './model/run-stop.ts';
import { placeOf, type Place } from './source.ts';
import { holds, subjectText, verdictWithin, type Threshold } from './model/threshold.ts';
import { figureOf } from './sample-figure.ts';
import { busyText, shortfallText, uncertaintyText } from './uncertainty.ts';

export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';

export interface JudgedThreshold {
  readonly metric: string;
  /** Of a limit on one URL: what it is called. */
  readonly url?: string;
  readonly limit: string;
  /** Null: the result does not have the figure. */
  readonly value: number | null;
  /** Where the figure lies whatever the generator did to it; left out where the result does not tell. */
  readonly bounds?: Interval;
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why it is inconclusive, where the figure alone does not tell. */
  readonly reason?: string;
  /** Where the file has it; left out where no file does. */
  readonly source?: Place;
  /** Of a limit on the change since the baseline: what that is. */
  readonly regression?: AgainstBaseline;
}

/** What a run is judged by. */
export type Limits = Pick<RunnableTest, 'thresholds' | 'regression'>;

export interface Judgement {
  readonly verdict: Verdict;
  readonly thresholds: readonly JudgedThreshold[];
  /** Why, in words, where the thresholds alone do not tell. */
  readonly reason: string | null;
}

/**
 * @param result null when there is none to judge
 * @param others runs of the same rounds: what is compared with the baseline is all of them together
 */
export function judge(
  limits: Limits,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): Judgement {
  if (result?.abortReason === 'error_threshold' && result.measured?.abortCertain !== false) {
    const where = result.endedInWarmup ? ' in its warm-up' : '';
    return withReason('fail', judged(limits, result, others), `the error threshold was reached${where}`);
  }
  const reason = noVerdictReason(result);
  if (reason !== null || result === null) {
    // What speaks against a limit by itself is no help where the run has no verdict at all.
    const each = judged(limits, result, []).map(({ reason: _, ...one }) => ({
      ...one,
      verdict: 'inconclusive' as const,
    }));
    return withReason(hasLimits(limits) ? 'inconclusive' : 'none', each, reason);
  }
  const note = noteOn(limits, result);
  if (!hasLimits(limits)) return withReason('none', [], note);
  const each = judged(limits, result, others);
  if (each.some(({ verdict }) => verdict === 'fail')) return withReason('fail', each, note);
  const missing = each
    .filter(({ value, reason: told }) => value === null && told === undefined)
    .map(subjectText);
  if (missing.length > 0) return withReason('inconclusive', each, `the result has no ${missing.join(', ')}`);
  if (each.some(({ verdict }) => verdict === 'inconclusive')) return withReason('inconclusive', each, note);
  return withReason('pass', each, note);
}

/** Whether a test has anything to be judged by. */
export function hasLimits({ thresholds, regression }: Limits): boolean {
  return thresholds.length + regression.limits.length > 0;
}

/** Whether a run went as it was declared, so that its figures say something of the target. */
export function isSound(result: RunResult): boolean {
  return noVerdictReason(result) === null;
}

function withReason(
  verdict: Verdict,
  thresholds: readonly JudgedThreshold[],
  reason: string | null,
): Judgement {
  return { verdict, thresholds, reason };
}

/** Why nothing can be said of a run, however its figures look; null when they can be judged. */
function noVerdictReason(result: RunResult | null): string | null {
  if (result === null) return 'the result is missing';
  if (result.status !== 'ready') return 'the result is not ready';
  const { measured } = result;
  if (result.abortReason === 'error_threshold') {
    return 'the error threshold was reached only with failures while this machine stood still';
  }
  if (typeof result.abortReason === 'string' && result.abortReason !== '') {
    const why = result.stopped === null ? result.abortReason : stopText(result.stopped);
    return `the run ended early${result.endedInWarmup ? ', in its warm-up' : ''}: ${why}`;
  }
  if (measured === null && result.generatorOverloaded) return 'the load generator was overloaded';
  const shortfall = measured === null ? null : shortfallText(measured);
  if (shortfall !== null) return shortfall;
  if (result.figures.requests === 0) return 'the run has no samples';
  return null;
}

/** What is to be said of a run whatever its verdict is; null for nothing. */
function noteOn({ regression }: Limits, result: RunResult): string | null {
  const { measured, record } = result;
  if (measured === null) {
    const ours = record['generator'] !== undefined && record['generator'] !== null;
    return ours ? 'judged by its figures alone: the record is of an earlier version' : null;
  }
  const busy = measured.offered?.model === 'closed' ? busyText(measured.machine) : null;
  if (busy !== null || regression.baseline?.kind !== 'read') return busy;
  const made = regression.baseline.baseline.runs.at(-1)?.machine ?? null;
  const other = otherMachineText(made, machineOf(result));
  return other === null ? null : `the baseline was made on another machine: ${other}`;
}

function judged(
  { thresholds, regression }: Limits,
  result: RunResult | null,
  others: readonly RunResult[],
): JudgedThreshold[] {
  const runs = [
    ...others.filter((one) => one.id !== result?.id && isSound(one)),
    ...(result ? [result] : []),
  ];
  return [
    ...thresholds.map((threshold) => judgeOne(threshold, result)),
    ...regression.limits.map((limit) => {
      const { against, ...found } = judgeRegression(limit, regression.baseline, runs);
      const place = limit.source === null ? {} : { source: placeOf(limit.source) };
      const told = { metric: limit.metric, limit: regressionText(limit), ...found, ...place };
      return against === undefined ? told : { ...told, regression: against };
    }),
  ];
}

/** `at most 10% worse than the baseline` */
export function regressionText({ limit }: RegressionLimit): string {
  return `at most ${limit.trim()} worse than the baseline`;
}

function judgeOne(threshold: Threshold, result: RunResult | null): JudgedThreshold {
  const { metric, limit, url, source } = threshold;
  const subject = { metric, ...(url === null ? {} : { url: url.label }), limit };
  const place = source === null ? {} : { source: placeOf(source) };
  const { value, bounds } = figureOf(metric, result && limitedSample(threshold, result));
  if (value === null) return { ...subject, value, verdict: 'inconclusive', ...place };
  if (bounds === undefined)
    return { ...subject, value, verdict: holds(value, threshold) ? 'pass' : 'fail', ...place };
  const verdict = verdictWithin(bounds, threshold);
  if (verdict !== 'inconclusive') return { ...subject, value, bounds, verdict, ...place };
  const reason = uncertaintyText(threshold, bounds, result?.measured?.machine ?? null);
  return { ...subject, value, bounds, verdict, reason, ...place };
}

/** What a limit is on. Null: the result does not tell of that URL. */
function limitedSample({ url }: Threshold, result: RunResult): Sample | null {
  return url === null ? sampleOf(result) : (result.urls?.[url.index] ?? null);
}

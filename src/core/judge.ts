/**
 * The verdict of a run: one pure function of the result, the same for the command line, reports and pages.
 *
 * Source: docs/design/results.md, section 2.
 */
import { judgeRegression, machineOf, otherMachineText, sampleOf } from './compare/regression.ts';
import type { Judgement, JudgedThreshold, Verdict } from './model/judgement.ts';
import type { RunnableTest } from './model/load-test.ts';
import { NO_REGRESSION, type RegressionLimit } from './model/regression.ts';
import type { RunResult, Sample } from './model/run.ts';
import { earlyEndText } from './model/early-end.ts';
import { stopText } from './model/run-stop.ts';
import { placeOf } from './source.ts';
import { holds, subjectText, verdictWithin, type Threshold } from './model/threshold.ts';
import { figureOf } from './sample-figure.ts';
import { busyText, shortfallText, uncertaintyText } from './uncertainty.ts';

/** What a run is judged by. */
export type Limits = Pick<RunnableTest, 'thresholds' | 'regression'>;

/**
 * @param result null when there is none to judge
 * @param others runs of the same rounds: what is compared with the baseline is all of them together
 */
export function judge(
  limits: Limits,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): Judgement {
  const broken = brokenReason(result);
  if (broken !== null) return withReason('fail', judged(limits, result, others), broken);
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

/**
 * The verdict to show of a run that is over: the one that was told of it, which may rest on more than its result, such
 * as the other runs of its rounds. Where the limits are others by now, the run is judged by these.
 *
 * @param limits null: nobody knows them
 */
export function shownJudgement(limits: Limits | null, result: RunResult): Judgement {
  const told = result.judgement;
  const own = judge(limits ?? { thresholds: [], regression: NO_REGRESSION }, result);
  if (told === null) return own;
  if (limits === null) return told;
  const places = own.thresholds.map(({ source }) => (source === undefined ? {} : { source }));
  return sameLimits(told, own)
    ? { ...told, thresholds: told.thresholds.map((one, index) => ({ ...one, ...places[index] })) }
    : own;
}

function sameLimits(one: Judgement, other: Judgement): boolean {
  const limits = ({ thresholds }: Judgement) =>
    JSON.stringify(thresholds.map(({ metric, url, limit }) => [metric, url ?? null, limit]));
  return limits(one) === limits(other);
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

/** What is to be said of a run that nobody has judged, where its limits are not known; null: nothing. */
export function unjudgedReason(result: RunResult): string | null {
  return brokenReason(result) ?? noVerdictReason(result);
}

/** Of a run that failed, whatever its limits are. */
function brokenReason(result: RunResult | null): string | null {
  if (result?.abortReason !== 'error_threshold' || result.measured?.abortCertain === false) return null;
  return `the error threshold was reached${result.endedInWarmup ? ' in its warm-up' : ''}`;
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
    const why = result.stopped === null ? earlyEndText(result.abortReason) : stopText(result.stopped);
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

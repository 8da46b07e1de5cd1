/**
 * Evaluation of runs and their thresholds.
 * @see docs/internals/results.md, section 2
 */
import { phaseFailureText } from '../run-record/failure-text.ts';
import {
  evaluateRegression,
  machineOf,
  otherMachineText,
  pendingRegression,
  type RegressionEvaluation,
} from './regression-evaluation.ts';
import type { RunVerdict, EvaluatedThreshold, Verdict } from '../model/run-verdict.ts';
import { SPEC_DEFAULTS, type RunnableTest } from '../model/load-test.ts';
import { counted } from '../counted.ts';
import { baselineIdsOf, NO_REGRESSION, type RegressionThreshold } from '../model/regression.ts';
import type { Sample } from '../model/sample.ts';
import { abortReasonText } from '../load/abort-reason-text.ts';
import { stopText } from '../model/run-stop.ts';
import { locationOf } from '../source-location.ts';
import type { ThresholdStop } from '../load/run-report.ts';
import { metricText } from '../model/metric-text.ts';
import { labelsOf, subjectText, verdictWithin, type Threshold } from '../model/threshold.ts';
import { groupSampleOf } from './merged-sample.ts';
import { metricValueOf } from './metric-value.ts';
import type { RunRecord } from '../run-record/run-record.ts';
import type { RunResult } from '../run-record/run-result.ts';
import { isProvenFailure, shortageOf, shortageText } from './sample-size.ts';
import { busyText, shortfallText, uncertaintyText } from './uncertainty.ts';

export type PassCriteria = Pick<RunnableTest, 'thresholds' | 'regression'>;

/**
 * @param result - null if the run has no result
 * @param others - results of the same test from other rounds, which are included in the evaluation of regression
 * thresholds
 */
export function evaluateRun(
  criteria: PassCriteria,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): RunVerdict {
  const failure = failureReason(result);
  if (failure !== null)
    return verdictWithReason('fail', evaluateThresholds(criteria, result, others), failure);
  const reason = inconclusiveReason(result);
  if (reason !== null || result === null) {
    // If the run as a whole cannot be evaluated, the reasons for single thresholds are irrelevant.
    const each = evaluateThresholds(criteria, result, []).map(({ reason: _, ...one }) => ({
      ...one,
      verdict: 'inconclusive' as const,
    }));
    return verdictWithReason(hasThresholds(criteria) ? 'inconclusive' : 'none', each, reason);
  }
  const note = noteFor(criteria, result);
  if (!hasThresholds(criteria)) return verdictWithReason('none', [], note);
  const each = evaluateThresholds(criteria, result, others);
  if (each.some(({ verdict }) => verdict === 'fail')) return verdictWithReason('fail', each, note);
  const missing = each
    .filter(({ value, reason: cause }) => value === null && cause === undefined)
    .map(subjectText);
  if (missing.length > 0)
    return verdictWithReason('inconclusive', each, `the result has no ${missing.join(', ')}`);
  if (each.some(({ verdict }) => verdict === 'inconclusive'))
    return verdictWithReason('inconclusive', each, note);
  return verdictWithReason('pass', each, note);
}

/**
 * Returns the verdict on a completed run. A published verdict for the same thresholds and the same baseline takes
 * precedence, because other rounds may have contributed to that verdict.
 * @param criteria - null if the thresholds are unknown
 * @param result - null if the run has no result
 */
export function selectDisplayedVerdict(criteria: PassCriteria | null, result: RunResult | null): RunVerdict {
  const published = result?.verdict ?? null;
  const own = evaluateRun(criteria ?? { thresholds: [], regression: NO_REGRESSION }, result);
  if (published === null) return own;
  if (criteria === null) return published;
  const locations = own.thresholds.map(({ source }) => (source === undefined ? {} : { source }));
  const isSameBaseline = String(published.baseline ?? []) === String(baselineIdsOf(criteria.regression));
  return isSameBaseline && haveSameThresholds(published, own)
    ? {
        ...published,
        thresholds: published.thresholds.map((one, index) => ({ ...one, ...locations[index] })),
      }
    : own;
}

function haveSameThresholds(one: RunVerdict, other: RunVerdict): boolean {
  const keysOf = ({ thresholds }: RunVerdict) =>
    JSON.stringify(
      thresholds.map(({ metric, url, flow, group, limit, minSamples }) =>
        [metric, url, flow, group, limit, minSamples].map((one) => one ?? null),
      ),
    );
  return keysOf(one) === keysOf(other);
}

export function hasThresholds({ thresholds, regression }: PassCriteria): boolean {
  return thresholds.length + regression.thresholds.length > 0;
}

/**
 * Reports whether the thresholds of a run can be evaluated. False, for example, if the run ended early or did not
 * deliver the declared load.
 */
export function isValidRun(result: RunResult): boolean {
  return inconclusiveReason(result) === null;
}

function verdictWithReason(
  verdict: Verdict,
  thresholds: readonly EvaluatedThreshold[],
  reason: string | null,
): RunVerdict {
  return { verdict, thresholds, reason };
}

type EndedRun = Pick<RunResult, 'status' | 'record'>;

/** Returns a verdict without evaluating thresholds: `fail` if the run already counts as failed, otherwise `none`. */
export function unevaluatedVerdict(result: EndedRun): RunVerdict {
  const failure = failureReason(result);
  return verdictWithReason(failure === null ? 'none' : 'fail', [], failure ?? inconclusiveReason(result));
}

function failureReason(result: EndedRun | null): string | null {
  if (result?.record.abortReason === 'setup') {
    const failure = result.record.setup?.failure ?? null;
    return failure === null ? abortReasonText('setup') : phaseFailureText('setup', failure);
  }
  if (result?.record.abortReason === 'threshold') return thresholdStopText(result.record.thresholdStop);
  if (result?.record.abortReason !== 'error_threshold' || result.record.abortCertain === false) return null;
  const { errorStop, warmup } = result.record;
  if (errorStop === null)
    return `the error threshold was reached${endedInWarmup(result.record) ? ' during the warm-up' : ''}`;
  const { threshold, finished, failed } = errorStop;
  const percent = Number(((100 * failed) / finished).toFixed(1));
  const isDefault = threshold === SPEC_DEFAULTS.errorThreshold;
  return `${percent}% of the first ${counted(finished, 'request')} failed${warmup === null ? '' : ', including the warm-up'}; "error_threshold" is ${threshold}${isDefault ? ', the default' : ''}`;
}

/** Describes an early end: `"abort_after" ended the run after 31 seconds: p95 was 3,412 ms, threshold < 3s`. */
function thresholdStopText(stop: ThresholdStop | null): string {
  if (stop === null) return abortReasonText('threshold');
  const { metric, limit, value, second } = stop;
  return `"abort_after" ended the run after ${counted(second, 'second')}: ${subjectText(stop)} was ${metricText(metric, value)}, threshold ${limit}`;
}

function lossText({ workers, knownUntil, metrics }: RunRecord): string | null {
  const lost = (workers ?? []).filter(({ lossReason }) => lossReason !== null);
  const [first] = lost;
  if (first !== undefined) {
    const names = lost.map(({ name }) => name ?? 'unnamed').join(', ');
    return lost.length === 1
      ? `worker ${names} was lost: ${first.lossReason ?? ''}`
      : `workers ${names} were lost`;
  }
  if (knownUntil !== null)
    return `the service was interrupted: measurements exist only up to second ${Math.floor(knownUntil / 1000)}, and counts are lower bounds`;
  return metrics.requests === undefined
    ? 'the service was interrupted before it saved any measurements of the run'
    : null;
}

function endedInWarmup({ warmup }: RunRecord): boolean {
  return warmup?.complete === false;
}

/** Returns the reason why a run is inconclusive regardless of its thresholds; null if there is none. */
function inconclusiveReason(result: EndedRun | null): string | null {
  if (result === null) return 'the result is missing';
  if (result.status !== 'ready') return 'the result is not ready';
  const { record } = result;
  const { abortReason, stop, bounds, generator, metrics } = record;
  if (abortReason === 'error_threshold') {
    return 'the error threshold was reached only because of failures that occurred while the load generator was stalled';
  }
  if (typeof abortReason === 'string' && abortReason !== '') {
    const loss = abortReason === 'partial' ? lossText(record) : null;
    if (loss !== null) return loss;
    if (abortReason === 'missed') return `the run did not start: ${abortReasonText(abortReason)}`;
    const why = stop === null ? ` (${abortReasonText(abortReason)})` : `, ${stopText(stop)}`;
    return `the run ended early${endedInWarmup(record) ? ', during the warm-up' : ''}${why}`;
  }
  if (bounds === null && generator?.overloaded === true) return 'the load generator was overloaded';
  return shortfallText(record) ?? (metrics.requests === 0 ? 'the run has no samples' : null);
}

function noteFor(criteria: PassCriteria, { record }: RunResult): string | null {
  const notes = [missingIterationsText(record), measurementNote(criteria, record)];
  return notes.filter((note) => note !== null).join('; ') || null;
}

function missingIterationsText({ iterations }: RunRecord): string | null {
  const missing = iterations?.missing ?? 0;
  if (missing === 0) return null;
  return `${counted(missing, 'declared iteration')} did not finish before "duration" ended the run`;
}

function measurementNote({ regression }: PassCriteria, record: RunRecord): string | null {
  const { bounds, generator, delivery, machine } = record;
  if (bounds === null) {
    // Some third-party services do not describe the load generator.
    return generator === null
      ? null
      : 'evaluated without measurement uncertainty: the result was recorded by an earlier version of loadtests';
  }
  const busy = delivery?.model === 'closed' ? busyText(machine) : null;
  if (busy !== null || regression.baseline?.kind !== 'read') return busy;
  const recordedOn = regression.baseline.baseline.runs.at(-1)?.machine ?? null;
  const other = otherMachineText(recordedOn, machineOf(record));
  return other === null ? null : `the baseline was recorded with a different load generator: ${other}`;
}

/** Returns inconclusive thresholds without values, for a run that has not ended. */
export function pendingThresholds({ thresholds, regression }: PassCriteria): EvaluatedThreshold[] {
  return [
    ...thresholds.map((threshold) => evaluateThreshold(threshold, null)),
    ...regression.thresholds.map((limit) =>
      evaluatedRegression(limit, pendingRegression(limit, regression.baseline)),
    ),
  ];
}

function evaluateThresholds(
  { thresholds, regression }: PassCriteria,
  result: RunResult | null,
  others: readonly RunResult[],
): EvaluatedThreshold[] {
  const runs = [
    ...others.filter((one) => one.id !== result?.id && isValidRun(one)),
    ...(result ? [result] : []),
  ].map(({ record }) => record);
  return [
    ...thresholds.map((threshold) => evaluateThreshold(threshold, result?.record ?? null)),
    ...regression.thresholds.map((limit) =>
      evaluatedRegression(limit, evaluateRegression(limit, regression.baseline, runs)),
    ),
  ];
}

function evaluatedRegression(
  limit: RegressionThreshold,
  { comparison, ...found }: RegressionEvaluation,
): EvaluatedThreshold {
  const location = limit.source === null ? {} : { source: locationOf(limit.source) };
  const evaluated = { metric: limit.metric, limit: regressionText(limit), ...found, ...location };
  return comparison === undefined ? evaluated : { ...evaluated, regression: comparison };
}

export function regressionText({ limit }: RegressionThreshold): string {
  return `at most ${limit.trim()} worse than the baseline`;
}

/** @param record - record of a run that has ended or is in progress; null if there is none */
export function evaluateThreshold(threshold: Threshold, record: RunRecord | null): EvaluatedThreshold {
  const { metric, limit, minSamples, source } = threshold;
  const subject = {
    ...labelsOf(threshold),
    limit,
    ...(minSamples === undefined ? {} : { minSamples }),
  };
  const location = source === null ? {} : { source: locationOf(source) };
  const sample = record && sampleForThreshold(threshold, record);
  const { value, bounds } = metricValueOf(metric, sample);
  if (value === null || sample === null) return { ...subject, value, verdict: 'inconclusive', ...location };
  const range = bounds ?? { low: value, high: value };
  const measured = { ...subject, value, ...(bounds === undefined ? {} : { bounds }) };
  const verdict = verdictWithin(range, threshold);
  if (verdict === 'inconclusive') {
    const reason = uncertaintyText(threshold, range, record?.machine ?? null);
    return { ...measured, verdict, reason, ...location };
  }
  const shortage = shortageOf(threshold, sample);
  if (shortage === null || (verdict === 'fail' && isProvenFailure(threshold, sample)))
    return { ...measured, verdict, ...location };
  const reason = shortageText(metric, value, shortage);
  return { ...measured, verdict: 'inconclusive', reason, ...location };
}

/**
 * Returns the sample to which a threshold applies; null if the record does not contain the URLs or the flow of the
 * threshold.
 */
export function sampleForThreshold({ url, flow, group }: Threshold, record: RunRecord): Sample | null {
  if (group !== undefined) return groupSampleOf(record, group);
  if (flow !== undefined) return record.flows?.[flow.index] ?? null;
  return url === null ? record : (record.urls?.[url.index] ?? null);
}

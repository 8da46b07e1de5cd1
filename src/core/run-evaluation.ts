/**
 * The verdict of a run: one pure function of the result, the same for the command line, reports and pages.
 *
 * Source: docs/internals/results.md, section 2.
 */
import {
  evaluateRegression,
  machineOf,
  otherMachineText,
  sampleOf,
} from './compare/regression-evaluation.ts';
import type { RunVerdict, EvaluatedThreshold, Verdict } from './model/run-verdict.ts';
import type { RunnableTest } from './model/load-test.ts';
import { NO_REGRESSION, type RegressionThreshold } from './model/regression.ts';
import type { RunResult, Sample } from './model/run-result.ts';
import { abortReasonText } from './model/abort-reason-text.ts';
import { stopText } from './model/run-stop.ts';
import { locationOf } from './source-location.ts';
import { meetsCondition, subjectText, verdictWithin, type Threshold } from './model/threshold.ts';
import { metricValueOf } from './metric-value.ts';
import { busyText, shortfallText, uncertaintyText } from './uncertainty.ts';

/** What a run is judged by. */
export type PassCriteria = Pick<RunnableTest, 'thresholds' | 'regression'>;

/**
 * @param result null when there is none to judge
 * @param others runs of the same rounds: what is compared with the baseline is all of them together
 */
export function evaluateRun(
  limits: PassCriteria,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): RunVerdict {
  const broken = failureReason(result);
  if (broken !== null) return verdictWithReason('fail', evaluateThresholds(limits, result, others), broken);
  const reason = inconclusiveReason(result);
  if (reason !== null || result === null) {
    // What speaks against a limit by itself is no help where the run has no verdict at all.
    const each = evaluateThresholds(limits, result, []).map(({ reason: _, ...one }) => ({
      ...one,
      verdict: 'inconclusive' as const,
    }));
    return verdictWithReason(hasThresholds(limits) ? 'inconclusive' : 'none', each, reason);
  }
  const note = noteFor(limits, result);
  if (!hasThresholds(limits)) return verdictWithReason('none', [], note);
  const each = evaluateThresholds(limits, result, others);
  if (each.some(({ verdict }) => verdict === 'fail')) return verdictWithReason('fail', each, note);
  const missing = each
    .filter(({ value, reason: told }) => value === null && told === undefined)
    .map(subjectText);
  if (missing.length > 0)
    return verdictWithReason('inconclusive', each, `the result has no ${missing.join(', ')}`);
  if (each.some(({ verdict }) => verdict === 'inconclusive'))
    return verdictWithReason('inconclusive', each, note);
  return verdictWithReason('pass', each, note);
}

/**
 * The verdict to show of a run that is over: the one that was told of it, which may rest on more than its result, such
 * as the other runs of its rounds. Where the limits are others by now, the run is judged by these.
 *
 * @param limits null: nobody knows them
 */
export function selectDisplayedVerdict(limits: PassCriteria | null, result: RunResult): RunVerdict {
  const told = result.verdict;
  const own = evaluateRun(limits ?? { thresholds: [], regression: NO_REGRESSION }, result);
  if (told === null) return own;
  if (limits === null) return told;
  const locations = own.thresholds.map(({ source }) => (source === undefined ? {} : { source }));
  return haveSameThresholds(told, own)
    ? { ...told, thresholds: told.thresholds.map((one, index) => ({ ...one, ...locations[index] })) }
    : own;
}

function haveSameThresholds(one: RunVerdict, other: RunVerdict): boolean {
  const limits = ({ thresholds }: RunVerdict) =>
    JSON.stringify(thresholds.map(({ metric, url, limit }) => [metric, url ?? null, limit]));
  return limits(one) === limits(other);
}

/** Whether a test has anything to be judged by. */
export function hasThresholds({ thresholds, regression }: PassCriteria): boolean {
  return thresholds.length + regression.thresholds.length > 0;
}

/** Whether a run went as it was declared, so that its figures say something of the target. */
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

/** What is to be said of a run that nobody has judged, where its limits are not known; null: nothing. */
export function unevaluatedReason(result: RunResult): string | null {
  return failureReason(result) ?? inconclusiveReason(result);
}

/** Of a run that failed, whatever its limits are. */
function failureReason(result: RunResult | null): string | null {
  if (result?.abortReason !== 'error_threshold' || result.generator?.abortCertain === false) return null;
  return `the error threshold was reached${result.endedInWarmup ? ' in its warm-up' : ''}`;
}

/** Why nothing can be said of a run, however its figures look; null when they can be judged. */
function inconclusiveReason(result: RunResult | null): string | null {
  if (result === null) return 'the result is missing';
  if (result.status !== 'ready') return 'the result is not ready';
  const { generator } = result;
  if (result.abortReason === 'error_threshold') {
    return 'the error threshold was reached only with failures while this machine stood still';
  }
  if (typeof result.abortReason === 'string' && result.abortReason !== '') {
    const why = result.stop === null ? abortReasonText(result.abortReason) : stopText(result.stop);
    return `the run ended early${result.endedInWarmup ? ', in its warm-up' : ''}: ${why}`;
  }
  if (generator === null && result.generatorOverloaded) return 'the load generator was overloaded';
  const shortfall = generator === null ? null : shortfallText(generator);
  if (shortfall !== null) return shortfall;
  if (result.metrics.requests === 0) return 'the run has no samples';
  return null;
}

/** What is to be said of a run whatever its verdict is; null for nothing. */
function noteFor({ regression }: PassCriteria, result: RunResult): string | null {
  const { generator, record } = result;
  if (generator === null) {
    const ours = record['generator'] !== undefined && record['generator'] !== null;
    return ours ? 'judged by its figures alone: the record is of an earlier version' : null;
  }
  const busy = generator.delivery?.model === 'closed' ? busyText(generator.machine) : null;
  if (busy !== null || regression.baseline?.kind !== 'read') return busy;
  const made = regression.baseline.baseline.runs.at(-1)?.machine ?? null;
  const other = otherMachineText(made, machineOf(result));
  return other === null ? null : `the baseline was made on another machine: ${other}`;
}

function evaluateThresholds(
  { thresholds, regression }: PassCriteria,
  result: RunResult | null,
  others: readonly RunResult[],
): EvaluatedThreshold[] {
  const runs = [
    ...others.filter((one) => one.id !== result?.id && isValidRun(one)),
    ...(result ? [result] : []),
  ];
  return [
    ...thresholds.map((threshold) => evaluateThreshold(threshold, result)),
    ...regression.thresholds.map((limit) => {
      const { comparison, ...found } = evaluateRegression(limit, regression.baseline, runs);
      const location = limit.source === null ? {} : { source: locationOf(limit.source) };
      const told = { metric: limit.metric, limit: regressionText(limit), ...found, ...location };
      return comparison === undefined ? told : { ...told, regression: comparison };
    }),
  ];
}

/** `at most 10% worse than the baseline` */
export function regressionText({ limit }: RegressionThreshold): string {
  return `at most ${limit.trim()} worse than the baseline`;
}

function evaluateThreshold(threshold: Threshold, result: RunResult | null): EvaluatedThreshold {
  const { metric, limit, url, source } = threshold;
  const subject = { metric, ...(url === null ? {} : { url: url.label }), limit };
  const location = source === null ? {} : { source: locationOf(source) };
  const { value, bounds } = metricValueOf(metric, result && sampleForThreshold(threshold, result));
  if (value === null) return { ...subject, value, verdict: 'inconclusive', ...location };
  if (bounds === undefined)
    return { ...subject, value, verdict: meetsCondition(value, threshold) ? 'pass' : 'fail', ...location };
  const verdict = verdictWithin(bounds, threshold);
  if (verdict !== 'inconclusive') return { ...subject, value, bounds, verdict, ...location };
  const reason = uncertaintyText(threshold, bounds, result?.generator?.machine ?? null);
  return { ...subject, value, bounds, verdict, reason, ...location };
}

/** What a limit is on. Null: the result does not tell of that URL. */
function sampleForThreshold({ url }: Threshold, result: RunResult): Sample | null {
  return url === null ? sampleOf(result) : (result.urls?.[url.index] ?? null);
}

/** Text about thresholds and their outcomes. */
import { changeText } from '../compare/regression-evaluation.ts';
import { counted } from '../counted.ts';
import { exactMetricText, metricText, roundToThreeDigits } from '../model/metric-text.ts';
import { meetsCondition, parseThreshold, subjectText } from '../model/threshold.ts';
import { urlLabels } from '../model/url-label.ts';
import { readRunRecord } from '../run-record/read-record.ts';
import type { RunRecord } from '../run-record/run-record.ts';
import type { AgainstBaseline, EvaluatedThreshold, Run } from './generated/documents.ts';
import type { TimeoutContext } from '../run-record/timeout-bound.ts';
import { boundText, lowerBound } from './result-text.ts';

export interface ReasonedRun extends Pick<
  Run,
  'verdict' | 'reason' | 'thresholds' | 'url_names' | 'url_groups'
> {
  readonly record: RunRecord;
}

type MeasuredRun = Pick<ReasonedRun, 'record' | 'url_names' | 'url_groups'>;

export function describedRun(
  record: RunRecord | null,
  { reason, urlNames }: { readonly reason: string | null; readonly urlNames: readonly (string | null)[] },
): MeasuredRun & Pick<ReasonedRun, 'reason'> {
  return { record: record ?? readRunRecord({}), reason, url_names: [...urlNames] };
}

/** Returns the timeout and the metrics of the subject of a threshold; null if the metrics are unknown. */
function contextOf(
  { url, flow, group }: EvaluatedThreshold,
  { record, url_names: names, url_groups: groups = [] }: MeasuredRun,
): TimeoutContext | null {
  if (group !== undefined) {
    const metrics = groups.find(({ name }) => name === group)?.metrics;
    return metrics == null ? null : { timeout: record.timeout, metrics };
  }
  if (flow !== undefined) {
    const found = record.flows?.find(({ name }) => name === flow);
    return found === undefined ? null : { timeout: record.timeout, metrics: found.metrics };
  }
  if (url === undefined) return record;
  const found = record.urls?.[thresholdLabels(record, names).indexOf(url)];
  return found === undefined ? null : { timeout: record.timeout, metrics: found.metrics };
}

export function thresholdLabels(
  { urls }: RunRecord,
  names: readonly (string | null)[] = [],
): readonly string[] {
  return urlLabels(
    (urls ?? []).map(({ url, method }, index) => ({ name: names[index] ?? null, method, url: url ?? '' })),
  );
}

/** Reports whether the measured value for a threshold is a lower bound, because requests timed out. */
export function isLowerBound(threshold: EvaluatedThreshold, run: MeasuredRun): boolean {
  const { metric, value } = threshold;
  const context = contextOf(threshold, run);
  return value !== null && context !== null && lowerBound(metric, value, context) !== null;
}

/** Formats the measured value for a threshold: `412 ms`, `≥ 2 s (20 timed out)`, or `unknown`. */
export function measuredText(threshold: EvaluatedThreshold, run: MeasuredRun): string {
  const { metric, value } = threshold;
  if (value === null) return 'unknown';
  const context = contextOf(threshold, run);
  if (context !== null && lowerBound(metric, value, context) !== null)
    return boundText(metric, value, context);
  return isMisleading(threshold, value) ? exactMetricText(metric, value) : metricText(metric, value);
}

/** Reports whether the rounded value would appear to contradict the verdict. */
function isMisleading({ metric, limit }: EvaluatedThreshold, value: number): boolean {
  const condition = parseThreshold(metric, limit);
  if (condition === null) return false;
  return meetsCondition(roundToThreeDigits(value), condition) !== meetsCondition(value, condition);
}

/** Formats a threshold: `p95 < 300ms`, `p95 of "pay" < 300ms`. */
export function thresholdText(
  threshold: Parameters<typeof subjectText>[0] & Pick<EvaluatedThreshold, 'limit'>,
): string {
  return `${subjectText(threshold)} ${threshold.limit}`;
}

export interface ThresholdGroup {
  readonly verdict: EvaluatedThreshold['verdict'];
  readonly thresholds: readonly EvaluatedThreshold[];
}

/** Groups thresholds by verdict: failed, inconclusive, then passed; omits empty groups. */
export function thresholdGroups(thresholds: readonly EvaluatedThreshold[]): readonly ThresholdGroup[] {
  return (['fail', 'inconclusive', 'pass'] as const).flatMap((verdict) => {
    const own = thresholds.filter((one) => one.verdict === verdict);
    return own.length === 0 ? [] : [{ verdict, thresholds: own }];
  });
}

/** Returns text like `p95 is 412.4 ms, which does not meet < 300ms`, or the reason for an inconclusive threshold. */
export function outcomeText(
  threshold: EvaluatedThreshold,
  run: MeasuredRun & Pick<ReasonedRun, 'reason'>,
): string {
  const { metric, limit, value, verdict, regression } = threshold;
  const subject = subjectText(threshold);
  if (verdict === 'inconclusive') {
    if (threshold.reason !== undefined) return `${subject} is ${threshold.reason}`;
    return run.reason ?? `the result has no ${subject}`;
  }
  const isExact = value !== null && !isLowerBound(threshold, run);
  const actual = isExact ? exactMetricText(metric, value) : measuredText(threshold, run);
  if (regression !== undefined) {
    return `${subject} is ${actual}, ${worseText(metric, regression)}; ${regression.allowed}% is allowed`;
  }
  return `${subject} is ${actual}, which ${verdict === 'pass' ? 'meets' : 'does not meet'} ${limit}`;
}

/** Describes a comparison: `12% worse than the baseline's 40.2 ms (1 run against 5)`. */
export function baselineComparisonText(metric: string, against: AgainstBaseline): string {
  const { baseline_runs: baselineRuns, runs } = against;
  return `${worseText(metric, against)} (${counted(runs, 'run')} against ${baselineRuns})`;
}

function worseText(metric: string, { worse_by: worseBy, baseline }: AgainstBaseline): string {
  return changeText(metric, { worseBy, baseline });
}

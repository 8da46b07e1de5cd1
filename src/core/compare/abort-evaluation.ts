/**
 * Evaluation of thresholds with `abort_after`, which end a run if they fail. Because an ended run cannot be continued,
 * the requests so far must prove the failure. Both bounds of the metric must violate the threshold, and the measured
 * values must be improbable for a target that meets the threshold.
 * @see docs/internals/results.md, section 2
 */
import { canStillBeMet, thresholdOfRule, type AbortRule } from '../model/abort-rule.ts';
import type { ThresholdStop } from '../load/run-report.ts';
import type { LoadTestSpec } from '../model/load-test.ts';
import type { Sample, SampleIterations } from '../model/sample.ts';
import {
  isResultMetric,
  labelsOf,
  percentileShareOf,
  RESULT_METRICS,
  type Threshold,
} from '../model/threshold.ts';
import type { RunRecord } from '../run-record/run-record.ts';
import { evaluateThreshold, sampleForThreshold } from './run-evaluation.ts';
import { binomialTail, isProvenFailure, isProvenMean } from './sample-size.ts';
import { shortfallText } from './uncertainty.ts';

/** Maximum probability that one check wrongly reports a failure. Low, because a run may have thousands of checks. */
const SIGNIFICANCE = 1e-5;

/**
 * Returns the details of the first rule that has provably failed; null if no rule has failed.
 * @param record - record of the run so far
 * @param at - time up to which `record` contains data, in ms from the start of the run
 */
export function findFailedRule(
  { abortRules, targets, flows, warmup }: Pick<LoadTestSpec, 'abortRules' | 'targets' | 'flows' | 'warmup'>,
  record: RunRecord,
  at: number,
): ThresholdStop | null {
  // If the load was not delivered, the run is inconclusive, so no threshold ends the run.
  if (abortRules === null || shortfallText(record) !== null) return null;
  const measured = at - (warmup ?? 0);
  for (const rule of abortRules) {
    if (measured < Math.max(rule.after, 1000)) continue;
    const stop = failureOf(rule, { targets, flows }, record);
    if (stop !== null) return { ...stop, second: Math.floor(at / 1000) };
  }
  return null;
}

function failureOf(
  rule: AbortRule,
  subjects: Parameters<typeof thresholdOfRule>[1],
  record: RunRecord,
): Omit<ThresholdStop, 'second'> | null {
  const threshold = thresholdOfRule(rule, subjects);
  const sample = threshold && sampleForThreshold(threshold, record);
  if (threshold === null || sample === null) return null;
  const { verdict, value } = evaluateThreshold(threshold, record);
  if (verdict !== 'fail' || value === null || !isProven(threshold, sample)) return null;
  return { ...labelsOf(threshold), limit: threshold.limit, value };
}

function isProven(threshold: Threshold, sample: Sample): boolean {
  const { metric, value } = threshold;
  const { bounds, metrics } = sample;
  if (percentileShareOf(threshold) !== null) return isProvenFailure(threshold, sample, SIGNIFICANCE);
  if (metric === 'avg_response_time' || metric === 'iteration_mean') return isProvenMean(threshold, sample);
  if (!isResultMetric(metric)) return false;
  // Most counts and all maximums can only increase, and minimums can only decrease, so some violations are final.
  if (RESULT_METRICS[metric] !== 'rate') return !canStillBeMet(threshold);
  const trials = metric === 'iteration_error_rate' ? countEnded(sample) : (metrics.requests ?? 0);
  const certain = bounds?.[metric] ?? { low: metrics[metric] ?? 0, high: metrics[metric] ?? 0 };
  const [permitted, found] =
    metric === 'success_rate' ? [100 - value, 100 - (certain.high ?? 100)] : [value, certain.low];
  return binomialTail(trials, permitted / 100, Math.round((found / 100) * trials)) <= SIGNIFICANCE;
}

type EndedIterations = SampleIterations & {
  readonly completed?: number | null;
  readonly failed?: number | null;
};

function countEnded({ iterations }: Sample & { readonly iterations?: EndedIterations }): number {
  return (iterations?.completed ?? 0) + (iterations?.failed ?? 0);
}

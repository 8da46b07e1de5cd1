/** Self-contained sentences about the outcome of thresholds. */
import { changeText } from '../compare/regression-evaluation.ts';
import { counted } from '../counted.ts';
import { exactMetricText } from '../model/metric-text.ts';
import { subjectText } from '../model/threshold.ts';
import type { AgainstBaseline, EvaluatedThreshold } from './generated/documents.ts';
import type { ReportedRun } from './reported-tests.ts';

/** Formats a threshold: `p95 < 300ms`, `p95 of "pay" < 300ms`. */
export function thresholdText(threshold: EvaluatedThreshold): string {
  return `${subjectText(threshold)} ${threshold.limit}`;
}

/**
 * Describes an outcome: `p95 is 412.4 ms, which does not meet < 300ms`, or the reason for an inconclusive threshold.
 */
export function outcomeText(threshold: EvaluatedThreshold, { reason }: Pick<ReportedRun, 'reason'>): string {
  const { metric, limit, value, verdict, regression } = threshold;
  const subject = subjectText(threshold);
  if (verdict === 'inconclusive') {
    if (threshold.reason !== undefined) return `${subject} is ${threshold.reason}`;
    return reason ?? `the result has no ${subject}`;
  }
  const actual = value === null ? 'unknown' : exactMetricText(metric, value);
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

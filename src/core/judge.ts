/**
 * The verdict of a run: one pure function of the result, the same for the command line, reports and pages.
 *
 * Source: docs/design/reconciler.md, section 5.
 */
import type { RunResult } from './model/run.ts';
import type { Threshold } from './model/threshold.ts';

export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';

export interface JudgedThreshold {
  readonly metric: string;
  readonly limit: string;
  /** Null: the result does not have the figure. */
  readonly value: number | null;
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly thresholds: readonly JudgedThreshold[];
  /** Why, in words, where the thresholds alone do not tell. */
  readonly reason: string | null;
}

/** @param result null when there is none to judge. */
export function judge(thresholds: readonly Threshold[], result: RunResult | null): Judgement {
  if (result?.abortReason === 'error_threshold') {
    return withReason('fail', judged(thresholds, result), 'the error threshold was reached');
  }
  const reason = noVerdictReason(result);
  if (reason !== null || result === null) {
    const each = thresholds.map((threshold) => ({
      ...judgeOne(threshold, result),
      verdict: 'inconclusive' as const,
    }));
    return withReason(thresholds.length > 0 ? 'inconclusive' : 'none', each, reason);
  }
  if (thresholds.length === 0) return { verdict: 'none', thresholds: [], reason: null };
  const each = judged(thresholds, result);
  if (each.some(({ verdict }) => verdict === 'fail'))
    return { verdict: 'fail', thresholds: each, reason: null };
  const missing = each.filter(({ verdict }) => verdict === 'inconclusive').map(({ metric }) => metric);
  if (missing.length > 0) return withReason('inconclusive', each, `the result has no ${missing.join(', ')}`);
  return { verdict: 'pass', thresholds: each, reason: null };
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
  if (typeof result.abortReason === 'string' && result.abortReason !== '')
    return `the run ended early: ${result.abortReason}`;
  if (result.generatorOverloaded) return 'the load generator was overloaded';
  if (result.figures.requests === 0) return 'the run has no samples';
  return null;
}

function judged(thresholds: readonly Threshold[], result: RunResult): JudgedThreshold[] {
  return thresholds.map((threshold) => judgeOne(threshold, result));
}

function judgeOne(threshold: Threshold, result: RunResult | null): JudgedThreshold {
  const value = result?.figures[threshold.metric] ?? null;
  const { metric, limit } = threshold;
  if (value === null) return { metric, limit, value, verdict: 'inconclusive' };
  return { metric, limit, value, verdict: holds(value, threshold) ? 'pass' : 'fail' };
}

function holds(value: number, threshold: Threshold): boolean {
  switch (threshold.operator) {
    case '<':
      return value < threshold.value;
    case '<=':
      return value <= threshold.value;
    case '>':
      return value > threshold.value;
    case '>=':
      return value >= threshold.value;
  }
}

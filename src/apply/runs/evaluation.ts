/**
 * Verdicts on runs, with their problems.
 * @see docs/internals/reconciler.md, section 5
 * @see docs/internals/command-line.md, section 2
 */
import { hasThresholds, evaluateRun, regressionText } from '../../core/compare/run-evaluation.ts';
import type { AbortReason } from '../../core/load/run-report.ts';
import type { EvaluatedThreshold, RunVerdict } from '../../core/model/run-verdict.ts';
import { paceOf, SPEC_DEFAULTS, type RunnableTest } from '../../core/model/load-test.ts';
import { describedRun, outcomeText, thresholdText } from '../../core/report/threshold-text.ts';
import { toEvaluatedThreshold } from '../../core/report/threshold-document.ts';
import type { RunRecord } from '../../core/run-record/run-record.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { labelsOf, type Threshold } from '../../core/model/threshold.ts';
import { stopText, type RunStop } from '../../core/model/run-stop.ts';
import type { RegressionThreshold } from '../../core/model/regression.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { ADVICE, doubtCause, lessLoadAdvice } from '../../core/compare/verdict-advice.ts';

export type EvaluableTest = Pick<RunnableTest, 'key' | 'thresholds' | 'regression' | 'source' | 'urlNames'>;

export interface Evaluation {
  readonly verdict: RunVerdict;
  readonly problems: readonly Problem[];
}

/** @param others - Runs of earlier rounds. Regression thresholds compare these runs and this run with the baseline. */
export function evaluateResult(
  test: EvaluableTest,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): Evaluation {
  const verdict = evaluateRun(test, result, others);
  return { verdict, problems: problemsOfVerdict(test, verdict, { record: result?.record ?? null }) };
}

/**
 * Returns the verdict `none` for a service that does not provide results.
 * @param required - True to report thresholds without a verdict as an error instead of a warning.
 */
export function evaluateWithoutResults(test: EvaluableTest, required: boolean): Evaluation {
  const { key, source } = test;
  const verdict: RunVerdict = {
    verdict: 'none',
    thresholds: [],
    reason: 'the service does not provide results',
  };
  if (!hasThresholds(test)) return { verdict, problems: [] };
  const severity = required ? 'error' : 'warning';
  const text = `the thresholds of "${key}" cannot be evaluated: the service does not provide results`;
  return { verdict, problems: [problem('LT_PLAN_NO_RESULTS', text, { severity, source })] };
}

/** Marks a result as stopped, unless the service reports an abort reason. */
export function markAsStopped(result: RunResult | null): RunResult | null {
  return result === null || typeof result.record.abortReason === 'string'
    ? result
    : withAbortReason(result, 'stopped');
}

function withAbortReason(result: RunResult, abortReason: AbortReason): RunResult {
  return { ...result, record: { ...result.record, abortReason } };
}

/**
 * Returns the minimum duration of a complete run, in ms. In a non-cycling test, the last client starts `duration /
 * total` before the end.
 */
export function minRunTime(spec: RunnableTest['spec']): number {
  const { testType, duration, total } = paceOf(spec);
  return testType === 'non-cycling' && total > 0 ? duration - duration / total : duration;
}

/** Minimum tolerance for a run that ends early, in ms. For long runs, the tolerance is a tenth of the run time. */
const EARLY_END_TOLERANCE_MS = 2000;

/**
 * Evaluates a run that ended too early and whose result has no abort reason. Returns null for other runs.
 * @param observed.atMost - Upper bound of the run time, in ms.
 * @param observed.stop - Returns the logged stop request, if any.
 */
export function evaluateShortenedRun(
  test: RunnableTest,
  result: RunResult | null,
  observed: { readonly atMost: number; readonly stop: () => RunStop | null },
): Evaluation | null {
  const { atMost } = observed;
  const expected = minRunTime(test.spec);
  if (result?.record.abortReason !== undefined || result?.status !== 'ready') return null;
  if (expected - atMost <= Math.max(EARLY_END_TOLERANCE_MS, expected / 10)) return null;
  const threshold = test.spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold;
  const rate = result.record.metrics.error_rate ?? 0;
  if (rate > 0 && rate >= threshold) {
    return evaluateResult(test, withAbortReason(result, 'error_threshold'));
  }
  const length = `${(atMost / 1000).toFixed(1)} of ${test.spec.duration / 1000} s`;
  const stop = observed.stop();
  const reason = `the run ended after ${length}${stop === null ? '' : `: ${stopText(stop)}`}`;
  const verdict = skipEvaluation(test, result, reason);
  return { verdict, problems: problemsOfVerdict(test, verdict, { record: result.record }) };
}

export function skipEvaluation(test: EvaluableTest, result: RunResult | null, reason: string): RunVerdict {
  const { thresholds } = evaluateRun(test, result);
  return {
    verdict: hasThresholds(test) ? 'inconclusive' : 'none',
    thresholds: thresholds.map((one) => ({ ...one, verdict: 'inconclusive' })),
    reason,
  };
}

interface ProblemContext {
  /** Replaces the default hint of an inconclusive run. */
  readonly hint?: string;
  /** Null if the run has no result. */
  readonly record: RunRecord | null;
}

export function problemsOfVerdict(
  test: EvaluableTest,
  verdict: RunVerdict,
  context: ProblemContext,
): Problem[] {
  if (verdict.verdict === 'inconclusive') return [inconclusiveProblem(test, verdict, context)];
  return verdict.verdict === 'fail' ? failureProblems(test, verdict, context) : [];
}

function inconclusiveProblem(
  test: EvaluableTest,
  verdict: RunVerdict,
  { hint, record }: ProblemContext,
): Problem {
  const { key, source } = test;
  const { thresholds, reason } = verdict;
  const uncertain = thresholds.flatMap((threshold) => {
    if (threshold.reason === undefined) return [];
    const isRegression = regressionThresholdOf(test, threshold) !== undefined;
    return [
      isRegression
        ? `${threshold.metric} is ${threshold.reason}`
        : `${thresholdText(threshold)} is undecided, because the value is ${threshold.reason}`,
    ];
  });
  const why = uncertain.length > 0 ? uncertain : [reason];
  const cause = doubtCause(verdict);
  const advice =
    cause === 'generator'
      ? lessLoadAdvice(record?.machine ?? null)
      : cause === null
        ? baselineHint(test)
        : ADVICE[cause];
  const text = `"${key}" has no verdict: ${why.join('; ')}`;
  return problem('LT_RUN_INCONCLUSIVE', text, { source, hint: hint ?? advice });
}

function failureProblems(
  test: EvaluableTest,
  { thresholds, reason }: RunVerdict,
  { record }: ProblemContext,
): Problem[] {
  const { key, source, urlNames } = test;
  const failed = thresholds.filter(({ verdict }) => verdict === 'fail');
  if (failed.length === 0) {
    return [problem('LT_RUN_THRESHOLD', `"${key}" failed: ${reason ?? ''}`, { source })];
  }
  const run = describedRun(record, { reason, urlNames });
  return failed.map((failure) => {
    const threshold = regressionThresholdOf(test, failure) ?? thresholdOf(test, failure);
    const text = `"${key}": ${outcomeText(toEvaluatedThreshold(failure), run)}`;
    return problem('LT_RUN_THRESHOLD', text, { source: threshold?.source ?? source });
  });
}

/** Returns the declared threshold that failed; undefined if a regression threshold failed. */
function thresholdOf({ thresholds }: EvaluableTest, failure: EvaluatedThreshold): Threshold | undefined {
  const text = thresholdText(failure);
  return thresholds.find((one) => thresholdText({ ...labelsOf(one), limit: one.limit }) === text);
}

function regressionThresholdOf(
  { regression }: EvaluableTest,
  { metric, limit }: Pick<EvaluatedThreshold, 'metric' | 'limit'>,
): RegressionThreshold | undefined {
  return regression.thresholds.find((one) => one.metric === metric && regressionText(one) === limit);
}

function baselineHint({ key, regression: { baseline } }: EvaluableTest): string | null {
  if (baseline === null || baseline.kind === 'read') return null;
  return `run "loadtests baseline ${key}" after runs with good results, and commit the baseline file`;
}

/**
 * From a result to a judgement and the problems that it makes.
 *
 * Source: docs/internals/reconciler.md, section 5; docs/internals/command-line.md, section 2.
 */
import { exactMetricText } from '../core/metric-text.ts';
import { changeText } from '../core/compare/regression-evaluation.ts';
import { hasThresholds, evaluateRun, regressionText } from '../core/run-evaluation.ts';
import type { GeneratorMachine } from '../core/load/run-report.ts';
import type { EvaluatedThreshold, RunVerdict } from '../core/model/run-verdict.ts';
import { paceOf, SPEC_DEFAULTS, type RunnableTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run-result.ts';
import { subjectText } from '../core/model/threshold.ts';
import { stopText, type RunStop } from '../core/model/run-stop.ts';
import type { RegressionThreshold } from '../core/model/regression.ts';
import { problem, type Problem } from '../core/problem.ts';
import { lessLoadHint, NOT_DELIVERED } from '../core/uncertainty.ts';

/** What judging needs to know of a test. */
export type EvaluableTest = Pick<RunnableTest, 'key' | 'thresholds' | 'regression' | 'source'>;

export interface Evaluation {
  readonly verdict: RunVerdict;
  readonly problems: readonly Problem[];
}

/** @param others runs of earlier rounds, which are compared with the baseline together with this one */
export function evaluateResult(
  test: EvaluableTest,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): Evaluation {
  const verdict = evaluateRun(test, result, others);
  const machine = result?.generator?.machine ?? null;
  return { verdict, problems: problemsOfVerdict(test, verdict, { machine }) };
}

/** Of a service without results. @param required whether a verdict that cannot be given is an error */
export function evaluateWithoutResults(test: EvaluableTest, required: boolean): Evaluation {
  const { key, source } = test;
  const verdict: RunVerdict = {
    verdict: 'none',
    thresholds: [],
    reason: 'the service does not provide results',
  };
  if (!hasThresholds(test)) return { verdict, problems: [] };
  const severity = required ? 'error' : 'warning';
  const text = `the thresholds of "${key}" cannot be judged: the service does not provide results`;
  return { verdict, problems: [problem('LT_PLAN_NO_RESULTS', text, { severity, source })] };
}

/** Figures of a part of a run are none to judge, also where the service does not say that it was stopped. */
export function markAsStopped(result: RunResult | null): RunResult | null {
  return result === null || typeof result.abortReason === 'string'
    ? result
    : { ...result, abortReason: 'stopped' };
}

/** What a run takes at least when nothing ends it early, in ms: clients of a fixed number may all have ended before. */
export function minRunTime(spec: RunnableTest['spec']): number {
  const { testType, duration, total } = paceOf(spec);
  return testType === 'non-cycling' && total > 0 ? duration - duration / total : duration;
}

/** A run may be shorter than it should by so much, or by a tenth. In ms. */
const EARLY_END_TOLERANCE_MS = 2000;

/**
 * The judgement of a run that ended long before its time although the service does not say why: somebody stopped it,
 * or its errors did. Null: it took its time, or the service says how it ended.
 *
 * @param seen.atMost what it took, at most, in ms
 * @param seen.stop asked for only where it was shortened: who stopped it, if that is known
 */
export function evaluateShortenedRun(
  test: RunnableTest,
  result: RunResult | null,
  seen: { readonly atMost: number; readonly stop: () => RunStop | null },
): Evaluation | null {
  const { atMost } = seen;
  const expected = minRunTime(test.spec);
  if (result?.abortReason !== undefined || result?.status !== 'ready') return null;
  if (expected - atMost <= Math.max(EARLY_END_TOLERANCE_MS, expected / 10)) return null;
  const threshold = test.spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold;
  const rate = result.metrics.error_rate ?? 0;
  if (rate > 0 && rate >= threshold) {
    return evaluateResult(test, { ...result, abortReason: 'error_threshold' });
  }
  const length = `${(atMost / 1000).toFixed(1)} s of ${test.spec.duration / 1000}`;
  const stop = seen.stop();
  const reason = `the run ended after ${length}${stop === null ? '' : `: ${stopText(stop)}`}`;
  const verdict = skipEvaluation(test, result, reason);
  return { verdict, problems: problemsOfVerdict(test, verdict) };
}

export function skipEvaluation(test: EvaluableTest, result: RunResult | null, reason: string): RunVerdict {
  const { thresholds } = evaluateRun(test, result);
  return {
    verdict: hasThresholds(test) ? 'inconclusive' : 'none',
    thresholds: thresholds.map((one) => ({ ...one, verdict: 'inconclusive' })),
    reason,
  };
}

/** What helps to say what to do. */
interface HintContext {
  /** Instead of what would be said by itself. */
  readonly hint?: string;
  /** That made the load. */
  readonly machine?: GeneratorMachine | null;
}

export function problemsOfVerdict(
  test: EvaluableTest,
  judgement: RunVerdict,
  { hint, machine = null }: HintContext = {},
): Problem[] {
  const { verdict, thresholds, reason } = judgement;
  if (verdict === 'pass' || verdict === 'none') return [];
  if (verdict === 'inconclusive') {
    const uncertain = thresholds.filter((one) => one.reason !== undefined && one.verdict === 'inconclusive');
    const told = uncertain.map((one) =>
      isRegression(test, one)
        ? `${one.metric} is ${one.reason ?? ''}`
        : `${subjectText(one)} ${one.limit} is ${one.reason ?? ''}`,
    );
    const why = told.length > 0 ? told.join('; ') : (reason ?? 'a figure is missing');
    const text = `"${test.key}" has no verdict: ${why}`;
    const spoilt =
      uncertain.some((one) => !isRegression(test, one)) || reason?.startsWith(NOT_DELIVERED) === true;
    const advice = hint ?? (spoilt ? lessLoadHint(machine) : (baselineHint(test) ?? null));
    return [problem('LT_RUN_INCONCLUSIVE', text, { source: test.source, hint: advice })];
  }
  const failed = thresholds.filter((one) => one.verdict === 'fail');
  if (failed.length === 0) {
    return [problem('LT_RUN_THRESHOLD', `"${test.key}" failed: ${reason ?? ''}`, { source: test.source })];
  }
  return failed.map((failure) => {
    const { metric, url, limit, value, regression } = failure;
    if (regression !== undefined) {
      const source = regressionThresholdOf(test, failure)?.source ?? test.source;
      const figure = value === null ? 'unknown' : exactMetricText(metric, value);
      const text = `"${test.key}": ${metric} is ${figure}, ${changeText(metric, regression)}; ${regression.allowed}% is allowed`;
      return problem('LT_RUN_THRESHOLD', text, { source });
    }
    const threshold = test.thresholds.find(
      (one) => one.metric === metric && one.url?.label === url && one.limit === limit,
    );
    const text = `"${test.key}": ${subjectText(failure)} is ${value === null ? 'unknown' : exactMetricText(metric, value)}, which does not meet ${limit}`;
    return problem('LT_RUN_THRESHOLD', text, { source: threshold?.source ?? test.source });
  });
}

/** The limit of `regression` that was judged; undefined where it is a threshold. */
function regressionThresholdOf(
  { regression }: EvaluableTest,
  { metric, limit }: Pick<EvaluatedThreshold, 'metric' | 'limit'>,
): RegressionThreshold | undefined {
  return regression.thresholds.find((one) => one.metric === metric && regressionText(one) === limit);
}

function isRegression(test: EvaluableTest, judged: EvaluatedThreshold): boolean {
  return regressionThresholdOf(test, judged) !== undefined;
}

/** What to do where there is nothing to compare with. */
function baselineHint({ key, regression: { baseline } }: EvaluableTest): string | null {
  if (baseline === null || baseline.kind === 'read') return null;
  return `make one of runs that are as they should be, and commit it: loadtests baseline ${key}`;
}

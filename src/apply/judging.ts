/**
 * From a result to a judgement and the problems that it makes.
 *
 * Source: docs/design/reconciler.md, section 5; docs/design/command-line.md, section 2.
 */
import { exactFigureText } from '../core/figure-text.ts';
import { changeText } from '../core/compare/regression.ts';
import { hasLimits, judge, regressionText } from '../core/judge.ts';
import type { Machine } from '../core/load/report.ts';
import type { JudgedThreshold, Judgement } from '../core/model/judgement.ts';
import { paceOf, SPEC_DEFAULTS, type RunnableTest } from '../core/model/load-test.ts';
import type { RunResult } from '../core/model/run.ts';
import { subjectText } from '../core/model/threshold.ts';
import { stopText, type RunStop } from '../core/model/run-stop.ts';
import type { RegressionLimit } from '../core/model/regression.ts';
import { problem, type Problem } from '../core/problem.ts';
import { lessLoadHint, NOT_OFFERED } from '../core/uncertainty.ts';

/** What judging needs to know of a test. */
export type Judged = Pick<RunnableTest, 'key' | 'thresholds' | 'regression' | 'source'>;

export interface JudgedResult {
  readonly judgement: Judgement;
  readonly problems: readonly Problem[];
}

/** @param others runs of earlier rounds, which are compared with the baseline together with this one */
export function judgeResult(
  test: Judged,
  result: RunResult | null,
  others: readonly RunResult[] = [],
): JudgedResult {
  const judgement = judge(test, result, others);
  const machine = result?.measured?.machine ?? null;
  return { judgement, problems: problemsOfVerdict(test, judgement, { machine }) };
}

/** Of a service without results. @param required whether a verdict that cannot be given is an error */
export function unjudgeable(test: Judged, required: boolean): JudgedResult {
  const { key, source } = test;
  const judgement: Judgement = {
    verdict: 'none',
    thresholds: [],
    reason: 'the service does not provide results',
  };
  if (!hasLimits(test)) return { judgement, problems: [] };
  const severity = required ? 'error' : 'warning';
  const text = `the thresholds of "${key}" cannot be judged: the service does not provide results`;
  return { judgement, problems: [problem('LT_PLAN_NO_RESULTS', text, { severity, source })] };
}

/** Figures of a part of a run are none to judge, also where the service does not say that it was stopped. */
export function cutShort(result: RunResult | null): RunResult | null {
  return result === null || typeof result.abortReason === 'string'
    ? result
    : { ...result, abortReason: 'stopped' };
}

/** What a run takes at least when nothing ends it early, in ms: clients of a fixed number may all have ended before. */
export function shortestRun(spec: RunnableTest['spec']): number {
  const { testType, duration, total } = paceOf(spec);
  return testType === 'non-cycling' && total > 0 ? duration - duration / total : duration;
}

/** A run may be shorter than it should by so much, or by a tenth. In ms. */
const SLACK = 2000;

/**
 * The judgement of a run that ended long before its time although the service does not say why: somebody stopped it,
 * or its errors did. Null: it took its time, or the service says how it ended.
 *
 * @param seen.atMost what it took, at most, in ms
 * @param seen.stop asked for only where it was shortened: who stopped it, if that is known
 */
export function shortenedRun(
  test: RunnableTest,
  result: RunResult | null,
  seen: { readonly atMost: number; readonly stop: () => RunStop | null },
): JudgedResult | null {
  const { atMost } = seen;
  const expected = shortestRun(test.spec);
  if (result?.abortReason !== undefined || result?.status !== 'ready') return null;
  if (expected - atMost <= Math.max(SLACK, expected / 10)) return null;
  const threshold = test.spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold;
  const rate = result.figures.error_rate ?? 0;
  if (rate > 0 && rate >= threshold) {
    return judgeResult(test, { ...result, abortReason: 'error_threshold' });
  }
  const length = `${(atMost / 1000).toFixed(1)} s of ${test.spec.duration / 1000}`;
  const stop = seen.stop();
  const reason = `the run ended after ${length}${stop === null ? '' : `: ${stopText(stop)}`}`;
  const judgement = unjudged(test, result, reason);
  return { judgement, problems: problemsOfVerdict(test, judgement) };
}

export function unjudged(test: Judged, result: RunResult | null, reason: string): Judgement {
  const { thresholds } = judge(test, result);
  return {
    verdict: hasLimits(test) ? 'inconclusive' : 'none',
    thresholds: thresholds.map((one) => ({ ...one, verdict: 'inconclusive' })),
    reason,
  };
}

/** What helps to say what to do. */
interface Circumstances {
  /** Instead of what would be said by itself. */
  readonly hint?: string;
  /** That made the load. */
  readonly machine?: Machine | null;
}

export function problemsOfVerdict(
  test: Judged,
  judgement: Judgement,
  { hint, machine = null }: Circumstances = {},
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
      uncertain.some((one) => !isRegression(test, one)) || reason?.startsWith(NOT_OFFERED) === true;
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
      const source = limitOf(test, failure)?.source ?? test.source;
      const figure = value === null ? 'unknown' : exactFigureText(metric, value);
      const text = `"${test.key}": ${metric} is ${figure}, ${changeText(metric, regression)}; ${regression.allowed}% is allowed`;
      return problem('LT_RUN_THRESHOLD', text, { source });
    }
    const threshold = test.thresholds.find(
      (one) => one.metric === metric && one.url?.label === url && one.limit === limit,
    );
    const text = `"${test.key}": ${subjectText(failure)} is ${value === null ? 'unknown' : exactFigureText(metric, value)}, which does not meet ${limit}`;
    return problem('LT_RUN_THRESHOLD', text, { source: threshold?.source ?? test.source });
  });
}

/** The limit of `regression` that was judged; undefined where it is a threshold. */
function limitOf(
  { regression }: Judged,
  { metric, limit }: Pick<JudgedThreshold, 'metric' | 'limit'>,
): RegressionLimit | undefined {
  return regression.limits.find((one) => one.metric === metric && regressionText(one) === limit);
}

function isRegression(test: Judged, judged: JudgedThreshold): boolean {
  return limitOf(test, judged) !== undefined;
}

/** What to do where there is nothing to compare with. */
function baselineHint({ key, regression: { baseline } }: Judged): string | null {
  if (baseline === null || baseline.kind === 'read') return null;
  return `make one of runs that are as they should be, and commit it: loadtests baseline ${key}`;
}

/** Runs and their verdicts, as every report has them. */
import { unevaluatedReason } from '../run-evaluation.ts';
import type {
  BaselineComparison as Against,
  EvaluatedThreshold as OneJudged,
  RunVerdict,
} from '../model/run-verdict.ts';
import type { RunnableTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';
import { locationOf } from '../source-location.ts';
import type { AgainstBaseline, EvaluatedThreshold, Metrics, PastRun, Run } from './generated/documents.ts';
import { instantText, testLoad } from './plan-document.ts';

/** A run that a command waited for or judged. */
export interface CompletedRun {
  readonly address: string;
  readonly testId: string;
  readonly resultId: string | null;
  /** Of the test, in the service's word. */
  readonly status: string | null;
  readonly startedByUs: boolean;
  readonly verdict: RunVerdict;
  readonly result: RunResult | null;
  readonly urlNames: readonly (string | null)[];
  readonly end: 'ended' | 'stopped' | 'in_progress';
  /** Null: the run is not one of several. */
  readonly round?: number | null;
}

/** @param test what was run, where it is known */
export function toRunDocument({ end, ...run }: CompletedRun, test: RunnableTest | null = null): Run {
  const { verdict, reason, thresholds } = run.verdict;
  return {
    address: run.address,
    test_id: run.testId,
    result_id: run.resultId,
    started_at: instantText(run.result?.startedAt ?? null),
    status: run.status,
    state: end === 'in_progress' ? 'running' : 'ended',
    started_by_us: run.startedByUs,
    ...(run.round == null ? {} : { round: run.round }),
    verdict,
    reason,
    thresholds: thresholds.map(toEvaluatedThreshold),
    metrics: run.result === null ? null : metricsOf(run.result),
    result: run.result?.record ?? null,
    ...urlNamesMember(run.urlNames),
    ...(test === null ? {} : declaredTestMembers(test)),
  };
}

/** What the file says of a test whose runs are told of. */
export function declaredTestMembers(test: RunnableTest): Pick<Run, 'load' | 'source'> {
  return {
    load: testLoad(test),
    ...(test.source === null ? {} : { source: locationOf(test.source) }),
  };
}

/** @param judgement null: the run goes on */
export function toPastRun(
  result: RunResult,
  judgement: RunVerdict | null,
  urlNames: readonly (string | null)[],
): PastRun {
  const { verdict, reason, thresholds } = judgement ?? IN_PROGRESS;
  return {
    result_id: result.id,
    started_at: instantText(result.startedAt),
    state: judgement === null ? 'running' : 'ended',
    verdict,
    reason,
    thresholds: thresholds.map(toEvaluatedThreshold),
    metrics: metricsOf(result),
    result: result.record,
    ...urlNamesMember(urlNames),
  };
}

/**
 * A run with the verdict that whoever started it has told the service, and with no other: its limits are not known there.
 * Without its record, which is told beside it.
 */
export type RecordedRun = Omit<PastRun, 'result' | 'url_names'>;

export function toRecordedRun(result: RunResult): RecordedRun {
  const { result: _, ...told } = toPastRun(result, verdictOf(result), []);
  // While a run goes on its record is not ready, and has metrics all the same.
  return result.status === 'ready' ? told : { ...told, reason: null, metrics: result.metrics };
}

function verdictOf(result: RunResult): RunVerdict | null {
  if (result.status !== 'ready') return null;
  return result.verdict ?? { verdict: 'none', thresholds: [], reason: unevaluatedReason(result) };
}

function toEvaluatedThreshold({ regression, ...judged }: OneJudged): EvaluatedThreshold {
  if (regression === undefined) return judged;
  return { ...judged, regression: againstBaseline(regression) };
}

function againstBaseline({ worseBy, baselineRuns, standardDeviation, ...rest }: Against): AgainstBaseline {
  return { ...rest, worse_by: worseBy, baseline_runs: baselineRuns, standard_deviation: standardDeviation };
}

function urlNamesMember(names: readonly (string | null)[]) {
  return names.length === 0 ? {} : { url_names: [...names] };
}

const IN_PROGRESS: RunVerdict = { verdict: 'none', thresholds: [], reason: 'still running' };

function metricsOf({ status, metrics }: RunResult): Metrics | null {
  return status === 'ready' ? metrics : null;
}

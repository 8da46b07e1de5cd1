/** Report members for runs and their verdicts. */
import { groupSampleOf } from '../compare/merged-sample.ts';
import { unevaluatedVerdict } from '../compare/run-evaluation.ts';
import type { RunVerdict } from '../model/run-verdict.ts';
import type { RunnableTest } from '../model/load-test.ts';
import type { RunResult } from '../run-record/run-result.ts';
import { locationOf } from '../source-location.ts';
import type { Metrics, PastRun, Run } from './generated/documents.ts';
import { instantText, testLoad } from './plan-document.ts';
import { currentThresholds } from './current-thresholds.ts';
import { toEvaluatedThreshold } from './threshold-document.ts';

export interface CompletedRun {
  readonly address: string;
  readonly testId: string;
  readonly resultId: string | null;
  readonly status: string | null;
  readonly startedByUs: boolean;
  readonly verdict: RunVerdict;
  readonly result: RunResult | null;
  readonly urlNames: readonly (string | null)[];
  /**
   * `stopped`: the command stopped the run, or the run stops when the command ends. `in_progress`: the command did not
   * observe the end.
   */
  readonly end: 'ended' | 'stopped' | 'in_progress';
  /** Number of the round; null if there is only one round. */
  readonly round?: number | null;
}

export function toRunDocument({ end, ...run }: CompletedRun, test: RunnableTest | null = null): Run {
  const { verdict, reason, thresholds } = run.verdict;
  return {
    address: run.address,
    test_id: run.testId,
    result_id: run.resultId,
    started_at: instantText(run.result?.record.startedAt ?? null),
    status: run.status,
    state: end === 'in_progress' ? 'running' : 'ended',
    started_by_us: run.startedByUs,
    ...(run.round == null ? {} : { round: run.round }),
    verdict,
    reason,
    thresholds: thresholds.map(toEvaluatedThreshold),
    metrics: run.result === null ? null : metricsOf(run.result),
    result: run.result?.json ?? null,
    ...urlNamesMember(run.urlNames),
    ...urlGroupsMember(run.result, test),
    ...(test === null ? {} : declaredTestMembers(test)),
  };
}

export function declaredTestMembers(test: RunnableTest): Pick<Run, 'load' | 'source'> {
  return {
    load: testLoad(test),
    ...(test.source === null ? {} : { source: locationOf(test.source) }),
  };
}

/**
 * Returns the report member for a past run.
 * @param evaluation - null if the run is in progress
 */
export function toPastRun(
  result: RunResult,
  evaluation: RunVerdict | null,
  declared: Pick<RunnableTest, 'urlNames' | 'urlGroups'> | null,
): PastRun {
  return {
    ...recordedMembers(result, evaluation),
    result: result.json,
    ...urlNamesMember(declared?.urlNames ?? []),
    ...urlGroupsMember(result, declared),
  };
}

type EvaluatedRun = Omit<RunResult, 'json'>;

function recordedMembers(result: EvaluatedRun, evaluation: RunVerdict | null): RecordedRun {
  const { verdict, reason, thresholds } = evaluation ?? IN_PROGRESS;
  return {
    result_id: result.id,
    started_at: instantText(result.record.startedAt),
    state: evaluation === null ? 'running' : 'ended',
    verdict,
    reason,
    thresholds: thresholds.map(toEvaluatedThreshold),
    metrics: metricsOf(result),
  };
}

export type RecordedRun = Omit<PastRun, 'result'>;

export function toRecordedRun(result: EvaluatedRun): RecordedRun {
  const run = {
    ...recordedMembers(result, verdictOf(result)),
    ...urlNamesMember(result.verdict?.urlNames ?? []),
    ...urlGroupsMember(result, result.verdict),
  };
  // The result of an active run is not ready, but its record contains metrics.
  if (result.status === 'ready') return run;
  const thresholds = result.verdict === null ? [] : currentThresholds(result.verdict, result.record);
  return { ...run, reason: null, thresholds, metrics: result.record.metrics };
}

function verdictOf(result: EvaluatedRun): RunVerdict | null {
  if (result.status !== 'ready') return null;
  return result.verdict ?? unevaluatedVerdict(result);
}

function urlNamesMember(names: readonly (string | null)[]) {
  return names.length === 0 ? {} : { url_names: [...names] };
}

function urlGroupsMember(
  result: EvaluatedRun | null,
  declared: Pick<RunnableTest, 'urlGroups'> | null,
): Pick<Run, 'url_groups'> {
  const groups = declared?.urlGroups ?? [];
  if (result === null || groups.length === 0) return {};
  return {
    url_groups: groups.map((group) => ({
      name: group.name,
      urls: [...group.urls],
      metrics: groupSampleOf(result.record, group)?.metrics ?? null,
    })),
  };
}

const IN_PROGRESS: RunVerdict = { verdict: 'none', thresholds: [], reason: 'still running' };

function metricsOf({ status, record }: EvaluatedRun): Metrics | null {
  return status === 'ready' ? record.metrics : null;
}

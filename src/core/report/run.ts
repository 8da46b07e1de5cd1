/** Runs and their verdicts, as every report has them. */
import { unjudgedReason } from '../judge.ts';
import type {
  AgainstBaseline as Against,
  JudgedThreshold as OneJudged,
  Judgement,
} from '../model/judgement.ts';
import type { RunnableTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run.ts';
import { placeOf } from '../source.ts';
import type { AgainstBaseline, EvaluatedThreshold, Metrics, PastRun, Run } from './generated/documents.ts';
import { instantText, testLoad } from './plan.ts';

/** A run that a command waited for or judged. */
export interface RunEnd {
  readonly address: string;
  readonly testId: string;
  readonly resultId: string | null;
  /** Of the test, in the service's word. */
  readonly status: string | null;
  readonly startedByUs: boolean;
  readonly judgement: Judgement;
  readonly result: RunResult | null;
  readonly urlNames: readonly (string | null)[];
  readonly end: 'ended' | 'stopped' | 'in_progress';
  /** Null: the run is not one of several. */
  readonly round?: number | null;
}

/** @param test what was run, where it is known */
export function endedRun({ end, ...run }: RunEnd, test: RunnableTest | null = null): Run {
  const { verdict, reason, thresholds } = run.judgement;
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
    thresholds: thresholds.map(judgedThreshold),
    metrics: run.result === null ? null : figuresOf(run.result),
    result: run.result?.record ?? null,
    ...named(run.urlNames),
    ...(test === null ? {} : declaredMembers(test)),
  };
}

/** What the file says of a test whose runs are told of. */
export function declaredMembers(test: RunnableTest): Pick<Run, 'load' | 'source'> {
  return {
    load: testLoad(test),
    ...(test.source === null ? {} : { source: placeOf(test.source) }),
  };
}

/** @param judgement null: the run goes on */
export function pastRun(
  result: RunResult,
  judgement: Judgement | null,
  urlNames: readonly (string | null)[],
): PastRun {
  const { verdict, reason, thresholds } = judgement ?? GOES_ON;
  return {
    result_id: result.id,
    started_at: instantText(result.startedAt),
    state: judgement === null ? 'running' : 'ended',
    verdict,
    reason,
    thresholds: thresholds.map(judgedThreshold),
    metrics: figuresOf(result),
    result: result.record,
    ...named(urlNames),
  };
}

/**
 * A run with the verdict that whoever started it has told the service, and with no other: its limits are not known there.
 * Without its record, which is told beside it.
 */
export type ToldRun = Omit<PastRun, 'result' | 'url_names'>;

export function toldRun(result: RunResult): ToldRun {
  const { result: _, ...told } = pastRun(result, judgementOf(result), []);
  // While a run goes on its record is not ready, and has metrics all the same.
  return result.status === 'ready' ? told : { ...told, reason: null, metrics: result.figures };
}

function judgementOf(result: RunResult): Judgement | null {
  if (result.status !== 'ready') return null;
  return result.judgement ?? { verdict: 'none', thresholds: [], reason: unjudgedReason(result) };
}

function judgedThreshold({ regression, ...judged }: OneJudged): EvaluatedThreshold {
  if (regression === undefined) return judged;
  return { ...judged, regression: againstBaseline(regression) };
}

function againstBaseline({ worseBy, baselineRuns, standardDeviation, ...rest }: Against): AgainstBaseline {
  return { ...rest, worse_by: worseBy, baseline_runs: baselineRuns, standard_deviation: standardDeviation };
}

function named(names: readonly (string | null)[]) {
  return names.length === 0 ? {} : { url_names: [...names] };
}

const GOES_ON: Judgement = { verdict: 'none', thresholds: [], reason: 'still running' };

function figuresOf({ status, figures }: RunResult): Metrics | null {
  return status === 'ready' ? figures : null;
}

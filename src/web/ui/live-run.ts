/**
 * Merges the progress responses for an active run. Even after an interruption, no second is missing or
 * counted twice.
 */
import type { ResultProgress } from '../../contract/generated/result-progress.ts';
import { readRunRecord, readTimeline } from '../../core/run-record/read-record.ts';
import type { RunRecord, SecondRecord } from '../../core/run-record/run-record.ts';

export interface LiveRun {
  /** The latest response. */
  readonly report: ResultProgress;
  /** Timeline entries of all responses. */
  readonly timeline: readonly SecondRecord[];
}

/**
 * Merges a response. Its entries replace all known entries from its first entry onward, because entries of
 * long runs cover longer spans.
 */
export function mergeProgress(before: LiveRun | null, report: ResultProgress): LiveRun {
  const received = readTimeline(report.timeline) ?? [];
  const [first] = received;
  const known = before?.timeline ?? [];
  if (first === undefined) return { report, timeline: known };
  return { report, timeline: [...known.filter(({ second }) => second < first.second), ...received] };
}

/** Returns the end of the known timeline, in whole seconds since the start. The next request fetches later entries. */
export function knownSeconds(live: LiveRun | null): number {
  const last = live?.timeline.at(-1);
  return last === undefined ? 0 : last.second + last.span;
}

/** Returns the record of the live run. Requests in flight are not counted as abandoned. */
export function partialRecord({ report, timeline }: LiveRun): RunRecord {
  const record = readRunRecord(report.result);
  return { ...record, ledger: record.ledger && { ...record.ledger, abandoned: 0 }, timeline };
}

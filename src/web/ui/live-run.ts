/** Merges the progress responses for an active run. */
import type { ResultProgress } from '../../contract/generated/result-progress.ts';
import { readRunRecord, readTimeline } from '../../core/run-record/read-record.ts';
import type { UrlTimeline } from '../../core/load/run-report.ts';
import type { MeasurementRecord, RunRecord } from '../../core/run-record/run-record.ts';

export interface LiveRun {
  readonly report: ResultProgress;
  readonly record: RunRecord;
}

/**
 * The received entries replace the known entries from the start of the first received entry onward, because entries
 * cover longer spans as the run continues.
 */
export function mergeProgress(before: LiveRun | null, report: ResultProgress): LiveRun {
  const received = readTimeline(report.timeline) ?? [];
  const known = before?.record.timeline ?? [];
  const [first] = received;
  const kept = first === undefined ? known : known.filter(({ second }) => second < first.second);
  const record = readRunRecord(report.result);
  const urls = record.urls?.map(({ timeline, ...url }, index) => {
    const earlier = before?.record.urls?.[index]?.timeline;
    return timeline === undefined ? url : { ...url, timeline: joinTimelines(earlier, kept.length, timeline) };
  });
  return {
    report,
    record: {
      ...record,
      // Null, so that the counts of a run in progress are not described as lower bounds.
      knownUntil: null,
      abortReason: null,
      // 0, so that requests and iterations in flight are not described as abandoned.
      ledger: record.ledger && { ...record.ledger, abandoned: 0 },
      ...withoutStarted(record),
      flows: record.flows?.map((flow) => ({ ...flow, ...withoutStarted(flow) })) ?? null,
      urls: urls ?? null,
      timeline: [...kept, ...received],
    },
  };
}

function withoutStarted({ iterations }: MeasurementRecord): Pick<MeasurementRecord, 'iterations'> {
  return iterations === undefined ? {} : { iterations: { ...iterations, started: null } };
}

function joinTimelines(known: UrlTimeline | undefined, kept: number, received: UrlTimeline): UrlTimeline {
  const join = <T>(before: readonly T[] = [], after: readonly T[]) => [...before.slice(0, kept), ...after];
  return {
    success: join(known?.success, received.success),
    error: join(known?.error, received.error),
    timeoutError: join(known?.timeoutError, received.timeoutError),
    networkError: join(known?.networkError, received.networkError),
    p50: join(known?.p50, received.p50),
    p95: join(known?.p95, received.p95),
    p99: join(known?.p99, received.p99),
  };
}

/** Returns the end of the known timeline, in whole seconds since the start. */
export function knownSeconds(live: LiveRun | null): number {
  const last = live?.record.timeline?.at(-1);
  return last === undefined ? 0 : last.second + last.span;
}

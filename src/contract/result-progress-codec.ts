import type { RunProgress, RunReport } from '../core/load/run-report.ts';
import { resultId } from '../core/model/ids.ts';
import { toRecordedRun } from '../core/report/run-document.ts';
import { readRunVerdict } from '../core/run-record/read-verdict.ts';
import { recordOfReport } from '../core/run-record/report-record.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import type { Milliseconds } from '../core/units.ts';
import type { ResultProgress } from './generated/result-progress.ts';
import {
  encodeErrorSample,
  encodeFlow,
  encodeRecord,
  encodeSecond,
  encodeStoredResult,
  encodeUrl,
  encodeUrlTimeline,
  readStoredResult,
  type StoredResult,
} from './result-codec.ts';

export interface RunState {
  readonly run: StoredResult;
  readonly duration: Milliseconds;
  /** ID of the result whose verdict contains the thresholds of an active run; null if there is none. */
  readonly thresholdsOf: string | null;
  readonly current: { readonly progress: RunProgress | null; readonly report: RunReport | null } | null;
}

/** @param after - End of the timeline that the client already has, in seconds from the start. */
export function encodeResultProgress(
  { run, duration, thresholdsOf, current }: RunState,
  after: number,
): ResultProgress {
  const { id, startedAt, document } = run;
  const common = { in_progress: document === null, duration_ms: duration };
  const { progress = null, report = null } = current ?? {};
  if (document !== null || report === null) {
    const stored = readStoredResult(run);
    return {
      ...common,
      elapsed_ms: null,
      connections: null,
      report: { ...toRecordedRun(stored) },
      result: {
        ...encodeStoredResult({ ...run, document: document && { ...document, detail: null } }),
        error_samples: encodeErrorSamples(stored.record),
      },
      timeline: entriesBetween(stored.record, after).map(encodeSecond),
    };
  }
  // A partial report can contain an abort reason, which does not apply to a run in progress.
  const record = { ...recordOfReport(report, startedAt), abortReason: null };
  const verdict = readRunVerdict(JSON.parse(run.verdict ?? 'null'));
  const active = { id: resultId(id), status: 'not_ready', verdict, record } as const;
  const entries = entriesBetween(record, after, Math.round((progress?.elapsed ?? 0) / 1000));
  const first = record.timeline?.findIndex((entry) => entry === entries[0]) ?? 0;
  return {
    ...common,
    elapsed_ms: progress?.elapsed ?? null,
    connections: progress?.connections ?? null,
    ...(thresholdsOf === null ? {} : { thresholds_of: thresholdsOf }),
    report: { ...toRecordedRun(active) },
    result: {
      ...encodeRecord(id, record),
      status: active.status,
      error_samples: encodeErrorSamples(record),
      urls:
        record.urls?.map((url) => ({
          ...encodeUrl(url),
          ...encodeUrlTimeline(url, first, first + entries.length),
        })) ?? null,
      ...(record.flows === null ? {} : { flows: record.flows.map(encodeFlow) }),
    },
    timeline: entries.map(encodeSecond),
  };
}

/** Returns the timeline entries that end after `after` and no later than `until`, both in seconds from the start. */
function entriesBetween({ timeline }: RunRecord, after: number, until = Number.POSITIVE_INFINITY) {
  return (timeline ?? []).filter(({ second, span }) => second + span > after && second + span <= until);
}

function encodeErrorSamples({ errorSamples }: RunRecord) {
  return (errorSamples ?? []).map(encodeErrorSample);
}

/** How far a run has come → wire. */
import type { RunProgress, RunReport } from '../core/load/run-report.ts';
import { toRecordedRun } from '../core/report/run-document.ts';
import type { Milliseconds } from '../core/units.ts';
import type { ResultProgress } from './generated/result-progress.ts';
import type { ResultRecord } from './generated/result-record.ts';
import {
  decodeResult,
  encodeResult,
  encodeSecond,
  encodeStoredResult,
  type StoredResult,
} from './result-codec.ts';

/** A run, with what is known of it. */
export interface RunState {
  readonly run: StoredResult;
  /** For how long it makes load. */
  readonly duration: Milliseconds;
  /** Null where it does not go on. */
  readonly current: { readonly told: RunProgress | null; readonly report: RunReport | null } | null;
}

/** @param after the end of what the reader has of the timeline, in seconds from the start */
export function encodeResultProgress({ run, duration, current }: RunState, after: number): ResultProgress {
  const later = ({ second, span }: Second) => second + span > after;
  const head = { in_progress: run.document === null, duration_ms: duration };
  const { told = null, report = null } = current ?? {};
  if (run.document !== null || report === null) {
    const result = encodeStoredResult({
      ...run,
      document: run.document && { ...run.document, detail: null },
    });
    // What `createResultDocument` has made.
    const { timeline, error_samples: samples } = JSON.parse(run.document?.detail ?? '{}') as ResultDetail;
    return {
      ...{ ...head, elapsed_ms: null, connections: null },
      ...{ report: toRunReport(result), result: { ...result, error_samples: samples ?? [] } },
      timeline: (timeline ?? []).filter(later),
    };
  }
  const complete = Math.round((told?.elapsed ?? 0) / 1000);
  const timeline = report.timeline.filter((entry) => later(entry) && entry.second + entry.span <= complete);
  const result = {
    ...encodeResult(run, report, false),
    // A report of what was counted so far takes the run for lost, which it is not.
    ...{ status: 'not_ready', abort_reason: null, error_samples: [...report.errorSamples] },
  };
  return {
    ...{ ...head, elapsed_ms: told?.elapsed ?? null, connections: told?.connections ?? null },
    ...{ report: toRunReport(result), result },
    timeline: timeline.map(encodeSecond),
  };
}

/** All that is told of it can be read from what lists have of a record. */
function toRunReport(record: ResultRecord): ResultProgress['report'] {
  return { ...toRecordedRun(decodeResult(record)) };
}

interface Second {
  readonly second: number;
  readonly span: number;
}

interface ResultDetail extends Pick<ResultRecord, 'error_samples'> {
  readonly timeline?: readonly (Second & Record<string, unknown>)[] | null;
}

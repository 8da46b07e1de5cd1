/** Encoder of the progress of a run. */
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

/** A run with its current state. */
export interface RunState {
  readonly run: StoredResult;
  /** Duration of the load. */
  readonly duration: Milliseconds;
  /** Null if the run is not active. */
  readonly current: { readonly progress: RunProgress | null; readonly report: RunReport | null } | null;
}

/** @param after - End of the timeline that the client already has, in seconds from the start. */
export function encodeResultProgress({ run, duration, current }: RunState, after: number): ResultProgress {
  const later = ({ second, span }: Second) => second + span > after;
  const common = { in_progress: run.document === null, duration_ms: duration };
  const { progress = null, report = null } = current ?? {};
  if (run.document !== null || report === null) {
    const result = encodeStoredResult({
      ...run,
      document: run.document && { ...run.document, detail: null },
    });
    // Written by `createResultDocument`.
    const { timeline, error_samples: samples } = JSON.parse(run.document?.detail ?? '{}') as ResultDetail;
    return {
      ...common,
      elapsed_ms: null,
      connections: null,
      report: toRunReport(result),
      result: { ...result, error_samples: samples ?? [] },
      timeline: (timeline ?? []).filter(later),
    };
  }
  const complete = Math.round((progress?.elapsed ?? 0) / 1000);
  const timeline = report.timeline.filter((entry) => later(entry) && entry.second + entry.span <= complete);
  const result = {
    ...encodeResult(run, report, false),
    // A partial report is marked as lost, but this run is in progress.
    status: 'not_ready',
    abort_reason: null,
    error_samples: [...report.errorSamples],
  };
  return {
    ...common,
    elapsed_ms: progress?.elapsed ?? null,
    connections: progress?.connections ?? null,
    report: toRunReport(result),
    result,
    timeline: timeline.map(encodeSecond),
  };
}

/** Creates the run report from a record as in lists, which contains all its fields. */
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

/**
 * Merges the progress responses of an active run. After an interruption, no second is missing or counted
 * twice.
 */
import type { ResultProgress } from '../../contract/generated/result-progress.ts';
import type { Json } from '../../core/canonical.ts';
import { numberOf } from '../../core/report/record.ts';
import { objectOf } from '../../core/unknown-value.ts';

type TimelineEntry = Readonly<Record<string, Json>>;

export interface LiveRun {
  /** The latest response. */
  readonly report: ResultProgress;
  /** Timeline entries of all responses. */
  readonly timeline: readonly TimelineEntry[];
}

/**
 * Merges a response. Its entries replace the known ones from its first entry onward, because entries of long
 * runs cover longer spans.
 */
export function mergeProgress(before: LiveRun | null, report: ResultProgress): LiveRun {
  const received = report.timeline.map((entry) => objectOf(entry as Json)); // from a JSON document
  const [first] = received;
  const known = before?.timeline ?? [];
  if (first === undefined) return { report, timeline: known };
  const start = startOf(first);
  return { report, timeline: [...known.filter((entry) => startOf(entry) < start), ...received] };
}

/**
 * Returns the end of the known timeline, in whole seconds since the start. The next request asks for later
 * entries.
 */
export function knownSeconds(live: LiveRun | null): number {
  const last = live?.timeline.at(-1);
  return last === undefined ? 0 : startOf(last) + spanOf(last);
}

/** Returns the live run as a result record. Requests in flight are not counted as abandoned. */
export function partialRecord({ report, timeline }: LiveRun): Readonly<Record<string, Json>> {
  const result = objectOf(report.result as Json); // from a JSON document
  return { ...result, ledger: { ...objectOf(result['ledger']), abandoned: 0 }, timeline };
}

function startOf(entry: TimelineEntry): number {
  return numberOf(entry['second']) ?? 0;
}

function spanOf(entry: TimelineEntry): number {
  return Math.max(1, numberOf(entry['span']) ?? 1);
}

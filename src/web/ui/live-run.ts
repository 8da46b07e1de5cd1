/** A run as a reader has it who asks now and then: nothing is lost by a cut, and nothing is counted twice. */
import type { ResultProgress } from '../../contract/generated/result-progress.ts';
import type { Json } from '../../core/canonical.ts';
import { numberOf, objectOf } from '../../core/report/record.ts';

type TimelineEntry = Readonly<Record<string, Json>>;

export interface LiveRun {
  /** The last answer. */
  readonly report: ResultProgress;
  /** Of all answers together. */
  readonly timeline: readonly TimelineEntry[];
}

/** What came replaces what is known from its first entry on: long runs are told in longer spans. */
export function mergeProgress(before: LiveRun | null, report: ResultProgress): LiveRun {
  const come = report.timeline.map((entry) => objectOf(entry as Json)); // of a JSON document
  const [first] = come;
  const known = before?.timeline ?? [];
  if (first === undefined) return { report, timeline: known };
  const start = startOf(first);
  return { report, timeline: [...known.filter((entry) => startOf(entry) < start), ...come] };
}

/** The end of what is known, in whole seconds from the start: what to ask for is what comes after it. */
export function knownSeconds(live: LiveRun | null): number {
  const last = live?.timeline.at(-1);
  return last === undefined ? 0 : startOf(last) + spanOf(last);
}

/** As the record of a result, as far as it can be told before the end: what is on its way has not been given up. */
export function partialRecord({ report, timeline }: LiveRun): Readonly<Record<string, Json>> {
  const result = objectOf(report.result as Json); // of a JSON document
  return { ...result, ledger: { ...objectOf(result['ledger']), abandoned: 0 }, timeline };
}

function startOf(entry: TimelineEntry): number {
  return numberOf(entry['second']) ?? 0;
}

function spanOf(entry: TimelineEntry): number {
  return Math.max(1, numberOf(entry['span']) ?? 1);
}

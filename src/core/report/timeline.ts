/** The timeline of a run, from its record. */
import type { RunRecord, SecondRecord } from '../run-record/run-record.ts';

export interface TimelineEntry extends SecondRecord {
  /** Number of requests that ended with any outcome. */
  readonly completed: number;
  readonly failed: number;
}

/** Returns the entries in chronological order; empty if the record has none. */
export function timelineOf({ timeline }: Pick<RunRecord, 'timeline'>): readonly TimelineEntry[] {
  return (timeline ?? []).map((entry) => {
    const failed = entry.error + entry.timeoutError + entry.networkError;
    return { ...entry, completed: entry.success + failed, failed };
  });
}

/** Formats a period, rounded to seconds: `0:06 to 0:10`. */
export function periodText({ from, to }: { readonly from: number; readonly to: number }): string {
  return `${clockText(Math.round(from))} to ${clockText(Math.round(to))}`;
}

/** Formats seconds since the start: `0:07`, `12:30`, `1:00:00`. */
export function clockText(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(total % 60)}` : `${minutes}:${two(total % 60)}`;
}

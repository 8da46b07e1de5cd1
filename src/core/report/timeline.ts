/** The timeline of a run, from its record. */
import type { Json } from '../canonical.ts';
import { objectOf } from '../unknown-value.ts';
import { numberOf, type ResultRecord } from './record.ts';

export interface TimelineEntry {
  /** Seconds since the start of the run. */
  readonly second: number;
  /** Seconds that this entry covers: 1, or more in long runs. */
  readonly span: number;
  /** Number of requests that started. */
  readonly started: number;
  /** Number of requests that ended, with any outcome. */
  readonly completed: number;
  readonly failed: number;
  /** Maximum of concurrent connections; null if the record does not contain it. */
  readonly connections: number | null;
  /** Response times in ms; null without samples. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** Returns the entries in chronological order; empty if the record has none. */
export function timelineOf(record: ResultRecord): readonly TimelineEntry[] {
  const entries = record?.['timeline'];
  return Array.isArray(entries) ? entries.map((entry: Json, index) => entryOf(objectOf(entry), index)) : [];
}

function entryOf(entry: NonNullable<ResultRecord>, index: number): TimelineEntry {
  const count = (name: string): number => numberOf(entry[name]) ?? 0;
  const failed = count('error') + count('timeout_error') + count('network_error');
  return {
    second: numberOf(entry['second']) ?? index,
    span: Math.max(1, count('span')),
    started: count('started'),
    completed: count('success') + failed,
    failed,
    connections: numberOf(entry['connections']),
    p50: numberOf(entry['p50']),
    p95: numberOf(entry['p95']),
    p99: numberOf(entry['p99']),
  };
}

/** Formats seconds since the start: `0:07`, `12:30`, `1:00:00`. */
export function clockText(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(total % 60)}` : `${minutes}:${two(total % 60)}`;
}

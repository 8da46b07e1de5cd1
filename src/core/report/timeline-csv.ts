/** The time series of runs as CSV (RFC 4180), with one row per timeline entry. */
import { printable } from '../printable.ts';
import { isObject } from '../unknown-value.ts';

export interface TimelineRun {
  readonly key: string;
  readonly id: string | null;
  /** Time at which second 0 of the timeline begins (RFC 3339); null if unknown. */
  readonly startedAt: string | null;
  /** Timeline as received, because a service may add fields. */
  readonly timeline: unknown;
}

type TimelineEntry = Readonly<Record<string, unknown>>;

export function timelineCsv(runs: readonly TimelineRun[]): string {
  const rows = runs.flatMap((run) =>
    (Array.isArray(run.timeline) ? run.timeline : []).map((value: unknown) => ({
      run,
      entry: isObject(value) ? value : {},
    })),
  );
  const columns = columnsOf(rows.map(({ entry }) => entry));
  const header = ['test', 'result_id', 'started_at', ...columns.map(columnHeading)];
  const lines = rows.map(({ run, entry }) => [
    run.key,
    run.id,
    run.startedAt,
    ...columns.map((column) => entry[column] ?? null),
  ]);
  return [header, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

const COLUMNS = [
  ...['second', 'span', 'started', 'success', 'error', 'timeout_error', 'network_error'],
  ...['connections', 'data_sent', 'data_received', 'p50', 'p95', 'p99'],
];

/** Returns the standard columns, and every other scalar field of the entries. */
function columnsOf(entries: readonly TimelineEntry[]): readonly string[] {
  const columns = new Set(COLUMNS);
  for (const entry of entries) {
    for (const [name, value] of Object.entries(entry)) if (typeof value !== 'object') columns.add(name);
  }
  return [...columns];
}

function columnHeading(column: string): string {
  if (column === 'span') return 'span_s';
  if (column.startsWith('data_')) return `${column}_bytes`;
  return /^p\d/.test(column) ? `${column}_ms` : column;
}

/** Characters at the start of a cell that make spreadsheets interpret it as a formula. */
const FORMULA_PREFIX = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function csvCell(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return '';
  const shown = printable(value);
  // Checks `value`, because a leading tab or line break also starts a formula, and `printable` replaces these
  // characters.
  const text = FORMULA_PREFIX.test(shown) || /^[\t\r\n]/.test(value) ? `'${shown}` : shown;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * CSV reporter (RFC 4180): the time series of runs, with one row per timeline entry. The header contains the
 * units.
 */
import type { Json } from '../core/canonical.ts';
import { printable } from '../core/printable.ts';
import type { Report } from '../core/report/generated/documents.ts';
import { reportedTestsOf, type ReportedRun } from '../core/report/reported-tests.ts';

type TimelineEntry = Readonly<Record<string, Json>>;

interface CsvRow {
  readonly key: string;
  readonly run: ReportedRun;
  readonly entry: TimelineEntry;
}

export function toCsv(report: Report): string {
  const rows = reportedTestsOf(report).flatMap(({ key, runs }) =>
    runs.flatMap((run) => entriesOf(run).map((entry): CsvRow => ({ key, run, entry }))),
  );
  const columns = columnsOf(rows);
  const header = ['test', 'result_id', 'started_at', ...columns.map(columnHeading)];
  const lines = rows.map(({ key, run, entry }) => [
    csvCell(key),
    csvCell(run.result_id),
    csvCell(startOf(run)),
    ...columns.map((column) => csvCell(entry[column] ?? null)),
  ]);
  return [header.map(csvCell), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Returns the time from which the seconds of a run count. */
function startOf({ record, started_at: startedAt }: ReportedRun): string | null {
  return record.loadStartedAt === null ? startedAt : new Date(record.loadStartedAt).toISOString();
}

/** Returns the entries as received, because a service may add fields. */
function entriesOf({ result }: ReportedRun): readonly TimelineEntry[] {
  const timeline = result?.['timeline'];
  return Array.isArray(timeline) ? timeline.map((entry: Json) => (isEntry(entry) ? entry : {})) : [];
}

function isEntry(value: Json): value is TimelineEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Columns that every file has. */
const COLUMNS = [
  ...['second', 'span', 'started', 'success', 'error', 'timeout_error', 'network_error'],
  ...['connections', 'data_sent', 'data_received', 'p50', 'p95', 'p99'],
];

/** Returns the standard columns, and every other scalar field of the entries. */
function columnsOf(rows: readonly CsvRow[]): readonly string[] {
  const columns = new Set(COLUMNS);
  for (const { entry } of rows) {
    for (const [name, value] of Object.entries(entry)) if (typeof value !== 'object') columns.add(name);
  }
  return [...columns];
}

function columnHeading(column: string): string {
  if (column === 'span') return 'span_s';
  if (column.startsWith('data_')) return `${column}_bytes`;
  return /^p\d/.test(column) ? `${column}_ms` : column;
}

/** Beginnings of a cell that a spreadsheet interprets as a formula. */
const FORMULA_PREFIX = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function csvCell(value: Json): string {
  if (value === null || typeof value === 'object') return '';
  if (typeof value !== 'string') return `${value}`;
  const shown = printable(value);
  // A leading tab also begins a formula. It is checked in `value`, because `printable` replaces tabs.
  const text = FORMULA_PREFIX.test(shown) || /^[\t\r\n]/.test(value) ? `'${shown}` : shown;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

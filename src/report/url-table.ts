/** Table with a row for each URL of a result. */
import type { ResultRecord } from '../core/report/record.ts';
import { URL_COLUMNS, urlRows } from '../core/report/result-text.ts';

/** Returns the aligned header and rows; empty for a test with only one URL. */
export function urlTable(record: ResultRecord, names: readonly (string | null)[] = []): readonly string[] {
  const rows = urlRows(record, names);
  if (rows.length === 0) return [];
  const table = [URL_COLUMNS, ...rows];
  const widths = URL_COLUMNS.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}

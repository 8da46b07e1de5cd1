/** Table with a row for each URL of a result. */
import { URL_COLUMNS, urlRows } from '../core/report/result-text.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import { alignedTable } from '../core/text-columns.ts';

/** Returns the aligned header and rows; empty for a test with only one URL. */
export function urlTable(record: RunRecord, names: readonly (string | null)[] = []): readonly string[] {
  const rows = urlRows(record, names);
  if (rows.length === 0) return [];
  return alignedTable([URL_COLUMNS, ...rows]);
}

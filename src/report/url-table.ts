/** Tables with a row for each flow and for each URL of a result. */
import { FLOW_COLUMNS, URL_COLUMNS, flowRows, urlRows } from '../core/report/result-text.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import { alignedTable } from '../core/text-columns.ts';

/** Returns the aligned headers and rows; empty for a test with only one URL. */
export function urlTable(record: RunRecord, names: readonly (string | null)[] = []): readonly string[] {
  const flows = flowRows(record);
  const urls = urlRows(record, names);
  return [
    ...(flows.length === 0 ? [] : alignedTable([FLOW_COLUMNS, ...flows])),
    ...(urls.length === 0 ? [] : alignedTable([URL_COLUMNS, ...urls])),
  ];
}

/** Tables with a row for each flow, each group of URLs, and each URL of a result. */
import {
  FLOW_COLUMNS,
  flowRows,
  GROUP_COLUMNS,
  groupRows,
  URL_COLUMNS,
  urlRows,
} from '../core/report/result-text.ts';
import type { ReasonedRun } from '../core/report/threshold-text.ts';
import { alignedTable } from '../core/text-columns.ts';

/** Omits tables without rows. */
export function urlTable({
  record,
  url_names: names,
  url_groups: groups,
}: Pick<ReasonedRun, 'record' | 'url_names' | 'url_groups'>): readonly string[] {
  const tables = [
    [FLOW_COLUMNS, ...flowRows(record)],
    [GROUP_COLUMNS, ...groupRows(record, groups)],
    [URL_COLUMNS, ...urlRows(record, names)],
  ];
  return tables.flatMap((rows) => (rows.length === 1 ? [] : alignedTable(rows)));
}

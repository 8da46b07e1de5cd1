/** Text of a comparison of two runs, with their metrics side by side. */
import { printableStrings } from '../core/printable.ts';
import type { Comparison } from '../core/report/generated/documents.ts';
import { comparisonSideText, comparedMetricRows } from '../core/report/compared-metric-rows.ts';
import { alignedTable } from '../core/text-columns.ts';

export function sideBySideText(rawComparison: Comparison): string {
  const comparison = printableStrings(rawComparison);
  const lines = alignedTable([['', 'before', 'now', 'change'], ...comparedMetricRows(comparison)]);
  return [`Compared with ${comparisonSideText(comparison)}:`, ...lines.map((line) => `  ${line}`), ''].join(
    '\n',
  );
}

/** Text of a comparison of two runs, with their metrics side by side. */
import { printableStrings } from '../core/printable.ts';
import type { Comparison } from '../core/report/generated/documents.ts';
import { comparisonSideText, comparedMetricRows } from '../core/report/compared-metric-rows.ts';

export function sideBySideText(rawComparison: Comparison): string {
  const comparison = printableStrings(rawComparison);
  const rows = [['', 'before', 'now', 'change'], ...comparedMetricRows(comparison)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [`Compared with ${comparisonSideText(comparison)}:`, ...lines.map((line) => `  ${line}`), ''].join(
    '\n',
  );
}

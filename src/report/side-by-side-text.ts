/** Figures of two runs side by side, for people. */
import { printableTexts } from '../core/printable.ts';
import type { Comparison } from '../core/report/generated/documents.ts';
import { otherSideText, sideBySideRows } from '../core/report/side-by-side-rows.ts';

export function sideBySideText(told: Comparison): string {
  const comparison = printableTexts(told);
  const rows = [['', 'before', 'now', 'change'], ...sideBySideRows(comparison)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [`Compared with ${otherSideText(comparison)}:`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

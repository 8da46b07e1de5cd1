/** Figures of two runs side by side, for people. */
import { figureText } from '../core/figure-text.ts';
import { formatInstant } from '../core/instant.ts';
import { printableTexts } from '../core/printable.ts';
import type { Comparison } from '../core/report/generated/documents.ts';

/** A row for each figure: before, after, change. */
export function sideBySideRows({
  figures,
}: Comparison): readonly (readonly [string, string, string, string])[] {
  return figures.map(({ metric, before, after, change }) => [
    metric,
    before === null ? '-' : figureText(metric, before),
    after === null ? '-' : figureText(metric, after),
    change === null ? '-' : `${change > 0 ? '+' : ''}${Number(change.toPrecision(2))}%`,
  ]);
}

/** `5 runs of the baseline`, `the run of 2026-11-20 14:02:11` */
export function otherSideText({ with: kind, runs, started_at: at }: Comparison): string {
  if (kind === 'baseline') return `the baseline (mean of ${runs})`;
  return `the run of ${at === null ? 'an unknown time' : formatInstant(Date.parse(at))}`;
}

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

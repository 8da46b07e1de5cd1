/** Minimum widths of columns, in characters. */
const WIDTHS = {
  verb: 10,
  state: 10,
  declared: 8,
  phase: 8,
  key: 13,
  run: 14,
  address: 18,
  host: 26,
  label: 21,
} as const;

/** Text to pad to the width of a column or to a number of characters, or text without padding. */
type Cell = readonly [text: string, width: keyof typeof WIDTHS | number] | string;

export function columns(...cells: readonly Cell[]): string {
  return cells.map((cell) => (typeof cell === 'string' ? cell : padded(...cell))).join(' ');
}

function padded(text: string, width: keyof typeof WIDTHS | number): string {
  return text.padEnd(typeof width === 'number' ? width : WIDTHS[width]);
}

/** Returns the lines of a table. The first column is left-aligned, and the other columns are right-aligned. */
export function alignedTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

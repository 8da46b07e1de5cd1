/** A range within one line of a file. Line and column are counted from 1; column and length count UTF-16 code units. */
export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** The complete line without its line break. */
  readonly lineText: string;
}

export type SourceLocation = Pick<SourceRange, 'file' | 'line' | 'column'>;

/** A line of a text: its zero-based index, and the offsets of its start and its line break. */
export interface LineSpan {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

export function createLineFinder(text: string): (offset: number) => LineSpan {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { index: low, start: starts[low] ?? 0, end: (starts[low + 1] ?? text.length + 1) - 1 };
  };
}

export function locationOf({ file, line, column }: SourceRange): SourceLocation {
  return { file, line, column };
}

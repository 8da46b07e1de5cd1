/** Locations in text files that problems refer to. */

/** A range within one line of a file. Line and column start at 1; column and length count UTF-16 units. */
export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** The complete line without its line break. It is displayed with a marker under the value. */
  readonly lineText: string;
}

/** A source range without its line text and length, for reports. */
export type SourceLocation = Pick<SourceRange, 'file' | 'line' | 'column'>;

export function locationOf({ file, line, column }: SourceRange): SourceLocation {
  return { file, line, column };
}

/** Places in a text file: what a problem points at. */

/**
 * A stretch of one line of a file.
 *
 * Units: line and column count from 1, column and length in UTF-16 units.
 */
export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** The whole line, without its end, for the mark under the value. */
  readonly lineText: string;
}

/** The same without its line: where a reader of a report finds it. */
export type SourceLocation = Pick<SourceRange, 'file' | 'line' | 'column'>;

export function locationOf({ file, line, column }: SourceRange): SourceLocation {
  return { file, line, column };
}

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

/**
 * Finds line and column of an offset.
 *
 * Errors: none; offsets beyond the text give its last position.
 */
export function rangeAt(file: string, text: string, start: number, end: number): SourceRange {
  const from = Math.max(0, Math.min(start, text.length));
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < lineStart; at = text.indexOf('\n', at + 1)) line++;
  const newline = text.indexOf('\n', from);
  const lineEnd = newline === -1 ? text.length : newline;
  const lineText = text.slice(lineStart, lineEnd).replace(/\r$/, '');
  const length = Math.max(1, Math.min(end, lineStart + lineText.length) - from);
  return { file, line, column: from - lineStart + 1, length, lineText };
}

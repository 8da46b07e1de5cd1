/** The text of a source, and the conversion of offsets to positions. */
import { problem, ProblemError } from '../problem.ts';
import { createLineFinder, type SourceRange } from '../source-location.ts';
import type { SourcePosition } from './intake.ts';
import type { RecordingOptions } from './recording.ts';

/** The content of a file that the source refers to, or the reason why the file cannot be read. */
export type SourceFile = { readonly text: string } | { readonly reason: string };

/** Tags and path patterns that select operations. An empty list selects all operations. */
export interface SourceSelection {
  readonly tags: readonly string[];
  readonly paths: readonly string[];
}

export interface IntakeSource {
  readonly path: string;
  readonly text: string;
  readonly readFile: (path: string) => SourceFile;
  /** Environment of the source that the user selected. */
  readonly environment: string | null;
  readonly recording: RecordingOptions;
  /** Operations of an API description that the user selected. */
  readonly selection: SourceSelection;
  /** Sources in addition to this one, such as a second recording. */
  readonly others: readonly { readonly path: string; readonly text: string }[];
}

export type PositionAt = (offset: number) => SourcePosition;

export function createPositions(text: string): PositionAt {
  const lineOf = createLineFinder(text);
  return (offset) => {
    const { index, start } = lineOf(offset);
    return { line: index + 1, column: offset - start + 1 };
  };
}

export class InvalidSource extends ProblemError {
  constructor(source: Pick<IntakeSource, 'path' | 'text'>, at: SourcePosition, message: string) {
    super(problem('LT_IMPORT_SOURCE', message, { source: sourceRange(source, at) }));
  }
}

/** Returns a range without the text of its line, because the text may contain credentials. */
function sourceRange({ path }: Pick<IntakeSource, 'path'>, at: SourcePosition): SourceRange {
  return { file: path, line: at.line, column: at.column, length: 1, lineText: '' };
}

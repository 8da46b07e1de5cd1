import { problem, ProblemError } from '../problem.ts';
import { createLineFinder, type SourceRange } from '../source-location.ts';
import type { SourcePosition } from './intake.ts';
import type { RecordingOptions } from './recording.ts';

/** Content of a file to which a source refers, or the reason why the file cannot be read. */
export type SourceFile = { readonly text: string } | { readonly reason: string };

/**
 * Tags and path patterns that select operations of an API description. An empty list does not restrict the selection.
 */
export interface SourceSelection {
  readonly tags: readonly string[];
  readonly paths: readonly string[];
}

export interface IntakeSource {
  readonly path: string;
  readonly text: string;
  readonly readFile: (path: string) => SourceFile;
  /** Selected environment of the source; null if none is selected. */
  readonly environment: string | null;
  readonly recording: RecordingOptions;
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

/** Returns a range without `lineText`, because the line may contain credentials. */
function sourceRange({ path }: Pick<IntakeSource, 'path'>, at: SourcePosition): SourceRange {
  return { file: path, line: at.line, column: at.column, length: 1, lineText: '' };
}

/** What is wrong, in one shape for every layer. */
import { CODES, type Code } from './codes.ts';
import type { SourceRange } from './source-location.ts';

export interface Problem {
  readonly code: Code;
  readonly severity: 'error' | 'warning';
  /** One sentence: first what is wrong with the value in quotes, then what would be right. */
  readonly message: string;
  readonly hint: string | null;
  readonly source: SourceRange | null;
}

export interface ProblemDetails {
  readonly severity?: 'error' | 'warning';
  readonly hint?: string | null;
  readonly source?: SourceRange | null;
}

/** Makes a problem; the one way to do so. */
export function problem(code: Code, message: string, details: ProblemDetails = {}): Problem {
  return {
    code,
    severity: details.severity ?? 'error',
    message,
    hint: details.hint ?? null,
    source: details.source ?? null,
  };
}

/** A problem on its way up: thrown where one thing breaks (I/O), caught by the command. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(what: Problem, options?: { cause?: unknown }) {
    super(what.message, options);
    this.name = 'ProblemError';
    this.problem = what;
  }
}

/**
 * The exit code of a set of outcomes: where several apply, the first of the list wins.
 *
 * Source: docs/internals/command-line.md, section 3.
 */
export function exitCodeOf(codes: readonly number[]): number {
  const order = [130, 143, 1, 3, 5, 6, 8, 7, 4, 9, 12, 10, 11, 2];
  return order.find((code) => codes.includes(code)) ?? 0;
}

/** The exit code that problems ask for; warnings ask for none. */
export function exitCodeOfProblems(problems: readonly Problem[]): number {
  return exitCodeOf(problems.filter((p) => p.severity === 'error').map((p) => CODES[p.code].exit));
}

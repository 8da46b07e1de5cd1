import { CODES, type Code } from './codes.ts';
import type { SourceRange } from './source-location.ts';

export interface Problem {
  readonly code: Code;
  readonly severity: 'error' | 'warning';
  /** One sentence that states the error, followed by the valid alternative. */
  readonly message: string;
  readonly hint: string | null;
  /** Lines of YAML that show the valid alternative. */
  readonly example?: readonly string[];
  readonly source: SourceRange | null;
}

export interface ProblemDetails {
  readonly severity?: 'error' | 'warning';
  readonly hint?: string | null;
  readonly example?: readonly string[];
  readonly source?: SourceRange | null;
}

export function problem(code: Code, message: string, details: ProblemDetails = {}): Problem {
  return {
    code,
    severity: details.severity ?? 'error',
    message,
    hint: details.hint ?? null,
    ...(details.example === undefined ? {} : { example: details.example }),
    source: details.source ?? null,
  };
}

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(what: Problem, options?: { cause?: unknown }) {
    super(what.message, options);
    this.name = 'ProblemError';
    this.problem = what;
  }
}

/** Exit code of a command that SIGHUP (129), SIGINT (130) or SIGTERM (143) interrupted. */
export type SignalExitCode = 129 | 130 | 143;

/**
 * Returns the exit code with the highest precedence; 0 if `codes` is empty.
 * @see docs/internals/command-line.md, section 3
 */
export function exitCodeOf(codes: readonly number[]): number {
  // 130 is also the code of LT_CLI_INTERRUPTED, so it follows 143, the code of SIGTERM.
  const order = [129, 143, 130, 1, 3, 5, 6, 8, 7, 4, 9, 12, 13, 10, 11, 2];
  return order.find((code) => codes.includes(code)) ?? 0;
}

export function exitCodeOfProblems(problems: readonly Problem[]): number {
  return exitCodeOf(problems.filter((p) => p.severity === 'error').map((p) => CODES[p.code].exit));
}

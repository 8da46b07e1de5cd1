import type { Problem } from './problem.ts';

export type Result<T> = Ok<T> | Failed;

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
  readonly warnings: readonly Problem[];
}

export interface Failed {
  readonly ok: false;
  /** At least one of the problems has the severity `error`. */
  readonly problems: readonly Problem[];
}

export function ok<T>(value: T, warnings: readonly Problem[] = []): Ok<T> {
  return { ok: true, value, warnings };
}

export function fail(problems: readonly Problem[]): Failed {
  return { ok: false, problems };
}

/** Returns the value with the problems as warnings if none of them is an error; otherwise returns the problems. */
export function resultOf<T>(value: T, problems: readonly Problem[]): Result<T> {
  return problems.some((problem) => problem.severity === 'error') ? fail(problems) : ok(value, problems);
}

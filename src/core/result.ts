/** Success or a list of problems: how the stages that can find many problems at once answer. */
import type { Problem } from './problem.ts';

export type Result<T> = Ok<T> | Failed;

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
  /** Problems of severity `warning`; they never stop anything. */
  readonly warnings: readonly Problem[];
}

export interface Failed {
  readonly ok: false;
  /** At least one has severity `error`. */
  readonly problems: readonly Problem[];
}

export function ok<T>(value: T, warnings: readonly Problem[] = []): Ok<T> {
  return { ok: true, value, warnings };
}

export function fail(problems: readonly Problem[]): Failed {
  return { ok: false, problems };
}

/** Gives the value when no problem is an error; the rest of the problems become its warnings. */
export function resultOf<T>(value: T, problems: readonly Problem[]): Result<T> {
  return problems.some((problem) => problem.severity === 'error') ? fail(problems) : ok(value, problems);
}

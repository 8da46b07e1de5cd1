/** Errors of calls to the service, with the known outcome of the call. */
import type { FieldReference } from './field-reference.ts';
import { ProblemError, type Problem } from './problem.ts';
import type { Milliseconds } from './units.ts';

/**
 * The known outcome of a failed call:
 *
 * - `not_sent`: the request certainly did not reach the service, because the name was not resolved, the connection
 *   was refused or timed out, or TLS failed.
 * - `refused`: the service rejected the request and changed nothing.
 * - `unknown`: any other failure; a write may have taken effect.
 *
 * @see docs/internals/reconciler.md, section 4
 */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown';

/** One of the reasons why the service refused a request, with the field that the reason refers to. */
export interface RefusedField {
  /** One sentence that states the reason. */
  readonly message: string;
  readonly field: FieldReference | null;
}

export interface CallFailure {
  readonly outcome: CallOutcome;
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  /** Error messages from the service, without control characters. */
  readonly errors: readonly string[];
  /** The individual reasons; empty if the service names no fields. */
  readonly refusedFields?: readonly RefusedField[];
  /** True if a retry may succeed: the service was unreachable or busy, or the connection was lost. */
  readonly transient?: boolean;
  /** Delay that the service requests before a retry. */
  readonly retryAfter?: Milliseconds | null;
}

export class CallError extends ProblemError {
  readonly outcome: CallOutcome;
  readonly status: number | null;
  readonly errors: readonly string[];
  readonly refusedFields: readonly RefusedField[];
  readonly transient: boolean;
  readonly retryAfter: Milliseconds | null;

  /** Creates an error without a `cause`, because transport errors may contain the request, including the API key. */
  constructor(what: Problem, failure: CallFailure) {
    super(what);
    this.name = 'CallError';
    this.outcome = failure.outcome;
    this.status = failure.status;
    this.errors = failure.errors;
    this.refusedFields = failure.refusedFields ?? [];
    this.transient = failure.transient ?? false;
    this.retryAfter = failure.retryAfter ?? null;
  }
}

import type { FieldReference } from './field-reference.ts';
import { ProblemError, type Problem } from './problem.ts';
import type { Milliseconds } from './units.ts';

/**
 * Outcome of a failed call, as far as the client can determine it:
 *
 * - `not_sent`: the request did not reach the service, for example because the host name was not resolved, the
 *   connection was refused, or TLS failed.
 * - `refused`: the service rejected the request and changed nothing.
 * - `unknown`: any other failure. The request may have taken effect.
 *
 * @see docs/internals/reconciler.md, section 4
 */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown';

/** A reason why the service refused a request, with the field to which the reason applies. */
export interface RefusedField {
  readonly message: string;
  readonly field: FieldReference | null;
}

export interface CallFailure {
  readonly outcome: CallOutcome;
  /** HTTP status of the response; null if there was no response. */
  readonly status: number | null;
  /** Error messages from the service, without control characters. */
  readonly errors: readonly string[];
  /** Individual reasons; absent or empty if the service does not name fields. */
  readonly refusedFields?: readonly RefusedField[];
  /** True if a retry may succeed: the service was unreachable or busy, or the connection was lost. */
  readonly transient?: boolean;
  /** Delay before a retry, as requested by the service; null or absent if there is none. */
  readonly retryAfter?: Milliseconds | null;
}

export class CallError extends ProblemError {
  readonly outcome: CallOutcome;
  readonly status: number | null;
  readonly errors: readonly string[];
  readonly refusedFields: readonly RefusedField[];
  readonly transient: boolean;
  readonly retryAfter: Milliseconds | null;

  /** Does not accept a `cause`, because transport errors may contain the request, including the API key. */
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

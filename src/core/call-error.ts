/** A call to the service that gave no usable answer, and what is known of whether it was carried out. */
import { ProblemError, type Problem } from './problem.ts';
import type { Milliseconds } from './units.ts';

/**
 * - `not_sent`: surely never reached the service: name not resolved, connect refused or timed out, TLS failed.
 * - `refused`: the service answered and said no; nothing was done.
 * - `unknown`: anything else; a write may have been carried out.
 *
 * Source: docs/internals/reconciler.md, section 4.
 */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown';

export interface CallFailure {
  readonly outcome: CallOutcome;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** What the service said, cleaned of control characters. */
  readonly errors: readonly string[];
  /** Whether another try may end otherwise: unreachable, busy, broken off. Absent: it would end the same. */
  readonly transient?: boolean;
  /** How long the answer asks to wait before another try. */
  readonly retryAfter?: Milliseconds | null;
}

export class CallError extends ProblemError {
  readonly outcome: CallOutcome;
  readonly status: number | null;
  readonly errors: readonly string[];
  readonly transient: boolean;
  readonly retryAfter: Milliseconds | null;

  /** The cause is kept out: errors of transports may hold the request with its key. */
  constructor(what: Problem, failure: CallFailure) {
    super(what);
    this.name = 'CallError';
    this.outcome = failure.outcome;
    this.status = failure.status;
    this.errors = failure.errors;
    this.transient = failure.transient ?? false;
    this.retryAfter = failure.retryAfter ?? null;
  }
}

/** A call to the service that gave no usable answer, and what is known of whether it was carried out. */
import { ProblemError, type Problem } from './problem.ts';

/**
 * - `not_sent`: surely never reached the service: name not resolved, connect refused or timed out, TLS failed.
 * - `refused`: the service answered and said no; nothing was done.
 * - `unknown`: anything else; a write may have been carried out.
 *
 * Source: docs/design/reconciler.md, section 4.
 */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown';

export interface CallFailure {
  readonly outcome: CallOutcome;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** What the service said, cleaned of control characters. */
  readonly errors: readonly string[];
}

export class CallError extends ProblemError {
  readonly outcome: CallOutcome;
  readonly status: number | null;
  readonly errors: readonly string[];

  /** The cause is kept out: errors of transports may hold the request with its key. */
  constructor(what: Problem, failure: CallFailure) {
    super(what);
    this.name = 'CallError';
    this.outcome = failure.outcome;
    this.status = failure.status;
    this.errors = failure.errors;
  }
}

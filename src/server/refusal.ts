/** A request that is refused: thrown by the rules, answered as the document's error object. */
import type { ErrorAnswer } from '../contract/generated/error.ts';

export class Refusal extends Error {
  readonly status: number;
  readonly answer: ErrorAnswer;
  /** Seconds until it is worth asking again. */
  readonly retryAfter: number | null;

  constructor(status: number, errors: readonly string[], more: { appId?: string; retryAfter?: number } = {}) {
    super(errors.join('; '));
    this.name = 'Refusal';
    this.status = status;
    this.answer = errorAnswer(errors, more.appId);
    this.retryAfter = more.retryAfter ?? null;
  }
}

/** A host of a test that is not verified, or does not verify now: it does not consent to load. */
export class NotVerified extends Refusal {
  constructor(errors: readonly string[], appId?: string) {
    super(422, errors, appId === undefined ? {} : { appId });
    this.name = 'NotVerified';
  }
}

export function errorAnswer(errors: readonly string[], appId?: string): ErrorAnswer {
  return { ...(appId === undefined ? {} : { app_id: appId }), message: 'error', errors: [...errors] };
}

export function notFound(): Refusal {
  return new Refusal(404, ['Requested record was not found']);
}

/** For everything that would begin something while the service ends. */
export function closing(): Refusal {
  return new Refusal(503, ['the service is closing'], { retryAfter: 5 });
}

export function unprocessable(...errors: readonly string[]): Refusal {
  return new Refusal(422, errors);
}

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

export function errorAnswer(errors: readonly string[], appId?: string): ErrorAnswer {
  return { ...(appId === undefined ? {} : { app_id: appId }), message: 'error', errors: [...errors] };
}

export function notFound(): Refusal {
  return new Refusal(404, ['Requested record was not found']);
}

export function unprocessable(...errors: readonly string[]): Refusal {
  return new Refusal(422, errors);
}

/** A request that is refused: thrown by the rules, answered as the document's error object. */
import type { RefusalCode } from '../core/codes.ts';
import type { Fault } from '../core/model/test-rules.ts';

export interface RefusalDetails {
  readonly appId?: string;
  readonly retryAfter?: number;
  readonly code?: RefusalCode;
}

export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly string[];
  /** The app that the errors are about; null: none. */
  readonly appId: string | null;
  /** Seconds until it is worth asking again. */
  readonly retryAfter: number | null;
  /** What clients are to tell apart; null: nothing. */
  readonly code: RefusalCode | null;

  constructor(status: number, errors: readonly string[], more: RefusalDetails = {}) {
    super(errors.join('; '));
    this.name = 'Refusal';
    this.status = status;
    this.errors = errors;
    this.appId = more.appId ?? null;
    this.retryAfter = more.retryAfter ?? null;
    this.code = more.code ?? null;
  }
}

/** A host of a test that is not verified, or does not verify now: it does not consent to load. */
export class NotVerified extends Refusal {
  constructor(errors: readonly string[], appId?: string) {
    super(422, errors, appId === undefined ? {} : { appId });
    this.name = 'NotVerified';
  }
}

export function notFound(): Refusal {
  return new Refusal(404, ['Requested record was not found']);
}

/** For everything that needs the data, while that is being opened. */
export function starting(): Refusal {
  return new Refusal(503, ['the service is starting: its database is being checked'], { retryAfter: 5 });
}

/** For everything that would begin something while the service ends. */
export function closing(): Refusal {
  return new Refusal(503, ['the service is shutting down'], { retryAfter: 5 });
}

/**
 * For load that is too much: for the machine, or for one host.
 *
 * @param retryAfter in seconds; null: it is too much by itself, so no other time is better
 */
export function tooMuchLoad(reason: string, retryAfter: number | null = null): Refusal {
  const code = 'LT_RUN_CAPACITY';
  return retryAfter === null
    ? new Refusal(422, [reason], { code })
    : new Refusal(429, [reason], { code, retryAfter });
}

/** Errors: Refusal 422 that tells the faults of a test, each with the URL entry that it is about. */
export function refuseFaults(faults: readonly Fault[]): void {
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const left = errors.length - MAX_FAULTS;
  const rest = left > 0 ? [`there are ${left} more errors`] : [];
  const told = [...errors.slice(0, MAX_FAULTS).map(sentenceOf), ...rest];
  const limit = errors.every(({ code }) => code === 'LT_RUN_CAPACITY');
  throw new Refusal(422, told, limit ? { code: 'LT_RUN_CAPACITY' } : {});
}

/** More are no help, and a request could ask for an answer larger than itself. */
const MAX_FAULTS = 100;

function sentenceOf({ path, message }: Fault): string {
  const [field, index] = path;
  return typeof index === 'number' ? `${field}[${index}]: ${message}` : message;
}

export function unprocessable(...errors: readonly string[]): Refusal {
  return new Refusal(422, errors);
}

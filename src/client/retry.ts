/** Reads are tried again here, and nowhere else. Writes are sent once: what may be sent again is for `apply`. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { CallError } from '../core/call-error.ts';
import type { RetryBounds } from '../core/ports/service-port.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

/** Tries of one read, at most. */
export const MAX_READ_ATTEMPTS = 5;

const MAX_RETRY_AFTER_MS = 60_000;
/** No further try begins when this has passed since the first one, in ms. */
const MAX_READ_MS = 130_000;
const MAX_BACKOFF_MS = 5_000;

/** Further tries that all reads of a client have left, so that a service in trouble is not buried in them. */
export interface RetryBudget {
  take(): boolean;
  refill(): void;
}

/** Ten at first; each answer that is usable gives two back. */
export function createRetryBudget(): RetryBudget {
  const most = 10;
  let left = most;
  return {
    take: () => left > 0 && left-- > 0,
    refill: () => {
      left = Math.min(most, left + 2);
    },
  };
}

export interface RetryOptions {
  readonly budget: RetryBudget;
  /** Pause before the second try, at least, and at most twice as long; doubles with each. */
  readonly backoff: Milliseconds;
  readonly signal: AbortSignal | null;
  /** What the caller has time for. */
  readonly bounds?: RetryBounds | undefined;
}

/** Errors: the CallError of the last try; a signal ends pauses and tries. */
export async function withRetries<T>(
  { budget, backoff, signal, bounds }: RetryOptions,
  read: () => Promise<T>,
): Promise<T> {
  // An error that says what was not asked any more is for the transport to make.
  if (signal?.aborted === true) return await read();
  const latest = performance.now() + Math.min(MAX_READ_MS, bounds?.within ?? MAX_READ_MS);
  const tries: RetryState<T> = { notBefore: 0, error: null, response: null };
  const signals = signal === null ? {} : { signal };
  try {
    return await pRetry(
      async () => {
        // What the pause before this try has left of the time that the service asked for.
        const left = tries.notBefore - performance.now();
        if (left > 0) await sleep(left, undefined, signals);
        const value = await read();
        tries.response = { value };
        budget.refill();
        return value;
      },
      {
        retries: MAX_READ_ATTEMPTS - 1,
        minTimeout: backoff,
        maxTimeout: MAX_BACKOFF_MS,
        randomize: true,
        ...signals,
        shouldRetry: ({ error }) => {
          if (!(error instanceof CallError) || !error.transient) return false;
          tries.error = error;
          tries.notBefore = performance.now() + (error.retryAfter ?? 0);
          return tries.notBefore < latest && budget.take();
        },
      },
    );
  } catch (error) {
    if (error instanceof CallError) throw error;
    // A signal came: what is known already says more.
    if (tries.response !== null) return tries.response.value;
    throw tries.error ?? error;
  }
}

interface RetryState<T> {
  /** Of performance.now(). */
  notBefore: number;
  error: CallError | null;
  response: { readonly value: T } | null;
}

/**
 * Reads Retry-After: seconds, or a date that counts from the answer's own Date.
 *
 * Errors: null when there is none or it is neither. Past dates are 0, long waits 60 s.
 */
export function readRetryAfter(headers: ReadonlyMap<string, string>, now: number): Milliseconds | null {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') return null;
  // Date.parse also takes "-5" for a date; those of HTTP begin with the day's name.
  const until = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : until - serverTimeOf(headers, now);
  return Number.isNaN(wait) ? null : milliseconds(Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS));
}

function serverTimeOf(headers: ReadonlyMap<string, string>, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

/** Reads are tried again here, and nowhere else. Writes are sent once: what may be sent again is for `apply`. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { CallError } from '../core/call-error.ts';
import type { ReadBounds } from '../core/ports/service-port.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

/** Tries of one read, at most. */
export const READ_TRIES = 5;

const LONGEST_RETRY_AFTER = 60_000;
/** No further try begins when this has passed since the first one, in ms. */
const LONGEST_READ = 130_000;
const LONGEST_BACKOFF = 5_000;

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

export interface Retrying {
  readonly budget: RetryBudget;
  /** Pause before the second try, at least, and at most twice as long; doubles with each. */
  readonly backoff: Milliseconds;
  readonly signal: AbortSignal | null;
  /** What the caller has time for. */
  readonly bounds?: ReadBounds | undefined;
}

/** Errors: the CallError of the last try; a signal ends pauses and tries. */
export async function withRetries<T>(
  { budget, backoff, signal, bounds }: Retrying,
  read: () => Promise<T>,
): Promise<T> {
  // An error that says what was not asked any more is for the transport to make.
  if (signal?.aborted === true) return await read();
  const latest = performance.now() + Math.min(LONGEST_READ, bounds?.within ?? LONGEST_READ);
  const tries: Tries<T> = { notBefore: 0, error: null, answer: null };
  const signals = signal === null ? {} : { signal };
  try {
    return await pRetry(
      async () => {
        // What the pause before this try has left of the time that the service asked for.
        const left = tries.notBefore - performance.now();
        if (left > 0) await sleep(left, undefined, signals);
        const value = await read();
        tries.answer = { value };
        budget.refill();
        return value;
      },
      {
        retries: READ_TRIES - 1,
        minTimeout: backoff,
        maxTimeout: LONGEST_BACKOFF,
        randomize: true,
        ...signals,
        shouldRetry: ({ error }) => {
          if (!(error instanceof CallError) || !error.passing) return false;
          tries.error = error;
          tries.notBefore = performance.now() + (error.retryAfter ?? 0);
          return tries.notBefore < latest && budget.take();
        },
      },
    );
  } catch (error) {
    if (error instanceof CallError) throw error;
    // A signal came: what is known already says more.
    if (tries.answer !== null) return tries.answer.value;
    throw tries.error ?? error;
  }
}

interface Tries<T> {
  /** Of performance.now(). */
  notBefore: number;
  error: CallError | null;
  answer: { readonly value: T } | null;
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
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : until - clockOf(headers, now);
  return Number.isNaN(wait) ? null : milliseconds(Math.min(Math.max(0, wait), LONGEST_RETRY_AFTER));
}

function clockOf(headers: ReadonlyMap<string, string>, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

/** Retries of reads. Writes are sent once by the client; `apply` decides about their retries. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { CallError } from '../core/call-error.ts';
import type { RetryBounds } from '../core/ports/service-port.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

/** Maximum number of attempts of a read. */
export const MAX_READ_ATTEMPTS = 5;

const MAX_RETRY_AFTER_MS = 60_000;
/** Time after the first attempt at which no further attempt starts, in ms. */
const MAX_READ_MS = 130_000;
const MAX_BACKOFF_MS = 5_000;

/** Retries left for all reads of a client. Protects an overloaded service from retries. */
export interface RetryBudget {
  take(): boolean;
  refill(): void;
}

/** Creates a budget of ten retries. Each usable response returns two. */
export function createRetryBudget(): RetryBudget {
  const maxRetries = 10;
  let remaining = maxRetries;
  return {
    take: () => remaining > 0 && remaining-- > 0,
    refill: () => {
      remaining = Math.min(maxRetries, remaining + 2);
    },
  };
}

export interface RetryOptions {
  readonly budget: RetryBudget;
  /**
   * Minimum pause before the second attempt. The actual pause is up to twice as long and doubles with each
   * attempt.
   */
  readonly backoff: Milliseconds;
  readonly signal: AbortSignal | null;
  /** Time limit of the caller. */
  readonly bounds?: RetryBounds | undefined;
}

/**
 * Calls `read` until it succeeds, fails permanently, or the limits are reached.
 * @throws CallError of the last attempt. A signal ends pauses and attempts.
 */
export async function withRetries<T>(
  { budget, backoff, signal, bounds }: RetryOptions,
  read: () => Promise<T>,
): Promise<T> {
  // The transport creates the error for an aborted request.
  if (signal?.aborted === true) return await read();
  const latest = performance.now() + Math.min(MAX_READ_MS, bounds?.within ?? MAX_READ_MS);
  const state: RetryState<T> = { notBefore: 0, error: null, response: null };
  const signals = signal === null ? {} : { signal };
  try {
    return await pRetry(
      async () => {
        // Waits for the rest of the time that the service requested.
        const wait = state.notBefore - performance.now();
        if (wait > 0) await sleep(wait, undefined, signals);
        const value = await read();
        state.response = { value };
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
          state.error = error;
          state.notBefore = performance.now() + (error.retryAfter ?? 0);
          return state.notBefore < latest && budget.take();
        },
      },
    );
  } catch (error) {
    if (error instanceof CallError) throw error;
    // After a signal, the last known outcome is more useful than the abort error.
    if (state.response !== null) return state.response.value;
    throw state.error ?? error;
  }
}

interface RetryState<T> {
  /** Time of performance.now(). */
  notBefore: number;
  error: CallError | null;
  response: { readonly value: T } | null;
}

/**
 * Parses Retry-After: seconds, or a date relative to the Date of the response. Returns null if missing or
 * invalid. Past dates yield 0; waits are limited to 60 s.
 */
export function readRetryAfter(headers: ReadonlyMap<string, string>, now: number): Milliseconds | null {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') return null;
  // Date.parse accepts "-5", but HTTP dates begin with the name of the day.
  const until = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : until - serverTimeOf(headers, now);
  return Number.isNaN(wait) ? null : milliseconds(Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS));
}

function serverTimeOf(headers: ReadonlyMap<string, string>, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

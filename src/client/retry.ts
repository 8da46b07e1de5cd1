import { setTimeout as sleep } from 'node:timers/promises';
import { backoffOf, MAX_RETRY_MS, withRetries } from '../retry/bounded-retry.ts';
import { CallError } from '../core/call-error.ts';
import type { RetryBounds } from '../core/ports/service-port.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

const MAX_RETRY_AFTER_MS = 60_000;
const MAX_BACKOFF_MS = 5_000;

/** Limit on the retries of all reads of a client, which protects an overloaded service. */
export interface RetryBudget {
  take(): boolean;
  refill(): void;
}

/** Creates a budget of ten retries. Each successful read adds two retries, up to ten. */
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
  /** See `Tuning.backoff`. */
  readonly backoff: Milliseconds;
  readonly signal: AbortSignal;
  readonly bounds?: RetryBounds | undefined;
}

/**
 * Repeats a read until it succeeds, fails permanently or reaches a limit.
 * @throws The CallError of the last attempt. A signal ends pauses and prevents further attempts.
 */
export async function readWithRetries<T>(
  { budget, backoff, signal, bounds }: RetryOptions,
  read: () => Promise<T>,
): Promise<T> {
  const value = await withRetries(read, {
    within: Math.min(MAX_RETRY_MS, bounds?.within ?? MAX_RETRY_MS),
    monotonic: () => performance.now(),
    pauseAfter: (error, attempt) => {
      if (!(error instanceof CallError) || !error.transient) return null;
      const pause = backoffOf(attempt, { first: 2 * backoff, max: MAX_BACKOFF_MS }, Math.random());
      return Math.max(error.retryAfter ?? 0, pause);
    },
    wait: async (pause) => {
      if (signal.aborted || !budget.take()) return false;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      return !signal.aborted;
    },
  });
  budget.refill();
  return value;
}

/**
 * Returns the wait from a Retry-After header, limited to 60 s; null if the header is missing or invalid. A date is
 * relative to the Date header, if present.
 */
export function readRetryAfter(headers: ReadonlyMap<string, string>, now: number): Milliseconds | null {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') return null;
  // HTTP dates begin with the name of a day, but Date.parse also accepts text such as "-5".
  const until = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : until - serverTimeOf(headers, now);
  return Number.isNaN(wait) ? null : milliseconds(Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS));
}

function serverTimeOf(headers: ReadonlyMap<string, string>, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

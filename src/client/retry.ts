/** What is tried again, and when: decided by operation, never by HTTP method. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Operation } from '../contract/routes.ts';
import type { CallError } from '../core/call-error.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

/** How a try ended. */
export type Attempt<T> = { readonly kind: 'value'; readonly value: T } | FailedAttempt;

export interface FailedAttempt {
  readonly kind: 'failed';
  readonly error: CallError;
  /**
   * - `final`: another try would end the same.
   * - `not_sent`: surely nothing happened, and it may pass.
   * - `throttled`: refused for now.
   * - `doubt`: perhaps carried out.
   */
  readonly why: 'final' | 'not_sent' | 'throttled' | 'doubt';
  /** What the answer's Retry-After asks for. */
  readonly retryAfter: Milliseconds | null;
}

interface RetryRule {
  readonly attempts: number;
  /** May be sent again although it was perhaps carried out. */
  readonly inDoubt: boolean;
  /** Throttled without Retry-After counts as a reason to try again. */
  readonly unasked: boolean;
  /** Shortest pause, in units of the backoff. */
  readonly pause: number;
}

/**
 * Source: docs/design/reconciler.md, section 4. Registering and stopping may be sent again in doubt as well, but only
 *         after a look at the lists or the current run, which is for the caller to take.
 */
export const RETRY_RULES: Readonly<Record<Operation, RetryRule>> = {
  read: { attempts: 5, inDoubt: true, unasked: true, pause: 0 },
  register: { attempts: 3, inDoubt: false, unasked: false, pause: 0 },
  create: { attempts: 3, inDoubt: false, unasked: false, pause: 0 },
  start: { attempts: 3, inDoubt: false, unasked: false, pause: 0 },
  stop: { attempts: 3, inDoubt: false, unasked: true, pause: 0 },
  // Each one makes the service call the customer's host.
  verify: { attempts: 2, inDoubt: true, unasked: true, pause: 8 },
  delete: { attempts: 3, inDoubt: true, unasked: true, pause: 0 },
};

const LONGEST_RETRY_AFTER = 60_000;
/** No further try begins when this has passed since the first one. */
const LONGEST_CALL = milliseconds(130_000);
const LONGEST_BACKOFF = 5_000;

/** Further tries that all calls of a client have left, so that a service in trouble is not buried in them. */
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
  readonly operation: Operation;
  readonly budget: RetryBudget;
  /** Pause before the second try, at most; doubles with each. */
  readonly backoff: Milliseconds;
  readonly signal: AbortSignal | null;
}

/** Errors: the CallError of the last try. */
export async function withRetries<T>(
  { operation, budget, backoff, signal }: Retrying,
  attempt: (number: number) => Promise<Attempt<T>>,
): Promise<T> {
  const rule = RETRY_RULES[operation];
  const begin = performance.now();
  try {
    return await pRetry(
      async (number) => {
        const result = await attempt(number);
        if (result.kind === 'failed') throw new AttemptFailed(result);
        budget.refill();
        return result.value;
      },
      {
        retries: rule.attempts - 1,
        // The pauses are our own, below.
        minTimeout: 0,
        maxTimeout: 0,
        async shouldRetry({ error, attemptNumber }) {
          if (!(error instanceof AttemptFailed)) return false;
          const { failure } = error;
          if (!mayTryAgain(rule, failure)) return false;
          const jittered = Math.random() * Math.min(LONGEST_BACKOFF, backoff * 2 ** (attemptNumber - 1));
          const pause = Math.max(failure.retryAfter ?? jittered, rule.pause * backoff);
          if (performance.now() - begin + pause > LONGEST_CALL || !budget.take()) return false;
          return await pausedWhole(pause, signal);
        },
      },
    );
  } catch (error) {
    throw error instanceof AttemptFailed ? error.failure.error : error;
  }
}

function mayTryAgain(rule: RetryRule, failure: FailedAttempt): boolean {
  switch (failure.why) {
    case 'final':
      return false;
    case 'not_sent':
      return true;
    case 'throttled':
      return rule.unasked || failure.retryAfter !== null;
    case 'doubt':
      return rule.inDoubt;
  }
}

async function pausedWhole(pause: number, signal: AbortSignal | null): Promise<boolean> {
  try {
    await sleep(pause, undefined, signal === null ? {} : { signal });
    return true;
  } catch {
    return false;
  }
}

/** p-retry speaks in errors; this one never leaves the file. */
class AttemptFailed extends Error {
  readonly failure: FailedAttempt;

  constructor(failure: FailedAttempt) {
    super('a try failed');
    this.failure = failure;
  }
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

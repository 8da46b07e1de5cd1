import pRetry from 'p-retry';

export const MAX_ATTEMPTS = 5;

/** Maximum time from the start of the first attempt to the start of a retry, in ms, for requests to a service. */
export const MAX_RETRY_MS = 130_000;

export interface RetryRules {
  /** Returns the pause before the next attempt in ms; null if the error permits no further attempt. */
  readonly pauseAfter: (error: unknown, attempt: number) => number | null | Promise<number | null>;
  /** Waits for a time in ms. Returns false if no further attempt may start. */
  readonly wait: (pause: number) => Promise<boolean>;
  /** Returns the time of a monotonic clock, in ms. */
  readonly monotonic: () => number;
  /** Maximum time from the start of the first attempt to the start of a retry, in ms. */
  readonly within: number;
}

/**
 * Performs at most MAX_ATTEMPTS attempts, until one succeeds or the rules permit no retry.
 * @throws The error of the last attempt.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { pauseAfter, wait, monotonic, within }: RetryRules,
): Promise<T> {
  const latest = monotonic() + within;
  let pause: number | null = null;
  return await pRetry(attempt, {
    retries: MAX_ATTEMPTS - 1,
    // `wait` performs the pauses, because callers use different clocks.
    minTimeout: 0,
    onFailedAttempt: async ({ error, attemptNumber }) => {
      pause = await pauseAfter(error, attemptNumber);
    },
    shouldRetry: async () => pause !== null && monotonic() + pause < latest && (await wait(pause)),
  });
}

/**
 * Returns a random pause in ms, from half of a maximum to the maximum. The maximum starts at `first` and doubles with
 * each attempt, up to `max`.
 * @param random - Number from 0 to 1.
 */
export function backoffOf(
  attempt: number,
  { first, max }: { readonly first: number; readonly max: number },
  random: number,
): number {
  const full = Math.min(max, first * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random;
}

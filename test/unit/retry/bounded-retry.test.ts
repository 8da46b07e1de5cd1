/** Attempts of a request are bounded in number and time. */
import { describe, expect, test } from 'vitest';
import { backoffOf, MAX_ATTEMPTS, withRetries, type RetryRules } from '../../../src/retry/bounded-retry.ts';

const FAILURE = new Error('failed');

/** Runs attempts that all fail, on a clock that only pauses advance. */
async function countAttempts(rules: Partial<RetryRules>) {
  let [now, attempts] = [0, 0];
  const all = {
    pauseAfter: () => 10,
    wait: (pause: number) => {
      now += pause;
      return Promise.resolve(true);
    },
    monotonic: () => now,
    within: 1000,
    ...rules,
  };
  const attempt = () => {
    attempts++;
    return Promise.reject(FAILURE);
  };
  await expect(withRetries(attempt, all)).rejects.toBe(FAILURE);
  return { attempts, waited: now };
}

describe('bounded retries', () => {
  test('a request that always fails is sent the maximum number of times', async () => {
    expect(await countAttempts({})).toEqual({ attempts: MAX_ATTEMPTS, waited: 10 * (MAX_ATTEMPTS - 1) });
  });

  test('an attempt is not made if it would start after the time limit', async () => {
    expect(await countAttempts({ within: 25 })).toEqual({ attempts: 3, waited: 20 });
    expect(await countAttempts({ pauseAfter: () => 1000 })).toEqual({ attempts: 1, waited: 0 });
  });

  test('no further attempt is made after a permanent error or an interrupted wait', async () => {
    expect((await countAttempts({ pauseAfter: () => null })).attempts).toBe(1);
    expect((await countAttempts({ wait: () => Promise.resolve(false) })).attempts).toBe(1);
  });

  test('the delay between attempts doubles up to a maximum, and random jitter reduces it by up to half', () => {
    const limits = { first: 500, max: 3000 };
    expect([1, 2, 3, 4].map((attempt) => backoffOf(attempt, limits, 0))).toEqual([250, 500, 1000, 1500]);
    expect([1, 2, 3, 4].map((attempt) => backoffOf(attempt, limits, 1))).toEqual([500, 1000, 2000, 3000]);
  });
});

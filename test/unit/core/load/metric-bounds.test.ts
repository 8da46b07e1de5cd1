/** Bounds of metrics: the values that a load generator without delays might have measured. */
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import {
  boundsOf,
  boundsOfIterations,
  minTimesOf,
  type Measurements,
} from '../../../../src/core/load/metric-bounds.ts';
import type { Bounds } from '../../../../src/core/model/sample.ts';

/** Times in µs; histograms store times below 128 µs exactly. */
function timesOf(...microseconds: readonly number[]): Histogram {
  const times = Histogram.createTotal();
  for (const one of microseconds) times.record(one);
  return times;
}

const NONE = Histogram.createTotal();

/** A closed model with 100 requests in 10 s, without delays of the load generator. */
const CERTAIN: Measurements = {
  response: NONE,
  omittedTimes: NONE,
  lowerBounds: NONE,
  stallFree: NONE,
  timerDelays: 2,
  open: false,
  loaded: 10_000,
  outcomes: { success: 90, error: 4, timeoutError: 3, networkError: 3 },
  below400: 92,
  bytesReceived: 5000,
  requestsPerSecond: 10,
  omitted: 0,
  uncertainFailures: { timeoutError: 0, networkError: 0 },
  neverStarted: 0,
  maxStalledMs: 0,
  maxBusyShare: 0.5,
};

const countsOf = (changes: Partial<Measurements>) => boundsOf({ ...CERTAIN, ...changes });

/** Returns the bounds of times in µs, as `low-high`. */
function timesIn(bounds: Bounds): Record<string, string> {
  const microseconds = (ms: number | null) => (ms === null ? 'unknown' : Math.round(10_000 * ms) / 10);
  return Object.fromEntries(
    Object.entries(bounds)
      .filter(([metric]) => /^(?:p\d|max|min|avg|iteration_(?:p|m|avg))/.test(metric))
      .map(([metric, { low, high }]) => [metric, `${microseconds(low)}-${microseconds(high)}`]),
  );
}

describe('bounds of counts', () => {
  const exactly = (value: number) => ({ low: value, high: value });

  test('without delays of the load generator, the lower and upper bounds of each count and rate equal the measured value', () => {
    expect(countsOf({})).toEqual({
      requests: exactly(100),
      success: exactly(90),
      error: exactly(4),
      timeout_error: exactly(3),
      network_error: exactly(3),
      data_received: exactly(5000),
      requests_per_second: exactly(10),
      error_rate: exactly(10),
      success_rate: exactly(90),
      http_error_rate: exactly(8),
    });
  });

  test('in the bounds of success and error metrics, uncertain failures count as failures in one bound and as successes in the other', () => {
    const uncertainFailures = { timeoutError: 2, networkError: 1, error: 1 };
    expect(countsOf({ uncertainFailures })).toMatchObject({
      requests: exactly(100),
      success: { low: 90, high: 94 },
      error: { low: 3, high: 4 },
      timeout_error: { low: 1, high: 3 },
      network_error: { low: 2, high: 3 },
      error_rate: { low: 6, high: 10 },
      success_rate: { low: 90, high: 94 },
      http_error_rate: { low: 5, high: 8 },
    });
  });

  test('in the closed model, the upper bounds of counts increase with the stalled time, and are unknown if the whole run was stalled or a thread was saturated', () => {
    expect(countsOf({ maxStalledMs: 5000 })).toMatchObject({
      requests: { low: 100, high: 200 },
      success: { low: 90, high: 180 },
      error: { low: 4, high: 8 },
      timeout_error: { low: 3, high: 6 },
      network_error: { low: 3, high: 6 },
      data_received: { low: 5000, high: 10_000 },
      requests_per_second: { low: 10, high: 20 },
      error_rate: exactly(10),
    });
    const unknown = { requests: { low: 100, high: null }, success: { low: 90, high: null } };
    expect(countsOf({ maxStalledMs: 10_000 })).toMatchObject(unknown);
    expect(countsOf({ maxBusyShare: 0.951 })).toMatchObject(unknown);
    expect(countsOf({ maxBusyShare: 0.95 })).toMatchObject({ requests: exactly(100) });
  });

  test('in the open models, the upper bound of requests includes the requests that were never started', () => {
    const open = { open: true, neverStarted: 100, maxStalledMs: 10_000, maxBusyShare: 1 };
    expect(countsOf(open)).toMatchObject({
      requests: { low: 100, high: 200 },
      success: { low: 90, high: 180 },
    });
    const outcomes = { success: 0, error: 0, timeoutError: 0, networkError: 0 };
    const nothing = countsOf({ ...open, outcomes, below400: 0, requestsPerSecond: 0, bytesReceived: 0 });
    expect(nothing).toMatchObject({ requests: { low: 0, high: 100 }, success: { low: 0, high: 100 } });
    expect(nothing).not.toHaveProperty('error_rate');
  });

  test('omitted requests increase the error rate and the HTTP error rate, but not the number of requests', () => {
    expect(countsOf({ omitted: 100 })).toMatchObject({
      requests: exactly(100),
      error_rate: exactly(55),
      success_rate: exactly(45),
      http_error_rate: exactly(54),
    });
  });
});

describe('bounds of times', () => {
  const response = timesOf(10, 20, 30, 40);
  const measured = { response };

  test('a run without response times has no bounds of times', () => {
    expect(timesIn(countsOf({}))).toEqual({});
    expect(minTimesOf(CERTAIN)).toBeNull();
  });

  test('the lower bounds of min, max, mean and percentiles are computed from the lower bounds of the times, and the upper bounds from the measured times', () => {
    const times = countsOf({ ...measured, lowerBounds: timesOf(1, 2, 3, 4) });
    expect(timesIn(times)).toEqual({
      ...{ min: '1-10', max: '4-40', avg_response_time: '2.5-25', p50: '2-20', p75: '3-30' },
      ...{ p90: '4-40', p95: '4-40', p99: '4-40', 'p99.9': '4-40' },
    });
  });

  test('for the lower bounds of times, each request without a stall-free time counts as 0 ms', () => {
    const times = timesIn(countsOf({ ...measured, stallFree: timesOf(30, 40) }));
    // A tenth of each time may be the delay of timers.
    expect(times).toMatchObject({ min: '0-10', max: '36-40', avg_response_time: '15.8-25' });
    expect(times).toMatchObject({ p50: '0-20', p75: '27-30', p90: '36-40' });
  });

  test('the lower bound of a stall-free time is up to a tenth below the time, limited to twice the minimum stall tolerance', () => {
    const slow = timesOf(2_000_000);
    const bounds = countsOf({ response: slow, stallFree: slow });
    const unlimited = countsOf({ response: slow, stallFree: slow, timerDelays: Infinity });
    expect(timesIn(unlimited)['max']).toBe('1800000-2000000');
    expect(bounds.max?.low).toBeGreaterThan(1990);
    expect(bounds.max?.low).toBeLessThan(2000);
  });

  test('if there are lower bounds and stall-free times, the higher lower bound applies, but never exceeds the measured time', () => {
    const times = countsOf({
      ...measured,
      lowerBounds: timesOf(5, 5, 29, 90),
      stallFree: timesOf(20, 30, 40),
    });
    expect(timesIn(times)).toMatchObject({ min: '5-10', p50: '18-20', p75: '29-30', max: '40-40' });
  });

  test('the bounds of times treat the times of omitted requests as exact', () => {
    const all = timesOf(10, 20, 30, 40, 100);
    const times = timesIn(
      countsOf({ response: all, omittedTimes: timesOf(100), lowerBounds: timesOf(1, 2, 3, 4) }),
    );
    expect(times).toMatchObject({ min: '1-10', max: '100-100', p50: '3-30', avg_response_time: '22-40' });
  });

  test('the lower bound of the maximum is the longest time of an omitted request if all recorded times have shorter lower bounds', () => {
    const all = timesOf(10, 20, 20, 30, 40);
    const times = timesIn(
      countsOf({ response: all, omittedTimes: timesOf(20), lowerBounds: timesOf(1, 2, 3, 4) }),
    );
    expect(times).toMatchObject({ min: '1-10', max: '20-40' });
  });

  test('the minimum time at each rank equals the lower bound of the corresponding percentile', () => {
    const given = { ...CERTAIN, ...measured, lowerBounds: timesOf(5, 5, 29, 90), stallFree: timesOf(20, 40) };
    const minTimes = minTimesOf(given);
    const bounds = boundsOf(given);
    expect(minTimes?.count).toBe(4);
    for (const [metric, rank] of [
      ['p50', 2],
      ['p75', 3],
      ['p99', 4],
    ] as const)
      expect(minTimes?.atRank(rank)).toBe(Math.floor(1000 * (bounds[metric]?.low ?? -1)));
  });
});

test('minimum times change at each rank at which a time or a lower bound changes', () => {
  const changes = { response: timesOf(10, 10, 20), lowerBounds: timesOf(1, 2, 3) };
  expect(minTimesOf({ ...CERTAIN, ...changes })?.toStored()).toEqual({
    ...{ min: 1, max: 3, sum: 6 },
    counts: [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  });
  expect(minTimesOf({ ...CERTAIN, response: timesOf(10, 20) })?.toStored()).toEqual({
    ...{ min: 0, max: 0, sum: 0, counts: [[0, 2]] },
  });
});

describe('bounds of iterations', () => {
  const response = timesOf(10, 20);
  const iterations = {
    ...{ response, omittedTimes: NONE, lowerBounds: timesOf(1, 2), stallFree: NONE, timerDelays: 2 },
    ...{ completed: 40, failed: 10, withErrors: 20, declared: null },
  };

  test('boundsOfIterations names the bounds after the metrics of iterations, such as iteration_p95', () => {
    const bounds = boundsOfIterations(CERTAIN, iterations);
    expect(bounds).toMatchObject({
      iterations: { low: 40, high: 40 },
      iteration_error_rate: { low: 40, high: 40 },
    });
    expect(timesIn(bounds)).toMatchObject({
      iteration_p50: '1-10',
      iteration_p95: '2-20',
      iteration_max: '2-20',
    });
    expect(bounds).not.toHaveProperty('p50');
  });

  test('the upper bound of iterations is at most the declared number of iterations', () => {
    const maximum = (changes: Partial<Measurements>, declared: number | null) =>
      boundsOfIterations({ ...CERTAIN, ...changes }, { ...iterations, declared }).iterations?.high;
    expect(maximum({ maxStalledMs: 5000 }, null)).toBe(80);
    expect(maximum({ maxStalledMs: 5000 }, 60)).toBe(60);
    expect(maximum({ maxStalledMs: 5000 }, 90)).toBe(80);
    expect(maximum({ maxBusyShare: 1 }, 60)).toBe(60);
    expect(maximum({ maxBusyShare: 1 }, null)).toBeNull();
  });

  test('the lower bound of iteration_error_rate assumes that each uncertain failure is in a different iteration', () => {
    const rate = (failures: number) =>
      boundsOfIterations(
        { ...CERTAIN, uncertainFailures: { timeoutError: failures, networkError: 5, error: 0 } },
        iterations,
      ).iteration_error_rate;
    expect(rate(5)).toEqual({ low: 20, high: 40 });
    expect(rate(50)).toEqual({ low: 0, high: 40 });
    const none = { ...iterations, completed: 0, failed: 0, withErrors: 0 };
    expect(boundsOfIterations(CERTAIN, none)).not.toHaveProperty('iteration_error_rate');
  });
});

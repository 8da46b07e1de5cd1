/** Shares of responses within a time, which are read from histograms. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateRun } from '../../../../src/core/compare/run-evaluation.ts';
import { countUpTo, Histogram } from '../../../../src/core/load/histogram.ts';
import { kindOf, parseThreshold, requiredSamples, timeWithin } from '../../../../src/core/model/threshold.ts';
import type { Metric } from '../../../../src/core/model/threshold.ts';
import type { Sample } from '../../../../src/core/model/sample.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import { createResult } from '../../../support/past-run.ts';

function histogramOf(microseconds: readonly number[]) {
  const histogram = Histogram.createTotal();
  for (const one of microseconds) histogram.record(one);
  const stored = histogram.toStored();
  if (stored === null) throw new Error('no times');
  return stored;
}

/** Times in ms, each of `count` responses. */
function timesOf(...groups: readonly (readonly [count: number, ms: number])[]) {
  return histogramOf(groups.flatMap(([count, ms]) => Array<number>(count).fill(1000 * ms)));
}

function evaluate(metric: Metric, limit: string, sample: Partial<Omit<Sample, 'iterations'>>) {
  const threshold = parseThreshold(metric, limit, null);
  if (threshold === null) throw new Error('no threshold');
  const metrics = { requests: 1000 };
  const [found] = evaluateRun(thresholdsOf([threshold]), createResult({ metrics, ...sample })).thresholds;
  return found;
}

describe('names of metrics for shares of responses', () => {
  test.each([
    ['within_500ms', 500],
    ['within_1.5s', 1500],
    ['within_0.25ms', 0.25],
    ['within_0ms', null],
    ['within_500', null],
    ['within_5m', null],
    ['within_', null],
    ['p95', null],
  ])('timeWithin("%s") returns %s', (metric, ms) => {
    expect(timeWithin(metric)).toBe(ms);
    expect(kindOf(metric)).toBe(ms === null ? (metric === 'p95' ? 'time' : null) : 'rate');
  });
});

describe('numbers of responses within a time', () => {
  const times = fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 60 });

  test('countUpTo returns bounds for the number of responses within a time, and these bounds differ by at most the number of responses near that time', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 5_000_000 }), (recorded, limit) => {
        const { certain, probable, possible } = countUpTo(histogramOf(recorded), limit);
        const count = recorded.filter((time) => time <= limit).length;
        expect(certain).toBeLessThanOrEqual(count);
        expect(possible).toBeGreaterThanOrEqual(count);
        expect(probable).toBeGreaterThanOrEqual(certain);
        expect(probable).toBeLessThanOrEqual(possible);
        expect(possible - certain).toBeLessThanOrEqual(
          recorded.filter((time) => Math.abs(time - limit) <= limit / 127 + 1).length,
        );
      }),
    );
  });

  test('countUpTo returns an exact count at the end of a bucket, and if all times are on one side of the limit', () => {
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 7, max: 21 }),
        fc.integer({ min: 128, max: 255 }),
        (recorded, shift, sub) => {
          const end = sub * 2 ** (shift - 7) - 1;
          const { certain, possible } = countUpTo(histogramOf(recorded), end);
          expect(possible).toBe(certain);
        },
      ),
    );
    expect(countUpTo(histogramOf([500_000]), 500_000)).toEqual({ certain: 1, probable: 1, possible: 1 });
    expect(countUpTo(histogramOf([500_001]), 500_000)).toEqual({ certain: 0, probable: 0, possible: 0 });
  });
});

describe('thresholds on shares of responses', () => {
  const fast = timesOf([900, 100], [100, 700]);
  const exact = { bounds: {}, times: { measured: fast, minimum: fast } };

  test.each([
    ['>= 90%', 'pass'],
    ['> 90%', 'fail'],
    ['>= 91%', 'fail'],
    ['< 91%', 'pass'],
  ])(
    'the threshold within_500ms %s is evaluated as %s if 900 of 1,000 responses take at most 500 ms',
    (limit, verdict) => {
      expect(evaluate('within_500ms', limit, exact)).toMatchObject({ value: 90, verdict });
      expect(evaluate('within_0.5s', limit, exact)).toMatchObject({ value: 90, verdict });
    },
  );

  test('if response times are in the histogram bucket of the limit, the share is an interval, and only a threshold inside this interval is inconclusive', () => {
    const times = timesOf([900, 100], [50, 499.9], [50, 501]);
    const sample = { bounds: {}, times: { measured: times, minimum: times } };
    const unclear = evaluate('within_500ms', '>= 95%', sample);
    expect(unclear).toMatchObject({ bounds: { low: 90, high: 100 }, verdict: 'inconclusive' });
    expect(unclear?.reason).toBe('between 90 and 100%: response times are recorded with a precision of 0.8%');
    expect(evaluate('within_500ms', '>= 90%', sample)?.verdict).toBe('pass');
    expect(evaluate('within_450ms', '>= 90.1%', sample)?.verdict).toBe('fail');
  });

  test('delays of the load generator increase only the upper bound of a share', () => {
    const sample = { bounds: {}, times: { measured: fast, minimum: timesOf([950, 90], [50, 700]) } };
    expect(evaluate('within_500ms', '>= 93%', sample)).toMatchObject({
      value: 90,
      bounds: { low: 90, high: 95 },
      verdict: 'inconclusive',
    });
    expect(evaluate('within_500ms', '>= 96%', sample)?.verdict).toBe('fail');
    expect(evaluate('within_500ms', '>= 89%', sample)?.verdict).toBe('pass');
    const { times } = sample;
    expect(evaluate('within_500ms', '>= 93%', { bounds: null, times })).toMatchObject({
      value: 90,
      verdict: 'fail',
    });
    const earlier = { bounds: {}, times: { measured: fast, minimum: null } };
    expect(evaluate('within_500ms', '>= 96%', earlier)?.bounds).toEqual({ low: 90, high: 100 });
  });

  test.each([
    ['without a histogram', null],
    ['with an empty histogram', { measured: { ...fast, counts: [] }, minimum: null }],
  ])('a threshold on within_500ms is inconclusive %s', (_, times) => {
    expect(evaluate('within_500ms', '>= 90%', { times })).toMatchObject({
      value: null,
      verdict: 'inconclusive',
    });
  });

  test('a threshold on within_1s requires 100 responses with a limit of >= 90%, 1,000 with > 99%, and no minimum with >= 100% or < 50%', () => {
    const needed = (limit: string) => {
      const threshold = parseThreshold('within_1s', limit, null);
      return threshold && requiredSamples(threshold);
    };
    expect(['>= 90%', '> 99%', '>= 100%', '< 50%'].map(needed)).toEqual([100, 1000, null, null]);
    const few = timesOf([20, 100]);
    expect(
      evaluate('within_1s', '>= 99%', { bounds: {}, times: { measured: few, minimum: few } }),
    ).toMatchObject({
      verdict: 'inconclusive',
      reason: '100% from 20 responses (at least 1,000 are needed)',
    });
    const slow = timesOf([15, 100], [5, 2000]);
    expect(
      evaluate('within_1s', '>= 99%', { bounds: {}, times: { measured: slow, minimum: slow } })?.verdict,
    ).toBe('fail');
  });
});

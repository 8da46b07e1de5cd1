import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import {
  bucketOf,
  BUCKETS,
  countUpTo,
  firstReportedAtLeast,
  Histogram,
  lastReportedAtMost,
  storedMoments,
  storedQuantile,
  storedValueAtRank,
} from '../../../../src/core/load/histogram.ts';
import { Random } from '../../../../src/core/random.ts';
import { scaleCount } from '../../../support/test-scale.ts';

const values = fc.array(fc.oneof(fc.nat(1000), fc.nat(10_000_000), fc.nat(2 ** 31 - 1)), {
  minLength: 1,
  maxLength: 500,
});

function recorded(list: readonly number[]): Histogram {
  const histogram = Histogram.createRecorder();
  for (const value of list) histogram.record(value);
  return histogram;
}

function totalOf(list: readonly number[]): Histogram {
  const total = Histogram.createTotal();
  for (const value of list) total.record(value);
  return total;
}

describe('histograms', () => {
  test('every quantile of a histogram is within 0.4% of the exact quantile', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, fraction) => {
        const sorted = [...list].sort((a, b) => a - b);
        const rank = Math.min(
          list.length,
          Math.max(1, Math.ceil(Number((fraction * list.length).toFixed(6)))),
        );
        const exact = sorted[rank - 1] ?? 0;
        const found = recorded(list).quantile(fraction) ?? -1;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.004);
      }),
      { numRuns: scaleCount(2000) },
    );
  });

  test('count, min, max and sum of a histogram are exact', () => {
    fc.assert(
      fc.property(values, (list) => {
        const { count, min, max, sum } = recorded(list);
        expect({ count, min, max, sum }).toEqual({
          count: list.length,
          min: Math.min(...list),
          max: Math.max(...list),
          sum: list.reduce((a, b) => a + b, 0),
        });
      }),
    );
  });

  test('countAbove counts the records in the buckets above the bucket of the given value', () => {
    fc.assert(
      fc.property(values, fc.nat(10_000_000), (list, limit) => {
        const above = list.filter((value) => bucketOf(value) > bucketOf(limit)).length;
        expect(recorded(list).countAbove(limit)).toBe(above);
      }),
      { numRuns: scaleCount(500) },
    );
  });

  test('merged histograms equal one histogram of all values', () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 8 }), (lists) => {
        const total = Histogram.createTotal();
        for (const list of lists) total.add(recorded(list));
        const expected = Histogram.createTotal();
        expected.add(recorded(lists.flat()));
        expect(total).toEqual(expected);
      }),
      { numRuns: scaleCount(50) },
    );
  });

  test('addUpTo adds the records of all buckets below the bucket of the limit, or all records if none exceeds the limit', () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 4 }), fc.nat(2 ** 31), (lists, largest) => {
        const total = Histogram.createTotal();
        const expected = Histogram.createTotal();
        for (const list of lists) {
          total.addUpTo(recorded(list), largest);
          const all = Math.max(...list) <= largest;
          const limit = bucketOf(Math.min(largest, 2 ** 31 - 1));
          for (const value of list) if (all || bucketOf(value) < limit) expected.record(value);
        }
        expect(total.count).toBe(expected.count);
        expect(total.toStored()?.counts).toEqual(expected.toStored()?.counts);
        for (const end of ['min', 'max', 'sum'] as const) {
          if (Number.isFinite(expected[end]))
            expect(Math.abs(total[end] - expected[end])).toBeLessThanOrEqual(0.004 * expected[end]);
        }
      }),
      { numRuns: scaleCount(500) },
    );
  });

  test('percentiles of a million merged latencies are within 0.4% of the exact values and within 0.5% of the values of HdrHistogram', () => {
    const random = new Random(7);
    // Between 50 µs and 20 s, evenly distributed over the powers of ten.
    const list = Array.from({ length: 1_000_000 }, () =>
      Math.floor(50 * 10 ** ((random.below(2 ** 32) / 2 ** 32) * 5.6)),
    );
    const oracle = build({ highestTrackableValue: 2 ** 31 - 1, numberOfSignificantValueDigits: 3 });
    for (const value of list) oracle.recordValue(value);
    const merged = Histogram.createTotal();
    for (let thread = 0; thread < 8; thread++)
      merged.add(recorded(list.filter((_, at) => at % 8 === thread)));
    const expected = Histogram.createTotal();
    expected.add(recorded(list));
    expect(merged).toEqual(expected);
    const sorted = Float64Array.from(list).sort();
    for (const percent of [0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999]) {
      const found = merged.quantile(percent / 100) ?? 0;
      const exact = sorted[Math.ceil(Number((percent * 10_000).toFixed(6))) - 1] ?? 0;
      expect(Math.abs(found / exact - 1), `p${percent}`).toBeLessThanOrEqual(0.004);
      expect(Math.abs(found / oracle.getValueAtPercentile(percent) - 1), `p${percent}`).toBeLessThanOrEqual(
        0.005,
      );
    }
    expect(merged.max).toBe(sorted.at(-1));
    expect(merged.mean()).toBeCloseTo(list.reduce((sum, value) => sum + value, 0) / list.length, 6);
  });

  test('a histogram limits recorded values to the range from 0 to 2^31 - 1, and truncates fractions', () => {
    const histogram = recorded([-5, 2 ** 40, 7.9]);
    expect([histogram.min, histogram.max, histogram.quantile(0.5)]).toEqual([0, 2 ** 31 - 1, 7]);
  });

  test('a stored histogram and the original histogram return the same value for each rank', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 31), { minLength: 1 }), (values) => {
        const histogram = Histogram.createTotal();
        for (const value of values) histogram.record(value);
        const stored = histogram.toStored();
        if (stored === null) throw new Error('the histogram is empty');
        for (let rank = 1; rank <= values.length + 1; rank++)
          expect(storedValueAtRank(stored, rank)).toBe(histogram.atRank(rank));
      }),
    );
  });

  test.each([7.9, -5, 2 ** 40])(
    'recordMany with the count 5 and the value %d results in the same histogram as five calls of record',
    (value) => {
      const [once, single] = [Histogram.createTotal(), Histogram.createTotal()];
      for (const histogram of [once, single]) histogram.record(1000);
      once.recordMany(5, value);
      for (let count = 0; count < 5; count++) single.record(value);
      expect(once).toEqual(single);
    },
  );

  test('recordEvenly records the given number of values, evenly spaced from the highest value down', () => {
    const evenly = (...values: Parameters<Histogram['recordEvenly']>) => {
      const histogram = Histogram.createTotal();
      histogram.recordEvenly(...values);
      return histogram;
    };
    expect(evenly(4, 1000, 200)).toEqual(totalOf([1000, 800, 600, 400]));
    expect(evenly(3, 10, 0)).toEqual(totalOf([10, 6, 3]));
    expect(evenly(1, 500, 100)).toEqual(totalOf([500]));
    expect(evenly(0, 500, 100)).toEqual(Histogram.createTotal());
    const many = evenly(2500, 1_000_000, 0);
    expect([many.count, many.max, many.min]).toEqual([2500, 1_000_000, 1000]);
    // Steps of 1,000 µs, with two or three values each.
    expect(Math.round((many.mean() ?? 0) / 1000)).toBe(501);
  });

  test.each([
    [-1, 1],
    [1.5, 1],
    [BUCKETS, 1],
    [0, 0],
    [0, -1],
    [0, Number.NaN],
  ])('a stored histogram whose bucket %d has the count %d is invalid', (bucket, count) => {
    const stored = { min: 0, max: 1, sum: 1, counts: [[1, 1] as const, [bucket, count] as const] };
    expect(Histogram.fromStored(stored)).toBeNull();
  });

  test('a histogram is restored from its stored form', () => {
    const histogram = totalOf([0, 1, 5, 5, 2 ** 31 - 1]);
    const stored = histogram.toStored();
    expect(stored && Histogram.fromStored(stored)).toEqual(histogram);
  });

  test('an empty histogram returns null for quantiles and the mean', () => {
    expect(Histogram.createTotal().quantile(0.5)).toBeNull();
    expect(Histogram.createTotal().mean()).toBeNull();
  });

  test('a quantile at an exact rank is the value of that rank', () => {
    const histogram = recorded(Array.from({ length: 100 }, (_, index) => index + 1));
    expect([0, 0.07, 0.29, 0.5, 0.99, 1].map((fraction) => histogram.quantile(fraction))).toEqual([
      1, 7, 29, 50, 99, 100,
    ]);
  });

  test('the buckets of a histogram are one µs wide up to 255 µs, and at most 0.78% of their values from 128 µs', () => {
    const first = Array.from({ length: 256 }, (_, value) => value);
    expect(first.map(bucketOf)).toEqual(first);
    expect([256, 257, 258, 511, 512, 515, 516].map(bucketOf)).toEqual([256, 256, 257, 383, 384, 384, 385]);
    expect(bucketOf(2 ** 31 - 1)).toBe(BUCKETS - 1);
    // Buckets at the limits of each power of two.
    for (let bits = 8; bits < 31; bits++) {
      expect(bucketOf(2 ** bits)).toBe(128 * (bits - 6));
      expect(bucketOf(2 ** bits - 1)).toBe(128 * (bits - 6) - 1);
      expect(bucketOf(2 ** bits + 2 ** (bits - 7) - 1)).toBe(128 * (bits - 6));
    }
  });

  test('the pages of a histogram have no holes, which would make them slower', () => {
    const { counts } = recorded([1000, 5_000_000, 3]);
    expect(Object.keys(counts)).toHaveLength(counts.length);
    expect(counts.filter((page) => page !== undefined)).toHaveLength(3);
  });

  test('addUpTo excludes the records of the bucket of the limit if a record exceeds the limit, and estimates the others', () => {
    const sumUpTo = (list: readonly number[], largest: number) => {
      const total = Histogram.createTotal();
      total.addUpTo(recorded(list), largest);
      const { count, min, max, sum } = total;
      return { count, min, max, sum };
    };
    const none = { count: 0, min: Infinity, max: 0, sum: 0 };
    // Buckets of 8 µs: 2000 to 2007, and 2008 to 2015. The bucket of 1003 is from 1000 to 1003.
    expect(sumUpTo([1003, 1003, 2007, 2009], 2009)).toEqual({ count: 4, min: 1003, max: 2009, sum: 6022 });
    expect(sumUpTo([1003, 1003, 2007, 2009], 2008)).toEqual({
      ...{ count: 3, min: 1003, max: 2003.5, sum: 4009.5 },
    });
    expect(sumUpTo([1003, 1003, 2007, 2009], 2007)).toEqual({ count: 2, min: 1003, max: 1003, sum: 2006 });
    expect(sumUpTo([2007], 2006)).toEqual(none);
    expect(sumUpTo([], 0)).toEqual(none);
  });

  test('countAbove excludes the bucket of the value and includes the next bucket', () => {
    // Buckets of 4 µs: 1000 to 1003, and 1004 to 1007.
    const histogram = recorded([999, 1000, 1003, 1004, 5000]);
    expect([1000, 1003, 1004].map((value) => histogram.countAbove(value))).toEqual([2, 2, 1]);
  });

  test('firstReportedAtLeast and lastReportedAtMost return the nearest integers whose reported values do not cross them', () => {
    const asReported = (value: number) => totalOf([0, value, 2 ** 31 - 1]).quantile(0.5) ?? 0;
    for (const value of [
      0, 1, 127, 254.5, 255, 256, 256.5, 257, 258, 511, 512, 513.5, 514, 1001, 1002, 1005.1,
    ]) {
      const [up, down] = [Math.ceil(value), Math.floor(value)];
      // The buckets have at most 4 µs.
      const near = Array.from({ length: 5 }, (_, distance) => distance);
      const first = near.map((distance) => up + distance).find((one) => asReported(one) >= up);
      const last = near.map((distance) => down - distance).find((one) => asReported(one) <= down);
      expect([value, firstReportedAtLeast(value)]).toEqual([value, first]);
      expect([value, lastReportedAtMost(value)]).toEqual([value, last]);
    }
  });

  test('the nearest reported values are within the range of a histogram', () => {
    const last = 2 ** 31 - 1;
    expect([last - 1, last, 2 ** 40].map(firstReportedAtLeast)).toEqual([last, last, last]);
    expect([last, 2 ** 40, -5].map(lastReportedAtMost)).toEqual([last, last, 0]);
  });

  test('an empty stored histogram has no quantiles and no deviation', () => {
    const empty = { min: 0, max: 0, sum: 0, counts: [] };
    expect(storedQuantile(empty, 0.5)).toBeNull();
    expect(storedMoments(empty)).toEqual({ count: 0, mean: 0, deviation: 0 });
  });

  test('the mean of a stored histogram is exact, and its deviation is computed from the middles of the buckets', () => {
    const stored = { min: 10, max: 30, sum: 50, counts: [[10, 2] as const, [30, 1] as const] };
    const mean = 50 / 3;
    expect(storedMoments(stored)).toEqual({
      count: 3,
      mean,
      deviation: Math.sqrt((2 * (10 - mean) ** 2 + (30 - mean) ** 2) / 3),
    });
    expect([0.1, 0.66, 0.67, 1].map((fraction) => storedQuantile(stored, fraction))).toEqual([
      10, 10, 30, 30,
    ]);
  });

  test.each([
    ['below the minimum', 1000.9, [0, 0, 0]],
    ['that equals the minimum', 1001, [0, 0, 2]],
    ['at the middle of the bucket of the minimum', 1001.5, [0, 2, 2]],
    ['at the end of the bucket of the minimum', 1003, [2, 2, 2]],
    ['in a bucket without records', 1500, [2, 2, 2]],
    ['before the middle of a bucket', 2003, [2, 2, 3]],
    ['after the middle of a bucket', 2004, [2, 3, 3]],
    ['before the middle of the last bucket', 2999, [3, 3, 4]],
    ['below the maximum', 3003, [3, 4, 4]],
    ['that equals the maximum', 3004, [4, 4, 4]],
    ['above the range of histograms', 2 ** 40, [4, 4, 4]],
    ['below 0', -1, [0, 0, 0]],
  ])('countUpTo counts the records that are at most a value %s', (_name, value, counts) => {
    // The buckets are 1000 to 1003, 2000 to 2007, and 2992 to 3007. Their middles are 1001.5, 2003.5 and 2999.5.
    const stored = totalOf([1001, 1002, 2005, 3004]).toStored();
    if (stored === null) throw new Error('the histogram is empty');
    const { certain, probable, possible } = countUpTo(stored, value);
    expect([certain, probable, possible]).toEqual(counts);
  });

  test('a record of 0 µs is certainly at most 0 µs', () => {
    const stored = { min: 0, max: 5, sum: 5, counts: [[0, 1] as const, [5, 1] as const] };
    expect(countUpTo(stored, 0)).toEqual({ certain: 1, probable: 1, possible: 1 });
    expect(countUpTo(stored, -0.5)).toEqual({ certain: 0, probable: 0, possible: 0 });
  });
});

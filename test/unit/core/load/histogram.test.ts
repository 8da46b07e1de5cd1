import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import { Histogram, storedValueAtRank } from '../../../../src/core/load/histogram.ts';
import { Random } from '../../../../src/core/load/random.ts';
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

describe('Histogram', () => {
  test('every quantile is within 0.4 % of the exact one', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const sorted = [...list].sort((a, b) => a - b);
        const rank = Math.min(list.length, Math.max(1, Math.ceil(Number((share * list.length).toFixed(6)))));
        const exact = sorted[rank - 1] ?? 0;
        const found = recorded(list).quantile(share) ?? -1;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.004);
      }),
      { numRuns: scaleCount(2000) },
    );
  });

  test('count, min, max and sum are exact', () => {
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

  test('adding the parts gives what the whole would have been', () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 8 }), (parts) => {
        const total = Histogram.createTotal();
        for (const part of parts) total.add(recorded(part));
        const whole = Histogram.createTotal();
        whole.add(recorded(parts.flat()));
        expect(total).toEqual(whole);
      }),
      { numRuns: scaleCount(50) },
    );
  });

  test('a million latencies from eight threads: as one, as they were, and as HdrHistogram tells them', () => {
    const random = new Random(7);
    // Between 50 µs and 20 s, as often in each power of ten.
    const list = Array.from({ length: 1_000_000 }, () =>
      Math.floor(50 * 10 ** ((random.below(2 ** 32) / 2 ** 32) * 5.6)),
    );
    const oracle = build({ highestTrackableValue: 2 ** 31 - 1, numberOfSignificantValueDigits: 3 });
    for (const value of list) oracle.recordValue(value);
    const merged = Histogram.createTotal();
    for (let thread = 0; thread < 8; thread++)
      merged.add(recorded(list.filter((_, at) => at % 8 === thread)));
    const whole = Histogram.createTotal();
    whole.add(recorded(list));
    expect(merged).toEqual(whole);
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
    expect(merged.mean()).toBeCloseTo(list.reduce((all, value) => all + value, 0) / list.length, 6);
  });

  test('values outside the range are recorded as its ends, fractions are cut', () => {
    const histogram = recorded([-5, 2 ** 40, 7.9]);
    expect([histogram.min, histogram.max, histogram.quantile(0.5)]).toEqual([0, 2 ** 31 - 1, 7]);
  });

  test('what was kept tells each record as the histogram did', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 31), { minLength: 1 }), (values) => {
        const histogram = Histogram.createTotal();
        for (const value of values) histogram.record(value);
        const kept = histogram.toStored();
        if (kept === null) throw new Error('nothing was kept');
        for (let rank = 1; rank <= values.length + 1; rank++)
          expect(storedValueAtRank(kept, rank)).toBe(histogram.atRank(rank));
      }),
    );
  });

  test('without records there is no quantile and no mean', () => {
    expect(Histogram.createTotal().quantile(0.5)).toBeNull();
    expect(Histogram.createTotal().mean()).toBeNull();
  });

  test('a share of a round number of records means that record', () => {
    const histogram = recorded(Array.from({ length: 100 }, (_, index) => index + 1));
    expect([0, 0.07, 0.29, 0.5, 0.99, 1].map((share) => histogram.quantile(share))).toEqual([
      1, 7, 29, 50, 99, 100,
    ]);
  });
});

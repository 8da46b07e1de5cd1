import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';

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
      { numRuns: 2000 },
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
      { numRuns: 50 },
    );
  });

  test('values outside the range are recorded as its ends, fractions are cut', () => {
    const histogram = recorded([-5, 2 ** 40, 7.9]);
    expect([histogram.min, histogram.max, histogram.quantile(0.5)]).toEqual([0, 2 ** 31 - 1, 7]);
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

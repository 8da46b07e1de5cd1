/** Seconds as bytes: exact there and back, short, and never a danger to whoever reads them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import {
  decodeSlices,
  encodeSlices,
  shapeOfSlices,
  type SliceShape,
} from '../../../../src/core/load/slice-codec.ts';
import { createTally, type Slice } from '../../../../src/core/load/slice.ts';
import { anySlice } from '../../../rig/any-slices.ts';
import { jobOf, targetOf } from '../../../rig/engine.ts';
import { scaled } from '../../../rig/scale.ts';
import { CALM, secondOf } from '../../../rig/slices.ts';

const anyShape: fc.Arbitrary<SliceShape> = fc.record({
  targets: fc.integer({ min: 1, max: 3 }),
  open: fc.boolean(),
  shares: fc.integer({ min: 1, max: 9 }),
  lastSecond: fc.integer({ min: 0, max: 100_000 }),
});

function sumOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** As plain data, without the ways of a histogram. */
function plain(slice: Slice): unknown {
  return JSON.parse(
    JSON.stringify(slice, (_key, value: unknown) => {
      if (value instanceof Histogram) {
        const { counts, count, min, max, sum } = value;
        return { counts, count, min, max, sum };
      }
      if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<number>);
      return Object.is(value, Infinity) ? 'none' : Object.is(value, -0) ? '-0' : value;
    }),
  );
}

describe('seconds as bytes', () => {
  test('come back as they were, whatever they hold', () => {
    const anyCase = anyShape.chain((shape) =>
      fc.tuple(fc.constant(shape), fc.array(anySlice(shape), { maxLength: 3 })),
    );
    fc.assert(
      fc.property(anyCase, ([shape, slices]) => {
        const read = decodeSlices(encodeSlices(slices), shape);
        expect(read?.map(plain)).toEqual(slices.map(plain));
      }),
      { numRuns: scaled(100) },
    );
  });

  test('that were cut off, or have more behind them, are refused', () => {
    const shape = { targets: 1, open: true, shares: 2, lastSecond: 100 };
    fc.assert(
      fc.property(anySlice(shape), fc.nat(), (slice, cut) => {
        const bytes = encodeSlices([slice]);
        expect(decodeSlices(bytes.subarray(0, cut % bytes.length), shape)).toBeNull();
        expect(decodeSlices(Uint8Array.of(...bytes, 0), shape)).toBeNull();
      }),
      { numRuns: scaled(100) },
    );
  });

  test('with changed bytes are refused, or are other seconds of the same shape', () => {
    const shape = { targets: 2, open: false, shares: 2, lastSecond: 100 };
    fc.assert(
      fc.property(anySlice(shape), fc.nat(), fc.integer({ min: 1, max: 255 }), (slice, place, change) => {
        const bytes = encodeSlices([slice]);
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const read = decodeSlices(bytes, shape);
        for (const { worker, second, targets, lag } of read ?? []) {
          expect(worker).toBeLessThan(shape.shares);
          expect(second).toBeLessThanOrEqual(shape.lastSecond);
          expect(targets).toHaveLength(shape.targets);
          expect(sumOf(lag.counts)).toBe(lag.count);
        }
      }),
      { numRuns: scaled(300) },
    );
  });

  test('that are any bytes at all do no harm', () => {
    const shape = { targets: 1, open: true, shares: 4, lastSecond: 100 };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => decodeSlices(bytes, shape)).not.toThrow();
      }),
      { numRuns: scaled(2000) },
    );
  });

  test.for<[what: string, slice: Slice]>([
    ['of a share that the run has not', secondOf(2, 1, [createTally('record', false)])],
    ['of a second long after its end', secondOf(0, 4000, [createTally('record', false)])],
    ['with a time that is none', secondOf(0, 1, [createTally('record', false)], { until: Number.NaN })],
    [
      'with a name that no table holds',
      secondOf(0, 1, [{ ...createTally('record', false), network: Object.fromEntries([['__proto__', 1]]) }]),
    ],
    [
      'with records elsewhere than their ends say',
      secondOf(0, 1, [createTally('record', false)], {
        lag: { counts: Uint32Array.of(1), count: 1, min: 5, max: 6, sum: 6 },
      }),
    ],
  ])('%s are refused', ([, slice]) => {
    const shape = shapeOfSlices(jobOf([targetOf(80)], { duration: 60_000 }), 2);
    expect(decodeSlices(encodeSlices([slice]), shape)).toBeNull();
  });

  test('take about as many bytes as there are different times in them', () => {
    const idle = secondOf(0, 30, [createTally('record', false)]);
    expect(encodeSlices([idle]).length).toBeLessThan(120);
    const tally = createTally('record', false);
    // 20,000 answers between 1 and 3 ms, as a thread at full speed has them.
    for (let answer = 0; answer < 20_000; answer++) tally.response.record(1000 + ((answer * 7919) % 2000));
    tally.statuses[200] = tally.started = tally.planned = 20_000;
    tally.bytesSent = tally.bytesReceived = 4_000_000;
    const lag = Histogram.createRecorder();
    for (let tick = 0; tick < 500; tick++) lag.record((tick * 31) % 900);
    const busy = secondOf(1, 30, [tally], {
      lag,
      thread: { ...CALM, busy: 0.7, late: 1.5, stoodStill: 12.5 },
    });
    expect(encodeSlices([busy]).length).toBeLessThan(2500);
  });
});

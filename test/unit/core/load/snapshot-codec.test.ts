/** The binary encoding of snapshots: lossless, short, and safe to decode from untrusted input. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import {
  decodeSnapshots,
  encodeSnapshots,
  snapshotShapeOf,
  type SnapshotShape,
} from '../../../../src/core/load/snapshot-codec.ts';
import { addResponses, createTally, type Snapshot } from '../../../../src/core/load/snapshot.ts';
import { arbitrarySnapshot } from '../../../support/arbitrary-snapshots.ts';
import { jobOf, targetOf } from '../../../support/test-engine.ts';
import { scaleCount } from '../../../support/test-scale.ts';
import { STALL_FREE_SECOND, snapshotOf } from '../../../support/snapshots.ts';

const anyShape: fc.Arbitrary<SnapshotShape> = fc.record({
  targets: fc.integer({ min: 1, max: 3 }),
  flows: fc.integer({ min: 1, max: 3 }),
  open: fc.boolean(),
  shards: fc.integer({ min: 1, max: 9 }),
  lastSecond: fc.integer({ min: 0, max: 100_000 }),
});

function sumOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** Converts a snapshot to plain data, without the methods of histograms. */
function plain(snapshot: Snapshot): unknown {
  return JSON.parse(
    JSON.stringify(snapshot, (_key, value: unknown) => {
      if (value instanceof Histogram) {
        const { counts, count, min, max, sum } = value;
        return { counts, count, min, max, sum };
      }
      if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<number>);
      return Object.is(value, Infinity) ? 'none' : Object.is(value, -0) ? '-0' : value;
    }),
  );
}

describe('encoded snapshots', () => {
  test('decoding a list of encoded snapshots restores the snapshots', () => {
    const anyCase = anyShape.chain((shape) =>
      fc.tuple(fc.constant(shape), fc.array(arbitrarySnapshot(shape), { maxLength: 3 })),
    );
    fc.assert(
      fc.property(anyCase, ([shape, snapshots]) => {
        const decoded = decodeSnapshots(encodeSnapshots(snapshots), shape);
        expect(decoded?.map(plain)).toEqual(snapshots.map(plain));
      }),
      { numRuns: scaleCount(100) },
    );
  });

  test('encoded snapshots that are truncated or followed by another byte are rejected', () => {
    const shape = { targets: 1, flows: 1, open: true, shards: 2, lastSecond: 100 };
    fc.assert(
      fc.property(arbitrarySnapshot(shape), fc.nat(), (snapshot, cut) => {
        const bytes = encodeSnapshots([snapshot]);
        expect(decodeSnapshots(bytes.subarray(0, cut % bytes.length), shape)).toBeNull();
        expect(decodeSnapshots(Uint8Array.of(...bytes, 0), shape)).toBeNull();
      }),
      { numRuns: scaleCount(100) },
    );
  });

  test('a snapshot with a modified byte is rejected, or decoded with valid indexes and numbers of entries', () => {
    const shape = { targets: 2, flows: 1, open: false, shards: 2, lastSecond: 100 };
    fc.assert(
      fc.property(
        arbitrarySnapshot(shape),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (snapshot, offset, change) => {
          const bytes = encodeSnapshots([snapshot]);
          const at = offset % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ change;
          const decoded = decodeSnapshots(bytes, shape);
          for (const { threadIndex, second, targets, lag } of decoded ?? []) {
            expect(threadIndex).toBeLessThan(shape.shards);
            expect(second).toBeLessThanOrEqual(shape.lastSecond);
            expect(targets).toHaveLength(shape.targets);
            expect(sumOf(lag.counts.flatMap((page) => [...(page ?? [])]))).toBe(lag.count);
          }
        },
      ),
      { numRuns: scaleCount(300) },
    );
  });

  test('decoding arbitrary bytes as snapshots never throws', () => {
    const shape = { targets: 1, flows: 1, open: true, shards: 4, lastSecond: 100 };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => decodeSnapshots(bytes, shape)).not.toThrow();
      }),
      { numRuns: scaleCount(2000) },
    );
  });

  test.for<[name: string, snapshot: Snapshot]>([
    ['of an unknown thread', snapshotOf(2, 1, [createTally('record', false)])],
    ['of a second long after the end of the run', snapshotOf(0, 4000, [createTally('record', false)])],
    [
      'with a time long after its second',
      snapshotOf(0, 1, [createTally('record', false)], { until: 10_000_000 }),
    ],
    ['with an invalid time', snapshotOf(0, 1, [createTally('record', false)], { until: Number.NaN })],
    [
      'with a reserved name',
      snapshotOf(0, 1, [
        { ...createTally('record', false), network: Object.fromEntries([['__proto__', 1]]) },
      ]),
    ],
    [
      'with a reserved name as an address',
      snapshotOf(0, 1, [createTally('record', false)], {
        addresses: Object.fromEntries([['__proto__', { connections: 1, requests: 1, failed: 0, tls: {} }]]),
      }),
    ],
    [
      'with a histogram whose value is outside its minimum and maximum',
      snapshotOf(0, 1, [createTally('record', false)], {
        lag: { counts: [Uint32Array.of(1)], count: 1, min: 5, max: 6, sum: 6 },
      }),
    ],
  ])('a snapshot %s is rejected', ([, snapshot]) => {
    const shape = snapshotShapeOf(jobOf([targetOf(80)], { duration: 60_000 }), 2);
    expect(decodeSnapshots(encodeSnapshots([snapshot]), shape)).toBeNull();
  });

  test('an encoded snapshot of an idle second has under 120 bytes, and one of 20,000 responses under 2,500 bytes', () => {
    const idle = snapshotOf(0, 30, [createTally('record', false)]);
    expect(encodeSnapshots([idle]).length).toBeLessThan(120);
    const tally = createTally('record', false);
    // 20,000 responses between 1 and 3 ms, as on a thread at full speed.
    for (let response = 0; response < 20_000; response++)
      tally.response.record(1000 + ((response * 7919) % 2000));
    tally.started = tally.planned = 20_000;
    addResponses(tally, 200, 20_000);
    tally.bytesSent = tally.bytesReceived = 4_000_000;
    const lag = Histogram.createRecorder();
    for (let tick = 0; tick < 500; tick++) lag.record((tick * 31) % 900);
    const busy = snapshotOf(1, 30, [tally], {
      lag,
      thread: { ...STALL_FREE_SECOND, busy: 0.7, maxTickDelay: 1.5, stalledMs: 12.5 },
    });
    expect(encodeSnapshots([busy]).length).toBeLessThan(2500);
  });
});

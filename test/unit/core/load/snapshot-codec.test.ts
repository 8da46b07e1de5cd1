/** The binary encoding of snapshots: lossless, short, and safe to decode from untrusted input. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter, InvalidBytesError } from '../../../../src/core/load/bytes.ts';
import { BUCKETS, Histogram, type HistogramData } from '../../../../src/core/load/histogram.ts';
import { RESPONDED, UNKNOWN } from '../../../../src/core/load/outage.ts';
import {
  decodeSnapshots,
  encodeSnapshots,
  readSnapshot,
  snapshotShapeOf,
  writeSnapshot,
  type SnapshotShape,
} from '../../../../src/core/load/snapshot-codec.ts';
import {
  addResponses,
  createTally,
  TALLY_COUNTS,
  type Snapshot,
  type Tally,
} from '../../../../src/core/load/snapshot.ts';
import { MAX_COUNT, readHistogram, readTotal, writeTotal } from '../../../../src/core/load/tally-codec.ts';
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

const SHAPE: SnapshotShape = { targets: 1, flows: 1, open: true, shards: 2, lastSecond: 100 };
const SAMPLE = snapshotOf(0, 1, [createTally('record', true)]);
const POOL = { opened: 0, requests: 0, waits: Histogram.createRecorder() };
const ADDRESS_USE = { connections: 1, requests: 1, failed: 0, tls: {} };

/** Values of one field that are accepted, and values that are rejected with `error`. */
interface Limit {
  readonly value: string;
  readonly change: (value: number) => Partial<Snapshot>;
  readonly accepted: readonly number[];
  readonly rejected: readonly number[];
  /** `a number is too large` if absent. */
  readonly error?: string;
}

/** Returns the error message of a snapshot that is encoded and decoded; null if the snapshot is accepted. */
function messageFor(snapshot: Snapshot): string | null {
  const writer = new ByteWriter();
  writeSnapshot(writer, snapshot);
  try {
    readSnapshot(new ByteReader(writer.bytes()), SHAPE);
    return null;
  } catch (error) {
    return error instanceof InvalidBytesError ? error.message : String(error);
  }
}

function tallyOf(changes: Partial<Tally>): Tally {
  return { ...createTally('record', true), ...changes };
}

function namedCounts(length: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`n${index}`, 1]));
}

/** A histogram of times in µs. */
function timesOf(...times: readonly number[]): Histogram {
  const histogram = Histogram.createRecorder();
  for (const time of times) histogram.record(time);
  return histogram;
}

/** The data of a histogram of times in µs, with changes. */
function dataOf(times: readonly number[], changes: Partial<HistogramData>): HistogramData {
  const { counts, count, min, max, sum } = timesOf(...times);
  return { counts, count, min, max, sum, ...changes };
}

const LIMITS: readonly Limit[] = [
  { value: 'thread', change: (threadIndex) => ({ threadIndex }), accepted: [0, 1], rejected: [2] },
  { value: 'second', change: (second) => ({ second }), accepted: [0, 100], rejected: [101] },
  {
    value: 'time',
    change: (until) => ({ until }),
    accepted: [0, 101_000],
    rejected: [101_000.5, Number.NaN, Infinity],
    error: 'a number is out of range',
  },
  {
    value: 'number of connections',
    change: (connections) => ({ connections }),
    accepted: [MAX_COUNT],
    rejected: [MAX_COUNT + 1],
  },
  {
    value: 'peak number of connections',
    change: (peakConnections) => ({ peakConnections }),
    accepted: [MAX_COUNT],
    rejected: [MAX_COUNT + 1],
  },
  {
    value: 'state of a tenth of a second',
    change: (state) => ({ tenths: { ...SAMPLE.tenths, states: new Uint8Array(10).fill(state) } }),
    accepted: [UNKNOWN, RESPONDED],
    rejected: [RESPONDED + 1],
  },
  ...(['waiting', 'resting', 'failed'] as const).map((column) => ({
    value: `number of clients in "${column}"`,
    // An array of numbers that may exceed the 32 bits of the columns.
    change: (clients: number) => ({
      tenths: { ...SAMPLE.tenths, [column]: new Float64Array(10).fill(clients, 4, 6) },
    }),
    accepted: [0, MAX_COUNT],
    rejected: [-1, MAX_COUNT + 1],
    error: 'a number of clients is out of range',
  })),
  {
    value: 'second of a withdrawn count',
    change: (second) => ({ retractions: { [second]: { started: 1, bytesSent: 1 } } }),
    accepted: [0, 100],
    rejected: [101],
  },
  {
    value: 'surplus',
    change: (surplus) => ({ surplus }),
    accepted: [-1e12, 1e12],
    rejected: [-1e12 - 1, 1e12 + 1],
    error: 'a number is out of range',
  },
  {
    value: 'number of opened connections of a pool',
    change: (opened) => ({ pool: { ...POOL, opened } }),
    accepted: [MAX_COUNT],
    rejected: [MAX_COUNT + 1],
  },
  {
    value: 'number of requests of a pool',
    change: (requests) => ({ pool: { ...POOL, requests } }),
    accepted: [MAX_COUNT],
    rejected: [MAX_COUNT + 1],
  },
  ...(['maxTickDelay', 'maxEarlierTickDelay', 'stalledMs', 'busy'] as const).flatMap((name) => {
    const change = (amount: number) => ({ thread: { ...STALL_FREE_SECOND, [name]: amount } });
    return [
      {
        ...{ value: `positive "${name}"`, change, accepted: [1e12], rejected: [1e12 + 1] },
        error: 'a number is out of range',
      },
      { value: `low "${name}"`, change, accepted: [0], rejected: [-0.5], error: 'an amount is negative' },
    ];
  }),
  {
    value: 'second of clients that never started',
    change: (second) => ({ thread: { ...STALL_FREE_SECOND, neverStarted: { [second]: 1 } } }),
    accepted: [0, 100],
    rejected: [101],
  },
  {
    value: 'missing client time',
    change: (missingClientMs) => ({ thread: { ...STALL_FREE_SECOND, missingClientMs } }),
    accepted: [-1e12, 1e12],
    rejected: [-1e12 - 1, 1e12 + 1],
    error: 'a number is out of range',
  },
  {
    value: 'status code',
    change: (status) => {
      const tally = tallyOf({});
      addResponses(tally, 200, 1);
      addResponses(tally, status, 1);
      return { targets: [tally] };
    },
    accepted: [0, 201, 999],
    rejected: [1000, 1001],
  },
  {
    value: 'number of names in a table of counts',
    change: (length) => ({ targets: [tallyOf({ network: namedCounts(length) })] }),
    accepted: [2000],
    rejected: [2001],
  },
  {
    value: 'length of a name in a table of counts',
    change: (length) => ({ targets: [tallyOf({ protocol: { ['n'.repeat(length)]: 1 } })] }),
    accepted: [0, 65_536],
    rejected: [65_537],
  },
  {
    value: 'length of an address',
    change: (length) => ({ addresses: { ['a'.repeat(length)]: ADDRESS_USE } }),
    accepted: [64],
    rejected: [65],
  },
  {
    value: 'number of addresses',
    change: (length) => ({
      addresses: Object.fromEntries(Object.keys(namedCounts(length)).map((name) => [name, ADDRESS_USE])),
    }),
    accepted: [10_000],
    rejected: [10_001],
  },
  {
    value: 'number of records in a bucket of a histogram',
    change: (count) => {
      const lag = Histogram.createTotal();
      lag.recordMany(count, 1);
      return { lag };
    },
    accepted: [1, MAX_COUNT],
    rejected: [MAX_COUNT + 1],
  },
  {
    value: 'minimum of a histogram',
    change: (min) => ({ lag: dataOf([1000, 3000], { min }) }),
    // Values from 1000 to 1003 µs have the same bucket.
    accepted: [1000, 1003],
    rejected: [999, 1004],
    error: 'minimum or maximum does not match the buckets',
  },
  {
    value: 'maximum of a histogram',
    change: (max) => ({ lag: dataOf([1000, 3000], { max }) }),
    // Values from 2992 to 3007 µs have the same bucket.
    accepted: [2992, 3007],
    rejected: [2991, 3008],
    error: 'minimum or maximum does not match the buckets',
  },
  {
    value: 'size of the maximum of a histogram',
    change: (max) => ({ lag: dataOf([1000], { max }) }),
    accepted: [1000],
    rejected: [2 ** 32 + 1000],
  },
  {
    value: 'size of the minimum of a histogram',
    change: (min) => ({ lag: dataOf([1000], { min, max: min }) }),
    accepted: [1000],
    rejected: [2 ** 32 + 1000],
  },
  {
    value: 'sum of a histogram',
    change: (sum) => ({ lag: dataOf([1000, 3000], { sum }) }),
    accepted: [2000, 6000],
    rejected: [1999, 6001],
    error: 'the sum does not match minimum and maximum',
  },
];

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

  test('decoding restores each field of a snapshot', () => {
    const counts = Object.fromEntries(TALLY_COUNTS.map((name, index) => [name, 10 + index]));
    const named = { checkedErrors: 1, unexpected: 2, network: 3, protocol: 4 };
    const tables = Object.fromEntries(
      Object.entries(named).map(([name, count]) => [name, { [name]: count }]),
    );
    const tally = tallyOf({
      ...counts,
      ...tables,
      response: timesOf(1),
      lowerBounds: timesOf(2),
      service: timesOf(3),
    });
    addResponses(tally, 0, 5);
    addResponses(tally, 999, 6);
    const snapshot = snapshotOf(1, 2, [tally], {
      until: 3.5,
      warmup: [tallyOf({ ...tables, started: -1, bytesSent: -2 })],
      iterations: [
        {
          ...{ started: 31, completed: 32, failed: 33, withErrors: 34, endedInWarmup: 35 },
          ...{ durations: timesOf(4), lowerBounds: timesOf(5, 6) },
        },
      ],
      connections: 41,
      peakConnections: 42,
      tenths: {
        states: Uint8Array.of(0, 1, 2, 3, 4, 4, 3, 2, 1, 0),
        waiting: Uint32Array.of(9, 0, 8, 1, 7, 2, 6, 3, 5, 4),
        resting: Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
        failed: Uint32Array.of(0, 0, 0, 7, 0, 0, 0, 0, 1, 0),
      },
      lag: timesOf(100, 200, 200),
      connectionSetup: { connect: timesOf(7), tls: timesOf(8, 9) },
      retractions: { 0: { started: 51, bytesSent: 52 }, 1: { started: 53, bytesSent: 54 } },
      surplus: -0.25,
      pool: { opened: 61, requests: 62, waits: timesOf(10) },
      addresses: { '[::1]:443': { connections: 71, requests: 72, failed: 73, tls: { 'TLSv1.3': 74 } } },
      thread: {
        ...{ maxTickDelay: 81.5, maxEarlierTickDelay: 82.5, stalledMs: 83.5, busy: 0.84 },
        neverStarted: { 0: 85, 2: 86 },
        missingClientMs: -87.5,
      },
    });
    const decoded = decodeSnapshots(encodeSnapshots([snapshot]), SHAPE);
    expect(decoded?.map(plain)).toEqual([plain(snapshot)]);
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

  test('the sizes and limits of snapshots are derived from the job', () => {
    const targets = [targetOf(80), targetOf(81), targetOf(82)];
    const job = jobOf(targets, { duration: 60_001, timeout: 10_000 });
    // The load may end 10 s after the duration because of the timeout, and 10 min later because of stalls.
    expect(snapshotShapeOf(job, 2)).toEqual({ targets: 3, flows: 1, open: true, shards: 2, lastSecond: 671 });
    const flows = [2, 1].map((urls) => ({ name: '', weight: 1, urls }));
    expect(snapshotShapeOf({ ...job, testType: 'cycling', flows }, 1)).toMatchObject({
      flows: 2,
      open: false,
    });
  });

  test.each(TALLY_COUNTS)(
    'a snapshot with a negative number in "%s" is accepted only if the number may be withdrawn',
    (name) => {
      const message = ['started', 'resent', 'bytesSent'].includes(name) ? null : 'a count is negative';
      const negative = tallyOf({ [name]: -1 });
      expect(messageFor({ ...SAMPLE, targets: [negative] })).toBe(message);
      expect(messageFor({ ...SAMPLE, warmup: [negative] })).toBe(message);
      expect(messageFor({ ...SAMPLE, warmup: [tallyOf({ [name]: 0 })] })).toBeNull();
    },
  );

  test.for(LIMITS.map((limit) => [limit.value, limit] as const))(
    'the %s of a snapshot is accepted only within its limits',
    ([, { change, accepted, rejected, error = 'a number is too large' }]) => {
      expect(accepted.map((value) => messageFor({ ...SAMPLE, ...change(value) }))).toEqual(
        accepted.map(() => null),
      );
      expect(rejected.map((value) => messageFor({ ...SAMPLE, ...change(value) }))).toEqual(
        rejected.map(() => error),
      );
    },
  );

  test('a snapshot with a reserved name as the name of a count or as an address is rejected', () => {
    const reserved = <T>(value: T): Record<string, T> => Object.fromEntries([['__proto__', value]]);
    const named: readonly Partial<Snapshot>[] = [
      { targets: [tallyOf({ network: reserved(1) })] },
      { addresses: reserved(ADDRESS_USE) },
      { addresses: { '127.0.0.1:80': { ...ADDRESS_USE, tls: reserved(1) } } },
    ];
    for (const changes of named) {
      const snapshot = { ...SAMPLE, ...changes };
      expect(messageFor(snapshot)).toBe('the name is reserved');
      expect(decodeSnapshots(encodeSnapshots([snapshot]), SHAPE)).toBeNull();
    }
  });

  test('a message contains at most 32 snapshots per thread', () => {
    const decoded = (length: number) =>
      decodeSnapshots(encodeSnapshots(Array.from({ length }, () => SAMPLE)), SHAPE);
    expect(decoded(64)).toHaveLength(64);
    expect(decoded(65)).toBeNull();
  });

  test('an encoded histogram with an empty bucket, or with more buckets than exist, is rejected', () => {
    const histogramOf = (...numbers: readonly number[]) => {
      const writer = new ByteWriter();
      for (const number of numbers) writer.count(number);
      return () => readHistogram(new ByteReader(writer.bytes()));
    };
    // The number of buckets; for each, the number of skipped buckets and the count; then minimum, range and sum.
    expect(histogramOf(1, 5, 2, 5, 0, 10)()).toMatchObject({ count: 2, min: 5, max: 5, sum: 10 });
    expect(histogramOf(1, 5, 0, 5, 0, 10)).toThrow('an empty bucket is encoded');
    expect(histogramOf(2, BUCKETS - 1, 1, 0, 1, 5, 0, 10)).toThrow('a number is too large');
    expect(histogramOf(BUCKETS + 1)).toThrow('a number is too large');
  });

  test('the sums of a run are restored, even if they exceed 32 bits or are fractional', () => {
    const total = Histogram.createTotal();
    total.recordMany(2 ** 40, 7);
    total.add(dataOf([5000], { min: 4999.5, sum: 5000.25 }));
    const writer = new ByteWriter();
    writeTotal(writer, total);
    writeTotal(writer, Histogram.createTotal());
    const reader = new ByteReader(writer.bytes());
    for (const expected of [total, Histogram.createTotal()]) {
      const { counts, count, min, max, sum } = expected;
      expect(readTotal(reader)).toEqual({ counts, count, min, max, sum });
    }
    reader.end();
  });

  test('an error that is not caused by the bytes is not reported as invalid bytes', () => {
    const noBytes = null as unknown as Uint8Array;
    expect(() => decodeSnapshots(noBytes, SHAPE)).toThrow(TypeError);
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

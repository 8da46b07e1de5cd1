/** Snapshots that threads may send. */
import fc from 'fast-check';
import { Histogram } from '../../src/core/load/histogram.ts';
import { createTenths, TENTHS_PER_SECOND, UNOBSERVED, type Tenths } from '../../src/core/load/outage.ts';
import {
  addResponses,
  createTally,
  type ConnectionSetupData,
  type IterationTallyData,
  type Snapshot,
  type Tally,
  type ThreadSecond,
} from '../../src/core/load/snapshot.ts';

const times = fc.oneof(fc.integer({ min: 0, max: 5_000_000 }), fc.constantFrom(0, 127, 128, 2 ** 31 - 1));

const histograms = fc.array(times, { maxLength: 12 }).map((values) => {
  const histogram = Histogram.createRecorder();
  for (const value of values) histogram.record(value);
  return histogram;
});

const largeCounts = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1000 }), fc.nat(2 ** 31 - 1));

const names = fc.oneof(
  fc.constantFrom('ECONNRESET', 'status 503', 'header x-request-id', '404', 'constructor'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

function arbitraryNamedCounts(counts: fc.Arbitrary<number>): fc.Arbitrary<Record<string, number>> {
  return fc
    .array(fc.tuple(names, counts), { maxLength: 3 })
    .map((entries): Record<string, number> => Object.fromEntries(entries));
}

/**
 * Generates tallies.
 * @param counts - values of each count, so that sums remain exact integers
 */
function arbitraryTallies(open: boolean, counts: fc.Arbitrary<number>): fc.Arbitrary<Tally> {
  const fields = {
    planned: counts,
    started: fc.oneof(counts, fc.integer({ min: -5, max: -1 })),
    stopped: counts,
    aborted: counts,
    saturated: counts,
    noSocket: counts,
    undefinedVariable: counts,
    condition: counts,
    timeoutConnect: counts,
    timeoutTls: counts,
    timeoutResponse: counts,
    abandoned: counts,
    resent: fc.oneof(counts, fc.constant(-1)),
    retryAfter: counts,
    bytesSent: fc.oneof(counts, fc.integer({ min: -9999, max: -1 })),
    bytesReceived: counts,
    checkedErrors: arbitraryNamedCounts(counts),
    unexpected: arbitraryNamedCounts(counts),
    network: arbitraryNamedCounts(counts),
    protocol: arbitraryNamedCounts(counts),
    response: histograms,
    lowerBounds: histograms,
    service: open ? histograms : fc.constant(null),
    statuses: fc
      .array(fc.tuple(fc.integer({ min: 100, max: 999 }), counts), { maxLength: 4 })
      .map((entries) => {
        const tally = createTally('record', open);
        for (const [status, count] of entries) if (count > 0) addResponses(tally, status, count);
        return tally.statuses;
      }),
  };
  return fc.record(fields);
}

const arbitraryTenths = (values: fc.Arbitrary<number>) =>
  fc.array(values, { minLength: TENTHS_PER_SECOND, maxLength: TENTHS_PER_SECOND });

const tenths: fc.Arbitrary<Tenths> = fc
  .tuple(
    arbitraryTenths(fc.integer({ min: 0, max: 4 })),
    arbitraryTenths(fc.nat(2 ** 31)),
    arbitraryTenths(fc.nat(500)),
    arbitraryTenths(fc.nat(500)),
  )
  .map(([states, waiting, resting, failed]) => {
    const made = createTenths(TENTHS_PER_SECOND, UNOBSERVED);
    made.states.set(states);
    made.waiting.set(waiting);
    made.resting.set(resting);
    made.failed.set(failed);
    return made;
  });

const reals = fc.oneof(fc.constant(0), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
const amounts = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }));
const bySecond = <T>(lastSecond: number, values: fc.Arbitrary<T>): fc.Arbitrary<Record<number, T>> =>
  fc
    .array(fc.tuple(fc.nat(lastSecond), values), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries));

const openings: fc.Arbitrary<ConnectionSetupData> = fc.record({ connect: histograms, tls: histograms });

function arbitraryIterations(counts: fc.Arbitrary<number>): fc.Arbitrary<IterationTallyData> {
  return fc.record({
    ...{ started: counts, completed: counts, failed: counts, withErrors: counts, endedInWarmup: counts },
    ...{ durations: histograms, lowerBounds: histograms },
  });
}

export interface SnapshotOptions {
  readonly targets: number;
  readonly open: boolean;
  readonly shards: number;
  /** Number of flows; 1 if absent. */
  readonly flows?: number;
  readonly lastSecond: number;
  /** Values of counts; up to the maximum by default. */
  readonly counts?: fc.Arbitrary<number>;
}

export function arbitrarySnapshot({
  targets,
  open,
  shards,
  lastSecond,
  flows = 1,
  counts = largeCounts,
}: SnapshotOptions): fc.Arbitrary<Snapshot> {
  const some = fc.array(arbitraryTallies(open, counts), { minLength: targets, maxLength: targets });
  const thread: fc.Arbitrary<ThreadSecond> = fc.record({
    maxTickDelay: amounts,
    maxEarlierTickDelay: amounts,
    stalledMs: amounts,
    busy: amounts,
    missingClientMs: reals,
    neverStarted: bySecond(lastSecond, counts),
  });
  return fc.record({
    threadIndex: fc.nat(shards - 1),
    second: fc.nat(lastSecond),
    until: fc.double({ min: 0, max: (lastSecond + 1) * 1000, noNaN: true }),
    targets: some,
    warmup: fc.option(some),
    iterations: fc.array(arbitraryIterations(counts), { minLength: flows, maxLength: flows }),
    connections: counts,
    peakConnections: counts,
    tenths,
    lag: histograms,
    connectionSetup: openings,
    retractions: bySecond(lastSecond, fc.record({ started: counts, bytesSent: counts })),
    surplus: reals,
    addresses: fc.dictionary(
      fc.constantFrom('127.0.0.1:80', '[::1]:443'),
      fc.record({
        connections: counts,
        requests: counts,
        failed: counts,
        tls: fc.dictionary(fc.constantFrom('TLSv1.3', 'TLSv1.2 http/1.1'), counts),
      }),
    ),
    pool: fc.option(fc.record({ opened: counts, requests: counts, waits: histograms })),
    thread,
  });
}

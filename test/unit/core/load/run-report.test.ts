/** Every part of the report and of the progress of a run, computed from a few snapshots. */
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import type { LatencySummary, RunReport } from '../../../../src/core/load/run-report.ts';
import type { StoredHistogram } from '../../../../src/core/model/sample.ts';
import { RunMerger } from '../../../../src/core/load/run-merger.ts';
import { RESPONDED, WAITING } from '../../../../src/core/load/outage.ts';
import type { JobTarget } from '../../../../src/core/load/load-job.ts';
import { splitIntoShards } from '../../../../src/core/load/shard.ts';
import {
  addResponses,
  createTally,
  createUnobservedTenths,
  type AddressUse,
  type IterationTallyData,
  type Snapshot,
  type Tally,
} from '../../../../src/core/load/snapshot.ts';
import { expectBalancedLedger, jobOf, targetOf } from '../../../support/test-engine.ts';
import { STALL_FREE_SECOND, TEST_GENERATOR, snapshotOf } from '../../../support/snapshots.ts';

/** Times in ms; histograms store times below 0.128 ms exactly. */
function timesOf(...milliseconds: readonly number[]): Histogram {
  const times = Histogram.createRecorder();
  for (const one of milliseconds) times.record(1000 * one);
  return times;
}

function tallyOf(changes: Partial<Tally> = {}, statuses: Readonly<Record<number, number>> = {}): Tally {
  const tally = { ...createTally('record', true), ...changes };
  for (const [status, count] of Object.entries(statuses)) addResponses(tally, Number(status), count);
  return tally;
}

/** Twelve clients in three seconds, of which the clients of the first second are the warm-up. */
const JOB = jobOf(
  [
    targetOf(80, { path: '/home' }),
    targetOf(80, { path: '/cart', url: 'http://anna:secret@shop.test/cart', method: 'POST' }),
    targetOf(80, { path: '/pay', url: 'HTTPS://shop.test/pay?to=a@b' }),
  ],
  {
    testType: 'per-second',
    total: 4,
    duration: 3000,
    warmup: 1000,
    timeout: 2000,
    errorThreshold: 40,
    seed: 7,
    connections: 5,
    flows: [
      { name: 'browse', weight: 1, urls: 1 },
      { name: 'buy', weight: 1, urls: 2 },
    ],
  },
);
const SHARDS = splitIntoShards(JOB, 2);

const addressUse = (changes: Partial<AddressUse>): AddressUse => ({
  connections: 1,
  requests: 4,
  failed: 0,
  tls: {},
  ...changes,
});

const iterationsOf = (changes: Partial<IterationTallyData>): IterationTallyData => ({
  started: 0,
  completed: 0,
  failed: 0,
  withErrors: 0,
  endedInWarmup: 0,
  durations: timesOf(),
  lowerBounds: timesOf(),
  ...changes,
});

const IDLE = [tallyOf(), tallyOf(), tallyOf()];

const SNAPSHOTS: readonly Snapshot[] = [
  snapshotOf(0, 0, IDLE, {
    warmup: [
      tallyOf({ started: 1, bytesSent: 50, bytesReceived: 60, response: timesOf(0.01) }, { 200: 1 }),
      tallyOf({ noSocket: 1 }),
      tallyOf({ condition: 1 }),
    ],
    iterations: [iterationsOf({ endedInWarmup: 1 }), iterationsOf({})],
    connections: 1,
    peakConnections: 9,
    pool: { opened: 2, requests: 0, waits: timesOf() },
    addresses: { '127.0.0.1:80': addressUse({ tls: { 'TLSv1.3': 1 } }) },
    thread: { ...STALL_FREE_SECOND, busy: 1, maxTickDelay: 1 },
  }),
  snapshotOf(1, 0, IDLE, {
    warmup: [
      tallyOf({ saturated: 1 }),
      tallyOf({ started: 1, timeoutConnect: 1 }),
      tallyOf({ undefinedVariable: 1 }),
    ],
    iterations: [iterationsOf({}), iterationsOf({ endedInWarmup: 1 })],
    pool: { opened: 1, requests: 0, waits: timesOf() },
  }),
  snapshotOf(
    0,
    1,
    [
      tallyOf(
        {
          started: 2,
          bytesSent: 100,
          bytesReceived: 200,
          retryAfter: 1,
          response: timesOf(0.02, 0.04),
          lowerBounds: timesOf(0.01, 0.03),
          service: timesOf(0.015, 0.03),
        },
        { 200: 1, 503: 1 },
      ),
      tallyOf(),
      tallyOf(),
    ],
    {
      iterations: [
        iterationsOf({
          started: 2,
          completed: 2,
          withErrors: 1,
          durations: timesOf(0.02, 0.04),
          lowerBounds: timesOf(0.01, 0.03),
        }),
        iterationsOf({}),
      ],
      connections: 2,
      peakConnections: 3,
      lag: timesOf(0.1, 4),
      connectionSetup: { connect: timesOf(0.05), tls: timesOf(0.06) },
      pool: { opened: 1, requests: 2, waits: timesOf(0.1) },
      addresses: { '127.0.0.1:80': addressUse({ failed: 1, tls: { 'TLSv1.3': 1, 'TLSv1.2': 2 } }) },
      thread: { ...STALL_FREE_SECOND, busy: 0.5, maxTickDelay: 60, stalledMs: 62 },
    },
  ),
  snapshotOf(
    1,
    1,
    [
      tallyOf(),
      tallyOf(
        {
          started: 2,
          bytesSent: 30,
          bytesReceived: 40,
          resent: 1,
          response: timesOf(0.06),
          lowerBounds: timesOf(0.05),
          service: timesOf(0.05),
          network: { ECONNRESET: 1 },
        },
        { 201: 1 },
      ),
      tallyOf(
        {
          started: 1,
          bytesReceived: 7,
          response: timesOf(0.1),
          lowerBounds: timesOf(0.09),
          service: timesOf(0.08),
        },
        { 200: 1 },
      ),
    ],
    {
      iterations: [
        iterationsOf({}),
        iterationsOf({
          started: 2,
          completed: 1,
          failed: 1,
          withErrors: 1,
          durations: timesOf(0.12),
          lowerBounds: timesOf(0.11),
        }),
      ],
      connections: 1,
      peakConnections: 2,
      lag: timesOf(0.2),
      connectionSetup: { connect: timesOf(0.07), tls: timesOf() },
      pool: { opened: 0, requests: 3, waits: timesOf() },
      addresses: { '127.0.0.1:443': addressUse({ requests: 5, tls: {} }) },
      thread: { ...STALL_FREE_SECOND, busy: 0.25, neverStarted: { 1: 1 } },
    },
  ),
  snapshotOf(
    0,
    2,
    [
      tallyOf({
        started: 1,
        timeoutResponse: 1,
        bytesSent: 10,
        response: timesOf(0.12),
        lowerBounds: timesOf(0.1),
        service: timesOf(0.11),
      }),
      tallyOf({ noSocket: 1 }),
      tallyOf({ undefinedVariable: 1 }),
    ],
    {
      iterations: [iterationsOf({ started: 1, failed: 1, withErrors: 1 }), iterationsOf({})],
      connections: 1,
      peakConnections: 2,
      pool: { opened: 0, requests: 1, waits: timesOf() },
      thread: { ...STALL_FREE_SECOND, busy: 0.75, maxTickDelay: 0.5 },
    },
  ),
  snapshotOf(
    1,
    2,
    [tallyOf({ aborted: 1 }), tallyOf({ saturated: 1 }), tallyOf({ stopped: 1, condition: 1 })],
    {
      iterations: [iterationsOf({}), iterationsOf({})],
      connections: 0,
      peakConnections: 1,
      pool: { opened: 0, requests: 0, waits: timesOf() },
    },
  ),
];

const BOUNDED = ['p50', 'requests', 'success', 'iterations', 'iteration_p50'] as const;

/** Rounds numbers, and removes members that are 0, null, an empty object or an empty list. */
function essenceOf(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(1e6 * value) / 1e6;
  if (Array.isArray(value)) return value.map(essenceOf);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = (member: unknown) =>
    member === 0 || member === null || (typeof member === 'object' && Object.keys(member).length === 0);
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, essenceOf(member)] as const)
      .filter(([, member]) => !isEmpty(member)),
  );
}

/** Returns the times in µs of a stored histogram. */
function valuesOf(histogram: StoredHistogram | null | undefined): readonly number[] {
  return (histogram?.counts ?? []).flatMap(([value, count]) => new Array<number>(count).fill(value));
}

/** Returns min, mean, p50, p75, p90, p95, p99, p99.9 and max in ms, followed by the recorded times in µs. */
function timesIn(summary: LatencySummary | null | undefined, histogram: StoredHistogram | null | undefined) {
  return [Object.values(summary ?? {}), valuesOf(histogram)];
}

function mergerAfter(snapshots: readonly Snapshot[]): RunMerger {
  const merger = new RunMerger(JOB, SHARDS);
  for (const snapshot of snapshots) merger.add(snapshot);
  return merger;
}

function finish(merger: RunMerger): RunReport {
  merger.close(0, { elapsed: 3010.4, loaded: 3000 });
  merger.close(1, { elapsed: 3005, loaded: 2990 });
  return merger.report(TEST_GENERATOR, 1234);
}

describe('the report of a finished run with a warm-up and two flows', () => {
  const reported = () => finish(mergerAfter(SNAPSHOTS));
  const partsOf = (report: RunReport) => [
    ...report.targets,
    ...(report.flows ?? []),
    { ...report, ...report.total },
  ];

  test('the counts of the URLs, the flows and the run exclude the warm-up and are balanced', () => {
    const report = reported();
    expectBalancedLedger(report);
    expect(
      partsOf(report).map(({ ledger, statusCodes, bytesSent, bytesReceived, omitted, requestsPerSecond }) =>
        essenceOf({ ...ledger, statusCodes, bytesSent, bytesReceived, omitted, requestsPerSecond }),
      ),
    ).toEqual([
      {
        planned: 4,
        started: 3,
        notStarted: { aborted: 1 },
        success: 1,
        httpError: { 503: 1 },
        timeout: { response: 1 },
        retryAfter: 1,
        statusCodes: { 200: 1, 503: 1 },
        bytesSent: 110,
        bytesReceived: 200,
        requestsPerSecond: 1.5,
      },
      {
        planned: 4,
        started: 2,
        notStarted: { saturated: 1, noSocket: 1 },
        success: 1,
        network: { ECONNRESET: 1 },
        resent: 1,
        statusCodes: { 201: 1 },
        bytesSent: 30,
        bytesReceived: 40,
        requestsPerSecond: 1,
      },
      {
        planned: 4,
        started: 1,
        notStarted: { stopped: 1, undefinedVariable: 1, condition: 1 },
        success: 1,
        statusCodes: { 200: 1 },
        bytesReceived: 7,
        omitted: 1,
        requestsPerSecond: 0.5,
      },
      {
        planned: 4,
        started: 3,
        notStarted: { aborted: 1 },
        success: 1,
        httpError: { 503: 1 },
        timeout: { response: 1 },
        retryAfter: 1,
        statusCodes: { 200: 1, 503: 1 },
        bytesSent: 110,
        bytesReceived: 200,
        requestsPerSecond: 1.5,
      },
      {
        planned: 8,
        started: 3,
        notStarted: { stopped: 1, saturated: 1, noSocket: 1, undefinedVariable: 1, condition: 1 },
        success: 2,
        network: { ECONNRESET: 1 },
        resent: 1,
        statusCodes: { 200: 1, 201: 1 },
        bytesSent: 30,
        bytesReceived: 47,
        omitted: 1,
        requestsPerSecond: 1.5,
      },
      {
        planned: 12,
        started: 6,
        notStarted: { stopped: 1, aborted: 1, saturated: 1, noSocket: 1, undefinedVariable: 1, condition: 1 },
        success: 3,
        httpError: { 503: 1 },
        timeout: { response: 1 },
        network: { ECONNRESET: 1 },
        resent: 1,
        retryAfter: 1,
        statusCodes: { 200: 2, 201: 1, 503: 1 },
        bytesSent: 140,
        bytesReceived: 247,
        omitted: 1,
        requestsPerSecond: 3,
      },
    ]);
  });

  test('the response times, service times and minimum times belong to the URLs, flows and the run', () => {
    expect(
      partsOf(reported()).map(
        ({ latency, latencyHistogram, serviceTime, serviceTimeHistogram, minTimes }) => [
          timesIn(latency, latencyHistogram),
          timesIn(serviceTime, serviceTimeHistogram),
          valuesOf(minTimes),
        ],
      ),
    ).toEqual([
      [
        [
          [0.02, 0.06, 0.04, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12],
          [20, 40, 120],
        ],
        [
          [0.015, 0.052, 0.03, 0.11, 0.11, 0.11, 0.11, 0.11, 0.11],
          [15, 30, 110],
        ],
        [10, 30, 100],
      ],
      [
        [[0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06], [60]],
        [[0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05], [50]],
        [54],
      ],
      [
        [[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], [100]],
        [[0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08], [80]],
        [90],
      ],
      [
        [
          [0.02, 0.06, 0.04, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12],
          [20, 40, 120],
        ],
        [
          [0.015, 0.052, 0.03, 0.11, 0.11, 0.11, 0.11, 0.11, 0.11],
          [15, 30, 110],
        ],
        [10, 30, 100],
      ],
      [
        [
          [0.06, 0.08, 0.06, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
          [60, 100],
        ],
        [
          [0.05, 0.065, 0.05, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08],
          [50, 80],
        ],
        [54, 90],
      ],
      [
        [
          [0.02, 0.068, 0.06, 0.1, 0.12, 0.12, 0.12, 0.12, 0.12],
          [20, 40, 60, 100, 120],
        ],
        [
          [0.015, 0.057, 0.05, 0.08, 0.11, 0.11, 0.11, 0.11, 0.11],
          [15, 30, 50, 80, 110],
        ],
        [10, 30, 50, 90, 100],
      ],
    ]);
  });

  test('the bounds of the URLs, the flows and the run are computed from their own counts and times', () => {
    expect(
      partsOf(reported()).map(({ bounds }) =>
        BOUNDED.flatMap((metric) => {
          const { low, high } = bounds[metric] ?? {};
          return low === undefined ? [] : [essenceOf([low, high])];
        }),
      ),
    ).toEqual([
      [
        [0.03, 0.04],
        [3, 3],
        [1, 2],
      ],
      [
        [0.054, 0.06],
        [2, 4],
        [1, 2],
      ],
      [
        [0.09, 0.1],
        [1, 1],
        [1, 1],
      ],
      [
        [0.03, 0.04],
        [3, 3],
        [1, 2],
        [2, 2],
        [0.01, 0.02],
      ],
      [
        [0.054, 0.06],
        [3, 5],
        [2, 3.333333],
        [1, 3],
        [0.11, 0.12],
      ],
      [
        [0.05, 0.06],
        [6, 8],
        [3, 5.333333],
        [3, 5],
        [0.03, 0.04],
      ],
    ]);
  });

  test('iterations are reported with their durations for each flow and in total', () => {
    const report = reported();
    const iterations = [...(report.flows ?? []), report].map((part) => part.iterations);
    expect(
      iterations.map((each) => [
        each?.started,
        each?.completed,
        each?.failed,
        each?.withErrors,
        timesIn(each?.durations, each?.times?.measured),
        valuesOf(each?.times?.minimum),
      ]),
    ).toEqual([
      [
        3,
        2,
        1,
        2,
        [
          [0.02, 0.03, 0.02, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04],
          [20, 40],
        ],
        [10, 30],
      ],
      [2, 1, 1, 1, [[0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12], [120]], [110]],
      [
        5,
        3,
        2,
        3,
        [
          [0.02, 0.06, 0.04, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12],
          [20, 40, 120],
        ],
        [10, 30, 110],
      ],
    ]);
    expect(report.iterations?.missing).toBeNull();
  });

  test('the timelines of the run and of each URL include the warm-up', () => {
    const report = reported();
    expect(report.timeline).toEqual([
      {
        second: 0,
        span: 1,
        warmup: true,
        started: 2,
        success: 1,
        error: 0,
        timeoutError: 1,
        networkError: 0,
        connections: 11,
        bytesSent: 50,
        bytesReceived: 60,
        p50: 0.01,
        p95: 0.01,
        p99: 0.01,
      },
      {
        second: 1,
        span: 1,
        warmup: false,
        started: 5,
        success: 3,
        error: 1,
        timeoutError: 0,
        networkError: 1,
        connections: 5,
        bytesSent: 130,
        bytesReceived: 247,
        p50: 0.04,
        p95: 0.1,
        p99: 0.1,
      },
      {
        second: 2,
        span: 1,
        warmup: false,
        started: 1,
        success: 0,
        error: 0,
        timeoutError: 1,
        networkError: 0,
        connections: 3,
        bytesSent: 10,
        bytesReceived: 0,
        p50: 0.12,
        p95: 0.12,
        p99: 0.12,
      },
    ]);
    expect(report.targets.map((target) => target.timeline)).toEqual([
      {
        success: [1, 1, 0],
        error: [0, 1, 0],
        timeoutError: [0, 0, 1],
        networkError: [0, 0, 0],
        p50: [0.01, 0.02, 0.12],
        p95: [0.01, 0.04, 0.12],
        p99: [0.01, 0.04, 0.12],
      },
      {
        success: [0, 1, 0],
        error: [0, 0, 0],
        timeoutError: [1, 0, 0],
        networkError: [0, 1, 0],
        p50: [null, 0.06, null],
        p95: [null, 0.06, null],
        p99: [null, 0.06, null],
      },
      {
        success: [0, 1, 0],
        error: [0, 0, 0],
        timeoutError: [0, 0, 0],
        networkError: [0, 0, 0],
        p50: [null, 0.1, null],
        p95: [null, 0.1, null],
        p99: [null, 0.1, null],
      },
    ]);
  });

  test('the other parts of the report describe the run, its connections and its load generator', () => {
    const { total, targets, flows, iterations, timeline, bounds, minTimes, connect, tls, ...others } =
      reported();
    expect([connect, tls].map((setup) => [setup?.count, ...timesIn(setup?.times, setup?.histogram)])).toEqual(
      [
        [2, [0.05, 0.06, 0.05, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07], [50, 70]],
        [1, [0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06], [60]],
      ],
    );
    expect(targets.map(({ url, method }) => [method, url])).toEqual([
      ['GET', 'http://shop.test:80/home'],
      ['POST', 'http://shop.test/cart'],
      ['GET', 'HTTPS://shop.test/pay?to=a@b'],
    ]);
    expect(flows?.map(({ name }) => name)).toEqual(['browse', 'buy']);
    expect(essenceOf(others)).toEqual({
      timeout: 2000,
      loadStartedAt: 1234,
      elapsed: 3010,
      seed: 7,
      requestsPerSecond: 3,
      peakConnections: 5,
      pool: { opened: 4, peak: 5, waited: 1, waitP99: 0.1 },
      addresses: [
        { address: '127.0.0.1:443', connections: 1, requests: 5 },
        {
          address: '127.0.0.1:80',
          connections: 2,
          requests: 8,
          failed: 1,
          tls: { 'TLSv1.3': 2, 'TLSv1.2': 2 },
        },
      ],
      generator: { lagP99: 4, overloaded: true, threads: 2, version: '0.0.0' },
      delivery: {
        model: 'open',
        due: 8,
        late: 1,
        neverStarted: 2,
        lagP99: 4,
        lagMax: 4,
        worstWindow: { second: 1, due: 8, neverStarted: 2 },
      },
      warmup: {
        seconds: 1,
        complete: true,
        ledger: {
          planned: 6,
          started: 2,
          notStarted: { saturated: 1, noSocket: 1, undefinedVariable: 1, condition: 1 },
          success: 1,
          timeout: { connect: 1 },
        },
      },
      machine: {
        cores: 2,
        threadReason: 'load',
        node: '20.19.0',
        measurementVersion: 4,
        threadLoads: [
          { mean: 0.625, max: 0.75 },
          { mean: 0.125, max: 0.25 },
        ],
        seconds: 2,
        longestStall: 60,
        stalledSeconds: [
          { tolerance: 2, seconds: 1 },
          { tolerance: 10, seconds: 1 },
          { tolerance: 50, seconds: 1 },
          { tolerance: 250 },
        ],
      },
      errorSamples: [
        { url: 'http://shop.test:80/home', error: 'status 503', count: 1 },
        { url: 'http://shop.test:80/home', error: 'timed out waiting for the response', count: 1 },
        { url: 'http://shop.test/cart', error: 'network: ECONNRESET', count: 1 },
        {
          url: 'http://shop.test/cart',
          error: 'not sent: no socket available on the load generator',
          count: 1,
        },
        { url: 'HTTPS://shop.test/pay?to=a@b', error: 'not sent: a variable had no value', count: 1 },
      ],
    });
  });
});

test('a merger that is restored from a checkpoint continues and reports like the original merger', () => {
  let mergers = [new RunMerger(JOB, SHARDS), new RunMerger(JOB, SHARDS)] as const;
  const inBoth = <T>(use: (merger: RunMerger) => T): T => {
    const [ofOriginal, ofRestored] = mergers.map(use);
    expect(ofRestored).toEqual(ofOriginal);
    return ofOriginal as T; // `map` loses the length of the list
  };
  SNAPSHOTS.forEach((snapshot, index) => {
    inBoth((merger) => merger.add(snapshot));
    if (index === 2) mergers = [mergers[0], restoredFrom(mergers[1])];
    inBoth((merger) => merger.progress());
  });
  mergers = [mergers[0], restoredFrom(mergers[1])];
  inBoth((merger) => merger.partialReport(TEST_GENERATOR, 5));
  inBoth((merger) => merger.markOverloaded());
  inBoth((merger) => merger.reachesErrorThreshold({ finished: 20, failed: 10 }));
  inBoth((merger) => merger.abort('error_threshold'));
  inBoth((merger) => merger.close(0, { elapsed: 3010.4, loaded: 3000 }));
  mergers = [mergers[0], restoredFrom(mergers[1])];
  inBoth((merger) => merger.lose(1, 'aborted', 2900));
  const report = inBoth((merger) => merger.report(TEST_GENERATOR, 5));
  expect(report).toMatchObject({ abortReason: 'error_threshold', abortCertain: false, elapsed: 3010 });
});

function restoredFrom(merger: RunMerger, job = JOB, shards = SHARDS): RunMerger {
  const restored = RunMerger.fromCheckpoint(job, shards, merger.toCheckpoint());
  if (restored === null) throw new Error('the checkpoint is rejected');
  return restored;
}

test('the progress of a run counts the requests of the warm-up and of all threads', () => {
  const merger = new RunMerger(JOB, SHARDS);
  const all = SNAPSHOTS.map((snapshot) => {
    merger.add(snapshot);
    return merger.progress();
  });
  expect(all).toEqual([
    null,
    {
      elapsed: 1000,
      warmingUp: false,
      connections: 2,
      success: 1,
      error: 0,
      timeoutError: 1,
      networkError: 0,
      requestsPerSecond: 2,
      p95: 0.01,
      targets: [1, 1, 0],
    },
    null,
    {
      elapsed: 2000,
      warmingUp: false,
      connections: 3,
      success: 4,
      error: 1,
      timeoutError: 1,
      networkError: 1,
      requestsPerSecond: 5,
      p95: 0.1,
      targets: [3, 3, 1],
    },
    null,
    {
      elapsed: 3000,
      warmingUp: false,
      connections: 1,
      success: 4,
      error: 1,
      timeoutError: 2,
      networkError: 1,
      requestsPerSecond: 1,
      p95: 0.12,
      targets: [4, 3, 1],
    },
  ]);
});

describe('closed-model runs', () => {
  /** Ten clients on one thread, with a warm-up of a second. */
  const CLOSED = jobOf([targetOf(80)], {
    ...{ testType: 'cycling', initial: 10, total: 10, duration: 200_000, warmup: 1000 },
  });
  const [SHARD] = splitIntoShards(CLOSED, 1);

  /** In each second, the first `waiting` tenths are without a response. */
  function secondOf(at: number, waiting: number, changes: Partial<Snapshot> = {}, count = 1): Snapshot {
    const tally = {
      ...createTally('record', false),
      planned: count,
      started: count,
      response: timesOf(0.05),
    };
    addResponses(tally, 200, count);
    const tenths = createUnobservedTenths();
    tenths.states.fill(RESPONDED);
    tenths.states.fill(WAITING, 0, waiting);
    tenths.waiting.fill(10);
    return snapshotOf(0, at, [tally], { tenths, ...changes });
  }

  function mergerOf(snapshots: readonly Snapshot[], job = CLOSED): RunMerger {
    const merger = new RunMerger(job, SHARD === undefined ? [] : [SHARD]);
    for (const snapshot of snapshots) merger.add(snapshot);
    return merger;
  }

  function reportOf(snapshots: readonly Snapshot[], job = CLOSED): RunReport {
    const merger = mergerOf(snapshots, job);
    merger.close(0, { elapsed: 200_000, loaded: 200_000 });
    return merger.report(TEST_GENERATOR);
  }

  test('the report counts all outages after the warm-up, and lists the fifty longest in chronological order', () => {
    const snapshots = Array.from({ length: 51 }, (_, index) => [
      secondOf(1 + 2 * index, 10),
      secondOf(2 + 2 * index, index === 20 ? 0 : 2 + (index % 2)),
    ]);
    const { outage, iterations, total } = reportOf([secondOf(0, 10), ...snapshots.flat()]);
    const periods = Array.from({ length: 51 }, (_, index) => ({
      from: 1 + 2 * index,
      to: 2 * index + (index % 2 === 0 ? 2.2 : 2.3),
    }));
    expect(outage).toEqual({ spans: 51, seconds: 63.5, periods: periods.filter((_, index) => index !== 20) });
    // Each iteration is one request, although omitted requests have times too.
    expect(total.omitted).toBeGreaterThan(0);
    expect(iterations?.durations).toBeNull();
  });

  test.each([
    { connections: null, requests: 100, waits: [10, 20], pool: null },
    { connections: 5, requests: 100, waits: [], pool: { waited: 0, waitP99: 0 } },
    { connections: 5, requests: 100, waits: [0.01], pool: { waited: 1, waitP99: 0 } },
    { connections: 5, requests: 100, waits: [0.01, 0.02], pool: { waited: 2, waitP99: 0.01 } },
    { connections: 5, requests: 2, waits: [0.01, 0.02], pool: { waited: 2, waitP99: 0.02 } },
  ])(
    'if $waits.length of $requests requests waited for one of $connections connections, the pool report is $pool',
    ({ connections, requests, waits, pool }) => {
      const use = { opened: 3, requests, waits: timesOf(...waits) };
      const job = { ...CLOSED, connections };
      expect(reportOf([secondOf(1, 0, { pool: use })], job).pool).toEqual(
        pool && { opened: 3, peak: 2, ...pool },
      );
    },
  );

  test.each([
    { limit: { iterations: 50 }, missing: 43 },
    { limit: { iterationsPerClient: 3 }, missing: 23 },
    { limit: {}, missing: null },
  ])('with $limit, the number of missing iterations is $missing after 7 iterations', ({ limit, missing }) => {
    const iterations = [iterationsOf({ started: 9, completed: 4, failed: 1, endedInWarmup: 2 })];
    const report = reportOf([secondOf(1, 0, { iterations })], { ...CLOSED, ...limit });
    expect(report.iterations?.missing).toBe(missing);
    expect(report.bounds.iterations).toEqual({ low: 4, high: 4 });
  });

  test('durations of iterations are null only if each iteration is one request and has its response time', () => {
    const durationsOf = (times: Histogram) =>
      reportOf([secondOf(1, 0, { iterations: [iterationsOf({ durations: times })] })]);
    expect(durationsOf(timesOf(0.05)).iterations?.durations).toBeNull();
    expect(durationsOf(timesOf(0.05)).bounds).not.toHaveProperty('iteration_p95');
    expect(durationsOf(timesOf(0.05)).iterations?.areRequests).toBe(true);
    expect(durationsOf(timesOf()).iterations).toMatchObject({
      areRequests: false,
      durations: null,
      times: null,
    });
    expect(valuesOf(durationsOf(timesOf(0.05, 0.06)).iterations?.times?.measured)).toEqual([50, 60]);
  });

  test('a report on a run in progress counts requests in flight as abandoned, also in the warm-up', () => {
    const warmup = [{ ...createTally('record', false), planned: 5, started: 3 }];
    addResponses(warmup[0] ?? createTally('record', false), 200, 1);
    const first = secondOf(0, 0, { warmup });
    const pending = secondOf(1, 0, {}, 2);
    const targets = pending.targets.map((tally) => ({ ...tally, planned: 9, started: 6, abandoned: 1 }));
    const report = mergerOf([first, { ...pending, targets, until: 1500.4 }]).partialReport(TEST_GENERATOR, 7);
    expect(report).toMatchObject({
      ...{ abortReason: 'partial', elapsed: 1500, knownUntil: 1500, loadStartedAt: 7, requestsPerSecond: 6 },
      total: { ledger: { planned: 10, started: 7, success: 3, abandoned: 4, notStarted: { aborted: 3 } } },
      warmup: {
        complete: true,
        ledger: { planned: 5, started: 3, success: 1, abandoned: 2, notStarted: { aborted: 2 } },
      },
    });
    expect(report?.total.serviceTime).toEqual(report?.total.latency);
    expect(report?.total.serviceTimeHistogram).toEqual(report?.total.latencyHistogram);
  });

  test('a restored merger preserves omitted requests, the held load, the surplus and the connections', () => {
    const thread = { ...STALL_FREE_SECOND, missingClientMs: 4000, maxTickDelay: 20, stalledMs: 20 };
    const merger = mergerOf([
      secondOf(1, 0, { thread, surplus: 0.5 }, 100),
      secondOf(2, 10),
      secondOf(3, 10),
      secondOf(4, 0, { retractions: { 1: { started: 2, bytesSent: 0 } } }, 100),
    ]);
    const restored = restoredFrom(merger, CLOSED, splitIntoShards(CLOSED, 1));
    const [report, same] = [merger, restored].map((one) => {
      one.add(secondOf(5, 10));
      one.add(secondOf(6, 0));
      one.close(0, { elapsed: 7000, loaded: 7000 });
      return one.report(TEST_GENERATOR);
    });
    expect(same).toEqual(report);
    const { outage, delivery, requestsPerSecond, timeline, machine, total } = report ?? finish(merger);
    expect({ outage, delivery, requestsPerSecond, omitted: total.omitted }).toEqual({
      outage: {
        spans: 2,
        seconds: 3,
        periods: [
          { from: 2, to: 4 },
          { from: 5, to: 6 },
        ],
      },
      delivery: { model: 'closed', heldShare: 0.9979899497487437 },
      requestsPerSecond: 33.917,
      omitted: 204,
    });
    expect(timeline.map(({ started }) => started)).toEqual([0, 98, 1, 1, 102, 1, 1]);
    expect(machine?.stalledSeconds.map(({ seconds }) => seconds)).toEqual([1, 1, 0, 0]);
  });
});

describe('certainty that the error threshold was reached', () => {
  /** Whether a run that ended after 100 requests, with or without a stall, certainly reached the error threshold. */
  function certaintyOf(changes: Partial<Tally>, success: number, stalled: boolean, inWarmup = false) {
    const job = jobOf([targetOf(80)], { errorThreshold: 40, warmup: inWarmup ? 1000 : 0 });
    const merger = new RunMerger(job, splitIntoShards(job, 1));
    const tally = tallyOf({ ...changes, started: 100 }, { 200: success });
    const thread = stalled ? { ...STALL_FREE_SECOND, maxTickDelay: 2000 } : STALL_FREE_SECOND;
    const counted = inWarmup ? { warmup: [tally] } : {};
    merger.add(snapshotOf(0, 0, [inWarmup ? tallyOf() : tally], { thread, ...counted }));
    merger.abort('error_threshold');
    merger.close(0, { elapsed: 1000, loaded: 1000 });
    return restoredFrom(merger, job, splitIntoShards(job, 1)).report(TEST_GENERATOR).abortCertain;
  }

  const REFUSED = { network: { ECONNREFUSED: 40 } };

  test.each<
    readonly [name: string, tally: Partial<Tally>, success: number, stalled: boolean, certain: boolean]
  >([
    ['40 timeouts without a stall', { timeoutResponse: 40 }, 60, false, true],
    ['40 timeouts during a stall', { timeoutResponse: 40 }, 60, true, false],
    ['40 refused connections during a stall', REFUSED, 60, true, true],
    ['40 refused connections and a timeout during a stall', { ...REFUSED, timeoutTls: 1 }, 59, true, true],
    [
      '39 refused connections and a timeout',
      { network: { ECONNREFUSED: 39 }, timeoutTls: 1 },
      60,
      true,
      false,
    ],
    ['39 refused and a reset connection', { network: { ECONNREFUSED: 39, ECONNRESET: 1 } }, 60, true, false],
    ['40 responses that may have been too slow', { unexpected: { 'time uncertain': 40 } }, 100, false, false],
    [
      '41 failures, one of them uncertain',
      { ...REFUSED, unexpected: { 'time uncertain': 1 } },
      60,
      false,
      true,
    ],
  ])('the certainty of an end after 100 requests, %s, is $4', (_name, tally, success, stalled, certain) => {
    expect(certaintyOf(tally, success, stalled)).toBe(certain);
    expect(certaintyOf(tally, success, stalled, true)).toBe(certain);
  });

  test('the certainty is null if the error threshold did not end the run', () => {
    expect(finish(mergerAfter(SNAPSHOTS)).abortCertain).toBeNull();
  });
});

describe('samples of errors', () => {
  const errorsOf = (tally: Tally, changes: Partial<JobTarget> = {}) => {
    const job = jobOf([targetOf(80, changes)]);
    const merger = new RunMerger(job, splitIntoShards(job, 1));
    merger.add(snapshotOf(0, 0, [tally]));
    return merger.report(TEST_GENERATOR).errorSamples;
  };

  test('each kind of failure has its own text', () => {
    const tally = tallyOf(
      {
        ...{ timeoutConnect: 9, timeoutTls: 8, timeoutResponse: 7, undefinedVariable: 2, noSocket: 1 },
        network: { ECONNRESET: 6, invalid_url: 5 },
        protocol: { chunk: 4 },
        unexpected: { 'status 404': 3 },
        checkedErrors: { 404: 3 },
      },
      { 404: 3, 500: 10 },
    );
    const expect404 = { status: [200], headers: null, body: null, json: null };
    expect(errorsOf(tally, { expect: expect404 }).map(({ error, count }) => [error, count])).toEqual([
      ['status 500', 10],
      ['timed out while connecting', 9],
      ['timed out during the TLS handshake', 8],
      ['timed out waiting for the response', 7],
      ['network: ECONNRESET', 6],
      [
        'not sent: the variable for the URL contains neither a path nor a URL on the host of another request',
        5,
      ],
      ['protocol: chunk', 4],
      ['status 404, expected 200', 3],
      ['not sent: a variable had no value', 2],
      ['not sent: no socket available on the load generator', 1],
    ]);
    expect(errorsOf(tally)[7]?.error).toBe('status 404, expected a different status');
  });

  test('a report contains the ten most frequent failures', () => {
    const protocol = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`fault${index}`, index + 1]),
    );
    expect(errorsOf(tallyOf({ protocol })).map(({ count }) => count)).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ]);
  });
});

describe('timelines with merged entries', () => {
  const job = jobOf([targetOf(80), targetOf(80)], { testType: 'cycling', duration: 1_300_000 });
  const secondOf = (thread: number, at: number, count: number) => {
    const tallies = [count, 2 * count].map((responses) => {
      const tally = tallyOf({
        ...{ started: responses, bytesSent: 10 * responses, bytesReceived: 100 * responses },
        ...{ service: null, response: timesOf(0.01 * responses) },
      });
      addResponses(tally, 200, responses);
      return tally;
    });
    return snapshotOf(thread, at, tallies, {
      peakConnections: at + thread + 1,
      iterations: [iterationsOf({})],
    });
  };

  test('from 600 seconds, two consecutive seconds are one entry, with the sum of their counts and the maximum of their connections', () => {
    const merger = new RunMerger(job, splitIntoShards(job, 2));
    const [only, last] = [secondOf(0, 0, 1), secondOf(1, 599, 4)];
    for (const snapshot of [only, secondOf(1, 0, 2), secondOf(0, 1, 3), last]) merger.add(snapshot);
    expect(merger.report(TEST_GENERATOR).timeline.map(({ span }) => span)).toEqual(new Array(600).fill(1));
    merger.add(secondOf(0, 600, 5));
    const { timeline, targets } = merger.report(TEST_GENERATOR);
    const filled = timeline.filter(({ started }) => started > 0);
    expect(timeline).toHaveLength(301);
    expect(filled).toEqual([
      {
        second: 0,
        span: 2,
        warmup: false,
        started: 18,
        success: 18,
        error: 0,
        timeoutError: 0,
        networkError: 0,
        connections: 4,
        bytesSent: 180,
        bytesReceived: 1800,
        p50: 0.02,
        p95: 0.06,
        p99: 0.06,
      },
      {
        second: 598,
        span: 2,
        warmup: false,
        started: 12,
        success: 12,
        error: 0,
        timeoutError: 0,
        networkError: 0,
        connections: 601,
        bytesSent: 120,
        bytesReceived: 1200,
        p50: 0.04,
        p95: 0.08,
        p99: 0.08,
      },
      {
        second: 600,
        span: 2,
        warmup: false,
        started: 15,
        success: 15,
        error: 0,
        timeoutError: 0,
        networkError: 0,
        connections: 601,
        bytesSent: 150,
        bytesReceived: 1500,
        p50: 0.05,
        p95: 0.1,
        p99: 0.1,
      },
    ]);
    expect(targets.map(({ timeline: own }) => own?.success.filter((count) => count > 0))).toEqual([
      [6, 4, 5],
      [12, 8, 10],
    ]);
  });

  test('the request rate of the progress is the mean over the reported seconds of the latest entry', () => {
    const merger = new RunMerger(job, splitIntoShards(job, 1));
    const rates = [0, 600, 601, 602].map((at) => {
      merger.add(secondOf(0, at, at === 602 ? 8 : 2));
      return merger.progress()?.requestsPerSecond;
    });
    expect(rates).toEqual([6, 6, 6, 24]);
  });
});

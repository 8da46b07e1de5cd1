/** Runs of 42 minutes and five hours with three threads: memory stays bounded, and no count is lost. */
import { Histogram } from '../../../src/core/load/histogram.ts';
import { describe, expect, test } from 'vitest';
import { encodeResult } from '../../../src/contract/result-codec.ts';
import {
  addResponses,
  createConnectionSetup,
  createIterationTally,
  createTally,
  createUnobservedTenths,
  type Snapshot,
  type Tally,
} from '../../../src/core/load/snapshot.ts';
import { summarizeProgress, summarizeRun } from '../../../src/core/load/run-summary.ts';
import type { RunTotals } from '../../../src/core/load/run-totals.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { expectBalancedLedger, jobOf, targetOf } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { STALL_FREE_SECOND, TEST_GENERATOR, createTotals } from '../../support/snapshots.ts';
import { measureUsedBytes } from '../../support/used-memory.ts';
import { apiMismatch } from '../../support/schema-checks.ts';

const THREADS = 3;
/** Maximum number of timeline entries. */
const MAX_ENTRIES = 600;
/** In seconds: more than four times the maximum number of entries. */
const LONG = 2500;
/** In seconds. A scaled-down test run omits longer durations. */
const FIVE_HOURS = scaleCount(5 * 3600);
const MEBIBYTE = 1024 * 1024;

/** Counts of one thread in one second: 8 requests with each kind of outcome. */
function secondOf(requests: number): Tally {
  const tally = createTally('record', true);
  tally.planned = requests;
  tally.started = requests;
  tally.timeoutResponse = 1;
  tally.network['ECONNRESET'] = 1;
  addResponses(tally, 503);
  addResponses(tally, 200, requests - 3);
  tally.bytesSent = 101 * requests;
  tally.bytesReceived = 1009 * requests;
  for (let index = 0; index < requests - 2; index++) {
    tally.response.record(1000 * (index + 1));
    tally.service?.record(900 * (index + 1));
  }
  return tally;
}

const NO_LAG = Histogram.createRecorder();
const NO_CONNECTIONS = createConnectionSetup('record');
const UNOBSERVED = createUnobservedTenths();
const TALLIES = [secondOf(8), secondOf(5)];

function snapshotOf(threadIndex: number, second: number): Snapshot {
  return {
    threadIndex,
    second,
    until: (second + 1) * 1000,
    targets: TALLIES,
    iterations: [createIterationTally('record')],
    connections: 10 + threadIndex,
    peakConnections: 20 + threadIndex,
    warmup: null,
    tenths: UNOBSERVED,
    lag: NO_LAG,
    connectionSetup: NO_CONNECTIONS,
    retractions: {},
    surplus: 0,
    pool: null,
    addresses: {},
    thread: STALL_FREE_SECOND,
  };
}

const PEAK = Array.from({ length: THREADS }, (_, threadIndex) => 20 + threadIndex).reduce(
  (sum, peak) => sum + peak,
  0,
);

describe.each([
  [599, 1],
  [601, 2],
  [LONG, 8],
  ...(FIVE_HOURS > LONG ? [[FIVE_HOURS, 2 ** Math.ceil(Math.log2(FIVE_HOURS / MAX_ENTRIES))] as const] : []),
] as const)('a run of %i seconds', (seconds, span) => {
  const job = jobOf([targetOf(80), targetOf(80, { path: '/cart' })], { duration: seconds * 1000 });
  const createRunTotals = (): RunTotals => createTotals({ targets: 2, workers: THREADS, apart: true });

  test(`a run of ${seconds} s has at most ${MAX_ENTRIES} timeline entries and exact sums, and uses less than 40 MiB`, () => {
    const before = measureUsedBytes();
    const totals = createRunTotals();
    for (let second = 0; second < seconds; second++) {
      for (let threadIndex = 0; threadIndex < THREADS; threadIndex++)
        totals.add(snapshotOf(threadIndex, second));
    }
    // The histograms of 600 entries take 15 MiB; one entry per second would take 62 MiB.
    expect(measureUsedBytes() - before).toBeLessThan(40 * MEBIBYTE);
    expect(totals.seconds.length).toBeLessThanOrEqual(MAX_ENTRIES);
    expect(totals.span).toBe(span);

    const report = summarizeRun(job, totals, {
      elapsed: milliseconds(seconds * 1000),
      loaded: milliseconds(seconds * 1000),
      abortReason: null,
      threads: THREADS,
      environment: { ...TEST_GENERATOR, version: '1.0.0' },
      exchanges: [],
    });
    expectBalancedLedger(report);
    const snapshotCount = seconds * THREADS;
    expect(report.total.ledger).toMatchObject({
      planned: 13 * snapshotCount,
      started: 13 * snapshotCount,
      success: 7 * snapshotCount,
      httpError: { 503: 2 * snapshotCount },
      timeout: { response: 2 * snapshotCount },
      network: { ECONNRESET: 2 * snapshotCount },
    });
    expect(report.total.bytesReceived).toBe(13 * 1009 * snapshotCount);
    expect(report.total.latency).toMatchObject({ min: 1, max: 6, mean: 3 });
    expect(report.requestsPerSecond).toBe(13 * THREADS);
    const { timeline } = report;
    expect(timeline).toHaveLength(Math.ceil(seconds / span));
    expect(timeline.map(({ second }) => second)).toEqual(timeline.map((_, index) => index * span));
    // All entries except the last are equal, and peaks are not added up.
    for (const [index, entry] of timeline.entries()) {
      const covered = Math.min(span, seconds - index * span);
      expect(entry).toMatchObject({
        span,
        started: 13 * THREADS * covered,
        connections: PEAK,
        p50: timeline[0]?.p50,
      });
    }
  });

  test(`the result document of a run of ${seconds} s has fewer than 200,000 characters and a timeline with exact sums`, () => {
    const totals = createRunTotals();
    for (let second = 0; second < seconds; second++) totals.add(snapshotOf(0, second));
    const report = summarizeRun(job, totals, {
      elapsed: milliseconds(seconds * 1000),
      loaded: milliseconds(seconds * 1000),
      abortReason: null,
      threads: THREADS,
      environment: { ...TEST_GENERATOR, version: '1.0.0' },
      exchanges: [],
    });
    const record = encodeResult({ id: 'a'.repeat(32), startedAt: 0 }, report, true);
    expect(apiMismatch('result-record', record)).toBeNull();
    expect(JSON.stringify(record).length).toBeLessThan(200_000);
    const sums = { success: 0, error: 0, timeout_error: 0, network_error: 0, data_sent: 0 };
    const timeline = (record.timeline ?? []) as readonly Record<string, unknown>[]; // the format of the schema
    for (const entry of timeline) {
      for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += Number(entry[key]);
    }
    const { success, error, timeout_error, network_error, data_sent } = record;
    expect(sums).toEqual({ success, error, timeout_error, network_error, data_sent });
    expect(success).toBe(7 * seconds);
  });

  test(`the progress of a run of ${seconds} s contains the current request rate, even if the last timeline entry is incomplete`, () => {
    const totals = createRunTotals();
    for (let second = 0; second < seconds; second++) {
      totals.add(snapshotOf(0, second));
      if (second < seconds - 2 * span) continue;
      expect(summarizeProgress(job, totals, second, (second + 1) * 1000)).toMatchObject({
        elapsed: (second + 1) * 1000,
        success: 7 * (second + 1),
        requestsPerSecond: 13,
        p95: 6,
      });
    }
  });
});

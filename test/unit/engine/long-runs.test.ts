/** An hour, and five hours, of seconds from eight threads: what is kept stays bounded, and no count is lost. */
import { Histogram } from '../../../src/core/load/histogram.ts';
import { describe, expect, test } from 'vitest';
import { encodeResult } from '../../../src/contract/result-codec.ts';
import {
  createConnectionSetup,
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

const WORKERS = 8;
/** Entries of the series at most. */
const MOST_ENTRIES = 600;
const HOUR = 3600;
/** Seconds; of a test run that takes a fifth of everything, none beyond the hour. */
const FIVE_HOURS = scaleCount(5 * HOUR);
const MEBIBYTE = 1024 * 1024;

/** What one thread does in one second, always the same: 8 requests, one of each kind of end among them. */
function secondOf(requests: number): Tally {
  const tally = createTally('record', true);
  tally.planned = requests;
  tally.started = requests;
  tally.timeoutResponse = 1;
  tally.network['ECONNRESET'] = 1;
  tally.statuses[503] = 1;
  tally.statuses[200] = requests - 3;
  tally.bytesSent = 101 * requests;
  tally.bytesReceived = 1009 * requests;
  for (let answered = 0; answered < requests - 2; answered++) {
    tally.response.record(1000 * (answered + 1));
    tally.service?.record(900 * (answered + 1));
  }
  return tally;
}

const NO_LAG = Histogram.createRecorder();
const NOTHING_OPENED = createConnectionSetup('record');
const UNSEEN = createUnobservedTenths();
const TALLIES = [secondOf(8), secondOf(5)];

function slice(threadIndex: number, second: number): Snapshot {
  return {
    threadIndex,
    second,
    until: (second + 1) * 1000,
    targets: TALLIES,
    connections: 10 + threadIndex,
    peakConnections: 20 + threadIndex,
    warmup: null,
    tenths: UNSEEN,
    lag: NO_LAG,
    connectionSetup: NOTHING_OPENED,
    retractions: {},
    surplus: 0,
    thread: STALL_FREE_SECOND,
  };
}

const PEAK = Array.from({ length: WORKERS }, (_, worker) => 20 + worker).reduce((sum, peak) => sum + peak, 0);

describe.each([
  [599, 1],
  [601, 2],
  [HOUR, 8],
  ...(FIVE_HOURS > HOUR ? [[FIVE_HOURS, 2 ** Math.ceil(Math.log2(FIVE_HOURS / MOST_ENTRIES))] as const] : []),
] as const)('after %i seconds', (seconds, span) => {
  const job = jobOf([targetOf(80), targetOf(80, { path: '/cart' })], { duration: seconds * 1000 });
  const fresh = (): RunTotals => createTotals({ targets: 2, workers: WORKERS, apart: true });

  test('the series is short, the memory is that of a short run, and every sum is exact', () => {
    const before = measureUsedBytes();
    const totals = fresh();
    for (let second = 0; second < seconds; second++) {
      for (let worker = 0; worker < WORKERS; worker++) totals.add(slice(worker, second));
    }
    // Of 600 entries 15 MiB are histograms; of an hour, kept second by second, it would be 90.
    expect(measureUsedBytes() - before).toBeLessThan(40 * MEBIBYTE);
    expect(totals.seconds.length).toBeLessThanOrEqual(MOST_ENTRIES);
    expect(totals.span).toBe(span);

    const report = summarizeRun(job, totals, {
      ...{
        elapsed: milliseconds(seconds * 1000),
        loaded: milliseconds(seconds * 1000),
        abortReason: null,
        threads: WORKERS,
        environment: { ...TEST_GENERATOR, version: '1.0.0' },
      },
      exchanges: [],
    });
    expectBalancedLedger(report);
    const times = seconds * WORKERS;
    expect(report.total.ledger).toMatchObject({
      planned: 13 * times,
      started: 13 * times,
      success: 7 * times,
      httpError: { 503: 2 * times },
      timeout: { response: 2 * times },
      network: { ECONNRESET: 2 * times },
    });
    expect(report.total.bytesReceived).toBe(13 * 1009 * times);
    expect(report.total.latency).toMatchObject({ min: 1, max: 6, mean: 3 });
    expect(report.requestsPerSecond).toBe(13 * WORKERS);
    const { timeline } = report;
    expect(timeline).toHaveLength(Math.ceil(seconds / span));
    expect(timeline.map(({ second }) => second)).toEqual(timeline.map((_, index) => index * span));
    // All but the last are alike, and as high as one second: peaks are not added up.
    for (const [index, entry] of timeline.entries()) {
      const covered = Math.min(span, seconds - index * span);
      expect(entry).toMatchObject({
        span,
        started: 13 * WORKERS * covered,
        connections: PEAK,
        p50: timeline[0]?.p50,
      });
    }
  });

  test('the document of the API is as long as that of a short run', () => {
    const totals = fresh();
    for (let second = 0; second < seconds; second++) totals.add(slice(0, second));
    const report = summarizeRun(job, totals, {
      ...{
        elapsed: milliseconds(seconds * 1000),
        loaded: milliseconds(seconds * 1000),
        abortReason: null,
        threads: WORKERS,
        environment: { ...TEST_GENERATOR, version: '1.0.0' },
      },
      exchanges: [],
    });
    const record = encodeResult({ id: 'a'.repeat(32), startedAt: 0 }, report, true);
    expect(apiMismatch('result-record', record)).toBeNull();
    expect(JSON.stringify(record).length).toBeLessThan(200_000);
    const sums = { success: 0, error: 0, timeout_error: 0, network_error: 0, data_sent: 0 };
    const timeline = (record.timeline ?? []) as readonly Record<string, unknown>[]; // as the schema has it
    for (const entry of timeline) {
      for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += Number(entry[key]);
    }
    const { success, error, timeout_error, network_error, data_sent } = record;
    expect(sums).toEqual({ success, error, timeout_error, network_error, data_sent });
    expect(success).toBe(7 * seconds);
  });

  test('progress tells the rate as it is, also where an entry of the series has only begun', () => {
    const totals = fresh();
    for (let second = 0; second < seconds; second++) {
      totals.add(slice(0, second));
      if (second < seconds - 2 * span) continue;
      expect(summarizeProgress(job, totals, second, (second + 1) * 1000)).toMatchObject({
        ...{ elapsed: (second + 1) * 1000, success: 7 * (second + 1), requestsPerSecond: 13, p95: 6 },
      });
    }
  });
});

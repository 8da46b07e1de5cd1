import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import type { LoadJob } from '../../../../src/core/load/load-job.ts';
import { addResponses, incrementCount, createTally, type Tally } from '../../../../src/core/load/snapshot.ts';
import { summarizeProgress, summarizeRun } from '../../../../src/core/load/run-summary.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { expectBalancedLedger, jobOf, targetOf } from '../../../support/test-engine.ts';
import { TEST_GENERATOR, snapshotOf, createTotals } from '../../../support/snapshots.ts';

function tally(
  changes: Partial<Tally>,
  statuses: Record<number, number> = {},
  latency: readonly number[] = [],
): Tally {
  const created = { ...createTally('record', true), ...changes };
  for (const [status, count] of Object.entries(statuses)) addResponses(created, Number(status), count);
  for (const value of latency) created.response.record(value);
  return created;
}

const job: LoadJob = jobOf([
  targetOf(80),
  targetOf(80, { path: '/cart', url: 'http://anna:secret@shop.test/cart' }),
]);
const end = {
  elapsed: milliseconds(2000),
  loaded: milliseconds(2000),
  abortReason: null,
  threads: 2,
  environment: { ...TEST_GENERATOR, version: '1.2.3' },
  exchanges: [],
};

describe('run totals', () => {
  test('a request that a thread retracts later is subtracted from the second in which it was counted', () => {
    const totals = createTotals({ targets: 2, workers: 1, apart: true });
    totals.ledger.plan(0, [3, 3]);
    totals.add(
      snapshotOf(0, 0, [
        tally({ started: 3, bytesSent: 300 }, { 200: 1 }),
        tally({ started: 2 }, { 200: 2 }),
      ]),
    );
    totals.add(
      snapshotOf(
        0,
        1,
        [tally({ started: -1, noSocket: 1, bytesSent: -80 }, { 200: 1 }), tally({ started: 1 }, { 200: 1 })],
        {
          retractions: { 0: { started: 1, bytesSent: 80 } },
        },
      ),
    );
    const report = summarizeRun(job, totals, end);
    expectBalancedLedger(report);
    expect(report.timeline.map(({ started, bytesSent }) => [started, bytesSent])).toEqual([
      [4, 220],
      [1, 0],
    ]);
  });

  test('the snapshots of several threads are summed by URL and in total', () => {
    const totals = createTotals({ targets: 2, workers: 2, apart: true });
    totals.ledger.plan(0, [3, 3]);
    totals.ledger.plan(1, [3, 3]);
    totals.add(
      snapshotOf(0, 0, [
        tally(
          { started: 3, bytesSent: 30, resent: 2, retryAfter: 1 },
          { 200: 2, 503: 1 },
          [1000, 2000, 3000],
        ),
        tally({ started: 1, timeoutResponse: 1, stopped: 2 }),
      ]),
    );
    const network = {};
    incrementCount(network, 'ECONNRESET', 2);
    totals.add(
      snapshotOf(1, 0, [
        tally({ started: 3 }, { 200: 1, 304: 2 }),
        tally({ started: 2, network, noSocket: 1, resent: 3 }),
      ]),
    );
    const report = summarizeRun(job, totals, end);
    expect(report.total.ledger).toEqual({
      planned: 12,
      started: 9,
      notStarted: { stopped: 2, aborted: 0, saturated: 0, noSocket: 1, undefinedVariable: 0, condition: 0 },
      success: 5,
      httpError: { 503: 1 },
      timeout: { connect: 0, tls: 0, response: 1 },
      network: { ECONNRESET: 2 },
      unexpected: {},
      protocol: {},
      abandoned: 0,
      resent: 5,
      retryAfter: 1,
    });
    expectBalancedLedger(report);
    expect(report.targets[0]?.statusCodes).toEqual({ 200: 3, 304: 2, 503: 1 });
    expect(report.targets[0]?.latency).toMatchObject({
      min: 1,
      p50: expect.closeTo(2, 1) as number,
      max: 3,
      mean: 2,
    });
    expect(report.targets[1]?.latency).toBeNull();
    expect(report.requestsPerSecond).toBe(4.5);
    expect(report.timeline).toHaveLength(1);
    expect(report.timeline[0]).toMatchObject({
      started: 9,
      success: 5,
      error: 1,
      timeoutError: 1,
      networkError: 2,
      connections: 4,
    });
  });

  test('a load generator that runs out of sockets is reported as overloaded', () => {
    const totals = createTotals({ targets: 2, workers: 1, apart: true });
    totals.add(snapshotOf(0, 0, [tally({ planned: 1, noSocket: 1 }), tally({})]));
    expect(summarizeRun(job, totals, end).generator.overloaded).toBe(true);
  });

  test.each([
    ['below 20 ms', 100, 19_000, false],
    ['above 20 ms', 100, 21_000, true],
    ['within a tenth of the interval between clients', 1, 45_000, false],
  ])(
    'for a scheduling lag %s, the "overloaded" flag of the load generator is $3',
    (_name, total, microseconds, overloaded) => {
      const totals = createTotals({ targets: 1, workers: 1, apart: true });
      const lag = Histogram.createRecorder();
      lag.record(microseconds);
      totals.add(snapshotOf(0, 0, [tally({})], { lag }));
      const { generator } = summarizeRun(jobOf([targetOf(80)], { total, duration: 500 }), totals, end);
      expect(generator.overloaded).toBe(overloaded);
    },
  );

  test('for a lost thread, started requests without a result count as abandoned, and the other planned requests as aborted', () => {
    const totals = createTotals({ targets: 1, workers: 2, apart: true });
    totals.ledger.plan(0, [10]);
    totals.ledger.plan(1, [10]);
    totals.add(snapshotOf(0, 0, [tally({ started: 6 }, { 200: 4 })]));
    totals.add(snapshotOf(1, 0, [tally({ started: 10 }, { 200: 10 })]));
    totals.close(0, 'aborted');
    const report = summarizeRun(job, totals, end);
    expect(report.total.ledger).toMatchObject({
      planned: 20,
      started: 16,
      success: 14,
      abandoned: 2,
      notStarted: { aborted: 4 },
    });
    expectBalancedLedger(report);
  });

  test('the timeline of a run of 1,500 seconds merges four seconds per entry without losing counts', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: false });
    for (let second = 0; second < 1500; second++)
      totals.add(snapshotOf(0, second, [tally({ started: 1 }, { 200: 1 }, [second])]));
    const { timeline } = summarizeRun(job, totals, end);
    expect(timeline).toHaveLength(375);
    expect(
      timeline.every(({ span, started, connections }) => span === 4 && started === 4 && connections === 2),
    ).toBe(true);
    expect(timeline.map(({ second }) => second).slice(0, 3)).toEqual([0, 4, 8]);
    expect(timeline[1]?.p99).toBe(0.007);
  });

  test('the timeline of each URL contains the counts and response times of the URL, even after entries are merged', () => {
    const totals = createTotals({ targets: 2, workers: 1, apart: false });
    for (let second = 0; second < 1500; second++) {
      const own = tally({ started: 1 }, { 200: 1 }, [1000]);
      totals.add(snapshotOf(0, second, [own, tally({ started: 2, timeoutConnect: 1 }, { 503: 1 }, [5000])]));
    }
    const { timeline, targets } = summarizeRun(job, totals, end);
    const [home, cart] = targets.map((target) => target.timeline);
    expect(home?.success).toEqual(timeline.map(({ success }) => success));
    expect(cart?.error).toEqual(timeline.map(({ error }) => error));
    expect(cart?.timeoutError).toEqual(timeline.map(({ timeoutError }) => timeoutError));
    expect(home?.p95.map((time) => Math.round(time ?? 0))).toEqual(timeline.map(() => 1));
    expect(cart?.p95.map((time) => Math.round(time ?? 0))).toEqual(timeline.map(() => 5));
  });

  test.each([1, 21])('the URLs of a run have no timelines if the number of URLs is %i', (count) => {
    const totals = createTotals({ targets: count, workers: 1, apart: false });
    const urls = Array.from({ length: count }, () => tally({ started: 1 }, { 200: 1 }));
    totals.add(snapshotOf(0, 0, urls));
    const many = jobOf(Array.from({ length: count }, () => targetOf(80)));
    expect(summarizeRun(many, totals, end).targets.map(({ timeline }) => timeline)).toEqual(
      urls.map(() => undefined),
    );
  });

  test('the timeline has an empty entry for each second without a snapshot', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: false });
    totals.add(snapshotOf(0, 2, [tally({ started: 1 })]));
    expect(
      summarizeRun(job, totals, end).timeline.map(({ second, started, p50 }) => [second, started, p50]),
    ).toEqual([
      [0, 0, null],
      [1, 0, null],
      [2, 1, null],
    ]);
  });

  test('the progress of a run contains the counts since its start and the request rate of the latest second', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: false });
    totals.add(snapshotOf(0, 0, [tally({ started: 5 }, { 200: 5 })]));
    totals.add(snapshotOf(0, 1, [tally({ started: 3 }, { 200: 2, 500: 1 }, [4000])]));
    expect(summarizeProgress(job, totals, 1, 1700)).toEqual({
      elapsed: 1700,
      warmingUp: false,
      connections: 1,
      success: 7,
      error: 1,
      timeoutError: 0,
      networkError: 0,
      requestsPerSecond: 3,
      p95: 4,
      targets: [8],
    });
  });

  test.each([
    [0, false],
    [1000, false],
    [1001, true],
    [5000, true],
  ])(
    'one second after the start of a run with a warm-up of %d ms, warmingUp is %j',
    (warmup, isWarmingUp) => {
      const totals = createTotals({ targets: 2, workers: 1, apart: true });
      const warming = { ...job, warmup: milliseconds(warmup) };
      expect(summarizeProgress(warming, totals, 0, 1000).warmingUp).toBe(isWarmingUp);
    },
  );

  test('a report has a warm-up only if the test has one, and states whether the warm-up was complete', () => {
    const totals = createTotals({ targets: 2, workers: 1, apart: true });
    const warmupOf = (warmup: number) =>
      summarizeRun({ ...job, warmup: milliseconds(warmup) }, totals, end).warmup;
    expect(warmupOf(0)).toBeNull();
    expect(warmupOf(1000)).toMatchObject({ seconds: 1, complete: true });
    expect(warmupOf(2000)).toMatchObject({ seconds: 2, complete: false });
  });

  test('error samples are sorted by count and do not contain the credentials of a URL', () => {
    const totals = createTotals({ targets: 2, workers: 1, apart: true });
    const protocol = {};
    incrementCount(protocol, 'truncated', 2);
    totals.add(
      snapshotOf(0, 0, [tally({ started: 3, timeoutTls: 1, protocol }), tally({ started: 5 }, { 404: 5 })]),
    );
    const report = summarizeRun(job, totals, end);
    expect(report.errorSamples).toEqual([
      { url: 'http://shop.test/cart', error: 'status 404', count: 5 },
      { url: 'http://shop.test:80/', error: 'protocol: truncated', count: 2 },
      { url: 'http://shop.test:80/', error: 'timed out during the TLS handshake', count: 1 },
    ]);
    expect(JSON.stringify(report)).not.toContain('secret');
  });
});

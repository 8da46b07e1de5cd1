import { describe, expect, test } from 'vitest';
import { GeneratorTotals } from '../../../../src/core/load/generator-totals.ts';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import type { LoadJob } from '../../../../src/core/load/load-job.ts';
import {
  addResponses,
  createIterationTally,
  incrementCount,
  createTally,
  type Tally,
} from '../../../../src/core/load/snapshot.ts';
import { RunTotals } from '../../../../src/core/load/run-totals.ts';
import { summarizeProgress, summarizeRun } from '../../../../src/core/load/run-summary.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { expectBalancedLedger, jobOf, targetOf } from '../../../support/test-engine.ts';
import { STALL_FREE_SECOND, TEST_GENERATOR, snapshotOf, createTotals } from '../../../support/snapshots.ts';

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

  test.each([
    ['reaches the maximum number of open requests', { saturated: 1 }, true],
    ['runs out of sockets', { noSocket: 1 }, true],
    ['does not start requests because of their conditions', { condition: 1 }, false],
  ])('if the load generator %s, its "overloaded" flag is $2', (_name, counts, overloaded) => {
    const totals = createTotals({ targets: 2, workers: 1, apart: true });
    totals.add(snapshotOf(0, 0, [tally({ planned: 1, ...counts }), tally({})]));
    expect(summarizeRun(job, totals, end).generator.overloaded).toBe(overloaded);
  });

  test('only the report on a run in progress counts requests in flight as abandoned and other planned requests as aborted', () => {
    const ledgersOf = (inProgress: boolean) => {
      const totals = new RunTotals({ ...job, warmup: milliseconds(1000) }, 1);
      for (const ledger of [totals.ledger, totals.warmup]) {
        ledger.plan(0, [20, 0]);
        ledger.add(0, [tally({ started: 9, stopped: 2, noSocket: 1, abandoned: 1 }, { 200: 3 }), tally({})]);
      }
      const { total, warmup } = summarizeRun({ ...job, warmup: milliseconds(1000) }, totals, {
        ...end,
        ...(inProgress ? { inProgress } : {}),
      });
      return [total.ledger, warmup?.ledger];
    };
    const reported = { planned: 20, started: 9, success: 3, abandoned: 1 };
    const notStarted = {
      stopped: 2,
      aborted: 0,
      saturated: 0,
      noSocket: 1,
      undefinedVariable: 0,
      condition: 0,
    };
    for (const ledger of ledgersOf(false)) expect(ledger).toMatchObject({ ...reported, notStarted });
    for (const ledger of ledgersOf(true)) {
      expect(ledger).toMatchObject({ ...reported, abandoned: 6, notStarted: { ...notStarted, aborted: 8 } });
    }
  });

  test('the report on a run in progress contains the service times', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    const own = tally({ started: 1 }, { 200: 1 }, [9000]);
    own.service?.record(2000);
    totals.add(snapshotOf(0, 0, [own]));
    const report = summarizeRun(job, totals, { ...end, inProgress: true });
    expect([report.total.latency?.max, report.total.serviceTime?.max]).toEqual([9, 2]);
  });

  test('a run without load or without responses has request rates of 0', () => {
    const totals = createTotals({ targets: 2, workers: 1, apart: true });
    const none = summarizeRun(job, totals, end);
    expect([none.connect, none.tls]).toEqual([null, null]);
    expect([none.requestsPerSecond, ...none.targets.map((target) => target.requestsPerSecond)]).toEqual([
      0, 0, 0,
    ]);
    totals.add(snapshotOf(0, 0, [tally({}, { 200: 5 }), tally({})]));
    const stopped = { ...end, elapsed: milliseconds(0), loaded: milliseconds(0) };
    expect(summarizeRun(job, totals, stopped).requestsPerSecond).toBe(0);
  });

  test('requests that the end of an open-model run cut off count as omitted, unless the run ended early', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    totals.add(snapshotOf(0, 0, [tally({ planned: 4, stopped: 3 })]));
    expect(summarizeRun(job, totals, end).total.omitted).toBe(3);
    expect(summarizeRun(job, totals, { ...end, abortReason: 'stopped' }).total.omitted).toBe(0);
  });

  test('responses that may be too slow because of the load generator decrease the lower bound of errors', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    totals.add(
      snapshotOf(0, 0, [tally({ started: 9, unexpected: { 'time uncertain': 2, time: 3 } }, { 200: 9 })]),
    );
    expect(summarizeRun(job, totals, end).bounds).toMatchObject({ error: { low: 3, high: 5 } });
  });

  test('the lower bounds of the durations of iterations are computed from the stall-free iterations of each flow', () => {
    const flows = ['a', 'b'].map((name) => ({ name, weight: 1, urls: 1 }));
    const flowJob: LoadJob = { ...job, testType: 'cycling', flows };
    const totals = new RunTotals(flowJob, 1);
    const iterations = [100, 50].map((ms) => {
      const iteration = { ...createIterationTally('record'), started: 1, completed: 1 };
      iteration.durations.record(1000 * ms);
      return iteration;
    });
    const tallies = [100, 50].map((ms) => tally({ service: null, started: 1 }, { 200: 1 }, [1000 * ms, 0]));
    totals.add(snapshotOf(0, 0, tallies, { iterations }));
    const report = summarizeRun(flowJob, totals, end);
    // Timer delays may be a tenth of a duration.
    expect(report.flows?.map(({ name, bounds }) => [name, bounds.iteration_max])).toEqual([
      ['a', { low: 90, high: 100 }],
      ['b', { low: 45, high: 50 }],
    ]);
  });

  test('the addresses of a report are sorted', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    const use = { connections: 1, requests: 1, failed: 0, tls: {} };
    const addresses = { '127.0.0.1:80': use, '[::1]:80': use, '10.0.0.1:80': use };
    totals.add(snapshotOf(0, 0, [tally({})], { addresses }));
    expect(summarizeRun(job, totals, end).addresses).toEqual(
      ['10.0.0.1:80', '127.0.0.1:80', '[::1]:80'].map((address) => ({ address, ...use })),
    );
  });

  test.each([
    ['below 20 ms', 100, 19_000, false],
    ['of 20 ms', 100, 20_000, false],
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

  test('requests of a lost thread that were abandoned or not started before the loss are not counted again', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    totals.ledger.plan(0, [10]);
    totals.add(snapshotOf(0, 0, [tally({ planned: 2, started: 6, stopped: 1, abandoned: 1 }, { 200: 3 })]));
    totals.close(0, 'aborted');
    expect(totals.ledger.targets[0]).toMatchObject({
      ...{ planned: 12, started: 6, abandoned: 3, stopped: 1, aborted: 5 },
    });
  });

  test('counts of another run or job are refused', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    const { ledger, generator } = totals;
    const anotherRun = snapshotOf(1, 0, [tally({})]);
    expect(() => generator.add(anotherRun)).toThrow('Bug: the snapshot belongs to a different run');
    expect(() => generator.stallFree.add(anotherRun)).toThrow('Bug: the snapshot belongs to a different run');
    const thread = { ...STALL_FREE_SECOND, maxTickDelay: 9000 };
    generator.stallFree.add(snapshotOf(0, 0, [tally({}), tally({})], { thread }));
    expect(() => generator.stallFree.close()).toThrow('Bug: the snapshot belongs to a different job');
    expect(() => ledger.plan(1, [1])).toThrow('Bug: the thread belongs to a different run');
    expect(() => ledger.plan(0, [])).toThrow('Bug: the planned requests belong to a different job');
    expect(() => ledger.add(0, [tally({}), tally({})])).toThrow('Bug: the tallies belong to a different job');
    expect(() => totals.add(snapshotOf(0, 0, [tally({})], { iterations: [] }))).toThrow(
      'Bug: the tallies belong to a different job',
    );
    expect(() => totals.add(snapshotOf(0, -1, [tally({})]))).toThrow(
      'Bug: the second precedes the start of the run',
    );
  });

  test('each count of a run may exceed 32 bits', () => {
    const totals = createTotals({ targets: 1, workers: 1, apart: true });
    const most = 2 ** 32 - 1;
    for (const second of [0, 1]) {
      const full = tally({});
      full.response.recordMany(most, 1);
      full.service?.recordMany(most, 2);
      totals.add(
        snapshotOf(0, second, [full], { connectionSetup: { connect: full.response, tls: full.response } }),
      );
    }
    const report = summarizeRun({ ...job, targets: job.targets.slice(0, 1) }, totals, end);
    const twice = { min: 1, max: 1, sum: 2 * most, counts: [[1, 2 * most]] };
    expect(report.total.latencyHistogram).toEqual(twice);
    expect(report.total.serviceTimeHistogram).toMatchObject({ counts: [[2, 2 * most]] });
    expect([report.connect?.histogram, report.tls?.histogram]).toEqual([twice, twice]);
    // The times of the sample iterations are the response times.
    expect(report.iterations?.times?.measured ?? twice).toEqual(twice);
    expect(totals.iterations[0]?.durations.toStored()).toEqual(twice);
  });

  test('only tests with a warm-up have counts of requests in the warm-up', () => {
    const targetsOf = (warmup: number) =>
      new RunTotals({ ...job, warmup: milliseconds(warmup) }, 1).warmup.targets.length;
    expect([0, 1000].map(targetsOf)).toEqual([0, 2]);
  });

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

  test('each of twenty URLs has a timeline', () => {
    const totals = createTotals({ targets: 20, workers: 1, apart: false });
    totals.add(
      snapshotOf(
        0,
        0,
        Array.from({ length: 20 }, () => tally({ started: 1 }, { 200: 1 })),
      ),
    );
    const many = jobOf(Array.from({ length: 20 }, () => targetOf(80)));
    expect(summarizeRun(many, totals, end).targets.map(({ timeline }) => timeline?.success)).toEqual(
      new Array(20).fill([1]),
    );
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

  test('credentials are removed only from the authority of a URL', () => {
    const urls = ['http://shop.test/?next=http://a:b@c/', 'HTTP://a:b@shop.test/@'];
    const many = jobOf(urls.map((url) => targetOf(80, { url })));
    const report = summarizeRun(many, createTotals({ targets: 2, workers: 1, apart: true }), end);
    expect(report.targets.map(({ url }) => url)).toEqual([urls[0], 'HTTP://shop.test/@']);
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

describe('clients that the load generator did not start', () => {
  /** Ten clients per second for twenty seconds. */
  const OPEN = jobOf([targetOf(80)], { testType: 'per-second', total: 10, duration: 20_000 });

  /** @param neverStarted - number of clients that did not start, by the second in which they were due */
  function worstWindow(neverStarted: Readonly<Record<number, number>>, warmup = 0) {
    const generator = new GeneratorTotals({ ...OPEN, warmup: milliseconds(warmup) }, 1);
    for (let second = 0; second < 20; second++) {
      const clients = neverStarted[second] ?? 0;
      const thread = { ...STALL_FREE_SECOND, neverStarted: clients > 0 ? { [second]: clients } : {} };
      generator.add(snapshotOf(0, second, [tally({})], { thread }));
    }
    const delivery = generator.delivery(20_000);
    return delivery.model === 'open' ? delivery.worstWindow : undefined;
  }

  test.each([
    ['no client is missing', {}, 0, null],
    ['clients of one second are missing', { 7: 5 }, 0, { second: 3, due: 50, neverStarted: 5 }],
    ['clients of two close seconds are missing', { 3: 4, 7: 5 }, 0, { second: 3, due: 50, neverStarted: 9 }],
    [
      'clients of two distant seconds are missing',
      { 3: 4, 8: 5 },
      0,
      { second: 4, due: 50, neverStarted: 5 },
    ],
    [
      'the missing clients are due shortly after the warm-up',
      { 7: 5 },
      6000,
      { second: 6, due: 50, neverStarted: 5 },
    ],
    [
      'the missing clients are due after the warm-up',
      { 6: 5 },
      6000,
      { second: 6, due: 50, neverStarted: 5 },
    ],
    ['the missing clients belong to the warm-up', { 5: 5 }, 6000, null],
    ['the window would end after the load', { 19: 5 }, 18_000, { second: 19, due: 10, neverStarted: 5 }],
  ])('the worst window of five seconds is correct if %s', (_name, neverStarted, warmup, expected) => {
    expect(worstWindow(neverStarted, warmup)).toEqual(expected);
  });

  test.each([
    ['two clients for ten seconds', { initial: 2, total: 2 }, 10_000, 1 - 5000 / 20_000],
    ['two clients after a warm-up', { initial: 2, total: 2, warmup: 4000 }, 10_000, 1 - 5000 / 12_000],
    ['two clients, one of which starts later', { initial: 0, total: 2 }, 10_000, 1 - 5000 / 15_000],
    ['three clients, one of which stops earlier', { initial: 3, total: 1 }, 10_000, 1 - 5000 / 25_000],
    ['a load that ends early', { initial: 2, total: 2 }, 4000, 1 - 5000 / 20_000],
    ['a load that ends after its iterations', { initial: 2, total: 2, iterations: 9 }, 4000, 1 - 5000 / 8000],
    ['iterations per client', { initial: 2, total: 2, iterationsPerClient: 9 }, 4000, 1 - 5000 / 8000],
    ['more missing than declared time', { initial: 2, total: 2, iterations: 9 }, 2000, 0],
    ['iterations without any time', { initial: 2, total: 2, iterations: 9 }, 0, 1],
  ])(
    'the held share of the load is computed from the declared time of %s',
    (_name, changes, loaded, share) => {
      const closed = jobOf([targetOf(80)], { testType: 'cycling', duration: 10_000, ...changes });
      const generator = new GeneratorTotals(closed, 1);
      const thread = { ...STALL_FREE_SECOND, missingClientMs: 5000 };
      generator.add(snapshotOf(0, 9, [createTally('record', false)], { thread }));
      expect(generator.delivery(loaded)).toEqual({ model: 'closed', heldShare: share });
    },
  );

  test('a thread without any snapshot has no utilization', () => {
    const generator = new GeneratorTotals(OPEN, 2);
    const busy = [0.5, 0.75].map((busy) => ({ ...STALL_FREE_SECOND, busy, maxTickDelay: 60, stalledMs: 7 }));
    busy.forEach((thread, second) => generator.add(snapshotOf(0, second, [tally({})], { thread })));
    generator.stallFree.close();
    expect([generator.maxBusyShare(), generator.maxStalledMs()]).toEqual([0.625, 14]);
    expect(generator.machine(TEST_GENERATOR)).toMatchObject({
      threadLoads: [
        { mean: 0.625, max: 0.75 },
        { mean: 0, max: 0 },
      ],
      ...{ seconds: 2, longestStall: 60 },
      stalledSeconds: [
        { tolerance: 2, seconds: 2 },
        { tolerance: 10, seconds: 2 },
        { tolerance: 50, seconds: 2 },
        { tolerance: 250, seconds: 0 },
      ],
    });
  });
});

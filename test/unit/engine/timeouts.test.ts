/** Requests without a response also count as latencies. All tests use a simulated clock. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

/** Every second request hangs. */
function hangEverySecond(): RawReply {
  let count = 0;
  return (_request, write) => {
    if (count++ % 2 === 0) write(responseText(200, ''));
  };
}

async function simulate(
  reply: RawReply,
  changes: JobChanges,
  paths: readonly string[] = ['/'],
): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  const targets = paths.map((path) => targetOf(shop.port, { path }));
  return await runInVirtualTime(jobOf(targets, changes), shop);
}

describe('a request that times out', () => {
  test.each(['per-second', 'cycling'] as const)(
    'the percentiles of a %s test include requests that time out',
    async (testType) => {
      const report = await simulate(hangEverySecond(), {
        testType,
        initial: 20,
        total: 20,
        duration: 4000,
        timeout: 1000,
      });
      const { ledger, latency, serviceTime } = report.total;
      expect(ledger.timeout.response).toBeGreaterThan(30);
      for (const times of [latency, serviceTime]) {
        expect(times?.p99).toBeGreaterThanOrEqual(1000);
        expect(times?.max).toBeGreaterThanOrEqual(1000);
        expect(times?.max).toBeLessThan(1100);
        expect(times?.min).toBeLessThan(50);
      }
      const slowSeconds = report.timeline.filter(({ timeoutError }) => timeoutError > 0);
      expect(slowSeconds.length).toBeGreaterThan(1);
      expect(slowSeconds.map(({ p99 }) => (p99 ?? 0) >= 1000)).toEqual(slowSeconds.map(() => true));
    },
  );

  // Histogram buckets are reported by their midpoint, which may be lower.
  test.each([3000, 5000, 10_000])(
    'the median response time of requests that time out is at least the timeout of %i ms, and less than 2 percent longer',
    async (timeout) => {
      const report = await simulate(() => undefined, {
        testType: 'per-second',
        total: 3,
        duration: 1000,
        timeout,
        threads: 1,
      });
      expect(report.total.ledger.timeout.response).toBe(3);
      expect(report.total.latency?.p50).toBeGreaterThanOrEqual(timeout);
      expect(report.total.latency?.p50).toBeLessThan(timeout * 1.02);
    },
  );

  test('the response time of an abandoned request is the time until its connection is closed', async () => {
    // The first two of three requests time out; the third one is abandoned at the end.
    let waited = 0;
    const report = await simulate(
      (_request, _write, socket) => {
        const at = virtualTimeOf();
        socket.once('close', () => (waited = virtualTimeOf() - at));
      },
      { testType: 'non-cycling', total: 1, duration: 1000, timeout: 600, threads: 1 },
      ['/', '/2', '/3'],
    );
    const third = report.targets[2];
    expect(third?.ledger).toMatchObject({ started: 1, abandoned: 1 });
    expect(waited).toBeGreaterThan(400);
    expect(waited).toBeLessThan(600);
    for (const times of [third?.latency, third?.serviceTime]) {
      expect(times?.min).toBeCloseTo(waited, 0);
      expect(times?.max).toBeCloseTo(waited, 0);
    }
  });
});

describe('requests in flight during a stall of the load generator', () => {
  const CLIENTS = 3;
  const STALL_MS = 3000;

  /** Stalls the generator for longer or shorter than the timeout of its requests. The target responds after 5 ms. */
  async function stall(timeout: number) {
    let requests = 0;
    const shop = await openRawTarget((_request, write) => {
      requests++;
      setTimeout(write, 5, responseText(200, ''));
    });
    const job = jobOf([targetOf(shop.port)], {
      testType: 'cycling',
      initial: CLIENTS,
      total: CLIENTS,
      duration: 6000,
      timeout,
    });
    const report = await runInVirtualTime(job, shop, { stall: { at: 1000, lasting: STALL_MS } });
    return { requests, ledger: report.total.ledger, bounds: report.bounds };
  }

  test('requests in flight during a stall of the load generator succeed if the stall is shorter than the timeout', async () => {
    const { requests, ledger } = await stall(STALL_MS * 2);
    expect(ledger).toMatchObject({ success: requests, started: requests, timeout: { response: 0 } });
  });

  test('requests in flight during a stall of the load generator count as uncertain timeouts if the stall exceeds the timeout', async () => {
    const { requests, ledger, bounds } = await stall(STALL_MS / 2);
    expect(ledger).toMatchObject({
      success: requests - CLIENTS,
      started: requests,
      timeout: { response: CLIENTS },
      abandoned: 0,
    });
    expect(bounds.error_rate?.low).toBe(0);
    expect(bounds.error_rate?.high).toBeCloseTo((100 * CLIENTS) / requests, 6);
    expect(bounds.timeout_error?.low).toBe(0);
  });
});

describe('an unresponsive target', () => {
  /** Responds after 5 ms, except during an outage. */
  const outageBetween =
    (from: number, to: number, outageReply: RawReply): RawReply =>
    (request, write, socket) => {
      const at = virtualTimeOf();
      if (at >= from && at < to) outageReply(request, write, socket);
      else setTimeout(write, 5, responseText(200, ''));
    };
  const hangs: RawReply = () => undefined;
  /** Stalls, and responds to all pending requests afterward. */
  const stallUntil =
    (to: number): RawReply =>
    (_request, write) => {
      setTimeout(write, to - virtualTimeOf(), responseText(200, ''));
    };
  const closed = { testType: 'cycling', initial: 4, total: 4, duration: 8000, timeout: 2000 } as const;

  test.each<readonly [name: string, outageReply: RawReply]>([
    ['hangs', hangs],
    ['stalls', stallUntil(7000)],
  ])(
    'a closed test reports an outage of six seconds and the omitted requests if the target %s',
    async (_name, outageReply) => {
      const report = await simulate(outageBetween(1000, 7000, outageReply), {
        ...closed,
        timeout: outageReply === hangs ? 2000 : 10_000,
      });
      const { ledger, latency, omitted } = report.total;
      expect(report.outage.spans).toBe(1);
      expect(Math.abs(report.outage.seconds - 6)).toBeLessThanOrEqual(0.3);
      // Four clients send 800 requests per second.
      const total = ledger.success + omitted;
      expect(omitted).toBeGreaterThan(0.55 * total);
      expect(omitted).toBeLessThan(0.8 * total);
      expect(latency?.p50).toBeGreaterThan(500);
      expect(latency?.min).toBeLessThanOrEqual(10);
      // The ledger contains only requests that were sent.
      expect(ledger.planned).toBe(ledger.started);
    },
  );

  test('omitted requests are divided evenly among the URLs', async () => {
    const report = await simulate(outageBetween(1000, 4000, hangs), { ...closed, duration: 4500 }, [
      '/',
      '/2',
      '/3',
    ]);
    const omitted = report.targets.map((target) => target.omitted);
    expect(omitted.reduce((sum, count) => sum + count)).toBe(report.total.omitted);
    expect(Math.max(...omitted) - Math.min(...omitted)).toBeLessThanOrEqual(1);
    for (const { latencyHistogram, ledger, omitted: ownOmitted } of report.targets) {
      const recorded = latencyHistogram?.counts.reduce((sum, [, count]) => sum + count, 0);
      expect(recorded).toBe(ledger.success + ledger.timeout.response + ledger.abandoned + ownOmitted);
    }
  });

  test('response times of 1.5 s are not reported as an outage', async () => {
    const slow: RawReply = (_request, write) => {
      setTimeout(write, 1500, responseText(200, ''));
    };
    for (const clients of [1, 10]) {
      const report = await simulate(slow, { ...closed, initial: clients, total: clients, duration: 9000 });
      expect(report.outage).toEqual({ spans: 0, seconds: 0, periods: [] });
      expect(report.total.omitted).toBe(0);
    }
  });

  test('a stall of the load generator is not reported as an outage', async () => {
    const shop = await openRawTarget(outageBetween(0, 0, hangs));
    const job = jobOf([targetOf(shop.port)], { ...closed, timeout: 10_000 });
    const report = await runInVirtualTime(job, shop, { stall: { at: 1000, lasting: 5000 } });
    expect(report.outage).toEqual({ spans: 0, seconds: 0, periods: [] });
    expect(report.total.omitted).toBe(0);
  });

  test('requests that cannot be sent are not reported as an outage', async () => {
    const shop = await openRawTarget(hangs);
    const job = jobOf(
      [targetOf(shop.port, { path: '/{{id}}', variables: [{ name: 'id', header: 'x' }] })],
      closed,
    );
    const report = await runInVirtualTime(job, shop);
    expect(report.outage.spans).toBe(0);
    expect(report.total.ledger.started).toBe(0);
  });

  test('in an open test, an outage causes timeouts, but no omitted requests', async () => {
    const report = await simulate(outageBetween(1000, 5000, hangs), {
      testType: 'per-second',
      total: 10,
      duration: 8000,
      timeout: 1500,
    });
    expect(report.outage.spans).toBe(1);
    expect(Math.abs(report.outage.seconds - 4)).toBeLessThanOrEqual(0.3);
    expect(report.total.omitted).toBe(0);
    expect(report.total.ledger.timeout.response).toBe(40);
  });

  test('an open test counts the remaining requests of abandoned iterations as omitted', async () => {
    const slow: RawReply = (_request, write) => {
      setTimeout(write, 3000, responseText(200, ''));
    };
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    const report = await simulate(slow, { total: 50, duration: 5000, timeout: 4000 }, paths);
    const { ledger, omitted, latency } = report.total;
    expect(ledger).toMatchObject({ planned: 250, httpError: {}, timeout: { response: 0 } });
    expect(omitted).toBe(ledger.notStarted.stopped);
    expect(omitted).toBeGreaterThan(100);
    expect(ledger.success + ledger.abandoned + omitted).toBe(250);
    expect(latency?.max).toBeGreaterThanOrEqual(3000);
  });

  test('a stopped run has no omitted requests', async () => {
    const shop = await openRawTarget(hangs);
    const job = jobOf(
      ['/1', '/2'].map((path) => targetOf(shop.port, { path })),
      { total: 20, duration: 5000, timeout: 1000 },
    );
    const report = await runInVirtualTime(job, shop, { stop: { at: 3000, reason: 'stopped' } });
    expect(report.total.omitted).toBe(0);
  });
});

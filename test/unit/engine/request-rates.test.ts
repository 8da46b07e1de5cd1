/** Request rates per second and in total, on a simulated clock. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges, textBody } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, type VirtualRunEvents } from '../../support/virtual-run.ts';

async function simulate(
  reply: RawReply,
  changes: JobChanges,
  events: VirtualRunEvents = {},
): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  return await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, events);
}

/** Responds after 10 ms, but to the last `slowCount` requests after `slowMs` ms. */
function slowAtTheEnd(requests: number, slowCount: number, slowMs: number): RawReply {
  let count = 0;
  return (_request, write) => {
    setTimeout(write, count++ < requests - slowCount ? 10 : slowMs, responseText(200, ''));
  };
}

const after =
  (delay: number): RawReply =>
  (_request, write) => {
    setTimeout(write, delay, responseText(200, ''));
  };

describe('requests per second', () => {
  test.each(['per-second', 'non-cycling'] as const)(
    'the request rate of a %s test is measured over the load phase, even if the last responses arrive later',
    async (testType) => {
      const report = await simulate(slowAtTheEnd(100, 2, 1200), { testType, total: 100, duration: 1000 });
      expect(report.elapsed).toBeGreaterThan(2000);
      expect(report.total.ledger.success).toBe(100);
      expect(report.requestsPerSecond).toBe(100);
      expect(report.bounds.requests_per_second).toEqual({ low: 100, high: 100 });
    },
  );

  // Ten clients with responses after 600 ms send 16.7 requests per second, regardless of the end of the test.
  test.each([1000, 1199, 1300])(
    'the request rate of a cycling test of %i ms is the rate at which its clients send requests',
    async (duration) => {
      const changes = { testType: 'cycling' as const, initial: 10, total: 10, duration };
      const report = await simulate(after(600), changes);
      expect(report.total.ledger.success).toBe(10 * Math.ceil(duration / 600));
      // Clients start at the first tick and continue immediately.
      expect(report.requestsPerSecond).toBeCloseTo(10 / 0.6, 0);
    },
  );

  test('if all responses arrive after the end of the test, the request rate is measured until they arrive', async () => {
    const changes = { testType: 'cycling' as const, initial: 10, total: 10, duration: 1000, timeout: 20_000 };
    const report = await simulate(after(10_000), changes);
    expect(report.total.ledger.success).toBe(10);
    expect(report.requestsPerSecond).toBeCloseTo(1, 1);
  });

  test('if all requests time out after the end of the test, the request rate is measured until they time out', async () => {
    const changes = { testType: 'cycling' as const, initial: 10, total: 10, duration: 1000, timeout: 4000 };
    const report = await simulate(() => undefined, changes);
    expect(report.total.ledger.timeout.response).toBe(10);
    expect(report.requestsPerSecond).toBeCloseTo(2.5, 0);
  });

  test('the request rate of a stopped run is measured until the stop', async () => {
    const changes = { testType: 'per-second' as const, total: 100, duration: 10_000 };
    const stop = { at: 500, reason: 'stopped' as const };
    const report = await simulate(after(300), changes, { stop });
    expect(report.total.ledger.success).toBeGreaterThanOrEqual(50);
    expect(report.requestsPerSecond).toBeCloseTo(100, -1);
  });
});

describe('a second of the timeline', () => {
  test('bytes that were counted but never sent are subtracted, and no second of the timeline has a negative count', async () => {
    const shop = await openRawTarget(after(10));
    // This server does not read the body, which exceeds all socket buffers.
    const nonReading = createServer({ pauseOnConnect: true });
    nonReading.listen(0, '127.0.0.1');
    await once(nonReading, 'listening');
    onTestFinished(() => {
      nonReading.close();
    });
    const { port } = nonReading.address() as AddressInfo; // it listens on TCP
    const text = 'x'.repeat(16 * 1024 * 1024);
    const body = textBody(text);
    const job = jobOf([targetOf(shop.port), targetOf(port, { method: 'POST', body })], {
      testType: 'per-second',
      total: 1,
      duration: 1000,
      timeout: 1500,
      threads: 1,
    });
    const report = await runInVirtualTime(job, shop);
    expect(report.total.ledger.timeout.response).toBe(1);
    expect(report.total.bytesSent).toBeLessThan(text.length);
    expect(report.timeline.map(({ bytesSent }) => bytesSent >= 0)).toEqual(report.timeline.map(() => true));
  });
});

describe('the timer of an open test', () => {
  test.each([100, 333, 2000])(
    'at %i requests per second, the timer interval does not increase the response times of a target without delay',
    async (total) => {
      const report = await simulate((_request, write) => write(responseText(200, '')), {
        testType: 'per-second',
        total,
        duration: 1000,
        threads: 2,
      });
      expect(report.total.latency?.max).toBe(0);
      expect(report.total.serviceTime?.max).toBe(0);
    },
  );
});

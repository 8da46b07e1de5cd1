/** Rates, second by second and in all: on a clock that is never late. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, type VirtualRunEvents } from '../../support/virtual-run.ts';

async function play(
  reply: RawReply,
  changes: JobChanges,
  meanwhile: VirtualRunEvents = {},
): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  return await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, meanwhile);
}

/** Answers after 10 ms, but to the last so many of a number of requests only after `late` ms. */
function lateAtTheEnd(requests: number, slow: number, late: number): RawReply {
  let count = 0;
  return (_request, write) => {
    setTimeout(write, count++ < requests - slow ? 10 : late, responseText(200, ''));
  };
}

const after =
  (delay: number): RawReply =>
  (_request, write) => {
    setTimeout(write, delay, responseText(200, ''));
  };

describe('requests per second', () => {
  test.each(['per-second', 'non-cycling'] as const)(
    'are those of the time in which load was made, however long the last answers take: %s',
    async (testType) => {
      const report = await play(lateAtTheEnd(100, 2, 1200), { testType, total: 100, duration: 1000 });
      expect(report.elapsed).toBeGreaterThan(2000);
      expect(report.total.ledger.success).toBe(100);
      expect(report.requestsPerSecond).toBe(100);
      expect(report.bounds.requests_per_second).toEqual({ low: 100, high: 100 });
    },
  );

  // Ten clients of which each gets an answer every 600 ms make 16.7 a second, whenever the test ends.
  test.each([1000, 1199, 1300])(
    'of a cycling test of %i ms are the pace of its clients',
    async (duration) => {
      const ten = { testType: 'cycling' as const, initial: 10, total: 10, duration };
      const report = await play(after(600), ten);
      expect(report.total.ledger.success).toBe(10 * Math.ceil(duration / 600));
      // Clients start at the first tick, and go on at once.
      expect(report.requestsPerSecond).toBeCloseTo(10 / 0.6, 0);
    },
  );

  test('are not made more by answers that take longer than the test', async () => {
    const two = { testType: 'cycling' as const, initial: 10, total: 10, duration: 1000, timeout: 20_000 };
    const report = await play(after(10_000), two);
    expect(report.total.ledger.success).toBe(10);
    expect(report.requestsPerSecond).toBeCloseTo(1, 1);
  });

  test('nor by requests that were given up when the test was over', async () => {
    const two = { testType: 'cycling' as const, initial: 10, total: 10, duration: 1000, timeout: 4000 };
    const report = await play(() => undefined, two);
    expect(report.total.ledger.timeout.response).toBe(10);
    expect(report.requestsPerSecond).toBeCloseTo(2.5, 0);
  });

  test('of a run that is stopped are those of the time until then', async () => {
    const changes = { testType: 'per-second' as const, total: 100, duration: 10_000 };
    const stop = { at: 500, reason: 'stopped' as const };
    const report = await play(after(300), changes, { stop });
    expect(report.total.ledger.success).toBeGreaterThanOrEqual(50);
    expect(report.requestsPerSecond).toBeCloseTo(100, -1);
  });
});

describe('a second of the series', () => {
  test('keeps what it has sent: what did not leave in the end is taken from the second that had counted it', async () => {
    const shop = await openRawTarget(after(10));
    // It reads nothing of a body that no buffer of the system holds.
    const unread = createServer({ pauseOnConnect: true });
    unread.listen(0, '127.0.0.1');
    await once(unread, 'listening');
    onTestFinished(() => {
      unread.close();
    });
    const { port } = unread.address() as AddressInfo; // it listens on TCP
    const body = 'x'.repeat(16 * 1024 * 1024);
    const job = jobOf([targetOf(shop.port), targetOf(port, { method: 'POST', body })], {
      ...{ testType: 'per-second', total: 1, duration: 1000, timeout: 1500, threads: 1 },
    });
    const report = await runInVirtualTime(job, shop);
    expect(report.total.ledger.timeout.response).toBe(1);
    expect(report.total.bytesSent).toBeLessThan(body.length);
    expect(report.timeline.map(({ bytesSent }) => bytesSent >= 0)).toEqual(report.timeline.map(() => true));
  });
});

describe('the tick of an open test', () => {
  test.each([100, 333, 2000])(
    'adds nothing to the times of a target that answers at once: %i/s',
    async (total) => {
      const report = await play(
        (_request, write) => {
          write(responseText(200, ''));
        },
        {
          ...{ testType: 'per-second', total, duration: 2000, threads: 2 },
        },
      );
      expect(report.total.latency?.max).toBe(0);
      expect(report.total.serviceTime?.max).toBe(0);
    },
  );
});

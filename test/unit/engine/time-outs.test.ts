/** Requests without an answer are latencies too: on a clock that is never late. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../../src/core/load/report.ts';
import { jobOf, targetOf, type JobChanges } from '../../rig/engine.ts';
import { answer, openRawTarget, type Reply } from '../../rig/raw-target.ts';
import { runInVirtualTime } from '../../rig/virtual-run.ts';

/** Every second request hangs. */
function everySecond(): Reply {
  let count = 0;
  return (_request, write) => {
    if (count++ % 2 === 0) write(answer(200, ''));
  };
}

async function play(reply: Reply, changes: JobChanges, paths: readonly string[] = ['/']): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  const targets = paths.map((path) => targetOf(shop.port, { path }));
  return await runInVirtualTime(jobOf(targets, changes), shop);
}

describe('a request that is timed out', () => {
  test.each(['per-second', 'cycling'] as const)(
    '%s: stands in the percentiles with its time',
    async (testType) => {
      const report = await play(everySecond(), {
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
      const slow = report.timeline.filter(({ timeoutError }) => timeoutError > 0);
      expect(slow.length).toBeGreaterThan(1);
      expect(slow.map(({ p99 }) => (p99 ?? 0) >= 1000)).toEqual(slow.map(() => true));
    },
  );

  // Buckets of the histogram are told by their middle, which may lie below.
  test.each([3000, 5000, 10_000])('is never told as less than the time-out of %i ms', async (timeout) => {
    const report = await play(() => undefined, {
      testType: 'per-second',
      total: 3,
      duration: 1000,
      timeout,
      threads: 1,
    });
    expect(report.total.ledger.timeout.response).toBe(3);
    expect(report.total.latency?.p50).toBeGreaterThanOrEqual(timeout);
    expect(report.total.latency?.p50).toBeLessThan(timeout * 1.02);
  });

  test('and one that is abandoned stands there with its age', async () => {
    // The first of three requests hangs until its time is over; the second one is cut off at the end.
    const report = await play(
      () => undefined,
      { testType: 'non-cycling', total: 10, duration: 1000, timeout: 600, threads: 1 },
      ['/', '/2', '/3'],
    );
    const second = report.targets[1];
    expect(second?.ledger.abandoned).toBeGreaterThan(0);
    expect(second?.latency?.max).toBeGreaterThan(50);
  });
});

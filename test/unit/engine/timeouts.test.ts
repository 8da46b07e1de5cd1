/** Requests without an answer are latencies too: on a clock that is never late. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

/** Every second request hangs. */
function everySecond(): RawReply {
  let count = 0;
  return (_request, write) => {
    if (count++ % 2 === 0) write(responseText(200, ''));
  };
}

async function play(
  reply: RawReply,
  changes: JobChanges,
  paths: readonly string[] = ['/'],
): Promise<RunReport> {
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

describe('a target without an answer', () => {
  /** Answers after 5 ms, but for a while. */
  const deadFrom =
    (from: number, to: number, dead: RawReply): RawReply =>
    (request, write, socket) => {
      const at = virtualTimeOf();
      if (at >= from && at < to) dead(request, write, socket);
      else setTimeout(write, 5, responseText(200, ''));
    };
  const hangs: RawReply = () => undefined;
  /** It stops, and goes on with what came meanwhile. */
  const stopsUntil =
    (to: number): RawReply =>
    (_request, write) => {
      setTimeout(write, to - virtualTimeOf(), responseText(200, ''));
    };
  const closed = { testType: 'cycling', initial: 10, total: 10, duration: 8000, timeout: 2000 } as const;

  test.each<readonly [name: string, dead: RawReply]>([
    ['hangs', hangs],
    ['stops', stopsUntil(7000)],
  ])('for six seconds of eight in a closed test: %s', async (_name, dead) => {
    const report = await play(deadFrom(1000, 7000, dead), {
      ...closed,
      timeout: dead === hangs ? 2000 : 10_000,
    });
    const { ledger, latency, omitted } = report.total;
    expect(report.outage.spans).toBe(1);
    expect(Math.abs(report.outage.seconds - 6)).toBeLessThanOrEqual(0.3);
    // Ten clients make 2,000 requests a second.
    const made = ledger.success + omitted;
    expect(omitted).toBeGreaterThan(0.55 * made);
    expect(omitted).toBeLessThan(0.8 * made);
    expect(latency?.p50).toBeGreaterThan(500);
    expect(latency?.min).toBeLessThanOrEqual(10);
    // The ledger holds what was done.
    expect(ledger.planned).toBe(ledger.started);
  });

  test('what was missed is shared by the URLs', async () => {
    const report = await play(deadFrom(1000, 4000, hangs), { ...closed, duration: 4500 }, ['/', '/2', '/3']);
    const omitted = report.targets.map((target) => target.omitted);
    expect(omitted.reduce((sum, one) => sum + one)).toBe(report.total.omitted);
    expect(Math.max(...omitted) - Math.min(...omitted)).toBeLessThanOrEqual(1);
    for (const { latencyHistogram, ledger, omitted: own } of report.targets) {
      const recorded = latencyHistogram?.counts.reduce((sum, [, count]) => sum + count, 0);
      expect(recorded).toBe(ledger.success + ledger.timeout.response + ledger.abandoned + own);
    }
  });

  test('is none where it is only slow', async () => {
    const slow: RawReply = (_request, write) => {
      setTimeout(write, 1500, responseText(200, ''));
    };
    for (const clients of [1, 10]) {
      const report = await play(slow, { ...closed, initial: clients, total: clients, duration: 9000 });
      expect(report.outage).toEqual({ spans: 0, seconds: 0 });
      expect(report.total.omitted).toBe(0);
    }
  });

  test('nor where this machine stood still', async () => {
    const shop = await openRawTarget(deadFrom(0, 0, hangs));
    const job = jobOf([targetOf(shop.port)], { ...closed, timeout: 10_000 });
    const report = await runInVirtualTime(job, shop, { stall: { at: 1000, lasting: 5000 } });
    expect(report.outage).toEqual({ spans: 0, seconds: 0 });
    expect(report.total.omitted).toBe(0);
  });

  test('nor where nothing could be asked', async () => {
    const shop = await openRawTarget(hangs);
    const job = jobOf(
      [targetOf(shop.port, { path: '/{{id}}', variables: [{ name: 'id', header: 'x' }] })],
      closed,
    );
    const report = await runInVirtualTime(job, shop);
    expect(report.outage.spans).toBe(0);
    expect(report.total.ledger.started).toBe(0);
  });

  test('in an open test is told, and costs nothing that was not made', async () => {
    const report = await play(deadFrom(1000, 5000, hangs), {
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

  test('an open test whose passes are cut off at the end has missed the rest of them', async () => {
    const slow: RawReply = (_request, write) => {
      setTimeout(write, 3000, responseText(200, ''));
    };
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    const report = await play(slow, { total: 50, duration: 5000, timeout: 4000 }, paths);
    const { ledger, omitted, latency } = report.total;
    expect(ledger).toMatchObject({ planned: 250, httpError: {}, timeout: { response: 0 } });
    expect(omitted).toBe(ledger.notStarted.stopped);
    expect(omitted).toBeGreaterThan(100);
    expect(ledger.success + ledger.abandoned + omitted).toBe(250);
    expect(latency?.max).toBeGreaterThanOrEqual(3000);
  });

  test('a run that was stopped has missed nothing', async () => {
    const shop = await openRawTarget(hangs);
    const job = jobOf(
      ['/1', '/2'].map((path) => targetOf(shop.port, { path })),
      { total: 50, duration: 5000, timeout: 1000 },
    );
    const report = await runInVirtualTime(job, shop, { stop: { at: 3000, reason: 'stopped' } });
    expect(report.total.omitted).toBe(0);
  });
});

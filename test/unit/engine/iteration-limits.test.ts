/** Fixed numbers of iterations, and their pace, verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flow } from '../../../src/core/model/flow.ts';
import { countRequests } from '../../../src/core/model/iteration.ts';
import { iterationsOfRun, requestsOf } from '../../../src/core/model/peak-load.ts';
import { rampsOf } from '../../../src/core/model/ramps.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { openRawTarget, responseText, type RawReply } from '../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

const after =
  (ms: number): RawReply =>
  (_request, write) => {
    setTimeout(write, ms, responseText(200, ''));
  };

const CLOSED: JobChanges = { testType: 'cycling', initial: 4, total: 4, duration: 60_000, threads: 1 };

/** Simulates a test of `/0`, `/1`, …, whose last request has a delay. */
async function simulate(
  changes: JobChanges,
  { urls = 1, reply = after(20), delayMs = 0 }: { urls?: number; reply?: RawReply; delayMs?: number } = {},
) {
  const shop = await openRawTarget(reply);
  const delay = delayMs === 0 ? null : { min: milliseconds(delayMs), max: milliseconds(delayMs) };
  const targets = Array.from({ length: urls }, (_, index) =>
    targetOf(shop.port, { path: `/${index}`, delay: index === urls - 1 ? delay : null }),
  );
  const job = jobOf(targets, { ...CLOSED, ...changes });
  const report = await runInVirtualTime(job, shop);
  const requests = shop.requests.map(({ connection, path, at }) => ({
    connection,
    path,
    at: virtualTimeOf(at),
  }));
  return { job, report, shop, requests };
}

const FLOWS: readonly Flow[] = [
  { name: 'long', weight: 2, urls: 2 },
  { name: 'short', weight: 3, urls: 1 },
];

describe('a fixed number of iterations', () => {
  test('a run ends when its shared iterations are completed, and its request rate is measured over the elapsed time', async () => {
    const { report, shop } = await simulate({ iterations: 100 }, { urls: 2 });
    expect(shop.requests).toHaveLength(200);
    expect(report.total.ledger).toMatchObject({ planned: 200, started: 200, success: 200, abandoned: 0 });
    // 4 connections perform 25 iterations of 40 ms each; a tick of the closed model is 10 ms.
    expect(report.elapsed).toBeGreaterThanOrEqual(1000);
    expect(report.elapsed).toBeLessThanOrEqual(1020);
    expect(report.requestsPerSecond).toBeGreaterThan(190);
    expect(report.abortReason).toBeNull();
    expect(report.outage.spans).toBe(0);
    expect(report.delivery).toMatchObject({ model: 'closed', heldShare: 1 });
  });

  test('each connection performs the declared number of iterations', async () => {
    const { requests } = await simulate({ iterationsPerClient: 7, initial: 1, total: 4, duration: 1000 });
    const counts = new Map<number, number>();
    for (const { connection } of requests) counts.set(connection, (counts.get(connection) ?? 0) + 1);
    expect([...counts.values()]).toEqual([7, 7, 7, 7]);
  });

  test('in a test with stages, connections that start one after another perform all declared iterations', async () => {
    const stages = [
      { duration: milliseconds(1000), to: 4 },
      { duration: milliseconds(30_000), to: 4 },
    ];
    const ramped = { initial: 1, total: 4, duration: 31_000, ramps: rampsOf('connections', 1, stages) };
    for (const threads of [1, 3]) {
      const own = await simulate({ ...ramped, threads, iterationsPerClient: 60 });
      const counts = new Map<number, number>();
      for (const { connection } of own.requests) counts.set(connection, (counts.get(connection) ?? 0) + 1);
      expect([...counts.values()]).toEqual([60, 60, 60, 60]);
      // 60 iterations of 20 ms each, after the last connection started.
      expect(own.report.elapsed).toBeLessThan(3000);
      expect((await simulate({ ...ramped, threads, iterations: 100 })).requests).toHaveLength(100);
    }
  });

  test('a run ends after its duration even if iterations remain', async () => {
    const { report, requests } = await simulate({ iterations: 1000, duration: 2000 });
    expect(report.elapsed).toBeLessThan(2100);
    expect(requests.length).toBeLessThanOrEqual(404);
    expect(requests.length).toBeGreaterThanOrEqual(396);
  });

  test('a run with a fixed number of iterations does not wait for the delay after its last iterations', async () => {
    const { report, requests } = await simulate({ iterations: 8 }, { delayMs: 5000 });
    expect(requests).toHaveLength(8);
    expect(report.elapsed).toBeLessThan(5200);
  });

  test('if a run has fewer iterations than connections, the remaining connections are not opened', async () => {
    const { shop, requests } = await simulate({ iterations: 3, initial: 10, total: 10, threads: 2 });
    expect(requests).toHaveLength(3);
    expect(shop.connections()).toBe(3);
  });

  test('with a fixed number of iterations, each URL receives exactly the planned number of requests on any number of threads', async () => {
    const anyJob = fc.record({
      threads: fc.integer({ min: 1, max: 5 }),
      clients: fc.integer({ min: 1, max: 9 }),
      count: fc.integer({ min: 1, max: 40 }),
      isShared: fc.boolean(),
      hasFlows: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyJob, async ({ threads, clients, count, isShared, hasFlows }) => {
        const limit = isShared ? { iterations: count } : { iterationsPerClient: count };
        const flows = hasFlows ? FLOWS : null;
        const { job, report, requests } = await simulate(
          { ...limit, threads, initial: clients, total: clients, flows },
          { urls: 3, reply: after(10) },
        );
        const iterations = isShared ? count : count * clients;
        expect(iterationsOfRun(job)).toBe(iterations);
        const expected = countRequests(job, { first: 0, stride: 1, clients: iterations });
        const received = ['/0', '/1', '/2'].map((url) => requests.filter(({ path }) => path === url).length);
        expect(received).toEqual(expected);
        expect(requestsOf(job)).toBe(requests.length);
        expect(report.targets.map(({ ledger }) => ledger.success)).toEqual(expected);
      }),
      { numRuns: scaleCount(20) },
    );
  });
});

describe('the pace of iterations', () => {
  test.each([1, 3])(
    'with a pace of 100 ms and a thread count of %i, each connection starts an iteration exactly every 100 ms',
    async (threads) => {
      const { requests } = await simulate({ pace: 100, duration: 1000, threads, initial: 3, total: 3 });
      const starts = new Map<number, number[]>();
      for (const { connection, at } of requests)
        starts.set(connection, [...(starts.get(connection) ?? []), at]);
      expect(starts.size).toBe(3);
      for (const times of starts.values()) {
        expect(times).toHaveLength(10);
        const [first = 0] = times;
        expect(times.map((at) => at - first)).toEqual(Array.from({ length: 10 }, (_, index) => 100 * index));
      }
    },
  );

  test('a connection whose iteration exceeds the pace starts its next iteration immediately', async () => {
    const { requests } = await simulate(
      { pace: 100, initial: 1, total: 1, iterations: 4 },
      { reply: after(250) },
    );
    const [first = 0] = requests.map(({ at }) => at);
    expect(requests.map(({ at }) => at - first)).toEqual([0, 250, 500, 750]);
  });

  test('the pace includes the delays of an iteration', async () => {
    const { requests } = await simulate(
      { pace: 200, initial: 1, total: 1, iterations: 4 },
      { urls: 2, delayMs: 50 },
    );
    const starts = requests.filter(({ path }) => path === '/0').map(({ at }) => at);
    expect(starts.map((at) => at - (starts[0] ?? 0))).toEqual([0, 200, 400, 600]);
  });
});

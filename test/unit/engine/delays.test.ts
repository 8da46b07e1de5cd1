/** Delays (think time) verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Delay } from '../../../src/core/model/delay.ts';
import { clientsOfRate, extentOf, rampsOf } from '../../../src/core/model/ramps.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';
import { scaleCount } from '../../support/test-scale.ts';

const after =
  (responseMs: number): RawReply =>
  (_request, write) => {
    if (responseMs === 0) write(responseText(200, ''));
    else setTimeout(write, responseMs, responseText(200, ''));
  };

type DelaySpec = number | readonly [number, number] | null;

function delay(spec: DelaySpec): Delay | null {
  if (spec === null) return null;
  const [min, max] = typeof spec === 'number' ? [spec, spec] : spec;
  return { min: milliseconds(min), max: milliseconds(max) };
}

interface SimulatedRun {
  readonly report: RunReport;
  readonly shop: RawTarget;
  /** Requests of each connection, with path and ms from the start of the run. */
  readonly iterations: readonly (readonly (readonly [path: string, at: number])[])[];
}

/** Simulates a test of `/0`, `/1`, …, with a delay after each. */
async function simulate(
  reply: RawReply,
  delays: readonly DelaySpec[],
  changes: JobChanges,
  events: VirtualRunEvents = {},
): Promise<SimulatedRun> {
  const shop = await openRawTarget(reply);
  const targets = delays.map((spec, index) => targetOf(shop.port, { path: `/${index}`, delay: delay(spec) }));
  const report = await runInVirtualTime(jobOf(targets, changes), shop, events);
  const iterations = new Map<number, [string, number][]>();
  for (const { connection, path, at } of shop.requests) {
    const request: [string, number] = [path, virtualTimeOf(at)];
    iterations.set(connection, [...(iterations.get(connection) ?? []), request]);
  }
  return { report, shop, iterations: [...iterations.values()] };
}

const threads = fc.integer({ min: 1, max: 5 });

describe('delays in the open models', () => {
  test('in the open models, each request is sent when the preceding delay ends, for any number of threads', async () => {
    const anyTest = fc.record({
      testType: fc.constantFrom('non-cycling' as const, 'per-second' as const),
      total: fc.integer({ min: 1, max: 40 }),
      seconds: fc.integer({ min: 1, max: 2 }),
      threads,
      time: fc.constantFrom(0, 3, 120),
      delays: fc.array(fc.constantFrom(null, 1, 80, 255, 256, 1900), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        anyTest,
        async ({ testType, total, seconds, threads: threadCount, time: responseMs, delays }) => {
          const duration = seconds * 1000;
          const { report, iterations } = await simulate(after(responseMs), delays, {
            testType,
            total,
            duration,
            threads: threadCount,
          });
          const clients = testType === 'per-second' ? total * seconds : total;
          const requests = clients * delays.length;
          expect(report.total.ledger).toMatchObject({
            planned: requests,
            started: requests,
            success: requests,
          });
          expect(iterations).toHaveLength(clients);
          for (const iteration of iterations) {
            let at = iteration[0]?.[1] ?? 0;
            const due = delays.map((delayMs, index): [string, number] => {
              const arrival = at;
              at += responseMs + (delayMs ?? 0);
              return [`/${index}`, arrival];
            });
            expect(iteration).toEqual(due);
          }
          // Response times exclude delays.
          expect(report.total.latency?.max).toBeLessThanOrEqual(responseMs + 3);
          // The last request has no delay.
          const iterationMs = delays
            .slice(0, -1)
            .reduce<number>((sum, delayMs) => sum + (delayMs ?? 0), responseMs * delays.length);
          expect(report.elapsed).toBeLessThanOrEqual(duration + iterationMs + 100);
        },
      ),
      { numRuns: scaleCount(15) },
    );
  });

  test('random delays are uniformly distributed, and are reproducible with the same seed', async () => {
    const drawWaits = async () => {
      const changes = { testType: 'per-second' as const, total: 300, duration: 1000, threads: 2 };
      const { iterations } = await simulate(after(0), [[200, 1000], null], changes);
      return iterations.map((iteration) => (iteration[1]?.[1] ?? 0) - (iteration[0]?.[1] ?? 0));
    };
    const waits = (await drawWaits()).toSorted((a, b) => a - b);
    expect(waits).toHaveLength(300);
    expect(waits[0]).toBeGreaterThanOrEqual(200);
    expect(waits.at(-1)).toBeLessThanOrEqual(1000);
    // Kolmogorov–Smirnov distance; a uniform sample exceeds 1.95/√n once in a thousand cases.
    const distances = waits.map((wait, index) => Math.abs((wait - 200) / 800 - index / waits.length));
    expect(Math.max(...distances)).toBeLessThan(1.95 / Math.sqrt(waits.length));
    expect((await drawWaits()).toSorted((a, b) => a - b)).toEqual(waits);
  });

  test('a connection stays open during a delay, and the peak number of connections is about the rate multiplied by the delay', async () => {
    const changes = { testType: 'per-second' as const, total: 20, duration: 6000, threads: 3 };
    const { report, shop } = await simulate(after(0), [2000, null], changes);
    expect(shop.connections()).toBe(120);
    expect(Math.abs(report.peakConnections - 40)).toBeLessThanOrEqual(3);
  });

  test('a delay also applies after a request that times out, and iterations in progress finish after the duration of the test', async () => {
    const changes = { testType: 'non-cycling' as const, total: 10, duration: 1000, timeout: 300 };
    const replyExceptFirst: RawReply = ({ path }, write) => {
      if (path !== '/0') write(responseText(200, ''));
    };
    const { report, shop } = await simulate(replyExceptFirst, [5000, 5000, null], changes);
    expect(report.total.ledger).toMatchObject({ planned: 30, started: 30, success: 20 });
    expect(report.total.ledger.timeout.response).toBe(10);
    expect(shop.open()).toBe(0);
    expect(report.elapsed).toBeGreaterThan(10_900);
  });

  test('if a run is stopped, all delays end, and the remaining requests count as not started because of the stop', async () => {
    const changes = { testType: 'per-second' as const, total: 10, duration: 5000, threads: 2 };
    const stop = { at: 2000, reason: 'stopped' as const };
    const { report, shop } = await simulate(after(0), [3000, null], changes, { stop });
    const { ledger } = report.total;
    expect(ledger).toMatchObject({
      planned: 100,
      started: shop.requests.length,
      success: shop.requests.length,
    });
    expect(ledger.notStarted.stopped).toBe(100 - shop.requests.length);
    expect(report.elapsed).toBeLessThanOrEqual(2100);
    expect(shop.open()).toBe(0);
  });

  test('a stall of the load generator increases the response time of a request that was due during the stall', async () => {
    const changes = { testType: 'non-cycling' as const, total: 1, duration: 1000, threads: 1 };
    const { report } = await simulate(after(0), [500, null], changes, { stall: { at: 400, lasting: 700 } });
    expect(Math.abs((report.targets[1]?.latency?.max ?? 0) - 600)).toBeLessThan(10);
    expect(report.targets[1]?.serviceTime?.max).toBeLessThan(10);
  });
});

describe('delays with stages', () => {
  const anyTest = fc.record({
    initial: fc.nat(20),
    stages: fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(25)), { minLength: 1, maxLength: 3 }),
    threads,
    time: fc.constantFrom(10, 150),
    delays: fc.array(fc.constantFrom(null, 20, 700, [100, 900] as const), { minLength: 1, maxLength: 3 }),
  });

  test('in a per-second test with stages, every request of every client is sent exactly once, with any delays and any number of threads', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTest,
        async ({ initial, stages, threads: threadCount, time: responseMs, delays }) => {
          const stageList = stages.map(([stageSeconds, to]) => ({
            duration: milliseconds(stageSeconds * 1000),
            to,
          }));
          const { highest, lasts: duration } = extentOf(initial, stageList);
          fc.pre(highest > 0);
          const ramps = rampsOf('rate', initial, stageList);
          const changes = {
            testType: 'per-second' as const,
            total: highest,
            duration,
            ramps,
            threads: threadCount,
          };
          const { report, iterations } = await simulate(after(responseMs), delays, changes);
          const clients = clientsOfRate(ramps);
          const requests = clients * delays.length;
          expect(report.total.ledger).toMatchObject({
            planned: requests,
            started: requests,
            success: requests,
          });
          expect(iterations).toHaveLength(clients);
          expect(iterations.every((iteration) => iteration.length === delays.length)).toBe(true);
          for (const { ledger } of report.targets) expect(ledger.success).toBe(clients);
        },
      ),
      { numRuns: scaleCount(15) },
    );
  });

  test('in a cycling test with stages, the request counts match the requests that the target received, with any delays and any number of threads', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTest,
        async ({ initial, stages, threads: threadCount, time: responseMs, delays }) => {
          const stageList = stages.map(([stageSeconds, to]) => ({
            duration: milliseconds(stageSeconds * 1000),
            to,
          }));
          const { highest, lasts: duration } = extentOf(initial, stageList);
          fc.pre(highest > 0);
          const ramps = rampsOf('connections', initial, stageList);
          const changes = { testType: 'cycling' as const, initial, total: highest, duration, ramps };
          const { report, shop } = await simulate(after(responseMs), delays, {
            ...changes,
            threads: threadCount,
          });
          const received = shop.requests.length;
          expect(report.total.ledger).toMatchObject({
            planned: received,
            started: received,
            success: received,
          });
          // No request begins after a delay beyond the end; an iteration without delays may still finish.
          const last = Math.max(0, ...shop.requests.map(({ at }) => virtualTimeOf(at)));
          expect(last).toBeLessThanOrEqual(duration + responseMs * delays.length);
          // A client that stops may still wait for a response when another one takes its place, which happens
          // once in three stages.
          expect(report.peakConnections).toBeLessThanOrEqual(2 * highest);
          expect(shop.open()).toBe(0);
        },
      ),
      { numRuns: scaleCount(15) },
    );
  });
});

describe('delays in the closed model', () => {
  test('in a cycling test, clients wait for the last delay before the next iteration, and the wait ends with the run', async () => {
    const anyTest = fc.record({
      initial: fc.integer({ min: 1, max: 30 }),
      seconds: fc.integer({ min: 1, max: 4 }),
      threads,
      time: fc.constantFrom(10, 50, 130),
      delays: fc.array(fc.constantFrom(null, 10, 80, 310, 5000), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        anyTest,
        async ({ initial, seconds, threads: threadCount, time: responseMs, delays }) => {
          const duration = seconds * 1000;
          const changes = {
            testType: 'cycling' as const,
            initial,
            total: initial,
            duration,
            threads: threadCount,
          };
          const { report, iterations, shop } = await simulate(after(responseMs), delays, changes);
          // Requests of one client, from 0 on.
          const due: [string, number][] = [];
          for (let at = 0, index = 0; ; index = (index + 1) % delays.length) {
            // Without a preceding delay, the rest of an iteration is still sent.
            const hasDelayBefore = due.length === 0 || delays.at(index - 1) !== null;
            if (at >= duration && (index === 0 || hasDelayBefore)) break;
            due.push([`/${index}`, at]);
            at += responseMs + (delays[index] ?? 0);
          }
          expect(iterations).toHaveLength(initial);
          for (const iteration of iterations) expect(iteration).toEqual(due);
          const { ledger } = report.total;
          expect(ledger).toMatchObject({ planned: due.length * initial, success: due.length * initial });
          expect(ledger.started).toBe(shop.requests.length);
          expect(report.elapsed).toBeLessThanOrEqual(duration + responseMs * delays.length + 100);
          expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
        },
      ),
      { numRuns: scaleCount(15) },
    );
  });

  test('in a cycling test, a client keeps its connection open during a delay that exceeds the run', async () => {
    const open: number[] = [];
    const shop = await openRawTarget(after(10));
    const job = jobOf([targetOf(shop.port, { delay: delay(60_000) })], {
      testType: 'cycling',
      initial: 7,
      total: 7,
      duration: 3000,
    });
    const watch = (at: number): void => {
      if (at > 0 && at < 3000 && at % 500 === 0) open.push(shop.open());
    };
    const report = await runInVirtualTime(job, shop, { watch });
    expect(open).toEqual([7, 7, 7, 7, 7]);
    expect(report.total.ledger).toMatchObject({ started: 7, success: 7 });
    expect(report.elapsed).toBeLessThan(3100);
    expect(report.outage).toEqual({ spans: 0, seconds: 0, periods: [] });
  });

  test('in a cycling test, the number of omitted requests of an outage takes delays into account', async () => {
    const outageReply: RawReply = (_request, write) => {
      const at = virtualTimeOf();
      setTimeout(write, at >= 10_000 && at < 20_000 ? 20_000 - at : 10, responseText(200, ''));
    };
    const changes = {
      testType: 'cycling' as const,
      initial: 40,
      total: 40,
      duration: 40_000,
      timeout: 15_000,
      threads: 2,
    };
    const { report } = await simulate(outageReply, [[900, 1080]], changes);
    expect(report.outage.spans).toBe(1);
    // 40 requests per second for nearly ten seconds, less the 40 that were sent.
    expect(report.total.omitted).toBeGreaterThan(300);
    expect(report.total.omitted).toBeLessThan(410);
  });
});

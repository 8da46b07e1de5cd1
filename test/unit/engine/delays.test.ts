/** Think time in closed form: real loops and sockets, on a clock that is never late. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Delay } from '../../../src/core/load/delay.ts';
import { clientsOfRate, extentOf, rampsOf } from '../../../src/core/load/ramps.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';
import { scaleCount } from '../../support/test-scale.ts';

const after =
  (time: number): RawReply =>
  (_request, write) => {
    if (time === 0) write(responseText(200, ''));
    else setTimeout(write, time, responseText(200, ''));
  };

type Written = number | readonly [number, number] | null;

function delay(written: Written): Delay | null {
  if (written === null) return null;
  const [least, most] = typeof written === 'number' ? [written, written] : written;
  return { min: milliseconds(least), max: milliseconds(most) };
}

interface Played {
  readonly report: RunReport;
  readonly shop: RawTarget;
  /** Of each connection: its requests, as path and ms from the start of the run. */
  readonly passes: readonly (readonly (readonly [path: string, at: number])[])[];
}

/** Plays a test of `/0`, `/1`, …, with a delay behind each. */
async function play(
  reply: RawReply,
  delays: readonly Written[],
  changes: JobChanges,
  meanwhile: VirtualRunEvents = {},
): Promise<Played> {
  const shop = await openRawTarget(reply);
  const targets = delays.map((one, index) => targetOf(shop.port, { path: `/${index}`, delay: delay(one) }));
  const report = await runInVirtualTime(jobOf(targets, changes), shop, meanwhile);
  const passes = new Map<number, [string, number][]>();
  for (const { connection, path, at } of shop.requests) {
    const request: [string, number] = [path, virtualTimeOf(at)];
    passes.set(connection, [...(passes.get(connection) ?? []), request]);
  }
  return { report, shop, passes: [...passes.values()] };
}

const threads = fc.integer({ min: 1, max: 5 });

describe('in the open models', () => {
  test('each request comes when the delay behind the one before it ends, on any number of threads', async () => {
    const anyTest = fc.record({
      testType: fc.constantFrom('non-cycling' as const, 'per-second' as const),
      total: fc.integer({ min: 1, max: 40 }),
      seconds: fc.integer({ min: 1, max: 2 }),
      threads,
      time: fc.constantFrom(0, 3, 120),
      delays: fc.array(fc.constantFrom(null, 1, 80, 255, 256, 1900), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ testType, total, seconds, threads: workers, time, delays }) => {
        const duration = seconds * 1000;
        const { report, passes } = await play(after(time), delays, {
          ...{ testType, total, duration, threads: workers },
        });
        const clients = testType === 'per-second' ? total * seconds : total;
        const all = clients * delays.length;
        expect(report.total.ledger).toMatchObject({ planned: all, started: all, success: all });
        expect(passes).toHaveLength(clients);
        for (const pass of passes) {
          let at = pass[0]?.[1] ?? 0;
          const due = delays.map((one, index): [string, number] => {
            const came = at;
            at += time + (one ?? 0);
            return [`/${index}`, came];
          });
          expect(pass).toEqual(due);
        }
        // Nothing of a delay is in the response times.
        expect(report.total.latency?.max).toBeLessThanOrEqual(time + 3);
        // None behind the last request.
        const lasts = delays
          .slice(0, -1)
          .reduce<number>((sum, one) => sum + (one ?? 0), time * delays.length);
        expect(report.elapsed).toBeLessThanOrEqual(duration + lasts + 100);
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('drawn evenly between both, the same ones for the same seed', async () => {
    const drawn = async () => {
      const changes = { testType: 'per-second' as const, total: 150, duration: 2000, threads: 2 };
      const { passes } = await play(after(0), [[200, 1000], null], changes);
      return passes.map((pass) => (pass[1]?.[1] ?? 0) - (pass[0]?.[1] ?? 0));
    };
    const waits = (await drawn()).toSorted((a, b) => a - b);
    expect(waits).toHaveLength(300);
    expect(waits[0]).toBeGreaterThanOrEqual(200);
    expect(waits.at(-1)).toBeLessThanOrEqual(1000);
    // The distance of Kolmogorov and Smirnov; above 1.95/√n it is there once in a thousand times.
    const far = waits.map((wait, index) => Math.abs((wait - 200) / 800 - index / waits.length));
    expect(Math.max(...far)).toBeLessThan(1.95 / Math.sqrt(waits.length));
    expect((await drawn()).toSorted((a, b) => a - b)).toEqual(waits);
  });

  test('the connection stays open, and the peak is the rate times the delays', async () => {
    const changes = { testType: 'per-second' as const, total: 20, duration: 6000, threads: 3 };
    const { report, shop } = await play(after(0), [2000, null], changes);
    expect(shop.connections()).toBe(120);
    expect(Math.abs(report.peakConnections - 40)).toBeLessThanOrEqual(3);
  });

  test('a request that fails is followed by its delay, too, and passes end in the drain', async () => {
    const changes = { testType: 'non-cycling' as const, total: 10, duration: 1000, timeout: 300 };
    const hung: RawReply = ({ path }, write) => {
      if (path !== '/0') write(responseText(200, ''));
    };
    const { report, shop } = await play(hung, [5000, 5000, null], changes);
    expect(report.total.ledger).toMatchObject({ planned: 30, started: 30, success: 20 });
    expect(report.total.ledger.timeout.response).toBe(10);
    expect(shop.open()).toBe(0);
    expect(report.elapsed).toBeGreaterThan(10_900);
  });

  test('a stop lets nobody wait: what was not sent is told as stopped', async () => {
    const changes = { testType: 'per-second' as const, total: 10, duration: 5000, threads: 2 };
    const stop = { at: 2000, reason: 'stopped' as const };
    const { report, shop } = await play(after(0), [3000, null], changes, { stop });
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

  test('a standstill of the generator is in the response time of a request that was due in it', async () => {
    const changes = { testType: 'non-cycling' as const, total: 1, duration: 1000, threads: 1 };
    const { report } = await play(after(0), [500, null], changes, { stall: { at: 400, lasting: 700 } });
    expect(Math.abs((report.targets[1]?.latency?.max ?? 0) - 600)).toBeLessThan(10);
    expect(report.targets[1]?.serviceTime?.max).toBeLessThan(10);
  });
});

describe('in stages', () => {
  const anyTest = fc.record({
    initial: fc.nat(20),
    stages: fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(25)), { minLength: 1, maxLength: 3 }),
    threads,
    time: fc.constantFrom(10, 150),
    delays: fc.array(fc.constantFrom(null, 20, 700, [100, 900] as const), { minLength: 1, maxLength: 3 }),
  });

  test('any rate with any delays on any number of threads: every request of every client, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ initial, stages, threads: workers, time, delays }) => {
        const written = stages.map(([lasts, to]) => ({ duration: milliseconds(lasts * 1000), to }));
        const { highest, lasts: duration } = extentOf(initial, written);
        fc.pre(highest > 0);
        const ramps = rampsOf('rate', initial, written);
        const changes = {
          testType: 'per-second' as const,
          total: highest,
          duration,
          ramps,
          threads: workers,
        };
        const { report, passes } = await play(after(time), delays, changes);
        const clients = clientsOfRate(ramps);
        const all = clients * delays.length;
        expect(report.total.ledger).toMatchObject({ planned: all, started: all, success: all });
        expect(passes).toHaveLength(clients);
        expect(passes.every((pass) => pass.length === delays.length)).toBe(true);
        for (const { ledger } of report.targets) expect(ledger.success).toBe(clients);
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('any connections with any delays on any number of threads: what is counted is what came', async () => {
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ initial, stages, threads: workers, time, delays }) => {
        const written = stages.map(([lasts, to]) => ({ duration: milliseconds(lasts * 1000), to }));
        const { highest, lasts: duration } = extentOf(initial, written);
        fc.pre(highest > 0);
        const ramps = rampsOf('connections', initial, written);
        const changes = { testType: 'cycling' as const, initial, total: highest, duration, ramps };
        const { report, shop } = await play(after(time), delays, { ...changes, threads: workers });
        const came = shop.requests.length;
        expect(report.total.ledger).toMatchObject({ planned: came, started: came, success: came });
        // A delay begins no request behind the end; the rest of a pass without one may.
        const last = Math.max(0, ...shop.requests.map(({ at }) => virtualTimeOf(at)));
        expect(last).toBeLessThanOrEqual(duration + time * delays.length);
        // Who has stopped may still wait for an answer when its place is taken again, which three stages do once.
        expect(report.peakConnections).toBeLessThanOrEqual(2 * highest);
        expect(shop.open()).toBe(0);
      }),
      { numRuns: scaleCount(15) },
    );
  });
});

describe('in the closed model', () => {
  test('clients also wait before their next pass, and those that wait end with the run', async () => {
    const anyTest = fc.record({
      initial: fc.integer({ min: 1, max: 30 }),
      seconds: fc.integer({ min: 1, max: 4 }),
      threads,
      time: fc.constantFrom(10, 50, 130),
      delays: fc.array(fc.constantFrom(null, 10, 80, 310, 5000), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ initial, seconds, threads: workers, time, delays }) => {
        const duration = seconds * 1000;
        const changes = { testType: 'cycling' as const, initial, total: initial, duration, threads: workers };
        const { report, passes, shop } = await play(after(time), delays, changes);
        // What one client does, from 0 on.
        const due: [string, number][] = [];
        for (let at = 0, index = 0; ; index = (index + 1) % delays.length) {
          // Without a delay before it, the rest of a pass is still made.
          const rested = due.length === 0 || delays.at(index - 1) !== null;
          if (at >= duration && (index === 0 || rested)) break;
          due.push([`/${index}`, at]);
          at += time + (delays[index] ?? 0);
        }
        expect(passes).toHaveLength(initial);
        for (const pass of passes) expect(pass).toEqual(due);
        const { ledger } = report.total;
        expect(ledger).toMatchObject({ planned: due.length * initial, success: due.length * initial });
        expect(ledger.started).toBe(shop.requests.length);
        expect(report.elapsed).toBeLessThanOrEqual(duration + time * delays.length + 100);
        expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('who waits keeps its connection until the end of the run', async () => {
    const open: number[] = [];
    const shop = await openRawTarget(after(10));
    const job = jobOf([targetOf(shop.port, { delay: delay(60_000) })], {
      ...{ testType: 'cycling', initial: 7, total: 7, duration: 3000 },
    });
    const watch = (at: number): void => {
      if (at > 0 && at < 3000 && at % 500 === 0) open.push(shop.open());
    };
    const report = await runInVirtualTime(job, shop, { watch });
    expect(open).toEqual([7, 7, 7, 7, 7]);
    expect(report.total.ledger).toMatchObject({ started: 7, success: 7 });
    expect(report.elapsed).toBeLessThan(3100);
    expect(report.outage).toEqual({ spans: 0, seconds: 0 });
  });

  test('an outage costs as many requests as clients with these delays would have made', async () => {
    const dead: RawReply = (_request, write) => {
      const at = virtualTimeOf();
      setTimeout(write, at >= 10_000 && at < 20_000 ? 20_000 - at : 10, responseText(200, ''));
    };
    const changes = {
      ...{ testType: 'cycling' as const, initial: 40, total: 40, duration: 40_000, timeout: 15_000 },
      threads: 2,
    };
    const { report } = await play(dead, [[900, 1080]], changes);
    expect(report.outage.spans).toBe(1);
    // Forty requests a second, for nearly ten; forty of them were made.
    expect(report.total.omitted).toBeGreaterThan(300);
    expect(report.total.omitted).toBeLessThan(410);
  });
});

/** No run sends a request later than its plan states: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { iterationsOf } from '../../../src/core/model/iteration.ts';
import { drainTime, maxLoadTime } from '../../../src/core/model/peak-load.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { arbitraryGroups } from '../../support/arbitrary-groups.ts';
import { openRawTarget, responseText, type RawReply, type RawTarget } from '../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

/** Interval of the simulated clock of the closed model. */
const TICK_MS = 10;

function lastArrivalOf(shop: RawTarget): number {
  return Math.max(0, ...shop.requests.map(({ at }) => virtualTimeOf(at)));
}

const VARIABLES = [
  { name: 'state', json: '/state' },
  { name: 'list', json: '/list/*', pick: 'all' },
] as const;

const loads: fc.Arbitrary<JobChanges> = fc
  .record({
    testType: fc.constantFrom('cycling' as const, 'non-cycling' as const, 'per-second' as const),
    total: fc.integer({ min: 1, max: 12 }),
    duration: fc.constantFrom(1000, 2000),
    timeout: fc.constantFrom(90, 400, 1500),
    threads: fc.constantFrom(1, 3),
    keepAlive: fc.boolean(),
    connections: fc.constantFrom(null, 3),
    arrivals: fc.constantFrom(null, 'random' as const),
    iterations: fc.constantFrom(null, 5, 40),
    pace: fc.constantFrom(undefined, 150),
    initial: fc.nat(8),
  })
  .map(({ connections, arrivals, iterations, pace, initial, keepAlive, ...common }) =>
    common.testType === 'cycling'
      ? { ...common, initial, keepAlive, iterations, ...(pace === undefined ? {} : { pace }) }
      : { ...common, connections, arrivals },
  );

const anyTest = fc
  .record({
    load: loads,
    // Fractions of the timeout.
    times: fc.array(fc.constantFrom(0, 0.2, 0.8, 0.99, 5), { minLength: 1, maxLength: 4 }),
    delays: fc.array(fc.constantFrom(0, 0, 60, 700), { minLength: 1, maxLength: 4 }),
    redirects: fc.boolean(),
  })
  .chain((one) => {
    const ranges = iterationsOf({ targets: one.delays, flows: null, groups: null });
    return fc
      .option(
        arbitraryGroups(
          ranges,
          VARIABLES.map(({ name }) => name),
          true,
        ),
      )
      .map((groups) => ({ ...one, groups }));
  });

describe('the last request of a run', () => {
  test('the last request of a run is sent within the planned time, for any load, groups and response times', async () => {
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ load, times, delays, redirects, groups }) => {
        const { timeout = 0, duration = 0, testType } = load;
        let answers = 0;
        const reply: RawReply = ({ path }, write) => {
          const number = answers++;
          const body = JSON.stringify({ state: 'open', list: [1, 2, 3] });
          const hop = redirects && number % 3 === 0 ? [`Location: ${path}`] : [];
          const text = responseText(hop.length === 0 ? 200 : 302, body, hop);
          // A closed test would otherwise begin iterations without an end.
          setTimeout(write, Math.max(20, timeout * (times[number % times.length] ?? 0)), text);
        };
        const shop = await openRawTarget(reply);
        const targets = delays.map((ms, index) =>
          targetOf(shop.port, {
            path: `/${index}`,
            variables: VARIABLES,
            delay: ms === 0 ? null : { min: milliseconds(ms), max: milliseconds(ms) },
          }),
        );
        const job = jobOf(targets, { ...load, groups });
        const report = await runInVirtualTime(job, shop);
        const step = testType === 'cycling' ? TICK_MS : 1;
        const planned = duration + drainTime(job);
        // Redirects belong to the request that led to them.
        const bound = redirects ? Math.max(planned, maxLoadTime(job)) : planned;
        expect(lastArrivalOf(shop)).toBeLessThanOrEqual(bound + step);
        // Timeouts are detected up to 50 ms late.
        expect(report.elapsed).toBeLessThanOrEqual(maxLoadTime(job) + 50 + 2 * step);
        expect(report.total.ledger.started).toBeLessThanOrEqual(shop.requests.length);
        await shop.close();
      }),
      { numRuns: scaleCount(60) },
    );
  });

  test('after the end of a cycling test, an iteration continues for at most one timeout', async () => {
    const shop = await openRawTarget((_request, write) => {
      setTimeout(write, 700, responseText(200, ''));
    });
    const targets = ['/a', '/b', '/c', '/d', '/e', '/f'].map((path) => targetOf(shop.port, { path }));
    const load = { testType: 'cycling', initial: 1, total: 1, duration: 2000, timeout: 1000 } as const;
    const job = jobOf(targets, load);
    const { total, elapsed } = await runInVirtualTime(job, shop);
    expect(drainTime(job)).toBe(1000);
    expect(shop.requests.map(({ at }) => virtualTimeOf(at))).toEqual([0, 700, 1400, 2100, 2800]);
    expect(total.ledger).toMatchObject({ started: 5, success: 4, abandoned: 1 });
    expect(elapsed).toBeLessThanOrEqual(3060);
  });

  test('after the end of an open test, an iteration continues for at most its delays and one timeout', async () => {
    const shop = await openRawTarget((_request, write) => {
      setTimeout(write, 390, responseText(200, ''));
    });
    const delay = { min: milliseconds(1000), max: milliseconds(1000) };
    const targets = ['/a', '/b', '/c', '/d'].map((path) => targetOf(shop.port, { path, delay }));
    const job = jobOf(targets, { testType: 'non-cycling', total: 1, duration: 1000, timeout: 400 });
    const report = await runInVirtualTime(job, shop);
    expect(drainTime(job)).toBe(3400);
    expect(shop.requests.map(({ at }) => virtualTimeOf(at))).toEqual([0, 1390, 2780, 4170]);
    expect(report.total.ledger).toMatchObject({ planned: 4, started: 4, success: 3, abandoned: 1 });
    const slower = await runInVirtualTime({ ...job, duration: milliseconds(700) }, shop);
    expect(slower.total.ledger).toMatchObject({ planned: 4, started: 3, success: 3 });
  });
});

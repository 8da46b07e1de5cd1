/** The warm-up, verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import { clientCount, dueAt } from '../../../src/core/model/pace.ts';
import { extentOf, rampsOf, type Stage } from '../../../src/core/model/ramps.ts';
import type { Ledger, RunReport } from '../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';

const after =
  (responseMs: number): RawReply =>
  (_request, write) => {
    if (responseMs === 0) write(responseText(200, ''));
    else setTimeout(write, responseMs, responseText(200, ''));
  };

interface SimulatedRun {
  readonly report: RunReport;
  readonly shop: RawTarget;
  readonly warmup: Ledger;
  /** Arrival of each request, in ms from the start of the run. */
  readonly arrivals: readonly number[];
}

/**
 * Simulates a test of `/0`, `/1`, …. Every request that the target received must be in one of both ledgers.
 */
async function simulate(
  reply: RawReply,
  targets: readonly Partial<JobTarget>[],
  changes: JobChanges,
  events: VirtualRunEvents = {},
): Promise<SimulatedRun> {
  const shop = await openRawTarget(reply);
  const urls = targets.map((target, index) => targetOf(shop.port, { path: `/${index}`, ...target }));
  const report = await runInVirtualTime(jobOf(urls, changes), shop, events);
  const { warmup } = report;
  if (warmup === null) throw new Error('the report has no warm-up');
  expect(report.total.ledger.started + warmup.ledger.started).toBe(shop.requests.length);
  const arrivals = shop.requests.map(({ at }) => virtualTimeOf(at));
  return { report, shop, warmup: warmup.ledger, arrivals };
}

const arbitraryDelays = fc.constantFrom(null, 20, 700, [100, 900] as const);

function targetsOf(delays: readonly (number | readonly [number, number] | null)[]): Partial<JobTarget>[] {
  return delays.map((delay) => {
    if (delay === null) return { delay: null };
    const [min, max] = typeof delay === 'number' ? [delay, delay] : delay;
    return { delay: { min: milliseconds(min), max: milliseconds(max) } };
  });
}

/** Tests of at least two seconds. */
const arbitraryTests = fc.record({
  initial: fc.nat(20),
  stages: fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(25)), { minLength: 2, maxLength: 3 }),
  inStages: fc.boolean(),
  warmup: fc.integer({ min: 1, max: 5 }),
  threads: fc.integer({ min: 1, max: 4 }),
  time: fc.constantFrom(10, 150, 1300),
  delays: fc.array(arbitraryDelays, { minLength: 1, maxLength: 3 }),
});

type AnyTest = typeof arbitraryTests extends fc.Arbitrary<infer T> ? T : never;

function changesOf(
  testType: 'per-second' | 'cycling',
  arbitraryTest: AnyTest,
): JobChanges & { readonly warmup: number } {
  const { initial, inStages, threads } = arbitraryTest;
  const stages: readonly Stage[] = arbitraryTest.stages.map(([stageSeconds, to]) => ({
    duration: milliseconds(stageSeconds * 1000),
    to,
  }));
  const { highest, lasts: duration } = extentOf(initial, stages);
  const level = testType === 'cycling' ? 'connections' : 'rate';
  return {
    testType,
    initial,
    total: Math.max(1, highest),
    duration,
    threads,
    ramps: inStages ? rampsOf(level, initial, stages) : null,
    warmup: Math.min(arbitraryTest.warmup * 1000, duration - 1000),
  };
}

describe('the warm-up in the open models', () => {
  test('an iteration belongs to the warm-up if it is due during the warm-up, with any stages, delays and number of threads', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTests, async (arbitraryTest) => {
        const changes = changesOf('per-second', arbitraryTest);
        const { report, warmup } = await simulate(
          after(arbitraryTest.time),
          targetsOf(arbitraryTest.delays),
          changes,
        );
        const job = jobOf([], changes);
        const clients = Array.from({ length: clientCount(job) }, (_, client) => dueAt(job, client));
        const warmupClients = clients.filter((due) => due < changes.warmup).length;
        const warmupRequests = warmupClients * arbitraryTest.delays.length;
        const measuredRequests = clients.length * arbitraryTest.delays.length - warmupRequests;
        expect(warmup).toMatchObject({
          planned: warmupRequests,
          started: warmupRequests,
          success: warmupRequests,
        });
        expect(report.total.ledger).toMatchObject({
          planned: measuredRequests,
          started: measuredRequests,
          success: measuredRequests,
        });
        expect(report.delivery).toMatchObject({
          model: 'open',
          due: clients.length - warmupClients,
          neverStarted: 0,
        });
        for (const { ledger } of report.targets) expect(ledger.success).toBe(clients.length - warmupClients);
        const seconds = (job.duration - changes.warmup) / 1000;
        expect(report.requestsPerSecond).toBeCloseTo(measuredRequests / seconds, 2);
        expect(report.warmup).toMatchObject({ seconds: changes.warmup / 1000, complete: true });
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('an iteration that starts during the warm-up belongs entirely to the warm-up, including its connection and failures', async () => {
    const reply: RawReply = ({ path }, write) => {
      const late = virtualTimeOf() >= 2000 && path === '/0';
      setTimeout(write, late ? 20 : 400, responseText(late || path === '/1' ? 200 : 503, ''));
    };
    const { report, warmup } = await simulate(reply, [{ delay: delayOf(3000) }, {}], {
      testType: 'per-second',
      total: 10,
      duration: 5000,
      warmup: 2000,
      threads: 3,
    });
    expect(warmup).toMatchObject({ planned: 40, started: 40, success: 20, httpError: { 503: 20 } });
    expect(report.total).toMatchObject({
      statusCodes: { 200: 60 },
      bytesReceived: 60 * responseText(200, '').length,
    });
    expect(report.errorSamples).toEqual([]);
    expect(report.targets[0]?.latency?.max).toBeLessThan(25);
    expect(report.targets[1]?.latency).toMatchObject({ min: 400 });
    expect(report.connect?.count).toBe(30);
    expect(report.timeline.map(({ warmup: isWarmup }) => isWarmup).slice(0, 4)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(report.timeline.reduce((sum, { started }) => sum + started, 0)).toBe(100);
  });

  test('clients that never started are counted in the part of the run in which they were due', async () => {
    const changes = { testType: 'per-second' as const, total: 100, duration: 6000, warmup: 2000, threads: 2 };
    const { report, warmup } = await simulate(after(0), [{}], changes, {
      stall: { at: 500, lasting: 3500 },
    });
    expect(warmup).toMatchObject({ planned: 200, notStarted: { saturated: 149 } });
    const { saturated } = report.total.ledger.notStarted;
    expect(report.total.ledger.planned).toBe(400);
    expect(Math.abs(saturated - 100)).toBeLessThan(3);
    expect(report.delivery).toMatchObject({
      due: 400,
      neverStarted: saturated,
      worstWindow: { second: 2, neverStarted: saturated },
    });
  });

  test('a run that is stopped during the warm-up has no metrics, and its remaining requests count as not started', async () => {
    const changes = { testType: 'non-cycling' as const, total: 60, duration: 6000, warmup: 3000, threads: 4 };
    const stop = { at: 1500, reason: 'stopped' as const };
    const { report, warmup } = await simulate(after(10), [{}, {}], changes, { stop });
    expect(report).toMatchObject({
      warmup: { seconds: 3, complete: false },
      requestsPerSecond: 0,
      minTimes: null,
    });
    expect(report.total).toMatchObject({ latency: null, statusCodes: {}, bytesSent: 0, bytesReceived: 0 });
    expect(report.total.ledger).toMatchObject({ planned: 60, started: 0, notStarted: { stopped: 60 } });
    expect(warmup.planned).toBe(60);
    expect(warmup.notStarted.stopped).toBe(60 - warmup.started);
  });
});

function delayOf(ms: number): JobTarget['delay'] {
  return { min: milliseconds(ms), max: milliseconds(ms) };
}

describe('the warm-up in the closed model', () => {
  test('a request belongs to the warm-up if it was sent during the warm-up, with any stages, delays and number of threads', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTests, async (arbitraryTest) => {
        const changes = changesOf('cycling', arbitraryTest);
        const { report, warmup, arrivals } = await simulate(
          after(arbitraryTest.time),
          targetsOf(arbitraryTest.delays),
          changes,
        );
        const warmupRequests = warmup.started;
        const measuredRequests = arrivals.length - warmupRequests;
        expect(warmup).toMatchObject({ planned: warmupRequests, success: warmupRequests });
        expect(report.total.ledger).toMatchObject({
          planned: measuredRequests,
          started: measuredRequests,
          success: measuredRequests,
        });
        // Requests that are sent during a clock step arrive at its end.
        expect(warmupRequests).toBeGreaterThanOrEqual(arrivals.filter((at) => at < changes.warmup).length);
        expect(warmupRequests).toBeLessThanOrEqual(arrivals.filter((at) => at <= changes.warmup + 10).length);
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test.each([
    [1500, 2000, 8000],
    [700, 1000, 4000],
    [2500, 1000, 3000],
  ])(
    'the request rate excludes the warm-up, even if responses take %i ms',
    async (time, warmup, duration) => {
      const changes = { testType: 'cycling' as const, initial: 6, total: 6, duration, warmup, threads: 2 };
      const { report } = await simulate(after(time), [{}], changes);
      expect(report.requestsPerSecond).toBeCloseTo(6000 / time, 1);
    },
  );

  test('metrics exclude the warm-up, and connections opened during the warm-up stay open', async () => {
    const reply: RawReply = (_request, write) => {
      const warm = virtualTimeOf() >= 2000;
      setTimeout(write, warm ? 20 : 500, responseText(warm ? 200 : 500, ''));
    };
    const changes = { testType: 'cycling' as const, initial: 5, total: 5, duration: 4000, warmup: 2000 };
    const { report, warmup } = await simulate(reply, [{}], { ...changes, threads: 3 });
    expect(warmup).toMatchObject({ started: 20, success: 0, httpError: { 500: 20 } });
    expect(report.total).toMatchObject({ statusCodes: { 200: 500 }, latency: { min: 20, max: 20 } });
    expect(report).toMatchObject({ errorSamples: [], connect: null, peakConnections: 5 });
    expect(report.requestsPerSecond).toBeCloseTo(250, 0);
    expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
  });

  test('an outage is counted only from the end of the warm-up', async () => {
    const outageReply: RawReply = (_request, write) => {
      const at = virtualTimeOf();
      const isOutage = (from: number, to: number): boolean => at >= from && at < to;
      const until = isOutage(2000, 8000) ? 8000 : isOutage(12_000, 22_000) ? 22_000 : at + 10;
      setTimeout(write, until - at, responseText(200, ''));
    };
    const changes = {
      testType: 'cycling' as const,
      initial: 10,
      total: 10,
      duration: 40_000,
      timeout: 15_000,
      threads: 2,
    };
    const { report } = await simulate(outageReply, [{ delay: delayOf(90) }], { ...changes, warmup: 17_000 });
    expect(report.outage.spans).toBe(1);
    expect(report.outage.seconds).toBeCloseTo(5, 0);
    // A hundred requests per second.
    expect(Math.abs(report.total.omitted - 500)).toBeLessThan(30);
  });
});

describe('error_threshold', () => {
  test.each(['cycling', 'per-second'] as const)(
    'in a %s test, failed requests of the warm-up count toward the error threshold',
    async (testType) => {
      const broken: RawReply = (_request, write) => {
        setTimeout(write, 10, responseText(500, ''));
      };
      const changes = { testType, initial: 10, total: 10, duration: 9000, warmup: 5000, errorThreshold: 50 };
      const { report, warmup } = await simulate(broken, [{}], changes);
      expect(report).toMatchObject({ abortReason: 'error_threshold', abortCertain: true });
      expect(report.warmup?.complete).toBe(false);
      expect(report.elapsed).toBeLessThan(4000);
      expect(warmup.success).toBe(0);
      expect(report.total.ledger.started).toBe(0);
    },
  );
});

/** The warm-up in closed form: real loops and sockets, on a clock that is never late. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import { clientCount, dueAt } from '../../../src/core/load/pace.ts';
import { extentOf, rampsOf, type Stage } from '../../../src/core/load/ramps.ts';
import type { Ledger, RunReport } from '../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';

const after =
  (time: number): RawReply =>
  (_request, write) => {
    if (time === 0) write(responseText(200, ''));
    else setTimeout(write, time, responseText(200, ''));
  };

interface Played {
  readonly report: RunReport;
  readonly shop: RawTarget;
  readonly warmup: Ledger;
  /** When each request came, in ms from the start of the run. */
  readonly cameAt: readonly number[];
}

/** Plays a test of `/0`, `/1`, …; all that its target saw is in one of both ledgers. */
async function play(
  reply: RawReply,
  targets: readonly Partial<JobTarget>[],
  changes: JobChanges,
  meanwhile: VirtualRunEvents = {},
): Promise<Played> {
  const shop = await openRawTarget(reply);
  const urls = targets.map((one, index) => targetOf(shop.port, { path: `/${index}`, ...one }));
  const report = await runInVirtualTime(jobOf(urls, changes), shop, meanwhile);
  const { warmup } = report;
  if (warmup === null) throw new Error('nothing is told of the warm-up');
  expect(report.total.ledger.started + warmup.ledger.started).toBe(shop.requests.length);
  const cameAt = shop.requests.map(({ at }) => virtualTimeOf(at));
  return { report, shop, warmup: warmup.ledger, cameAt };
}

const waits = fc.constantFrom(null, 20, 700, [100, 900] as const);

function targetsOf(written: readonly (number | readonly [number, number] | null)[]): Partial<JobTarget>[] {
  return written.map((wait) => {
    if (wait === null) return { delay: null };
    const [least, most] = typeof wait === 'number' ? [wait, wait] : wait;
    return { delay: { min: milliseconds(least), max: milliseconds(most) } };
  });
}

/** One of at least two seconds. */
const anyTest = fc.record({
  initial: fc.nat(20),
  stages: fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(25)), { minLength: 2, maxLength: 3 }),
  inStages: fc.boolean(),
  warmup: fc.integer({ min: 1, max: 5 }),
  threads: fc.integer({ min: 1, max: 4 }),
  time: fc.constantFrom(10, 150, 1300),
  delays: fc.array(waits, { minLength: 1, maxLength: 3 }),
});

type AnyTest = typeof anyTest extends fc.Arbitrary<infer T> ? T : never;

function changesOf(
  testType: 'per-second' | 'cycling',
  given: AnyTest,
): JobChanges & { readonly warmup: number } {
  const { initial, inStages, threads } = given;
  const stages: readonly Stage[] = given.stages.map(([lasts, to]) => ({
    duration: milliseconds(lasts * 1000),
    to,
  }));
  const { highest, lasts: duration } = extentOf(initial, stages);
  const level = testType === 'cycling' ? 'connections' : 'rate';
  return {
    ...{ testType, initial, total: Math.max(1, highest), duration, threads },
    ramps: inStages ? rampsOf(level, initial, stages) : null,
    warmup: Math.min(given.warmup * 1000, duration - 1000),
  };
}

describe('in the open models', () => {
  test('a pass belongs to the warm-up by when it is due, with any stages, delays and number of threads', async () => {
    await fc.assert(
      fc.asyncProperty(anyTest, async (given) => {
        const changes = changesOf('per-second', given);
        const { report, warmup } = await play(after(given.time), targetsOf(given.delays), changes);
        const job = jobOf([], changes);
        const clients = Array.from({ length: clientCount(job) }, (_, client) => dueAt(job, client));
        const warming = clients.filter((due) => due < changes.warmup).length;
        const before = warming * given.delays.length;
        const behind = clients.length * given.delays.length - before;
        expect(warmup).toMatchObject({ planned: before, started: before, success: before });
        expect(report.total.ledger).toMatchObject({ planned: behind, started: behind, success: behind });
        expect(report.delivery).toMatchObject({ model: 'open', due: clients.length - warming, never: 0 });
        for (const { ledger } of report.targets) expect(ledger.success).toBe(clients.length - warming);
        const seconds = (job.duration - changes.warmup) / 1000;
        expect(report.requestsPerSecond).toBeCloseTo(behind / seconds, 2);
        expect(report.warmup).toMatchObject({ seconds: changes.warmup / 1000, complete: true });
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('a pass that goes on behind the warm-up is of the warm-up, and so are its connection and its failures', async () => {
    const reply: RawReply = ({ path }, write) => {
      const late = virtualTimeOf() >= 2000 && path === '/0';
      setTimeout(write, late ? 20 : 400, responseText(late || path === '/1' ? 200 : 503, ''));
    };
    const { report, warmup } = await play(reply, [{ delay: delayOf(3000) }, {}], {
      ...{ testType: 'per-second', total: 10, duration: 5000, warmup: 2000, threads: 3 },
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
    expect(report.timeline.map(({ warmup: warming }) => warming).slice(0, 4)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(report.timeline.reduce((sum, { started }) => sum + started, 0)).toBe(100);
  });

  test('clients that were never started are those of their own part', async () => {
    const changes = { testType: 'per-second' as const, total: 100, duration: 6000, warmup: 2000, threads: 2 };
    const { report, warmup } = await play(after(0), [{}], changes, {
      stall: { at: 500, lasting: 3500 },
    });
    expect(warmup).toMatchObject({ planned: 200, notStarted: { saturated: 149 } });
    const { saturated } = report.total.ledger.notStarted;
    expect(report.total.ledger.planned).toBe(400);
    expect(Math.abs(saturated - 100)).toBeLessThan(3);
    expect(report.delivery).toMatchObject({
      due: 400,
      never: saturated,
      worstWindow: { second: 2, never: saturated },
    });
  });

  test('a stop in the warm-up leaves no figures: nothing of the rest was started', async () => {
    const changes = { testType: 'non-cycling' as const, total: 60, duration: 6000, warmup: 3000, threads: 4 };
    const stop = { at: 1500, reason: 'stopped' as const };
    const { report, warmup } = await play(after(10), [{}, {}], changes, { stop });
    expect(report).toMatchObject({
      warmup: { seconds: 3, complete: false },
      requestsPerSecond: 0,
      leastTimes: null,
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

describe('in the closed model', () => {
  test('a request belongs to the warm-up by when it was sent, with any stages, delays and number of threads', async () => {
    await fc.assert(
      fc.asyncProperty(anyTest, async (given) => {
        const changes = changesOf('cycling', given);
        const { report, warmup, cameAt } = await play(after(given.time), targetsOf(given.delays), changes);
        const before = warmup.started;
        const behind = cameAt.length - before;
        expect(warmup).toMatchObject({ planned: before, success: before });
        expect(report.total.ledger).toMatchObject({ planned: behind, started: behind, success: behind });
        // What is sent within a step of the clock comes at its end.
        expect(before).toBeGreaterThanOrEqual(cameAt.filter((at) => at < changes.warmup).length);
        expect(before).toBeLessThanOrEqual(cameAt.filter((at) => at <= changes.warmup + 10).length);
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test.each([
    [1500, 2000, 8000],
    [700, 1000, 4000],
    [2500, 1000, 3000],
  ])(
    'the rate is what clients do in the rest, where an answer takes %i ms',
    async (time, warmup, duration) => {
      const changes = { testType: 'cycling' as const, initial: 6, total: 6, duration, warmup, threads: 2 };
      const { report } = await play(after(time), [{}], changes);
      expect(report.requestsPerSecond).toBeCloseTo(6000 / time, 1);
    },
  );

  test('nothing of the warm-up is in any figure, and connections that stay open were made in it', async () => {
    const reply: RawReply = (_request, write) => {
      const warm = virtualTimeOf() >= 2000;
      setTimeout(write, warm ? 20 : 500, responseText(warm ? 200 : 500, ''));
    };
    const changes = { testType: 'cycling' as const, initial: 5, total: 5, duration: 4000, warmup: 2000 };
    const { report, warmup } = await play(reply, [{}], { ...changes, threads: 3 });
    expect(warmup).toMatchObject({ started: 20, success: 0, httpError: { 500: 20 } });
    expect(report.total).toMatchObject({ statusCodes: { 200: 500 }, latency: { min: 20, max: 20 } });
    expect(report).toMatchObject({ errorSamples: [], connect: null, peakConnections: 5 });
    expect(report.requestsPerSecond).toBeCloseTo(250, 0);
    expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
  });

  test('an outage counts as far as it lies behind the warm-up', async () => {
    const dead: RawReply = (_request, write) => {
      const at = virtualTimeOf();
      const gone = (from: number, to: number): boolean => at >= from && at < to;
      const until = gone(2000, 8000) ? 8000 : gone(12_000, 22_000) ? 22_000 : at + 10;
      setTimeout(write, until - at, responseText(200, ''));
    };
    const changes = {
      ...{ testType: 'cycling' as const, initial: 10, total: 10, duration: 40_000, timeout: 15_000 },
      threads: 2,
    };
    const { report } = await play(dead, [{ delay: delayOf(90) }], { ...changes, warmup: 17_000 });
    expect(report.outage.spans).toBe(1);
    expect(report.outage.seconds).toBeCloseTo(5, 0);
    // A hundred requests a second.
    expect(Math.abs(report.total.omitted - 500)).toBeLessThan(30);
  });
});

describe('error_threshold', () => {
  test.each(['cycling', 'per-second'] as const)('%s: looks at the warm-up as well', async (testType) => {
    const broken: RawReply = (_request, write) => {
      setTimeout(write, 10, responseText(500, ''));
    };
    const changes = { testType, initial: 10, total: 10, duration: 9000, warmup: 5000, errorThreshold: 50 };
    const { report, warmup } = await play(broken, [{}], changes);
    expect(report).toMatchObject({ abortReason: 'error_threshold', abortCertain: true });
    expect(report.warmup?.complete).toBe(false);
    expect(report.elapsed).toBeLessThan(4000);
    expect(warmup.success).toBe(0);
    expect(report.total.ledger.started).toBe(0);
  });
});

/** Pace, end and response times, verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rampsOf } from '../../../src/core/model/ramps.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import type { TestType } from '../../../src/core/model/load-test.ts';
import { drainTime } from '../../../src/core/model/peak-load.ts';
import { milliseconds, seconds } from '../../../src/core/units.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';
import { sampleRows, scaleCount } from '../../support/test-scale.ts';

const after =
  (delay: number): RawReply =>
  (_request, write) => {
    if (delay === 0) write(responseText(200, ''));
    else setTimeout(write, delay, responseText(200, ''));
  };

interface SimulatedRun {
  readonly report: RunReport;
  readonly shop: RawTarget;
  /** Arrival of each request, in ms from the start of the run. */
  readonly arrivals: readonly number[];
}

/** Simulates a test of one URL. */
async function simulate(
  reply: RawReply,
  changes: JobChanges,
  events: VirtualRunEvents = {},
): Promise<SimulatedRun> {
  const shop = await openRawTarget(reply);
  const report = await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, events);
  return { report, shop, arrivals: shop.requests.map(({ at }) => virtualTimeOf(at)) };
}

/** Counts the arrivals in each second. */
function countPerSecond(times: readonly number[], seconds: number): readonly number[] {
  const counts = new Array<number>(seconds).fill(0);
  for (const at of times) counts[Math.floor(at / 1000)] = (counts[Math.floor(at / 1000)] ?? 0) + 1;
  return counts;
}

/** Returns the number of connections that a ramp defines for an instant. */
function expectedConnections(ramp: { initial: number; total: number; duration: number }, at: number): number {
  return ramp.initial + ((ramp.total - ramp.initial) * at) / ramp.duration;
}

const threads = fc.integer({ min: 1, max: 8 });

describe('the pace of a test', () => {
  test('in nested groups, a delay follows each request except the last request of an iteration', async () => {
    const shop = await openRawTarget(after(20));
    const pause = (ms: number) => ({ min: milliseconds(ms), max: milliseconds(ms) });
    const targets = [100, 300].map((ms) => targetOf(shop.port, { path: `/${ms}`, delay: pause(ms) }));
    const groups = [
      { first: 0, count: 2, repeat: 2 },
      { first: 0, count: 1, repeat: 2 },
    ];
    const job = jobOf(targets, { testType: 'non-cycling', total: 1, duration: 1000, groups });
    const report = await runInVirtualTime(job, shop);
    expect(shop.requests.map(({ path, at }) => [path, virtualTimeOf(at)])).toEqual([
      ['/100', 0],
      ['/100', 120],
      ['/300', 240],
      ['/100', 560],
      ['/100', 680],
      ['/300', 800],
    ]);
    // The delays, and one timeout for all responses.
    expect(drainTime(job)).toBe(10_700);
    expect(report.total.ledger).toMatchObject({ planned: 6, success: 6 });
  });

  test('in the open models, each client starts exactly when it is due, for any number of clients and threads', async () => {
    const anyTest = fc.record({
      testType: fc.constantFrom('non-cycling' as const, 'per-second' as const),
      total: fc.integer({ min: 1, max: 60 }),
      seconds: fc.integer({ min: 1, max: 4 }),
      threads,
      delay: fc.constantFrom(0, 3, 700),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ testType, total, seconds, threads: threadCount, delay }) => {
        const duration = seconds * 1000;
        const { report, arrivals, shop } = await simulate(after(delay), {
          testType,
          total,
          duration,
          threads: threadCount,
        });
        const clients = testType === 'per-second' ? total * seconds : total;
        const { ledger } = report.total;
        expect(ledger).toMatchObject({ planned: clients, started: clients, success: clients });
        expect(shop.connections()).toBe(clients);
        // The clock ticks each millisecond; a client starts at the first tick that is not before it is due.
        expect(arrivals).toEqual(arrivals.map((_, client) => Math.ceil((client * duration) / clients)));
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('in a non-cycling test, an idle thread checks its lease fewer than 600 times in 2 s and starts each client on time', async () => {
    let checkCount = 0;
    const hasLapsed = (): boolean => {
      checkCount++;
      return false;
    };
    const changes = { testType: 'non-cycling' as const, total: 20, duration: 2000 };
    const { arrivals } = await simulate(after(0), changes, { hasLapsed });
    expect(arrivals).toEqual(Array.from({ length: 20 }, (_, client) => client * 100));
    // There are two checks per turn: one turn in 10 ms, and a few more for each response.
    expect(checkCount).toBeLessThan(600);
  });

  test.each(sampleRows([333, 60, 7, 1], 2))(
    'in a per-second test with "total: %i", exactly this number of clients starts in each second',
    async (total) => {
      const { arrivals, report } = await simulate(after(0), {
        testType: 'per-second',
        total,
        duration: 2000,
        threads: 4,
      });
      expect(countPerSecond(arrivals, 2)).toEqual([total, total]);
      expect(report.timeline.map(({ started }) => started).slice(0, 2)).toEqual([total, total]);
    },
  );

  test('in a per-second test with stages, clients start at the times that the stages define, on one and three threads', async () => {
    const ramps = rampsOf('rate', 0, [
      { duration: seconds(2), to: 60 },
      { duration: seconds(2), to: 60 },
      { duration: seconds(2), to: 0 },
    ]);
    const changes = { testType: 'per-second' as const, total: 60, duration: 6000, ramps };
    for (const threadCount of [1, 3]) {
      const { arrivals, report, shop } = await simulate(after(20), { ...changes, threads: threadCount });
      // Area below the curve: 60·t²/4 for two seconds, then 60 per second, then the reverse.
      expect(countPerSecond(arrivals, 6)).toEqual([15, 45, 60, 60, 45, 15]);
      expect(arrivals.slice(0, 60)).toEqual(
        Array.from({ length: 60 }, (_, n) => Math.ceil(Math.sqrt(n / 15) * 1000)),
      );
      expect(report.total.ledger).toMatchObject({ planned: 240, started: 240, success: 240 });
      expect(report.delivery).toMatchObject({ model: 'open', due: 240, neverStarted: 0 });
      expect(shop.connections()).toBe(240);
    }
  });

  test.each([
    ['constant', { total: 12.5, ramps: null }, 4000, (n: number) => n * 80],
    [
      'increasing',
      { total: 2.5, ramps: rampsOf('rate', 0.5, [{ duration: seconds(20), to: 2.5 }]) },
      20_000,
      // n = t/2 + t²/20
      (n: number) => (-5 + Math.sqrt(25 + 20 * n)) * 1000,
    ],
  ] as const)(
    'with a fractional rate that is %s, each client starts when the integral of the rate reaches the client number',
    async (_, changes, duration, due) => {
      for (const threadCount of [1, 4]) {
        const { arrivals, report } = await simulate(after(0), {
          ...changes,
          testType: 'per-second',
          duration,
          threads: threadCount,
        });
        const clients = changes.ramps === null ? 50 : 30;
        expect(report.total.ledger).toMatchObject({ planned: clients, started: clients, success: clients });
        expect(arrivals).toEqual(
          Array.from({ length: clients }, (__, n) => Math.max(0, Math.ceil(due(n) - 1e-6))),
        );
      }
    },
  );

  test('in a test with flows, the number of a client determines its flow on any number of threads', async () => {
    const flows = [
      { name: 'browse', weight: 70, urls: 2 },
      { name: 'buy', weight: 30, urls: 1 },
    ];
    for (const threadCount of [1, 3]) {
      const shop = await openRawTarget(after(0));
      const targets = ['/', '/list', '/buy'].map((path) => targetOf(shop.port, { path }));
      const job = jobOf(targets, {
        testType: 'per-second',
        total: 10,
        duration: 3000,
        flows,
        threads: threadCount,
      });
      const report = await runInVirtualTime(job, shop);
      const firsts = shop.requests.filter(({ path }) => path !== '/list').map(({ path }) => path);
      const period = ['/', '/', '/buy', '/', '/', '/buy', '/', '/', '/', '/buy'];
      expect(firsts).toEqual([...period, ...period, ...period]);
      expect(report.total.ledger).toMatchObject({ planned: 51, started: 51, success: 51 });
      expect(report.targets.map(({ ledger }) => ledger.success)).toEqual([21, 21, 9]);
    }
  });

  test('in a cycling test with stages, the number of connections follows the stages on any number of threads', async () => {
    const stages = [
      { duration: seconds(2), to: 20 },
      { duration: seconds(1), to: 20 },
      { duration: seconds(2), to: 0 },
      { duration: seconds(1), to: 0 },
      { duration: seconds(0), to: 10 },
      { duration: seconds(1), to: 10 },
    ];
    const levels = [0, 20, 20, 0, 0, 10, 10];
    const changes = { testType: 'cycling' as const, total: 20, duration: 7000 };
    const ramps = rampsOf('connections', 0, stages);
    for (const threadCount of [1, 3]) {
      const samples: (readonly [at: number, open: number])[] = [];
      const shop = await openRawTarget(after(50));
      const watch = (at: number): void => {
        if (at > 0 && at < 7000 && at % 500 === 0) samples.push([at, shop.open()]);
      };
      const job = jobOf([targetOf(shop.port)], { ...changes, ramps, threads: threadCount });
      const report = await runInVirtualTime(job, shop, { watch });
      const deviations = samples.filter(([at, open]) => {
        let start = 0;
        const stage = stages.findIndex(({ duration }) => at < (start += duration));
        const { duration, to } = stages[stage] ?? { duration: 1, to: 0 };
        const line = to + (((levels[stage] ?? 0) - to) * (start - at)) / duration;
        return Math.abs(open - line) > 1.5;
      });
      expect(deviations).toEqual([]);
      expect(report.total.ledger).toMatchObject({
        started: shop.requests.length,
        success: shop.requests.length,
      });
      expect(report.peakConnections).toBe(20);
      expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
      expect(shop.connections()).toBe(30);
    }
  });

  test('in a cycling test, the number of connections follows the ramp, and every iteration is completed', async () => {
    const anyTest = fc.record({
      initial: fc.nat(20),
      total: fc.integer({ min: 1, max: 20 }),
      seconds: fc.integer({ min: 1, max: 3 }),
      threads,
      delay: fc.constantFrom(10, 50, 130),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ initial, total, seconds, threads: threadCount, delay }) => {
        const duration = seconds * 1000;
        const changes = { testType: 'cycling' as const, initial, total, duration, threads: threadCount };
        const deviations: (readonly [at: number, open: number, line: number])[] = [];
        const shop = await openRawTarget(after(delay));
        const watch = (at: number): void => {
          if (at < 0 || at >= duration || at % 100 !== 0) return;
          const [open, expected] = [shop.open(), expectedConnections(changes, at)];
          // On the way down, clients finish their iteration first.
          const leaving = total < initial ? ((initial - total) * delay) / duration : 0;
          if (open < expected - 1 || open > expected + 1 + leaving) deviations.push([at, open, expected]);
        };
        const report = await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, { watch });
        expect(deviations).toEqual([]);
        const { ledger } = report.total;
        expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
        expect(ledger.started).toBe(countIterations(changes, delay));
        if (total < initial) return;
        for (const { second, connections } of report.timeline.slice(0, seconds)) {
          expect(
            Math.abs(connections - expectedConnections(changes, (second + 1) * 1000)),
          ).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: scaleCount(15) },
    );
  });

  /**
   * Returns the expected number of iterations. A client sends a request at its start and after each response,
   * until its end.
   */
  function countIterations(
    ramp: { initial: number; total: number; duration: number },
    delay: number,
  ): number {
    const { initial, total, duration } = ramp;
    let iterations = 0;
    for (let client = 0; client < Math.max(initial, total); client++) {
      const due = client < initial ? 0 : ((client - initial) * duration) / (total - initial);
      const until =
        client < total || initial <= total ? duration : ((initial - client) * duration) / (initial - total);
      // The clock ticks every ten milliseconds.
      const start = Math.ceil(due / 10) * 10;
      if (due < duration && start <= duration) iterations += Math.max(1, Math.ceil((until - start) / delay));
    }
    return iterations;
  }

  const ends: readonly (readonly [TestType, seconds: number, JobChanges])[] = [
    ['cycling', 1, { initial: 3, total: 3 }],
    ['cycling', 20, { initial: 1, total: 5 }],
    ['cycling', 60, { initial: 2, total: 2 }],
    ['non-cycling', 1, { total: 7 }],
    ['non-cycling', 20, { total: 33 }],
    ['per-second', 1, { total: 5 }],
    ['per-second', 20, { total: 2 }],
  ];
  test.each(sampleRows(ends, 4))(
    'a %s test of %i s ends when its duration is over and its last response has arrived, at most 100 ms late',
    async (testType, seconds, changes) => {
      const duration = seconds * 1000;
      const delay = 480;
      const { report, arrivals } = await simulate(after(delay), {
        testType,
        ...changes,
        duration,
        timeout: 5000,
      });
      const last = Math.max(...arrivals) + delay;
      expect(Math.max(...arrivals)).toBeLessThan(duration);
      expect(report.elapsed).toBeGreaterThanOrEqual(Math.max(last, duration));
      expect(report.elapsed).toBeLessThanOrEqual(Math.max(last, duration) + 100);
    },
  );
});

describe('the timeout', () => {
  test.each([
    ['60 ms', 60, { testType: 'cycling', initial: 60, total: 60, duration: 6000 }, 720],
    ['a single millisecond', 1, { testType: 'per-second', total: 333, duration: 1000 }, 333],
  ] as const)(
    'responses that arrive %s before the timeout succeed, and responses after the timeout count as timeouts',
    async (_name, offsetMs, changes, minRequests) => {
      const timeout = 500;
      let earlyCount = 0;
      const closed: number[] = [];
      const reply: RawReply = ({ path, at }, write, socket) => {
        if (path === '/1') {
          earlyCount++;
          setTimeout(write, timeout - offsetMs, responseText(200, ''));
        } else {
          setTimeout(write, timeout + offsetMs, responseText(201, ''));
          socket.once('close', () => closed.push(performance.now() - at));
        }
      };
      const shop = await openRawTarget(reply);
      const job = jobOf([targetOf(shop.port, { path: '/%{1,2}' })], { ...changes, threads: 1, timeout });
      const { total } = await runInVirtualTime(job, shop);
      expect(shop.requests.length).toBeGreaterThanOrEqual(minRequests);
      const lateCount = shop.requests.length - earlyCount;
      // No late response is counted in any other class.
      expect(total.statusCodes).toEqual({ 200: earlyCount });
      expect(total.ledger).toMatchObject({
        started: earlyCount + lateCount,
        network: {},
        protocol: {},
        abandoned: 0,
      });
      expect(total.ledger.timeout).toEqual({ connect: 0, tls: 0, response: lateCount });
      // The connections are closed after the timeout, which is checked every 50 ms.
      expect(closed).toHaveLength(lateCount);
      expect(Math.min(...closed)).toBeGreaterThanOrEqual(timeout);
      expect(Math.max(...closed)).toBeLessThanOrEqual(timeout + 60);
    },
  );
});

describe('the error threshold', () => {
  /** Twenty requests per second, which fail from the fifth second on. */
  const changes = { testType: 'cycling', initial: 4, total: 4, duration: 60_000 } as const;
  const failAfter5Seconds: RawReply = (_request, write) => {
    setTimeout(() => write(responseText(virtualTimeOf() > 5000 ? 500 : 200, '')), 200);
  };

  test.each(sampleRows([50, 90, 1, 10], 2))(
    'a run with an error threshold of %i percent ends when the share of failed requests reaches the threshold',
    async (errorThreshold) => {
      const { report, arrivals } = await simulate(failAfter5Seconds, { ...changes, errorThreshold });
      const expected = 5000 / (1 - errorThreshold / 100);
      expect(report.abortReason).toBe('error_threshold');
      // The last response in flight arrives 200 ms later.
      expect(Math.max(...arrivals)).toBeGreaterThan(expected - 300);
      expect(Math.max(...arrivals)).toBeLessThan(expected + 500);
      expect(report.elapsed).toBeLessThan(expected + 800);
    },
  );

  test('an error threshold of 100 percent does not end a run in which some requests succeed, even with 400 failed requests', async () => {
    const { report } = await simulate(failAfter5Seconds, {
      ...changes,
      duration: 25_000,
      errorThreshold: 100,
    });
    expect(report.abortReason).toBeNull();
    expect(report.total.ledger.httpError[500]).toBe(400);
    expect(report.elapsed).toBeGreaterThanOrEqual(25_000);
  });
});

describe('an early end', () => {
  const stopped = ['stopped', 'stopped'] as const;
  const aborted = ['verification_lost', 'aborted'] as const;
  // By default, each test type with one of the reasons.
  const rows = [
    ...[stopped, aborted].map((reason) => ['cycling', ...reason] as const),
    ...[aborted, stopped].map((reason) => ['non-cycling', ...reason] as const),
    ...[stopped, aborted].map((reason) => ['per-second', ...reason] as const),
  ];
  test.each(sampleRows(rows, 3))(
    'after a %s test is ended with the reason %s, no further request starts, and requests in flight finish',
    async (testType, reason, unstarted) => {
      const stop = { at: 1230, reason };
      const { report, arrivals } = await simulate(
        after(170),
        { testType, initial: 20, total: 100, duration: 4000, threads: 3 },
        { stop },
      );
      const { ledger } = report.total;
      expect(Math.max(...arrivals)).toBeLessThanOrEqual(stop.at);
      expect(report.abortReason).toBe(reason);
      expect(ledger).toMatchObject({ started: arrivals.length, success: arrivals.length, abandoned: 0 });
      const planned = { cycling: arrivals.length, 'non-cycling': 100, 'per-second': 400 }[testType];
      expect(ledger.planned).toBe(planned);
      expect(ledger.notStarted[unstarted]).toBe(planned - arrivals.length);
      expect(report.elapsed).toBeLessThanOrEqual(stop.at + 170 + 100);
    },
  );

  test('if a run without responses is stopped, it ends after the timeout of its last requests and closes all connections', async () => {
    const { report, shop } = await simulate(
      () => undefined,
      { testType: 'per-second', total: 100, duration: 4000, timeout: 500 },
      { stop: { at: 1000, reason: 'stopped' } },
    );
    const { ledger } = report.total;
    expect(ledger).toMatchObject({ planned: 400, started: 101, notStarted: { stopped: 299 } });
    expect(ledger.timeout.response + ledger.abandoned).toBe(101);
    expect(report.elapsed).toBeLessThanOrEqual(1600);
    expect(shop.open()).toBe(0);
  });
});

describe('a stall of five seconds in a run of 30 seconds', () => {
  const rate = { testType: 'per-second', total: 20, duration: 30_000, timeout: 10_000 } as const;

  test('a stall of the target increases the response times', async () => {
    const stallingReply: RawReply = (_request, write) => {
      const at = virtualTimeOf();
      const wait = at >= 10_000 && at < 15_000 ? 15_000 - at : 0;
      setTimeout(write, wait, responseText(200, ''));
    };
    const { report } = await simulate(stallingReply, rate);
    const { latency, ledger } = report.total;
    // During 5 of 30 s, a request waits for the rest of the stall: more than x seconds for (5 − x)/30 of all
    // requests.
    expect(ledger).toMatchObject({ planned: 600, success: 600 });
    expect(Math.abs((latency?.p90 ?? 0) - 2000)).toBeLessThan(30);
    expect(Math.abs((latency?.p99 ?? 0) - 4700)).toBeLessThan(50);
    expect(latency?.p50).toBeLessThan(5);
    expect(report.generator.overloaded).toBe(false);
  });

  test('after a stall of the load generator, clients more than a second late never start, and the response times of other clients include the delay', async () => {
    const { report } = await simulate(after(0), rate, { stall: { at: 10_000, lasting: 5000 } });
    const { latency, serviceTime, ledger } = report.total;
    expect(Math.abs(ledger.notStarted.saturated - 80)).toBeLessThan(2);
    expect(ledger.success).toBe(600 - ledger.notStarted.saturated);
    expect(Math.abs((latency?.p99 ?? 0) - 700)).toBeLessThan(30);
    expect(serviceTime?.p99).toBeLessThan(5);
    expect(report.generator.overloaded).toBe(true);
  });

  test('a thread that is busy for 90 ms at a time starts all 1,200 clients of a cycling test', async () => {
    const { report, shop } = await simulate(
      after(100),
      { testType: 'cycling', initial: 1200, total: 1200, duration: 1000, threads: 1 },
      { busyFor: 90 },
    );
    expect(shop.connections()).toBe(1200);
    expect(report.machine?.longestStall).toBeGreaterThan(80);
    expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
  });

  test('in a cycling test, the load generator is reported as overloaded after it stalls', async () => {
    const { report } = await simulate(
      after(100),
      { testType: 'cycling', initial: 5, total: 5, duration: 30_000, timeout: 10_000, threads: 2 },
      { stall: { at: 10_000, lasting: 5000 } },
    );
    expect(report.generator.overloaded).toBe(true);
    expect(Math.abs(report.generator.lagP99 - 4700)).toBeLessThan(50);
  });
});

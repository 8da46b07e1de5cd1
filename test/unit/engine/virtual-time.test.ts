/** Paces, ends and times in closed form: real loops and sockets, on a clock that is never late. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rampsOf } from '../../../src/core/load/ramps.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import type { TestType } from '../../../src/core/model/load-test.ts';
import { seconds } from '../../../src/core/units.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';
import { scaleCount } from '../../support/test-scale.ts';

const after =
  (delay: number): RawReply =>
  (_request, write) => {
    if (delay === 0) write(responseText(200, ''));
    else setTimeout(write, delay, responseText(200, ''));
  };

interface Played {
  readonly report: RunReport;
  readonly shop: RawTarget;
  /** When each request came, in ms from the start of the run. */
  readonly cameAt: readonly number[];
}

/** Plays a test of one URL. */
async function play(reply: RawReply, changes: JobChanges, meanwhile: VirtualRunEvents = {}): Promise<Played> {
  const shop = await openRawTarget(reply);
  const report = await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, meanwhile);
  return { report, shop, cameAt: shop.requests.map(({ at }) => virtualTimeOf(at)) };
}

/** The number of starts in each second. */
function bySecond(times: readonly number[], seconds: number): readonly number[] {
  const counts = new Array<number>(seconds).fill(0);
  for (const at of times) counts[Math.floor(at / 1000)] = (counts[Math.floor(at / 1000)] ?? 0) + 1;
  return counts;
}

/** What a ramp promises at an instant. */
function line(ramp: { initial: number; total: number; duration: number }, at: number): number {
  return ramp.initial + ((ramp.total - ramp.initial) * at) / ramp.duration;
}

const threads = fc.integer({ min: 1, max: 8 });

describe('the pace of a test', () => {
  test('open: any number of clients in any time on any number of threads, each exactly when it is due', async () => {
    const anyTest = fc.record({
      testType: fc.constantFrom('non-cycling' as const, 'per-second' as const),
      total: fc.integer({ min: 1, max: 150 }),
      seconds: fc.integer({ min: 1, max: 4 }),
      threads,
      delay: fc.constantFrom(0, 3, 700),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ testType, total, seconds, threads: workers, delay }) => {
        const duration = seconds * 1000;
        const { report, cameAt, shop } = await play(after(delay), {
          testType,
          total,
          duration,
          threads: workers,
        });
        const clients = testType === 'per-second' ? total * seconds : total;
        const { ledger } = report.total;
        expect(ledger).toMatchObject({ planned: clients, started: clients, success: clients });
        expect(shop.connections()).toBe(clients);
        // The clock ticks each millisecond; a client starts at the first tick that is not before it is due.
        expect(cameAt).toEqual(cameAt.map((_, client) => Math.ceil((client * duration) / clients)));
      }),
      { numRuns: scaleCount(15) },
    );
  });

  test('open: a thread sleeps while nothing is on its way, and wakes for its next client', async () => {
    let looks = 0;
    const hasLapsed = (): boolean => {
      looks++;
      return false;
    };
    const few = { testType: 'non-cycling' as const, total: 20, duration: 2000 };
    const { cameAt } = await play(after(0), few, { hasLapsed });
    expect(cameAt).toEqual(Array.from({ length: 20 }, (_, client) => client * 100));
    // It looks twice in a turn: one turn in 10 ms, and some more for each answer.
    expect(looks).toBeLessThan(600);
  });

  test('non-cycling: the starts are uniform', async () => {
    const [clients, duration] = [997, 7000];
    const { cameAt } = await play(after(0), { total: clients, duration, threads: 3 });
    // The distance of Kolmogorov and Smirnov; above 1.63/√n uniform starts would be there once in a hundred times.
    const distances = cameAt.map((at, index) =>
      Math.max(Math.abs(at / duration - index / clients), Math.abs(at / duration - (index + 1) / clients)),
    );
    expect(cameAt).toHaveLength(clients);
    expect(Math.max(...distances)).toBeLessThan(1.63 / Math.sqrt(clients));
  });

  test.each([1, 7, 60, 333])('per-second: %i clients in each second', async (total) => {
    const { cameAt, report } = await play(after(0), {
      testType: 'per-second',
      total,
      duration: 5000,
      threads: 4,
    });
    expect(bySecond(cameAt, 5)).toEqual(new Array(5).fill(total));
    expect(report.timeline.map(({ started }) => started).slice(0, 5)).toEqual(new Array(5).fill(total));
  });

  test('per-second in stages: the same clients at the same times on any number of threads', async () => {
    const ramps = rampsOf('rate', 0, [
      { duration: seconds(2), to: 60 },
      { duration: seconds(2), to: 60 },
      { duration: seconds(2), to: 0 },
    ]);
    const changes = { testType: 'per-second' as const, total: 60, duration: 6000, ramps };
    for (const workers of [1, 3]) {
      const { cameAt, report, shop } = await play(after(20), { ...changes, threads: workers });
      // Areas below the line: 60·t²/4 up to two seconds, then 60 a second, then the same downwards.
      expect(bySecond(cameAt, 6)).toEqual([15, 45, 60, 60, 45, 15]);
      expect(cameAt.slice(0, 60)).toEqual(
        Array.from({ length: 60 }, (_, n) => Math.ceil(Math.sqrt(n / 15) * 1000)),
      );
      expect(report.total.ledger).toMatchObject({ planned: 240, started: 240, success: 240 });
      expect(report.delivery).toMatchObject({ model: 'open', due: 240, never: 0 });
      expect(shop.connections()).toBe(240);
    }
  });

  test('cycling in stages: connections go down and up again, on any number of threads', async () => {
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
    for (const workers of [1, 3]) {
      const seen: (readonly [at: number, open: number])[] = [];
      const shop = await openRawTarget(after(30));
      const watch = (at: number): void => {
        if (at > 0 && at < 7000 && at % 500 === 0) seen.push([at, shop.open()]);
      };
      const job = jobOf([targetOf(shop.port)], { ...changes, ramps, threads: workers });
      const report = await runInVirtualTime(job, shop, { watch });
      const away = seen.filter(([at, open]) => {
        let start = 0;
        const stage = stages.findIndex(({ duration }) => at < (start += duration));
        const { duration, to } = stages[stage] ?? { duration: 1, to: 0 };
        const line = to + (((levels[stage] ?? 0) - to) * (start - at)) / duration;
        return Math.abs(open - line) > 1.5;
      });
      expect(away).toEqual([]);
      expect(report.total.ledger).toMatchObject({
        started: shop.requests.length,
        success: shop.requests.length,
      });
      expect(report.peakConnections).toBe(20);
      expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
      expect(shop.connections()).toBe(30);
    }
  });

  test('cycling: the connections follow the line up and down, and every pass is made', async () => {
    const anyTest = fc.record({
      initial: fc.nat(60),
      total: fc.integer({ min: 1, max: 60 }),
      seconds: fc.integer({ min: 1, max: 4 }),
      threads,
      delay: fc.constantFrom(10, 50, 130),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ initial, total, seconds, threads: workers, delay }) => {
        const duration = seconds * 1000;
        const changes = { testType: 'cycling' as const, initial, total, duration, threads: workers };
        const away: (readonly [at: number, open: number, line: number])[] = [];
        const shop = await openRawTarget(after(delay));
        const watch = (at: number): void => {
          if (at < 0 || at >= duration || at % 100 !== 0) return;
          const [open, wanted] = [shop.open(), line(changes, at)];
          // On the way down a pass is ended first.
          const stillIn = total < initial ? ((initial - total) * delay) / duration : 0;
          if (open < wanted - 1 || open > wanted + 1 + stillIn) away.push([at, open, wanted]);
        };
        const report = await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, { watch });
        expect(away).toEqual([]);
        const { ledger } = report.total;
        expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
        expect(ledger.started).toBe(passesOf(changes, delay));
        if (total < initial) return;
        for (const { second, connections } of report.timeline.slice(0, seconds)) {
          expect(Math.abs(connections - line(changes, (second + 1) * 1000))).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: scaleCount(15) },
    );
  });

  /** Each client sends at once what it may: at its start and after each answer, until its time is over. */
  function passesOf(ramp: { initial: number; total: number; duration: number }, delay: number): number {
    const { initial, total, duration } = ramp;
    let passes = 0;
    for (let client = 0; client < Math.max(initial, total); client++) {
      const due = client < initial ? 0 : ((client - initial) * duration) / (total - initial);
      const until =
        client < total || initial <= total ? duration : ((initial - client) * duration) / (initial - total);
      // The clock ticks each ten milliseconds.
      const start = Math.ceil(due / 10) * 10;
      if (due < duration && start <= duration) passes += Math.max(1, Math.ceil((until - start) / delay));
    }
    return passes;
  }

  test.each<readonly [TestType, seconds: number, JobChanges]>([
    ['cycling', 1, { initial: 3, total: 3 }],
    ['cycling', 60, { initial: 1, total: 5 }],
    ['cycling', 120, { initial: 2, total: 2 }],
    ['non-cycling', 1, { total: 7 }],
    ['non-cycling', 60, { total: 100 }],
    ['per-second', 1, { total: 5 }],
    ['per-second', 60, { total: 2 }],
  ])('%s: a test of %i s ends with the last answer', async (testType, seconds, changes) => {
    const duration = seconds * 1000;
    const delay = 480;
    const { report, cameAt } = await play(after(delay), { testType, ...changes, duration, timeout: 5000 });
    const last = Math.max(...cameAt) + delay;
    expect(Math.max(...cameAt)).toBeLessThan(duration);
    expect(report.elapsed).toBeGreaterThanOrEqual(Math.max(last, duration));
    expect(report.elapsed).toBeLessThanOrEqual(Math.max(last, duration) + 100);
  });
});

describe('the time-out', () => {
  test.each([
    ['60 ms', 60, { testType: 'cycling', initial: 200, total: 200, duration: 25_000 }, 10_000],
    ['a single millisecond', 1, { testType: 'per-second', total: 1000, duration: 2000 }, 2000],
  ] as const)(
    'answers %s before and after it are told apart, each one',
    async (_name, away, changes, least) => {
      const timeout = 500;
      let early = 0;
      const closed: number[] = [];
      const reply: RawReply = ({ path, at }, write, socket) => {
        if (path === '/1') {
          early++;
          setTimeout(write, timeout - away, responseText(200, ''));
        } else {
          setTimeout(write, timeout + away, responseText(201, ''));
          socket.once('close', () => closed.push(performance.now() - at));
        }
      };
      const shop = await openRawTarget(reply);
      const job = jobOf([targetOf(shop.port, { path: '/%{1,2}' })], { ...changes, threads: 1, timeout });
      const { total } = await runInVirtualTime(job, shop);
      expect(shop.requests.length).toBeGreaterThanOrEqual(least);
      const late = shop.requests.length - early;
      // None of the late answers was taken for anything.
      expect(total.statusCodes).toEqual({ 200: early });
      expect(total.ledger).toMatchObject({ started: early + late, network: {}, protocol: {}, abandoned: 0 });
      expect(total.ledger.timeout).toEqual({ connect: 0, tls: 0, response: late });
      // Their connections were closed when the time was over, which is looked for every 50 ms.
      expect(closed).toHaveLength(late);
      expect(Math.min(...closed)).toBeGreaterThanOrEqual(timeout);
      expect(Math.max(...closed)).toBeLessThanOrEqual(timeout + 60);
    },
  );
});

describe('the error threshold', () => {
  /** Twenty requests a second; from the tenth second on they fail. */
  const failing = { testType: 'cycling', initial: 4, total: 4, duration: 120_000 } as const;
  const from10: RawReply = (_request, write) => {
    setTimeout(() => {
      write(responseText(virtualTimeOf() > 10_000 ? 500 : 200, ''));
    }, 200);
  };

  test.each([1, 10, 50, 90])(
    '%i percent of all so far ends the run when that share is reached',
    async (errorThreshold) => {
      const { report, cameAt } = await play(from10, { ...failing, errorThreshold });
      const expected = 10_000 / (1 - errorThreshold / 100);
      expect(report.abortReason).toBe('error_threshold');
      // Of what was in flight then, the last answer comes 200 ms later.
      expect(Math.max(...cameAt)).toBeGreaterThan(expected - 300);
      expect(Math.max(...cameAt)).toBeLessThan(expected + 500);
      expect(report.elapsed).toBeLessThan(expected + 800);
    },
  );

  test('100 percent never ends it', async () => {
    const { report } = await play(from10, { ...failing, duration: 30_000, errorThreshold: 100 });
    expect(report.abortReason).toBeNull();
    expect(report.total.ledger.httpError[500]).toBe(400);
    expect(report.elapsed).toBeGreaterThanOrEqual(30_000);
  });
});

describe('an end before the end', () => {
  test.each(
    (['cycling', 'non-cycling', 'per-second'] as const).flatMap((testType) => [
      [testType, 'stopped', 'stopped'] as const,
      [testType, 'consent_withdrawn', 'aborted'] as const,
    ]),
  )('%s, %s: nothing starts any more, what is in flight may end', async (testType, reason, unstarted) => {
    const stop = { at: 1230, reason };
    const { report, cameAt } = await play(
      after(170),
      { testType, initial: 20, total: 400, duration: 4000, threads: 3 },
      { stop },
    );
    const { ledger } = report.total;
    expect(Math.max(...cameAt)).toBeLessThanOrEqual(stop.at);
    expect(report.abortReason).toBe(reason);
    expect(ledger).toMatchObject({ started: cameAt.length, success: cameAt.length, abandoned: 0 });
    const planned = { cycling: cameAt.length, 'non-cycling': 400, 'per-second': 1600 }[testType];
    expect(ledger.planned).toBe(planned);
    expect(ledger.notStarted[unstarted]).toBe(planned - cameAt.length);
    expect(report.elapsed).toBeLessThanOrEqual(stop.at + 170 + 100);
  });

  test('what does not end within the time-out is timed out, and nothing is left open', async () => {
    const { report, shop } = await play(
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

describe('a stall of five seconds in thirty', () => {
  const rate = { testType: 'per-second', total: 100, duration: 30_000, timeout: 10_000 } as const;

  test('of the target: the response times tell it as it was', async () => {
    const stalled: RawReply = (_request, write) => {
      const at = virtualTimeOf();
      const wait = at >= 10_000 && at < 15_000 ? 15_000 - at : 0;
      setTimeout(write, wait, responseText(200, ''));
    };
    const { report } = await play(stalled, rate);
    const { latency, ledger } = report.total;
    // Of 30 s, in 5 s somebody who comes waits 5 s less the time that has gone by: more than x for (5 − x)/30 of all.
    expect(ledger).toMatchObject({ planned: 3000, success: 3000 });
    expect(Math.abs((latency?.p90 ?? 0) - 2000)).toBeLessThan(30);
    expect(Math.abs((latency?.p99 ?? 0) - 4700)).toBeLessThan(50);
    expect(latency?.p50).toBeLessThan(5);
    expect(report.generator.overloaded).toBe(false);
  });

  test('of the generator: who was over a second late is not started, the response times of the others tell it', async () => {
    const { report } = await play(after(0), rate, { stall: { at: 10_000, lasting: 5000 } });
    const { latency, serviceTime, ledger } = report.total;
    expect(Math.abs(ledger.notStarted.saturated - 400)).toBeLessThan(3);
    expect(ledger.success).toBe(3000 - ledger.notStarted.saturated);
    expect(Math.abs((latency?.p99 ?? 0) - 740)).toBeLessThan(30);
    expect(serviceTime?.p99).toBeLessThan(5);
    expect(report.generator.overloaded).toBe(true);
  });

  test('of a busy thread, turn after turn: its clients begin as fast as on an idle one', async () => {
    const { report, shop } = await play(
      after(100),
      { testType: 'cycling', initial: 2000, total: 2000, duration: 2000, threads: 1 },
      { busyFor: 90 },
    );
    expect(shop.connections()).toBe(2000);
    expect(report.machine?.longestStall).toBeGreaterThan(80);
    expect(report.delivery).toEqual({ model: 'closed', heldShare: 1 });
  });

  test('of the generator in a cycling test: nobody believes the run', async () => {
    const { report } = await play(
      after(100),
      { testType: 'cycling', initial: 5, total: 5, duration: 30_000, timeout: 10_000, threads: 2 },
      { stall: { at: 10_000, lasting: 5000 } },
    );
    expect(report.generator.overloaded).toBe(true);
    expect(Math.abs(report.generator.lagP99 - 4700)).toBeLessThan(50);
  });
});

/** Counts and durations of iterations, verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { openRawTarget, responseText, type RawReply, type RawRequest } from '../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf, type VirtualRunEvents } from '../../support/virtual-run.ts';
import type { JobTarget } from '../../../src/core/load/load-job.ts';

const after =
  (ms: number, status = 200, headers: readonly string[] = []): RawReply =>
  (_request, write) => {
    setTimeout(write, ms, responseText(status, '', headers));
  };

const pause = (ms: number) => ({ min: milliseconds(ms), max: milliseconds(ms) });

interface Simulation {
  readonly reply?: RawReply;
  readonly urls?: readonly Partial<JobTarget>[];
  readonly events?: VirtualRunEvents;
}

/** Simulates a test of `/0`, `/1`, …: two URLs by default. */
async function simulate(
  changes: JobChanges,
  { reply = after(20), urls = [{}, {}], events = {} }: Simulation = {},
): Promise<{ readonly report: RunReport; readonly requests: readonly RawRequest[] }> {
  const shop = await openRawTarget(reply);
  const targets = urls.map((url, index) => targetOf(shop.port, { path: `/${index}`, ...url }));
  const report = await runInVirtualTime(jobOf(targets, changes), shop, events);
  return { report, requests: shop.requests };
}

const OPEN: JobChanges = { testType: 'non-cycling', total: 10, duration: 1000, threads: 1 };
const CLOSED: JobChanges = { testType: 'cycling', initial: 2, total: 2, duration: 1000, threads: 1 };

describe('durations of iterations', () => {
  test('in a non-cycling test, the duration of an iteration includes the delays between requests, but not the last delay', async () => {
    const { report } = await simulate(OPEN, {
      urls: [{ delay: pause(300) }, { delay: pause(1000) }],
    });
    expect(report.iterations).toMatchObject({ started: 10, completed: 10, failed: 0 });
    expect(report.iterations?.durations).toMatchObject({ min: 340, mean: 340, p95: 340, max: 340 });
    expect(report.total.latency).toMatchObject({ max: 20 });
  });

  test('in the closed model, the duration of an iteration excludes the think time of the previous iteration', async () => {
    const { report, requests } = await simulate(CLOSED, {
      urls: [{ delay: pause(100) }, { delay: pause(200) }],
    });
    // An iteration takes 140 ms, and the next one begins 200 ms later.
    const starts = requests.filter(({ path }) => path === '/0').map(({ at }) => virtualTimeOf(at));
    expect(starts).toEqual([0, 0, 340, 340, 680, 680]);
    expect(report.iterations).toMatchObject({ started: 6, completed: 6 });
    expect(report.iterations?.durations).toMatchObject({ min: 140, max: 140 });
  });

  test('the duration of an iteration includes its wait for a shared connection', async () => {
    const { report } = await simulate({ ...OPEN, testType: 'per-second', total: 20, connections: 1 });
    // Client n is due at 50 n. Each request takes 20 ms, so the clients do not wait for each other.
    expect(report.iterations?.durations).toMatchObject({ min: 40, max: 40 });
    const crowded = await simulate({ ...OPEN, testType: 'per-second', total: 100, connections: 1 });
    // 100 clients send 200 requests of 20 ms, one after the other.
    expect(crowded.report.iterations).toMatchObject({ started: 100, completed: 100 });
    expect(crowded.report.iterations?.durations?.max).toBeGreaterThan(1900);
  });

  test('the report contains no separate durations for iterations with one request', async () => {
    const { report } = await simulate(OPEN, { urls: [{}] });
    expect(report.iterations).toEqual({
      started: 10,
      completed: 10,
      failed: 0,
      withErrors: 0,
      missing: null,
      areRequests: true,
      durations: null,
      times: null,
    });
    expect(report.bounds.iterations).toBeUndefined();
  });

  test('the duration of an iteration with a redirect covers both requests, and the durations of all other iterations are their response times', async () => {
    let count = 0;
    const { report, requests } = await simulate(OPEN, {
      urls: [{}],
      reply: (request, write) => {
        const isRedirect = request.path === '/0' && ++count === 5;
        setTimeout(
          write,
          20,
          responseText(isRedirect ? 302 : 200, '', isRedirect ? ['Location: /other'] : []),
        );
      },
    });
    expect(requests).toHaveLength(11);
    expect(report.iterations).toMatchObject({ started: 10, completed: 10 });
    const counts = report.iterations?.times?.measured.counts ?? [];
    expect(counts.map(([, times]) => times)).toEqual([9, 1]);
    expect(report.iterations?.durations).toMatchObject({ min: 20, max: 40 });
  });

  test('iterations are counted and measured separately for each flow', async () => {
    const flows = [
      { name: 'long', weight: 1, urls: 2 },
      { name: 'short', weight: 3, urls: 1 },
    ];
    const { report } = await simulate({ ...OPEN, total: 20, flows, threads: 2 }, { urls: [{}, {}, {}] });
    const [long, short] = report.flows ?? [];
    expect(long?.iterations).toMatchObject({ started: 5, completed: 5 });
    expect(long?.iterations.durations).toMatchObject({ min: 40, max: 40 });
    expect(short?.iterations).toMatchObject({ started: 15, completed: 15 });
    expect(short?.iterations.durations).toMatchObject({ min: 20, max: 20 });
    expect(short?.bounds).toMatchObject({ iterations: { low: 15 } });
  });

  test('the duration of an iteration includes all repetitions of its groups', async () => {
    const groups = [{ first: 0, count: 1, repeat: 5 }];
    const { report } = await simulate({ ...OPEN, groups });
    expect(report.iterations?.durations).toMatchObject({ min: 120, max: 120 });
  });
});

describe('counts of iterations', () => {
  test('an iteration that ends early because of a failed request counts as failed, and an iteration with a failed last request as completed', async () => {
    const reply: RawReply = ({ path }, write) => write(responseText(path === '/0' ? 500 : 200, ''));
    const { report } = await simulate(OPEN, { reply, urls: [{ endsOnFailure: true }, {}] });
    expect(report.iterations).toMatchObject({ started: 10, completed: 0, failed: 10, withErrors: 10 });
    expect(report.iterations).toMatchObject({ areRequests: false, durations: null, times: null });
    // After the last request of an iteration, nothing is left to skip.
    const last = await simulate(OPEN, {
      reply,
      urls: [{ path: '/ok' }, { path: '/0', endsOnFailure: true }],
    });
    expect(last.report.iterations).toMatchObject({ completed: 10, failed: 0 });
  });

  test('iterations with a 503 response or a lost connection count as completed, and those with a lost connection have no duration', async () => {
    const failing = await simulate(OPEN, { reply: after(20, 503) });
    expect(failing.report.iterations).toMatchObject({ completed: 10 });
    expect(failing.report.iterations?.durations).toMatchObject({ min: 40 });
    const closing = await simulate(OPEN, {
      reply: ({ path }, write, socket) => {
        if (path === '/0') write(responseText(200, ''));
        else socket.destroy();
      },
      urls: [{}, { method: 'POST' }],
    });
    expect(closing.report.iterations).toMatchObject({ completed: 10, failed: 0 });
    expect(closing.report.iterations?.durations).toBeNull();
  });

  test('on one and four threads, the iteration error rate is the share of iterations with at least one failed request', async () => {
    let count = 0;
    const reply: RawReply = ({ path }, write) => {
      // Both requests of some iterations fail, and only one request of others.
      const status = path === '/0' || count++ % 5 === 0 ? 500 : 200;
      setTimeout(write, 20, responseText(status, ''));
    };
    const urls = [{ path: '/a' }, { path: '/b' }, { path: '/c' }];
    for (const threads of [1, 4]) {
      count = 0;
      const { report } = await simulate({ ...OPEN, threads }, { reply, urls });
      const { withErrors = 0, completed = 0 } = report.iterations ?? {};
      expect(completed).toBe(10);
      const failedRequests = report.total.ledger.httpError['500'] ?? 0;
      expect(failedRequests).toBe(6);
      expect(withErrors).toBeGreaterThanOrEqual(2);
      expect(withErrors).toBeLessThanOrEqual(6);
      const rate = 10 * withErrors;
      expect(report.bounds.iteration_error_rate).toEqual({ low: rate, high: rate });
      const ending = await simulate(
        { ...OPEN, threads },
        { reply, urls: [{}, { path: '/0', endsOnFailure: true }] },
      );
      expect(ending.report.iterations).toMatchObject({ withErrors: 10 });
      expect(ending.report.bounds.iteration_error_rate).toEqual({ low: 100, high: 100 });
    }
  });

  test('an iteration in which a request times out is completed and has a duration', async () => {
    const reply: RawReply = ({ path }, write) => {
      if (path === '/1') write(responseText(200, ''));
    };
    const { report } = await simulate({ ...OPEN, timeout: 400 }, { reply });
    expect(report.iterations).toMatchObject({ started: 10, completed: 10 });
    expect(report.iterations?.durations?.min).toBeGreaterThanOrEqual(400);
  });

  test('iterations that begin during the warm-up are not counted', async () => {
    const { report } = await simulate({ ...CLOSED, warmup: 1000, duration: 3000 });
    const { started = 0, completed = 0 } = report.iterations ?? {};
    // Two connections perform 25 iterations per second each.
    expect(started).toBeGreaterThanOrEqual(98);
    expect(started).toBeLessThanOrEqual(102);
    expect(completed).toBeLessThanOrEqual(started);
  });

  test('an iteration that is interrupted by the end of the run counts as started, but not as completed', async () => {
    const { report } = await simulate(
      { ...CLOSED, initial: 1, total: 1, timeout: 5000 },
      { urls: [{ delay: pause(700) }, { delay: pause(700) }, {}] },
    );
    expect(report.iterations).toMatchObject({ started: 1, completed: 0, failed: 0 });
  });

  test('declared iterations that are not completed count as missing', async () => {
    const complete = await simulate({ ...CLOSED, iterations: 20 });
    expect(complete.report.iterations?.missing).toBe(0);
    const cut = await simulate({ ...CLOSED, iterations: 500 });
    const { completed = 0 } = cut.report.iterations ?? {};
    expect(cut.report.iterations?.missing).toBe(500 - completed);
    const perClient = await simulate({ ...CLOSED, iterationsPerClient: 100 }, { urls: [{}] });
    expect(perClient.report.iterations?.missing).toBe(200 - (perClient.report.iterations?.completed ?? 0));
    expect((await simulate(CLOSED)).report.iterations?.missing).toBeNull();
    const warm = await simulate({ ...CLOSED, iterations: 60, warmup: 1000, duration: 5000 });
    expect(warm.report.iterations?.missing).toBe(0);
    expect(warm.report.iterations?.completed).toBeLessThan(60);
  });
});

test('despite a stall of the load generator, the bounds of the median iteration duration include the true duration', async () => {
  const anyRun = fc.record({
    testType: fc.constantFrom('non-cycling' as const, 'cycling' as const),
    delayMs: fc.constantFrom(0, 50, 200),
    responseMs: fc.integer({ min: 1, max: 60 }),
    stallAt: fc.integer({ min: 1, max: 90 }).map((at) => at * 10),
    lasting: fc.integer({ min: 20, max: 600 }),
  });
  await fc.assert(
    fc.asyncProperty(anyRun, async ({ testType, delayMs, responseMs, stallAt, lasting }) => {
      const changes = testType === 'cycling' ? CLOSED : OPEN;
      const urls = [{ delay: delayMs === 0 ? null : pause(delayMs) }, {}];
      const { report } = await simulate(changes, {
        ...{ urls, reply: after(responseMs) },
        events: { stall: { at: stallAt, lasting } },
      });
      const truth = 2 * responseMs + delayMs;
      const { low = 0, high = null } = report.bounds.iteration_p50 ?? {};
      // The clock of the closed model has a resolution of 10 ms.
      expect(low).toBeLessThanOrEqual(truth + (testType === 'cycling' ? 40 : 2));
      expect(high ?? 0).toBeGreaterThanOrEqual(truth - 1);
      expect(report.bounds.iteration_max?.low ?? 0).toBeLessThanOrEqual(
        truth + (testType === 'cycling' ? 40 : 2),
      );
    }),
    { numRuns: scaleCount(15) },
  );
});

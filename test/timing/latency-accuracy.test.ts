/** Accuracy of times, compared with the measurements of a target in a separate process. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Metrics, LatencySummary } from '../../src/core/load/run-report.ts';
import { processTime } from '../../src/engine/clock.ts';
import { jobOf, openTestEngine, runJob, targetOf, type OpenTestEngine } from '../support/test-engine.ts';
import { runAfter } from '../support/run-after.ts';
import { watchLateness, type TimerLateness, type LatenessWatch } from '../support/timer-lateness.ts';
import type { ReferenceLog, ReferenceRequest } from '../support/reference-target-child.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

let testEngine: OpenTestEngine;
let shop: ReferenceTarget;
let lateness: LatenessWatch;
beforeAll(async () => {
  testEngine = openTestEngine();
  shop = await startReferenceTarget();
  lateness = watchLateness();
});
afterAll(async () => {
  lateness.stop();
  await Promise.all([testEngine.close(), shop.close()]);
});

/** Returns the timer lateness since the previous call, of the load generator and the target together. */
function latenessOf(log: ReferenceLog): TimerLateness {
  const generator = lateness.read();
  return {
    typical: generator.typical + log.lateness.typical,
    max: generator.max + log.lateness.max,
  };
}

/** Relative error of the histogram. */
const HISTOGRAM_ERROR = 0.004;

const QUANTILES = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, 'p99.9': 0.999 } as const;

function quantile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.max(1, Math.ceil(Number((fraction * sorted.length).toFixed(6)))) - 1] ?? 0;
}

/** Compares the service times of a URL with those of the target: never shorter, hardly longer. */
function expectTrueTimes(
  times: LatencySummary | null,
  requests: readonly ReferenceRequest[],
  timerLateness: TimerLateness,
): void {
  if (times === null) throw new Error('no times');
  const serviceTimes = requests
    .map(({ lastByteAt, answeredAt }) => answeredAt - lastByteAt)
    .sort((a, b) => a - b);
  const mean = serviceTimes.reduce((sum, time) => sum + time, 0) / serviceTimes.length;
  expect(times.min, 'min').toBeGreaterThanOrEqual((serviceTimes[0] ?? 0) - 0.002);
  expect(times.max, 'max').toBeGreaterThanOrEqual((serviceTimes.at(-1) ?? 0) - 0.002);
  expect(times.mean, 'mean').toBeGreaterThanOrEqual(mean - 0.002);
  for (const [name, fraction] of Object.entries(QUANTILES)) {
    const recorded = times[name as keyof typeof QUANTILES];
    expect(recorded, name).toBeGreaterThanOrEqual(
      quantile(serviceTimes, fraction) * (1 - HISTOGRAM_ERROR) - 0.002,
    );
  }
  expect(times.p50, 'median').toBeLessThanOrEqual(
    quantile(serviceTimes, 0.5) * (1 + HISTOGRAM_ERROR) + 3 + 2 * timerLateness.typical,
  );
  expect(times.p99, 'p99').toBeLessThanOrEqual(
    quantile(serviceTimes, 0.99) * (1 + HISTOGRAM_ERROR) + 25 + 2 * timerLateness.max,
  );
}

const WAITS = ['0', '5', '50', '500', 'bimodal', 'log-normal'];

describe('service times', () => {
  test.each([
    ['cycling', { testType: 'cycling', initial: 40, total: 40 }],
    ['non-cycling', { testType: 'non-cycling', total: 150 }],
  ] as const)(
    'the measured service times of a %s test match the service times at the target for six distributions',
    async (_name, changes) => {
      await shop.log();
      lateness.read();
      const targets = WAITS.map((wait) => targetOf(shop.port, { path: `/${wait}/%{1:9999}?wait=${wait}` }));
      const { report } = await runJob(
        testEngine.engine,
        jobOf(targets, { ...changes, duration: 2500, timeout: 10_000 }),
      );
      const log = await shop.log();
      const timerLateness = latenessOf(log);
      report.targets.forEach((metrics: Metrics, index) => {
        const entries = log.requests.filter(({ kind }) => kind === WAITS[index]);
        expect(metrics.ledger.success).toBe(entries.length);
        expect(entries.length).toBeGreaterThan(90);
        expectTrueTimes(metrics.serviceTime, entries, timerLateness);
      });
    },
  );
});

describe('a stall of the target', () => {
  test('the p90 and the p99 of an open test include the waiting time of clients during a stall of the target', async () => {
    await shop.log();
    lateness.read();
    const [duration, clients] = [4000, 400];
    let [stalledAt, resumedAt] = [0, 0];
    const job = jobOf([targetOf(shop.port, { path: '/plain/%{1:9999}' })], {
      testType: 'non-cycling',
      total: clients,
      duration,
      timeout: 10_000,
    });
    const { report, ledger } = await runJob(testEngine.engine, job, () => {
      void runAfter(1000, () => {
        shop.freeze();
        stalledAt = processTime();
      })
        .then(() => runAfter(1000, () => shop.thaw()))
        .then(() => {
          resumedAt = processTime();
        });
    });
    expect(ledger).toMatchObject({ planned: clients, success: clients });
    const log = await shop.log();
    expect(log.requests).toHaveLength(clients);
    // The lateness of the target's own timers is the stall.
    const slack = 150 + lateness.read().max;
    // In a stall of L ms, a request waits longer than x with the probability (L − x) / duration.
    const longerThan = (fraction: number): number => resumedAt - stalledAt - fraction * duration;
    expect(Math.abs((report.total.latency?.p90 ?? 0) - longerThan(0.1))).toBeLessThan(slack);
    expect(Math.abs((report.total.latency?.p99 ?? 0) - longerThan(0.01))).toBeLessThan(slack);
  });
});

describe('connections of a cycling test', () => {
  test('the number of connections in a cycling test on four threads follows the ramp, and no connection closes early', async () => {
    await shop.log();
    lateness.read();
    const [initial, total, duration] = [4, 30, 2000];
    const job = jobOf([targetOf(shop.port, { path: '/plain/%{1:999999}?wait=80' })], {
      testType: 'cycling',
      initial,
      total,
      duration,
      threads: 4,
    });
    const { ledger } = await runJob(testEngine.engine, job);
    const log = await shop.log();
    const slack = 100 + latenessOf(log).max;
    expect(ledger).toMatchObject({ started: log.requests.length, success: log.requests.length });
    expect(log.connections).toHaveLength(total);
    const begin = log.connections[0]?.acceptedAt ?? 0;
    const expectedConnections = (at: number): number => initial + ((total - initial) * at) / duration;
    const deviations: number[] = [];
    for (let at = 100; at < duration - slack; at += 100) {
      const open = log.connections.filter(
        ({ acceptedAt, closedAt }) => acceptedAt <= begin + at && (closedAt === 0 || closedAt > begin + at),
      ).length;
      if (open < expectedConnections(at - slack) - 1 || open > expectedConnections(at + slack) + 1)
        deviations.push(at);
    }
    expect(deviations).toEqual([]);
  });
});

describe('the timeout', () => {
  test('requests succeed if the target responds within the timeout, and time out if it responds later', async () => {
    await shop.log();
    const [timeout, clients] = [500, 300];
    // Far enough apart that no delay of the machine matters; closer ones need a better clock.
    const waits = [100, 1000];
    const targets = waits.map((wait) => targetOf(shop.port, { path: `/${wait}/%{1:9999}?wait=${wait}` }));
    const { report } = await runJob(
      testEngine.engine,
      jobOf(targets, { total: clients, duration: 700, timeout }),
    );
    const log = await shop.log();
    const [early = [], late = []] = waits.map((wait) =>
      log.requests
        .filter(({ kind }) => kind === String(wait))
        .map(({ lastByteAt, answeredAt, connection }) => {
          const end = answeredAt === 0 ? log.connections[connection]?.closedAt : answeredAt;
          return (end ?? 0) - lastByteAt;
        }),
    );
    const [earlyReport, lateReport] = report.targets;
    expect(earlyReport?.ledger.success).toBe(early.filter((duration) => duration < timeout).length);
    expect(early).toHaveLength(clients);
    expect(lateReport?.ledger.success).toBe(0);
    expect(lateReport?.ledger.timeout.response).toBeGreaterThan(clients / 2);
    // No client waits for the late responses.
    expect(Math.max(...late)).toBeLessThan(1000);
  });
});

/** What the engine says of times, beside what a target in a process of its own has measured itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Metrics, LatencySummary } from '../../src/core/load/run-report.ts';
import { processTime } from '../../src/engine/clock.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { runAfter } from '../support/run-after.ts';
import { watchLateness, type TimerLateness, type LatenessWatch } from '../support/timer-lateness.ts';
import type { ReferenceLog, ReferenceRequest } from '../support/reference-target-child.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

let rig: TestEngine;
let shop: ReferenceTarget;
let lateness: LatenessWatch;
beforeAll(async () => {
  [rig, shop] = await Promise.all([openTestEngine(), startReferenceTarget()]);
  lateness = watchLateness();
});
afterAll(async () => {
  lateness.stop();
  await Promise.all([rig.close(), shop.close()]);
});

/** What this machine has kept anybody waiting since the last time: on both sides of a request. */
function latenessOf(log: ReferenceLog): TimerLateness {
  const own = lateness.read();
  return {
    typical: own.typical + log.lateness.typical,
    max: own.max + log.lateness.max,
  };
}

/** The histogram's own error. */
const WIDTH = 0.004;

const SHARES = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, 'p99.9': 0.999 } as const;

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(1, Math.ceil(Number((share * sorted.length).toFixed(6)))) - 1] ?? 0;
}

/** Service times of a URL beside the target's own: never shorter, hardly longer. */
function expectTrueTimes(
  times: LatencySummary | null,
  requests: readonly ReferenceRequest[],
  waited: TimerLateness,
): void {
  if (times === null) throw new Error('no times');
  const took = requests.map(({ lastByteAt, answeredAt }) => answeredAt - lastByteAt).sort((a, b) => a - b);
  const mean = took.reduce((all, one) => all + one, 0) / took.length;
  expect(times.min, 'min').toBeGreaterThanOrEqual((took[0] ?? 0) - 0.002);
  expect(times.max, 'max').toBeGreaterThanOrEqual((took.at(-1) ?? 0) - 0.002);
  expect(times.mean, 'mean').toBeGreaterThanOrEqual(mean - 0.002);
  for (const [name, share] of Object.entries(SHARES)) {
    const told = times[name as keyof typeof SHARES];
    expect(told, name).toBeGreaterThanOrEqual(quantile(took, share) * (1 - WIDTH) - 0.002);
  }
  expect(times.p50, 'median').toBeLessThanOrEqual(quantile(took, 0.5) * (1 + WIDTH) + 3 + 2 * waited.typical);
  expect(times.p99, 'p99').toBeLessThanOrEqual(quantile(took, 0.99) * (1 + WIDTH) + 25 + 2 * waited.max);
}

const WAITS = ['0', '5', '50', '500', 'bimodal', 'log-normal'];

describe('latencies', () => {
  test.each([
    ['cycling', { testType: 'cycling', initial: 40, total: 40 }],
    ['non-cycling', { testType: 'non-cycling', total: 300 }],
  ] as const)('of a %s test are those of the target, whatever they look like', async (_name, changes) => {
    await shop.log();
    lateness.read();
    const targets = WAITS.map((wait) => targetOf(shop.port, { path: `/${wait}/%{1:9999}?wait=${wait}` }));
    const { report } = await runJob(
      rig.engine,
      jobOf(targets, { ...changes, duration: 2500, timeout: 10_000 }),
    );
    const log = await shop.log();
    const waited = latenessOf(log);
    report.targets.forEach((metrics: Metrics, index) => {
      const own = log.requests.filter(({ kind }) => kind === WAITS[index]);
      expect(metrics.ledger.success).toBe(own.length);
      expect(own.length).toBeGreaterThan(90);
      expectTrueTimes(metrics.serviceTime, own, waited);
    });
  });
});

describe('a stall', () => {
  test('of the target shows in the response times of an open test as it was', async () => {
    lateness.read();
    const [duration, clients] = [4000, 400];
    let [frozenAt, thawedAt] = [0, 0];
    const job = jobOf([targetOf(shop.port, { path: '/plain/%{1:9999}' })], {
      ...{ testType: 'non-cycling', total: clients, duration, timeout: 10_000 },
    });
    const { report, ledger } = await runJob(rig.engine, job, () => {
      void runAfter(1000, () => {
        shop.freeze();
        frozenAt = processTime();
      })
        .then(() =>
          runAfter(1000, () => {
            shop.thaw();
          }),
        )
        .then(() => {
          thawedAt = processTime();
        });
    });
    expect(ledger).toMatchObject({ planned: clients, success: clients });
    const log = await shop.log();
    expect(log.requests).toHaveLength(clients);
    // The target's own lateness is the stall.
    const slack = 150 + lateness.read().max;
    // In a stall of L ms somebody waits more than x with the probability (L − x) / duration.
    const longerThan = (share: number): number => thawedAt - frozenAt - share * duration;
    expect(Math.abs((report.total.latency?.p90 ?? 0) - longerThan(0.1))).toBeLessThan(slack);
    expect(Math.abs((report.total.latency?.p99 ?? 0) - longerThan(0.01))).toBeLessThan(slack);
  });
});

describe('connections', () => {
  test('of a cycling test come as its line goes up, on all threads alike, and none goes before the end', async () => {
    await shop.log();
    lateness.read();
    const [initial, total, duration] = [4, 30, 2000];
    const job = jobOf([targetOf(shop.port, { path: '/plain/%{1:999999}?wait=20' })], {
      ...{ testType: 'cycling', initial, total, duration, threads: 4 },
    });
    const { ledger } = await runJob(rig.engine, job);
    const log = await shop.log();
    const slack = 100 + latenessOf(log).max;
    expect(ledger).toMatchObject({ started: log.requests.length, success: log.requests.length });
    expect(log.connections).toHaveLength(total);
    const begin = log.connections[0]?.acceptedAt ?? 0;
    const line = (at: number): number => initial + ((total - initial) * at) / duration;
    const away: number[] = [];
    for (let at = 100; at < duration - slack; at += 100) {
      const open = log.connections.filter(
        ({ acceptedAt, closedAt }) => acceptedAt <= begin + at && (closedAt === 0 || closedAt > begin + at),
      ).length;
      if (open < line(at - slack) - 1 || open > line(at + slack) + 1) away.push(at);
    }
    expect(away).toEqual([]);
  });
});

describe('the time-out', () => {
  test('tells answers before and after it apart, by the clock of the target', async () => {
    await shop.log();
    const [timeout, clients] = [500, 300];
    // Far enough away that no delay of this machine makes one into the other; closer ones need a better clock.
    const waits = [100, 1000];
    const targets = waits.map((wait) => targetOf(shop.port, { path: `/${wait}/%{1:9999}?wait=${wait}` }));
    const { report } = await runJob(rig.engine, jobOf(targets, { total: clients, duration: 700, timeout }));
    const log = await shop.log();
    const [early = [], late = []] = waits.map((wait) =>
      log.requests
        .filter(({ kind }) => kind === String(wait))
        .map(({ lastByteAt, answeredAt, connection }) => {
          const end = answeredAt === 0 ? log.connections[connection]?.closedAt : answeredAt;
          return (end ?? 0) - lastByteAt;
        }),
    );
    const [ofEarly, ofLate] = report.targets;
    expect(ofEarly?.ledger.success).toBe(early.filter((took) => took < timeout).length);
    expect(early).toHaveLength(clients);
    expect(ofLate?.ledger.success).toBe(0);
    expect(ofLate?.ledger.timeout.response).toBeGreaterThan(clients / 2);
    // Nobody has waited for the late answers.
    expect(Math.max(...late)).toBeLessThan(1000);
  });
});

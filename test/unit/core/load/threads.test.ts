/** The number of threads of a run, limited by the capacity of the machine. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseThreads, clientCostOf, type CpuCapacity } from '../../../../src/core/load/thread-count.ts';
import { jobOf, targetOf, type JobChanges } from '../../../support/test-engine.ts';

const LARGE: CpuCapacity = { cores: 64, quota: null, threadsInUse: 0, targetIsLocal: false };

/** A job without a requested number of threads. */
function job(changes: JobChanges, targets = [targetOf(80)]) {
  return jobOf(targets, { threads: null, duration: 60_000, ...changes });
}

function cycling(connections: number, changes: JobChanges = {}) {
  return job({ testType: 'cycling', initial: connections, total: connections, ...changes });
}

function perSecond(total: number, targets = [targetOf(80)]) {
  return job({ testType: 'per-second', total }, targets);
}

const FIFTY = Array.from({ length: 50 }, () => targetOf(80));
const SECURE = targetOf(443, { secure: true });
const OTHER = targetOf(8443, { secure: true });

describe('threads on a machine with enough capacity', () => {
  test.each([
    ['300 requests in a minute', job({ total: 300 }), 1],
    ['one connection', cycling(1), 1],
    ['64 connections', cycling(64), 1],
    ['256 connections', cycling(256), 1],
    ['1,024 connections', cycling(1024), 4],
    ['a ramp to 1,024 connections', cycling(1024, { initial: 0 }), 4],
    ['a ramp down from 1,024 connections', cycling(1, { initial: 1024 }), 4],
    ['20,000 connections with an unknown rate', cycling(20_000), 16],
    ['10 clients per second', perSecond(10), 1],
    ['2,000 clients per second', perSecond(2000), 1],
    ['10,000 clients per second', perSecond(10_000), 2],
    ['600,000 clients in a minute', job({ total: 600_000 }), 2],
    ['1,000 clients per second with fifty requests each', perSecond(1000, FIFTY), 1],
    ['5,000 clients per second with fifty requests each', perSecond(5000, FIFTY), 5],
    ['400 TLS clients per second', perSecond(400, [SECURE]), 1],
    ['1,000 TLS clients per second', perSecond(1000, [SECURE]), 3],
    ['1,000 TLS clients per second with two requests to one host', perSecond(1000, [SECURE, SECURE]), 3],
    ['1,000 TLS clients per second to two hosts', perSecond(1000, [SECURE, OTHER]), 5],
  ])('the number of threads that chooseThreads returns for %s is $2', (_name, load, threads) => {
    expect(chooseThreads(load, LARGE)).toEqual({ threads, reason: 'load' });
  });
});

describe('threads on a machine with limited capacity', () => {
  const load = cycling(20_000);
  test.each([
    [{ cores: 4 }, { threads: 4, reason: 'cores' }],
    [{ cores: 1 }, { threads: 1, reason: 'cores' }],
    [{ cores: 16 }, { threads: 16, reason: 'load' }],
    [
      { cores: 4, quota: 4 },
      { threads: 4, reason: 'cores' },
    ],
    [
      { cores: 4, quota: 8 },
      { threads: 4, reason: 'cores' },
    ],
    [{ quota: 64 }, { threads: 16, reason: 'load' }],
    [{ quota: 4 }, { threads: 4, reason: 'quota' }],
    [{ quota: 2.9 }, { threads: 2, reason: 'quota' }],
    [{ quota: 1 }, { threads: 1, reason: 'quota' }],
    [{ quota: 0.5 }, { threads: 1, reason: 'quota' }],
    [
      { cores: 4, targetIsLocal: true },
      { threads: 3, reason: 'target' },
    ],
    [
      { cores: 2, targetIsLocal: true },
      { threads: 1, reason: 'target' },
    ],
    [
      { cores: 1, targetIsLocal: true },
      { threads: 1, reason: 'target' },
    ],
    [
      { cores: 16, quota: 4, targetIsLocal: true },
      { threads: 3, reason: 'target' },
    ],
    [
      { cores: 8, threadsInUse: 5 },
      { threads: 3, reason: 'runs' },
    ],
    [
      { cores: 8, threadsInUse: 12 },
      { threads: 1, reason: 'runs' },
    ],
    [
      { cores: 8, threadsInUse: 5, targetIsLocal: true },
      { threads: 2, reason: 'runs' },
    ],
  ] as const)('chooseThreads returns $1 for the capacity %j', (changes, choice) => {
    expect(chooseThreads(load, { ...LARGE, ...changes })).toEqual(choice);
  });
});

describe('cost of the clients that start', () => {
  const PLAIN = targetOf(80);
  const mixed = [PLAIN, targetOf(81), SECURE];
  const flows = [1, 2].map((urls) => ({ name: '', weight: 2 * urls - 1, urls }));

  // Costs in µs: 70 per plain and 1,000 per TLS connection, and 8 per plain and 12 per TLS request.
  test.each([
    ['one plain request', perSecond(1000, [PLAIN]), 78],
    ['two plain requests to one host', perSecond(1000, [PLAIN, PLAIN]), 86],
    ['a TLS request', perSecond(1000, [SECURE]), 1012],
    ['two hosts', perSecond(1000, [PLAIN, SECURE]), 1090],
    // A quarter of the clients send one plain request, and three quarters send a plain and a TLS request.
    ['two flows', { ...perSecond(1000, mixed), flows }, 78 / 4 + (1090 * 3) / 4],
    [
      'two parallel requests to one host in the second flow',
      {
        ...perSecond(1000, [PLAIN, PLAIN, PLAIN]),
        flows,
        groups: [{ first: 1, count: 2, parallel: true as const }],
      },
      78 / 4 + (156 * 3) / 4,
    ],
    [
      'three repetitions of a TLS request in the second flow',
      { ...perSecond(1000, mixed), flows, groups: [{ first: 2, count: 1, repeat: 3 }] },
      78 / 4 + (1114 * 3) / 4,
    ],
    ['shared connections', { ...perSecond(1000, [PLAIN, SECURE]), connections: 5 }, 20],
  ])(
    'in the open models, a client of %s costs the time of its connections and requests',
    (_name, load, cost) => {
      expect(1000 * clientCostOf(load).cores).toBeCloseTo(cost, 6);
    },
  );

  test('in the open models, the clients per second are the declared number, or the mean over the duration', () => {
    expect(clientCostOf(perSecond(400)).clientsPerSecond).toBe(400);
    expect(clientCostOf(job({ total: 600 })).clientsPerSecond).toBe(10);
  });

  test('in the closed model, the clients that start in the busiest second count, except those at the beginning', () => {
    const ramp = cycling(40, { initial: 20, duration: 10_000 });
    expect(clientCostOf(ramp)).toEqual({ clientsPerSecond: 2, cores: (2 * 70) / 1e6 });
    expect(clientCostOf(cycling(1000))).toEqual({ clientsPerSecond: 0, cores: 0 });
    // One client starts at the end of each second.
    expect(clientCostOf(cycling(20, { initial: 10, duration: 10_000 })).clientsPerSecond).toBe(1);
    // The clients of a run that is shorter than a second.
    expect(clientCostOf(cycling(8, { initial: 2, duration: 600 })).clientsPerSecond).toBe(5);
  });
});

describe('requested threads', () => {
  test('a requested number of threads may exceed the capacity of the machine', () => {
    const capacity: CpuCapacity = { cores: 2, quota: 0.5, threadsInUse: 3, targetIsLocal: true };
    expect(chooseThreads(cycling(64, { threads: 8 }), capacity)).toEqual({ threads: 8, reason: 'asked' });
  });

  test('if more threads are requested than the run has clients, the number of threads is the number of clients', () => {
    expect(chooseThreads(cycling(3, { threads: 8 }), LARGE)).toEqual({ threads: 3, reason: 'asked' });
  });
});

test('the chosen number of threads is between 1 and the number of cores, and never decreases with a larger load or more cores', () => {
  const capacities = fc.record({
    cores: fc.integer({ min: 1, max: 256 }),
    quota: fc.option(fc.double({ min: 0.01, max: 300, noNaN: true }), { nil: null }),
    threadsInUse: fc.nat(20),
    targetIsLocal: fc.boolean(),
  });
  const loads = fc.record({
    testType: fc.constantFrom('cycling' as const, 'non-cycling' as const, 'per-second' as const),
    initial: fc.nat(5000),
    total: fc.integer({ min: 1, max: 50_000 }),
  });
  fc.assert(
    fc.property(capacities, loads, fc.nat(50_000), fc.nat(64), (capacity, load, more, cores) => {
      const { threads } = chooseThreads(job(load), capacity);
      const larger = chooseThreads(job({ ...load, total: load.total + more }), capacity);
      const withMoreCores = chooseThreads(job(load), { ...capacity, cores: capacity.cores + cores });
      expect(threads).toBeGreaterThanOrEqual(1);
      expect(threads).toBeLessThanOrEqual(Math.max(1, capacity.cores));
      expect(larger.threads).toBeGreaterThanOrEqual(threads);
      expect(withMoreCores.threads).toBeGreaterThanOrEqual(threads);
    }),
  );
});

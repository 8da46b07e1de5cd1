/** As many threads as a load needs, at most what its machine has room for. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseThreads, type CpuCapacity } from '../../../../src/core/load/thread-count.ts';
import { jobOf, targetOf, type JobChanges } from '../../../support/test-engine.ts';

const LARGE: CpuCapacity = { cores: 64, quota: null, threadsInUse: 0, targetIsLocal: false };

/** A job that leaves the number of its threads open. */
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

describe('on a machine with room for all', () => {
  test.each([
    ['300 requests in a minute', job({ total: 300 }), 1],
    ['one connection', cycling(1), 1],
    ['64 connections', cycling(64), 1],
    ['256 connections', cycling(256), 1],
    ['1,024 connections', cycling(1024), 4],
    ['a ramp to 1,024 connections', cycling(1024, { initial: 0 }), 4],
    ['a ramp down from 1,024 connections', cycling(1, { initial: 1024 }), 4],
    ['20,000 connections: a rate that nobody knows', cycling(20_000), 16],
    ['10 clients a second', perSecond(10), 1],
    ['2,000 clients a second', perSecond(2000), 1],
    ['10,000 clients a second', perSecond(10_000), 2],
    ['the same as a number of clients in all', job({ total: 600_000 }), 2],
    ['1,000 clients a second that make fifty requests each', perSecond(1000, FIFTY), 1],
    ['5,000 such clients', perSecond(5000, FIFTY), 5],
    ['400 encrypted clients a second', perSecond(400, [SECURE]), 1],
    ['1,000 encrypted clients a second', perSecond(1000, [SECURE]), 3],
    ['the same with two requests to one host', perSecond(1000, [SECURE, SECURE]), 3],
    ['the same to two hosts', perSecond(1000, [SECURE, OTHER]), 5],
  ])('%s', (_name, given, threads) => {
    expect(chooseThreads(given, LARGE)).toEqual({ threads, reason: 'load' });
  });
});

describe('where there is less room than the load could use', () => {
  const wanted = cycling(20_000);
  test.each([
    [{ cores: 4 }, { threads: 4, reason: 'cores' }],
    [{ cores: 1 }, { threads: 1, reason: 'cores' }],
    [{ quota: 64 }, { threads: 16, reason: 'load' }],
    [{ quota: 4 }, { threads: 4, reason: 'quota' }],
    [{ quota: 2.9 }, { threads: 2, reason: 'quota' }],
    [{ quota: 1 }, { threads: 1, reason: 'quota' }],
    [{ quota: 0.5 }, { threads: 1, reason: 'quota' }],
    [
      { cores: 4, targetIsHere: true },
      { threads: 3, reason: 'target' },
    ],
    [
      { cores: 2, targetIsHere: true },
      { threads: 1, reason: 'target' },
    ],
    [
      { cores: 1, targetIsHere: true },
      { threads: 1, reason: 'target' },
    ],
    [
      { cores: 16, quota: 4, targetIsHere: true },
      { threads: 3, reason: 'target' },
    ],
    [
      { cores: 8, taken: 5 },
      { threads: 3, reason: 'runs' },
    ],
    [
      { cores: 8, taken: 12 },
      { threads: 1, reason: 'runs' },
    ],
    [
      { cores: 8, taken: 5, targetIsHere: true },
      { threads: 2, reason: 'runs' },
    ],
  ] as const)('%o', (changes, choice) => {
    expect(chooseThreads(wanted, { ...LARGE, ...changes })).toEqual(choice);
  });
});

describe('asked for', () => {
  test('as many as one wants, whatever the machine has', () => {
    const room: CpuCapacity = { cores: 2, quota: 0.5, threadsInUse: 3, targetIsLocal: true };
    expect(chooseThreads(cycling(64, { threads: 8 }), room)).toEqual({ threads: 8, reason: 'asked' });
  });

  test('but no more than there are clients', () => {
    expect(chooseThreads(cycling(3, { threads: 8 }), LARGE)).toEqual({ threads: 3, reason: 'asked' });
  });
});

test('more load or more room never takes a thread away, and there is always one', () => {
  const room = fc.record({
    cores: fc.integer({ min: 1, max: 256 }),
    quota: fc.option(fc.double({ min: 0.01, max: 300, noNaN: true }), { nil: null }),
    threadsInUse: fc.nat(20),
    targetIsLocal: fc.boolean(),
  });
  const load = fc.record({
    testType: fc.constantFrom('cycling' as const, 'non-cycling' as const, 'per-second' as const),
    initial: fc.nat(5000),
    total: fc.integer({ min: 1, max: 50_000 }),
  });
  fc.assert(
    fc.property(room, load, fc.nat(50_000), fc.nat(64), (given, shape, more, cores) => {
      const { threads } = chooseThreads(job(shape), given);
      const larger = chooseThreads(job({ ...shape, total: shape.total + more }), given);
      const roomier = chooseThreads(job(shape), { ...given, cores: given.cores + cores });
      expect(threads).toBeGreaterThanOrEqual(1);
      expect(threads).toBeLessThanOrEqual(Math.max(1, given.cores));
      expect(larger.threads).toBeGreaterThanOrEqual(threads);
      expect(roomier.threads).toBeGreaterThanOrEqual(threads);
    }),
  );
});

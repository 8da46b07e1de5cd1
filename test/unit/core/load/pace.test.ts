import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clientCount,
  clientsDue,
  clientsDueBefore,
  countWarmupClients,
  dueAt,
  intervalOf,
  retiresAt,
  type PaceSpec,
} from '../../../../src/core/model/pace.ts';
import { rampsOf } from '../../../../src/core/model/ramps.ts';
import { clientNumberOf, clientsBelow, splitIntoShards } from '../../../../src/core/load/shard.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { scaleCount } from '../../../support/test-scale.ts';

function spec(testType: PaceSpec['testType'], initial: number, total: number, duration: number): PaceSpec {
  return { testType, initial, total, duration: milliseconds(duration), ramps: null };
}

const anySpec = fc
  .record({
    testType: fc.constantFrom('cycling' as const, 'non-cycling' as const, 'per-second' as const),
    initial: fc.nat(3000),
    total: fc.integer({ min: 1, max: 3000 }),
    seconds: fc.integer({ min: 1, max: 40 }),
  })
  .map((one) => spec(one.testType, one.initial, one.total, one.seconds * 1000));

/** Returns the number of active clients of a cycling test at an instant. */
function activeAt(pace: PaceSpec, at: number): number {
  let active = clientsDue(pace, at);
  for (let client = active - 1; client >= pace.total && retiresAt(pace, client) <= at; client--) active--;
  return active;
}

describe('load models', () => {
  test.each([
    ['non-cycling', spec('non-cycling', 0, 4, 1000), [0, 250, 500, 750]],
    ['per-second', spec('per-second', 0, 2, 2000), [0, 500, 1000, 1500]],
    ['increasing cycling', spec('cycling', 2, 6, 8000), [0, 0, 0, 2000, 4000, 6000]],
    ['constant cycling', spec('cycling', 3, 3, 8000), [0, 0, 0]],
    ['decreasing cycling', spec('cycling', 3, 1, 8000), [0, 0, 0]],
  ])('dueAt returns the times $2 for the clients of this load: %s', (_name, pace, due) => {
    expect(clientCount(pace)).toBe(due.length);
    expect(due.map((_, client) => dueAt(pace, client))).toEqual(due);
  });

  test('a cycling test with a decreasing number of clients stops the client with the highest number first', () => {
    const pace = spec('cycling', 3, 1, 8000);
    expect([0, 1, 2].map((client) => retiresAt(pace, client))).toEqual([8000, 8000, 4000]);
    expect([0, 3999, 4000, 7999, 8000].map((at) => activeAt(pace, at))).toEqual([3, 3, 2, 2, 1]);
  });

  test('clientsDue includes a client that is due at the given instant, and clientsDueBefore excludes it', () => {
    const pace = spec('per-second', 0, 2, 2000);
    expect([-1, 0, 499, 500].map((at) => clientsDue(pace, at))).toEqual([0, 1, 1, 2]);
    expect([0, 500, 501].map((at) => clientsDueBefore(pace, at))).toEqual([0, 1, 2]);
    expect(countWarmupClients({ ...pace, warmup: milliseconds(1000) })).toBe(2);
    expect(clientsDue(spec('per-second', 0, 0, 2000), 500)).toBe(0);
  });

  const stages = [
    { duration: milliseconds(5e5), to: 1e9 },
    { duration: milliseconds(0), to: 2e9 },
    { duration: milliseconds(5e5), to: 1e9 },
  ];
  const withRamps = (testType: 'cycling' | 'per-second'): PaceSpec => ({
    ...spec(testType, 0, 2e9, 1e6),
    ramps: rampsOf(testType === 'cycling' ? 'connections' : 'rate', 0, stages),
  });

  // One step for each client would take minutes.
  test.each([
    ['increasing cycling', spec('cycling', 1e9, 3e9, 1e6), 1.5e9, 2e9],
    ['decreasing cycling', spec('cycling', 3e9, 1e9, 1e6), 3e9, 3e9],
    ['non-cycling', spec('non-cycling', 0, 1e9, 1e6), 2.5e8, 5e8],
    ['per-second', spec('per-second', 0, 1e9, 1e6), 2.5e11, 5e11],
    ['cycling with ramps', withRamps('cycling'), 5e8, 2e9],
    ['per-second with ramps', withRamps('per-second'), 6.25e10, 2.5e11],
  ])(
    'clientsDue returns the expected number of due clients for a very large load (%s)',
    (_name, pace, early, later) => {
      const close = (count: number, expected: number) => {
        expect(Math.abs(count / expected - 1)).toBeLessThan(1e-8);
      };
      close(clientsDue(pace, 2.5e5), early);
      close(clientsDue(pace, 5e5), later);
    },
  );

  test('intervalOf returns the interval between clients in the open models, and 0 in the closed model or without clients', () => {
    expect(intervalOf(spec('non-cycling', 0, 4, 1000))).toBe(250);
    expect(intervalOf(spec('per-second', 0, 4, 9000))).toBe(250);
    expect(intervalOf(spec('cycling', 0, 4, 1000))).toBe(0);
    expect(intervalOf(spec('non-cycling', 0, 0, 1000))).toBe(0);
  });

  test('clients are due in the order of their numbers and before the end of the run', () => {
    fc.assert(
      fc.property(anySpec, (pace) => {
        let last = 0;
        let inOrder = true;
        for (let client = 0; client < clientCount(pace); client++) {
          const due = dueAt(pace, client);
          inOrder &&= due >= last && due < pace.duration;
          last = due;
        }
        expect(inOrder).toBe(true);
      }),
      { numRuns: scaleCount(100) },
    );
  });

  test('the number of due clients at any instant matches the due times of the clients', () => {
    fc.assert(
      fc.property(anySpec, fc.double({ min: 0, max: 1, noNaN: true }), (pace, fraction) => {
        const at = fraction * pace.duration;
        const due = clientsDue(pace, at);
        if (due > 0) expect(dueAt(pace, due - 1)).toBeLessThanOrEqual(at);
        if (due < clientCount(pace)) expect(dueAt(pace, due)).toBeGreaterThan(at);
      }),
    );
  });

  test('the number of clients in a cycling test differs from a linear ramp by at most one', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.integer({ min: 1, max: 2000 }),
        fc.nat(1000),
        (initial, total, permille) => {
          const pace = spec('cycling', initial, total, 60_000);
          const line = initial + ((total - initial) * permille) / 1000;
          expect(Math.abs(activeAt(pace, permille * 60) - line)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test('a per-second test starts exactly "total" clients in each second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 20 }), (total, seconds) => {
        const pace = spec('per-second', 0, total, seconds * 1000);
        const starts = new Array<number>(seconds).fill(0);
        for (let client = 0; client < clientCount(pace); client++) {
          const second = Math.floor(dueAt(pace, client) / 1000);
          starts[second] = (starts[second] ?? 0) + 1;
        }
        expect(starts).toEqual(new Array<number>(seconds).fill(total));
      }),
      { numRuns: scaleCount(50) },
    );
  });
});

describe('thread shards', () => {
  test('each client belongs to exactly one thread shard', () => {
    fc.assert(
      fc.property(anySpec, fc.integer({ min: 1, max: 16 }), (pace, threads) => {
        const shards = splitIntoShards(pace, threads);
        const numbers = shards.flatMap((shard) =>
          Array.from({ length: shard.clients }, (_, index) => clientNumberOf(shard, index)),
        );
        numbers.sort((a, b) => a - b);
        expect(numbers).toEqual(Array.from({ length: clientCount(pace) }, (_, client) => client));
        expect(shards.map((shard) => shard.threadIndex)).toEqual(shards.map((_, index) => index));
        const sizes = shards.map((shard) => shard.clients);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      { numRuns: scaleCount(60) },
    );
  });

  test('a run has at least one thread shard, and at most one for each client', () => {
    expect(splitIntoShards(spec('non-cycling', 0, 2, 1000), 8)).toHaveLength(2);
    expect(splitIntoShards(spec('cycling', 0, 0, 1000), 8)).toHaveLength(1);
  });
});

test('clientsBelow counts the clients of a shard with numbers below the given number', () => {
  const shards = splitIntoShards(spec('non-cycling', 0, 10, 1000), 3);
  for (const shard of shards) {
    const numbers = Array.from({ length: shard.clients }, (_, index) => clientNumberOf(shard, index));
    for (let number = 0; number <= 12; number++)
      expect(clientsBelow(shard, number)).toBe(numbers.filter((one) => one < number).length);
  }
});

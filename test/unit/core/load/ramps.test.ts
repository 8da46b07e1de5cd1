/** Loads in stages: exact counts, due times in closed form, and slots that stop and start again. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientCount, clientsDue, dueAt, retiresAt, type PaceSpec } from '../../../../src/core/model/pace.ts';
import { peakConnections } from '../../../../src/core/model/peak-load.ts';
import { extentOf, rampsOf, type Stage } from '../../../../src/core/model/ramps.ts';
import { clientNumberOf, splitIntoShards } from '../../../../src/core/load/shard.ts';
import { milliseconds, seconds } from '../../../../src/core/units.ts';
import { scaleCount } from '../../../support/test-scale.ts';

type DeclaredStages = readonly (readonly [seconds: number, to: number])[];

function pace(testType: 'cycling' | 'per-second', initial: number, declared: DeclaredStages): PaceSpec {
  const stages: readonly Stage[] = declared.map(([length, to]) => ({ duration: seconds(length), to }));
  const { highest, lasts: duration } = extentOf(initial, stages);
  const ramps = rampsOf(testType === 'cycling' ? 'connections' : 'rate', initial, stages);
  return { testType, initial, total: highest, duration, ramps };
}

const duesOf = (spec: PaceSpec) => Array.from({ length: clientCount(spec) }, (_, n) => dueAt(spec, n));

/** Rounds to nanoseconds. */
const rounded = (times: readonly number[]) => times.map((at) => Math.round(at * 1e6) / 1e6);

/** Returns the rate or the number of connections at an instant. */
function levelAt(initial: number, declared: DeclaredStages, at: number): number {
  let start = 0;
  let level = initial;
  for (const [length, to] of declared) {
    if (at < start + length * 1000) return level + ((to - level) * (at - start)) / (length * 1000);
    start += length * 1000;
    level = to;
  }
  return level;
}

const anyStages = fc
  .array(fc.tuple(fc.constantFrom(0, 1, 2, 5, 9), fc.nat(40)), { minLength: 1, maxLength: 6 })
  // The rules allow neither two consecutive steps nor a step at the end, and require some load.
  .filter(
    (all) => (all.at(-1)?.[0] ?? 0) > 0 && all.every(([length], at) => length > 0 || all[at + 1]?.[0] !== 0),
  );

describe('rates in stages', () => {
  test.each<[string, number, DeclaredStages, number]>([
    [
      'an increase, a constant level and a decrease',
      0,
      [
        [30, 200],
        [120, 200],
        [10, 0],
      ],
      28_000,
    ],
    ['a constant level', 5, [[10, 5]], 50],
    ['0.5 clients in total, which are rounded up', 0, [[1, 1]], 1],
    ['1.5 clients in total, which are rounded up', 1, [[1, 2]], 2],
    [
      'a step',
      0,
      [
        [5, 0],
        [0, 10],
        [5, 10],
      ],
      50,
    ],
    [
      'a step at the start',
      0,
      [
        [0, 10],
        [5, 10],
      ],
      50,
    ],
    [
      'a minute without load',
      10,
      [
        [0, 0],
        [60, 0],
        [0, 3],
        [2, 3],
      ],
      6,
    ],
    [
      'a decrease to 0',
      4,
      [
        [1, 0],
        [9, 0],
      ],
      2,
    ],
  ])(
    'clientCount returns the expected number of clients for a rate in stages with %s',
    (_name, initial, declared, clients) => {
      expect(clientCount(pace('per-second', initial, declared))).toBe(clients);
    },
  );

  test('a client is due when the integral of the rate equals the number of the client', () => {
    expect(rounded(duesOf(pace('per-second', 0, [[2, 4]])))).toEqual([0, 1000, 1414.213562, 1732.050808]);
    expect(rounded(duesOf(pace('per-second', 2, [[2, 0]])))).toEqual([0, 585.786438]);
    expect(
      duesOf(
        pace('per-second', 0, [
          [3, 0],
          [0, 2],
          [1, 2],
        ]),
      ),
    ).toEqual([3000, 3500]);
    // The second client waits until the load resumes, because no client is due while the rate is 0.
    expect(
      duesOf(
        pace('per-second', 1, [
          [1, 1],
          [0, 0],
          [5, 0],
          [0, 1],
          [1, 1],
        ]),
      ),
    ).toEqual([0, 6000]);
  });

  test('the number of due clients differs from the numerical integral of the rate by at most 1.01', () => {
    fc.assert(
      fc.property(fc.nat(40), anyStages, (initial, declared) => {
        const start = declared[0]?.[0] === 0 ? declared[0][1] : initial;
        const spec = pace('per-second', initial, declared);
        const dues = duesOf(spec);
        const ordered = dues.every((due, n) => due >= (dues[n - 1] ?? 0) && due < spec.duration);
        expect(ordered).toBe(true);
        // Trapezoids are exact for a straight line, except if a stage ends within one.
        let area = 0;
        let next = 0;
        let maxDifference = 0;
        for (let at = 0; at < spec.duration; at += 10) {
          area += ((levelAt(start, declared, at) + levelAt(start, declared, at + 9.999_999)) * 0.01) / 2;
          while (next < dues.length && (dues[next] ?? 0) < at + 10) next++;
          maxDifference = Math.max(maxDifference, Math.abs(next - area));
        }
        expect(maxDifference).toBeLessThanOrEqual(1.01);
      }),
      { numRuns: scaleCount(40) },
    );
  });

  test('with a rate in stages, the number of waiting clients never exceeds the planned peak of connections', () => {
    fc.assert(
      fc.property(fc.nat(40), anyStages, fc.integer({ min: 1, max: 5000 }), (initial, declared, timeout) => {
        const spec = {
          ...pace('per-second', initial, declared),
          timeout: milliseconds(timeout),
          targets: [{ delay: null }],
          flows: null,
          groups: null,
        };
        const dues = duesOf(spec);
        let first = 0;
        let maxWaiting = 0;
        dues.forEach((due, n) => {
          while ((dues[first] ?? 0) <= due - timeout + 1e-6) first++;
          maxWaiting = Math.max(maxWaiting, n - first + 1);
        });
        expect(maxWaiting).toBeLessThanOrEqual(peakConnections(spec));
      }),
      { numRuns: scaleCount(100) },
    );
  });
});

describe('connections in stages', () => {
  test('a connection slot is in use while the number of connections is above the number of the slot, or equal and rising', () => {
    const spec = pace('cycling', 1, [
      [2, 3],
      [2, 3],
      [4, 1],
      [0, 3],
      [1, 3],
    ]);
    const works = duesOf(spec).map((due, n) => [due, retiresAt(spec, n)]);
    expect(works).toEqual([
      [0, 9000],
      [0, 8000],
      [1000, 6000],
      [8000, 9000],
      [8000, 9000],
    ]);
    expect(
      peakConnections({ ...spec, timeout: milliseconds(1000), targets: [], flows: null, groups: null }),
    ).toBe(3);
  });

  test('the number of connection slots in use differs from the declared number of connections by at most one, for any stages', () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        anyStages,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (initial, declared, fraction) => {
          const start = declared[0]?.[0] === 0 ? declared[0][1] : initial;
          const spec = pace('cycling', initial, declared);
          const at = fraction * spec.duration;
          const working = duesOf(spec).filter((due, n) => due <= at && retiresAt(spec, n) > at).length;
          expect(Math.abs(working - levelAt(start, declared, at))).toBeLessThanOrEqual(1 + 1e-9);
        },
      ),
      { numRuns: scaleCount(200) },
    );
  });
});

test.each(['cycling', 'per-second'] as const)(
  'each client of a %s test with stages is assigned to exactly one thread, and clientsDue returns the number of clients that are due',
  (testType) => {
    fc.assert(
      fc.property(
        fc.nat(40),
        anyStages,
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (initial, declared, threads, fraction) => {
          const spec = pace(testType, initial, declared);
          const numbers = splitIntoShards(spec, threads).flatMap((one) =>
            Array.from({ length: one.clients }, (_, index) => clientNumberOf(one, index)),
          );
          expect(numbers.sort((a, b) => a - b)).toEqual(duesOf(spec).map((_, n) => n));
          const at = fraction * spec.duration;
          expect(clientsDue(spec, at)).toBe(duesOf(spec).filter((due) => due <= at).length);
        },
      ),
      { numRuns: scaleCount(100) },
    );
  },
);

test('a connection starts no further iteration after the declared number of connections first falls below the number of this connection', () => {
  const dip = pace('cycling', 8, [
    [10, 4],
    [10, 8],
    [10, 0],
  ]);
  const retired = Array.from({ length: 8 }, (_, client) => retiresAt(dip, client));
  // The level falls below connections 4 to 7 within the first 10 s, and below all others in the last 10 s.
  expect(rounded(retired)).toEqual([...[30_000, 28_750, 27_500, 26_250], ...[10_000, 7_500, 5_000, 2_500]]);
  const rising = pace('cycling', 2, [[10, 5]]);
  expect(Array.from({ length: 5 }, (_, client) => retiresAt(rising, client))).toEqual(Array(5).fill(10_000));
});

/** Loads in stages: exact counts, due times in closed form, slots that stop and come again. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientCount, clientsDue, dueAt, retiresAt, type PaceSpec } from '../../../../src/core/load/pace.ts';
import { peakConnections } from '../../../../src/core/load/peak-load.ts';
import { extentOf, rampsOf, type Stage } from '../../../../src/core/load/ramps.ts';
import { clientNumberOf, splitIntoShards } from '../../../../src/core/load/shard.ts';
import { milliseconds, seconds } from '../../../../src/core/units.ts';
import { scaleCount } from '../../../support/test-scale.ts';

type Written = readonly (readonly [lasts: number, to: number])[];

function pace(testType: 'cycling' | 'per-second', initial: number, written: Written): PaceSpec {
  const stages: readonly Stage[] = written.map(([lasts, to]) => ({ duration: seconds(lasts), to }));
  const { highest, lasts } = extentOf(initial, stages);
  const ramps = rampsOf(testType === 'cycling' ? 'connections' : 'rate', initial, stages);
  return { testType, initial, total: highest, duration: lasts, ramps };
}

const duesOf = (spec: PaceSpec) => Array.from({ length: clientCount(spec) }, (_, n) => dueAt(spec, n));

/** To the nanosecond. */
const rounded = (times: readonly number[]) => times.map((at) => Math.round(at * 1e6) / 1e6);

/** The rate at an instant, or the connections. */
function levelAt(initial: number, written: Written, at: number): number {
  let start = 0;
  let level = initial;
  for (const [lasts, to] of written) {
    if (at < start + lasts * 1000) return level + ((to - level) * (at - start)) / (lasts * 1000);
    start += lasts * 1000;
    level = to;
  }
  return level;
}

const anyStages = fc
  .array(fc.tuple(fc.constantFrom(0, 1, 2, 5, 9), fc.nat(40)), { minLength: 1, maxLength: 6 })
  // As the rules want them: no step behind another, none at the end, some load.
  .filter(
    (all) => (all.at(-1)?.[0] ?? 0) > 0 && all.every(([lasts], at) => lasts > 0 || all[at + 1]?.[0] !== 0),
  );

describe('a rate in stages', () => {
  test.each<[string, number, Written, number]>([
    [
      'up, level and down',
      0,
      [
        [30, 200],
        [120, 200],
        [10, 0],
      ],
      28_000,
    ],
    ['level, as without stages', 5, [[10, 5]], 50],
    ['half a client', 0, [[1, 1]], 1],
    ['three halves', 1, [[1, 2]], 2],
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
      'none for a while',
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
      'down to nothing, which lasts',
      4,
      [
        [1, 0],
        [9, 0],
      ],
      2,
    ],
  ])('has exactly its clients: %s', (_name, initial, written, clients) => {
    expect(clientCount(pace('per-second', initial, written))).toBe(clients);
  });

  test('clients are due where the area under the rate is their number', () => {
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
    // The first one waits for the load to come: nobody is due while the rate is 0.
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

  test('no step adds up: any client is due as a fine integration of the rate has it', () => {
    fc.assert(
      fc.property(fc.nat(40), anyStages, (initial, written) => {
        const begins = written[0]?.[0] === 0 ? written[0][1] : initial;
        const spec = pace('per-second', initial, written);
        const dues = duesOf(spec);
        const ordered = dues.every((due, n) => due >= (dues[n - 1] ?? 0) && due < spec.duration);
        expect(ordered).toBe(true);
        // The trapezoids of a straight line are exact, but where a stage ends within one.
        let area = 0;
        let next = 0;
        let farthest = 0;
        for (let at = 0; at < spec.duration; at += 10) {
          area += ((levelAt(begins, written, at) + levelAt(begins, written, at + 9.999_999)) * 0.01) / 2;
          while (next < dues.length && (dues[next] ?? 0) < at + 10) next++;
          farthest = Math.max(farthest, Math.abs(next - area));
        }
        expect(farthest).toBeLessThanOrEqual(1.01);
      }),
      { numRuns: scaleCount(40) },
    );
  });

  test('never has more clients waiting than the plan says', () => {
    fc.assert(
      fc.property(fc.nat(40), anyStages, fc.integer({ min: 1, max: 5000 }), (initial, written, timeout) => {
        const spec = { ...pace('per-second', initial, written), timeout: milliseconds(timeout), targets: [] };
        const dues = duesOf(spec);
        let first = 0;
        let most = 0;
        dues.forEach((due, n) => {
          while ((dues[first] ?? 0) <= due - timeout + 1e-6) first++;
          most = Math.max(most, n - first + 1);
        });
        expect(most).toBeLessThanOrEqual(peakConnections(spec));
      }),
      { numRuns: scaleCount(100) },
    );
  });
});

describe('connections in stages', () => {
  test('a slot works while the level is above it, or at it and rising', () => {
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
    expect(peakConnections({ ...spec, timeout: milliseconds(1000), targets: [] })).toBe(3);
  });

  test('are within one of the line, at any time, for any stages', () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        anyStages,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (initial, written, share) => {
          const begins = written[0]?.[0] === 0 ? written[0][1] : initial;
          const spec = pace('cycling', initial, written);
          const at = share * spec.duration;
          const working = duesOf(spec).filter((due, n) => due <= at && retiresAt(spec, n) > at).length;
          expect(Math.abs(working - levelAt(begins, written, at))).toBeLessThanOrEqual(1 + 1e-9);
        },
      ),
      { numRuns: scaleCount(200) },
    );
  });
});

test.each(['cycling', 'per-second'] as const)(
  '%s: any number of workers shares the clients, and counting those due agrees',
  (testType) => {
    fc.assert(
      fc.property(
        fc.nat(40),
        anyStages,
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (initial, written, workers, share) => {
          const spec = pace(testType, initial, written);
          const numbers = splitIntoShards(spec, workers).flatMap((one) =>
            Array.from({ length: one.clients }, (_, index) => clientNumberOf(one, index)),
          );
          expect(numbers.sort((a, b) => a - b)).toEqual(duesOf(spec).map((_, n) => n));
          const at = share * spec.duration;
          expect(clientsDue(spec, at)).toBe(duesOf(spec).filter((due) => due <= at).length);
        },
      ),
      { numRuns: scaleCount(100) },
    );
  },
);

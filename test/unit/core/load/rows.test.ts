import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/core/random.ts';
import {
  createRandomOrder,
  createShuffle,
  createShuffledOrder,
} from '../../../../src/core/load/row-order.ts';

const counts = fc.integer({ min: 1, max: 2000 });
const threadCounts = fc.integer({ min: 1, max: 8 });
const seeds = fc.integer();

/** Returns the rows that each thread draws if `draws` are distributed over the threads. */
function drawRows(rows: number, seed: number, size: { readonly threads: number; readonly draws: number }) {
  return Array.from({ length: size.threads }, (_, thread) => {
    const order = createShuffledOrder(
      { count: rows, seed, list: 0 },
      { worker: thread, workers: size.threads },
    );
    const count = Math.ceil((size.draws - thread) / size.threads);
    return Array.from({ length: Math.max(0, count) }, () => order.next());
  });
}

describe('shuffled row orders', () => {
  test('while unused rows remain, no row is drawn twice, regardless of the number of threads', () => {
    fc.assert(
      fc.property(
        counts,
        threadCounts,
        seeds,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, threads, seed, fraction) => {
          const rows = drawRows(count, seed, { threads, draws: Math.floor(count * fraction) }).flat();
          expect(new Set(rows).size).toBe(rows.length);
          expect(rows.every((row) => row >= 0 && row < count)).toBe(true);
        },
      ),
    );
  });

  test('after any number of draws by all threads, the use counts of any two rows differ by at most one', () => {
    fc.assert(
      fc.property(
        counts,
        threadCounts,
        seeds,
        fc.integer({ min: 0, max: 5000 }),
        (count, threads, seed, draws) => {
          const used = new Array<number>(count).fill(0);
          for (const row of drawRows(count, seed, { threads, draws }).flat())
            used[row] = (used[row] ?? 0) + 1;
          expect(used.reduce((sum, times) => sum + times, 0)).toBe(draws);
          expect(Math.max(...used)).toBeLessThanOrEqual(Math.ceil(draws / count));
          expect(Math.min(...used)).toBeGreaterThanOrEqual(Math.floor(draws / count));
        },
      ),
    );
  });

  test('the seed and the number of the list determine the order of rows, which changes when the rows repeat', () => {
    const order = (seed: number, list: number) => {
      const rows = createShuffledOrder({ count: 1000, seed, list }, { worker: 0, workers: 1 });
      return Array.from({ length: 2000 }, () => rows.next());
    };
    expect(order(1, 0)).toEqual(order(1, 0));
    expect(order(1, 0)).not.toEqual(order(2, 0));
    expect(order(1, 0)).not.toEqual(order(1, 1));
    // The repetition has a different order.
    const rows = order(1, 0);
    expect(rows.slice(0, 1000)).not.toEqual(rows.slice(1000));
  });
});

test('the order of rows for a seed does not change, so that a run can be repeated', () => {
  const drawsOf = (spec: { count: number; seed: number; list: number }, worker: number, workers: number) => {
    const order = createShuffledOrder(spec, { worker, workers });
    return Array.from({ length: 12 }, () => order.next()).join(' ');
  };
  expect([
    drawsOf({ count: 7, seed: 1, list: 0 }, 0, 1),
    drawsOf({ count: 7, seed: 1, list: 0 }, 7, 8),
    drawsOf({ count: 1000, seed: 2, list: 3 }, 0, 2),
    drawsOf({ count: 1, seed: 1, list: 0 }, 0, 1),
    drawsOf({ count: 64, seed: 5, list: 0 }, 0, 1),
  ]).toEqual([
    '4 5 6 0 3 1 2 4 6 5 2 3',
    '4 1 2 2 6 2 2 4 5 2 5 4',
    '611 594 202 770 745 828 231 763 983 656 332 16',
    '0 0 0 0 0 0 0 0 0 0 0 0',
    '55 32 37 22 52 41 29 27 2 5 33 45',
  ]);
  const random = createRandomOrder({ count: 1000, seed: 2, list: 3 }, { worker: 1 });
  expect(Array.from({ length: 6 }, () => random.next())).toEqual([314, 262, 855, 25, 889, 354]);
});

describe('computed permutations', () => {
  test('a shuffle returns each index exactly once', () => {
    fc.assert(
      fc.property(
        fc.oneof(counts, fc.constantFrom(1, 2, 3, 4, 255, 256, 257, 65_537)),
        seeds,
        (count, seed) => {
          const shuffle = createShuffle(count, [seed]);
          const rows = new Set(Array.from({ length: count }, (_, index) => shuffle(index)));
          expect(rows.size).toBe(count);
          expect(Math.max(...[...rows].slice(0, 1000))).toBeLessThan(count);
        },
      ),
    );
  });

  test('each of ten rows is equally likely at the first, sixth and last position of a shuffle', () => {
    const [count, tries] = [10, 20_000];
    for (const position of [0, 5, 9]) {
      const counts = new Array<number>(count).fill(0);
      for (let seed = 0; seed < tries; seed++) {
        const row = createShuffle(count, [seed])(position);
        counts[row] = (counts[row] ?? 0) + 1;
      }
      const square = counts.reduce((sum, times) => sum + (times - tries / count) ** 2 / (tries / count), 0);
      // Chi square with 9 degrees of freedom: 27.9 at 0.1%.
      expect(square).toBeLessThan(27.9);
    }
  });

  test('in a shuffle of 100,000 rows, fewer than 100 pairs of adjacent rows were at most ten positions apart before', () => {
    const shuffle = createShuffle(100_000, [7]);
    let close = 0;
    for (let index = 0; index < 99_999; index++) {
      if (Math.abs(shuffle(index) - shuffle(index + 1)) <= 10) close++;
    }
    // About 20 of 100,000 are expected by chance.
    expect(close).toBeLessThan(100);
  });

  test('a shuffle of a million rows returns each row once', () => {
    const shuffle = createShuffle(1_000_000, [3]);
    const used = new Uint8Array(1_000_000);
    for (let index = 0; index < used.length; index++) used[shuffle(index)] = 1;
    expect(used.indexOf(0)).toBe(-1);
  });
});

describe('random row orders', () => {
  test('two threads draw each of ten rows about equally often, and in different orders', () => {
    const orders = [0, 1].map((thread) =>
      createRandomOrder({ count: 10, seed: 1, list: 0 }, { worker: thread }),
    );
    const draws = orders.map((order) => Array.from({ length: 10_000 }, () => order.next()));
    for (const rows of draws) {
      const counts = new Array<number>(10).fill(0);
      for (const row of rows) counts[row] = (counts[row] ?? 0) + 1;
      expect(Math.min(...counts)).toBeGreaterThan(850);
      expect(Math.max(...counts)).toBeLessThan(1150);
    }
    expect(draws[0]).not.toEqual(draws[1]);
  });
});

describe('random numbers', () => {
  test('a random number is a non-negative integer below any given limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), seeds, (limit, seed) => {
        const number = new Random(seed).below(limit);
        expect(Number.isSafeInteger(number)).toBe(true);
        expect(number >= 0 && number < limit).toBe(true);
      }),
    );
  });

  test('random numbers below 2 ** 52 cover both halves of the range and vary in the lowest bits', () => {
    const random = new Random(1);
    const halves = [0, 0];
    const low = new Set<number>();
    for (let draw = 0; draw < 1000; draw++) {
      const number = random.below(2 ** 52);
      halves[number < 2 ** 51 ? 0 : 1] = (halves[number < 2 ** 51 ? 0 : 1] ?? 0) + 1;
      low.add(number % 1024);
    }
    expect(Math.min(...halves)).toBeGreaterThan(400);
    expect(low.size).toBeGreaterThan(500);
  });

  test('different seeds, including large and reordered ones, result in different random numbers', () => {
    const first = (...seed: readonly number[]) => new Random(...seed).word();
    const words = [first(1), first(2 ** 32 + 1), first(1, 2), first(2, 1), first(1, 0), first(0, 1)];
    expect(new Set(words).size).toBe(words.length);
  });
});

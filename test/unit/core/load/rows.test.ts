import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/core/load/random.ts';
import {
  createRandomOrder,
  createShuffle,
  createShuffledOrder,
} from '../../../../src/core/load/row-order.ts';

const counts = fc.integer({ min: 1, max: 2000 });
const workers = fc.integer({ min: 1, max: 8 });
const seeds = fc.integer();

/** What each of some workers draws when `draws` are shared out among them. */
function drawn(count: number, seed: number, size: { readonly workers: number; readonly draws: number }) {
  return Array.from({ length: size.workers }, (_, worker) => {
    const order = createShuffledOrder({ count, seed, list: 0 }, { worker, workers: size.workers });
    const own = Math.ceil((size.draws - worker) / size.workers);
    return Array.from({ length: Math.max(0, own) }, () => order.next());
  });
}

describe('everyRowOnce', () => {
  test('as long as there are enough, no row comes twice, however many workers there are', () => {
    fc.assert(
      fc.property(
        counts,
        workers,
        seeds,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, n, seed, part) => {
          const rows = drawn(count, seed, { workers: n, draws: Math.floor(count * part) }).flat();
          expect(new Set(rows).size).toBe(rows.length);
          expect(rows.every((row) => row >= 0 && row < count)).toBe(true);
        },
      ),
    );
  });

  test('all workers together use each row as often as any other, or once more', () => {
    fc.assert(
      fc.property(counts, workers, seeds, fc.integer({ min: 0, max: 5000 }), (count, n, seed, draws) => {
        const used = new Array<number>(count).fill(0);
        for (const row of drawn(count, seed, { workers: n, draws }).flat()) used[row] = (used[row] ?? 0) + 1;
        expect(used.reduce((sum, times) => sum + times, 0)).toBe(draws);
        expect(Math.max(...used)).toBeLessThanOrEqual(Math.ceil(draws / count));
        expect(Math.min(...used)).toBeGreaterThanOrEqual(Math.floor(draws / count));
      }),
    );
  });

  test('the seed decides the order', () => {
    const order = (seed: number, list: number) => {
      const rows = createShuffledOrder({ count: 1000, seed, list }, { worker: 0, workers: 1 });
      return Array.from({ length: 2000 }, () => rows.next());
    };
    expect(order(1, 0)).toEqual(order(1, 0));
    expect(order(1, 0)).not.toEqual(order(2, 0));
    expect(order(1, 0)).not.toEqual(order(1, 1));
    // Starting over, it is shuffled anew.
    const both = order(1, 0);
    expect(both.slice(0, 1000)).not.toEqual(both.slice(1000));
  });
});

describe('createShuffle', () => {
  test('is a permutation', () => {
    fc.assert(
      fc.property(
        fc.oneof(counts, fc.constantFrom(1, 2, 3, 4, 255, 256, 257, 65_537)),
        seeds,
        (count, seed) => {
          const shuffle = createShuffle(count, [seed]);
          const places = new Set(Array.from({ length: count }, (_, place) => shuffle(place)));
          expect(places.size).toBe(count);
          expect(Math.max(...[...places].slice(0, 1000))).toBeLessThan(count);
        },
      ),
    );
  });

  test('every row is equally likely at every place', () => {
    const [count, tries] = [10, 20_000];
    for (const place of [0, 5, 9]) {
      const seen = new Array<number>(count).fill(0);
      for (let seed = 0; seed < tries; seed++) {
        const row = createShuffle(count, [seed])(place);
        seen[row] = (seen[row] ?? 0) + 1;
      }
      const square = seen.reduce((sum, times) => sum + (times - tries / count) ** 2 / (tries / count), 0);
      // Chi square with 9 degrees of freedom: 27.9 at 0.1 %.
      expect(square).toBeLessThan(27.9);
    }
  });

  test('neighbours do not stay neighbours', () => {
    const shuffle = createShuffle(100_000, [7]);
    let close = 0;
    for (let place = 0; place < 99_999; place++) {
      if (Math.abs(shuffle(place) - shuffle(place + 1)) <= 10) close++;
    }
    // By chance 20 of 100,000.
    expect(close).toBeLessThan(100);
  });

  test('a million rows take no time and no memory worth telling', () => {
    const shuffle = createShuffle(1_000_000, [3]);
    const seen = new Uint8Array(1_000_000);
    for (let place = 0; place < seen.length; place++) seen[shuffle(place)] = 1;
    expect(seen.indexOf(0)).toBe(-1);
  });
});

describe('anyRow', () => {
  test('draws all rows equally often, and each worker others', () => {
    const orders = [0, 1].map((worker) => createRandomOrder({ count: 10, seed: 1, list: 0 }, { worker }));
    const draws = orders.map((order) => Array.from({ length: 10_000 }, () => order.next()));
    for (const rows of draws) {
      const seen = new Array<number>(10).fill(0);
      for (const row of rows) seen[row] = (seen[row] ?? 0) + 1;
      expect(Math.min(...seen)).toBeGreaterThan(850);
      expect(Math.max(...seen)).toBeLessThan(1150);
    }
    expect(draws[0]).not.toEqual(draws[1]);
  });
});

describe('Random', () => {
  test('below a limit, any limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), seeds, (limit, seed) => {
        const number = new Random(seed).below(limit);
        expect(Number.isSafeInteger(number)).toBe(true);
        expect(number >= 0 && number < limit).toBe(true);
      }),
    );
  });

  test('large limits are used in full', () => {
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

  test('seeds beyond 32 bits, and their order, tell streams apart', () => {
    const first = (...of: readonly number[]) => new Random(...of).word();
    const words = [first(1), first(2 ** 32 + 1), first(1, 2), first(2, 1), first(1, 0), first(0, 1)];
    expect(new Set(words).size).toBe(words.length);
  });
});

/** Which row of a payload file comes next. Mutable on purpose: it is asked for every pass or request. */
import { hashSeeds, Random } from './random.ts';

export interface RowOrder {
  /** The index of the next row. */
  next(): number;
}

/** What decides an order, besides the share of the worker that draws. */
export interface RowOrderSpec {
  /** Rows there are; at least one. */
  readonly count: number;
  readonly seed: number;
  /** Tells the files of one run apart. */
  readonly list: number;
}

/**
 * Every row once before any comes again, then all of them in another order, and so on; for the open models.
 *
 * Shape: the workers take turns: the first one the draws 0, n, 2n, … of the run, the next one 1, n + 1, …; so all of
 *        them together use each row once as long as no more rows are drawn than there are. Needs no memory by row.
 */
export function createShuffledOrder(
  spec: RowOrderSpec,
  share: { readonly worker: number; readonly workers: number },
): RowOrder {
  const { count, seed, list } = spec;
  let draw = share.worker;
  let round = -1;
  let shuffle: Shuffle = IDENTITY;
  return {
    next: () => {
      const current = Math.floor(draw / count);
      if (current !== round) {
        round = current;
        shuffle = createShuffle(count, [seed, list, round]);
      }
      const row = shuffle(draw % count);
      draw += share.workers;
      return row;
    },
  };
}

/** Any row at any time; for the closed model. */
export function createRandomOrder(spec: RowOrderSpec, share: { readonly worker: number }): RowOrder {
  const random = new Random(spec.seed, spec.list, share.worker);
  return { next: () => random.below(spec.count) };
}

type Shuffle = (place: number) => number;

const IDENTITY: Shuffle = (place) => place;

const ROUNDS = 6;

/**
 * A random order of `count` things that is computed, not stored: each place below `count` has a thing of its own.
 *
 * Shape: `count` from 1 to 2^31. Each step can be undone within the next power of two, so it is a permutation of that;
 *        a place that lands outside walks on until it is back inside, which keeps it one.
 */
export function createShuffle(count: number, seeds: readonly number[]): Shuffle {
  const bits = Math.max(1, 32 - Math.clz32(count - 1));
  const mask = 2 ** bits - 1;
  const shift = Math.max(1, bits >>> 1);
  const keys = new Int32Array(2 * ROUNDS);
  const random = new Random(...hashSeeds(seeds));
  for (let index = 0; index < keys.length; index += 2) {
    keys[index] = random.word();
    // Only odd factors can be divided out again.
    keys[index + 1] = random.word() | 1;
  }
  return (place) => {
    let at = place;
    do {
      for (let index = 0; index < keys.length; index += 2) {
        at = Math.imul((at + (keys[index] ?? 0)) & mask, keys[index + 1] ?? 1) & mask;
        at ^= at >>> shift;
      }
    } while (at >= count);
    return at;
  };
}

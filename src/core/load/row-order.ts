/** Default orders of the rows of payload files. */
import { hashSeeds, Random } from '../random.ts';

export interface RowOrder {
  next(): number;
}

export interface RowOrderSpec {
  /** Number of rows; at least 1. */
  readonly count: number;
  readonly seed: number;
  /** Number of the list of rows within the run, which is used as a seed. */
  readonly list: number;
}

/**
 * Returns the row order of one thread in the open models.
 *
 * Thread 0 of n makes the draws 0, n, 2n, … of the run, and thread 1 makes the draws 1, n + 1, …. For m rows, each
 * range of m draws that begins at a multiple of m is a random permutation of the rows.
 */
export function createShuffledOrder(
  spec: RowOrderSpec,
  position: { readonly worker: number; readonly workers: number },
): RowOrder {
  const { count, seed, list } = spec;
  let draw = position.worker;
  let round = -1;
  let shuffle: Shuffle = IDENTITY;
  return {
    next: () => {
      const current = Math.floor(draw / count);
      // Stryker disable next-line ConditionalExpression: a new shuffle for each draw would only be slower
      if (current !== round) {
        round = current;
        shuffle = createShuffle(count, [seed, list, round]);
      }
      const row = shuffle(draw % count);
      draw += position.workers;
      return row;
    },
  };
}

/** Returns the row order of one thread in the closed model, in which each draw is independent. */
export function createRandomOrder(spec: RowOrderSpec, position: { readonly worker: number }): RowOrder {
  const random = new Random(spec.seed, spec.list, position.worker);
  return { next: () => random.below(spec.count) };
}

type Shuffle = (index: number) => number;

const IDENTITY: Shuffle = (index) => index;

const ROUNDS = 6;

/**
 * Returns a random permutation of the integers from 0 to `count` − 1. The permutation is computed on demand, not
 * stored.
 *
 * Each step permutes the integers below a power of two, and is repeated until the result is below `count`.
 * @param count - integer from 1 to 2³¹
 */
export function createShuffle(count: number, seeds: readonly number[]): Shuffle {
  const bits = Math.max(1, 32 - Math.clz32(count - 1));
  const mask = 2 ** bits - 1;
  const shift = Math.max(1, bits >>> 1);
  const keys = new Int32Array(2 * ROUNDS);
  const random = new Random(...hashSeeds(seeds));
  for (let index = 0; index < keys.length; index += 2) {
    keys[index] = random.word();
    // Modulo a power of two, only multiplication by an odd factor is invertible.
    keys[index + 1] = random.word() | 1;
  }
  return (index) => {
    let at = index;
    do {
      for (let key = 0; key < keys.length; key += 2) {
        at = Math.imul((at + (keys[key] ?? 0)) & mask, keys[key + 1] ?? 1) & mask;
        at ^= at >>> shift;
      }
    } while (at >= count);
    return at;
  };
}

/** Random numbers that a seed decides. Mutable on purpose: they are drawn for every request that wants one. */

/**
 * A stream of random numbers.
 *
 * Shape:  the same seeds give the same stream; streams of different seeds have nothing in common.
 * Source: sfc32 of PractRand; far from secret, good enough for load.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seeds whole numbers, say the run's seed and the worker's number; their order matters */
  constructor(...seeds: readonly number[]) {
    const [a, b, c] = hashSeeds(seeds);
    this.#a = a;
    this.#b = b;
    this.#c = c;
    // The first numbers still show the seeds.
    for (let round = 0; round < 12; round++) this.word();
  }

  /** 32 random bits, as a number of 0 or more. */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A whole number from 0 to below `limit`, all equally likely; `limit` from 1 to 2^53. */
  below(limit: number): number {
    const range = limit <= 2 ** 32 ? 2 ** 32 : 2 ** 53;
    // What would favour the first numbers is drawn again.
    const fair = range - (range % limit);
    for (;;) {
      const drawn = range === 2 ** 32 ? this.word() : (this.word() >>> 11) * 2 ** 32 + this.word();
      if (drawn < fair) return drawn % limit;
    }
  }
}

/** Mixes whole numbers, of any size, to three words. */
export function hashSeeds(seeds: readonly number[]): readonly [number, number, number] {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = 0xb7e15162 | 0;
  for (const seed of seeds) {
    a = mixed(a ^ (seed | 0));
    b = mixed(b ^ Math.floor(seed / 2 ** 32) ^ a);
    c = mixed(c ^ b);
    a = (a + c) | 0;
  }
  return [a, b, c];
}

/** Source: the finalizer of MurmurHash3. */
function mixed(word: number): number {
  let bits = word;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/**
 * A stream of pseudorandom numbers; not cryptographically secure. Equal seeds produce equal streams.
 * @see sfc32 in PractRand
 */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;

  /** @param seeds - integers, such as the seed of a run and the index of a thread; the order is significant */
  constructor(...seeds: readonly number[]) {
    this.restart(seeds);
  }

  restart(seeds: readonly number[]): void {
    const [a, b, c] = hashSeeds(seeds);
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#counter = 1;
    // Discards the first numbers, because they correlate with the seeds.
    for (let round = 0; round < 12; round++) this.word();
  }

  /** Returns 32 random bits as an unsigned integer. */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Returns a uniformly distributed number in the interval [0, 1), with 53 random bits. */
  fraction(): number {
    return ((this.word() >>> 11) * 2 ** 32 + this.word()) / 2 ** 53;
  }

  /**
   * Returns a uniformly distributed integer from 0 to `limit` − 1.
   * @param limit - integer from 1 to 2⁵³
   */
  below(limit: number): number {
    if (!(limit >= 1))
      throw new Error(`Bug: the limit of a random integer is ${limit}, but it must be at least 1`);
    const range = limit <= 2 ** 32 ? 2 ** 32 : 2 ** 53;
    // Rejects numbers of at least `fair`, because such numbers would make small results more likely.
    const fair = range - (range % limit);
    for (;;) {
      const number = range === 2 ** 32 ? this.word() : (this.word() >>> 11) * 2 ** 32 + this.word();
      if (number < fair) return number % limit;
    }
  }
}

/** Returns three 32-bit words that depend on the values and the order of the seeds. */
export function hashSeeds(seeds: readonly number[]): readonly [number, number, number] {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = 0xb7e15162 | 0;
  for (const seed of seeds) {
    a = mix(a ^ (seed | 0));
    b = mix(b ^ Math.floor(seed / 2 ** 32) ^ a);
    c = mix(c ^ b);
    a = (a + c) | 0;
  }
  return [a, b, c];
}

/** @see the finalizer of MurmurHash3 */
function mix(word: number): number {
  let bits = word;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

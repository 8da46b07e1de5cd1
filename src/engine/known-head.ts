/**
 * The head of an earlier answer, and what the parser made of it: most servers send the same bytes for a second or
 * longer, until their `Date` changes. To compare them costs a tenth of reading them. Where a header is wanted, it is the
 * head up to that line.
 *
 * They are compared eight bytes at a time, as the floating-point numbers that these would be. Those are equal only if all
 * their bits are, but for zero, and a head that has been read holds no NUL. Some bytes above 127 make what is equal to
 * nothing: such a head is read each time.
 */

/** Longer heads are read each time. */
const MOST_BYTES = 2048;
/** Where each answer has a head of its own, only every so many are kept. */
const LEARNS_EVERY = 16;

/** Where the parser stands behind it. */
export interface HeadMeaning {
  readonly state: number;
  readonly status: number;
  readonly close: boolean;
  /** Body bytes to come, where the head is over. */
  readonly left: number;
  /** What counts as long as it is not. */
  readonly minor: number;
  readonly keepAlive: boolean;
  readonly length: number;
  readonly encoded: boolean;
  readonly chunked: boolean;
  readonly headBytes: number;
  readonly interim: number;
}

export class KnownHead {
  /** Bytes of it; 0 before there is one. */
  length = 0;
  meaning: HeadMeaning | null = null;
  readonly #buffer: Buffer;
  /** The same memory, eight bytes at a time. */
  readonly #words: Float64Array;
  readonly #ownBytes: Uint8Array;
  readonly #ownWords: Float64Array;
  #misses = 0;

  /** `buffer`: the one that answers are read from; it must have memory of its own. */
  constructor(buffer: Buffer) {
    this.#buffer = buffer;
    this.#words = new Float64Array(buffer.buffer, buffer.byteOffset, buffer.length >> 3);
    this.#ownWords = new Float64Array(MOST_BYTES >> 3);
    this.#ownBytes = new Uint8Array(this.#ownWords.buffer);
  }

  /** Whether `length` bytes at the buffer's start begin with this head. */
  fits(bytes: Buffer, length: number): boolean {
    const own = this.length;
    if (length < own || own === 0 || bytes !== this.#buffer) return false;
    const words = this.#words;
    const ownWords = this.#ownWords;
    const whole = own >> 3;
    for (let at = 0; at < whole; at++) {
      if (words[at] !== ownWords[at]) return false;
    }
    for (let at = whole << 3; at < own; at++) {
      if (bytes[at] !== this.#ownBytes[at]) return false;
    }
    return true;
  }

  /** Counts a head that was not this one; whether it should be kept instead. */
  missed(bytes: Buffer): boolean {
    return this.#misses++ % LEARNS_EVERY === 0 && bytes === this.#buffer;
  }

  /** Keeps the first `length` bytes, unless they are too many. */
  learn(bytes: Buffer, length: number, meaning: HeadMeaning): void {
    if (length > MOST_BYTES) return;
    this.#ownBytes.set(bytes.subarray(0, length));
    this.length = length;
    this.meaning = meaning;
  }
}

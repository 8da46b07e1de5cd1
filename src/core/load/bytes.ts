/** Numbers and short texts as bytes and back, exactly and without air. Mutable on purpose: a writer grows, a reader moves on. */

/** Up to this a whole number is exact. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
/** Seven bits to a byte. */
const CONTINUATION_BIT = 0x80;

export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** What was written. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** A whole number from 0 on. */
  count(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`Bug: ${value} is no count`);
    this.#reserve(8);
    let rest = value;
    for (; rest >= CONTINUATION_BIT; rest = Math.floor(rest / CONTINUATION_BIT))
      this.#byte((rest % CONTINUATION_BIT) | CONTINUATION_BIT);
    this.#byte(rest);
  }

  /** A whole number that may be less than nothing; up to 2⁵² either way. */
  integer(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Any number; the usual one, 0, takes a byte. */
  number(value: number): void {
    this.#reserve(9);
    if (Object.is(value, 0)) {
      this.#byte(0);
      return;
    }
    this.#byte(1);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value);
    this.#length += 8;
  }

  flag(value: boolean): void {
    this.count(value ? 1 : 0);
  }

  /** By its code units, so that it comes back as it was, whatever it is. */
  string(value: string): void {
    this.count(value.length);
    for (let at = 0; at < value.length; at++) this.count(value.charCodeAt(at));
  }

  /** So many, and then each. */
  list<T>(values: readonly T[], write: (value: T) => void): void {
    this.count(values.length);
    for (const value of values) write(value);
  }

  #byte(value: number): void {
    this.#bytes[this.#length++] = value;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * this.#bytes.length);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** The bytes are not what a writer wrote. */
export class InvalidBytesError extends Error {}

/** Errors: each throws `InvalidBytesError` for what no writer writes; none takes more memory than the bytes allow. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  count(most = MAX_INTEGER): number {
    let value = 0;
    for (let unit = 1; ; unit *= CONTINUATION_BIT) {
      const byte = this.#byte();
      value += (byte % CONTINUATION_BIT) * unit;
      if (value > most) throw new InvalidBytesError('a number is too large');
      if (byte < CONTINUATION_BIT) {
        // One number is written in one way.
        if (byte === 0 && unit > 1) throw new InvalidBytesError('a number is too long');
        return value;
      }
    }
  }

  integer(): number {
    const value = this.count();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Finite. */
  number(): number {
    if (!this.flag()) return 0;
    if (this.#at + 8 > this.#bytes.length) throw new InvalidBytesError('the bytes end too soon');
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat64(this.#at);
    this.#at += 8;
    if (!Number.isFinite(value)) throw new InvalidBytesError('a number is not finite');
    return value;
  }

  flag(): boolean {
    return this.count(1) === 1;
  }

  string(): string {
    // Each unit takes a byte at least.
    const length = this.count(this.#bytes.length - this.#at);
    let value = '';
    for (let at = 0; at < length; at++) value += String.fromCharCode(this.count(0xffff));
    return value;
  }

  list<T>(read: () => T, most = MAX_INTEGER): readonly T[] {
    const length = this.count(Math.min(most, this.#bytes.length - this.#at));
    return Array.from({ length }, read);
  }

  /** Nothing is left over. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new InvalidBytesError('there are bytes behind the end');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new InvalidBytesError('the bytes end too soon');
    return byte;
  }
}

/** Compact binary encoding of numbers and strings. */

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
/** Bit that is set in each byte of an integer except the last byte, as in LEB128. */
const CONTINUATION_BIT = 0x80;

export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Writes a non-negative safe integer in one to eight bytes. */
  count(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new Error(`Bug: ${value} is not a safe integer of 0 or more`);
    this.#reserve(8);
    let rest = value;
    for (; rest >= CONTINUATION_BIT; rest = Math.floor(rest / CONTINUATION_BIT))
      this.#byte((rest % CONTINUATION_BIT) | CONTINUATION_BIT);
    this.#byte(rest);
  }

  /** Writes an integer from −2⁵² to 2⁵² − 1. */
  integer(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Writes a finite number: 0 in one byte, any other number in nine bytes. */
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

  /** Writes a string as UTF-16 code units, so that lone surrogates are preserved. */
  string(value: string): void {
    this.count(value.length);
    for (let at = 0; at < value.length; at++) this.count(value.charCodeAt(at));
  }

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

/** Thrown if encoded data is truncated, corrupt or out of range. */
export class InvalidBytesError extends Error {}

/**
 * Reads values in the order in which a `ByteWriter` wrote them.
 * @throws InvalidBytesError if the bytes are invalid.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  count(max = MAX_INTEGER): number {
    let value = 0;
    for (let unit = 1; ; unit *= CONTINUATION_BIT) {
      const byte = this.#byte();
      value += (byte % CONTINUATION_BIT) * unit;
      if (value > max) throw new InvalidBytesError('a number is too large');
      if (byte < CONTINUATION_BIT) {
        // Rejects a redundant last byte, so that each integer has exactly one encoding.
        if (byte === 0 && unit > 1) throw new InvalidBytesError('a number is too long');
        return value;
      }
    }
  }

  integer(): number {
    const value = this.count();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads a number whose absolute value is at most `max`. */
  number(max = Number.MAX_VALUE): number {
    if (!this.flag()) return 0;
    if (this.#at + 8 > this.#bytes.length) throw new InvalidBytesError('unexpected end of data');
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat64(this.#at);
    this.#at += 8;
    // The comparison is also false for NaN.
    if (!(Math.abs(value) <= max)) throw new InvalidBytesError('a number is out of range');
    return value;
  }

  flag(): boolean {
    return this.count(1) === 1;
  }

  string(max = MAX_INTEGER): string {
    // Each code unit takes at least one byte, so the remaining bytes limit the length.
    const length = this.count(Math.min(max, this.#bytes.length - this.#at));
    let value = '';
    for (let at = 0; at < length; at++) value += String.fromCharCode(this.count(0xffff));
    return value;
  }

  list<T>(read: () => T, max = MAX_INTEGER): readonly T[] {
    const length = this.count(Math.min(max, this.#bytes.length - this.#at));
    return Array.from({ length }, read);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new InvalidBytesError('unexpected bytes after the end');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new InvalidBytesError('unexpected end of data');
    return byte;
  }
}

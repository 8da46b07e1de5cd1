/** Parser of the chunked transfer coding. */
import { isBlank, isToken } from './header-bytes.ts';
import type { BufferedBody } from './buffered-body.ts';

/** Results of `feed` that are not an index. */
export const CHUNKED_MORE = -1;
export const CHUNKED_FAULT = -2;

const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const LINE = 6;
const TRAILER_NAME = 7;
const TRAILER_VALUE = 8;
const TRAILER_LF = 9;
const LAST_LF = 10;
const SIZE_BLANK = 11;
const NEXT_LINE = 12;

/** Maximum sizes, in bytes, of one size line and of all trailers together. */
const MAX_LINE_BYTES = 4096;
const MAX_TRAILER_BYTES = 16 * 1024;

const CR = 13;
const LF = 10;
const COLON = 58;
const SEMICOLON = 59;

/**
 * Incremental parser of chunked bodies, one after another. The input may be split at any position. A bare LF outside
 * the chunk data is rejected. Whitespace after a size is accepted only before an extension.
 * @see RFC 9112, section 7.1
 */
export class ChunkedBody {
  #state = SIZE;
  /** The chunk size while it is being parsed; then the number of remaining bytes of the chunk. */
  #remainingBytes = 0;
  #digits = 0;
  #lineBytes = 0;

  begin(): void {
    this.#state = SIZE;
    this.#remainingBytes = 0;
    this.#digits = 0;
    this.#lineBytes = 0;
  }

  /**
   * Parses bytes, and appends the data to `body` unless it is null. Returns the index after the body, CHUNKED_MORE or
   * CHUNKED_FAULT.
   */
  feed(bytes: Buffer, from: number, to: number, body: BufferedBody | null): number {
    let at = from;
    while (at < to) {
      if (this.#state === DATA) {
        const available = Math.min(this.#remainingBytes, to - at);
        body?.add(bytes, at, at + available);
        this.#remainingBytes -= available;
        at += available;
        if (this.#remainingBytes === 0) this.#state = DATA_CR;
        continue;
      }
      if (!this.#step(bytes[at] ?? 0)) return CHUNKED_FAULT;
      at++;
      // A negative number of digits marks the end of the body.
      if (this.#state === SIZE && this.#digits < 0) return at;
    }
    return CHUNKED_MORE;
  }

  /** Parses one byte outside the chunk data. Returns false if the byte is invalid. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case SIZE:
        return this.#sizeByte(byte);
      case SIZE_BLANK:
        if (byte === SEMICOLON) this.#state = EXTENSION;
        else if (!isBlank(byte)) return false;
        return ++this.#lineBytes <= MAX_LINE_BYTES;
      case EXTENSION:
        if (byte === CR) this.#state = SIZE_LF;
        else if (isControl(byte) || ++this.#lineBytes > MAX_LINE_BYTES) return false;
        return true;
      case SIZE_LF:
        if (byte !== LF) return false;
        this.#state = this.#remainingBytes === 0 ? LINE : DATA;
        this.#lineBytes = 0;
        return true;
      case DATA_CR:
        this.#state = DATA_LF;
        return byte === CR;
      case DATA_LF:
        this.begin();
        return byte === LF;
      case NEXT_LINE:
        if (isBlank(byte)) {
          // This line continues the previous one (obsolete line folding).
          this.#state = TRAILER_VALUE;
          return this.#trailerByte();
        }
        return this.#lineByte(byte);
      case LINE:
        return this.#lineByte(byte);
      case TRAILER_NAME:
        if (byte === COLON) this.#state = TRAILER_VALUE;
        else if (!isToken(byte)) return false;
        return this.#trailerByte();
      case TRAILER_VALUE:
        if (byte === CR) this.#state = TRAILER_LF;
        else if (isControl(byte)) return false;
        return this.#trailerByte();
      case TRAILER_LF:
        this.#state = NEXT_LINE;
        return byte === LF;
      case LAST_LF:
        this.begin();
        this.#digits = -1;
        return byte === LF;
      default:
        throw new Error('Bug: the parser of a chunked body is in an unknown state');
    }
  }

  #sizeByte(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#remainingBytes = this.#remainingBytes * 16 + digit;
      this.#digits++;
      return this.#remainingBytes <= Number.MAX_SAFE_INTEGER && ++this.#lineBytes <= MAX_LINE_BYTES;
    }
    if (this.#digits === 0) return false;
    if (byte === CR) this.#state = SIZE_LF;
    else if (byte === SEMICOLON) this.#state = EXTENSION;
    else if (isBlank(byte)) this.#state = SIZE_BLANK;
    else return false;
    return true;
  }

  /** Parses the first byte of a trailer line or of the final line. */
  #lineByte(byte: number): boolean {
    if (byte === CR) {
      this.#state = LAST_LF;
      return true;
    }
    this.#state = TRAILER_NAME;
    return this.#trailerByte() && isToken(byte);
  }

  #trailerByte(): boolean {
    return ++this.#lineBytes <= MAX_TRAILER_BYTES;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Reports whether a byte is a control character other than the tab. */
function isControl(byte: number): boolean {
  return (byte < 32 && byte !== 9) || byte === 127;
}

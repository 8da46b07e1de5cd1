/** Buffered response body of limited size. */

import { decodePrefix, decodeBody, parseBoundedJson, type BodyText } from './body-content.ts';

/** Maximum size of a body before it is decoded. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Maximum total size of the body buffers of all load runs in the process. */
export const MAX_BUFFERED_BYTES = 256 * 1024 * 1024;

const INITIAL_BYTES = 4096;

/** Numbers of reserved bytes, for all threads together and for one thread, as 32-bit integers. */
export interface BudgetCells {
  readonly all: SharedArrayBuffer;
  readonly own: SharedArrayBuffer;
}

export function createBudgetCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Releases the reserved bytes of a thread that has ended. */
export function releaseBudget({ all, own }: BudgetCells): void {
  const reservedBytes = Atomics.exchange(new Int32Array(own), 0, 0);
  Atomics.sub(new Int32Array(all), 0, reservedBytes);
}

export class BodyBudget {
  readonly #all: Int32Array;
  readonly #own: Int32Array;
  readonly #max: number;

  constructor({ all, own }: BudgetCells, maxBytes = MAX_BUFFERED_BYTES) {
    this.#all = new Int32Array(all);
    this.#own = new Int32Array(own);
    this.#max = maxBytes;
  }

  /** Returns false, and reserves nothing, if the budget would be exceeded. */
  reserve(bytes: number): boolean {
    if (Atomics.add(this.#all, 0, bytes) + bytes > this.#max) {
      Atomics.sub(this.#all, 0, bytes);
      return false;
    }
    Atomics.add(this.#own, 0, bytes);
    return true;
  }

  release(bytes: number): void {
    Atomics.sub(this.#all, 0, bytes);
    Atomics.sub(this.#own, 0, bytes);
  }
}

/**
 * Buffer for the bodies of a connection, one at a time. A body that was added with a single call of `add` is copied
 * only by `detach`.
 */
export class BufferedBody {
  /** True if the body exceeded the maximum size or the budget. */
  isTooLarge = false;
  readonly #budget: BodyBudget;
  readonly #onFull: () => void;
  /** Buffer with the body: the shared read buffer, which is valid until the next read, or `#own` after a copy. */
  #bytes: Buffer = EMPTY_BUFFER;
  #from = 0;
  #length = 0;
  #own: Buffer | null = null;
  /** Decoded body; undefined before its first use, null if it cannot be decoded. */
  #decoded: Buffer | null | undefined;
  #json: { readonly value: unknown } | null = null;
  #text: BodyText | null = null;

  /** @param onFull - Called when the budget is exhausted. */
  constructor(budget: BodyBudget, onFull: () => void) {
    this.#budget = budget;
    this.#onFull = onFull;
  }

  add(bytes: Buffer, from: number, to: number): void {
    if (from === to || this.isTooLarge) return;
    if (this.#length === 0) {
      this.#bytes = bytes;
      this.#from = from;
      this.#length = to - from;
      return;
    }
    this.detach();
    this.#append(bytes, from, to);
  }

  /** Copies the body to a private buffer, because the next read overwrites the shared buffer. */
  detach(): void {
    if (this.#length === 0 || this.#bytes === this.#own) return;
    const to = this.#from + this.#length;
    this.#length = 0;
    this.#append(this.#bytes, this.#from, to);
  }

  /** Returns the received bytes, which are valid until the next read of any connection of the thread. */
  content(): Buffer {
    return this.#bytes.subarray(this.#from, this.#from + this.#length);
  }

  /** Returns the decoded body; null if it cannot be decoded. */
  decode(coding: string | undefined): Buffer | null {
    if (this.#decoded === undefined) this.#decoded = decodeBody(this.content(), coding);
    return this.#decoded;
  }

  isDecodable(coding: string | undefined): boolean {
    return coding === undefined || this.decode(coding) !== null;
  }

  /** Returns the JSON value of the body; undefined if the body cannot be decoded or is not valid JSON. */
  parseJson(coding: string | undefined): unknown {
    this.#json ??= { value: this.#parse(coding) };
    return this.#json.value;
  }

  /** Returns the start of the decoded body as text; null if the body cannot be decoded. */
  readText(coding: string | undefined): BodyText | null {
    this.#text ??= this.#decodePrefix(coding);
    return this.#text;
  }

  // The next two methods read a body without a content encoding in place, to avoid a Buffer object for each body.

  #parse(coding: string | undefined): unknown {
    if (coding === undefined) {
      return parseBoundedJson(this.#bytes.toString('utf8', this.#from, this.#from + this.#length));
    }
    const content = this.decode(coding);
    return content === null ? undefined : parseBoundedJson(content.toString('utf8'));
  }

  #decodePrefix(coding: string | undefined): BodyText | null {
    if (coding === undefined) return decodePrefix(this.#bytes, this.#from, this.#from + this.#length);
    const content = this.decode(coding);
    return content === null ? null : decodePrefix(content, 0, content.length);
  }

  release(): void {
    this.#decoded = undefined;
    this.#json = null;
    this.#text = null;
    this.#bytes = EMPTY_BUFFER;
    this.#from = 0;
    this.#length = 0;
    this.isTooLarge = false;
    this.#free();
  }

  #append(bytes: Buffer, from: number, to: number): void {
    if (this.isTooLarge) return;
    const needed = this.#length + to - from;
    const own = needed > MAX_BODY_BYTES ? null : this.#growTo(needed);
    if (own === null) {
      this.release();
      this.isTooLarge = true;
      if (needed <= MAX_BODY_BYTES) this.#onFull();
      return;
    }
    bytes.copy(own, this.#length, from, to);
    this.#bytes = own;
    this.#from = 0;
    this.#length = needed;
  }

  /** Returns a buffer of at least the needed size; null if the budget is exhausted. */
  #growTo(needed: number): Buffer | null {
    const own = this.#own;
    if (own !== null && own.length >= needed) return own;
    const size = Math.min(MAX_BODY_BYTES, Math.max(INITIAL_BYTES, needed * 2));
    // During the copy, both buffers exist and count toward the budget.
    if (!this.#budget.reserve(size)) return null;
    const larger = Buffer.allocUnsafeSlow(size);
    own?.copy(larger, 0, 0, this.#length);
    this.#free();
    this.#own = larger;
    return larger;
  }

  #free(): void {
    if (this.#own === null) return;
    this.#budget.release(this.#own.length);
    this.#own = null;
  }
}

const EMPTY_BUFFER = Buffer.alloc(0);

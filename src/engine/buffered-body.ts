/** The body of an answer that somebody looks at, within bounds. Others are never kept. */

import { decodePrefix, decodeBody, parseBoundedJson, type BodyText } from './body-content.ts';

/** A larger body is not looked at. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** What all threads of a process may keep at once. */
export const MAX_BUFFERED_BYTES = 256 * 1024 * 1024;

const INITIAL_BYTES = 4096;

/** Bytes that are taken: of the process, and of one thread of it. Each is one 32-bit number. */
export interface BudgetCells {
  readonly all: SharedArrayBuffer;
  readonly own: SharedArrayBuffer;
}

export function createBudgetCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Gives back what a thread had taken that is gone. */
export function releaseBudget({ all, own }: BudgetCells): void {
  const held = Atomics.exchange(new Int32Array(own), 0, 0);
  Atomics.sub(new Int32Array(all), 0, held);
}

/** The room that the bodies of a process share. */
export class BodyBudget {
  readonly #all: Int32Array;
  readonly #own: Int32Array;
  readonly #max: number;

  constructor({ all, own }: BudgetCells, most = MAX_BUFFERED_BYTES) {
    this.#all = new Int32Array(all);
    this.#own = new Int32Array(own);
    this.#max = most;
  }

  /** False, and nothing taken, where there is no room. */
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

/** One body after the other. A body that comes in one piece is read where it lies, and not copied. */
export class BufferedBody {
  /** It was larger than is looked at, or there was no room for it. */
  isTooLarge = false;
  readonly #budget: BodyBudget;
  readonly #onFull: () => void;
  /** Where it lies: in its own memory, or, the first piece until the next bytes come, in what all connections share. */
  #bytes: Buffer = EMPTY_BUFFER;
  #from = 0;
  #length = 0;
  #own: Buffer | null = null;
  /** What was made of it already; undefined where nothing was. */
  #decoded: Buffer | null | undefined;
  #json: { readonly value: unknown } | null = null;
  #text: BodyText | null = null;

  /** @param onFull told when the room is used up */
  constructor(room: BodyBudget, onFull: () => void) {
    this.#budget = room;
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

  /** More is to come: what lies in the shared buffer will be written over. */
  detach(): void {
    if (this.#length === 0 || this.#bytes === this.#own) return;
    const to = this.#from + this.#length;
    this.#length = 0;
    this.#append(this.#bytes, this.#from, to);
  }

  /** What has come; good until the connection reads on. */
  content(): Buffer {
    return this.#bytes.subarray(this.#from, this.#from + this.#length);
  }

  /**
   * Without its content coding; null where that does not fit.
   *
   * @param coding the value of Content-Encoding; undefined for none
   */
  decode(coding: string | undefined): Buffer | null {
    if (this.#decoded === undefined) this.#decoded = decodeBody(this.content(), coding);
    return this.#decoded;
  }

  /** Whether it has its content coding. */
  isDecodable(coding: string | undefined): boolean {
    return coding === undefined || this.decode(coding) !== null;
  }

  /** What it says as JSON; undefined where it is none. */
  parseJson(coding: string | undefined): unknown {
    this.#json ??= { value: this.#parse(coding) };
    return this.#json.value;
  }

  /** How it begins, as text; null where its coding does not fit. */
  readText(coding: string | undefined): BodyText | null {
    this.#text ??= this.#decodePrefix(coding);
    return this.#text;
  }

  // Both read it where it lies: an object for each would cost as much as reading it.

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

  /** Null where there is no room. */
  #growTo(needed: number): Buffer | null {
    const own = this.#own;
    if (own !== null && own.length >= needed) return own;
    const size = Math.min(MAX_BODY_BYTES, Math.max(INITIAL_BYTES, needed * 2));
    // Both are there for a moment.
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

/** The body of an answer that somebody looks at, within bounds. Others are never kept. */

import { beginningOf, decoded, parsedJson, type BodyText } from './body-content.ts';

/** A larger body is not looked at. */
export const MOST_BODY_BYTES = 1024 * 1024;

/** What all threads of a process may keep at once. */
export const BODY_ROOM_BYTES = 256 * 1024 * 1024;

const FIRST_BYTES = 4096;

/** Bytes that are taken: of the process, and of one thread of it. Each is one 32-bit number. */
export interface RoomCells {
  readonly all: SharedArrayBuffer;
  readonly own: SharedArrayBuffer;
}

export function createRoomCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Gives back what a thread had taken that is gone. */
export function giveBackAll({ all, own }: RoomCells): void {
  const held = Atomics.exchange(new Int32Array(own), 0, 0);
  Atomics.sub(new Int32Array(all), 0, held);
}

/** The room that the bodies of a process share. */
export class BodyRoom {
  readonly #all: Int32Array;
  readonly #own: Int32Array;
  readonly #most: number;

  constructor({ all, own }: RoomCells, most = BODY_ROOM_BYTES) {
    this.#all = new Int32Array(all);
    this.#own = new Int32Array(own);
    this.#most = most;
  }

  /** False, and nothing taken, where there is no room. */
  take(bytes: number): boolean {
    if (Atomics.add(this.#all, 0, bytes) + bytes > this.#most) {
      Atomics.sub(this.#all, 0, bytes);
      return false;
    }
    Atomics.add(this.#own, 0, bytes);
    return true;
  }

  give(bytes: number): void {
    Atomics.sub(this.#all, 0, bytes);
    Atomics.sub(this.#own, 0, bytes);
  }
}

/** One body after the other. A body that comes in one piece is read where it lies, and not copied. */
export class KeptBody {
  /** It was larger than is looked at, or there was no room for it. */
  tooLarge = false;
  readonly #room: BodyRoom;
  readonly #onFull: () => void;
  /** Where it lies: in its own memory, or, the first piece until the next bytes come, in what all connections share. */
  #bytes: Buffer = NOTHING;
  #from = 0;
  #length = 0;
  #own: Buffer | null = null;
  /** What was made of it already; undefined where nothing was. */
  #decoded: Buffer | null | undefined;
  #json: { readonly value: unknown } | null = null;
  #text: BodyText | null = null;

  /** @param onFull told when the room is used up */
  constructor(room: BodyRoom, onFull: () => void) {
    this.#room = room;
    this.#onFull = onFull;
  }

  add(bytes: Buffer, from: number, to: number): void {
    if (from === to || this.tooLarge) return;
    if (this.#length === 0) {
      this.#bytes = bytes;
      this.#from = from;
      this.#length = to - from;
      return;
    }
    this.settle();
    this.#append(bytes, from, to);
  }

  /** More is to come: what lies in the shared buffer will be written over. */
  settle(): void {
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
  decoded(coding: string | undefined): Buffer | null {
    if (this.#decoded === undefined) this.#decoded = decoded(this.content(), coding);
    return this.#decoded;
  }

  /** Whether it has its content coding. */
  isDecodable(coding: string | undefined): boolean {
    return coding === undefined || this.decoded(coding) !== null;
  }

  /** What it says as JSON; undefined where it is none. */
  json(coding: string | undefined): unknown {
    this.#json ??= { value: this.#parsed(coding) };
    return this.#json.value;
  }

  /** How it begins, as text; null where its coding does not fit. */
  text(coding: string | undefined): BodyText | null {
    this.#text ??= this.#beginning(coding);
    return this.#text;
  }

  // Both read it where it lies: an object for each would cost as much as reading it.

  #parsed(coding: string | undefined): unknown {
    if (coding === undefined) {
      return parsedJson(this.#bytes.toString('utf8', this.#from, this.#from + this.#length));
    }
    const content = this.decoded(coding);
    return content === null ? undefined : parsedJson(content.toString('utf8'));
  }

  #beginning(coding: string | undefined): BodyText | null {
    if (coding === undefined) return beginningOf(this.#bytes, this.#from, this.#from + this.#length);
    const content = this.decoded(coding);
    return content === null ? null : beginningOf(content, 0, content.length);
  }

  release(): void {
    this.#decoded = undefined;
    this.#json = null;
    this.#text = null;
    this.#bytes = NOTHING;
    this.#from = 0;
    this.#length = 0;
    this.tooLarge = false;
    this.#free();
  }

  #append(bytes: Buffer, from: number, to: number): void {
    if (this.tooLarge) return;
    const needed = this.#length + to - from;
    const own = needed > MOST_BODY_BYTES ? null : this.#grownTo(needed);
    if (own === null) {
      this.release();
      this.tooLarge = true;
      if (needed <= MOST_BODY_BYTES) this.#onFull();
      return;
    }
    bytes.copy(own, this.#length, from, to);
    this.#bytes = own;
    this.#from = 0;
    this.#length = needed;
  }

  /** Null where there is no room. */
  #grownTo(needed: number): Buffer | null {
    const own = this.#own;
    if (own !== null && own.length >= needed) return own;
    const size = Math.min(MOST_BODY_BYTES, Math.max(FIRST_BYTES, needed * 2));
    // Both are there for a moment.
    if (!this.#room.take(size)) return null;
    const larger = Buffer.allocUnsafeSlow(size);
    own?.copy(larger, 0, 0, this.#length);
    this.#free();
    this.#own = larger;
    return larger;
  }

  #free(): void {
    if (this.#own === null) return;
    this.#room.give(this.#own.length);
    this.#own = null;
  }
}

const NOTHING = Buffer.alloc(0);

/** The body of an answer that somebody looks at, within bounds. Others are never kept. */

import { decoded, parsedJson } from './body-content.ts';

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
  /** The first piece, in the buffer that all connections share, until the next bytes come. */
  #piece: Buffer | null = null;
  #own: Buffer | null = null;
  #length = 0;
  /** What was made of it already; undefined where nothing was. */
  #decoded: Buffer | null | undefined;
  #json: { readonly value: unknown } | null = null;

  /** @param onFull told when the room is used up */
  constructor(room: BodyRoom, onFull: () => void) {
    this.#room = room;
    this.#onFull = onFull;
  }

  add(bytes: Buffer, from: number, to: number): void {
    if (from === to || this.tooLarge) return;
    if (this.#piece === null && this.#length === 0) {
      this.#piece = bytes.subarray(from, to);
      return;
    }
    this.settle();
    this.#append(bytes, from, to);
  }

  /** More is to come: what lies in the shared buffer will be written over. */
  settle(): void {
    const piece = this.#piece;
    if (piece === null) return;
    this.#piece = null;
    this.#append(piece, 0, piece.length);
  }

  /** What has come; good until the connection reads on. */
  content(): Buffer {
    return this.#piece ?? this.#own?.subarray(0, this.#length) ?? NOTHING;
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

  /** What it says as JSON; undefined where it is none. */
  json(coding: string | undefined): unknown {
    const content = this.decoded(coding);
    if (content === null) return undefined;
    this.#json ??= { value: parsedJson(content) };
    return this.#json.value;
  }

  release(): void {
    this.#decoded = undefined;
    this.#json = null;
    this.#piece = null;
    this.#length = 0;
    this.tooLarge = false;
    this.#free();
  }

  #append(bytes: Buffer, from: number, to: number): void {
    const needed = this.#length + to - from;
    if (needed > MOST_BODY_BYTES) this.#refuse();
    else if (this.#grownTo(needed)) {
      this.#own?.set(bytes.subarray(from, to), this.#length);
      this.#length = needed;
    } else {
      this.#refuse();
      this.#onFull();
    }
  }

  #grownTo(needed: number): boolean {
    const own = this.#own;
    if (own !== null && own.length >= needed) return true;
    const size = Math.min(MOST_BODY_BYTES, Math.max(FIRST_BYTES, needed * 2));
    // Both are there for a moment.
    if (!this.#room.take(size)) return false;
    const larger = Buffer.allocUnsafeSlow(size);
    own?.copy(larger, 0, 0, this.#length);
    this.#free();
    this.#own = larger;
    return true;
  }

  #refuse(): void {
    this.tooLarge = true;
    this.#length = 0;
    this.#free();
  }

  #free(): void {
    if (this.#own === null) return;
    this.#room.give(this.#own.length);
    this.#own = null;
  }
}

const NOTHING = Buffer.alloc(0);

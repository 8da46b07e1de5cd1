/** Timing wheel with a resolution of one millisecond. Adding and expiring an entry takes constant time. */

/** Each wheel turns once while the next larger wheel advances by one slot. One turn takes 256 ms, 66 s or 4.7 h. */
const BITS = 8;
const SLOTS = 1 << BITS;
const LAST_SLOT = SLOTS - 1;
const WHEELS = 3;
const SPAN = 2 ** (BITS * WHEELS);

interface WheelEntry {
  /** Time at which the entry expires, in ms from the start of the run. */
  readonly wakesAt: number;
}

export class TimingWheel<T extends WheelEntry> {
  size = 0;
  #now = 0;
  readonly #wheels: T[][][] = Array.from({ length: WHEELS }, () => Array.from({ length: SLOTS }, () => []));

  /** An entry that is already due expires with the next advance. */
  add(entry: T): void {
    this.size++;
    this.#put(entry, Math.max(Math.ceil(entry.wakesAt), this.#now + 1));
  }

  /** Advances to an instant and expires all due entries, in the order of the milliseconds in which they are due. */
  advance(at: number, onDue: (entry: T) => void): void {
    const until = Math.floor(at);
    while (this.#now < until) {
      if (this.size === 0) {
        this.#now = until;
        return;
      }
      this.#now++;
      if (this.#now % SLOTS === 0) this.#refill();
      const due = this.#slot(0, this.#now);
      if (due.length === 0) continue;
      this.size -= due.length;
      for (const entry of due.splice(0)) onDue(entry);
    }
  }

  removeAll(): T[] {
    this.size = 0;
    return this.#wheels.flatMap((slots) => slots.flatMap((slot) => slot.splice(0)));
  }

  /** Moves entries that are due soon to smaller wheels. */
  #refill(): void {
    for (let wheel = 1; wheel < WHEELS && this.#now % 2 ** (BITS * wheel) === 0; wheel++) {
      for (const entry of this.#slot(wheel, this.#now).splice(0)) this.#put(entry, Math.ceil(entry.wakesAt));
    }
  }

  #put(entry: T, due: number): void {
    // An entry beyond the span of all wheels is put into the last slot, and put again when that slot is reached.
    const wait = Math.min(due - this.#now, SPAN - 1);
    const wheel = wait < SLOTS ? 0 : wait < SLOTS * SLOTS ? 1 : 2;
    this.#slot(wheel, this.#now + wait).push(entry);
  }

  #slot(wheel: number, at: number): T[] {
    const slot = this.#wheels[wheel]?.[Math.floor(at / 2 ** (BITS * wheel)) & LAST_SLOT];
    if (slot === undefined) throw new Error('Bug: a timing wheel has no slot for a time');
    return slot;
  }
}

/**
 * Who goes on when: a timing wheel of whole milliseconds. Adding one, and letting one go on, take the same time however
 * many wait. Mutable on purpose: it turns for every delay.
 */

/** Each wheel turns once while the next one moves by a slot: 256 ms, 66 s, 4.7 h. */
const BITS = 8;
const SLOTS = 1 << BITS;
const LAST_SLOT = SLOTS - 1;
const WHEELS = 3;
const SPAN = 2 ** (BITS * WHEELS);

interface WheelEntry {
  /** In ms from the start of the run. */
  readonly wakesAt: number;
}

export class TimingWheel<T extends WheelEntry> {
  /** How many wait. */
  size = 0;
  /** Everything that was due at this millisecond has gone on. */
  #now = 0;
  readonly #wheels: T[][][] = Array.from({ length: WHEELS }, () => Array.from({ length: SLOTS }, () => []));

  /** One that is due already goes on when the wheel moves next. */
  add(one: T): void {
    this.size++;
    this.#put(one, Math.max(Math.ceil(one.wakesAt), this.#now + 1));
  }

  /** Moves to an instant; all that are due by then go on, in the order of their milliseconds. */
  advance(at: number, goOn: (one: T) => void): void {
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
      for (const one of due.splice(0)) goOn(one);
    }
  }

  /** Takes all of them out. */
  removeAll(): T[] {
    this.size = 0;
    return this.#wheels.flatMap((slots) => slots.flatMap((slot) => slot.splice(0)));
  }

  /** Deals out what comes due within the next turn of a smaller wheel; the smallest has just turned. */
  #refill(): void {
    for (let wheel = 1; wheel < WHEELS && this.#now % 2 ** (BITS * wheel) === 0; wheel++) {
      for (const one of this.#slot(wheel, this.#now).splice(0)) this.#put(one, Math.ceil(one.wakesAt));
    }
  }

  #put(one: T, due: number): void {
    // Who waits longer than all wheels turn is put back when the last slot comes round.
    const wait = Math.min(due - this.#now, SPAN - 1);
    const wheel = wait < SLOTS ? 0 : wait < SLOTS * SLOTS ? 1 : 2;
    this.#slot(wheel, this.#now + wait).push(one);
  }

  #slot(wheel: number, at: number): T[] {
    const slot = this.#wheels[wheel]?.[Math.floor(at / 2 ** (BITS * wheel)) & LAST_SLOT];
    if (slot === undefined) throw new Error('Bug: a wheel without a slot');
    return slot;
  }
}

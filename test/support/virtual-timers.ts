/** `setTimeout`, `clearTimeout` and `performance.now()` on a clock that advances only on command. */
import { vi } from 'vitest';

export interface VirtualTimers {
  /** Advances the clock in steps of one millisecond, each with its due timers. */
  advance(milliseconds: number): void;
  /** Restores the real functions. */
  restore(): void;
}

/** Result of `setTimeout`, with the members of Node's timers that are used. */
class VirtualTimer {
  readonly #due: Map<number, Set<VirtualTimer>>;
  readonly #delay: number;
  readonly act: () => void;
  #at = 0;

  constructor(due: Map<number, Set<VirtualTimer>>, delay: number, act: () => void) {
    this.#due = due;
    this.#delay = Math.max(1, Math.trunc(delay));
    this.act = act;
    this.refresh();
  }

  refresh(): this {
    this.clear();
    this.#at = performance.now() + this.#delay;
    const beside = this.#due.get(this.#at);
    if (beside === undefined) this.#due.set(this.#at, new Set([this]));
    else beside.add(this);
    return this;
  }

  clear(): void {
    this.#due.get(this.#at)?.delete(this);
  }
}

export function installVirtualTimers(): VirtualTimers {
  let now = 0;
  // Timers by their due time, so that the cost does not depend on the number of timers.
  const due = new Map<number, Set<VirtualTimer>>();
  vi.stubGlobal('performance', { now: () => now });
  vi.stubGlobal(
    'setTimeout',
    (act: (...given: unknown[]) => void, delay = 0, ...given: unknown[]) =>
      new VirtualTimer(due, delay, () => act(...given)),
  );
  vi.stubGlobal('clearTimeout', (timer: VirtualTimer | null | undefined) => timer?.clear());
  return {
    advance: (milliseconds) => {
      for (const end = now + milliseconds; now < end;) {
        now++;
        // A set is iterated in insertion order; timers that are cleared meanwhile are skipped.
        for (const timer of due.get(now) ?? []) timer.act();
        due.delete(now);
      }
    },
    restore: () => {
      vi.unstubAllGlobals();
    },
  };
}

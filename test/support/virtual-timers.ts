/** `setTimeout`, `clearTimeout` and `performance.now()` on a clock that only moves when it is told to. */
import { vi } from 'vitest';

export interface VirtualTimers {
  /** Moves the clock by whole milliseconds, one after the other, each with what is due at it. */
  advance(milliseconds: number): void;
  /** Puts the real ones back. */
  restore(): void;
}

/** What `setTimeout` gives: as much of Node's as is used on this clock. */
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
  // By the instant at which they are due: no timer is looked at before, however many there are.
  const due = new Map<number, Set<VirtualTimer>>();
  vi.stubGlobal('performance', { now: () => now });
  vi.stubGlobal(
    'setTimeout',
    (act: (...given: unknown[]) => void, delay = 0, ...given: unknown[]) =>
      new VirtualTimer(due, delay, () => {
        act(...given);
      }),
  );
  vi.stubGlobal('clearTimeout', (timer: VirtualTimer | null | undefined) => timer?.clear());
  return {
    advance: (milliseconds) => {
      for (const end = now + milliseconds; now < end;) {
        now++;
        // A set is walked in the order of adding; what a timer clears meanwhile is left out.
        for (const timer of due.get(now) ?? []) timer.act();
        due.delete(now);
      }
    },
    restore: () => {
      vi.unstubAllGlobals();
    },
  };
}

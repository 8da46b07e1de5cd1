/** The requests of a flow while the steps of a source are read. */
import type { IntakeNote, IntakeRequest, SourcePosition } from '../core/intake/intake.ts';
import type { Expectation } from '../core/model/expectation.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

/** Maximum number of requests that loops may be expanded to. */
const MAX_EXPANDED = 100;

interface Pause {
  readonly min: Milliseconds;
  readonly max: Milliseconds;
  readonly at: SourcePosition;
}

export class FlowRequests {
  readonly all: IntakeRequest[] = [];
  #pending: IntakeNote[] = [];
  /** Think time before the first request. */
  readonly #initial: Pause[] = [];

  /** Adds a request. Losses of the steps before it become notes of the request. */
  add(request: IntakeRequest): void {
    this.all.push({ ...request, notes: [...this.#pending, ...request.notes] });
    this.#pending = [];
  }

  /** Adds a loss to the next request, or to the flow if no request follows. */
  lose(where: SourcePosition, message: string): void {
    if (this.#pending.every((note) => note.message !== message))
      this.#pending.push({ kind: 'loss', at: where, message });
  }

  /** Adds a loss to a request that has been added. */
  loseIn(index: number, where: SourcePosition, message: string): void {
    const request = this.all[index];
    if (request !== undefined)
      this.all[index] = { ...request, notes: [...request.notes, { kind: 'loss', at: where, message }] };
  }

  change(where: SourcePosition, message: string): void {
    this.#pending.push({ kind: 'change', at: where, message });
  }

  /** Adds think time after the last request. */
  pause(min: Milliseconds, max: Milliseconds, where: SourcePosition): void {
    const last = this.all.pop();
    if (last === undefined) this.#initial.push({ min, max, at: where });
    else this.all.push({ ...last, delay: sumOf(last.delay, { min, max }) });
  }

  /** Expands a loop with a constant number of iterations. */
  repeat(count: number, where: SourcePosition, addOnce: (index: number) => void): void {
    const before = this.all.length;
    for (let index = 0; index < count; index++) {
      addOnce(index);
      if (this.all.length === before) return;
      if (this.all.length <= MAX_EXPANDED) continue;
      this.all.length = MAX_EXPANDED;
      this.loseIn(
        MAX_EXPANDED - 1,
        where,
        `the loop with ${count} iterations is too long, and its other iterations are missing`,
      );
      return;
    }
  }

  /**
   * Returns all requests, and the losses after the last one.
   * @param isClosed - True if a client repeats the flow. Think time before the first request is then added after the
   * last one.
   */
  finish(isClosed: boolean): {
    readonly requests: readonly IntakeRequest[];
    readonly notes: readonly IntakeNote[];
  } {
    const initial = this.#initial.splice(0);
    const [first, ...others] = this.all;
    if (first !== undefined && initial.length > 0) {
      if (isClosed) for (const { min, max, at } of initial) this.pause(min, max, at);
      else {
        const at = initial[0]?.at ?? first.at;
        const message = 'the think time before the first request is omitted';
        return {
          requests: [{ ...first, notes: [{ kind: 'change', at, message }, ...first.notes] }, ...others],
          notes: this.#pending,
        };
      }
    }
    return { requests: this.all, notes: this.#pending };
  }
}

function sumOf(
  before: IntakeRequest['delay'],
  { min, max }: Pick<Pause, 'min' | 'max'>,
): IntakeRequest['delay'] {
  return { min: milliseconds((before?.min ?? 0) + min), max: milliseconds((before?.max ?? 0) + max) };
}

/**
 * Returns an expectation with which redirects are not followed and count as successes. Null if the expected status
 * codes do not allow it.
 */
export function withoutRedirects(expected: Expectation | null): Expectation | null {
  const { status } = expected ?? { status: null };
  if (status !== null)
    return expected !== null && status.some((one) => String(one).startsWith('3')) ? expected : null;
  return { headers: null, body: null, json: null, ...expected, status: ['2xx', '3xx'] };
}

/**
 * What was measured while a thread was calm: the part of a run's figures that its own generator cannot have spoilt by
 * more than is known. Mutable on purpose, like the totals.
 *
 * Source: docs/design/results.md, section 1.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { stepWithin, STEPS, type Step } from './calmness.ts';
import { Histogram } from './histogram.ts';
import { readSlice, writeSlice, type SliceShape } from './slice-codec.ts';
import { outcomesOf, type Slice, type TallyData } from './slice.ts';
import { readTotal, writeTotal } from './tally-codec.ts';

/**
 * Late clients come all at once, and a target may be busy with them for so many times as long as they were late. So a
 * thread that stood still for half a second is not calm again for five, and never within the next second.
 */
const RECOVERY = 10;

export interface CalmSum {
  readonly step: Step;
  /** Response times of requests during which the thread was calm, from a second before they were due to their end, by URL. */
  readonly response: readonly Histogram[];
  /** Seconds of the run behind its warm-up in which some thread was not calm. */
  readonly unquiet: Set<number>;
}

/** Failures that the generator may have made itself: in its standstill the time ran out, or the target hung up. */
export interface Doubtful {
  readonly timeoutError: number;
  readonly networkError: number;
}

interface Thread {
  /** Its latest second, of which the next one may still tell that it was not calm. */
  latest: Slice | null;
  /** At each step, how many seconds it has been calm: infinitely many at the start, less than one until it has recovered. */
  readonly calmFor: number[];
}

export class CalmSums {
  readonly sums: readonly CalmSum[];
  /** By URL. */
  readonly doubtful: readonly { timeoutError: number; networkError: number }[];
  /** Of all URLs. */
  readonly doubtfulInWarmup = { timeoutError: 0, networkError: 0 };
  readonly #threads: readonly Thread[];
  readonly #begins: number;
  /** At which failures are told from those of the target. */
  readonly #failureStep: Step;

  /**
   * @param size.begins the first second behind the warm-up
   * @param timeout of the requests, in ms
   */
  constructor(
    size: { readonly workers: number; readonly targets: number; readonly begins: number },
    timeout: number,
  ) {
    const { workers, targets, begins } = size;
    this.#begins = begins;
    this.sums = STEPS.map((step) => ({
      step,
      response: Array.from({ length: targets }, () => Histogram.createTotal()),
      unquiet: new Set(),
    }));
    this.doubtful = Array.from({ length: targets }, () => ({ timeoutError: 0, networkError: 0 }));
    this.#failureStep = stepWithin(timeout);
    this.#threads = Array.from({ length: workers }, () => ({
      latest: null,
      calmFor: STEPS.map(() => Number.POSITIVE_INFINITY),
    }));
  }

  add(slice: Slice): void {
    const thread = this.#threads[slice.worker];
    if (thread === undefined) throw new Error('Bug: a slice of another run');
    this.#settle(thread, slice.thread.lateBefore);
    thread.latest = slice;
  }

  /** Nothing more comes. */
  close(): void {
    for (const thread of this.#threads) this.#settle(thread, 0);
  }

  keep(writer: ByteWriter): void {
    for (const { response, unquiet } of this.sums) {
      for (const times of response) writeTotal(writer, times);
      writer.list([...unquiet], (second) => {
        writer.count(second);
      });
    }
    for (const { timeoutError, networkError } of [...this.doubtful, this.doubtfulInWarmup]) {
      writer.count(timeoutError);
      writer.count(networkError);
    }
    for (const { latest, calmFor } of this.#threads) {
      writer.flag(latest !== null);
      if (latest !== null) writeSlice(writer, latest);
      for (const calm of calmFor) {
        writer.flag(Number.isFinite(calm));
        if (Number.isFinite(calm)) writer.whole(calm);
      }
    }
  }

  /** Takes up what was kept of a run of the same size; only for new sums. */
  take(reader: ByteReader, shape: SliceShape): void {
    for (const { response, unquiet } of this.sums) {
      for (const times of response) times.add(readTotal(reader));
      for (const second of reader.list(() => reader.count())) unquiet.add(second);
    }
    for (const failures of [...this.doubtful, this.doubtfulInWarmup]) {
      failures.timeoutError = reader.count();
      failures.networkError = reader.count();
    }
    for (const thread of this.#threads) {
      thread.latest = reader.flag() ? readSlice(reader, shape) : null;
      for (let step = 0; step < thread.calmFor.length; step++) {
        thread.calmFor[step] = reader.flag() ? reader.whole() : Number.POSITIVE_INFINITY;
      }
    }
  }

  #settle(thread: Thread, lateBefore: number): void {
    const { latest, calmFor } = thread;
    if (latest === null) return;
    thread.latest = null;
    const late = Math.max(latest.thread.late, lateBefore);
    this.sums.forEach(({ step, response, unquiet }, index) => {
      const calm = late > step ? 1 - Math.ceil((RECOVERY * late) / 1000) : (calmFor[index] ?? 0) + 1;
      calmFor[index] = calm;
      if (late > step && latest.second >= this.#begins) unquiet.add(latest.second);
      // A request that took a second began in the second before, at the latest when that began.
      if (calm > 1) {
        latest.targets.forEach((tally, target) =>
          response[target]?.addUpTo(tally.response, (calm - 1) * 1e6),
        );
      } else if (step === this.#failureStep) this.#doubt(latest);
    });
  }

  #doubt({ targets, warmup }: Slice): void {
    targets.forEach((tally, target) => {
      const doubtful = this.doubtful[target];
      if (doubtful === undefined) throw new Error('Bug: a slice of another job');
      addFailures(doubtful, tally);
    });
    for (const tally of warmup ?? []) addFailures(this.doubtfulInWarmup, tally);
  }
}

function addFailures(sum: { timeoutError: number; networkError: number }, tally: TallyData): void {
  const { timeoutError, networkError } = outcomesOf(tally);
  sum.timeoutError += timeoutError;
  sum.networkError += networkError;
}

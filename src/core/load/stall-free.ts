/**
 * What was measured while a thread was calm: the part of a run's figures that its own generator cannot have spoilt by
 * more than is known. Mutable on purpose, like the totals.
 *
 * Source: docs/internals/results.md, section 1.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { stallToleranceFor, STALL_TOLERANCES, type StallTolerance } from './stall-tolerance.ts';
import { Histogram } from './histogram.ts';
import { readSnapshot, writeSnapshot, type SnapshotShape } from './snapshot-codec.ts';
import { outcomesOf, type Snapshot, type TallyData } from './snapshot.ts';
import { readTotal, writeTotal } from './tally-codec.ts';

/**
 * Late clients come all at once, and a target may be busy with them for so many times as long as they were late. So a
 * thread that stood still for half a second is not calm again for five, and never within the next second.
 */
const RECOVERY_FACTOR = 10;

export interface StallFreeSample {
  readonly tolerance: StallTolerance;
  /** Response times of requests during which the thread was calm, from a second before they were due to their end, by URL. */
  readonly response: readonly Histogram[];
  /** Seconds of the run behind its warm-up in which some thread was not calm. */
  readonly stalledSeconds: Set<number>;
}

/** Failures that the generator may have made itself: in its standstill the time ran out, or the target hung up. */
export interface UncertainFailures {
  readonly timeoutError: number;
  readonly networkError: number;
}

interface ThreadState {
  /** Its latest second, of which the next one may still tell that it was not calm. */
  latest: Snapshot | null;
  /** At each step, how many seconds it has been calm: infinitely many at the start, less than one until it has recovered. */
  readonly stallFreeFor: number[];
}

export class StallFreeSamples {
  readonly samples: readonly StallFreeSample[];
  /** By URL. */
  readonly uncertainFailures: readonly { timeoutError: number; networkError: number }[];
  /** Of all URLs. */
  readonly uncertainFailuresInWarmup = { timeoutError: 0, networkError: 0 };
  readonly #threads: readonly ThreadState[];
  readonly #firstSecond: number;
  /** At which failures are told from those of the target. */
  readonly #failureTolerance: StallTolerance;

  /**
   * @param size.begins the first second behind the warm-up
   * @param timeout of the requests, in ms
   */
  constructor(
    size: { readonly workers: number; readonly targets: number; readonly begins: number },
    timeout: number,
  ) {
    const { workers: threads, targets, begins } = size;
    this.#firstSecond = begins;
    this.samples = STALL_TOLERANCES.map((tolerance) => ({
      tolerance,
      response: Array.from({ length: targets }, () => Histogram.createTotal()),
      stalledSeconds: new Set(),
    }));
    this.uncertainFailures = Array.from({ length: targets }, () => ({ timeoutError: 0, networkError: 0 }));
    this.#failureTolerance = stallToleranceFor(timeout);
    this.#threads = Array.from({ length: threads }, () => ({
      latest: null,
      stallFreeFor: STALL_TOLERANCES.map(() => Number.POSITIVE_INFINITY),
    }));
  }

  add(snapshot: Snapshot): void {
    const thread = this.#threads[snapshot.threadIndex];
    if (thread === undefined) throw new Error('Bug: a slice of another run');
    this.#settle(thread, snapshot.thread.maxEarlierTickDelay);
    thread.latest = snapshot;
  }

  /** Nothing more comes. */
  close(): void {
    for (const thread of this.#threads) this.#settle(thread, 0);
  }

  save(writer: ByteWriter): void {
    for (const { response, stalledSeconds } of this.samples) {
      for (const times of response) writeTotal(writer, times);
      writer.list([...stalledSeconds], (second) => {
        writer.count(second);
      });
    }
    for (const { timeoutError, networkError } of [
      ...this.uncertainFailures,
      this.uncertainFailuresInWarmup,
    ]) {
      writer.count(timeoutError);
      writer.count(networkError);
    }
    for (const { latest, stallFreeFor } of this.#threads) {
      writer.flag(latest !== null);
      if (latest !== null) writeSnapshot(writer, latest);
      for (const stallFree of stallFreeFor) {
        writer.flag(Number.isFinite(stallFree));
        if (Number.isFinite(stallFree)) writer.integer(stallFree);
      }
    }
  }

  /** Takes up what was kept of a run of the same size; only for new sums. */
  restore(reader: ByteReader, shape: SnapshotShape): void {
    for (const { response, stalledSeconds } of this.samples) {
      for (const times of response) times.add(readTotal(reader));
      for (const second of reader.list(() => reader.count())) stalledSeconds.add(second);
    }
    for (const failures of [...this.uncertainFailures, this.uncertainFailuresInWarmup]) {
      failures.timeoutError = reader.count();
      failures.networkError = reader.count();
    }
    for (const thread of this.#threads) {
      thread.latest = reader.flag() ? readSnapshot(reader, shape) : null;
      for (let step = 0; step < thread.stallFreeFor.length; step++) {
        thread.stallFreeFor[step] = reader.flag() ? reader.integer() : Number.POSITIVE_INFINITY;
      }
    }
  }

  #settle(thread: ThreadState, lateBefore: number): void {
    const { latest, stallFreeFor } = thread;
    if (latest === null) return;
    thread.latest = null;
    const late = Math.max(latest.thread.maxTickDelay, lateBefore);
    this.samples.forEach(({ tolerance, response, stalledSeconds }, index) => {
      const stallFree =
        late > tolerance ? 1 - Math.ceil((RECOVERY_FACTOR * late) / 1000) : (stallFreeFor[index] ?? 0) + 1;
      stallFreeFor[index] = stallFree;
      if (late > tolerance && latest.second >= this.#firstSecond) stalledSeconds.add(latest.second);
      // A request that took a second began in the second before, at the latest when that began.
      if (stallFree > 1) {
        latest.targets.forEach((tally, target) =>
          response[target]?.addUpTo(tally.response, (stallFree - 1) * 1e6),
        );
      } else if (tolerance === this.#failureTolerance) this.#addUncertainFailures(latest);
    });
  }

  #addUncertainFailures({ targets, warmup }: Snapshot): void {
    targets.forEach((tally, target) => {
      const doubtful = this.uncertainFailures[target];
      if (doubtful === undefined) throw new Error('Bug: a slice of another job');
      addFailures(doubtful, tally);
    });
    for (const tally of warmup ?? []) addFailures(this.uncertainFailuresInWarmup, tally);
  }
}

function addFailures(sum: { timeoutError: number; networkError: number }, tally: TallyData): void {
  const { timeoutError, networkError } = outcomesOf(tally);
  sum.timeoutError += timeoutError;
  sum.networkError += networkError;
}

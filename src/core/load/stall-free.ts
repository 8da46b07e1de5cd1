/**
 * Stall-free samples: measurements with a known maximum error from the load generator.
 * @see docs/internals/results.md, section 1.2
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import {
  MIN_STALL_TOLERANCE,
  stallToleranceFor,
  STALL_TOLERANCES,
  type StallTolerance,
} from './stall-tolerance.ts';
import { iterationsOf } from '../model/iteration.ts';
import { RECOVERY_FACTOR } from './generator-delay.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './load-job.ts';
import { readSnapshot, writeSnapshot, type SnapshotShape } from './snapshot-codec.ts';
import { outcomesOf, type Snapshot, type TallyData } from './snapshot.ts';
import { readTotal, writeTotal } from './tally-codec.ts';
import { UNCERTAIN_CODES } from './uncertain-codes.ts';

/** Numbers of failures that may have been caused by delays of the load generator. */
export interface UncertainFailures {
  readonly timeoutError: number;
  /** Network errors and protocol faults with one of the `UNCERTAIN_CODES`. */
  readonly networkError: number;
  /** Responses with the fault `UNCERTAIN_TIME`; an absent number counts as 0. */
  readonly error?: number;
}

interface ThreadState {
  /** Latest snapshot. The next snapshot may still report a stall in the second of this snapshot. */
  latest: Snapshot | null;
  /**
   * For each tolerance, the number of stall-free seconds since the thread recovered from its stalls. Infinite before the
   * first stall, and 0 or negative during the recovery.
   */
  readonly stallFreeFor: number[];
}

export class StallFreeSamples {
  /**
   * Response times by URL. Includes only requests during which, from due time to end, the thread was stall-free at the
   * smallest tolerance.
   */
  readonly response: readonly Histogram[];
  /** Durations of iterations by flow, with the same condition as for `response`. */
  readonly iterations: readonly Histogram[];
  /** For each tolerance, the seconds after the warm-up in which at least one thread stalled. */
  readonly stalledSeconds: readonly Set<number>[] = STALL_TOLERANCES.map(() => new Set());
  /** Uncertain failures after the warm-up, by URL. */
  readonly uncertainFailures: readonly { timeoutError: number; networkError: number }[];
  /** Uncertain failures in the warm-up, for all URLs together. */
  readonly uncertainFailuresInWarmup = { timeoutError: 0, networkError: 0 };
  readonly #threads: readonly ThreadState[];
  readonly #firstSecond: number;
  readonly #failureTolerance: StallTolerance;

  constructor(job: LoadJob, threads: number) {
    this.#firstSecond = job.warmup / 1000;
    this.response = job.targets.map(() => Histogram.createTotal());
    this.iterations = iterationsOf(job).map(() => Histogram.createTotal());
    this.uncertainFailures = job.targets.map(() => ({ timeoutError: 0, networkError: 0 }));
    this.#failureTolerance = stallToleranceFor(job.timeout);
    this.#threads = Array.from({ length: threads }, () => ({
      latest: null,
      stallFreeFor: STALL_TOLERANCES.map(() => Number.POSITIVE_INFINITY),
    }));
  }

  add(snapshot: Snapshot): void {
    const thread = this.#threads[snapshot.threadIndex];
    if (thread === undefined) throw new Error('Bug: the snapshot belongs to a different run');
    this.#addLatest(thread, snapshot.thread.maxEarlierTickDelay);
    thread.latest = snapshot;
  }

  /** Adds the latest snapshot of each thread. Do not call `add` afterward. */
  close(): void {
    for (const thread of this.#threads) this.#addLatest(thread, 0);
  }

  save(writer: ByteWriter): void {
    for (const times of [...this.response, ...this.iterations]) writeTotal(writer, times);
    for (const stalledSeconds of this.stalledSeconds) {
      writer.list([...stalledSeconds], (second) => writer.count(second));
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

  /** Call this only on a new object that was created with the same job and number of threads as the saved object. */
  restore(reader: ByteReader, shape: SnapshotShape): void {
    for (const times of [...this.response, ...this.iterations]) times.add(readTotal(reader));
    for (const stalledSeconds of this.stalledSeconds) {
      for (const second of reader.list(() => reader.count())) stalledSeconds.add(second);
    }
    for (const failures of [...this.uncertainFailures, this.uncertainFailuresInWarmup]) {
      failures.timeoutError = reader.count();
      failures.networkError = reader.count();
    }
    for (const thread of this.#threads) {
      thread.latest = reader.flag() ? readSnapshot(reader, shape) : null;
      for (let index = 0; index < thread.stallFreeFor.length; index++) {
        thread.stallFreeFor[index] = reader.flag() ? reader.integer() : Number.POSITIVE_INFINITY;
      }
    }
  }

  #addLatest(thread: ThreadState, nextEarlierDelay: number): void {
    const { latest, stallFreeFor } = thread;
    if (latest === null) return;
    thread.latest = null;
    const delay = Math.max(latest.thread.maxTickDelay, nextEarlierDelay);
    STALL_TOLERANCES.forEach((tolerance, index) => {
      const next = (stallFreeFor[index] ?? 0) + 1;
      // A short stall does not end the recovery after a long one.
      const stallFree =
        delay > tolerance ? Math.min(next, -Math.ceil((RECOVERY_FACTOR * delay) / 1000)) : next;
      stallFreeFor[index] = stallFree;
      if (delay > tolerance && latest.second >= this.#firstSecond)
        this.stalledSeconds[index]?.add(latest.second);
      if (stallFree > 0) {
        if (tolerance !== MIN_STALL_TOLERANCE) return;
        // Requests and iterations of at most this duration, in µs, that ended in this second began in a stall-free
        // second.
        const longest = (stallFree - 1) * 1e6;
        latest.targets.forEach(({ response }, target) => this.response[target]?.addUpTo(response, longest));
        latest.iterations.forEach(({ durations }, flow) =>
          this.iterations[flow]?.addUpTo(durations, longest),
        );
      } else if (tolerance === this.#failureTolerance) this.#addUncertainFailures(latest);
    });
  }

  #addUncertainFailures({ targets, warmup }: Snapshot): void {
    targets.forEach((tally, target) => {
      const failures = this.uncertainFailures[target];
      if (failures === undefined) throw new Error('Bug: the snapshot belongs to a different job');
      addFailures(failures, tally);
    });
    for (const tally of warmup ?? []) addFailures(this.uncertainFailuresInWarmup, tally);
  }
}

function addFailures(sum: { timeoutError: number; networkError: number }, tally: TallyData): void {
  sum.timeoutError += outcomesOf(tally).timeoutError;
  for (const code of UNCERTAIN_CODES)
    sum.networkError += (tally.network[code] ?? 0) + (tally.protocol[code] ?? 0);
}

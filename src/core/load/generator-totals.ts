/**
 * Adds up how well the threads of a run kept up, and how much of the declared load they offered: all of it behind the
 * warm-up. Mutable, like the totals.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { StallFreeSamples } from './stall-free.ts';
import { STALL_TOLERANCES } from './stall-tolerance.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './load-job.ts';
import {
  clientCount,
  clientsDueBefore,
  countWarmupClients,
  dueAt,
  isOpenModel,
  ON_TIME_TOLERANCE,
  retiresAt,
} from './pace.ts';
import type { GeneratorMachine, LoadDelivery } from './run-report.ts';
import type { SnapshotShape } from './snapshot-codec.ts';
import type { Snapshot } from './snapshot.ts';
import { readTotal, writeTotal } from './tally-codec.ts';
import type { ThreadReason } from './thread-count.ts';

/** Clients that never started are looked at within so many seconds as well, so that a gap does not drown in a long run. */
const WINDOW_SECONDS = 5;

/** What the generator knows of its surroundings. */
export interface GeneratorEnvironment {
  readonly version: string;
  /** That the process may use. */
  readonly cores: number;
  /** CPU time that it may use, in cores; null where nothing limits it. */
  readonly quota: number | null;
  /** What the number of its threads comes from. */
  readonly threadReason: ThreadReason;
  /** Version of Node.js. */
  readonly node: string;
}

/** Raised when figures are measured in another way, so that they are not compared with those of before. */
const MEASUREMENT_VERSION = 3;

interface ThreadTotals {
  busy: number;
  maxBusy: number;
  seconds: number;
  stalledMs: number;
}

export class GeneratorTotals {
  readonly stallFree: StallFreeSamples;
  readonly lag = Histogram.createTotal();
  readonly #job: LoadJob;
  /** The first second behind the warm-up. */
  readonly #firstSecond: number;
  readonly #threads: readonly ThreadTotals[];
  #longestStall = 0;
  #missingClientMs = 0;
  /** Clients that never started, by the second in which they were due. */
  readonly #neverStarted: number[] = [];

  constructor(job: LoadJob, threads: number) {
    this.#job = job;
    this.#firstSecond = job.warmup / 1000;
    this.stallFree = new StallFreeSamples(
      { workers: threads, targets: job.targets.length, begins: this.#firstSecond },
      job.timeout,
    );
    this.#threads = Array.from({ length: threads }, () => ({
      ...{ busy: 0, maxBusy: 0, seconds: 0, stalledMs: 0 },
    }));
  }

  add(snapshot: Snapshot): void {
    const thread = this.#threads[snapshot.threadIndex];
    if (thread === undefined) throw new Error('Bug: a slice of another run');
    const { maxTickDelay, stalledMs, busy, neverStarted, missingClientMs } = snapshot.thread;
    this.stallFree.add(snapshot);
    if (snapshot.second < this.#firstSecond) return;
    this.lag.add(snapshot.lag);
    thread.busy += busy;
    thread.maxBusy = Math.max(thread.maxBusy, busy);
    thread.seconds++;
    thread.stalledMs += stalledMs;
    this.#longestStall = Math.max(this.#longestStall, maxTickDelay);
    this.#missingClientMs += missingClientMs;
    for (const [second, clients] of Object.entries(neverStarted))
      this.#addNeverStarted(Number(second), clients);
    // Of several URLs the one that found no socket most often: a client finds none for all of them.
    this.#addNeverStarted(snapshot.second, Math.max(0, ...snapshot.targets.map(({ noSocket }) => noSocket)));
  }

  /** The share of its time in which the busiest thread had something to do. */
  maxBusyShare(): number {
    return Math.max(0, ...this.#threads.map((thread) => meanOf(thread)));
  }

  /** In ms, of the thread that stood still for longest. */
  maxStalledMs(): number {
    return Math.max(0, ...this.#threads.map((thread) => thread.stalledMs));
  }

  /** Clients of the open models that this machine never started. */
  neverStarted(): number {
    return sum(this.#neverStarted);
  }

  delivery(): LoadDelivery {
    const job = this.#job;
    if (!isOpenModel(job)) return { model: 'closed', heldShare: this.#heldShare() };
    return {
      model: 'open',
      due: clientCount(job) - countWarmupClients(job),
      late: this.lag.countAbove(ON_TIME_TOLERANCE * 1000),
      neverStarted: this.neverStarted(),
      lagP99: (this.lag.quantile(0.99) ?? 0) / 1000,
      lagMax: this.lag.max / 1000,
      worstWindow: this.#worstWindow(),
    };
  }

  machine({ cores, quota, threadReason, node }: GeneratorEnvironment): GeneratorMachine {
    const { samples } = this.stallFree;
    return {
      ...{ cores, quota, threadReason, node },
      measurementVersion: MEASUREMENT_VERSION,
      threadLoads: this.#threads.map((thread) => ({ mean: meanOf(thread), max: thread.maxBusy })),
      seconds: Math.max(0, ...this.#threads.map(({ seconds }) => seconds)),
      longestStall: this.#longestStall,
      stalledSeconds: STALL_TOLERANCES.map((tolerance, index) => ({
        tolerance,
        seconds: samples[index]?.stalledSeconds.size ?? 0,
      })),
    };
  }

  save(writer: ByteWriter): void {
    this.stallFree.save(writer);
    writeTotal(writer, this.lag);
    for (const { busy, maxBusy, seconds, stalledMs } of this.#threads) {
      for (const value of [busy, maxBusy, seconds, stalledMs]) writer.number(value);
    }
    writer.number(this.#longestStall);
    writer.number(this.#missingClientMs);
    writer.list(Object.entries(this.#neverStarted), ([second, clients]) => {
      writer.count(Number(second));
      writer.count(clients);
    });
  }

  /** Takes up what was kept of a run of the same size; only for new totals. */
  restore(reader: ByteReader, shape: SnapshotShape): void {
    this.stallFree.restore(reader, shape);
    this.lag.add(readTotal(reader));
    for (const thread of this.#threads) {
      thread.busy = reader.number();
      thread.maxBusy = reader.number();
      thread.seconds = reader.number();
      thread.stalledMs = reader.number();
    }
    this.#longestStall = reader.number();
    this.#missingClientMs = reader.number();
    for (const [second, clients] of reader.list(
      () => [reader.count(shape.lastSecond), reader.count()] as const,
    )) {
      this.#neverStarted[second] = clients;
    }
  }

  #addNeverStarted(second: number, clients: number): void {
    if (clients > 0) this.#neverStarted[second] = (this.#neverStarted[second] ?? 0) + clients;
  }

  /** The share of the declared connection time in which this machine let clients be there. */
  #heldShare(): number {
    let declared = 0;
    for (let client = 0; client < clientCount(this.#job); client++) {
      const begins = Math.max(this.#job.warmup, dueAt(this.#job, client));
      declared += Math.max(0, retiresAt(this.#job, client) - begins);
    }
    return declared === 0 ? 1 : Math.max(0, 1 - this.#missingClientMs / declared);
  }

  #worstWindow(): Extract<LoadDelivery, { model: 'open' }>['worstWindow'] {
    let worst: { readonly second: number; readonly due: number; readonly never: number } | null = null;
    this.#neverStarted.forEach((_clients, last) => {
      for (let second = Math.max(this.#firstSecond, last - WINDOW_SECONDS + 1); second <= last; second++) {
        const until = second + WINDOW_SECONDS;
        const never = sum(this.#neverStarted.slice(second, until));
        const due = this.#dueWithin(second, until);
        if (worst === null || never * worst.due > worst.never * due) worst = { second, due, never };
      }
    });
    return worst;
  }

  #dueWithin(first: number, until: number): number {
    return clientsDueBefore(this.#job, until * 1000) - clientsDueBefore(this.#job, first * 1000);
  }
}

/** Of an array that may have gaps. */
function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function meanOf({ busy, seconds }: ThreadTotals): number {
  return seconds === 0 ? 0 : busy / seconds;
}

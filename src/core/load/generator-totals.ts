/** Stalls, utilization and undelivered load of all threads of a run. */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { StallFreeSamples } from './stall-free.ts';
import { STALL_TOLERANCES } from './stall-tolerance.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './load-job.ts';
import { iterationsOf } from '../model/iteration.ts';
import {
  clientCount,
  clientsDueBefore,
  countWarmupClients,
  dueAt,
  isOpenModel,
  ON_TIME_TOLERANCE,
  retiresAt,
} from '../model/pace.ts';
import type { GeneratorMachine, LoadDelivery } from './run-report.ts';
import type { SnapshotShape } from './snapshot-codec.ts';
import type { Snapshot } from './snapshot.ts';
import { readTotal, writeTotal } from './tally-codec.ts';
import type { ThreadReason } from './thread-count.ts';
import { sumOf } from '../sum.ts';

/**
 * Length of `worstWindow`, in seconds. A short window reveals shortfalls that are small compared with the whole run.
 */
const WINDOW_SECONDS = 5;

export interface GeneratorEnvironment {
  readonly version: string;
  readonly cores: number;
  /** CPU quota of the process in cores; null if there is no quota. */
  readonly quota: number | null;
  readonly threadReason: ThreadReason;
  readonly node: string;
}

/**
 * Version of the measurement method. Increase it with each change, because metrics of different versions are not
 * comparable.
 */
const MEASUREMENT_VERSION = 4;

/** Sums of a thread, in the order of their encoding. */
const THREAD_SUMS = ['busy', 'maxBusy', 'seconds', 'stalledMs'] as const;

type ThreadTotals = Record<(typeof THREAD_SUMS)[number], number>;

type WorstWindow = NonNullable<Extract<LoadDelivery, { model: 'open' }>['worstWindow']>;

export class GeneratorTotals {
  readonly stallFree: StallFreeSamples;
  readonly lag = Histogram.createTotal();
  readonly #job: LoadJob;
  readonly #firstSecond: number;
  readonly #threads: readonly ThreadTotals[];
  #longestStall = 0;
  #missingClientMs = 0;
  /** Numbers of clients that never started, by the second in which the clients were due or could not open a socket. */
  readonly #neverStarted: number[] = [];

  constructor(job: LoadJob, threads: number) {
    this.#job = job;
    this.#firstSecond = job.warmup / 1000;
    this.stallFree = new StallFreeSamples(job, threads);
    this.#threads = Array.from({ length: threads }, () => ({
      busy: 0,
      maxBusy: 0,
      seconds: 0,
      stalledMs: 0,
    }));
  }

  add(snapshot: Snapshot): void {
    const thread = this.#threads[snapshot.threadIndex];
    if (thread === undefined) throw new Error('Bug: the snapshot belongs to a different run');
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
    // Uses the maximum over the URLs of a flow, because one client may fail to open a socket for several requests.
    const withoutSocket = iterationsOf(this.#job).map(({ first, end }) =>
      Math.max(0, ...snapshot.targets.slice(first, end).map(({ noSocket }) => noSocket)),
    );
    this.#addNeverStarted(snapshot.second, sumOf(withoutSocket));
  }

  /** Returns the mean utilization of the busiest thread, from 0 to 1. */
  maxBusyShare(): number {
    return Math.max(0, ...this.#threads.map((thread) => meanOf(thread)));
  }

  /** Returns the total stall time, in ms, of the thread with the longest total. */
  maxStalledMs(): number {
    return Math.max(0, ...this.#threads.map((thread) => thread.stalledMs));
  }

  neverStarted(): number {
    return sumOf(this.#neverStarted);
  }

  /** @param loaded - end of the load, in ms from the start of the run */
  delivery(loaded: number): LoadDelivery {
    const job = this.#job;
    if (!isOpenModel(job)) return { model: 'closed', heldShare: this.#heldShare(loaded) };
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
    return {
      cores,
      quota,
      threadReason,
      node,
      measurementVersion: MEASUREMENT_VERSION,
      threadLoads: this.#threads.map((thread) => ({ mean: meanOf(thread), max: thread.maxBusy })),
      seconds: Math.max(0, ...this.#threads.map(({ seconds }) => seconds)),
      longestStall: this.#longestStall,
      stalledSeconds: STALL_TOLERANCES.map((tolerance, index) => ({
        tolerance,
        seconds: this.stallFree.stalledSeconds[index]?.size ?? 0,
      })),
    };
  }

  save(writer: ByteWriter): void {
    this.stallFree.save(writer);
    writeTotal(writer, this.lag);
    for (const thread of this.#threads) for (const name of THREAD_SUMS) writer.number(thread[name]);
    writer.number(this.#longestStall);
    writer.number(this.#missingClientMs);
    writer.list(Object.entries(this.#neverStarted), ([second, clients]) => {
      writer.count(Number(second));
      writer.count(clients);
    });
  }

  /** Call this only on a new object that was created with the same job and number of threads as the saved object. */
  restore(reader: ByteReader, shape: SnapshotShape): void {
    this.stallFree.restore(reader, shape);
    this.lag.add(readTotal(reader));
    for (const thread of this.#threads) for (const name of THREAD_SUMS) thread[name] = reader.number();
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

  /** If the number of iterations is limited, the declared client time ends with the load. */
  #heldShare(loaded: number): number {
    const end = hasIterationLimit(this.#job) ? loaded : this.#job.duration;
    let declared = 0;
    for (let client = 0; client < clientCount(this.#job); client++) {
      const start = Math.max(this.#job.warmup, dueAt(this.#job, client));
      declared += Math.max(0, Math.min(end, retiresAt(this.#job, client)) - start);
    }
    return declared === 0 ? 1 : Math.max(0, 1 - this.#missingClientMs / declared);
  }

  #worstWindow(): WorstWindow | null {
    let worst: WorstWindow | null = null;
    for (const last of Object.keys(this.#neverStarted).map(Number)) {
      for (let second = Math.max(this.#firstSecond, last - WINDOW_SECONDS + 1); second <= last; second++) {
        const until = second + WINDOW_SECONDS;
        const neverStarted = sumOf(this.#neverStarted.slice(second, until));
        const due = this.#dueWithin(second, until);
        if (worst === null || neverStarted * worst.due > worst.neverStarted * due) {
          worst = { second, due, neverStarted };
        }
      }
    }
    return worst;
  }

  #dueWithin(first: number, until: number): number {
    return clientsDueBefore(this.#job, until * 1000) - clientsDueBefore(this.#job, first * 1000);
  }
}

function hasIterationLimit({ iterations, iterationsPerClient }: LoadJob): boolean {
  return iterations !== null || iterationsPerClient !== null;
}

function meanOf({ busy, seconds }: ThreadTotals): number {
  return seconds === 0 ? 0 : busy / seconds;
}

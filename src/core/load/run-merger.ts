/** Merges the snapshots of all threads of a run into the progress and the report of the run. */
import { milliseconds } from '../units.ts';
import { ByteReader, ByteWriter, InvalidBytesError } from './bytes.ts';
import type { GeneratorEnvironment } from './generator-totals.ts';
import { countRequests } from '../model/iteration.ts';
import type { LoadJob } from './load-job.ts';
import { countWarmupClients, isOpenModel } from '../model/pace.ts';
import {
  MAX_EXCHANGES,
  type AbortReason,
  type ErrorStop,
  type TracedExchange,
  type LoadProgress,
  type RunReport,
} from './run-report.ts';
import { clientsBelow, rangeOf, type Shard } from './shard.ts';
import { snapshotShapeOf } from './snapshot-codec.ts';
import type { Snapshot, UnstartedReason } from './snapshot.ts';
import { reachesErrorThreshold, type RequestCounts } from './stop-rule.ts';
import { summarizeProgress, summarizeRun } from './run-summary.ts';
import { RunTotals } from './run-totals.ts';

/** `elapsed` is the end of a thread, and `loaded` is the end of its load, both in ms from the start of the run. */
export interface ThreadTime {
  readonly elapsed: number;
  readonly loaded: number;
}

interface ThreadProgress {
  second: number;
  /** True after the thread was closed or lost. */
  closed: boolean;
}

/** Reason why a run ends early, and the counts with which the error threshold was reached; null if not applicable. */
interface EarlyEnd {
  readonly abortReason: AbortReason | null;
  readonly errorStop: ErrorStop | null;
}

/** Increase this version with each change of the checkpoint format, so that incompatible checkpoints are rejected. */
const CHECKPOINT_VERSION = 5;

export class RunMerger {
  readonly #job: LoadJob;
  readonly #totals: RunTotals;
  readonly #threads: readonly ThreadProgress[];
  readonly #exchanges: TracedExchange[] = [];
  #reportedSecond = -1;
  /** Number of active threads that have not reported any second after `#reportedSecond`. */
  #behind: number;
  #updateCount = 0;
  /** End of the reported time, in ms from the start of the run. */
  #until = 0;
  #time: ThreadTime = { elapsed: 0, loaded: 0 };
  #abortReason: AbortReason | null = null;
  #errorStop: ErrorStop | null = null;

  /**
   * @param shards - thread shards of the whole run, on all workers
   * @param planned - false if a checkpoint will restore the planned requests
   */
  constructor(job: LoadJob, shards: readonly Shard[], planned = true) {
    this.#job = job;
    this.#threads = shards.map(() => ({ second: -1, closed: false }));
    this.#behind = shards.length;
    this.#totals = new RunTotals(job, shards.length);
    // In the closed model, requests count as planned when they start or are skipped. In the open models, the requests
    // of all iterations count as planned from the start of the run.
    if (!planned || !isOpenModel(job)) return;
    const warmupClients = countWarmupClients(job);
    for (const shard of shards) {
      const inWarmup = clientsBelow(shard, warmupClients);
      const { warmup, ledger } = this.#totals;
      warmup.plan(shard.threadIndex, countRequests(job, rangeOf(shard, 0, inWarmup)));
      ledger.plan(shard.threadIndex, countRequests(job, rangeOf(shard, inWarmup, shard.clients)));
    }
  }

  toCheckpoint(): Uint8Array {
    const writer = new ByteWriter();
    writer.count(CHECKPOINT_VERSION);
    writer.list(this.#threads, ({ second, closed }) => {
      writer.integer(second);
      writer.flag(closed);
    });
    this.#totals.save(writer);
    writer.list(this.#exchanges, (exchange) => writer.string(JSON.stringify(exchange)));
    writer.integer(this.#reportedSecond);
    writer.count(this.#updateCount);
    for (const value of [this.#until, this.#time.elapsed, this.#time.loaded]) writer.number(value);
    const end: EarlyEnd = { abortReason: this.#abortReason, errorStop: this.#errorStop };
    writer.string(JSON.stringify(end));
    return writer.bytes();
  }

  /**
   * Restores the merger that wrote a checkpoint, which must have had the same job and shards. Returns null if the
   * checkpoint is invalid.
   */
  static fromCheckpoint(job: LoadJob, shards: readonly Shard[], state: Uint8Array): RunMerger | null {
    try {
      const merger = new RunMerger(job, shards, false);
      merger.#restore(new ByteReader(state));
      return merger;
    } catch (error) {
      if (error instanceof InvalidBytesError) return null;
      throw error;
    }
  }

  #restore(reader: ByteReader): void {
    if (reader.count() !== CHECKPOINT_VERSION) throw new InvalidBytesError('unsupported version');
    const threads = reader.list(() => ({ second: reader.integer(), closed: reader.flag() }));
    if (threads.length !== this.#threads.length) throw new InvalidBytesError('wrong number of shards');
    threads.forEach((saved, index) => Object.assign(this.#threadOf(index), saved));
    this.#totals.restore(reader, snapshotShapeOf(this.#job, threads.length));
    // The strings were written by `toCheckpoint`.
    this.#exchanges.push(...reader.list(() => JSON.parse(reader.string()) as TracedExchange));
    this.#reportedSecond = reader.integer();
    this.#behind = this.#countBehind();
    this.#updateCount = reader.count();
    this.#until = reader.number();
    this.#time = { elapsed: reader.number(), loaded: reader.number() };
    const end = JSON.parse(reader.string()) as EarlyEnd;
    this.#abortReason = end.abortReason;
    this.#errorStop = end.errorStop;
    reader.end();
  }

  add(snapshot: Snapshot): void {
    this.#totals.add(snapshot);
    this.#updateCount++;
    this.#until = Math.max(this.#until, snapshot.until);
    const thread = this.#threadOf(snapshot.threadIndex);
    const wasBehind = this.#isBehind(thread);
    thread.second = snapshot.second;
    this.#behind += Number(this.#isBehind(thread)) - Number(wasBehind);
  }

  /**
   * Returns the progress up to the latest second that all active threads have reported; null if the progress up to this
   * second was already returned.
   */
  progress(): LoadProgress | null {
    // Stryker disable next-line ConditionalExpression: only saves the search for the second
    if (this.#behind > 0) return null;
    const active = this.#threads.filter(({ closed }) => !closed).map(({ second }) => second);
    const second =
      active.length > 0 ? Math.min(...active) : Math.max(...this.#threads.map((thread) => thread.second));
    if (second <= this.#reportedSecond) return null;
    this.#reportedSecond = second;
    this.#behind = this.#countBehind();
    return summarizeProgress(this.#job, this.#totals, second, this.#until);
  }

  addExchange(exchange: TracedExchange): void {
    if (this.#exchanges.length < MAX_EXCHANGES) this.#exchanges.push(exchange);
  }

  /** Records that the load generator did not have enough memory for response bodies that must be checked. */
  markOverloaded(): void {
    this.#totals.overloaded = true;
  }

  /** Marks a thread as closed. All its snapshots must have been added. */
  close(threadIndex: number, time: ThreadTime): void {
    this.#totals.observations.end(threadIndex);
    this.#closeThread(threadIndex, time);
  }

  #closeThread(threadIndex: number, { elapsed, loaded }: ThreadTime): void {
    const thread = this.#threadOf(threadIndex);
    if (this.#isBehind(thread)) this.#behind--;
    thread.closed = true;
    this.#time = {
      elapsed: Math.max(this.#time.elapsed, elapsed),
      loaded: Math.max(this.#time.loaded, loaded),
    };
  }

  /** Marks a thread as lost, unless it is closed: see `RequestLedger.close`. */
  lose(threadIndex: number, unstarted: UnstartedReason, elapsedMs: number): void {
    if (this.isClosed(threadIndex)) return;
    this.#totals.close(threadIndex, unstarted);
    this.#closeThread(threadIndex, this.#timeUntil(elapsedMs));
  }

  isClosed(threadIndex: number): boolean {
    return this.#threadOf(threadIndex).closed;
  }

  isOver(): boolean {
    return this.#threads.every(({ closed }) => closed);
  }

  /** Reports whether the error threshold ends the run now. If so, stores the counts for the report. */
  reachesErrorThreshold(soFar: RequestCounts): boolean {
    const { errorThreshold: threshold } = this.#job;
    if (this.#abortReason !== null || !reachesErrorThreshold(soFar, threshold)) return false;
    const { finished, failed } = soFar;
    this.#errorStop = { threshold, finished, failed };
    return true;
  }

  /**
   * Records why the run ends early, unless a reason was already recorded. Returns the ledger class for requests that
   * will not be started.
   */
  abort(reason: AbortReason): UnstartedReason {
    this.#abortReason ??= reason;
    return this.#abortReason === 'stopped' ? 'stopped' : 'aborted';
  }

  /** @param loadStartedAt - start of the load, in milliseconds since the epoch; null if unknown */
  report(environment: GeneratorEnvironment, loadStartedAt: number | null = null): RunReport {
    return summarizeRun(this.#job, this.#totals, {
      ...toWholeMs(this.#time),
      abortReason: this.#abortReason,
      loadStartedAt,
      errorStop: this.#abortReason === 'error_threshold' ? this.#errorStop : null,
      threads: this.#threads.length,
      environment,
      exchanges: this.#exchanges,
    });
  }

  /** Returns a report on a run in progress; null if no snapshot has been added yet. */
  partialReport(environment: GeneratorEnvironment, loadStartedAt: number | null = null): RunReport | null {
    if (this.#updateCount === 0) return null;
    return summarizeRun(this.#job, this.#totals, {
      ...toWholeMs(this.#timeUntil(this.#until)),
      abortReason: 'partial',
      loadStartedAt,
      errorStop: null,
      threads: this.#threads.length,
      environment,
      exchanges: this.#exchanges,
      inProgress: true,
    });
  }

  /** Returns the times of a thread that ended at `elapsed`. Its load ended no later than the declared duration. */
  #timeUntil(elapsed: number): ThreadTime {
    return { elapsed, loaded: Math.min(elapsed, this.#job.duration) };
  }

  #isBehind({ second, closed }: ThreadProgress): boolean {
    return !closed && second <= this.#reportedSecond;
  }

  #countBehind(): number {
    return this.#threads.filter((thread) => this.#isBehind(thread)).length;
  }

  #threadOf(threadIndex: number): ThreadProgress {
    const thread = this.#threads[threadIndex];
    if (thread === undefined) throw new Error('Bug: the thread belongs to a different run');
    return thread;
  }
}

function toWholeMs({ elapsed, loaded }: ThreadTime) {
  return { elapsed: milliseconds(Math.round(elapsed)), loaded: milliseconds(Math.round(loaded)) };
}

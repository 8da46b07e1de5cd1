/** Merges what the workers of a run tell into its progress and its report. Mutable on purpose, like the totals. */
import { milliseconds } from '../units.ts';
import { ByteReader, ByteWriter, InvalidBytesError } from './bytes.ts';
import type { GeneratorEnvironment } from './generator-totals.ts';
import type { LoadJob } from './load-job.ts';
import { countWarmupClients, isOpenModel } from './pace.ts';
import {
  MAX_EXCHANGES,
  type AbortReason,
  type Exchange,
  type LoadProgress,
  type RunReport,
} from './run-report.ts';
import { clientsBelow, type Shard } from './shard.ts';
import { snapshotShapeOf } from './snapshot-codec.ts';
import type { Snapshot, UnstartedReason } from './snapshot.ts';
import { reachesErrorThreshold, type RequestCounts } from './stop-rule.ts';
import { summarizeProgress, summarizeRun } from './run-summary.ts';
import { RunTotals } from './run-totals.ts';

/** How long a worker has been at it, in ms from the start of the run. */
export interface ThreadTime {
  /** Until the end of its drain. */
  readonly elapsed: number;
  /** Until it made no load any more. */
  readonly loaded: number;
}

/** What is known of one worker. */
interface ThreadProgress {
  /** The latest second that it has told of. */
  second: number;
  /** Its books are closed: it tells nothing any more. */
  closed: boolean;
}

/** Of what a merger puts down: raised when that changes, so that nobody takes up what he would misread. */
const CHECKPOINT_VERSION = 1;

const ABORT_REASONS: readonly (AbortReason | null)[] = [
  null,
  'stopped',
  'error_threshold',
  'consent_withdrawn',
  'over_limit',
  'partial',
  'missed',
];

export class RunMerger {
  readonly #job: LoadJob;
  readonly #totals: RunTotals;
  /** By worker. */
  readonly #threads: readonly ThreadProgress[];
  readonly #exchanges: Exchange[] = [];
  #reportedSecond = -1;
  /** Workers that have not told of any second behind that, and may. */
  #behind: number;
  #updateCount = 0;
  /** Ms from the start, up to which something was told. */
  #until = 0;
  #time: ThreadTime = { elapsed: 0, loaded: 0 };
  #abortReason: AbortReason | null = null;

  /**
   * @param shares all of the run's, wherever their load is made
   * @param planned whether what the shares are to do is noted now
   */
  constructor(job: LoadJob, shards: readonly Shard[], planned = true) {
    this.#job = job;
    this.#threads = shards.map(() => ({ second: -1, closed: false }));
    this.#behind = shards.length;
    this.#totals = new RunTotals(job, shards.length);
    // The closed model plans a request when it starts; the open ones have planned them all from the beginning.
    if (!planned || !isOpenModel(job)) return;
    const ofWarmup = countWarmupClients(job);
    for (const shard of shards) {
      const warming = clientsBelow(shard, ofWarmup);
      this.#totals.warmup.plan(shard.threadIndex, warming);
      this.#totals.ledger.plan(shard.threadIndex, shard.clients - warming);
    }
  }

  /** All that it knows now, for `fromCheckpoint`: whoever goes on from there comes to the same figures. */
  toCheckpoint(): Uint8Array {
    const writer = new ByteWriter();
    writer.count(CHECKPOINT_VERSION);
    writer.list(this.#threads, ({ second, closed }) => {
      writer.integer(second);
      writer.flag(closed);
    });
    this.#totals.save(writer);
    writer.list(this.#exchanges, (exchange) => {
      writer.string(JSON.stringify(exchange));
    });
    writer.integer(this.#reportedSecond);
    writer.count(this.#updateCount);
    for (const value of [this.#until, this.#time.elapsed, this.#time.loaded]) writer.number(value);
    writer.count(ABORT_REASONS.indexOf(this.#abortReason));
    return writer.bytes();
  }

  /** One that goes on from what another one of the same job and shares put down. Errors: null for anything else. */
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
    if (reader.count() !== CHECKPOINT_VERSION) throw new InvalidBytesError('another version');
    const told = reader.list(() => ({ second: reader.integer(), closed: reader.flag() }));
    if (told.length !== this.#threads.length) throw new InvalidBytesError('another number of shares');
    told.forEach((one, thread) => Object.assign(this.#threadOf(thread), one));
    this.#totals.restore(reader, snapshotShapeOf(this.#job, told.length));
    // Written above.
    this.#exchanges.push(...reader.list(() => JSON.parse(reader.string()) as Exchange));
    this.#reportedSecond = reader.integer();
    this.#behind = this.#countBehind();
    this.#updateCount = reader.count();
    this.#until = reader.number();
    this.#time = { elapsed: reader.number(), loaded: reader.number() };
    this.#abortReason = ABORT_REASONS[reader.count(ABORT_REASONS.length - 1)] ?? null;
    reader.end();
  }

  /** Adds a slice. Gives the progress of the run when that completes a second: every worker has told of it. */
  add(snapshot: Snapshot): LoadProgress | null {
    this.#totals.add(snapshot);
    this.#updateCount++;
    this.#until = Math.max(this.#until, snapshot.until);
    const told = this.#threadOf(snapshot.threadIndex);
    const wasBehind = this.#isBehind(told);
    told.second = snapshot.second;
    this.#behind += Number(this.#isBehind(told)) - Number(wasBehind);
    if (this.#behind > 0) return null;
    const open = this.#threads.filter(({ closed }) => !closed);
    if (open.length === 0) return null;
    const second = open.reduce((least, one) => Math.min(least, one.second), Infinity);
    this.#reportedSecond = second;
    this.#behind = this.#countBehind();
    return summarizeProgress(this.#job, this.#totals, second, snapshot.until);
  }

  addExchange(exchange: Exchange): void {
    if (this.#exchanges.length < MAX_EXCHANGES) this.#exchanges.push(exchange);
  }

  /** This machine had no room for the bodies that are looked at. */
  markOverloaded(): void {
    this.#totals.overloaded = true;
  }

  /** The worker has told everything. */
  close(thread: number, { elapsed, loaded }: ThreadTime): void {
    const told = this.#threadOf(thread);
    if (this.#isBehind(told)) this.#behind--;
    told.closed = true;
    this.#time = {
      elapsed: Math.max(this.#time.elapsed, elapsed),
      loaded: Math.max(this.#time.loaded, loaded),
    };
  }

  /** The worker will tell nothing more: what it had started is abandoned, and the rest was not started. */
  lose(thread: number, unstarted: UnstartedReason, elapsedMs: number): void {
    if (this.isClosed(thread)) return;
    this.#totals.close(thread, unstarted);
    this.close(thread, this.#timeUntil(elapsedMs));
  }

  isClosed(thread: number): boolean {
    return this.#threadOf(thread).closed;
  }

  /** Whether all books are closed, so that the report is complete. */
  isOver(): boolean {
    return this.#threads.every(({ closed }) => closed);
  }

  /** Whether failures end the run now, as its threshold has it. */
  reachesErrorThreshold(soFar: RequestCounts): boolean {
    return this.#abortReason === null && reachesErrorThreshold(soFar, this.#job.errorThreshold);
  }

  /** Notes why the run is ended; the first reason stands. Gives what its workers are to note of what does not start. */
  abort(reason: AbortReason): UnstartedReason {
    this.#abortReason ??= reason;
    return this.#abortReason === 'stopped' ? 'stopped' : 'aborted';
  }

  /** @param by who made the load */
  report(environment: GeneratorEnvironment): RunReport {
    return summarizeRun(this.#job, this.#totals, {
      ...toWholeMs(this.#time),
      abortReason: this.#abortReason,
      threads: this.#threads.length,
      environment,
      exchanges: this.#exchanges,
    });
  }

  /** The same of a run that goes on, as if it were lost now; null before anything was told of it. */
  partialReport(environment: GeneratorEnvironment): RunReport | null {
    if (this.#updateCount === 0) return null;
    return summarizeRun(this.#job, this.#totals, {
      ...toWholeMs(this.#timeUntil(this.#until)),
      abortReason: 'partial',
      threads: this.#threads.length,
      environment,
      exchanges: this.#exchanges,
      inProgress: true,
    });
  }

  /** Of who has made load for as long as there was any to make. */
  #timeUntil(elapsed: number): ThreadTime {
    return { elapsed, loaded: Math.min(elapsed, this.#job.duration) };
  }

  #isBehind({ second, closed }: ThreadProgress): boolean {
    return !closed && second <= this.#reportedSecond;
  }

  #countBehind(): number {
    return this.#threads.filter((told) => this.#isBehind(told)).length;
  }

  #threadOf(thread: number): ThreadProgress {
    const told = this.#threads[thread];
    if (told === undefined) throw new Error('Bug: a worker of another run');
    return told;
  }
}

function toWholeMs({ elapsed, loaded }: ThreadTime) {
  return { elapsed: milliseconds(Math.round(elapsed)), loaded: milliseconds(Math.round(loaded)) };
}

/** Merges what the workers of a run tell into its progress and its report. Mutable on purpose, like the totals. */
import { milliseconds } from '../units.ts';
import { ByteReader, ByteWriter, UnreadableBytes } from './bytes.ts';
import type { Surroundings } from './generator-totals.ts';
import type { LoadJob } from './job.ts';
import { clientsOfWarmup, isOpenModel } from './pace.ts';
import {
  MOST_EXCHANGES,
  type AbortReason,
  type Exchange,
  type LoadProgress,
  type RunReport,
} from './report.ts';
import { clientsBelow, type Share } from './shard.ts';
import { shapeOfSlices } from './slice-codec.ts';
import type { Slice, Unstarted } from './slice.ts';
import { endsByErrors, type RequestsSoFar } from './stop-rule.ts';
import { summarizeProgress, summarizeRun } from './summary.ts';
import { RunTotals } from './totals.ts';

/** How long a worker has been at it, in ms from the start of the run. */
export interface WorkTime {
  /** Until the end of its drain. */
  readonly elapsed: number;
  /** Until it made no load any more. */
  readonly loaded: number;
}

/** What is known of one worker. */
interface Told {
  /** The latest second that it has told of. */
  second: number;
  /** Its books are closed: it tells nothing any more. */
  closed: boolean;
}

/** Of what a merger puts down: raised when that changes, so that nobody takes up what he would misread. */
const VERSION = 1;

const REASONS: readonly (AbortReason | null)[] = [
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
  readonly #told: readonly Told[];
  readonly #exchanges: Exchange[] = [];
  #progressTold = -1;
  /** Workers that have not told of any second behind that, and may. */
  #behind: number;
  #tellings = 0;
  /** Ms from the start, up to which something was told. */
  #until = 0;
  #time: WorkTime = { elapsed: 0, loaded: 0 };
  #abortReason: AbortReason | null = null;

  /**
   * @param shares all of the run's, wherever their load is made
   * @param planned whether what the shares are to do is noted now
   */
  constructor(job: LoadJob, shares: readonly Share[], planned = true) {
    this.#job = job;
    this.#told = shares.map(() => ({ second: -1, closed: false }));
    this.#behind = shares.length;
    this.#totals = new RunTotals(job, shares.length);
    // The closed model plans a request when it starts; the open ones have planned them all from the beginning.
    if (!planned || !isOpenModel(job)) return;
    const ofWarmup = clientsOfWarmup(job);
    for (const share of shares) {
      const warming = clientsBelow(share, ofWarmup);
      this.#totals.warmup.plan(share.worker, warming);
      this.#totals.books.plan(share.worker, share.clients - warming);
    }
  }

  /** All that it knows now, for `takenUp`: whoever goes on from there comes to the same figures. */
  putDown(): Uint8Array {
    const writer = new ByteWriter();
    writer.count(VERSION);
    writer.list(this.#told, ({ second, closed }) => {
      writer.whole(second);
      writer.flag(closed);
    });
    this.#totals.keep(writer);
    writer.list(this.#exchanges, (exchange) => {
      writer.text(JSON.stringify(exchange));
    });
    writer.whole(this.#progressTold);
    writer.count(this.#tellings);
    for (const value of [this.#until, this.#time.elapsed, this.#time.loaded]) writer.number(value);
    writer.count(REASONS.indexOf(this.#abortReason));
    return writer.bytes();
  }

  /** One that goes on from what another one of the same job and shares put down. Errors: null for anything else. */
  static takenUp(job: LoadJob, shares: readonly Share[], state: Uint8Array): RunMerger | null {
    try {
      const merger = new RunMerger(job, shares, false);
      merger.#take(new ByteReader(state));
      return merger;
    } catch (error) {
      if (error instanceof UnreadableBytes) return null;
      throw error;
    }
  }

  #take(reader: ByteReader): void {
    if (reader.count() !== VERSION) throw new UnreadableBytes('another version');
    const told = reader.list(() => ({ second: reader.whole(), closed: reader.flag() }));
    if (told.length !== this.#told.length) throw new UnreadableBytes('another number of shares');
    told.forEach((one, worker) => Object.assign(this.#toldOf(worker), one));
    this.#totals.take(reader, shapeOfSlices(this.#job, told.length));
    // Written above.
    this.#exchanges.push(...reader.list(() => JSON.parse(reader.text()) as Exchange));
    this.#progressTold = reader.whole();
    this.#behind = this.#countBehind();
    this.#tellings = reader.count();
    this.#until = reader.number();
    this.#time = { elapsed: reader.number(), loaded: reader.number() };
    this.#abortReason = REASONS[reader.count(REASONS.length - 1)] ?? null;
    reader.end();
  }

  /** Adds a slice. Gives the progress of the run when that completes a second: every worker has told of it. */
  add(slice: Slice): LoadProgress | null {
    this.#totals.add(slice);
    this.#tellings++;
    this.#until = Math.max(this.#until, slice.until);
    const told = this.#toldOf(slice.worker);
    const wasBehind = this.#isBehind(told);
    told.second = slice.second;
    this.#behind += Number(this.#isBehind(told)) - Number(wasBehind);
    if (this.#behind > 0) return null;
    const open = this.#told.filter(({ closed }) => !closed);
    if (open.length === 0) return null;
    const second = open.reduce((least, one) => Math.min(least, one.second), Infinity);
    this.#progressTold = second;
    this.#behind = this.#countBehind();
    return summarizeProgress(this.#job, this.#totals, second, slice.until);
  }

  keep(exchange: Exchange): void {
    if (this.#exchanges.length < MOST_EXCHANGES) this.#exchanges.push(exchange);
  }

  /** This machine had no room for the bodies that are looked at. */
  overload(): void {
    this.#totals.overloaded = true;
  }

  /** The worker has told everything. */
  close(worker: number, { elapsed, loaded }: WorkTime): void {
    const told = this.#toldOf(worker);
    if (this.#isBehind(told)) this.#behind--;
    told.closed = true;
    this.#time = {
      elapsed: Math.max(this.#time.elapsed, elapsed),
      loaded: Math.max(this.#time.loaded, loaded),
    };
  }

  /** The worker will tell nothing more: what it had started is abandoned, and the rest was not started. */
  lose(worker: number, unstarted: Unstarted, elapsedMs: number): void {
    if (this.isClosed(worker)) return;
    this.#totals.close(worker, unstarted);
    this.close(worker, this.#timeUntil(elapsedMs));
  }

  isClosed(worker: number): boolean {
    return this.#toldOf(worker).closed;
  }

  /** Whether all books are closed, so that the report is complete. */
  isOver(): boolean {
    return this.#told.every(({ closed }) => closed);
  }

  /** Whether failures end the run now, as its threshold has it. */
  endsByErrors(soFar: RequestsSoFar): boolean {
    return this.#abortReason === null && endsByErrors(soFar, this.#job.errorThreshold);
  }

  /** Notes why the run is ended; the first reason stands. Gives what its workers are to note of what does not start. */
  abort(reason: AbortReason): Unstarted {
    this.#abortReason ??= reason;
    return this.#abortReason === 'stopped' ? 'stopped' : 'aborted';
  }

  /** @param by who made the load */
  report(by: Surroundings): RunReport {
    return summarizeRun(this.#job, this.#totals, {
      ...inWhole(this.#time),
      abortReason: this.#abortReason,
      threads: this.#told.length,
      by,
      exchanges: this.#exchanges,
    });
  }

  /** The same of a run that goes on, as if it were lost now; null before anything was told of it. */
  soFar(by: Surroundings): RunReport | null {
    if (this.#tellings === 0) return null;
    return summarizeRun(this.#job, this.#totals, {
      ...inWhole(this.#timeUntil(this.#until)),
      abortReason: 'partial',
      threads: this.#told.length,
      by,
      exchanges: this.#exchanges,
      goesOn: true,
    });
  }

  /** Of who has made load for as long as there was any to make. */
  #timeUntil(elapsed: number): WorkTime {
    return { elapsed, loaded: Math.min(elapsed, this.#job.duration) };
  }

  #isBehind({ second, closed }: Told): boolean {
    return !closed && second <= this.#progressTold;
  }

  #countBehind(): number {
    return this.#told.filter((told) => this.#isBehind(told)).length;
  }

  #toldOf(worker: number): Told {
    const told = this.#told[worker];
    if (told === undefined) throw new Error('Bug: a worker of another run');
    return told;
  }
}

function inWhole({ elapsed, loaded }: WorkTime) {
  return { elapsed: milliseconds(Math.round(elapsed)), loaded: milliseconds(Math.round(loaded)) };
}

/** Adds up the slices of a run as they come in. Mutable on purpose: there are thousands of them. */
import { GeneratorTotals } from './generator-totals.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './job.ts';
import { Watch } from './outage.ts';
import { isOpenModel } from './pace.ts';
import {
  addTally,
  createOpening,
  createTally,
  finishedOf,
  notStartedOf,
  outcomesOf,
  type Slice,
  type Tally,
  type Unstarted,
} from './slice.ts';

/** After this many entries two neighbours become one, so that a long run's series stays bounded. */
const MOST_SECONDS = 600;

/** What happened within one entry of the time series. */
export interface SecondSums {
  started: number;
  success: number;
  error: number;
  timeoutError: number;
  networkError: number;
  bytesSent: number;
  bytesReceived: number;
  /** By worker, so that peaks within the entry are not added twice. */
  readonly peaks: number[];
  readonly response: Histogram;
}

/** What one worker still owes for one URL. */
interface Account {
  planned: number;
  started: number;
  settled: number;
  notStarted: number;
}

export class RunTotals {
  /** This machine had no room for the bodies that are looked at. */
  overloaded = false;
  readonly targets: readonly Tally[];
  readonly generator: GeneratorTotals;
  readonly seconds: SecondSums[] = [];
  readonly opening = createOpening('total');
  /** See `Slice`. */
  afterLoad = 0;
  /** What was seen of the target. */
  readonly watch: Watch;
  /** Seconds that each entry of the series covers. */
  span = 1;
  /** Most connections open at once, as the sum of the workers' peaks within a second. */
  peakConnections = 0;
  readonly #accounts: readonly (readonly Account[])[];
  readonly #connections: number[];
  readonly #latestPeaks: number[];

  constructor(job: LoadJob, workers: number) {
    const targets = job.targets.length;
    this.generator = new GeneratorTotals(job, workers);
    const each = <T>(length: number, create: () => T): T[] => Array.from({ length }, create);
    this.targets = each(targets, () => createTally('total', isOpenModel(job)));
    this.watch = new Watch(workers);
    this.#accounts = each(workers, () =>
      each(targets, () => ({ planned: 0, started: 0, settled: 0, notStarted: 0 })),
    );
    this.#connections = each(workers, () => 0);
    this.#latestPeaks = each(workers, () => 0);
  }

  /** Notes that a worker is to start so many requests of each URL. */
  plan(worker: number, requests: number): void {
    for (const account of this.#accounts[worker] ?? []) account.planned += requests;
    for (const target of this.targets) target.planned += requests;
  }

  add(slice: Slice): void {
    const second = this.#secondOf(slice.second);
    this.generator.add(slice);
    this.watch.add(slice.worker, slice.second, slice.tenths);
    this.opening.connect.add(slice.opening.connect);
    this.opening.tls.add(slice.opening.tls);
    this.afterLoad += slice.afterLoad;
    slice.targets.forEach((tally, index) => {
      const total = this.targets[index];
      const account = this.#accounts[slice.worker]?.[index];
      if (total === undefined || account === undefined) throw new Error('Bug: a slice of another job');
      addTally(total, tally);
      const outcomes = outcomesOf(tally);
      account.planned += tally.planned;
      account.started += tally.started;
      account.settled += finishedOf(outcomes) + tally.abandoned;
      account.notStarted += notStartedOf(tally);
      second.started += tally.started;
      second.success += outcomes.success;
      second.error += outcomes.error;
      second.timeoutError += outcomes.timeoutError;
      second.networkError += outcomes.networkError;
      second.bytesSent += tally.bytesSent;
      second.bytesReceived += tally.bytesReceived;
      second.response.add(tally.response);
    });
    for (const [earlier, { started, bytesSent }] of Object.entries(slice.takenBack)) {
      const counted = this.#secondOf(Number(earlier));
      counted.started -= started;
      counted.bytesSent -= bytesSent;
      second.started += started;
      second.bytesSent += bytesSent;
    }
    second.peaks[slice.worker] = Math.max(second.peaks[slice.worker] ?? 0, slice.peakConnections);
    this.#connections[slice.worker] = slice.connections;
    this.#latestPeaks[slice.worker] = slice.peakConnections;
    this.peakConnections = Math.max(this.peakConnections, sum(this.#latestPeaks));
  }

  /**
   * Closes the books of a worker that will not report any more: what it had started is abandoned, the rest was not
   * started. What it did after its last slice is not known to anybody.
   */
  close(worker: number, why: Unstarted): void {
    this.#accounts[worker]?.forEach((account, index) => {
      const total = this.targets[index];
      if (total === undefined) return;
      total.abandoned += account.started - account.settled;
      total[why] += account.planned - account.started - account.notStarted;
      account.settled = account.started;
      account.notStarted = account.planned - account.started;
    });
    this.#connections[worker] = 0;
    this.#latestPeaks[worker] = 0;
  }

  /** Connections open now, as far as has been told. */
  connections(): number {
    return sum(this.#connections);
  }

  /** The entry of the series that holds a second, if it is there. */
  at(second: number): SecondSums | null {
    return this.seconds[Math.floor(second / this.span)] ?? null;
  }

  #secondOf(second: number): SecondSums {
    while (Math.floor(second / this.span) >= MOST_SECONDS) this.#halve();
    const index = Math.floor(second / this.span);
    for (let missing = this.seconds.length; missing <= index; missing++) this.seconds.push(emptySecond());
    const found = this.seconds[index];
    if (found === undefined) throw new Error('Bug: a second before the start');
    return found;
  }

  #halve(): void {
    const halved: SecondSums[] = [];
    for (let index = 0; index < this.seconds.length; index += 2) {
      const sums = this.seconds[index] ?? emptySecond();
      const next = this.seconds[index + 1];
      if (next !== undefined) addSecond(sums, next);
      halved.push(sums);
    }
    this.seconds.splice(0, this.seconds.length, ...halved);
    this.span *= 2;
  }
}

function emptySecond(): SecondSums {
  return {
    started: 0,
    success: 0,
    error: 0,
    timeoutError: 0,
    networkError: 0,
    bytesSent: 0,
    bytesReceived: 0,
    peaks: [],
    response: Histogram.createTotal(),
  };
}

function addSecond(into: SecondSums, from: SecondSums): void {
  into.started += from.started;
  into.success += from.success;
  into.error += from.error;
  into.timeoutError += from.timeoutError;
  into.networkError += from.networkError;
  into.bytesSent += from.bytesSent;
  into.bytesReceived += from.bytesReceived;
  from.peaks.forEach((peak, worker) => {
    into.peaks[worker] = Math.max(into.peaks[worker] ?? 0, peak);
  });
  into.response.add(from.response);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Sums of all snapshots of a run. */
import { RequestLedger, type AddedTally } from './request-ledger.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { GeneratorTotals } from './generator-totals.ts';
import { Histogram, type HistogramData } from './histogram.ts';
import type { LoadJob } from './load-job.ts';
import { MAX_TIMELINE_URLS } from './run-report.ts';
import { TargetObservations } from './outage.ts';
import { iterationsOf } from '../model/iteration.ts';
import { isOpenModel } from '../model/pace.ts';
import type { SnapshotShape } from './snapshot-codec.ts';
import {
  addAddressUses,
  addOutcomes,
  addIterationTally,
  createConnectionSetup,
  createIterationTally,
  noOutcomes,
  OUTCOMES,
  type AddressUses,
  type IterationTally,
  type IterationTallyData,
  type Outcomes,
  type OutcomeSums,
  type Snapshot,
  type UnstartedReason,
} from './snapshot.ts';
import {
  readAddressUses,
  readIterationTally,
  readTotal,
  writeAddressUses,
  writeIterationTally,
  writeTotal,
} from './tally-codec.ts';
import { sumOf } from '../sum.ts';

/** Maximum number of timeline entries. If a run has more, adjacent entries are merged. */
const MAX_TIMELINE_ENTRIES = 600;

/** Sums of the requests that ended within one entry of the timeline. */
export interface EndedSums extends OutcomeSums {
  readonly response: Histogram;
}

export interface SecondSums extends EndedSums {
  started: number;
  bytesSent: number;
  bytesReceived: number;
  /** Maximum number of open connections of each thread. */
  readonly peaks: number[];
  /** Sums by URL; empty for a test with one URL or more than `MAX_TIMELINE_URLS`. */
  readonly urls: readonly EndedSums[];
}

export class RunTotals {
  /** See `RunMerger.markOverloaded`. */
  overloaded = false;
  /** Requests that do not belong to the warm-up. */
  readonly ledger: RequestLedger;
  /** Requests of the warm-up. Contains no URLs if the test has no warm-up. */
  readonly warmup: RequestLedger;
  readonly iterations: readonly IterationTally[];
  readonly generator: GeneratorTotals;
  readonly seconds: SecondSums[] = [];
  readonly connectionSetup = createConnectionSetup('total');
  /** See `PoolUse`. All counts are 0 if each client opens its own connections. */
  readonly pool = { opened: 0, requests: 0, waits: Histogram.createTotal() };
  addresses: AddressUses = {};
  surplus = 0;
  readonly observations: TargetObservations;
  /** Length of each timeline entry in seconds. */
  span = 1;
  /**
   * Approximate maximum number of open connections after the warm-up: the maximum of the sum of all threads' latest
   * peaks.
   */
  peakConnections = 0;
  readonly #firstSecond: number;
  readonly #timelineUrls: number;
  readonly #connections: number[];
  readonly #latestPeaks: number[];
  #currentPeak = 0;

  constructor(job: LoadJob, threads: number) {
    const size = { threads, targets: job.targets.length, open: isOpenModel(job) };
    this.ledger = new RequestLedger(size);
    this.warmup = new RequestLedger(job.warmup > 0 ? size : { ...size, targets: 0 });
    this.iterations = iterationsOf(job).map(() => createIterationTally('total'));
    this.generator = new GeneratorTotals(job, threads);
    this.observations = new TargetObservations(threads);
    this.#firstSecond = job.warmup / 1000;
    this.#timelineUrls = size.targets > 1 && size.targets <= MAX_TIMELINE_URLS ? size.targets : 0;
    this.#connections = Array.from({ length: threads }, () => 0);
    this.#latestPeaks = Array.from({ length: threads }, () => 0);
  }

  add(snapshot: Snapshot): void {
    const second = this.#secondOf(snapshot.second);
    this.generator.add(snapshot);
    this.observations.add(snapshot.threadIndex, snapshot.second, snapshot.tenths);
    this.connectionSetup.connect.add(snapshot.connectionSetup.connect);
    this.connectionSetup.tls.add(snapshot.connectionSetup.tls);
    this.surplus += snapshot.surplus;
    if (snapshot.pool !== null) {
      this.pool.opened += snapshot.pool.opened;
      this.pool.requests += snapshot.pool.requests;
      this.pool.waits.add(snapshot.pool.waits);
    }
    this.addresses = addAddressUses(this.addresses, snapshot.addresses);
    this.#addIterations(snapshot.iterations);
    addTo(second, this.ledger.add(snapshot.threadIndex, snapshot.targets));
    if (snapshot.warmup !== null) addTo(second, this.warmup.add(snapshot.threadIndex, snapshot.warmup));
    for (const [earlier, { started, bytesSent }] of Object.entries(snapshot.retractions)) {
      const counted = this.#secondOf(Number(earlier));
      counted.started -= started;
      counted.bytesSent -= bytesSent;
      second.started += started;
      second.bytesSent += bytesSent;
    }
    second.peaks[snapshot.threadIndex] = Math.max(
      second.peaks[snapshot.threadIndex] ?? 0,
      snapshot.peakConnections,
    );
    this.#connections[snapshot.threadIndex] = snapshot.connections;
    if (snapshot.second < this.#firstSecond) return;
    this.#recordPeak(snapshot.threadIndex, snapshot.peakConnections);
    this.peakConnections = Math.max(this.peakConnections, this.#currentPeak);
  }

  /** Balances both ledgers for a lost thread. */
  close(thread: number, reason: UnstartedReason): void {
    this.ledger.close(thread, reason);
    this.warmup.close(thread, reason);
    this.#connections[thread] = 0;
    this.#recordPeak(thread, 0);
  }

  connections(): number {
    return sumOf(this.#connections);
  }

  at(second: number): SecondSums | null {
    return this.seconds[Math.floor(second / this.span)] ?? null;
  }

  save(writer: ByteWriter): void {
    writer.flag(this.overloaded);
    this.ledger.save(writer);
    this.warmup.save(writer);
    for (const tally of this.iterations) writeIterationTally(writer, tally, writeTotal);
    this.generator.save(writer);
    this.observations.save(writer);
    writeTotal(writer, this.connectionSetup.connect);
    writeTotal(writer, this.connectionSetup.tls);
    writer.number(this.surplus);
    writer.count(this.pool.opened);
    writer.count(this.pool.requests);
    writeTotal(writer, this.pool.waits);
    writeAddressUses(writer, this.addresses);
    writer.count(this.span);
    writer.list(this.seconds, (second) => writeSecond(writer, second));
    writer.count(this.peakConnections);
    for (const value of [...this.#connections, ...this.#latestPeaks]) writer.count(value);
  }

  /** Call this only on a new object that was created with the same job and number of threads as the saved object. */
  restore(reader: ByteReader, shape: SnapshotShape): void {
    this.overloaded = reader.flag();
    this.ledger.restore(reader);
    this.warmup.restore(reader);
    this.#addIterations(this.iterations.map(() => readIterationTally(reader, readTotal)));
    this.generator.restore(reader, shape);
    this.observations.restore(reader);
    this.connectionSetup.connect.add(readTotal(reader));
    this.connectionSetup.tls.add(readTotal(reader));
    this.surplus = reader.number();
    this.pool.opened = reader.count();
    this.pool.requests = reader.count();
    this.pool.waits.add(readTotal(reader));
    this.addresses = readAddressUses(reader);
    this.span = reader.count();
    this.seconds.push(...reader.list(() => readSecond(reader, this.#timelineUrls), MAX_TIMELINE_ENTRIES));
    this.peakConnections = reader.count();
    for (const values of [this.#connections, this.#latestPeaks]) {
      for (let thread = 0; thread < values.length; thread++) values[thread] = reader.count();
    }
    this.#currentPeak = sumOf(this.#latestPeaks);
  }

  #addIterations(tallies: readonly IterationTallyData[]): void {
    this.iterations.forEach((total, flow) => {
      const tally = tallies[flow];
      if (tally === undefined) throw new Error('Bug: the tallies belong to a different job');
      addIterationTally(total, tally);
    });
  }

  #recordPeak(thread: number, peak: number): void {
    this.#currentPeak += peak - (this.#latestPeaks[thread] ?? 0);
    this.#latestPeaks[thread] = peak;
  }

  #secondOf(second: number): SecondSums {
    while (Math.floor(second / this.span) >= MAX_TIMELINE_ENTRIES) this.#mergeEntries();
    const index = Math.floor(second / this.span);
    for (let missing = this.seconds.length; missing <= index; missing++)
      this.seconds.push(emptySecond(this.#timelineUrls));
    const found = this.seconds[index];
    if (found === undefined) throw new Error('Bug: the second precedes the start of the run');
    return found;
  }

  #mergeEntries(): void {
    const merged: SecondSums[] = [];
    let first: SecondSums | null = null;
    for (const second of this.seconds) {
      if (first === null) {
        merged.push(second);
        first = second;
      } else {
        addSecond(first, second);
        first = null;
      }
    }
    this.seconds.splice(0, this.seconds.length, ...merged);
    this.span *= 2;
  }
}

function emptySecond(urls: number): SecondSums {
  return {
    ...emptySums(Histogram.createTotal()),
    started: 0,
    bytesSent: 0,
    bytesReceived: 0,
    peaks: [],
    // The number of requests to a URL in one entry is assumed to be less than 2³².
    urls: Array.from({ length: urls }, () => emptySums(Histogram.createRecorder())),
  };
}

function emptySums(response: Histogram): EndedSums {
  return { ...noOutcomes(), response };
}

function writeSecond(writer: ByteWriter, second: SecondSums): void {
  const { started, bytesSent, bytesReceived } = second;
  for (const value of [started, bytesSent, bytesReceived]) writer.integer(value);
  writer.list(Object.entries(second.peaks), ([thread, peak]) => {
    writer.count(Number(thread));
    writer.count(peak);
  });
  for (const sums of [second, ...second.urls]) {
    for (const outcome of OUTCOMES) writer.integer(sums[outcome]);
    writeTotal(writer, sums.response);
  }
}

function readSecond(reader: ByteReader, urls: number): SecondSums {
  const second = emptySecond(urls);
  second.started = reader.integer();
  second.bytesSent = reader.integer();
  second.bytesReceived = reader.integer();
  for (const [thread, peak] of reader.list(() => [reader.count(), reader.count()] as const)) {
    second.peaks[thread] = peak;
  }
  for (const sums of [second, ...second.urls]) {
    for (const outcome of OUTCOMES) sums[outcome] = reader.integer();
    sums.response.add(readTotal(reader));
  }
  return second;
}

function addTo(second: SecondSums, added: readonly AddedTally[]): void {
  added.forEach(({ tally: { started, bytesSent, bytesReceived, response }, outcomes }, index) => {
    second.started += started;
    second.bytesSent += bytesSent;
    second.bytesReceived += bytesReceived;
    const own = second.urls[index];
    addEnded(second, { ...outcomes, response });
    if (own !== undefined) addEnded(own, { ...outcomes, response });
  });
}

function addEnded(into: EndedSums, from: Outcomes & { readonly response: HistogramData }): void {
  addOutcomes(into, from);
  into.response.add(from.response);
}

function addSecond(into: SecondSums, from: SecondSums): void {
  addEnded(into, from);
  from.urls.forEach((sums, index) => {
    const own = into.urls[index];
    if (own !== undefined) addEnded(own, sums);
  });
  into.started += from.started;
  into.bytesSent += from.bytesSent;
  into.bytesReceived += from.bytesReceived;
  from.peaks.forEach((peak, thread) => {
    into.peaks[thread] = Math.max(into.peaks[thread] ?? 0, peak);
  });
}

/** Adds up the slices of a run as they come in. Mutable on purpose: there are thousands of them. */
import { Books } from './books.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { GeneratorTotals } from './generator-totals.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './job.ts';
import { Watch } from './outage.ts';
import { isOpenModel } from './pace.ts';
import type { SliceShape } from './slice-codec.ts';
import { createOpening, type Outcomes, type Slice, type TallyData, type Unstarted } from './slice.ts';
import { readTotal, writeTotal } from './tally-codec.ts';

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

export class RunTotals {
  /** This machine had no room for the bodies that are looked at. */
  overloaded = false;
  /** Of all but the warm-up; the figures of the run are read from them. */
  readonly books: Books;
  /** Of no URL where there is none. */
  readonly warmup: Books;
  readonly generator: GeneratorTotals;
  readonly seconds: SecondSums[] = [];
  readonly opening = createOpening('total');
  /** See `Slice`. */
  surplus = 0;
  /** What was seen of the target. */
  readonly watch: Watch;
  /** Seconds that each entry of the series covers. */
  span = 1;
  /** Most connections open at once, as the sum of the workers' peaks within a second. */
  peakConnections = 0;
  /** The first second behind the warm-up. */
  readonly #begins: number;
  readonly #connections: number[];
  readonly #latestPeaks: number[];
  /** The sum of the latest. */
  #peaksNow = 0;

  constructor(job: LoadJob, workers: number) {
    const size = { workers, targets: job.targets.length, open: isOpenModel(job) };
    this.books = new Books(size);
    this.warmup = new Books(job.warmup > 0 ? size : { ...size, targets: 0 });
    this.generator = new GeneratorTotals(job, workers);
    this.watch = new Watch(workers);
    this.#begins = job.warmup / 1000;
    this.#connections = Array.from({ length: workers }, () => 0);
    this.#latestPeaks = Array.from({ length: workers }, () => 0);
  }

  add(slice: Slice): void {
    const second = this.#secondOf(slice.second);
    this.generator.add(slice);
    this.watch.add(slice.worker, slice.second, slice.tenths);
    this.opening.connect.add(slice.opening.connect);
    this.opening.tls.add(slice.opening.tls);
    this.surplus += slice.surplus;
    addTo(second, slice.targets, this.books.add(slice.worker, slice.targets));
    if (slice.warmup !== null) {
      addTo(second, slice.warmup, this.warmup.add(slice.worker, slice.warmup));
    }
    for (const [earlier, { started, bytesSent }] of Object.entries(slice.takenBack)) {
      const counted = this.#secondOf(Number(earlier));
      counted.started -= started;
      counted.bytesSent -= bytesSent;
      second.started += started;
      second.bytesSent += bytesSent;
    }
    second.peaks[slice.worker] = Math.max(second.peaks[slice.worker] ?? 0, slice.peakConnections);
    this.#connections[slice.worker] = slice.connections;
    if (slice.second < this.#begins) return;
    this.#seePeak(slice.worker, slice.peakConnections);
    this.peakConnections = Math.max(this.peakConnections, this.#peaksNow);
  }

  /** Closes the books of a worker that will not report any more. */
  close(worker: number, why: Unstarted): void {
    this.books.close(worker, why);
    this.warmup.close(worker, why);
    this.#connections[worker] = 0;
    this.#seePeak(worker, 0);
  }

  /** Connections open now, as far as has been told. */
  connections(): number {
    return sum(this.#connections);
  }

  /** The entry of the series that holds a second, if it is there. */
  at(second: number): SecondSums | null {
    return this.seconds[Math.floor(second / this.span)] ?? null;
  }

  keep(writer: ByteWriter): void {
    writer.flag(this.overloaded);
    this.books.keep(writer);
    this.warmup.keep(writer);
    this.generator.keep(writer);
    this.watch.keep(writer);
    writeTotal(writer, this.opening.connect);
    writeTotal(writer, this.opening.tls);
    writer.number(this.surplus);
    writer.count(this.span);
    writer.list(this.seconds, (second) => {
      writeSecond(writer, second);
    });
    writer.count(this.peakConnections);
    for (const value of [...this.#connections, ...this.#latestPeaks]) writer.count(value);
  }

  /** Takes up what was kept of a run of the same size; only for new totals. */
  take(reader: ByteReader, shape: SliceShape): void {
    this.overloaded = reader.flag();
    this.books.take(reader);
    this.warmup.take(reader);
    this.generator.take(reader, shape);
    this.watch.take(reader);
    this.opening.connect.add(readTotal(reader));
    this.opening.tls.add(readTotal(reader));
    this.surplus = reader.number();
    this.span = reader.count();
    this.seconds.push(...reader.list(() => readSecond(reader), MOST_SECONDS));
    this.peakConnections = reader.count();
    for (const values of [this.#connections, this.#latestPeaks]) {
      for (let worker = 0; worker < values.length; worker++) values[worker] = reader.count();
    }
    this.#peaksNow = sum(this.#latestPeaks);
  }

  #seePeak(worker: number, peak: number): void {
    this.#peaksNow += peak - (this.#latestPeaks[worker] ?? 0);
    this.#latestPeaks[worker] = peak;
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

function writeSecond(writer: ByteWriter, second: SecondSums): void {
  const { started, success, error, timeoutError, networkError, bytesSent, bytesReceived } = second;
  for (const value of [started, success, error, timeoutError, networkError, bytesSent, bytesReceived]) {
    writer.whole(value);
  }
  writer.list(Object.entries(second.peaks), ([worker, peak]) => {
    writer.count(Number(worker));
    writer.count(peak);
  });
  writeTotal(writer, second.response);
}

function readSecond(reader: ByteReader): SecondSums {
  const second = emptySecond();
  second.started = reader.whole();
  second.success = reader.whole();
  second.error = reader.whole();
  second.timeoutError = reader.whole();
  second.networkError = reader.whole();
  second.bytesSent = reader.whole();
  second.bytesReceived = reader.whole();
  for (const [worker, peak] of reader.list(() => [reader.count(), reader.count()] as const)) {
    second.peaks[worker] = peak;
  }
  second.response.add(readTotal(reader));
  return second;
}

function addTo(second: SecondSums, tallies: readonly TallyData[], outcomes: readonly Outcomes[]): void {
  for (const { success, error, timeoutError, networkError } of outcomes) {
    second.success += success;
    second.error += error;
    second.timeoutError += timeoutError;
    second.networkError += networkError;
  }
  for (const tally of tallies) {
    second.started += tally.started;
    second.bytesSent += tally.bytesSent;
    second.bytesReceived += tally.bytesReceived;
    second.response.add(tally.response);
  }
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

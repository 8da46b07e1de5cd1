/** What was counted of a URL, and times, as bytes and back. */
import { InvalidBytesError, type ByteReader, type ByteWriter } from './bytes.ts';
import { BUCKETS, bucketOf, type HistogramData } from './histogram.ts';
import { STATUS_CODE_COUNT, type TallyData } from './snapshot.ts';

/** All with a sign: what was counted in one second may be taken back in a later one. */
export function writeTally(writer: ByteWriter, tally: TallyData, writeTimes = writeHistogram): void {
  writer.integer(tally.planned);
  writer.integer(tally.started);
  writer.integer(tally.stopped);
  writer.integer(tally.aborted);
  writer.integer(tally.saturated);
  writer.integer(tally.noSocket);
  writer.integer(tally.undefinedVariable);
  writer.integer(tally.timeoutConnect);
  writer.integer(tally.timeoutTls);
  writer.integer(tally.timeoutResponse);
  writer.integer(tally.abandoned);
  writer.integer(tally.resent);
  writer.integer(tally.bytesSent);
  writer.integer(tally.bytesReceived);
  writeCountsByName(writer, tally.checkedErrors);
  writeCountsByName(writer, tally.unexpected);
  writeCountsByName(writer, tally.network);
  writeCountsByName(writer, tally.protocol);
  writeSparse(writer, tally.statuses);
  writeTimes(writer, tally.response);
  if (tally.service !== null) writeTimes(writer, tally.service);
}

/** @param apart response and service time differ. Errors: throws `InvalidBytesError` */
export function readTally(reader: ByteReader, apart: boolean, readTimes = readHistogram): TallyData {
  return {
    planned: reader.integer(),
    started: reader.integer(),
    stopped: reader.integer(),
    aborted: reader.integer(),
    saturated: reader.integer(),
    noSocket: reader.integer(),
    undefinedVariable: reader.integer(),
    timeoutConnect: reader.integer(),
    timeoutTls: reader.integer(),
    timeoutResponse: reader.integer(),
    abandoned: reader.integer(),
    resent: reader.integer(),
    bytesSent: reader.integer(),
    bytesReceived: reader.integer(),
    checkedErrors: readCountsByName(reader),
    unexpected: readCountsByName(reader),
    network: readCountsByName(reader),
    protocol: readCountsByName(reader),
    statuses: readSparse(reader, new Float64Array(STATUS_CODE_COUNT), Number.MAX_SAFE_INTEGER).counts,
    response: readTimes(reader),
    service: apart ? readTimes(reader) : null,
  };
}

function writeCountsByName(writer: ByteWriter, counts: Readonly<Record<string, number>>): void {
  writer.list(Object.entries(counts), ([name, count]) => {
    writer.string(name);
    writer.count(count);
  });
}

function readCountsByName(reader: ByteReader): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of reader.list(() => [reader.string(), reader.count()] as const)) {
    if (name === '__proto__') throw new InvalidBytesError('no table holds this name');
    counts[name] = count;
  }
  return counts;
}

type Counts = Uint32Array | Float64Array;

/** Places with something in them, and how much. */
function writeSparse(writer: ByteWriter, counts: Counts): void {
  let filled = 0;
  for (const count of counts) if (count !== 0) filled++;
  writer.count(filled);
  let next = 0;
  for (let place = 0; filled > 0; place++) {
    const count = counts[place] ?? 0;
    if (count === 0) continue;
    writer.count(place - next);
    writer.count(count);
    next = place + 1;
    filled--;
  }
}

/** `count`: of all places together; `first`, `last`: where there is something, -1 where there is nothing. */
function readSparse<C extends Counts>(reader: ByteReader, into: C, most: number) {
  let [sum, first, last] = [0, -1, -1];
  let next = 0;
  for (let filled = reader.count(into.length); filled > 0; filled--) {
    const place = next + reader.count(into.length - 1 - next);
    const count = reader.count(most);
    if (count === 0) throw new InvalidBytesError('an empty place is not written');
    into[place] = count;
    sum += count;
    if (first < 0) first = place;
    last = place;
    next = place + 1;
    if (next === into.length && filled > 1) throw new InvalidBytesError('there are no more places');
  }
  return { counts: into, count: sum, first, last };
}

/** Its number of records is that of its buckets. */
export function writeHistogram(writer: ByteWriter, { counts, count, min, max, sum }: HistogramData): void {
  writeSparse(writer, counts);
  if (count === 0) return;
  writer.count(min);
  writer.count(max - min);
  writer.count(sum);
}

export const MAX_COUNT = 2 ** 32 - 1;

export function readHistogram(reader: ByteReader): HistogramData {
  const { counts, count, first, last } = readSparse(reader, new Uint32Array(BUCKETS), MAX_COUNT);
  if (count === 0) return { counts, count, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  const min = reader.count(MAX_COUNT);
  const max = min + reader.count(MAX_COUNT - min);
  // Whoever adds it up looks at what lies between the two.
  if (bucketOf(min) !== first || bucketOf(max) !== last)
    throw new InvalidBytesError('the ends are elsewhere');
  return { counts, count, min, max, sum: reader.count() };
}

/** Of a total: sums of a whole run, and of values within buckets, need not be whole numbers that are exact. */
export function writeTotal(writer: ByteWriter, { counts, count, min, max, sum }: HistogramData): void {
  writeSparse(writer, counts);
  if (count === 0) return;
  writer.number(min);
  writer.number(max);
  writer.number(sum);
}

/** What was kept of a total. Errors: throws `InvalidBytesError` */
export function readTotal(reader: ByteReader): HistogramData {
  const { counts, count } = readSparse(reader, new Float64Array(BUCKETS), Number.MAX_SAFE_INTEGER);
  if (count === 0) return { counts, count, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  return { counts, count, min: reader.number(), max: reader.number(), sum: reader.number() };
}

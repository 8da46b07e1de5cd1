/** What was counted of a URL, and times, as bytes and back. */
import { UnreadableBytes, type ByteReader, type ByteWriter } from './bytes.ts';
import { BUCKETS, bucketOf, type HistogramData } from './histogram.ts';
import { STATUS_CODES, type TallyData } from './slice.ts';

/** All with a sign: what was counted in one second may be taken back in a later one. */
export function writeTally(writer: ByteWriter, tally: TallyData, writeTimes = writeHistogram): void {
  writer.whole(tally.planned);
  writer.whole(tally.started);
  writer.whole(tally.stopped);
  writer.whole(tally.aborted);
  writer.whole(tally.saturated);
  writer.whole(tally.noSocket);
  writer.whole(tally.undefinedVariable);
  writer.whole(tally.timeoutConnect);
  writer.whole(tally.timeoutTls);
  writer.whole(tally.timeoutResponse);
  writer.whole(tally.abandoned);
  writer.whole(tally.resent);
  writer.whole(tally.bytesSent);
  writer.whole(tally.bytesReceived);
  writeNamed(writer, tally.judged);
  writeNamed(writer, tally.unexpected);
  writeNamed(writer, tally.network);
  writeNamed(writer, tally.protocol);
  writeSparse(writer, tally.statuses);
  writeTimes(writer, tally.response);
  if (tally.service !== null) writeTimes(writer, tally.service);
}

/** @param apart response and service time differ. Errors: throws `UnreadableBytes` */
export function readTally(reader: ByteReader, apart: boolean, readTimes = readHistogram): TallyData {
  return {
    planned: reader.whole(),
    started: reader.whole(),
    stopped: reader.whole(),
    aborted: reader.whole(),
    saturated: reader.whole(),
    noSocket: reader.whole(),
    undefinedVariable: reader.whole(),
    timeoutConnect: reader.whole(),
    timeoutTls: reader.whole(),
    timeoutResponse: reader.whole(),
    abandoned: reader.whole(),
    resent: reader.whole(),
    bytesSent: reader.whole(),
    bytesReceived: reader.whole(),
    judged: readNamed(reader),
    unexpected: readNamed(reader),
    network: readNamed(reader),
    protocol: readNamed(reader),
    statuses: readSparse(reader, new Float64Array(STATUS_CODES), Number.MAX_SAFE_INTEGER).counts,
    response: readTimes(reader),
    service: apart ? readTimes(reader) : null,
  };
}

function writeNamed(writer: ByteWriter, counts: Readonly<Record<string, number>>): void {
  writer.list(Object.entries(counts), ([name, count]) => {
    writer.text(name);
    writer.count(count);
  });
}

function readNamed(reader: ByteReader): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of reader.list(() => [reader.text(), reader.count()] as const)) {
    if (name === '__proto__') throw new UnreadableBytes('no table holds this name');
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
    if (count === 0) throw new UnreadableBytes('an empty place is not written');
    into[place] = count;
    sum += count;
    if (first < 0) first = place;
    last = place;
    next = place + 1;
    if (next === into.length && filled > 1) throw new UnreadableBytes('there are no more places');
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

export const LARGEST_COUNT = 2 ** 32 - 1;

export function readHistogram(reader: ByteReader): HistogramData {
  const { counts, count, first, last } = readSparse(reader, new Uint32Array(BUCKETS), LARGEST_COUNT);
  if (count === 0) return { counts, count, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  const min = reader.count(LARGEST_COUNT);
  const max = min + reader.count(LARGEST_COUNT - min);
  // Whoever adds it up looks at what lies between the two.
  if (bucketOf(min) !== first || bucketOf(max) !== last) throw new UnreadableBytes('the ends are elsewhere');
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

/** What was kept of a total. Errors: throws `UnreadableBytes` */
export function readTotal(reader: ByteReader): HistogramData {
  const { counts, count } = readSparse(reader, new Float64Array(BUCKETS), Number.MAX_SAFE_INTEGER);
  if (count === 0) return { counts, count, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  return { counts, count, min: reader.number(), max: reader.number(), sum: reader.number() };
}

import { InvalidBytesError, type ByteReader, type ByteWriter } from './bytes.ts';
import { addCount, forEachCount, type CountPages, type CountWidth } from './count-pages.ts';
import { BUCKETS, bucketOf, type HistogramData } from './histogram.ts';
import {
  STATUS_CODE_COUNT,
  TALLY_COUNTS,
  TALLY_TABLES,
  type AddressUses,
  type IterationTallyData,
  type TallyData,
} from './snapshot.ts';

/** Writes signed counts, because counts can be negative: see `Snapshot.retractions`. */
export function writeTally(writer: ByteWriter, tally: TallyData, writeTimes = writeHistogram): void {
  for (const name of TALLY_COUNTS) writer.integer(tally[name]);
  for (const name of TALLY_TABLES) writeCountsByName(writer, tally[name]);
  writeSparse(writer, entriesOf(tally.statuses));
  writeTimes(writer, tally.response);
  writeTimes(writer, tally.lowerBounds);
  if (tally.service !== null) writeTimes(writer, tally.service);
}

/**
 * @param hasService - true if response time and service time differ
 * @throws InvalidBytesError if the bytes are not a tally.
 */
export function readTally(reader: ByteReader, hasService: boolean, readTimes = readHistogram): TallyData {
  return {
    ...readMembers(TALLY_COUNTS, () => reader.integer()),
    ...readMembers(TALLY_TABLES, () => readCountsByName(reader)),
    statuses: readStatuses(reader),
    response: readTimes(reader),
    lowerBounds: readTimes(reader),
    service: hasService ? readTimes(reader) : null,
  };
}

export function writeIterationTally(
  writer: ByteWriter,
  { started, completed, failed, withErrors, endedInWarmup, durations, lowerBounds }: IterationTallyData,
  writeTimes = writeHistogram,
): void {
  for (const count of [started, completed, failed, withErrors, endedInWarmup]) writer.count(count);
  writeTimes(writer, durations);
  writeTimes(writer, lowerBounds);
}

/** @throws InvalidBytesError if the bytes are not a tally of iterations. */
export function readIterationTally(reader: ByteReader, readTimes = readHistogram): IterationTallyData {
  return {
    started: reader.count(),
    completed: reader.count(),
    failed: reader.count(),
    withErrors: reader.count(),
    endedInWarmup: reader.count(),
    durations: readTimes(reader),
    lowerBounds: readTimes(reader),
  };
}

function readMembers<Name extends string, Value>(
  names: readonly Name[],
  read: () => Value,
): Readonly<Record<Name, Value>> {
  // `Object.fromEntries` loses the key type.
  return Object.fromEntries(names.map((name) => [name, read()])) as Record<Name, Value>;
}

function readStatuses(reader: ByteReader): CountPages {
  const statuses: CountPages = [];
  readSparse(reader, STATUS_CODE_COUNT, Number.MAX_SAFE_INTEGER, (status, count) =>
    addCount(statuses, 53, status, count),
  );
  return statuses;
}

/** Maximum number and length of the names in a table of counts. */
const [MAX_NAMES, MAX_NAME_LENGTH] = [2000, 65_536];

const MAX_ADDRESSES = 10_000;

export function writeAddressUses(writer: ByteWriter, uses: AddressUses): void {
  writer.list(Object.entries(uses), ([address, { connections, requests, failed, tls }]) => {
    writer.string(address);
    for (const count of [connections, requests, failed]) writer.count(count);
    writeCountsByName(writer, tls);
  });
}

export function readAddressUses(reader: ByteReader): AddressUses {
  const entries = reader.list(() => {
    const address = readName(reader, MAX_ADDRESS_LENGTH);
    const [connections, requests, failed] = [reader.count(), reader.count(), reader.count()];
    return [address, { connections, requests, failed, tls: readCountsByName(reader) }] as const;
  }, MAX_ADDRESSES);
  return Object.fromEntries(entries);
}

const MAX_ADDRESS_LENGTH = 64;

function writeCountsByName(writer: ByteWriter, counts: Readonly<Record<string, number>>): void {
  writer.list(Object.entries(counts), ([name, count]) => {
    writer.string(name);
    writer.count(count);
  });
}

function readCountsByName(reader: ByteReader): Record<string, number> {
  return Object.fromEntries(
    reader.list(() => [readName(reader, MAX_NAME_LENGTH), reader.count()] as const, MAX_NAMES),
  );
}

function readName(reader: ByteReader, maxLength: number): string {
  const name = reader.string(maxLength);
  if (name === '__proto__') throw new InvalidBytesError('the name is reserved');
  return name;
}

function writeSparse(
  writer: ByteWriter,
  entries: readonly (readonly [index: number, count: number])[],
): void {
  let next = 0;
  writer.list(entries, ([index, count]) => {
    writer.count(index - next);
    writer.count(count);
    next = index + 1;
  });
}

/**
 * Calls `add` for each count. Returns the sum of the counts, and the first and last index, which are meaningless if there
 * are no counts.
 * @param size - number of indexes
 */
function readSparse(
  reader: ByteReader,
  size: number,
  max: number,
  add: (index: number, count: number) => void,
) {
  let sum = 0;
  let first: number | null = null;
  let next = 0;
  for (let filled = reader.count(size); filled > 0; filled--) {
    const index = next + reader.count(size - 1 - next);
    const count = reader.count(max);
    if (count === 0) throw new InvalidBytesError('an empty bucket is encoded');
    add(index, count);
    sum += count;
    first ??= index;
    next = index + 1;
  }
  return { count: sum, first, last: next - 1 };
}

function entriesOf(counts: Readonly<CountPages>): (readonly [number, number])[] {
  const entries: (readonly [number, number])[] = [];
  forEachCount(counts, (count, index) => entries.push([index, count]));
  return entries;
}

function readBuckets(reader: ByteReader, width: CountWidth) {
  const counts: CountPages = [];
  const max = width === 32 ? MAX_COUNT : Number.MAX_SAFE_INTEGER;
  const read = readSparse(reader, BUCKETS, max, (bucket, count) => addCount(counts, width, bucket, count));
  return { ...read, counts };
}

/** Writes a histogram without its number of records, which is the sum of the counts. */
export function writeHistogram(writer: ByteWriter, { counts, count, min, max, sum }: HistogramData): void {
  writeSparse(writer, entriesOf(counts));
  if (count === 0) return;
  writer.count(min);
  writer.count(max - min);
  writer.count(sum);
}

export const MAX_COUNT = 2 ** 32 - 1;

export function readHistogram(reader: ByteReader): HistogramData {
  const { counts, count, first, last } = readBuckets(reader, 32);
  if (count === 0) return { counts, count, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  const min = reader.count(MAX_COUNT);
  const max = min + reader.count(MAX_COUNT - min);
  // The minimum and maximum limit quantiles, so both must match the buckets.
  if (bucketOf(min) !== first || bucketOf(max) !== last)
    throw new InvalidBytesError('minimum or maximum does not match the buckets');
  const sum = reader.count();
  if (sum < count * min || sum > count * max)
    throw new InvalidBytesError('the sum does not match minimum and maximum');
  return { counts, count, min, max, sum };
}

/** Writes a histogram whose sum may be fractional or exceed the safe integers. */
export function writeTotal(writer: ByteWriter, { counts, count, min, max, sum }: HistogramData): void {
  writeSparse(writer, entriesOf(counts));
  if (count === 0) return;
  writer.number(min);
  writer.number(max);
  writer.number(sum);
}

/** @throws InvalidBytesError if the bytes are not the output of `writeTotal`. */
export function readTotal(reader: ByteReader): HistogramData {
  const { counts, count } = readBuckets(reader, 53);
  if (count === 0) return { counts, count, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  return { counts, count, min: reader.number(), max: reader.number(), sum: reader.number() };
}

/** Binary encoding of snapshots, for messages of workers and for checkpoints. */
import { ByteReader, ByteWriter, InvalidBytesError } from './bytes.ts';
import { iterationsOf } from '../model/iteration.ts';
import { maxLoadTime } from '../model/peak-load.ts';
import type { LoadJob } from './load-job.ts';
import { RESPONDED, createTenths, TENTHS_PER_SECOND, UNOBSERVED, type Tenths } from './outage.ts';
import { isOpenModel } from '../model/pace.ts';
import {
  TALLY_COUNTS,
  type Snapshot,
  type Retraction,
  type TallyData,
  type ThreadSecond,
} from './snapshot.ts';
import {
  MAX_COUNT,
  readAddressUses,
  readHistogram,
  readIterationTally,
  readTally,
  writeAddressUses,
  writeHistogram,
  writeIterationTally,
  writeTally,
} from './tally-codec.ts';

/** Sizes and limits of the snapshots of a job. The decoder rejects other snapshots. */
export interface SnapshotShape {
  readonly targets: number;
  /** Number of flows; 1 if the job has none. */
  readonly flows: number;
  readonly open: boolean;
  readonly shards: number;
  readonly lastSecond: number;
}

/** Maximum time, in ms, between the computed end and the actual end of a run. Stalls of threads delay the end. */
const MAX_OVERRUN_MS = 600_000;

/** Maximum of amounts such as `missingClientMs`, which for a million clients is at most 1e9 per second. */
const MAX_AMOUNT = 1e12;

/**
 * Maximum number of snapshots per shard in one message. The lease of a worker expires long before more snapshots are
 * waiting to be sent.
 */
const MAX_SECONDS = 32;

/** @param shards - number of thread shards of the whole run */
export function snapshotShapeOf(job: LoadJob, shards: number): SnapshotShape {
  const { targets } = job;
  const maxElapsed = maxLoadTime(job) + MAX_OVERRUN_MS;
  const open = isOpenModel(job);
  const flows = iterationsOf(job).length;
  return { targets: targets.length, flows, open, shards, lastSecond: Math.ceil(maxElapsed / 1000) };
}

export function encodeSnapshots(snapshots: readonly Snapshot[]): Uint8Array {
  const writer = new ByteWriter();
  writer.list(snapshots, (snapshot) => writeSnapshot(writer, snapshot));
  return writer.bytes();
}

/** Returns null if the bytes are not snapshots of this shape. */
export function decodeSnapshots(bytes: Uint8Array, shape: SnapshotShape): readonly Snapshot[] | null {
  try {
    const reader = new ByteReader(bytes);
    const snapshots = reader.list(() => readSnapshot(reader, shape), MAX_SECONDS * shape.shards);
    reader.end();
    return snapshots;
  } catch (error) {
    if (error instanceof InvalidBytesError) return null;
    throw error;
  }
}

export function writeSnapshot(writer: ByteWriter, snapshot: Snapshot): void {
  writer.count(snapshot.threadIndex);
  writer.count(snapshot.second);
  writer.number(snapshot.until);
  for (const tally of snapshot.targets) writeTally(writer, tally);
  writer.flag(snapshot.warmup !== null);
  for (const tally of snapshot.warmup ?? []) writeTally(writer, tally);
  for (const tally of snapshot.iterations) writeIterationTally(writer, tally);
  writer.count(snapshot.connections);
  writer.count(snapshot.peakConnections);
  writeTenths(writer, snapshot.tenths);
  writeHistogram(writer, snapshot.lag);
  writeHistogram(writer, snapshot.connectionSetup.connect);
  writeHistogram(writer, snapshot.connectionSetup.tls);
  writer.list(Object.entries(snapshot.retractions), ([second, { started, bytesSent }]) => {
    writer.count(Number(second));
    writer.count(started);
    writer.count(bytesSent);
  });
  writer.number(snapshot.surplus);
  writer.flag(snapshot.pool !== null);
  if (snapshot.pool !== null) {
    writer.count(snapshot.pool.opened);
    writer.count(snapshot.pool.requests);
    writeHistogram(writer, snapshot.pool.waits);
  }
  writeAddressUses(writer, snapshot.addresses);
  writeThread(writer, snapshot.thread);
}

/** @throws InvalidBytesError if the bytes are not a snapshot of this shape. */
export function readSnapshot(reader: ByteReader, shape: SnapshotShape): Snapshot {
  const tallies = () =>
    Array.from({ length: shape.targets }, () => refuseNegative(readTally(reader, shape.open)));
  return {
    threadIndex: reader.count(shape.shards - 1),
    second: reader.count(shape.lastSecond),
    until: reader.number((shape.lastSecond + 1) * 1000),
    targets: tallies(),
    warmup: reader.flag() ? tallies() : null,
    iterations: Array.from({ length: shape.flows }, () => readIterationTally(reader)),
    connections: reader.count(MAX_COUNT),
    peakConnections: reader.count(MAX_COUNT),
    tenths: readTenths(reader),
    lag: readHistogram(reader),
    connectionSetup: { connect: readHistogram(reader), tls: readHistogram(reader) },
    retractions: readRetractions(reader, shape),
    surplus: reader.number(MAX_AMOUNT),
    pool: reader.flag()
      ? { opened: reader.count(MAX_COUNT), requests: reader.count(MAX_COUNT), waits: readHistogram(reader) }
      : null,
    addresses: readAddressUses(reader),
    thread: readThread(reader, shape),
  };
}

/** Names of counts that may be negative, because a snapshot may withdraw counts of earlier seconds. */
const WITHDRAWABLE: ReadonlySet<string> = new Set(['started', 'resent', 'bytesSent']);

function refuseNegative(tally: TallyData): TallyData {
  for (const name of TALLY_COUNTS) {
    if (tally[name] < 0 && !WITHDRAWABLE.has(name)) throw new InvalidBytesError('a count is negative');
  }
  return tally;
}

function readAmount(reader: ByteReader): number {
  const amount = reader.number(MAX_AMOUNT);
  if (amount < 0) throw new InvalidBytesError('an amount is negative');
  return amount;
}

function writeTenths(writer: ByteWriter, { states, waiting, resting, failed }: Tenths): void {
  for (const state of states) writer.count(state);
  for (const column of [waiting, resting, failed]) {
    // Differences are encoded, because consecutive values are usually similar.
    column.forEach((value, index) => writer.integer(value - (column[index - 1] ?? 0)));
  }
}

function readTenths(reader: ByteReader): Tenths {
  const tenths = createTenths(TENTHS_PER_SECOND, UNOBSERVED);
  for (let at = 0; at < TENTHS_PER_SECOND; at++) tenths.states[at] = reader.count(RESPONDED);
  for (const column of [tenths.waiting, tenths.resting, tenths.failed]) {
    let value = 0;
    for (let at = 0; at < TENTHS_PER_SECOND; at++) {
      value += reader.integer();
      if (value < 0 || value > MAX_COUNT) throw new InvalidBytesError('a number of clients is out of range');
      column[at] = value;
    }
  }
  return tenths;
}

function readRetractions(reader: ByteReader, { lastSecond }: SnapshotShape): Record<number, Retraction> {
  return Object.fromEntries(
    reader.list(
      () => [reader.count(lastSecond), { started: reader.count(), bytesSent: reader.count() }] as const,
    ),
  );
}

function writeThread(writer: ByteWriter, thread: ThreadSecond): void {
  writer.number(thread.maxTickDelay);
  writer.number(thread.maxEarlierTickDelay);
  writer.number(thread.stalledMs);
  writer.number(thread.busy);
  writer.list(Object.entries(thread.neverStarted), ([second, clients]) => {
    writer.count(Number(second));
    writer.count(clients);
  });
  writer.number(thread.missingClientMs);
}

function readThread(reader: ByteReader, { lastSecond }: SnapshotShape): ThreadSecond {
  return {
    maxTickDelay: readAmount(reader),
    maxEarlierTickDelay: readAmount(reader),
    stalledMs: readAmount(reader),
    busy: readAmount(reader),
    neverStarted: Object.fromEntries(reader.list(() => [reader.count(lastSecond), reader.count()] as const)),
    missingClientMs: reader.number(MAX_AMOUNT),
  };
}

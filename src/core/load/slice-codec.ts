/**
 * Slices as bytes, for workers on other machines: exact, and as short as what happened in the second. An idle thread's
 * takes about fifty bytes, a busy one's a few hundred.
 */
import { ByteReader, ByteWriter, UnreadableBytes } from './bytes.ts';
import { countedPassTime } from './delay.ts';
import type { LoadJob } from './job.ts';
import { ANSWERED, createTenths, TENTHS, UNSEEN, type Tenths } from './outage.ts';
import { isOpenModel } from './pace.ts';
import type { Slice, TakenBack, ThreadSecond } from './slice.ts';
import { LARGEST_COUNT, readHistogram, readTally, writeHistogram, writeTally } from './tally-codec.ts';

/** What slices of a job can look like; anything else is refused. */
export interface SliceShape {
  readonly targets: number;
  /** Response and service time differ. */
  readonly open: boolean;
  readonly shares: number;
  /** Of the run; tables are as long as it. */
  readonly lastSecond: number;
}

/** By so much the end of a run may come later than its job lets think: threads may have stood still. */
const LATEST_MS = 600_000;

/** Of each share at once: a thread's lease ends long before it owes so many. */
const MOST_SECONDS = 32;

/** @param shares of the whole run */
export function shapeOfSlices(job: LoadJob, shares: number): SliceShape {
  const { targets, timeout, duration } = job;
  const longest = duration + countedPassTime(targets, timeout) + LATEST_MS;
  const open = isOpenModel(job);
  return { targets: targets.length, open, shares, lastSecond: Math.ceil(longest / 1000) };
}

export function encodeSlices(slices: readonly Slice[]): Uint8Array {
  const writer = new ByteWriter();
  writer.list(slices, (slice) => {
    writeSlice(writer, slice);
  });
  return writer.bytes();
}

/** Errors: null for bytes that are no slices of this shape. */
export function decodeSlices(bytes: Uint8Array, shape: SliceShape): readonly Slice[] | null {
  try {
    const reader = new ByteReader(bytes);
    const slices = reader.list(() => readSlice(reader, shape), MOST_SECONDS * shape.shares);
    reader.end();
    return slices;
  } catch (error) {
    if (error instanceof UnreadableBytes) return null;
    throw error;
  }
}

export function writeSlice(writer: ByteWriter, slice: Slice): void {
  writer.count(slice.worker);
  writer.count(slice.second);
  writer.number(slice.until);
  for (const tally of slice.targets) writeTally(writer, tally);
  writer.flag(slice.warmup !== null);
  for (const tally of slice.warmup ?? []) writeTally(writer, tally);
  writer.count(slice.connections);
  writer.count(slice.peakConnections);
  writeTenths(writer, slice.tenths);
  writeHistogram(writer, slice.lag);
  writeHistogram(writer, slice.opening.connect);
  writeHistogram(writer, slice.opening.tls);
  writer.list(Object.entries(slice.takenBack), ([second, { started, bytesSent }]) => {
    writer.count(Number(second));
    writer.count(started);
    writer.count(bytesSent);
  });
  writer.number(slice.surplus);
  writeThread(writer, slice.thread);
}

/** Errors: throws `UnreadableBytes`. */
export function readSlice(reader: ByteReader, shape: SliceShape): Slice {
  const tallies = () => Array.from({ length: shape.targets }, () => readTally(reader, shape.open));
  return {
    worker: reader.count(shape.shares - 1),
    second: reader.count(shape.lastSecond),
    until: reader.number(),
    targets: tallies(),
    warmup: reader.flag() ? tallies() : null,
    connections: reader.count(),
    peakConnections: reader.count(),
    tenths: readTenths(reader),
    lag: readHistogram(reader),
    opening: { connect: readHistogram(reader), tls: readHistogram(reader) },
    takenBack: readTakenBack(reader, shape),
    surplus: reader.number(),
    thread: readThread(reader, shape),
  };
}

// --- what was seen of the target, and of the thread

function writeTenths(writer: ByteWriter, { states, waiting, resting, failed }: Tenths): void {
  for (const state of states) writer.count(state);
  for (const column of [waiting, resting, failed]) {
    // They hardly change.
    column.forEach((value, at) => {
      writer.whole(value - (column[at - 1] ?? 0));
    });
  }
}

function readTenths(reader: ByteReader): Tenths {
  const tenths = createTenths(TENTHS, UNSEEN);
  for (let at = 0; at < TENTHS; at++) tenths.states[at] = reader.count(ANSWERED);
  for (const column of [tenths.waiting, tenths.resting, tenths.failed]) {
    let value = 0;
    for (let at = 0; at < TENTHS; at++) {
      value += reader.whole();
      if (value < 0 || value > LARGEST_COUNT) throw new UnreadableBytes('there are no so many clients');
      column[at] = value;
    }
  }
  return tenths;
}

function readTakenBack(reader: ByteReader, { lastSecond }: SliceShape): Record<number, TakenBack> {
  return Object.fromEntries(
    reader.list(
      () => [reader.count(lastSecond), { started: reader.count(), bytesSent: reader.count() }] as const,
    ),
  );
}

function writeThread(writer: ByteWriter, thread: ThreadSecond): void {
  writer.number(thread.late);
  writer.number(thread.lateBefore);
  writer.number(thread.stoodStill);
  writer.number(thread.busy);
  writer.list(Object.entries(thread.passedOver), ([second, clients]) => {
    writer.count(Number(second));
    writer.count(clients);
  });
  writer.number(thread.unheld);
}

function readThread(reader: ByteReader, { lastSecond }: SliceShape): ThreadSecond {
  return {
    late: reader.number(),
    lateBefore: reader.number(),
    stoodStill: reader.number(),
    busy: reader.number(),
    passedOver: Object.fromEntries(reader.list(() => [reader.count(lastSecond), reader.count()] as const)),
    unheld: reader.number(),
  };
}

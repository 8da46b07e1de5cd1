/** Start times and numbers of active clients in the three load models, as exact functions of time. */
import type { Milliseconds } from '../units.ts';
import { milliseconds } from '../units.ts';
import { Random } from '../random.ts';
import type { TestType } from './load-test.ts';
import {
  countSlotStarts,
  slotStartsAt,
  clientsOfRate,
  dueByRate,
  estimateSlotStarts,
  estimateByRate,
  rateArea,
  slotStopsAt,
  thousandths,
  type Ramp,
} from './ramps.ts';

/** The fields of a test that determine when its clients start and stop. */
export interface PaceSpec {
  readonly testType: TestType;
  /** Number of connections at the start of a cycling test. */
  readonly initial: number;
  /** Connections at the end (cycling), all clients (non-cycling), or clients per second. With stages, the maximum. */
  readonly total: number;
  readonly duration: Milliseconds;
  /** Stages of the load; null if the test has none. */
  readonly ramps: readonly Ramp[] | null;
  /** Maximum number of clients of an open model, after which the run ends; null or absent if unlimited. */
  readonly maxClients?: number | null;
  /** Start times of the clients of an open model; null or absent means even. */
  readonly arrivals?: 'random' | null;
  /** Seed of random start times; absent if unknown, such as in a plan, in which case start times are even. */
  readonly seed?: number;
}

/** Maximum start delay of a client that counts as on time: one timer tick plus the usual delay of a timer. */
export const ON_TIME_TOLERANCE = milliseconds(3);

/**
 * Maximum start delay in an open model, in ms. Clients with a longer delay are not started, because they would all
 * start in a burst.
 */
export const MAX_START_DELAY = milliseconds(1000);

/** Reports whether clients start at times that do not depend on the responses of the target (open model). */
export function isOpenModel(spec: Pick<PaceSpec, 'testType'>): boolean {
  return spec.testType !== 'cycling';
}

/**
 * Returns the number of clients that become due during a run. In a cycling test with stages, each start of a slot
 * counts.
 */
export function clientCount(spec: PaceSpec): number {
  return Math.min(declaredClients(spec), spec.maxClients ?? Infinity);
}

/** Returns the number of clients that become due during a run if `maxClients` is ignored. */
function declaredClients({ testType, initial, total, duration, ramps }: PaceSpec): number {
  switch (testType) {
    case 'cycling':
      return ramps === null ? Math.max(initial, total) : countSlotStarts(ramps);
    case 'non-cycling':
      return total;
    case 'per-second':
      return ramps === null
        ? Math.ceil((thousandths(total) * (duration / 1000)) / 1000)
        : clientsOfRate(ramps);
  }
}

/** Returns the maximum number of concurrent clients of a cycling test. */
export function maxConcurrentClients({ initial, total }: PaceSpec): number {
  return Math.max(initial, total);
}

/**
 * Returns the start time of a client, in ms from the start of the run.
 *
 * Clients are counted from 0, and no client is due before one with a lower number. In a cycling test without stages,
 * the number of active clients differs by at most one from the line `initial` + (`total` − `initial`)·t/`duration`:
 *
 * ```
 * cycling test, 2 → 6 clients in 8 s
 * client        0  1  2  3  4  5
 * due after s   0  0  0  2  4  6
 * ```
 */
export function dueAt(spec: PaceSpec, client: number): Milliseconds {
  const { ramps } = spec;
  switch (spec.testType) {
    case 'cycling': {
      if (ramps !== null) return milliseconds(slotStartsAt(ramps, client));
      const added = client - spec.initial;
      return milliseconds(added <= 0 ? 0 : (added * spec.duration) / (spec.total - spec.initial));
    }
    case 'non-cycling':
      return milliseconds((positionOf(spec, client) * spec.duration) / spec.total);
    case 'per-second': {
      const position = positionOf(spec, client);
      return milliseconds(
        ramps === null ? (position * 1_000_000) / thousandths(spec.total) : dueByRate(ramps, position),
      );
    }
  }
}

/** Number of consecutive clients whose random positions are drawn together. */
const BLOCK_CLIENTS = 4096;

/** First of the seeds for random arrivals. The other random streams of a run have different first seeds. */
const ARRIVAL_STREAM = 0xa771;

const latestBlocks = new WeakMap<PaceSpec, { readonly first: number; readonly positions: Float64Array }>();

/**
 * Returns the position of a client of an open model: the area under the rate up to the start of the client. Random
 * positions are sorted uniform random numbers. Each block of clients has its own range, so that a position can be
 * computed without those of earlier blocks.
 */
function positionOf(spec: PaceSpec, client: number): number {
  if (spec.arrivals !== 'random' || spec.seed === undefined) return client;
  const first = client - (client % BLOCK_CLIENTS);
  const latest = latestBlocks.get(spec);
  if (latest?.first === first) return latest.positions[client - first] ?? client;
  const positions = drawPositions(spec, first, spec.seed);
  latestBlocks.set(spec, { first, positions });
  return positions[client - first] ?? client;
}

function drawPositions(spec: PaceSpec, first: number, seed: number): Float64Array {
  const clients = declaredClients(spec);
  const size = Math.min(BLOCK_CLIENTS, clients - first);
  // The number of clients is rounded up, so the unadjusted range would extend beyond the end of the run.
  const scale = areaOf(spec) / clients;
  const random = new Random(ARRIVAL_STREAM, seed, first);
  return Float64Array.from({ length: size }, () => scale * (first + size * random.fraction())).sort();
}

/** Returns the area under the rate of an open model: its number of clients before rounding. */
function areaOf({ testType, total, duration, ramps }: PaceSpec): number {
  if (testType === 'non-cycling') return total;
  return ramps === null ? (thousandths(total) * duration) / 1_000_000 : rateArea(ramps);
}

/**
 * Returns the time after which a client starts no further iteration: the end of the run, or earlier if the load
 * decreases.
 */
export function retiresAt(spec: PaceSpec, client: number): Milliseconds {
  if (spec.testType === 'cycling' && spec.ramps !== null) {
    return milliseconds(slotStopsAt(spec.ramps, client) ?? spec.duration);
  }
  const surplus = spec.initial - spec.total;
  if (spec.testType !== 'cycling' || surplus <= 0 || client < spec.total) return spec.duration;
  return milliseconds(((spec.initial - client) * spec.duration) / surplus);
}

/** Returns the number of clients that are due at or before an instant. */
export function clientsDue(spec: PaceSpec, at: number): number {
  const clients = clientCount(spec);
  if (at < 0 || clients === 0) return 0;
  let due = Math.min(clients, Math.max(0, Math.floor(estimateDue(spec, at))));
  // The estimate may have a rounding error, so it is corrected by comparison with the due times.
  while (due < clients && dueAt(spec, due) <= at) due++;
  while (due > 0 && dueAt(spec, due - 1) > at) due--;
  return due;
}

export function clientsDueBefore(spec: PaceSpec, at: number): number {
  // With even arrivals, the offset of 1e-6 ms is smaller than the interval between two clients.
  return clientsDue(spec, at - 1e-6);
}

export function countWarmupClients(spec: PaceSpec & { readonly warmup: Milliseconds }): number {
  return clientsDueBefore(spec, spec.warmup);
}

/** Returns the minimum interval between client starts with even arrivals in an open model; 0 in the closed model. */
export function intervalOf(spec: PaceSpec): Milliseconds {
  if (!isOpenModel(spec) || spec.total === 0) return milliseconds(0);
  return milliseconds((spec.testType === 'per-second' ? 1000 : spec.duration) / spec.total);
}

function estimateDue(spec: PaceSpec, at: number): number {
  const { ramps } = spec;
  switch (spec.testType) {
    case 'cycling':
      if (ramps !== null) return estimateSlotStarts(ramps, at);
      return spec.initial + (Math.max(0, spec.total - spec.initial) * at) / spec.duration;
    case 'non-cycling':
      return (spec.total * at) / spec.duration;
    case 'per-second':
      return ramps === null ? (spec.total * at) / 1000 : estimateByRate(ramps, at);
  }
}

/** Who makes which part of a run: all threads of all workers in turn, where they have room for it. Pure. */
import { counted } from '../core/counted.ts';
import type { LoadJob } from '../core/load/job.ts';
import { clientCount } from '../core/load/pace.ts';
import { shard, type Share } from '../core/load/shard.ts';
import type { Shortage } from '../core/ports/runner.ts';
import { connectionsNeeded, type ConnectionRoom } from '../engine/limits.ts';
import type { Presence } from './messages.ts';

/** As much of a worker as decides what it gets. */
export type Capacity = Pick<Presence, 'id' | 'name' | 'threads' | 'connections' | 'ports'>;

export interface Part {
  readonly workerId: string;
  /** One at least. */
  readonly shares: readonly Share[];
}

/** Somebody may be free again by then, in seconds. */
const RETRY_AFTER = 5;

/**
 * Splits a run: its clients are dealt out to all threads, and the threads to workers in turn, so that each worker has as
 * many early clients as late ones. Workers get nothing where there are fewer clients than workers.
 */
export function splitRun(job: LoadJob, workers: readonly Capacity[]): readonly Part[] {
  const seats = seatsOf(workers);
  const wanted = Math.min(seats.length, job.threads ?? seats.length);
  const shares = new Map<string, Share[]>();
  for (const share of shard(job, wanted)) {
    const seat = seats[share.worker];
    if (seat === undefined) throw new Error('Bug: a share without a thread');
    shares.set(seat, [...(shares.get(seat) ?? []), share]);
  }
  return [...shares].map(([workerId, own]) => ({ workerId, shares: own }));
}

/** Ids of workers, once for each thread: first one of each, then the second ones. */
function seatsOf(workers: readonly Capacity[]): readonly string[] {
  const most = Math.max(0, ...workers.map(({ threads }) => threads));
  return Array.from({ length: most }, (_, row) =>
    workers.filter(({ threads }) => threads > row).map(({ id }) => id),
  ).flat();
}

/**
 * Why a run cannot be made now; null when it can.
 *
 * Shape: without a time to try again where it would not fit even if all workers were free.
 */
export function findClusterShortage(
  job: LoadJob,
  all: readonly Capacity[],
  free: readonly Capacity[],
): Shortage | null {
  if (all.length === 0) {
    const reason =
      'no worker is there to make the load: start "loadtests worker --redis URL" on one machine or more, with the same LOADTESTS_WORKER_SECRET';
    return { reason, retryAfter: null };
  }
  const never = shortageOf(job, all);
  if (never !== null) return { reason: never, retryAfter: null };
  const now = free.length === 0 ? 'all of them are busy' : shortageOf(job, free);
  if (now === null) return null;
  return {
    reason: `${counted(free.length, 'worker')} of ${all.length} ${free.length === 1 ? 'is' : 'are'} free now: ${now}`,
    retryAfter: RETRY_AFTER,
  };
}

/** Null: it fits. */
function shortageOf(job: LoadJob, workers: readonly Capacity[]): string | null {
  const needed = connectionsNeeded(job);
  for (const { workerId, shares } of splitRun(job, workers)) {
    const worker = workers.find(({ id }) => id === workerId);
    const part = connectionsOfPart(job, shares);
    const room = worker === undefined ? 0 : roomFor(worker);
    if (part <= room) continue;
    const rooms = workers.map(roomFor);
    const sum = rooms.reduce((one, other) => one + other, 0);
    return `the run needs ${needed} connections at once, ${part} of them by worker "${worker?.name ?? workerId}", which has room for ${room}; all ${workers.length} together have room for ${sum}`;
  }
  return null;
}

/** Connections that a part surely needs at once. */
export function connectionsOfPart(job: LoadJob, shares: readonly Share[]): number {
  const own = shares.reduce((sum, share) => sum + share.clients, 0);
  return Math.ceil((connectionsNeeded(job) * own) / Math.max(1, clientCount(job)));
}

/** Connections that a worker can have. */
export function roomFor({ connections, ports }: ConnectionRoom): number {
  return Math.min(connections ?? Infinity, ports ?? Infinity);
}

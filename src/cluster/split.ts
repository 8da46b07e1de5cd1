/** Who makes which part of a run: all threads of all workers in turn, where they have room for it. Pure. */
import { counted } from '../core/counted.ts';
import type { LoadJob } from '../core/load/job.ts';
import { clientCount } from '../core/load/pace.ts';
import { shard, type Share } from '../core/load/shard.ts';
import type { Shortage } from '../core/ports/runner.ts';
import { connectionsNeeded, portsNeeded, type ConnectionRoom } from '../engine/limits.ts';
import type { Presence } from './messages.ts';

/** As much of a worker as decides what it gets. */
export type Capacity = Pick<Presence, 'id' | 'name' | 'threads' | keyof ConnectionRoom>;

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
  for (const { workerId, shares } of splitRun(job, workers)) {
    const worker = workers.find(({ id }) => id === workerId);
    if (worker === undefined) throw new Error('Bug: a part for nobody');
    const lack = findLack(job, shares, worker);
    if (lack === null) continue;
    const { what, needed, room, because } = lack;
    const all = sumOf(workers, what);
    const inAll = what === 'ports' ? '' : `${connectionsNeeded(job)} connections at once, `;
    const own = what === 'ports' ? `${needed} source ports to one address` : `${needed} of them`;
    return `the run needs ${inAll}${own} by worker "${worker.name}", which has room for ${room}; all ${workers.length} together have room for ${all}${because}`;
  }
  return null;
}

export interface Lack {
  readonly what: 'connections' | 'ports';
  readonly needed: number;
  readonly room: number;
  /** Why it needs more ports than connections; empty where it does not. */
  readonly because: string;
}

/** What a worker lacks for its part; null where it has room for it. Its ports are its own: no other worker uses them. */
export function findLack(
  job: LoadJob,
  shares: readonly Share[],
  { connections, ports, portReuse }: ConnectionRoom,
): Lack | null {
  const needed = connectionsOfPart(job, shares);
  if (connections !== null && needed > connections)
    return { what: 'connections', needed, room: connections, because: '' };
  const { needed: taken, heldFor } = portsNeeded(job, portReuse, shares);
  if (ports === null || taken <= ports) return null;
  const because =
    heldFor === 0
      ? ''
      : `: each client opens a connection, and its port stays taken for ${heldFor / 1000} s after it`;
  return { what: 'ports', needed: taken, room: ports, because };
}

/** Connections that a part surely needs at once. */
function connectionsOfPart(job: LoadJob, shares: readonly Share[]): number {
  const own = shares.reduce((sum, share) => sum + share.clients, 0);
  return Math.ceil((connectionsNeeded(job) * own) / Math.max(1, clientCount(job)));
}

function sumOf(workers: readonly Capacity[], what: Lack['what']): number | string {
  const sum = workers.reduce((all, worker) => all + (worker[what] ?? Infinity), 0);
  return Number.isFinite(sum) ? sum : 'any number';
}

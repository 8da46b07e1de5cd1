/** Who makes which part of a run: all threads of all workers in turn, where they have room for it. Pure. */
import { counted } from '../core/counted.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { clientCount } from '../core/load/pace.ts';
import { splitIntoShards, type Shard } from '../core/load/shard.ts';
import type { CapacityShortage } from '../core/ports/runner.ts';
import {
  countRequiredConnections,
  computePortRequirement,
  type ConnectionCapacity,
} from '../engine/machine-limits.ts';
import type { Heartbeat } from './cluster-messages.ts';

/** As much of a worker as decides what it gets. */
export type WorkerCapacity = Pick<Heartbeat, 'id' | 'name' | 'threads' | keyof ConnectionCapacity>;

export interface WorkerShard {
  readonly workerId: string;
  /** One at least. */
  readonly threadShards: readonly Shard[];
}

/** Somebody may be free again by then, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Splits a run: its clients are dealt out to all threads, and the threads to workers in turn, so that each worker has as
 * many early clients as late ones. Workers get nothing where there are fewer clients than workers.
 */
export function shardRun(job: LoadJob, workers: readonly WorkerCapacity[]): readonly WorkerShard[] {
  const seats = listThreadOwners(workers);
  const wanted = Math.min(seats.length, job.threads ?? seats.length);
  const shards = new Map<string, Shard[]>();
  for (const shard of splitIntoShards(job, wanted)) {
    const seat = seats[shard.threadIndex];
    if (seat === undefined) throw new Error('Bug: a share without a thread');
    shards.set(seat, [...(shards.get(seat) ?? []), shard]);
  }
  return [...shards].map(([workerId, own]) => ({ workerId, threadShards: own }));
}

/** Ids of workers, once for each thread: first one of each, then the second ones. */
function listThreadOwners(workers: readonly WorkerCapacity[]): readonly string[] {
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
  all: readonly WorkerCapacity[],
  free: readonly WorkerCapacity[],
): CapacityShortage | null {
  if (all.length === 0) {
    const reason =
      'no worker is there to make the load: start "loadtests worker --redis URL" on one machine or more, with the same LOADTESTS_WORKER_SECRET';
    return { reason, retryAfter: null };
  }
  const never = describeShortage(job, all);
  if (never !== null) return { reason: never, retryAfter: null };
  const now = free.length === 0 ? 'all of them are busy' : describeShortage(job, free);
  if (now === null) return null;
  return {
    reason: `${counted(free.length, 'worker')} of ${all.length} ${free.length === 1 ? 'is' : 'are'} free now: ${now}`,
    retryAfter: RETRY_AFTER_SECONDS,
  };
}

/** Null: it fits. */
function describeShortage(job: LoadJob, workers: readonly WorkerCapacity[]): string | null {
  for (const { workerId, threadShards } of shardRun(job, workers)) {
    const worker = workers.find(({ id }) => id === workerId);
    if (worker === undefined) throw new Error('Bug: a part for nobody');
    const lack = findCapacityGap(job, threadShards, worker);
    if (lack === null) continue;
    const { resource, needed, available, explanation } = lack;
    const all = sumCapacity(workers, resource);
    const inAll = resource === 'ports' ? '' : `${countRequiredConnections(job)} connections at once, `;
    const own = resource === 'ports' ? `${needed} source ports to one address` : `${needed} of them`;
    return `the run needs ${inAll}${own} by worker "${worker.name}", which has room for ${available}; all ${workers.length} together have room for ${all}${explanation}`;
  }
  return null;
}

export interface CapacityGap {
  readonly resource: 'connections' | 'ports';
  readonly needed: number;
  readonly available: number;
  /** Why it needs more ports than connections; empty where it does not. */
  readonly explanation: string;
}

/** What a worker lacks for its part; null where it has room for it. Its ports are its own: no other worker uses them. */
export function findCapacityGap(
  job: LoadJob,
  shards: readonly Shard[],
  { connections, ports, portReuse }: ConnectionCapacity,
): CapacityGap | null {
  const needed = connectionsOfShard(job, shards);
  if (connections !== null && needed > connections)
    return { resource: 'connections', needed, available: connections, explanation: '' };
  const { ports: taken, holdMs } = computePortRequirement(job, portReuse, shards);
  if (ports === null || taken <= ports) return null;
  const explanation =
    holdMs === 0
      ? ''
      : `: each client opens a connection, and its port stays taken for ${holdMs / 1000} s after it`;
  return { resource: 'ports', needed: taken, available: ports, explanation };
}

/** Connections that a part surely needs at once. */
function connectionsOfShard(job: LoadJob, shards: readonly Shard[]): number {
  const own = shards.reduce((sum, shard) => sum + shard.clients, 0);
  return Math.ceil((countRequiredConnections(job) * own) / Math.max(1, clientCount(job)));
}

function sumCapacity(workers: readonly WorkerCapacity[], what: CapacityGap['resource']): number | string {
  const sum = workers.reduce((all, worker) => all + (worker[what] ?? Infinity), 0);
  return Number.isFinite(sum) ? sum : 'any number';
}

/** Splits a run into worker shards, and checks the capacity of the workers. */
import { groupBy } from '../core/group-by.ts';
import { counted, withCommas } from '../core/counted.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { clientCount } from '../core/model/pace.ts';
import { splitIntoShards, type Shard } from '../core/load/shard.ts';
import type { CapacityShortage } from '../core/ports/runner.ts';
import {
  countRequiredConnections,
  computePortRequirement,
  type ConnectionCapacity,
} from '../engine/machine-limits.ts';
import type { Heartbeat } from './cluster-messages.ts';

export type WorkerCapacity = Pick<Heartbeat, 'id' | 'name' | 'threads' | keyof ConnectionCapacity>;

export interface WorkerShard {
  readonly workerId: string;
  /** Thread shards of the worker; at least one. */
  readonly threadShards: readonly Shard[];
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Threads are assigned to the workers in turn, so that each worker has early and late clients. A worker receives no
 * shard if none of its threads is needed.
 */
export function shardRun(job: LoadJob, workers: readonly WorkerCapacity[]): readonly WorkerShard[] {
  const owners = listThreadOwners(workers);
  const threads = Math.min(owners.length, job.threads ?? owners.length);
  const shards = groupBy(splitIntoShards(job, threads), ({ threadIndex }) => {
    const owner = owners[threadIndex];
    if (owner === undefined) throw new Error('Bug: no worker owns the thread of a shard');
    return owner;
  });
  return [...shards].map(([workerId, threadShards]) => ({ workerId, threadShards }));
}

export function listThreadShards(workerShards: readonly WorkerShard[]): readonly Shard[] {
  return workerShards
    .flatMap(({ threadShards }) => threadShards)
    .sort((one, other) => one.threadIndex - other.threadIndex);
}

/** Returns the worker ID of each thread. The first threads of all workers are followed by the second threads, etc. */
function listThreadOwners(workers: readonly WorkerCapacity[]): readonly string[] {
  const maxThreads = Math.max(0, ...workers.map(({ threads }) => threads));
  return Array.from({ length: maxThreads }, (_, row) =>
    workers.filter(({ threads }) => threads > row).map(({ id }) => id),
  ).flat();
}

/**
 * Returns the reason why the free workers cannot run a job; null if they can. `retryAfter` is null if the shortage
 * would remain with all workers free.
 */
export function findClusterShortage(
  job: LoadJob,
  all: readonly WorkerCapacity[],
  free: readonly WorkerCapacity[],
): CapacityShortage | null {
  if (all.length === 0) {
    const reason =
      'no workers are connected; start "loadtests worker --redis URL" on at least one machine, with the same LOADTESTS_WORKER_SECRET';
    return { reason, retryAfter: null };
  }
  const permanent = describeShortage(job, all);
  if (permanent !== null) return { reason: permanent, retryAfter: null };
  if (free.length === 0) {
    const reason = all.length === 1 ? 'the only worker is busy' : `all ${all.length} workers are busy`;
    return { reason, retryAfter: RETRY_AFTER_SECONDS };
  }
  const temporary = describeShortage(job, free);
  if (temporary === null) return null;
  const isOrAre = free.length === 1 ? 'is' : 'are';
  const reason = `only ${free.length} of ${counted(all.length, 'worker')} ${isOrAre} free: ${temporary}`;
  return { reason, retryAfter: RETRY_AFTER_SECONDS };
}

function describeShortage(job: LoadJob, workers: readonly WorkerCapacity[]): string | null {
  for (const { workerId, threadShards } of shardRun(job, workers)) {
    const worker = workers.find(({ id }) => id === workerId);
    if (worker === undefined) throw new Error('Bug: the worker of a shard does not exist');
    const gap = findCapacityGap(job, threadShards, worker);
    if (gap === null) continue;
    const { resource, needed, available, explanation } = gap;
    const demand =
      resource === 'ports'
        ? `${counted(needed, 'source port')} to one address`
        : `${counted(countRequiredConnections(job), 'concurrent connection')}, ${withCommas(needed)} of them`;
    const total =
      workers.length === 1
        ? ''
        : `; all ${workers.length} workers together support ${sumCapacity(workers, resource)}`;
    return `the run needs ${demand} on worker "${worker.name}", which supports ${withCommas(available)}${explanation}${total}`;
  }
  return null;
}

export interface CapacityGap {
  readonly resource: 'connections' | 'ports';
  readonly needed: number;
  readonly available: number;
  /** Explains why more ports than connections are needed; otherwise empty. */
  readonly explanation: string;
}

/** Returns the resource that a worker lacks for its shards; null if its capacity is sufficient. */
export function findCapacityGap(
  job: LoadJob,
  shards: readonly Shard[],
  { connections, ports, portReuse }: ConnectionCapacity,
): CapacityGap | null {
  const needed = connectionsOfShard(job, shards);
  if (connections !== null && needed > connections)
    return { resource: 'connections', needed, available: connections, explanation: '' };
  const { ports: neededPorts, holdMs } = computePortRequirement(job, portReuse, shards);
  if (ports === null || neededPorts <= ports) return null;
  const explanation =
    holdMs === 0
      ? ''
      : `: each client opens a connection, and its port stays in use for ${holdMs / 1000} s after the connection closes`;
  return { resource: 'ports', needed: neededPorts, available: ports, explanation };
}

/** Returns the number of connections that the shards require, in proportion to their clients. */
function connectionsOfShard(job: LoadJob, shards: readonly Shard[]): number {
  const clients = shards.reduce((sum, shard) => sum + shard.clients, 0);
  return Math.ceil((countRequiredConnections(job) * clients) / Math.max(1, clientCount(job)));
}

function sumCapacity(workers: readonly WorkerCapacity[], resource: CapacityGap['resource']): string {
  const sum = workers.reduce((total, worker) => total + (worker[resource] ?? Infinity), 0);
  return Number.isFinite(sum) ? withCommas(sum) : 'an unlimited number';
}

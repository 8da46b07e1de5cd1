/**
 * Selection of the number of threads for a run, based on the load and the capacity of the machine.
 * @see docs/internals/engine.md, section 3.1
 * @see docs/internals/benchmarks.md, for the measured costs
 */
import { maxShards } from './shard.ts';
import { lanesOf } from '../model/group.ts';
import { iterationShares, iterationsOf, requestsPerIteration } from '../model/iteration.ts';
import type { LoadJob } from './load-job.ts';
import { clientsDue, intervalOf, isOpenModel } from '../model/pace.ts';
import { connectionKey, peakConnections, type Destination, type LoadSpec } from '../model/peak-load.ts';

/** CPU time in µs per client connection and per request, measured on one core of a machine from 2024. */
const THREAD_COST_US = {
  plain: { client: 70, request: 8 },
  secure: { client: 1000, request: 12 },
} as const;

/** Target utilization of a thread in the open models, in µs per second: half of the time. */
const BUSY_US_PER_SECOND = 500_000;

/**
 * Number of closed-model connections that one thread can serve. If responses arrive on all of these connections at the
 * same time, the thread processes the responses in about 2 ms.
 */
const CONNECTIONS_PER_THREAD = 256;

/** Maximum automatic number of threads in the closed model. Each thread uses about 11 MB of memory. */
const MAX_DEFAULT_THREADS = 16;

export interface CpuCapacity {
  readonly cores: number;
  /** CPU quota in cores, such as 0.5; null if there is no quota. */
  readonly quota: number | null;
  readonly threadsInUse: number;
  /** True if a target is on the same machine and needs a core too. */
  readonly targetIsLocal: boolean;
}

/**
 * Reasons for a number of threads: requested by the user, needed by the load, or limited by the cores or the CPU quota.
 * `target` and `runs`: limited by the cores that the target needs or that other runs use.
 */
export const THREAD_REASONS = ['asked', 'load', 'cores', 'quota', 'target', 'runs'] as const;

export type ThreadReason = (typeof THREAD_REASONS)[number];

export interface ThreadChoice {
  readonly threads: number;
  readonly reason: ThreadReason;
}

export function chooseThreads(job: LoadJob, capacity: CpuCapacity): ThreadChoice {
  const most = maxShards(job);
  if (job.threads !== null) return { threads: Math.min(most, job.threads), reason: 'asked' };
  const needed = Math.min(most, countNeededThreads(job));
  const max = maxThreads(capacity);
  return needed <= max.threads ? { threads: needed, reason: 'load' } : max;
}

export type ClientLoad = Omit<LoadSpec, 'targets'> & {
  readonly targets: readonly (LoadSpec['targets'][number] & Destination)[];
};

export interface ClientCost {
  readonly clientsPerSecond: number;
  /** CPU time that the clients need, in cores. In the closed model, only the cost of connections is included. */
  readonly cores: number;
}

/**
 * Returns the cost of the clients that start while a load runs. The clients of the closed model that start at the
 * beginning are excluded, because they may start over several seconds.
 */
export function clientCostOf(load: ClientLoad): ClientCost {
  if (isOpenModel(load))
    return { clientsPerSecond: 1000 / intervalOf(load), cores: costOfSecond(load) / 1_000_000 };
  let clientsPerSecond = 0;
  for (let from = 0; from < load.duration; from += 1000)
    clientsPerSecond = Math.max(clientsPerSecond, clientsDue(load, from + 1000) - clientsDue(load, from));
  const connections = costOfConnections(load, { first: 0, end: load.targets.length });
  return { clientsPerSecond, cores: (clientsPerSecond * connections) / 1_000_000 };
}

/**
 * Returns the maximum number of threads that do not compete for cores with each other, other runs or the target; at
 * least 1.
 */
export function maxThreads({ cores, quota, threadsInUse, targetIsLocal }: CpuCapacity): ThreadChoice {
  const isQuotaLimiting = quota !== null && quota < cores;
  const available = Math.floor(isQuotaLimiting ? quota : cores);
  const threads = available - (targetIsLocal ? 1 : 0) - threadsInUse;
  const reason = threadsInUse > 0 ? 'runs' : targetIsLocal ? 'target' : isQuotaLimiting ? 'quota' : 'cores';
  return { threads: Math.max(1, threads), reason };
}

/**
 * Returns the number of threads that the load needs. In the closed model, only connections determine this number,
 * because the request rate depends on the target.
 */
function countNeededThreads(job: LoadJob): number {
  if (isOpenModel(job)) return Math.max(1, Math.ceil(costOfSecond(job) / BUSY_US_PER_SECOND));
  return Math.min(MAX_DEFAULT_THREADS, Math.ceil(peakConnections(job) / CONNECTIONS_PER_THREAD));
}

/** Returns the CPU time that an open model needs per second, in µs. */
function costOfSecond(job: ClientLoad): number {
  const perSecond = 1000 / intervalOf(job);
  const shares = iterationShares(job);
  const counts = requestsPerIteration(job);
  const perClient = iterationsOf(job).reduce((sum, { first, end, flow }) => {
    const cost = costOfClient(job, { first, end, counts });
    return sum + (shares[flow] ?? 0) * cost;
  }, 0);
  return perSecond * perClient;
}

interface RequestRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Returns the CPU time in µs that a client needs for its connections and for the requests in a range.
 * @param counts - maximum number of times that an iteration performs each request of the test
 */
function costOfClient(
  job: ClientLoad,
  { counts, ...range }: RequestRange & { readonly counts: readonly number[] },
): number {
  return counts
    .slice(range.first, range.end)
    .reduce(
      (sum, count, index) => sum + count * costOf(job.targets[range.first + index]?.secure === true).request,
      costOfConnections(job, range),
    );
}

/**
 * Returns the CPU time in µs that the connections of a client need; 0 if clients share connections. Otherwise, a client
 * opens one connection per host, and more for parallel requests.
 */
function costOfConnections(job: ClientLoad, { first, end }: RequestRange): number {
  if ((job.connections ?? null) !== null) return 0;
  const lanes = lanesOf(job);
  const hosts = new Map(
    job.targets
      .slice(first, end)
      .map((target, index) => [connectionKey(target, lanes[first + index] ?? 0), target.secure]),
  );
  return [...hosts.values()].reduce((sum, secure) => sum + costOf(secure).client, 0);
}

function costOf(secure: boolean): { readonly client: number; readonly request: number } {
  return secure ? THREAD_COST_US.secure : THREAD_COST_US.plain;
}

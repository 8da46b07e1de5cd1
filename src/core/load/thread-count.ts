/**
 * The number of threads of a run: as many as the load needs, within the capacity of the machine.
 * @see docs/internals/engine.md, section 3.1
 * @see docs/internals/benchmarks.md, for the measured costs
 */
import { maxShards } from './shard.ts';
import { iterationShares, iterationsOf, requestsPerIteration } from '../model/iteration.ts';
import type { LoadJob } from './load-job.ts';
import { intervalOf, isOpenModel, maxConcurrentClients } from '../model/pace.ts';
import { connectionKey } from '../model/peak-load.ts';

/** CPU time in µs that a thread needs for each operation, measured on one core of a machine from 2024. */
const THREAD_COST_US = {
  plain: { client: 70, request: 8 },
  secure: { client: 1000, request: 12 },
} as const;

/** Target utilization of a thread in the open models, in µs per second. It is half of the time. */
const BUSY_US_PER_SECOND = 500_000;

/**
 * Connections of the closed model that one thread can serve. If all of them respond at the same time, the thread
 * processes the responses in 2 ms, the smallest delay that a result reports.
 */
const CONNECTIONS_PER_THREAD = 256;

/** Maximum number of threads for an unknown rate, unless more are requested. Each thread uses 11 MB of memory. */
const MAX_DEFAULT_THREADS = 16;

/** Capacity of the machine when a run starts. */
export interface CpuCapacity {
  /** Cores that the process may use. */
  readonly cores: number;
  /** CPU time that the process may use, in cores: 0.5 is half a core. Null if there is no quota. */
  readonly quota: number | null;
  /** Number of threads that active runs use. */
  readonly threadsInUse: number;
  /** True if the target is on the same machine and needs a core too. */
  readonly targetIsLocal: boolean;
}

/**
 * Reasons for a number of threads: requested by the user, needed by the load, or limited by the cores, the
 * CPU quota, the cores that the target needs, or the cores that other runs use.
 */
export const THREAD_REASONS = ['asked', 'load', 'cores', 'quota', 'target', 'runs'] as const;

export type ThreadReason = (typeof THREAD_REASONS)[number];

export interface ThreadChoice {
  /** Number of threads, at least 1. */
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

/** Returns the maximum number of threads that do not compete with each other, with other runs, or with the target. */
function maxThreads({ cores, quota, threadsInUse, targetIsLocal }: CpuCapacity): ThreadChoice {
  const isQuotaLimiting = quota !== null && quota < cores;
  const available = Math.floor(isQuotaLimiting ? quota : cores);
  const threads = available - (targetIsLocal ? 1 : 0) - threadsInUse;
  const reason = threadsInUse > 0 ? 'runs' : targetIsLocal ? 'target' : isQuotaLimiting ? 'quota' : 'cores';
  return { threads: Math.max(1, threads), reason };
}

/**
 * Returns the number of threads that the load needs. In the closed model, the rate is unknown because it depends on
 * the target.
 */
function countNeededThreads(job: LoadJob): number {
  if (isOpenModel(job)) return Math.max(1, Math.ceil(costOfSecond(job) / BUSY_US_PER_SECOND));
  return Math.min(MAX_DEFAULT_THREADS, Math.ceil(maxConcurrentClients(job) / CONNECTIONS_PER_THREAD));
}

/** Returns the CPU time that an open model needs per second, in µs. */
function costOfSecond(job: LoadJob): number {
  const perSecond = 1000 / intervalOf(job);
  const shares = iterationShares(job);
  const counts = requestsPerIteration(job);
  const perClient = iterationsOf(job).reduce((sum, { first, end, flow }) => {
    const cost = costOfClient(job, job.targets.slice(first, end), counts.slice(first, end));
    return sum + (shares[flow] ?? 0) * cost;
  }, 0);
  return perSecond * perClient;
}

/**
 * Returns the CPU time of one iteration, in µs. A client opens one connection to each host, unless connections are
 * shared.
 */
function costOfClient(job: LoadJob, targets: LoadJob['targets'], counts: readonly number[]): number {
  const hosts = new Map(targets.map((target) => [connectionKey(target), target.secure]));
  const connections =
    job.connections === null
      ? [...hosts.values()].reduce((sum, secure) => sum + costOf(secure).client, 0)
      : 0;
  return targets.reduce(
    (sum, { secure }, index) => sum + (counts[index] ?? 0) * costOf(secure).request,
    connections,
  );
}

function costOf(secure: boolean): { readonly client: number; readonly request: number } {
  return secure ? THREAD_COST_US.secure : THREAD_COST_US.plain;
}

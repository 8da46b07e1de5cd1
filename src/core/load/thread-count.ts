/**
 * How many threads make the load of a run: as many as it needs, and no more than its machine has room for.
 *
 * Source: docs/internals/engine.md, section 3; the figures are measured, docs/internals/benchmarks.md.
 */
import type { LoadJob } from './load-job.ts';
import { clientCount, intervalOf, isOpenModel, maxConcurrentClients } from './pace.ts';
import { connectionKey } from './peak-load.ts';

/** What a thread pays in µs of CPU, on one core of a machine of 2024. */
const THREAD_COST_US = {
  plain: { client: 70, request: 8 },
  secure: { client: 1000, request: 12 },
} as const;

/** An open model is given so many threads that each has this much to do in a second, in µs: half of its time. */
const BUSY_US_PER_SECOND = 500_000;

/**
 * Connections of the closed model for which one thread is enough. When all of them are answered at once, it is through
 * with them in 2 ms, the least delay that a result can tell from none.
 */
const CONNECTIONS_PER_THREAD = 256;

/** Where the rate is not known, more threads than this are made only where they are asked for: each takes 11 MB. */
const MAX_DEFAULT_THREADS = 16;

/** What the machine gives at the moment when a run starts. */
export interface CpuCapacity {
  /** Cores that the process may run on. */
  readonly cores: number;
  /** CPU time that it may use, in cores: 0.5 is half of one. Null: as much as it likes. */
  readonly quota: number | null;
  /** Threads of the runs that go on already. */
  readonly threadsInUse: number;
  /** Whether what is loaded lies on this machine, and needs a core too. */
  readonly targetIsLocal: boolean;
}

/**
 * What the number comes from: somebody's wish, the load, or what there was no more of: cores, CPU time, cores beside the
 * target, cores beside other runs.
 */
export const THREAD_REASONS = ['asked', 'load', 'cores', 'quota', 'target', 'runs'] as const;

export type ThreadReason = (typeof THREAD_REASONS)[number];

export interface ThreadChoice {
  /** At least one. */
  readonly threads: number;
  readonly reason: ThreadReason;
}

export function chooseThreads(job: LoadJob, room: CpuCapacity): ThreadChoice {
  const clients = Math.max(1, clientCount(job));
  if (job.threads !== null) return { threads: Math.min(clients, job.threads), reason: 'asked' };
  const needed = Math.min(clients, countNeededThreads(job));
  const most = maxThreads(room);
  return needed <= most.threads ? { threads: needed, reason: 'load' } : most;
}

/** Whole threads that may work at once without standing in each other's way, or in the target's. */
function maxThreads({ cores, quota, threadsInUse, targetIsLocal }: CpuCapacity): ThreadChoice {
  const scarce = quota !== null && quota < cores;
  const whole = Math.floor(scarce ? quota : cores);
  const most = whole - (targetIsLocal ? 1 : 0) - threadsInUse;
  const reason = threadsInUse > 0 ? 'runs' : targetIsLocal ? 'target' : scarce ? 'quota' : 'cores';
  return { threads: Math.max(1, most), reason };
}

/** The closed model asks as often as the target answers, which nobody knows before. */
function countNeededThreads(job: LoadJob): number {
  if (isOpenModel(job)) return Math.max(1, Math.ceil(costOfSecond(job) / BUSY_US_PER_SECOND));
  return Math.min(MAX_DEFAULT_THREADS, Math.ceil(maxConcurrentClients(job) / CONNECTIONS_PER_THREAD));
}

/** Of an open model, in µs: each client has a connection of its own to each host. */
function costOfSecond(job: LoadJob): number {
  const perSecond = 1000 / intervalOf(job);
  const hosts = new Map(job.targets.map((target) => [connectionKey(target), target.secure]));
  const connecting = [...hosts.values()].reduce((sum, secure) => sum + costOf(secure).client, 0);
  const asking = job.targets.reduce((sum, { secure }) => sum + costOf(secure).request, 0);
  return perSecond * (connecting + asking);
}

function costOf(secure: boolean): { readonly client: number; readonly request: number } {
  return secure ? THREAD_COST_US.secure : THREAD_COST_US.plain;
}

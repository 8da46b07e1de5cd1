/** Runner that distributes runs over workers, in place of the embedded engine. */
import { problem, ProblemError } from '../core/problem.ts';
import type { Secret } from '../core/model/secret.ts';
import type { CheckpointStore } from '../core/ports/checkpoint-store.ts';
import type { ActiveLoad, Runner } from '../core/ports/runner.ts';
import type { WorkerPool } from '../core/ports/worker-pool.ts';
import { sendDrain } from './mailbox.ts';
import type { Heartbeat } from './cluster-messages.ts';
import { isCompatible, openWorkerRegistry } from './worker-registry.ts';
import { createCommandError, type OpenRedis } from './redis-connection.ts';
import { KEY_TTL_MS, WRITE_CHECK_KEY } from './redis-keys.ts';
import { DistributedRun, type DistributedRunContext } from './distributed-run.ts';
import { Seal } from './seal.ts';
import { findClusterShortage } from './run-sharding.ts';

export interface ClusterOptions {
  readonly redis: OpenRedis;
  readonly secret: Secret;
  readonly version: string;
  readonly warn: DistributedRunContext['warn'];
}

export interface Cluster {
  readonly createRunner: (checkpoints: CheckpointStore) => Runner;
  readonly workerPool: WorkerPool;
}

const DRAIN_TIMEOUT_MS = 2000;

const REGISTRY_TIMEOUT_MS = 3000;
/** Maximum age of the list of workers, in ms. A registration expires after the same time. */
const MAX_LIST_AGE_MS = KEY_TTL_MS.heartbeat;
const RESUME_TIMEOUT_MS = 5000;

const CLOSE_GRACE_MS = 1000;

export function openCluster(options: ClusterOptions): Cluster {
  const { version, warn } = options;
  const redis = options.redis.connect('service');
  const seal = new Seal(options.secret);
  const registry = openWorkerRegistry(redis, seal, (worker, reason) =>
    warn({ event: 'worker-refused', worker, reason }),
  );
  const connect = (blockMs: number) => options.redis.connect('service-waiting', blockMs);
  const runs = new Set<DistributedRun>();
  let closed = false;

  const freeOf = (workers: readonly Heartbeat[]): readonly Heartbeat[] =>
    workers.filter(({ state, id }) => state === 'ready' && ![...runs].some((run) => run.occupies(id)));

  const track = (run: DistributedRun): ActiveLoad => {
    runs.add(run);
    return {
      ended: run.ended.finally(() => runs.delete(run)),
      partialReport: () => run.partialReport(),
      stop: (reason) => run.stop(reason),
      replaceRows: (rows) => run.replaceRows(rows),
      keep: (data) => run.keep(data),
    };
  };

  /** @throws ProblemError if Redis does not respond in time or returns an error. */
  const askRedis = async <T>(ms: number, act: Promise<T>): Promise<T> => {
    try {
      return await withTimeout(ms, act);
    } catch (error) {
      throw createCommandError(options.redis, error);
    }
  };

  return {
    workerPool: {
      list: () => {
        const staleMs = registry.ageMs();
        if (staleMs > MAX_LIST_AGE_MS)
          throw new ProblemError(
            problem(
              'LT_CLUSTER_UNREACHABLE',
              `Redis at ${options.redis.displayAddress} has not responded for ${Math.floor(staleMs / 1000)} s, so the state of the workers is unknown`,
            ),
          );
        return [
          ...registry.list().map(listedWorker),
          ...registry.lost().map((worker) => ({
            ...listedWorker(worker),
            state: 'lost' as const,
            lostAt: worker.lostAt,
          })),
        ];
      },
      drain: async (workerId) => {
        await askRedis(DRAIN_TIMEOUT_MS, sendDrain(redis, seal, workerId));
      },
    },
    createRunner: (checkpoints) => {
      const context = { redis, connect, seal, checkpoints, version, warn };
      return {
        start: (job, onProgress, hosts = []) => {
          if (closed) throw new Error('Bug: a run was started after the cluster was closed');
          const workers = freeOf(registry.list().filter(isCompatible));
          return track(DistributedRun.start({ job, hosts, workers }, context, onProgress));
        },
        resume: async (runId, onProgress) => {
          const resumed = DistributedRun.resume(runId, context, onProgress);
          const run = await withTimeout(RESUME_TIMEOUT_MS, resumed);
          return run && { ...track(run), job: run.job, lastProgress: run.progress, kept: run.kept };
        },
        check: async (job) => {
          // A run writes to Redis. If its memory is full, it also rejects heartbeats, so that workers seem lost.
          const write = redis.set(WRITE_CHECK_KEY, '', 'PX', KEY_TTL_MS.writeCheck);
          const [workers] = await askRedis(REGISTRY_TIMEOUT_MS, Promise.all([registry.refresh(), write]));
          const compatible = workers.filter(isCompatible);
          return findClusterShortage(job, compatible, freeOf(compatible));
        },
        close: async () => {
          if (closed) return;
          closed = true;
          registry.close();
          await Promise.all([...runs].map((run) => run.close(CLOSE_GRACE_MS)));
          redis.disconnect();
        },
      };
    },
  };
}

/**
 * Waits for a promise up to a timeout, because Redis commands wait indefinitely while Redis is unavailable.
 * @throws Error on timeout, or the error of `act`.
 */
async function withTimeout<T>(ms: number, act: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response from Redis within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    clearTimeout(timer);
  }
}

function listedWorker(worker: Heartbeat) {
  return { ...worker, connectedAt: worker.since, compatible: isCompatible(worker) };
}

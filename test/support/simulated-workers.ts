/** The runner of a service and its workers in this process, on a real Redis, with simulated load. */
import { randomInt } from 'node:crypto';
import { openCluster, type Cluster } from '../../src/cluster/cluster.ts';
import type { StartLoad } from '../../src/cluster/worker-run.ts';
import { parseRedisAddress } from '../../src/cluster/redis-address.ts';
import { openRedis } from '../../src/cluster/redis-connection.ts';
import { openWorker, type RunningWorker } from '../../src/cluster/worker.ts';
import { addResponses, createTally } from '../../src/core/load/snapshot.ts';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { Secret } from '../../src/core/model/secret.ts';
import type { RunCheckpoint, CheckpointStore } from '../../src/core/ports/checkpoint-store.ts';
import type { Runner } from '../../src/core/ports/runner.ts';
import { processTime } from '../../src/engine/clock.ts';
import { jobOf, targetOf, type JobChanges } from './test-engine.ts';
import type { RedisServer } from './redis-server.ts';
import { snapshotOf } from './snapshots.ts';
import { openTestTarget, servePages } from './test-target.ts';

/** Secret of the service and its workers. */
export const WORKER_SECRET = new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know');

export interface SimulatedService {
  readonly runner: Runner;
  readonly cluster: Cluster;
  /** Warnings of the service and its workers. */
  readonly warnings: readonly Readonly<Record<string, unknown>>[];
  /** Starts a worker; resolves when the service knows it. */
  addWorker(name: string, startLoad: StartLoad, maxConnections?: number): Promise<RunningWorker>;
  /** Creates a job for a target that publishes its token, and the verified hosts. */
  run(
    changes?: JobChanges,
  ): Promise<{ readonly job: LoadJob; readonly hosts: Parameters<Runner['start']>[2] }>;
  close(): Promise<void>;
}

export async function openSimulatedService(redisServer: RedisServer): Promise<SimulatedService> {
  const redis = await openRedis(parseRedisAddress(redisServer.url));
  const secret = WORKER_SECRET;
  const warnings: Record<string, unknown>[] = [];
  const warn = (line: Readonly<Record<string, unknown>>): void => {
    warnings.push(line);
  };
  const cluster = openCluster({ redis, secret, version: '1', warn });
  const checkpoints = new Map<string, RunCheckpoint>();
  const checkpointStore: CheckpointStore = {
    put: (id, run) => checkpoints.set(id, run),
    get: (id) => checkpoints.get(id) ?? null,
  };
  const runner = cluster.createRunner(checkpointStore);
  const workers: RunningWorker[] = [];
  return {
    runner,
    cluster,
    warnings,
    async addWorker(name, startLoad, maxConnections) {
      const worker = await openWorker({
        redis,
        secret,
        name,
        startLoad,
        threads: 1,
        maxConnections: maxConnections ?? null,
        allowPrivate: [],
        policy: () => null,
        version: '1',
        log: { info: () => undefined, warn },
      });
      workers.push(worker);
      // The worker has sent its heartbeat, and the check makes the service read it.
      do await runner.check(jobOf([targetOf(80)]));
      while (!cluster.workerPool.list().some(({ id }) => id === worker.id));
      return worker;
    },
    async run(changes = {}) {
      const target = await openTestTarget(servePages({ '/token.txt': 'token' }));
      const jobTarget = targetOf(target.port, { authority: target.host, hostname: '127.0.0.1' });
      const job = jobOf([jobTarget], {
        runId: `run-${randomInt(1e9)}`,
        duration: 1000,
        threads: null,
        ...changes,
      });
      return {
        job,
        hosts: [{ host: target.host, verificationId: 'token', method: 'http', connection: null }],
      };
    },
    async close() {
      await runner.close();
      await Promise.all(workers.map((worker) => worker.close(0)));
    },
  };
}

/** Reports one request per client, and the end of the load. */
function reportEnd({ job, shards }: Parameters<StartLoad>[0], events: Parameters<StartLoad>[1]): void {
  for (const { threadIndex, clients } of shards) {
    const tally = createTally('record', true);
    tally.started = clients;
    addResponses(tally, 200, clients);
    events.snapshot(snapshotOf(threadIndex, 0, [tally]));
    events.done(threadIndex, { elapsed: job.duration, loaded: job.duration });
  }
}

/** Reports one request per client at the end of the run. */
export const completeLoad: StartLoad = (work, events) => {
  const timers: NodeJS.Timeout[] = [];
  const schedule = (ms: number, action: () => void): void => {
    timers.push(setTimeout(action, ms));
  };
  schedule(0, () => events.ready());
  return {
    start: (at) => schedule(at + work.job.duration - processTime(), () => reportEnd(work, events)),
    stop: () => undefined,
    replaceRows: () => undefined,
    readLiveCounts: () => ({ finished: 0, failed: 0 }),
    close: () => {
      timers.forEach(clearTimeout);
      return Promise.resolve();
    },
  };
};

/** A load that continues until `end` is called, or the worker stops it. Later loads of the same worker are complete. */
export function createOpenLoad(): { readonly startLoad: StartLoad; readonly end: () => void } {
  let end = (): void => undefined;
  const ending = new Promise<void>((resolve) => (end = resolve));
  let isFirst = true;
  const startLoad: StartLoad = (work, events) => {
    if (!isFirst) return completeLoad(work, events);
    isFirst = false;
    setImmediate(() => events.ready());
    return {
      start: () => void ending.then(() => reportEnd(work, events)),
      stop: () => end(),
      replaceRows: () => undefined,
      readLiveCounts: () => ({ finished: 0, failed: 0 }),
      close: () => Promise.resolve(),
    };
  };
  return { startLoad, end: () => end() };
}

/** Never becomes ready. */
export const silentLoad: StartLoad = () => ({
  start: () => undefined,
  stop: () => undefined,
  replaceRows: () => undefined,
  readLiveCounts: () => ({ finished: 0, failed: 0 }),
  close: () => Promise.resolve(),
});

/** Fails to start. */
export function refusedLoad(reason: string): StartLoad {
  return () => {
    throw new Error(reason);
  };
}

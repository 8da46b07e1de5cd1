/** A service's runner and its workers in this process, on a real Redis; only the load is played. */
import { randomInt } from 'node:crypto';
import { openCluster, type Cluster } from '../../src/cluster/runner.ts';
import type { MakeLoad } from '../../src/cluster/part-run.ts';
import { readRedisAddress } from '../../src/cluster/redis-address.ts';
import { openRedis } from '../../src/cluster/redis.ts';
import { openWorker, type RunningWorker } from '../../src/cluster/worker.ts';
import { createTally } from '../../src/core/load/slice.ts';
import type { LoadJob } from '../../src/core/load/job.ts';
import { Secret } from '../../src/core/model/secret.ts';
import type { KeptRun, RunKeep } from '../../src/core/ports/run-keep.ts';
import type { Runner } from '../../src/core/ports/runner.ts';
import { processTime } from '../../src/engine/clock.ts';
import { jobOf, targetOf, type JobChanges } from './engine.ts';
import type { RedisRig } from './redis.ts';
import { secondOf } from './slices.ts';
import { openTarget, pages } from './target.ts';

/** Of the service and its workers. */
export const SECRET = new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know');

export interface PlayedService {
  readonly runner: Runner;
  readonly cluster: Cluster;
  /** What the service and its workers have warned of. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** One more worker, of which the service knows when this settles. */
  hire(name: string, makeLoad: MakeLoad, maxConnections?: number): Promise<RunningWorker>;
  /** A job for a target that shows its token, and its hosts. */
  run(
    changes?: JobChanges,
  ): Promise<{ readonly job: LoadJob; readonly hosts: Parameters<Runner['start']>[2] }>;
  close(): Promise<void>;
}

export async function openPlayedService(rig: RedisRig): Promise<PlayedService> {
  const redis = await openRedis(readRedisAddress(rig.url));
  const secret = SECRET;
  const logged: Record<string, unknown>[] = [];
  const warn = (line: Readonly<Record<string, unknown>>): void => {
    logged.push(line);
  };
  const cluster = openCluster({ redis, secret, version: '1', warn });
  const kept = new Map<string, KeptRun>();
  const keep: RunKeep = { put: (id, run) => kept.set(id, run), get: (id) => kept.get(id) ?? null };
  const runner = cluster.runnerOn(keep);
  const workers: RunningWorker[] = [];
  return {
    runner,
    cluster,
    logged,
    async hire(name, makeLoad, maxConnections) {
      const worker = await openWorker({
        ...{ redis, secret, name, makeLoad, threads: 1, maxConnections: maxConnections ?? null },
        ...{ allowPrivate: [], policy: () => null, version: '1' },
        log: { info: () => undefined, warn },
      });
      workers.push(worker);
      // It has said that it is there, and the service looks now.
      do await runner.check(jobOf([targetOf(80)]));
      while (!cluster.workforce.list().some(({ id }) => id === worker.id));
      return worker;
    },
    async run(changes = {}) {
      const target = await openTarget(pages({ '/token.txt': 'token' }));
      const one = targetOf(target.port, { authority: target.host, hostname: '127.0.0.1' });
      const job = jobOf([one], { runId: `run-${randomInt(1e9)}`, duration: 1000, threads: null, ...changes });
      return { job, hosts: [{ host: target.host, verificationId: 'token', method: 'http' }] };
    },
    async close() {
      await runner.close();
      await Promise.all(workers.map((worker) => worker.close(0)));
    },
  };
}

/** Tells at the end of the run what its clients would have made: one request each. */
export const wholeLoad: MakeLoad = ({ job, shares }, events) => {
  const timers: NodeJS.Timeout[] = [];
  const later = (ms: number, act: () => void): void => {
    timers.push(setTimeout(act, ms));
  };
  later(0, () => {
    events.ready();
  });
  const end = (): void => {
    for (const { worker, clients } of shares) {
      const tally = createTally('record', true);
      tally.started = clients;
      tally.statuses[200] = clients;
      events.slice(secondOf(worker, 0, [tally]));
      events.done(worker, { elapsed: job.duration, loaded: job.duration });
    }
  };
  return {
    go: (at) => {
      later(at + job.duration - processTime(), end);
    },
    stop: () => undefined,
    pulse: () => ({ finished: 0, failed: 0 }),
    close: () => {
      timers.forEach(clearTimeout);
      return Promise.resolve();
    },
  };
};

/** Never comes up. */
export const silentLoad: MakeLoad = () => ({
  go: () => undefined,
  stop: () => undefined,
  pulse: () => ({ finished: 0, failed: 0 }),
  close: () => Promise.resolve(),
});

/** Cannot be made. */
export function refusedLoad(reason: string): MakeLoad {
  return () => {
    throw new Error(reason);
  };
}

/** Makes runs by workers on other machines: what a service with a Redis has in place of its own engine. */
import type { LoadJob } from '../core/load/job.ts';
import type { Secret } from '../core/model/secret.ts';
import type { RunKeep } from '../core/ports/run-keep.ts';
import type { ActiveRun, Runner } from '../core/ports/runner.ts';
import type { Workforce } from '../core/ports/workforce.ts';
import { LIVES_FOR, ORDERS_KEY } from './keys.ts';
import { ORDERS_BOX, send } from './letters.ts';
import { Mailboxes } from './mailbox.ts';
import type { Presence, WorkerOrder } from './messages.ts';
import { isUsable, openRoster } from './presence.ts';
import { NOT_UNDERSTOOD } from './read-messages.ts';
import { readRedisClock, redisTime } from './redis-clock.ts';
import type { OpenRedis } from './redis.ts';
import { RunElsewhere, type RunTools } from './run-elsewhere.ts';
import { Seal } from './seal.ts';
import { findClusterShortage } from './split.ts';

export interface ClusterOptions {
  readonly redis: OpenRedis;
  /** That the workers know as well. */
  readonly secret: Secret;
  readonly version: string;
  readonly warn: RunTools['warn'];
}

/** A service's workers. */
export interface Cluster {
  readonly runnerOn: (keep: RunKeep) => Runner;
  readonly workforce: Workforce;
}

/** An order that cannot be given by then is given up, in ms. */
const ORDER_WITHIN_MS = 2000;

/** Redis may be away when a run is to start, or is to be taken up. */
const LOOK_WITHIN_MS = 3000;
const RESUME_WITHIN_MS = 5000;

/** How long workers may take to end their runs when the service ends. */
const CLOSE_GRACE_MS = 1000;

export function openCluster(options: ClusterOptions): Cluster {
  const { version, warn } = options;
  const redis = options.redis.connect('service');
  const seal = new Seal(options.secret);
  const mailboxes = new Mailboxes(redis, seal);
  const roster = openRoster(redis, seal, {
    gone: async (id) => {
      await mailboxes.remove(id);
    },
    strange: (id) => {
      warn({ event: 'worker-refused', worker: id, reason: NOT_UNDERSTOOD });
    },
  });
  const connect = (blockMs: number) => options.redis.connect('service-waiting', blockMs);
  const runs = new Set<RunElsewhere>();
  let closed = false;

  const freeOf = (workers: readonly Presence[]): readonly Presence[] =>
    workers.filter(({ state, id }) => state === 'ready' && ![...runs].some((run) => run.occupies(id)));

  const toolsWith = (keep: RunKeep): RunTools => ({
    ...{ redis, connect, seal, mailboxes, keep, version, warn },
  });

  const followed = (run: RunElsewhere): ActiveRun => {
    runs.add(run);
    return {
      ended: run.ended.finally(() => runs.delete(run)),
      soFar: () => run.soFar(),
      stop: (reason) => {
        run.stop(reason);
      },
    };
  };

  const start = (keep: RunKeep, ...[job, onProgress, hosts = []]: Parameters<Runner['start']>): ActiveRun => {
    if (closed) throw new Error('Bug: the cluster is closed');
    const workers = freeOf(roster.list().filter(isUsable));
    return followed(RunElsewhere.begin({ job, hosts, workers }, toolsWith(keep), onProgress));
  };

  const resume = async (keep: RunKeep, ...[runId, onProgress]: Parameters<Runner['resume']>) => {
    const run = await within(RESUME_WITHIN_MS, RunElsewhere.takeUp(runId, toolsWith(keep), onProgress));
    return run === null ? null : { ...followed(run), job: run.job, told: run.told };
  };

  const drain = async (workerId: string): Promise<void> => {
    const order: WorkerOrder = { kind: 'drain', workerId };
    const mark = Math.round(redisTime(await readRedisClock(redis)));
    const to = { seal, box: ORDERS_BOX };
    await send(redis, to, { epoch: 0, workerId, mark }, Buffer.from(JSON.stringify(order)));
    await redis.pexpire(ORDERS_KEY, LIVES_FOR.piece);
  };

  return {
    workforce: {
      list: () => roster.list().map((worker) => ({ ...worker, usable: isUsable(worker) })),
      drain: async (workerId) => {
        await within(ORDER_WITHIN_MS, drain(workerId));
      },
    },
    runnerOn: (keep) => ({
      start: (...what) => start(keep, ...what),
      resume: async (...what) => await resume(keep, ...what),
      check: async (job: LoadJob) => {
        try {
          const usable = (await within(LOOK_WITHIN_MS, roster.look())).filter(isUsable);
          return findClusterShortage(job, usable, freeOf(usable));
        } catch {
          return { reason: `Redis at ${options.redis.shown} does not answer`, retryAfter: 5 };
        }
      },
      close: async () => {
        if (closed) return;
        closed = true;
        roster.close();
        await Promise.all([...runs].map((run) => run.close(CLOSE_GRACE_MS)));
        await mailboxes.close();
        redis.disconnect();
      },
    }),
  };
}

/** Commands wait for a Redis that is away; who asked does not. Errors: those of what is waited for; that it took too long. */
async function within<T>(ms: number, act: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    clearTimeout(timer);
  }
}

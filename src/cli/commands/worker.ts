/** The `worker` command: generates load for a service that uses the same Redis server. */
import { availableParallelism, hostname } from 'node:os';
import { seconds, type Milliseconds } from '../../core/units.ts';
import { openHealthServer } from '../../cluster/health-server.ts';
import { parseRedisAddress } from '../../cluster/redis-address.ts';
import { openRedis } from '../../cluster/redis-connection.ts';
import { openWorker } from '../../cluster/worker.ts';
import { createWorkerPolicy } from '../../cluster/worker-policy.ts';
import { ThreadGroup } from '../../engine/thread-group.ts';
import type { Context } from '../terminal/context.ts';
import { usageError } from '../terminal/errors.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { openJsonLog } from '../terminal/json-log.ts';
import { engineThreadUrl } from '../../engine/thread-url.ts';
import { requireWorkerSecret, redisAddressOf } from '../session/operator-secrets.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { untilAborted } from '../terminal/process-control.ts';
import { writeNote, writeEvent } from '../terminal/report.ts';

export interface WorkerFlags extends OutputFlags {
  readonly redis?: string;
  readonly name?: string;
  readonly threads?: number;
  readonly maxConnections?: number;
  readonly allowPrivate?: readonly string[];
  readonly health?: number;
  readonly grace?: Milliseconds;
}

export async function runWorker(context: Context, flags: WorkerFlags): Promise<Outcome> {
  const text = redisAddressOf(context, flags);
  if (text === null)
    throw usageError(
      'worker requires the URL of the Redis server that the service uses',
      'set --redis or LOADTESTS_REDIS',
    );
  const secret = requireWorkerSecret(context);
  const address = parseRedisAddress(text);
  const { signal } = context.interruption;
  const log = openJsonLog(context);
  const redis = await openRedis(address, (trouble) => log.warn(trouble));
  const policy = await createWorkerPolicy(address, {
    allowPrivate: flags.allowPrivate ?? [],
    health: flags.health,
    redis: () => redis.endpoints(),
  });
  const running = await openWorker({
    redis,
    secret,
    policy,
    log,
    version: context.version,
    startLoad: (work, events) => new ThreadGroup(engineThreadUrl(), work, events),
    // The default name includes the process ID, because several workers can run on one machine.
    name: flags.name ?? `${hostname()}-${context.pid}`,
    threads: flags.threads ?? availableParallelism(),
    maxConnections: flags.maxConnections ?? null,
    allowPrivate: flags.allowPrivate ?? [],
  });
  const health = flags.health === undefined ? null : await openHealthServer(flags.health, running);
  context.interruption.handleGracefully();
  writeNote(context, `worker "${running.name}" is ready (Redis: ${redis.displayAddress})`);
  if (flags.json === true) writeEvent(context, { event: 'ready', id: running.id, name: running.name });
  await Promise.race([untilAborted(signal), running.drained]);
  await running.close(flags.grace ?? seconds(30));
  health?.close();
  return createOutcome({});
}

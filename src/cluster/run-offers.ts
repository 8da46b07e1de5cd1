/** Offers of a run's shards to workers, and the reasons why workers do not run their shards. */
import type { Redis } from 'ioredis';
import type { LoadJob } from '../core/load/load-job.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import { PROTOCOL_VERSION, READY_TIMEOUT_MS } from './cluster-messages.ts';
import { sendOffer } from './mailbox.ts';
import { readRedisTime } from './redis-clock.ts';
import type { WorkerShard } from './run-sharding.ts';
import type { Seal } from './seal.ts';

export async function offerShards(
  { redis, seal }: { readonly redis: Redis; readonly seal: Seal },
  { job, hosts }: { readonly job: LoadJob; readonly hosts: readonly VerifiedHost[] },
  workerShards: readonly WorkerShard[],
  epoch: number,
): Promise<void> {
  const expires = Math.round((await readRedisTime(redis)) + READY_TIMEOUT_MS);
  const { runId } = job;
  // Omits the other fields of the host entries, which workers must not receive.
  const offeredHosts = hosts.map(({ host, verificationId, method, connection }) => ({
    host,
    verificationId,
    method,
    connection,
  }));
  await Promise.all(
    workerShards.map(async ({ workerId, threadShards }) => {
      const shard = { runId, epoch, workerId, expires, job, hosts: offeredHosts, threadShards };
      await sendOffer(redis, seal, { protocol: PROTOCOL_VERSION, ...shard });
    }),
  );
}

export interface ShardRefusal {
  readonly name: string;
  /** End of a sentence that begins with the name of the worker, such as `refused the run: …`. */
  readonly reason: string;
}

/** Maximum number of worker names per reason. */
const MAX_NAMES = 5;

/** Lists each reason once: `worker "a" refused the run: …; 2 workers did not become ready within 5 s ("b", "c")`. */
export function formatRefusals(refusals: readonly ShardRefusal[]): string {
  const names = new Map<string, readonly string[]>();
  for (const { name, reason } of refusals) names.set(reason, [...(names.get(reason) ?? []), `"${name}"`]);
  return [...names].map(([reason, workers]) => formatRefusal(reason, workers)).join('; ');
}

function formatRefusal(reason: string, names: readonly string[]): string {
  const [only = ''] = names;
  if (names.length === 1) return `worker ${only} ${reason}`;
  const more = names.length > MAX_NAMES ? ' and others' : '';
  return `${names.length} workers ${reason} (${names.slice(0, MAX_NAMES).join(', ')}${more})`;
}

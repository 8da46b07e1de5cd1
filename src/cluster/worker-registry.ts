/** How workers say that they are there, and how the service knows who is. */
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, heartbeatKey, WORKERS_KEY } from './redis-keys.ts';
import { PROTOCOL_VERSION, type Heartbeat } from './cluster-messages.ts';
import { readHeartbeat } from './message-validation.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import type { Seal, SealBinding } from './seal.ts';

/** The time that it was said stands before what is sealed. */
const TIMESTAMP_BYTES = 8;

export async function sendHeartbeat(
  redis: Redis,
  seal: Seal,
  presence: Heartbeat,
  clock: RedisClock,
): Promise<void> {
  const { id } = presence;
  const mark = Math.round(redisTime(clock));
  const head = Buffer.alloc(TIMESTAMP_BYTES);
  head.writeBigUInt64BE(BigInt(mark));
  const sealed = seal.seal(heartbeatBindingOf(id, mark), Buffer.from(JSON.stringify(presence)));
  await redis.set(heartbeatKey(id), Buffer.concat([head, sealed]), 'PX', KEY_TTL_MS.heartbeat);
  await redis.zadd(WORKERS_KEY, mark, id);
  await redis.pexpire(WORKERS_KEY, KEY_TTL_MS.mailbox);
}

export async function deregister(redis: Redis, id: string): Promise<void> {
  await redis.del(heartbeatKey(id));
  await redis.zrem(WORKERS_KEY, id);
}

function heartbeatBindingOf(workerId: string, ordinal: number): SealBinding {
  return { purpose: 'presence', runId: '', workerId, epoch: 0, ordinal };
}

/** `worker-2` before `worker-10`. */
const nameCollator = new Intl.Collator('en', { numeric: true });

/** How often the service looks. */
const SCAN_INTERVAL_MS = 1000;

/** Who has not been there for so long is forgotten, with its mailbox. */
const FORGET_AFTER_MS = 60_000;

export interface WorkerRegistry {
  /** Those that know the secret, of any protocol version, as they were a second ago; by name. */
  list(): readonly Heartbeat[];
  /** The same, as they are now. Errors: those of Redis. */
  refresh(): Promise<readonly Heartbeat[]>;
  close(): void;
}

export interface WorkerRegistryEvents {
  /** A worker will not come back. */
  readonly onRemoved: (id: string) => Promise<void>;
  /** One that knows the secret says something of itself that this version does not understand: once. */
  readonly onMalformed: (id: string) => void;
}

export function openWorkerRegistry(
  redis: Redis,
  seal: Seal,
  { onRemoved, onMalformed }: WorkerRegistryEvents,
): WorkerRegistry {
  let present: readonly Heartbeat[] = [];
  const strangers = new Set<string>();
  const refresh = async (): Promise<readonly Heartbeat[]> => {
    const clock = await readRedisClock(redis);
    const oldest = redisTime(clock) - KEY_TTL_MS.heartbeat;
    const ids = await redis.zrangebyscore(WORKERS_KEY, oldest, '+inf');
    const values = ids.length === 0 ? [] : await redis.mgetBuffer(ids.map(heartbeatKey));
    present = values
      .flatMap((value, index) => {
        const id = ids[index] ?? '';
        const one = value === null ? null : openHeartbeat(seal, { id, value, oldest });
        if (one !== 'strange') return one === null ? [] : [one];
        if (!strangers.has(id)) onMalformed(id);
        strangers.add(id);
        return [];
      })
      .sort((one, other) => nameCollator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1));
    for (const id of await redis.zrangebyscore(WORKERS_KEY, '-inf', redisTime(clock) - FORGET_AFTER_MS)) {
      await redis.zrem(WORKERS_KEY, id);
      strangers.delete(id);
      await onRemoved(id);
    }
    return present;
  };
  const timer = setInterval(() => {
    // Nobody is known to be there while Redis is away.
    refresh().catch(() => undefined);
  }, SCAN_INTERVAL_MS);
  return {
    list: () => present,
    refresh,
    close: () => {
      clearInterval(timer);
    },
  };
}

/** Who can be given work, if it has none. */
export function isCompatible({ protocol }: Heartbeat): boolean {
  return protocol === PROTOCOL_VERSION;
}

/** Null: it does not know the secret, or is of another time or worker. */
function openHeartbeat(
  seal: Seal,
  { id, value, oldest }: { readonly id: string; readonly value: Buffer; readonly oldest: number },
): Heartbeat | 'strange' | null {
  if (value.length < TIMESTAMP_BYTES) return null;
  const mark = Number(value.readBigUInt64BE());
  if (mark < oldest) return null;
  const text = seal.open(heartbeatBindingOf(id, mark), value.subarray(TIMESTAMP_BYTES));
  if (text === null) return null;
  const presence = readHeartbeat(text);
  return presence?.id === id ? presence : 'strange';
}

/** Registry of workers: workers publish heartbeats, and the service lists the workers with a recent heartbeat. */
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, heartbeatKey, WORKERS_KEY } from './redis-keys.ts';
import { PROTOCOL_VERSION, type Heartbeat } from './cluster-messages.ts';
import { encodeJson, MALFORMED_MESSAGE, readHeartbeat } from './message-codec.ts';
import { readRedisTime, redisTime, type RedisClock } from './redis-clock.ts';
import { replaceOtherType } from './sealed-stream.ts';
import type { Seal, SealBinding } from './seal.ts';

const TIMESTAMP_BYTES = 8;

export async function sendHeartbeat(
  redis: Redis,
  seal: Seal,
  heartbeat: Heartbeat,
  clock: RedisClock,
): Promise<void> {
  const { id } = heartbeat;
  const timestamp = Math.round(redisTime(clock));
  const header = Buffer.alloc(TIMESTAMP_BYTES);
  header.writeBigUInt64BE(BigInt(timestamp));
  const sealed = seal.seal(heartbeatBindingOf(id, timestamp), encodeJson(heartbeat));
  await redis.set(heartbeatKey(id), Buffer.concat([header, sealed]), 'PX', KEY_TTL_MS.heartbeat);
  await replaceOtherType(redis, WORKERS_KEY, async () => await redis.zadd(WORKERS_KEY, timestamp, id));
  await redis.pexpire(WORKERS_KEY, KEY_TTL_MS.workers);
}

export async function deregister(redis: Redis, id: string): Promise<void> {
  await redis.del(heartbeatKey(id));
  await redis.zrem(WORKERS_KEY, id);
}

function heartbeatBindingOf(workerId: string, ordinal: number): SealBinding {
  return { purpose: 'heartbeat', runId: '', workerId, epoch: 0, ordinal };
}

/** Collator for worker names, which sorts `worker-2` before `worker-10`. */
const nameCollator = new Intl.Collator('en', { numeric: true });

const MAX_WORKERS = 1000;

/** Matches the ID of a worker. Other clients of Redis may add other names. */
const WORKER_ID = /^[0-9a-f]{16}$/;

const NOT_DECRYPTED =
  'the heartbeat cannot be decrypted; set LOADTESTS_WORKER_SECRET of the worker to the secret of this service';

const MAX_HEARTBEAT_BYTES = 64 * 1024;

/** Returns null if Redis refuses a command, such as for a key of another type. Rethrows other errors. */
function nullIfReply(error: unknown): null {
  if (error instanceof Error && error.name === 'ReplyError') return null;
  throw error;
}

const SCAN_INTERVAL_MS = 1000;

export interface WorkerRegistry {
  /**
   * Returns the workers of any protocol version found by the latest successful scan, sorted by name. Scans run every
   * second.
   */
  list(): readonly Heartbeat[];
  /** Returns the time since the latest successful scan. */
  ageMs(): number;
  /**
   * Reads the registry immediately and returns the workers.
   * @throws Error if Redis fails.
   */
  refresh(): Promise<readonly Heartbeat[]>;
  /**
   * Returns the workers whose registrations expired in the last hour, latest first. Omits a worker if a connected
   * worker has the same name.
   */
  lost(): readonly LostWorker[];
  close(): void;
}

interface LostWorker extends Heartbeat {
  /** Time at which the loss of the worker was detected, in milliseconds since the epoch. */
  readonly lostAt: number;
}

const LOST_LISTED_MS = 3_600_000;

/**
 * @param onRefused - Called once per registration of a worker whose heartbeat cannot be decrypted or is malformed; at
 * most once per scan, because any client of Redis can add registrations.
 */
export function openWorkerRegistry(
  redis: Redis,
  seal: Seal,
  onRefused: (id: string, reason: string) => void,
): WorkerRegistry {
  let workers: readonly Heartbeat[] = [];
  let scannedAt = performance.now();
  const refused = new Set<string>();
  const registered = new Map<string, Heartbeat>();
  let lost: readonly LostWorker[] = [];
  /** A worker that exits removes its registration; the registration of a lost worker expires. */
  const findLost = (ids: readonly string[], expired: readonly string[]): void => {
    for (const worker of workers) registered.set(worker.id, worker);
    const found = expired.flatMap((id) => registered.get(id) ?? []);
    for (const id of registered.keys()) if (!ids.includes(id)) registered.delete(id);
    const names = new Set(workers.map(({ name }) => name));
    const lostAt = Date.now();
    lost = [...found.map((worker) => ({ ...worker, lostAt })), ...lost].filter(
      (worker) => !names.has(worker.name) && worker.lostAt > lostAt - LOST_LISTED_MS,
    );
  };
  const refresh = async (): Promise<readonly Heartbeat[]> => {
    const now = await readRedisTime(redis);
    const oldest = now - KEY_TTL_MS.heartbeat;
    const newest = now + KEY_TTL_MS.heartbeat;
    const listed = await redis.zrangebyscore(WORKERS_KEY, oldest, newest, 'LIMIT', 0, MAX_WORKERS);
    const ids = listed.filter((id) => WORKER_ID.test(id));
    const values = await Promise.all(
      ids.map(
        async (id) =>
          await redis.getrangeBuffer(heartbeatKey(id), 0, MAX_HEARTBEAT_BYTES - 1).catch(nullIfReply),
      ),
    );
    const readings = values.map((value, index) => {
      const id = ids[index] ?? '';
      return { id, reading: value === null ? null : openHeartbeat(seal, { id, value, oldest }) };
    });
    workers = readings
      .flatMap(({ reading }) => (reading === null || typeof reading === 'string' ? [] : [reading]))
      .sort((one, other) => nameCollator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1));
    for (const { id, reading } of readings) {
      if (typeof reading !== 'string' || refused.has(id)) continue;
      refused.add(id);
      onRefused(id, reading);
      break;
    }
    const expired = await redis.zrangebyscore(WORKERS_KEY, '-inf', `(${oldest}`, 'LIMIT', 0, MAX_WORKERS);
    findLost(ids, expired);
    await redis.zremrangebyscore(WORKERS_KEY, '-inf', `(${oldest}`);
    for (const id of refused) if (!ids.includes(id)) refused.delete(id);
    scannedAt = performance.now();
    return workers;
  };
  const timer = setInterval(() => {
    // If a scan fails, the list remains unchanged, and `ageMs` increases.
    refresh().catch(() => undefined);
  }, SCAN_INTERVAL_MS);
  return {
    list: () => workers,
    ageMs: () => performance.now() - scannedAt,
    lost: () => lost,
    refresh,
    close: () => clearInterval(timer),
  };
}

export function isCompatible({ protocol }: Heartbeat): boolean {
  return protocol === PROTOCOL_VERSION;
}

/**
 * Returns the reason if the heartbeat cannot be decrypted or its content is invalid. Returns null if the heartbeat is
 * outdated.
 */
function openHeartbeat(
  seal: Seal,
  { id, value, oldest }: { readonly id: string; readonly value: Buffer; readonly oldest: number },
): Heartbeat | string | null {
  if (value.length < TIMESTAMP_BYTES) return null;
  const timestamp = Number(value.readBigUInt64BE());
  if (timestamp < oldest) return null;
  const body = seal.open(heartbeatBindingOf(id, timestamp), value.subarray(TIMESTAMP_BYTES));
  if (body === null) return NOT_DECRYPTED;
  const heartbeat = readHeartbeat(body);
  return heartbeat?.id === id ? heartbeat : MALFORMED_MESSAGE;
}

/** How workers say that they are there, and how the service knows who is. */
import type { Redis } from 'ioredis';
import { LIVES_FOR, presenceKey, WORKERS_KEY } from './keys.ts';
import { PROTOCOL_VERSION, type Presence } from './messages.ts';
import { readPresence } from './read-messages.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import type { Seal, SealedFor } from './seal.ts';

/** The time that it was said stands before what is sealed. */
const MARK_BYTES = 8;

export async function sayPresence(
  redis: Redis,
  seal: Seal,
  presence: Presence,
  clock: RedisClock,
): Promise<void> {
  const { id } = presence;
  const mark = Math.round(redisTime(clock));
  const head = Buffer.alloc(MARK_BYTES);
  head.writeBigUInt64BE(BigInt(mark));
  const sealed = seal.seal(aboutPresence(id, mark), Buffer.from(JSON.stringify(presence)));
  await redis.set(presenceKey(id), Buffer.concat([head, sealed]), 'PX', LIVES_FOR.presence);
  await redis.zadd(WORKERS_KEY, mark, id);
  await redis.pexpire(WORKERS_KEY, LIVES_FOR.mailbox);
}

export async function takePresenceBack(redis: Redis, id: string): Promise<void> {
  await redis.del(presenceKey(id));
  await redis.zrem(WORKERS_KEY, id);
}

function aboutPresence(workerId: string, mark: number): SealedFor {
  return { purpose: 'presence', runId: '', workerId, epoch: 0, mark };
}

/** `worker-2` before `worker-10`. */
const byName = new Intl.Collator('en', { numeric: true });

/** How often the service looks. */
const LOOK_EVERY_MS = 1000;

/** Who has not been there for so long is forgotten, with its mailbox. */
const FORGOTTEN_MS = 60_000;

export interface Roster {
  /** Those that know the secret, of any protocol version, as they were a second ago; by name. */
  list(): readonly Presence[];
  /** The same, as they are now. Errors: those of Redis. */
  look(): Promise<readonly Presence[]>;
  close(): void;
}

export interface RosterTold {
  /** A worker will not come back. */
  readonly gone: (id: string) => Promise<void>;
  /** One that knows the secret says something of itself that this version does not understand: once. */
  readonly strange: (id: string) => void;
}

export function openRoster(redis: Redis, seal: Seal, { gone, strange }: RosterTold): Roster {
  let present: readonly Presence[] = [];
  const strangers = new Set<string>();
  const look = async (): Promise<readonly Presence[]> => {
    const clock = await readRedisClock(redis);
    const oldest = redisTime(clock) - LIVES_FOR.presence;
    const ids = await redis.zrangebyscore(WORKERS_KEY, oldest, '+inf');
    const values = ids.length === 0 ? [] : await redis.mgetBuffer(ids.map(presenceKey));
    present = values
      .flatMap((value, index) => {
        const id = ids[index] ?? '';
        const one = value === null ? null : openPresence(seal, { id, value, oldest });
        if (one !== 'strange') return one === null ? [] : [one];
        if (!strangers.has(id)) strange(id);
        strangers.add(id);
        return [];
      })
      .sort((one, other) => byName.compare(one.name, other.name) || (one.id < other.id ? -1 : 1));
    for (const id of await redis.zrangebyscore(WORKERS_KEY, '-inf', redisTime(clock) - FORGOTTEN_MS)) {
      await redis.zrem(WORKERS_KEY, id);
      strangers.delete(id);
      await gone(id);
    }
    return present;
  };
  const timer = setInterval(() => {
    // Nobody is known to be there while Redis is away.
    look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  return {
    list: () => present,
    look,
    close: () => {
      clearInterval(timer);
    },
  };
}

/** Who can be given work, if it has none. */
export function isUsable({ protocol }: Presence): boolean {
  return protocol === PROTOCOL_VERSION;
}

/** Null: it does not know the secret, or is of another time or worker. */
function openPresence(
  seal: Seal,
  { id, value, oldest }: { readonly id: string; readonly value: Buffer; readonly oldest: number },
): Presence | 'strange' | null {
  if (value.length < MARK_BYTES) return null;
  const mark = Number(value.readBigUInt64BE());
  if (mark < oldest) return null;
  const text = seal.open(aboutPresence(id, mark), value.subarray(MARK_BYTES));
  if (text === null) return null;
  const presence = readPresence(text);
  return presence?.id === id ? presence : 'strange';
}

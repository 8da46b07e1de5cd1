/** What loadtests may do on a Redis: the least that it needs, and how that is tried without a trace. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './redis-keys.ts';

/** A key of the kind that none of the tried commands but `set` and `del` takes: they change nothing. */
const PROBE_KEY = '<key>';

/**
 * Every command that the service and its workers use, BullMQ's scripts included, each with words that it can be tried
 * with. Beside these a connection says `HELLO`, `AUTH` and `SELECT`.
 */
const PROBE_COMMANDS: readonly (readonly string[])[] = [
  // A text that goes away by itself stands where lists, sets and streams belong.
  ['set', PROBE_KEY, 'text', 'PX', '10000'],
  ['info', 'server'],
  ['ping'],
  ['client|setname', 'loadtests-check'],
  ['time'],
  ['select', '<database>'],
  ['get', PROBE_KEY],
  ['mget', PROBE_KEY],
  ['exists', PROBE_KEY],
  ['incr', PROBE_KEY],
  ['pexpire', PROBE_KEY, '10000'],
  ['persist', PROBE_KEY],
  ['pttl', PROBE_KEY],
  ['rename', PROBE_KEY, PROBE_KEY],
  ['hdel', PROBE_KEY, 'a'],
  ['hexists', PROBE_KEY, 'a'],
  ['hget', PROBE_KEY, 'a'],
  ['hgetall', PROBE_KEY],
  ['hincrby', PROBE_KEY, 'a', '1'],
  ['hmget', PROBE_KEY, 'a'],
  ['hmset', PROBE_KEY, 'a', 'b'],
  ['hset', PROBE_KEY, 'a', 'b'],
  ['llen', PROBE_KEY],
  ['lpush', PROBE_KEY, 'a'],
  ['lrange', PROBE_KEY, '0', '0'],
  ['lrem', PROBE_KEY, '0', 'a'],
  ['ltrim', PROBE_KEY, '0', '0'],
  ['rpush', PROBE_KEY, 'a'],
  ['rpoplpush', PROBE_KEY, PROBE_KEY],
  ['sadd', PROBE_KEY, 'a'],
  ['scard', PROBE_KEY],
  ['smembers', PROBE_KEY],
  ['srem', PROBE_KEY, 'a'],
  ['xadd', PROBE_KEY, '*', 'a', 'b'],
  ['xread', 'COUNT', '1', 'STREAMS', PROBE_KEY, '0'],
  ['xtrim', PROBE_KEY, 'MAXLEN', '1'],
  ['bzpopmin', PROBE_KEY, '0.01'],
  ['zadd', PROBE_KEY, '1', 'a'],
  ['zcard', PROBE_KEY],
  ['zpopmin', PROBE_KEY],
  ['zrange', PROBE_KEY, '0', '0'],
  ['zrangebyscore', PROBE_KEY, '0', '0'],
  ['zrem', PROBE_KEY, 'a'],
  ['zremrangebyrank', PROBE_KEY, '0', '0'],
  ['zremrangebyscore', PROBE_KEY, '0', '0'],
  ['zrevrange', PROBE_KEY, '0', '0'],
  ['zrevrangebyscore', PROBE_KEY, '0', '0'],
  ['zscore', PROBE_KEY, 'a'],
  ['eval', 'return 1', '1', PROBE_KEY],
  ['evalsha', '0'.repeat(40), '1', PROBE_KEY],
  ['del', PROBE_KEY],
];

/** Commands that a user needs, as an ACL writes them. */
export const REQUIRED_COMMANDS: readonly string[] = PROBE_COMMANDS.map(([name = '']) => name);

/** Which keys it needs: see keys.ts. */
export const REQUIRED_KEYS = `${KEY_PREFIX}:*`;

/** What is put into an ACL for a user with the least rights, beside its name and password. */
export function formatMinimumAcl(): string {
  return [
    'resetkeys',
    `~${REQUIRED_KEYS}`,
    'resetchannels',
    '-@all',
    ...REQUIRED_COMMANDS.map((name) => `+${name}`),
  ].join(' ');
}

export interface MissingPermissions {
  /** As an ACL writes them. */
  readonly commands: readonly string[];
  /** It may not touch the keys of loadtests. */
  readonly keys: boolean;
}

/**
 * Tries each command; nothing is left behind.
 *
 * Errors: those of the connection.
 */
export async function findMissingPermissions(redis: Redis, database: number): Promise<MissingPermissions> {
  const key = `${KEY_PREFIX}:check:${randomBytes(8).toString('hex')}`;
  const commands: string[] = [];
  let keys = false;
  const responses = PROBE_COMMANDS.map(async ([name = '', ...words]) => {
    const filled = words.map((word) =>
      word === PROBE_KEY ? key : word === '<database>' ? String(database) : word,
    );
    try {
      const [command = '', ...subcommand] = name.split('|');
      await redis.call(command, ...subcommand, ...filled);
    } catch (error) {
      // All else, such as the wrong kind of key, is said to who has the right.
      if (!(error instanceof Error) || !error.message.startsWith('NOPERM')) {
        if (error instanceof Error && error.name === 'ReplyError') return;
        throw error;
      }
      if (/\bkeys?\b/.test(error.message)) keys = true;
      else commands.push(name);
    }
  });
  await Promise.all(responses);
  return { commands, keys };
}

/** What loadtests may do on a Redis: the least that it needs, and how that is tried without a trace. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { PREFIX } from './keys.ts';

/** A key of the kind that none of the tried commands but `set` and `del` takes: they change nothing. */
const KEY = '<key>';

/**
 * Every command that the service and its workers use, BullMQ's scripts included, each with words that it can be tried
 * with. Beside these a connection says `HELLO`, `AUTH` and `SELECT`.
 */
const TRIALS: readonly (readonly string[])[] = [
  // A text that goes away by itself stands where lists, sets and streams belong.
  ['set', KEY, 'text', 'PX', '10000'],
  ['info', 'server'],
  ['ping'],
  ['client|setname', 'loadtests-check'],
  ['time'],
  ['select', '<database>'],
  ['get', KEY],
  ['mget', KEY],
  ['exists', KEY],
  ['incr', KEY],
  ['pexpire', KEY, '10000'],
  ['persist', KEY],
  ['pttl', KEY],
  ['rename', KEY, KEY],
  ['hdel', KEY, 'a'],
  ['hexists', KEY, 'a'],
  ['hget', KEY, 'a'],
  ['hgetall', KEY],
  ['hincrby', KEY, 'a', '1'],
  ['hmget', KEY, 'a'],
  ['hmset', KEY, 'a', 'b'],
  ['hset', KEY, 'a', 'b'],
  ['llen', KEY],
  ['lpush', KEY, 'a'],
  ['lrange', KEY, '0', '0'],
  ['lrem', KEY, '0', 'a'],
  ['ltrim', KEY, '0', '0'],
  ['rpush', KEY, 'a'],
  ['rpoplpush', KEY, KEY],
  ['sadd', KEY, 'a'],
  ['scard', KEY],
  ['smembers', KEY],
  ['srem', KEY, 'a'],
  ['xadd', KEY, '*', 'a', 'b'],
  ['xread', 'COUNT', '1', 'STREAMS', KEY, '0'],
  ['xtrim', KEY, 'MAXLEN', '1'],
  ['bzpopmin', KEY, '0.01'],
  ['zadd', KEY, '1', 'a'],
  ['zcard', KEY],
  ['zpopmin', KEY],
  ['zrange', KEY, '0', '0'],
  ['zrangebyscore', KEY, '0', '0'],
  ['zrem', KEY, 'a'],
  ['zremrangebyrank', KEY, '0', '0'],
  ['zremrangebyscore', KEY, '0', '0'],
  ['zrevrange', KEY, '0', '0'],
  ['zrevrangebyscore', KEY, '0', '0'],
  ['zscore', KEY, 'a'],
  ['eval', 'return 1', '1', KEY],
  ['evalsha', '0'.repeat(40), '1', KEY],
  ['del', KEY],
];

/** Commands that a user needs, as an ACL writes them. */
export const NEEDED_COMMANDS: readonly string[] = TRIALS.map(([name = '']) => name);

/** Which keys it needs: see keys.ts. */
export const NEEDED_KEYS = `${PREFIX}:*`;

/** What is put into an ACL for a user with the least rights, beside its name and password. */
export function leastRights(): string {
  return [
    'resetkeys',
    `~${NEEDED_KEYS}`,
    'resetchannels',
    '-@all',
    ...NEEDED_COMMANDS.map((name) => `+${name}`),
  ].join(' ');
}

export interface MissingRights {
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
export async function missingRights(redis: Redis, database: number): Promise<MissingRights> {
  const key = `${PREFIX}:check:${randomBytes(8).toString('hex')}`;
  const commands: string[] = [];
  let keys = false;
  const answers = TRIALS.map(async ([name = '', ...words]) => {
    const filled = words.map((word) =>
      word === KEY ? key : word === '<database>' ? String(database) : word,
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
  await Promise.all(answers);
  return { commands, keys };
}

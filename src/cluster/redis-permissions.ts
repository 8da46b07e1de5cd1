/** Permissions that loadtests needs on Redis: the minimum ACL, and a check. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './redis-keys.ts';

/** Placeholder for the name of a temporary string key. Commands for other types fail without changing the key. */
const PROBE_KEY = '<key>';

/** Commands of the service and its workers, with arguments for probing. */
const PROBE_COMMANDS: readonly (readonly string[])[] = [
  // Must precede the other commands with the key, because this command creates the key.
  ['set', PROBE_KEY, 'text', 'PX', '10000'],
  ['info', 'server'],
  ['ping'],
  ['client|setname', 'loadtests-check'],
  ['time'],
  ['select', '<database>'],
  ['getrange', PROBE_KEY, '0', '0'],
  ['pexpire', PROBE_KEY, '10000'],
  ['xadd', PROBE_KEY, '*', 'a', 'b'],
  ['xread', 'COUNT', '1', 'STREAMS', PROBE_KEY, '0'],
  ['xtrim', PROBE_KEY, 'MAXLEN', '1'],
  ['zadd', PROBE_KEY, '1', 'a'],
  ['zrangebyscore', PROBE_KEY, '0', '0'],
  ['zrem', PROBE_KEY, 'a'],
  ['zremrangebyscore', PROBE_KEY, '0', '0'],
  ['del', PROBE_KEY],
];

/** Commands that the Redis user must be permitted to run, in ACL notation. */
export const REQUIRED_COMMANDS: readonly string[] = PROBE_COMMANDS.map(([name = '']) => name);

export const REQUIRED_KEYS = `${KEY_PREFIX}:*`;

/** Returns the ACL rules for a user with minimum permissions, without the name and password of the user. */
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
  /** Missing commands, in ACL notation. */
  readonly commands: readonly string[];
  /** True if the user lacks access to the keys of loadtests. */
  readonly keys: boolean;
}

/**
 * Tries each command and returns the missing permissions. The probe key is deleted, or expires after 10 s.
 *
 * @throws Error if the connection fails.
 */
export async function findMissingPermissions(redis: Redis, database: number): Promise<MissingPermissions> {
  const key = `${KEY_PREFIX}:check:${randomBytes(8).toString('hex')}`;
  const commands: string[] = [];
  let keys = false;
  const responses = PROBE_COMMANDS.map(async ([name = '', ...template]) => {
    const args = template.map((arg) =>
      arg === PROBE_KEY ? key : arg === '<database>' ? String(database) : arg,
    );
    try {
      const [command = '', ...subcommand] = name.split('|');
      await redis.call(command, ...subcommand, ...args);
    } catch (error) {
      // Redis checks permissions first, so any other reply error proves that the command is permitted.
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

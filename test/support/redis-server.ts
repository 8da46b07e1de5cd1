/** A real Redis server on a free port of 127.0.0.1, with its data in a directory of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from './free-port.ts';

const REDIS_PATH = process.env['REDIS_SERVER'] ?? '/usr/bin/redis-server';

/** CI asks for it: there, tests without it fail. */
const IS_REQUIRED = process.env['NEED_REDIS'] === '1';

/** Why tests that need it are left out; null where they are not. */
export const SKIP_WITHOUT_REDIS: string | null =
  IS_REQUIRED || existsSync(REDIS_PATH) ? null : `left out: there is no redis-server at ${REDIS_PATH}`;

export interface RedisServer {
  readonly port: number;
  /** Without credentials. */
  readonly url: string;
  readonly directory: string;
  /** Ends it without a word to anybody, as a crash does. Nothing where it has ended. */
  kill(): Promise<void>;
  /** Starts it again on its port. `empty`: what it had on disk is gone. */
  start(how?: { readonly empty?: boolean }): Promise<void>;
  /** It stands still, with its connections open, until `goOn`. */
  pause(): void;
  resume(): void;
  /** As an operator at its own machine, over a connection that is closed after it. Errors: those of Redis. */
  command(name: string, ...words: readonly (string | number)[]): Promise<unknown>;
  /** Ends it and removes its directory. */
  close(): Promise<void>;
}

export interface RedisSettings {
  /** Lines of its configuration, such as `maxmemory 10mb`, after the rig's own. */
  readonly lines?: readonly string[];
  /** Everything that was acknowledged is on disk. */
  readonly durable?: boolean;
  /** What `command` says first. */
  readonly operator?: { readonly username?: string; readonly password: string };
  /** It watches other servers instead of keeping data; `lines` says which. */
  readonly sentinel?: boolean;
}

/** Started, and ready for commands. It evicts nothing, as loadtests asks for. */
export async function startRedis(settings: RedisSettings = {}): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  let child = await launchRedis(directory, port, settings);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    directory,
    kill: end,
    start: async ({ empty = false } = {}) => {
      await end();
      for (const name of empty ? readdirSync(directory) : [])
        rmSync(join(directory, name), { recursive: true });
      child = await launchRedis(directory, port, settings);
    },
    pause: () => {
      child.kill('SIGSTOP');
    },
    resume: () => {
      child.kill('SIGCONT');
    },
    command: async (name, ...words) => {
      const redis = new Redis({ host: '127.0.0.1', port, ...settings.operator, lazyConnect: true });
      try {
        await redis.connect();
        return await redis.call(name, ...words);
      } finally {
        redis.disconnect();
      }
    },
    close: async () => {
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function launchRedis(directory: string, port: number, settings: RedisSettings): Promise<ChildProcess> {
  const lines = [
    ...['bind 127.0.0.1', `port ${port}`, `dir ${directory}`, 'daemonize no'],
    ...(settings.sentinel === true ? [] : ['maxmemory-policy noeviction', 'save ""']),
    ...(settings.durable === true ? ['appendonly yes', 'appendfsync always'] : []),
    ...(settings.lines ?? []),
  ];
  const file = join(directory, 'redis.conf');
  // Sentinel writes into its own configuration what it finds out.
  writeFileSync(file, lines.join('\n') + '\n', { mode: 0o600 });
  const child = spawn(REDIS_PATH, [file, ...(settings.sentinel === true ? ['--sentinel'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const readiness = settings.sentinel === true ? 'Sentinel ID is' : 'Ready to accept connections';
  let said = '';
  await new Promise<void>((ready, failed) => {
    child.once('error', failed);
    child.once('exit', () => {
      failed(new Error(`redis-server ended:\n${said}`));
    });
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString('utf8');
      if (said.includes(readiness)) ready();
    });
  });
  child.stdout.resume();
  return child;
}

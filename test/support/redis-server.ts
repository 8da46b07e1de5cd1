/** A real Redis server on a free port of 127.0.0.1, with its own data directory. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from './free-port.ts';

const REDIS_PATH = process.env['REDIS_SERVER'] ?? '/usr/bin/redis-server';

/** Set in CI, so that tests fail without Redis. */
const IS_REQUIRED = process.env['NEED_REDIS'] === '1';

/** Reason for skipping the tests that need Redis; null if it is installed. */
export const SKIP_WITHOUT_REDIS: string | null =
  IS_REQUIRED || existsSync(REDIS_PATH) ? null : `skipped: redis-server not found at ${REDIS_PATH}`;

export interface RedisServer {
  readonly port: number;
  /** Without credentials. */
  readonly url: string;
  readonly directory: string;
  /** Ends the server like a crash. Does nothing if it has ended. */
  kill(): Promise<void>;
  /** Starts the server again on its port. `empty`: true to delete its data on disk. */
  start(options?: { readonly empty?: boolean }): Promise<void>;
  /** Pauses the process, with open connections, until `resume`. */
  pause(): void;
  resume(): void;
  /**
   * Runs a command as an operator, on a separate connection.
   * @throws the errors of Redis.
   */
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Ends the server and removes its directory. */
  close(): Promise<void>;
}

export interface RedisSettings {
  /** Additional lines of the configuration, such as `maxmemory 10mb`. */
  readonly lines?: readonly string[];
  /** True if acknowledged data is always on disk. */
  readonly durable?: boolean;
  /** Credentials of `command`. */
  readonly operator?: { readonly username?: string; readonly password: string };
  /** True for a Sentinel, which monitors the servers in `lines`. */
  readonly sentinel?: boolean;
}

/** Starts a server and waits until it is ready. It evicts no keys, as loadtests requires. */
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
    command: async (name, ...args) => {
      const redis = new Redis({ host: '127.0.0.1', port, ...settings.operator, lazyConnect: true });
      try {
        await redis.connect();
        return await redis.call(name, ...args);
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
  // Sentinel modifies its own configuration file.
  writeFileSync(file, lines.join('\n') + '\n', { mode: 0o600 });
  const child = spawn(REDIS_PATH, [file, ...(settings.sentinel === true ? ['--sentinel'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const readiness = settings.sentinel === true ? 'Sentinel ID is' : 'Ready to accept connections';
  let output = '';
  await new Promise<void>((ready, failed) => {
    child.once('error', failed);
    child.once('exit', () => failed(new Error(`redis-server exited:\n${output}`)));
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString('utf8');
      if (output.includes(readiness)) ready();
    });
  });
  child.stdout.resume();
  return child;
}

/** Checks of Redis at startup, and connections that recover. */
// @module-tag load
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseRedisAddress } from '../../src/cluster/redis-address.ts';
import { formatMinimumAcl, REQUIRED_COMMANDS } from '../../src/cluster/redis-permissions.ts';
import { openRedis, type OnConnectionChange } from '../../src/cluster/redis-connection.ts';
import { ProblemError, type Problem } from '../../src/core/problem.ts';
import { runCli, startCli } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { startRedis, SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';

/** Password of every address in this file. It must never appear in a message. */
const CANARY = 'canary-5f1e';

async function refusalOf(address: string): Promise<Problem> {
  try {
    await openRedis(parseRedisAddress(address));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(`${error.stack ?? ''} ${JSON.stringify(error)}`).not.toContain(CANARY);
    return error.problem;
  }
  throw new Error(`${address} was accepted`);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Creates a server that responds to INFO with the given text and to all other commands with OK. */
function createScriptedServer(info: string): Server {
  return createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      for (const [command] of chunk.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n\w+/g)) {
        const isInfo = command.toLowerCase().endsWith('info');
        if (command.toLowerCase().endsWith('hello'))
          socket.write('-NOPROTO unsupported protocol version\r\n');
        else socket.write(isInfo ? `$${Buffer.byteLength(info)}\r\n${info}\r\n` : '+OK\r\n');
      }
    });
  });
}

test('openRedis reports a refused connection', async () => {
  const port = await findFreePort();
  expect(await refusalOf(`redis://:${CANARY}@127.0.0.1:${port}`)).toMatchObject({
    code: 'LT_CLUSTER_UNREACHABLE',
    message: `Redis at redis://127.0.0.1:${port} cannot be used: connection refused`,
  });
});

test('openRedis reports a missing socket file', async () => {
  expect(await refusalOf('unix:///nowhere/redis.sock')).toMatchObject({
    code: 'LT_CLUSTER_UNREACHABLE',
    message: 'Redis at unix:///nowhere/redis.sock cannot be used: the socket file does not exist',
  });
});

test.each([
  ['redis_version:6.0.16\r\nmaxmemory_policy:noeviction', 'has version 6.0.16', '6.2 or later'],
  ['redis_version:5.0.9', 'has version 5.0.9', '6.2 or later'],
  ['server:other', 'does not report its version', '6.2 or later'],
  ['redis_version:7.2.0\r\nredis_mode:cluster', 'is a node of a Redis Cluster', 'Sentinel'],
  [
    'redis_version:7.2.0\r\nrole:slave\r\nmaster_host:10.0.0.7\r\nmaster_port:6379',
    'is a replica',
    '10.0.0.7:6379',
  ],
])('openRedis rejects a server whose INFO is %j', async (info, message, hint) => {
  const port = await listening(createScriptedServer(info));
  const refusal = await refusalOf(`redis://127.0.0.1:${port}`);
  expect(refusal.code).toBe('LT_CLUSTER_REDIS');
  expect(refusal.message).toContain(message);
  expect(refusal.hint).toContain(hint);
});

test.each([
  ['redis_version:6.2.0\r\nmaxmemory_policy:noeviction', '6.2.0'],
  [
    'redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nmaxmemory_policy:noeviction',
    '8.0.1',
  ],
])('openRedis accepts a server whose INFO is %j', async (info, version) => {
  const port = await listening(createScriptedServer(info));
  expect((await openRedis(parseRedisAddress(`redis://127.0.0.1:${port}`))).version).toBe(version);
});

test('openRedis rejects a web server', async () => {
  const port = await listening(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    }),
  );
  expect((await refusalOf(`redis://127.0.0.1:${port}`)).message).toContain('does not use the Redis protocol');
});

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('Redis servers', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  const withUser = (user: string, password: string): string =>
    `redis://${user}:${password}@127.0.0.1:${redis.port}`;

  test('openRedis returns the version and the address of the server, and leaves no keys in Redis', async () => {
    const opened = await openRedis(parseRedisAddress(redis.url));
    expect(opened.version).toMatch(/^\d+\.\d+/);
    expect(opened.displayAddress).toBe(redis.url);
    expect(await redis.command('dbsize')).toBe(0);
  });

  test('openRedis rejects a wrong password, and the error does not contain the password', async () => {
    await redis.command('acl', 'setuser', 'someone', 'on', '>right', '+@all', '~*');
    expect(await refusalOf(withUser('someone', CANARY))).toMatchObject({
      code: 'LT_CLUSTER_REDIS',
      message: `Redis at ${redis.url} cannot be used: the user or password is wrong`,
    });
  });

  test('openRedis reports that a password is required', async () => {
    await redis.command('acl', 'setuser', 'default', 'off');
    try {
      const { message, hint } = await refusalOf(redis.url);
      expect(message).toContain('a password is required');
      expect(hint).toContain('LOADTESTS_REDIS');
    } finally {
      await redis.start();
    }
  });

  test('openRedis rejects a server that evicts keys, and a hint names the correct setting', async () => {
    await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    try {
      const { message, hint } = await refusalOf(redis.url);
      expect(message).toContain('evicts keys when memory is full (maxmemory-policy: allkeys-lru)');
      expect(hint).toContain('CONFIG SET maxmemory-policy noeviction');
    } finally {
      await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
    }
  });

  test('openRedis rejects a database number that is out of range', async () => {
    expect((await refusalOf(`${redis.url}/99`)).message).toContain('the database number is out of range');
  });

  test('openRedis requires exactly the documented minimum permissions', async () => {
    await redis.command('acl', 'setuser', 'least', 'on', `>${CANARY}`, ...formatMinimumAcl().split(' '));
    await openRedis(parseRedisAddress(`${withUser('least', CANARY)}/1`));
    for (const name of REQUIRED_COMMANDS) {
      await redis.command('acl', 'setuser', 'least', `-${name}`);
      const { code, message, hint } = await refusalOf(`${withUser('least', CANARY)}/1`);
      expect([name, code, message]).toEqual([
        name,
        'LT_CLUSTER_REDIS',
        `the user "least" of Redis at ${redis.url} lacks permission to use the command ${name}`,
      ]);
      expect(hint).toContain(`+${name}`);
      await redis.command('acl', 'setuser', 'least', `+${name}`);
    }
    await redis.command('acl', 'setuser', 'least', 'resetkeys', '~other:*');
    expect((await refusalOf(withUser('least', CANARY))).message).toContain(
      'lacks permission to use the keys of loadtests',
    );
  });

  test('a Redis connection reconnects after a restart of the server and reports the outage once', async () => {
    const changes: Parameters<OnConnectionChange>[0][] = [];
    const opened = await openRedis(parseRedisAddress(redis.url), (change) => changes.push(change));
    const connection = opened.connect('test');
    onTestFinished(() => connection.disconnect());
    expect(await connection.set('{loadtests}:x', '1', 'PX', 10_000)).toBe('OK');
    await redis.kill();
    const waiting = connection.get('{loadtests}:x');
    await redis.start();
    expect(await waiting).toBeNull();
    await expect.poll(() => changes.map(({ event }) => event)).toEqual(['redis-lost', 'redis-back']);
  });

  test('a connection to an unresponsive Redis server is closed, and a waiting command succeeds when the server responds again', async () => {
    const opened = await openRedis(parseRedisAddress(redis.url));
    const connection = opened.connect('test');
    onTestFinished(() => connection.disconnect());
    await connection.ping();
    redis.pause();
    const waiting = connection.ping();
    await expect.poll(() => connection.status).not.toBe('ready');
    redis.resume();
    expect(await waiting).toBe('PONG');
  });

  test('a Redis connection follows Sentinel to the new primary after a failover', async () => {
    const second = await startRedis({ lines: [`replicaof 127.0.0.1 ${redis.port}`] });
    // Sentinel requests the list of replicas from the primary every ten seconds, so the replica must be
    // online before Sentinel starts.
    const replication = async (): Promise<string> => String(await redis.command('info', 'replication'));
    await expect.poll(replication).toMatch(/state=online/);
    const monitoring = [
      `sentinel monitor shop 127.0.0.1 ${redis.port} 1`,
      'sentinel down-after-milliseconds shop 500',
      'sentinel failover-timeout shop 2000',
    ];
    const sentinel = await startRedis({ sentinel: true, lines: monitoring });
    onTestFinished(async () => {
      await sentinel.close();
      await second.close();
      await redis.start();
    });
    const unusedPort = await findFreePort();
    const address = `redis+sentinel://127.0.0.1:${unusedPort},127.0.0.1:${sentinel.port}/shop`;
    const opened = await openRedis(parseRedisAddress(address));
    expect(opened.displayAddress).toBe(address);
    const connection = opened.connect('test');
    onTestFinished(() => connection.disconnect());
    const port = async (): Promise<unknown> => /tcp_port:(\d+)/.exec(await connection.info('server'))?.[1];
    expect(await port()).toBe(String(redis.port));
    // Sentinel rejects a failover until it has discovered the replica.
    const failOver = async (): Promise<unknown> =>
      await sentinel.command('sentinel', 'failover', 'shop').catch(() => null);
    await expect.poll(failOver, { interval: 200 }).toBe('OK');
    await expect
      .poll(async () => await sentinel.command('sentinel', 'get-master-addr-by-name', 'shop'))
      .toEqual(['127.0.0.1', String(second.port)]);
    await redis.kill();
    expect(await port()).toBe(String(second.port));
    // Load to both endpoints is forbidden.
    for (const { port: endpointPort } of [redis, second])
      expect(opened.endpoints()).toContainEqual({ address: '127.0.0.1', port: endpointPort });
    const { message } = await refusalOf(`redis+sentinel://127.0.0.1:${sentinel.port}/other`);
    expect(message).toContain('no sentinel is usable');
  });

  test('a TLS connection to Redis requires a trusted certificate for the host name', async () => {
    const certified = (file: string): string => join(redis.directory, file);
    const openssl = (...args: readonly string[]): void => {
      execFileSync('openssl', args, { stdio: 'ignore', cwd: redis.directory });
    };
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '30',
      '-subj',
      '/CN=authority',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
    );
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    openssl('req', '-new', ...key, ...names, '-keyout', 'tls.key', '-out', 'tls.csr');
    const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy'];
    openssl('x509', '-req', '-in', 'tls.csr', ...signer, '-days', '30', '-out', 'tls.pem');
    const port = await findFreePort();
    const files = [`tls-cert-file ${certified('tls.pem')}`, `tls-key-file ${certified('tls.key')}`];
    const secured = await startRedis({
      lines: [`tls-port ${port}`, ...files, `tls-ca-cert-file ${certified('ca.pem')}`, 'tls-auth-clients no'],
    });
    onTestFinished(() => secured.close());
    const { code, message, hint } = await refusalOf(`rediss://:${CANARY}@localhost:${port}`);
    expect([code, message]).toEqual([
      'LT_CLUSTER_REDIS',
      `Redis at rediss://localhost:${port} cannot be used: its certificate is not signed by a trusted authority`,
    ]);
    expect(hint).toContain('NODE_EXTRA_CA_CERTS');
    expect((await refusalOf(`rediss://localhost:${secured.port}`)).hint).toContain(
      'use redis:// if the server does not support TLS',
    );
    expect((await refusalOf(`redis://localhost:${port}`)).message).toMatch(
      /closed the connection|Redis protocol/,
    );
    const trusting = {
      directory: redis.directory,
      env: { NODE_EXTRA_CA_CERTS: certified('ca.pem'), LOADTESTS_WORKER_SECRET: '0'.repeat(32) },
    };
    const worker = startCli(['worker', '--redis', `rediss://localhost:${port}`], trusting);
    await worker.saw('is ready');
    worker.kill('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    const other = await runCli(['worker', '--redis', `rediss://127.0.0.1:${port}`], trusting);
    expect([other.exit, other.stderr]).toEqual([
      3,
      expect.stringContaining('its certificate is for a different name'),
    ]);
  });
});

/** What is asked of a Redis before anything is built on it. */
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

/** Stands in every address of this file that has a password, and never in what is said. */
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

/** Answers every command with OK, and INFO with what is given. */
function scripted(info: string): Server {
  return createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => {
      for (const [command] of piece.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n\w+/g)) {
        const isInfo = command.toLowerCase().endsWith('info');
        if (command.toLowerCase().endsWith('hello'))
          socket.write('-NOPROTO unsupported protocol version\r\n');
        else socket.write(isInfo ? `$${Buffer.byteLength(info)}\r\n${info}\r\n` : '+OK\r\n');
      }
    });
  });
}

test('where nothing listens, it is said', async () => {
  const port = await findFreePort();
  expect(await refusalOf(`redis://:${CANARY}@127.0.0.1:${port}`)).toMatchObject({
    code: 'LT_CLUSTER_UNREACHABLE',
    message: `Redis at redis://127.0.0.1:${port} cannot be used: nothing listens there`,
  });
});

test('a socket that is not there is said', async () => {
  expect(await refusalOf('unix:///nowhere/redis.sock')).toMatchObject({
    code: 'LT_CLUSTER_UNREACHABLE',
    message: 'Redis at unix:///nowhere/redis.sock cannot be used: there is no such file',
  });
});

test.each([
  ['redis_version:6.0.16\r\nmaxmemory_policy:noeviction', 'is of version 6.0.16', '6.2 or later'],
  ['redis_version:5.0.9', 'is of version 5.0.9', '6.2 or later'],
  ['server:other', 'does not tell its version', '6.2 or later'],
  ['redis_version:7.2.0\r\nredis_mode:cluster', 'is a node of a Redis Cluster', 'sentinels'],
  [
    'redis_version:7.2.0\r\nrole:slave\r\nmaster_host:10.0.0.7\r\nmaster_port:6379',
    'is a replica',
    '10.0.0.7:6379',
  ],
])('a server that says %j is refused', async (info, said, hint) => {
  const port = await listening(scripted(info));
  const refused = await refusalOf(`redis://127.0.0.1:${port}`);
  expect(refused.code).toBe('LT_CLUSTER_REDIS');
  expect(refused.message).toContain(said);
  expect(refused.hint).toContain(hint);
});

test.each([
  ['redis_version:6.2.0\r\nmaxmemory_policy:noeviction', '6.2.0'],
  [
    'redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nmaxmemory_policy:noeviction',
    '8.0.1',
  ],
])('a server that says %j is taken', async (info, version) => {
  const port = await listening(scripted(info));
  expect((await openRedis(parseRedisAddress(`redis://127.0.0.1:${port}`))).version).toBe(version);
});

test('a web server is no Redis', async () => {
  const port = await listening(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    }),
  );
  expect((await refusalOf(`redis://127.0.0.1:${port}`)).message).toContain(
    'does not speak the protocol of Redis',
  );
});

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('a real server', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.close();
  });

  const withUser = (user: string, password: string): string =>
    `redis://${user}:${password}@127.0.0.1:${redis.port}`;

  test('is opened, and keeps nothing of it', async () => {
    const opened = await openRedis(parseRedisAddress(redis.url));
    expect(opened.version).toMatch(/^\d+\.\d+/);
    expect(opened.displayAddress).toBe(redis.url);
    expect(await redis.command('dbsize')).toBe(0);
  });

  test('with a wrong password is refused, and the password is not told', async () => {
    await redis.command('acl', 'setuser', 'someone', 'on', '>right', '+@all', '~*');
    expect(await refusalOf(withUser('someone', CANARY))).toMatchObject({
      code: 'LT_CLUSTER_REDIS',
      message: `Redis at ${redis.url} cannot be used: the user or password is wrong`,
    });
  });

  test('that asks for a password is refused without one', async () => {
    await redis.command('acl', 'setuser', 'default', 'off');
    try {
      const { message, hint } = await refusalOf(redis.url);
      expect(message).toContain('asks for a password');
      expect(hint).toContain('LOADTESTS_REDIS');
    } finally {
      await redis.start();
    }
  });

  test('that throws keys away is refused, with what to set', async () => {
    await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    try {
      const { message, hint } = await refusalOf(redis.url);
      expect(message).toContain('its maxmemory-policy is allkeys-lru');
      expect(hint).toContain('CONFIG SET maxmemory-policy noeviction');
    } finally {
      await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
    }
  });

  test('without the database is refused', async () => {
    expect((await refusalOf(`${redis.url}/99`)).message).toContain('it has no database of that number');
  });

  test('is used with the least rights, and refused without any of them', async () => {
    await redis.command('acl', 'setuser', 'least', 'on', `>${CANARY}`, ...formatMinimumAcl().split(' '));
    await openRedis(parseRedisAddress(`${withUser('least', CANARY)}/1`));
    for (const name of REQUIRED_COMMANDS) {
      await redis.command('acl', 'setuser', 'least', `-${name}`);
      const { code, message, hint } = await refusalOf(`${withUser('least', CANARY)}/1`);
      expect([name, code, message]).toEqual([
        name,
        'LT_CLUSTER_REDIS',
        `the user "least" of Redis at ${redis.url} lacks the right to use the command ${name}`,
      ]);
      expect(hint).toContain(`+${name}`);
      await redis.command('acl', 'setuser', 'least', `+${name}`);
    }
    await redis.command('acl', 'setuser', 'least', 'resetkeys', '~other:*');
    expect((await refusalOf(withUser('least', CANARY))).message).toContain(
      'lacks the right to use the keys of loadtests',
    );
  });

  test('is found again after it was away, which is told once for each connection', async () => {
    const told: Parameters<OnConnectionChange>[0][] = [];
    const opened = await openRedis(parseRedisAddress(redis.url), (trouble) => told.push(trouble));
    const connection = opened.connect('test');
    onTestFinished(() => {
      connection.disconnect();
    });
    expect(await connection.set('{loadtests}:x', '1', 'PX', 10_000)).toBe('OK');
    await redis.kill();
    const waiting = connection.get('{loadtests}:x');
    await redis.start();
    expect(await waiting).toBeNull();
    await expect.poll(() => told.map(({ event }) => event)).toEqual(['redis-lost', 'redis-back']);
  });

  test('that stands still is left, and found again', async () => {
    const opened = await openRedis(parseRedisAddress(redis.url));
    const connection = opened.connect('test');
    onTestFinished(() => {
      connection.disconnect();
    });
    await connection.ping();
    redis.pause();
    const waiting = connection.ping();
    await expect.poll(() => connection.status, { timeout: 15_000 }).not.toBe('ready');
    redis.resume();
    expect(await waiting).toBe('PONG');
  });

  test('is found through sentinels, also after another took its place', async () => {
    const second = await startRedis({ lines: [`replicaof 127.0.0.1 ${redis.port}`] });
    // It asks the primary for its replicas every ten seconds, so these are there before it.
    const replication = async (): Promise<string> => String(await redis.command('info', 'replication'));
    await expect.poll(replication, { timeout: 20_000 }).toMatch(/state=online/);
    const watched = [
      `sentinel monitor shop 127.0.0.1 ${redis.port} 1`,
      'sentinel down-after-milliseconds shop 500',
      'sentinel failover-timeout shop 2000',
    ];
    const sentinel = await startRedis({ sentinel: true, lines: watched });
    onTestFinished(async () => {
      await sentinel.close();
      await second.close();
      await redis.start();
    });
    const nobody = await findFreePort();
    const address = `redis+sentinel://127.0.0.1:${nobody},127.0.0.1:${sentinel.port}/shop`;
    const opened = await openRedis(parseRedisAddress(address));
    expect(opened.displayAddress).toBe(address);
    const connection = opened.connect('test');
    onTestFinished(() => {
      connection.disconnect();
    });
    const port = async (): Promise<unknown> => /tcp_port:(\d+)/.exec(await connection.info('server'))?.[1];
    expect(await port()).toBe(String(redis.port));
    // It refuses until it has found the replica.
    const failOver = async (): Promise<unknown> =>
      await sentinel.command('sentinel', 'failover', 'shop').catch(() => null);
    await expect.poll(failOver, { timeout: 20_000, interval: 200 }).toBe('OK');
    await expect
      .poll(async () => await sentinel.command('sentinel', 'get-master-addr-by-name', 'shop'), {
        timeout: 20_000,
      })
      .toEqual(['127.0.0.1', String(second.port)]);
    await redis.kill();
    expect(await port()).toBe(String(second.port));
    // Load goes to neither of them.
    for (const { port: led } of [redis, second])
      expect(opened.endpoints()).toContainEqual({ address: '127.0.0.1', port: led });
    const { message } = await refusalOf(`redis+sentinel://127.0.0.1:${sentinel.port}/other`);
    expect(message).toContain('no sentinel answered as it should');
  });

  test('with TLS is used by those who trust its authority only, under its name', async () => {
    const certified = (file: string): string => join(redis.directory, file);
    const openssl = (...words: readonly string[]): void => {
      execFileSync('openssl', words, { stdio: 'ignore', cwd: redis.directory });
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
    onTestFinished(async () => {
      await secured.close();
    });
    const { code, message, hint } = await refusalOf(`rediss://:${CANARY}@localhost:${port}`);
    expect([code, message]).toEqual([
      'LT_CLUSTER_REDIS',
      `Redis at rediss://localhost:${port} cannot be used: nobody who is trusted here signed its certificate`,
    ]);
    expect(hint).toContain('NODE_EXTRA_CA_CERTS');
    expect((await refusalOf(`rediss://localhost:${secured.port}`)).hint).toContain(
      'redis:// where it does not speak TLS',
    );
    expect((await refusalOf(`redis://localhost:${port}`)).message).toMatch(
      /closed the connection|protocol of Redis/,
    );
    const trusting = {
      directory: redis.directory,
      env: { NODE_EXTRA_CA_CERTS: certified('ca.pem'), LOADTESTS_WORKER_SECRET: '0'.repeat(32) },
    };
    const worker = startCli(['worker', '--redis', `rediss://localhost:${port}`], trusting);
    await worker.saw('is ready for runs');
    worker.kill('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    const other = await runCli(['worker', '--redis', `rediss://127.0.0.1:${port}`], trusting);
    expect([other.exit, other.stderr]).toEqual([
      3,
      expect.stringContaining('its certificate is for another name'),
    ]);
  });
});

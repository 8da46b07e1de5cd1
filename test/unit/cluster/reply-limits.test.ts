/** Data from Redis: replies that are too large, and data that no command requested, close the connection. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { limitReplies, RedisDataError } from '../../../src/cluster/reply-limits.ts';

const MAX_BYTES = 1024 * 1024;

/** Opens a client of a server that sends `answer` whenever it receives the command GET. */
async function openClient(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (data) => {
      if (data.includes('get')) answer(socket);
      else socket.write('+PONG\r\n'.repeat(data.toString().split('ping').length - 1));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const redis = new Redis({
    ...{ host: '127.0.0.1', port, protocol: 2, enableReadyCheck: false, disableClientInfo: true },
    ...{ maxRetriesPerRequest: null, autoResendUnfulfilledCommands: false, retryStrategy: () => 1 },
  });
  limitReplies(redis, MAX_BYTES);
  const errors: unknown[] = [];
  redis.on('error', (error) => errors.push(error));
  onTestFinished(() => {
    redis.disconnect();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await redis.ping();
  return { redis, errors, connections: () => sockets.size };
}

function bulk(length: number): string {
  return `$${length}\r\n${'x'.repeat(length)}\r\n`;
}

test.each([0, 1, 4095, 4096, 100_000, MAX_BYTES - 100])(
  'a Redis reply of %i bytes is read unchanged',
  async (length) => {
    const { redis, errors } = await openClient((socket) => socket.write(bulk(length)));
    expect(await redis.get('a')).toBe('x'.repeat(length));
    expect(await redis.get('a')).toBe('x'.repeat(length));
    expect(errors).toEqual([]);
  },
);

test('a Redis reply of 2 MiB is rejected, and the next command uses a new connection', async () => {
  const { redis, connections } = await openClient((socket) => socket.write(bulk(2 * MAX_BYTES)));
  await expect(redis.get('a')).rejects.toThrow(RedisDataError);
  expect(await redis.ping()).toBe('PONG');
  expect(connections()).toBe(2);
});

test('after unsolicited data from Redis, the connection is closed before most of the data is parsed', async () => {
  const { redis, errors, connections } = await openClient((socket) =>
    socket.write(`${bulk(1)}${'+OK\r\n'.repeat(1_000_000)}`),
  );
  expect(await redis.get('a')).toBe('x');
  await expect.poll(connections).toBe(2);
  expect(await redis.ping()).toBe('PONG');
  expect(errors.filter((error) => error instanceof RedisDataError)).toHaveLength(1);
  // Each parsed reply that no command waits for is an error of the client.
  expect(errors.length).toBeLessThan(1000);
});

import { connect, type Socket } from 'node:net';
import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY, openRig, until } from '../rig/service.ts';

/** A connection that sends a byte at a time, never ends its own half, and tells when it was cut off. */
function openDrip(port: number, first: string): { readonly socket: Socket; readonly cut: Promise<void> } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(first);
  const timer = setInterval(() => socket.write('x'), 20);
  const cut = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearInterval(timer);
      resolve();
    });
  });
  // What it is cut off with.
  socket.on('error', () => undefined);
  socket.resume();
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, cut };
}

/** A connection that only waits. */
async function openIdle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

describe('a request that does not arrive', () => {
  test.each([
    ['whose head drips', 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: '],
    ['that is no HTTP', 'hello\r\n\r\n'],
    ['whose head is too large', `GET /healthz HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}`],
    [
      'whose body drips',
      `POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nservice-auth: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
    ],
    [
      'whose body drips without a key',
      'POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9999\r\n\r\n',
    ],
    [
      'whose chunks drip',
      `POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nservice-auth: ${KEY}\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n`,
    ],
    [
      'that follows another one',
      'GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\nGET /healthz HTTP/1.1\r\nHost: HOST\r\nA: ',
    ],
  ])('%s ends with its connection, however many bytes still come', async (_, first) => {
    const { service } = await openRig({ limits: { receiveHeadMs: 300, receiveMs: 900 } });
    await openDrip(service.port, first.replaceAll('HOST', `127.0.0.1:${service.port}`)).cut;
  });
});

describe('connections that have not shown the key', () => {
  test('are bounded: the oldest gives way to the newest', async () => {
    const rig = await openRig({ limits: { strangers: 20 } });
    const { service } = rig;
    const drips = Array.from({ length: 20 }, () => openDrip(service.port, 'GET / HTTP/1.1\r\nA: '));
    await Promise.all(drips.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    const first = drips[0];
    const last = drips.at(-1);
    expect((await rig.call('GET', '/healthz', { key: null })).status).toBe(200);
    await first?.cut;
    expect(last?.socket.destroyed).toBe(false);
  });

  test('never take the place of one that has', async () => {
    const { service } = await openRig({ limits: { strangers: 5 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => {
      agent.destroy();
    });
    const sockets = new Set<Socket>();
    const ask = async (path: string, headers: Readonly<Record<string, string>>) =>
      await new Promise<number>((resolve, reject) => {
        const asked = request(service.url + path, { agent, headers }, (answer) => {
          sockets.add(answer.socket);
          answer.resume().once('end', () => {
            resolve(answer.statusCode ?? 0);
          });
        });
        asked.once('error', reject).end();
      });
    expect(await ask('/v2/apps', { 'service-auth': KEY })).toBe(200);
    for (let count = 0; count < 20; count++) await openIdle(service.port);
    expect(await ask('/v2/apps', { 'service-auth': KEY })).toBe(200);
    expect(await ask('/healthz', {})).toBe(200);
    expect(sockets.size).toBe(1);
  });

  test('stay strangers with a wrong key', async () => {
    const { service } = await openRig({ limits: { strangers: 5 } });
    const socket = await openIdle(service.port);
    socket.write(`GET /v2/apps HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nservice-auth: wrong\r\n\r\n`);
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (bytes) => {
        resolve(String(bytes));
      }),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    for (let count = 0; count < 5; count++) await openIdle(service.port);
    expect(await until(() => (socket.destroyed ? true : null))).toBe(true);
  });
});

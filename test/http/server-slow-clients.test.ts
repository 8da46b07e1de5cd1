import { connect, type Socket } from 'node:net';
import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { API_KEY, openTestService, waitUntil } from '../support/test-service.ts';

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
      `POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nservice-auth: ${API_KEY}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
    ],
    [
      'whose body drips without a key',
      'POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9999\r\n\r\n',
    ],
    [
      'whose chunks drip',
      `POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nservice-auth: ${API_KEY}\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n`,
    ],
    [
      'that follows another one',
      'GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\nGET /healthz HTTP/1.1\r\nHost: HOST\r\nA: ',
    ],
  ])('%s ends with its connection, however many bytes still come', async (_, first) => {
    const { service } = await openTestService({ limits: { receiveHeaderMs: 300, receiveMs: 900 } });
    await openDrip(service.port, first.replaceAll('HOST', `127.0.0.1:${service.port}`)).cut;
  });
});

describe('connections that have not shown the key', () => {
  test('are bounded: the oldest gives way to the newest', async () => {
    const rig = await openTestService({ limits: { unauthenticated: 20 } });
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
    const { service } = await openTestService({ limits: { unauthenticated: 5 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => {
      agent.destroy();
    });
    const sockets = new Set<Socket>();
    const ask = async (path: string, headers: Readonly<Record<string, string>>) =>
      await new Promise<number>((resolve, reject) => {
        const asked = request(service.url + path, { agent, headers }, (response) => {
          sockets.add(response.socket);
          response.resume().once('end', () => {
            resolve(response.statusCode ?? 0);
          });
        });
        asked.once('error', reject).end();
      });
    expect(await ask('/v2/apps', { 'service-auth': API_KEY })).toBe(200);
    for (let count = 0; count < 20; count++) await openIdle(service.port);
    expect(await ask('/v2/apps', { 'service-auth': API_KEY })).toBe(200);
    expect(await ask('/healthz', {})).toBe(200);
    expect(sockets.size).toBe(1);
  });

  test('stay strangers with a wrong key', async () => {
    const { service } = await openTestService({ limits: { unauthenticated: 5 } });
    const socket = await openIdle(service.port);
    socket.write(`GET /v2/apps HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nservice-auth: wrong\r\n\r\n`);
    const response = await new Promise<string>((resolve) =>
      socket.once('data', (bytes) => {
        resolve(String(bytes));
      }),
    );
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
    for (let count = 0; count < 5; count++) await openIdle(service.port);
    expect(await waitUntil(() => (socket.destroyed ? true : null))).toBe(true);
  });
});

/** More than the bound on connections that have not shown the key, too. */
const MANY = 1100;

interface Slowness {
  /** What each connection sends at first, and then again and again, if anything. */
  readonly first: string;
  readonly then: string;
  readonly reads: boolean;
}

const RANGES = Array.from({ length: 1000 }, (_, at) => `5-${at}`).join();

function slowness(port: number, file: string): Readonly<Record<string, Slowness>> {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const page = `GET ${file} HTTP/1.1\r\n${host}`;
  return {
    'heads that never end': { first: `GET / HTTP/1.1\r\n${host}`, then: 'X-a: b\r\n', reads: true },
    'bodies that never end': {
      first: `POST /v2/sessions HTTP/1.1\r\n${host}Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
      ...{ then: ' ', reads: true },
    },
    'answers that nobody reads': { first: `${page}\r\n`.repeat(3), then: '', reads: false },
    'a thousand ranges': { first: `${page}Range: bytes=0-,${RANGES}\r\n\r\n`, then: '', reads: false },
  };
}

/** Opens them, and keeps them busy until the test ends. Gives how many are still open. */
async function openMany(port: number, { first, then, reads }: Slowness): Promise<() => number> {
  const sockets: Socket[] = [];
  const timer = setInterval(() => {
    for (const socket of sockets) if (then !== '' && socket.writable) socket.write(then);
  }, 250);
  onTestFinished(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  });
  while (sockets.length < MANY) {
    const some = Array.from({ length: 100 }, () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      if (reads) socket.resume();
      else socket.pause();
      return socket;
    });
    await Promise.all(some.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of some) socket.write(first);
    sockets.push(...some);
  }
  return () => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length;
}

describe('a thousand slow connections at once', () => {
  test.each([
    'heads that never end',
    'bodies that never end',
    'answers that nobody reads',
    'a thousand ranges',
  ])('hold up nobody else: %s', async (mode) => {
    // None of them is cut off for its slowness meanwhile.
    const limits = { receiveHeadMs: 100_000, receiveMs: 100_000 };
    const rig = await openTestService({ mode: 'serve', limits });
    const { port } = rig.service;
    const index = await rig.call('GET', '/', { key: null });
    const file = `/${/src="([^"]+)"/.exec(index.text)?.[1] ?? ''}`;
    const slow = slowness(port, file)[mode];
    if (slow === undefined) throw new Error(`no such mode: ${mode}`);
    const stillOpen = await openMany(port, slow);
    const times: number[] = [];
    for (let count = 0; count < 9; count++) {
      const before = performance.now();
      expect((await rig.call('GET', '/v2/apps')).status).toBe(200);
      expect((await rig.call('GET', '/', { key: null })).text).toBe(index.text);
      times.push(performance.now() - before);
    }
    // The slowest tell of the machine alone.
    const [median = Infinity] = times.sort((one, other) => one - other).slice(4);
    expect(median).toBeLessThan(1000);
    expect(stillOpen()).toBeGreaterThan(1000);
  });

  test('would keep everybody out of a service that keeps whoever came first', async () => {
    const rig = await openTestService({
      mode: 'serve',
      limits: { connections: MANY, unauthenticated: 2 * MANY },
    });
    const slow = slowness(rig.service.port, '/')['heads that never end'];
    if (slow === undefined) throw new Error('no such mode');
    await openMany(rig.service.port, slow);
    await expect(rig.call('GET', '/v2/apps')).rejects.toThrow('fetch failed');
  });
});

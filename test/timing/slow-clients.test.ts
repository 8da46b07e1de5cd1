import { connect, type Socket } from 'node:net';
import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFakeRunner } from '../support/fake-runner.ts';
import { startRawTarget } from '../support/raw-target.ts';
import { API_KEY, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';

/** Opens a connection that sends one byte at a time, never ends its half, and reports its closing. */
function openSlow(port: number, first: string): { readonly socket: Socket; readonly closed: Promise<void> } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(first);
  const timer = setInterval(() => socket.write('x'), 20);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearInterval(timer);
      resolve();
    });
  });
  // The service may reset the connection.
  socket.on('error', () => undefined);
  socket.resume();
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, closed };
}

/** Opens a connection without sending anything. */
async function openIdle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Returns the path of the script of the web UI, a large file. */
async function scriptPath(rig: Awaited<ReturnType<typeof openTestService>>): Promise<string> {
  const { text } = await rig.call('GET', '/', { key: null });
  return `/${/src="([^"]+)"/.exec(text)?.[1] ?? ''}`;
}

describe('incomplete requests', () => {
  test.each([
    ['with an unfinished header section', 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: '],
    ['in a protocol other than HTTP', 'hello\r\n\r\n'],
    [
      'with a header section that is too large',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}`,
    ],
    [
      'with a slow body',
      `POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nservice-auth: ${API_KEY}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
    ],
    [
      'with a slow body and without the API key',
      'POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9999\r\n\r\n',
    ],
    [
      'with slow chunks',
      `POST /v2/tests HTTP/1.1\r\nHost: HOST\r\nservice-auth: ${API_KEY}\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n`,
    ],
    [
      'that follows a complete request and has an unfinished header section',
      'GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\nGET /healthz HTTP/1.1\r\nHost: HOST\r\nA: ',
    ],
  ])('the connection of a request %s is closed, even if bytes continue to arrive', async (_, first) => {
    const { service } = await openTestService({ limits: { receiveHeaderMs: 300, receiveMs: 900 } });
    await openSlow(service.port, first.replaceAll('HOST', `127.0.0.1:${service.port}`)).closed;
  });
});

describe('the time limit for reading responses', () => {
  test('a connection is closed if its client does not read responses, even if it continues to send requests', async () => {
    // The other time limits are too long to close the connection.
    const limits = { receiveHeaderMs: 100_000, receiveMs: 100_000, sendStallMs: 200 };
    const rig = await openTestService({ mode: 'serve', limits });
    const { service } = rig;
    const request = `GET ${await scriptPath(rig)} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n\r\n`;
    const socket = await openIdle(service.port);
    socket.pause();
    // Far more bytes of responses than the buffers of both sockets can store.
    socket.write(request.repeat(300));
    const isClosed = await waitUntil(() => {
      // A client that does not read notices the closing only when it writes.
      socket.write('x');
      return socket.destroyed ? true : null;
    });
    expect(isClosed).toBe(true);
  });

  test('a single iteration succeeds even if it lasts longer than the time limit for reading responses', async () => {
    const rig = await openTestService({
      fake: createFakeRunner({ endsIterations: false }),
      limits: { sendStallMs: 200 },
    });
    const target = await startRawTarget();
    onTestFinished(() => target.close());
    const host = `127.0.0.1:${target.port}`;
    await rig.verifiedApp(host);
    const iteration = rig.call('POST', '/v2/iterations', { json: smallTestFields(`http://${host}/`) });
    await waitUntil(() => rig.runner.runs[0] ?? null);
    const started = performance.now();
    const hasExceeded = waitUntil(() => (performance.now() - started > 600 ? true : null));
    await Promise.race([iteration, hasExceeded]);
    rig.runner.latest().end();
    expect((await iteration).status).toBe(200);
  });
});

describe('connections without the API key', () => {
  test('if the limit on connections without the API key is exceeded, the oldest such connection is closed', async () => {
    const rig = await openTestService({ limits: { unauthenticated: 20 } });
    const { service } = rig;
    const slowConnections = Array.from({ length: 20 }, () => openSlow(service.port, 'GET / HTTP/1.1\r\nA: '));
    await Promise.all(
      slowConnections.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))),
    );
    const first = slowConnections[0];
    const last = slowConnections.at(-1);
    expect((await rig.call('GET', '/healthz', { key: null })).status).toBe(200);
    await first?.closed;
    expect(last?.socket.destroyed).toBe(false);
  });

  test('with a limit of 5 connections without the API key, a connection that has sent the API key stays open after 20 idle connections are opened', async () => {
    const { service } = await openTestService({ limits: { unauthenticated: 5 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const sockets = new Set<Socket>();
    const send = async (path: string, headers: Readonly<Record<string, string>>) =>
      await new Promise<number>((resolve, reject) => {
        const outgoing = request(service.url + path, { agent, headers }, (response) => {
          sockets.add(response.socket);
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        });
        outgoing.once('error', reject).end();
      });
    expect(await send('/v2/apps', { 'service-auth': API_KEY })).toBe(200);
    for (let count = 0; count < 20; count++) await openIdle(service.port);
    expect(await send('/v2/apps', { 'service-auth': API_KEY })).toBe(200);
    expect(await send('/healthz', {})).toBe(200);
    expect(sockets.size).toBe(1);
  });

  test('a connection with a wrong API key counts as a connection without the API key', async () => {
    const { service } = await openTestService({ limits: { unauthenticated: 5 } });
    const socket = await openIdle(service.port);
    socket.write(`GET /v2/apps HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nservice-auth: wrong\r\n\r\n`);
    const response = await new Promise<string>((resolve) =>
      socket.once('data', (bytes) => resolve(String(bytes))),
    );
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
    for (let count = 0; count < 5; count++) await openIdle(service.port);
    expect(await waitUntil(() => (socket.destroyed ? true : null))).toBe(true);
  });
});

/** This number also exceeds the limit on connections without the key. */
const MANY = 1100;

interface SlowClient {
  /** Bytes that each connection sends first, and bytes that it repeats; the latter may be empty. */
  readonly first: string;
  readonly then: string;
  readonly reads: boolean;
}

const RANGES = Array.from({ length: 1000 }, (_, at) => `5-${at}`).join();

function slowClients(port: number, file: string): Readonly<Record<string, SlowClient>> {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const requestHeader = `GET ${file} HTTP/1.1\r\n${host}`;
  return {
    'header sections that never end': { first: `GET / HTTP/1.1\r\n${host}`, then: 'X-a: b\r\n', reads: true },
    'bodies that never end': {
      first: `POST /v2/sessions HTTP/1.1\r\n${host}Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
      then: ' ',
      reads: true,
    },
    'responses that are not read': { first: `${requestHeader}\r\n`.repeat(3), then: '', reads: false },
    'requests for a thousand byte ranges': {
      first: `${requestHeader}Range: bytes=0-,${RANGES}\r\n\r\n`,
      then: '',
      reads: false,
    },
  };
}

/**
 * Opens the connections and keeps them active until the test ends. Returns a function that counts the open
 * ones.
 */
async function openMany(port: number, { first, then, reads }: SlowClient): Promise<() => number> {
  const sockets: Socket[] = [];
  const timer = setInterval(() => {
    for (const socket of sockets) if (then !== '' && socket.writable) socket.write(then);
  }, 500);
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

describe('a thousand slow connections', () => {
  test.each([
    'header sections that never end',
    'bodies that never end',
    'responses that are not read',
    'requests for a thousand byte ranges',
  ])(
    'with more than a thousand slow connections (%s), the median response time of other requests is less than a second',
    async (mode) => {
      // The timeouts are too long to close any of these connections.
      const limits = { receiveHeaderMs: 100_000, receiveMs: 100_000 };
      const rig = await openTestService({ mode: 'serve', limits });
      const { port } = rig.service;
      const index = await rig.call('GET', '/', { key: null });
      const slow = slowClients(port, await scriptPath(rig))[mode];
      if (slow === undefined) throw new Error(`no such mode: ${mode}`);
      const stillOpen = await openMany(port, slow);
      const times: number[] = [];
      for (let count = 0; count < 9; count++) {
        const before = performance.now();
        expect((await rig.call('GET', '/v2/apps')).status).toBe(200);
        expect((await rig.call('GET', '/', { key: null })).text).toBe(index.text);
        times.push(performance.now() - before);
      }
      // The slowest responses depend on the test machine, so the median counts.
      const [median = Infinity] = times.sort((one, other) => one - other).slice(4);
      expect(median).toBeLessThan(1000);
      expect(stillOpen()).toBeGreaterThan(1000);
    },
  );

  test('if the limit on connections without the API key exceeds the connection limit, slow connections block the service', async () => {
    const rig = await openTestService({
      mode: 'serve',
      limits: { connections: MANY, unauthenticated: 2 * MANY },
    });
    const slow = slowClients(rig.service.port, '/')['header sections that never end'];
    if (slow === undefined) throw new Error('no such mode');
    await openMany(rig.service.port, slow);
    await expect(rig.call('GET', '/v2/apps')).rejects.toThrow('fetch failed');
  });
});

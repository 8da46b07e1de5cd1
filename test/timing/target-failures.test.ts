/** Failures of the target: each has its class in the ledger, and the ledger balances. */
import { spawn, type ChildProcess } from 'node:child_process';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ledger, Metrics } from '../../src/core/load/run-report.ts';
import { findFreePort } from '../support/free-port.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import {
  responseText,
  openRawTarget,
  type RawTarget,
  type RawReply,
  createSelfSigned,
  startRawTarget,
  writeSlowly,
} from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

const respondWith =
  (bytes: string): RawReply =>
  (_request, write) =>
    write(bytes);
/** Responds with some bytes and closes the connection, orderly or with a reset. */
const respondAndEnd =
  (bytes: string, closeMethod: 'end' | 'reset'): RawReply =>
  (_request, write, socket) => {
    write(bytes);
    if (closeMethod === 'end') {
      socket.end();
      return;
    }
    // A reset may overtake bytes, and Node.js reports a normal end if both arrive together. Therefore the
    // reset is delayed.
    setTimeout(() => socket.resetAndDestroy(), bytes === '' ? 0 : 150);
  };

const CASES: readonly (readonly [name: string, reply: RawReply, expected: Partial<Ledger>])[] = [
  ['a response with status 500', respondWith(responseText(500, '')), { httpError: { 500: 10 } }],
  [
    'a response with status 999',
    respondWith('HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n'),
    { httpError: { 999: 10 } },
  ],
  [
    'a redirect to another host',
    respondWith(responseText(302, '', ['Location: http://elsewhere.test/'])),
    { success: 10 },
  ],
  ['a reset before the response', respondAndEnd('', 'reset'), { network: { ECONNRESET: 10 } }],
  [
    'a reset in the header',
    respondAndEnd('HTTP/1.1 200 X\r\nCont', 'reset'),
    { network: { ECONNRESET: 10 } },
  ],
  [
    'a reset in the body',
    respondAndEnd('HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc', 'reset'),
    { network: { ECONNRESET: 10 } },
  ],
  [
    'a reset in a body that has no length',
    respondAndEnd('HTTP/1.1 200 X\r\n\r\nabc', 'reset'),
    { network: { ECONNRESET: 10 } },
  ],
  ['a reset after the complete body', respondAndEnd(responseText(200, 'abc'), 'reset'), { success: 10 }],
  ['a close before the first byte', respondAndEnd('', 'end'), { network: { closed: 10 } }],
  ['a close in the header', respondAndEnd('HTTP/1.1 200 X\r\nCont', 'end'), { protocol: { truncated: 10 } }],
  [
    'a body shorter than its Content-Length',
    respondAndEnd('HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc', 'end'),
    { protocol: { truncated: 10 } },
  ],
  [
    'a body that ends with the connection',
    respondAndEnd('HTTP/1.1 200 X\r\n\r\nabc', 'end'),
    { success: 10 },
  ],
  [
    'a missing last chunk',
    respondAndEnd('HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n', 'end'),
    { protocol: { truncated: 10 } },
  ],
  [
    'a truncated chunk',
    respondAndEnd('HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab', 'end'),
    { protocol: { truncated: 10 } },
  ],
  [
    'a reset in a chunk',
    respondAndEnd('HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab', 'reset'),
    { network: { ECONNRESET: 10 } },
  ],
  ['a response that is not HTTP', respondWith('SSH-2.0-X\r\n'), { protocol: { status_line: 10 } }],
  [
    'a response with a Content-Length and chunked encoding',
    respondWith('HTTP/1.1 200 X\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'),
    { protocol: { length_and_encoding: 10 } },
  ],
  [
    'an unsolicited 101 response',
    respondWith('HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n'),
    { protocol: { switching_protocols: 10 } },
  ],
];

describe('failures of the target', () => {
  const CLIENTS = 10;
  let shops: readonly RawTarget[];
  let metrics: readonly Metrics[];

  // In one run, each client sends one request to each of the targets, even if the machine stalls.
  beforeAll(async () => {
    shops = await Promise.all(CASES.map(([, reply]) => startRawTarget(reply)));
    const clients = {
      testType: 'cycling',
      initial: CLIENTS,
      total: CLIENTS,
      iterationsPerClient: 1,
      timeout: 60_000,
    } as const;
    const targets = shops.map((shop) => targetOf(shop.port));
    const { report } = await runJob(testEngine.engine, jobOf(targets, { ...clients, duration: 60_000 }));
    metrics = report.targets;
  });
  afterAll(() => Promise.all(shops.map((shop) => shop.close())));

  test.each(CASES.map(([name, , expected], index) => [name, index, expected] as const))(
    'for %s, each of ten requests counts once, with the expected outcome',
    (_name, index, expected) => {
      const [shop, target] = [shops[index], metrics[index]];
      if (shop === undefined || target === undefined) throw new Error('the run did not end');
      const noOutcomes = {
        success: 0,
        httpError: {},
        network: {},
        protocol: {},
        timeout: { connect: 0, tls: 0, response: 0 },
      };
      expect(target.ledger).toMatchObject({
        ...{ planned: CLIENTS, started: CLIENTS, abandoned: 0 },
        ...noOutcomes,
        ...expected,
      });
      expect(shop.requests).toHaveLength(CLIENTS);
      expect(target.bytesSent).toBe(shop.bytesIn());
      expect(target.bytesReceived).toBe(shop.bytesOut());
    },
  );

  test.each([
    ['a missing response', () => undefined],
    ['a body that stops after 3 of 9 bytes', respondWith('HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc')],
  ] as const)('for %s, each of ten requests counts as a response timeout', async (_name, reply: RawReply) => {
    const shop = await openRawTarget(reply);
    const job = jobOf([targetOf(shop.port)], { duration: 100, timeout: 800 });
    const { ledger, bytesSent, bytesReceived } = (await runInVirtualTime(job, shop)).total;
    expect(ledger).toMatchObject({ started: 10, success: 0, abandoned: 0, timeout: { response: 10 } });
    expect(shop.requests).toHaveLength(10);
    expect([bytesSent, bytesReceived]).toEqual([shop.bytesIn(), shop.bytesOut()]);
  });

  test('the timeout applies to the whole response, so a response whose bytes arrive slowly times out', async () => {
    const start = 'HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n';
    const shop = await openRawTarget(writeSlowly(start, 'x', 20));
    const job = jobOf([targetOf(shop.port)], { duration: 100, timeout: 400 });
    const { total, elapsed } = await runInVirtualTime(job, shop);
    expect(total.ledger.timeout.response).toBe(10);
    expect(elapsed).toBeLessThan(900);
  });

  test('a connection is closed after a timeout, and its late response is ignored', async () => {
    let first = true;
    const shop = await openRawTarget((_request, write) => {
      setTimeout(write, first ? 300 : 10, first ? responseText(500, 'late') : responseText(200, ''));
      first = false;
    });
    const job = jobOf([targetOf(shop.port)], {
      testType: 'cycling',
      initial: 1,
      total: 1,
      timeout: 200,
      duration: 600,
    });
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger.timeout.response).toBe(1);
    expect(ledger.httpError).toEqual({});
    expect(ledger.success).toBe(shop.requests.length - 1);
    expect(shop.connections()).toBe(2);
  });

  test('an extra response in the packet of the expected response is ignored, and the connection is not reused', async () => {
    const shop = await openRawTarget(respondWith(responseText(200, 'ok') + responseText(500, 'poison')));
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 2, total: 2, duration: 200 });
    const { ledger } = await runJob(testEngine.engine, job);
    expect(ledger).toMatchObject({ success: shop.requests.length, httpError: {}, protocol: {} });
    expect(shop.connections()).toBe(shop.requests.length);
  });

  test('a request is retried instead of failing if its reused connection is reset before the first byte of the response', async () => {
    const requestCounts = new Map<number, number>();
    const shop = await openRawTarget((request, write, socket) => {
      const count = (requestCounts.get(request.connection) ?? 0) + 1;
      requestCounts.set(request.connection, count);
      if (count === 3) socket.resetAndDestroy();
      else write(responseText(200, ''));
    });
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 4, total: 4, duration: 300 });
    const { ledger } = await runJob(testEngine.engine, job);
    expect(ledger).toMatchObject({ success: ledger.started, network: {}, protocol: {} });
    expect(ledger.success).toBe(
      [...requestCounts.values()].reduce((sum, count) => sum + Math.min(count, 2), 0),
    );
    // The server has read the requests that it did not respond to, so it received them twice.
    expect(ledger.resent).toBe([...requestCounts.values()].filter((count) => count === 3).length);
    expect(shop.requests.length).toBe(ledger.started + ledger.resent);
    expect(ledger.resent).toBeGreaterThan(10);
  });
});

describe('connections that cannot be established', () => {
  test('refused connections count as network errors, and 5 clients make at most 30 attempts in 500 ms', async () => {
    const port = await findFreePort();
    const job = jobOf([targetOf(port)], { testType: 'cycling', initial: 5, total: 5, duration: 500 });
    const { ledger, report } = await runJob(testEngine.engine, job);
    expect(ledger.network).toEqual({ ECONNREFUSED: ledger.started });
    expect(ledger.started).toBeGreaterThanOrEqual(10);
    expect(ledger.started).toBeLessThanOrEqual(30);
    expect(report.total.bytesSent).toBe(0);
    expect(report.total.latency).toBeNull();
  });

  test('in an open test whose connections are refused, each request of an iteration counts as a network error', async () => {
    const port = await findFreePort();
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(port), targetOf(port)], { duration: 100 }),
    );
    expect(ledger).toMatchObject({ planned: 20, network: { ECONNREFUSED: 20 } });
  });

  test('a connection that is reset immediately counts as a network error', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resetAndDestroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const job = jobOf([targetOf(port), targetOf(port, { secure: true })], { total: 200 });
    const { ledger } = await runJob(testEngine.engine, job);
    server.close();
    expect(ledger.network).toEqual({ ECONNRESET: 400 });
  });

  test('a connection that is never accepted counts as a connect timeout', async () => {
    const deafServer = await startDeafServer();
    const sockets = await fillBacklog(deafServer.port);
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(deafServer.port)], { duration: 100, timeout: 400 }),
    );
    deafServer.child.kill('SIGKILL');
    for (const socket of sockets) socket.destroy();
    expect(ledger).toMatchObject({ started: 10, timeout: { connect: 10, tls: 0, response: 0 } });
  });
});

/**
 * Opens connections until one is not accepted within a time that is far longer than any delay of this
 * process.
 */
async function fillBacklog(port: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let connected = true; connected;) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    connected = await once(socket, 'connect', { signal: AbortSignal.timeout(500) }).then(
      () => true,
      () => false,
    );
  }
  return sockets;
}

/** Starts a process that listens and then sleeps. When its backlog is full, connection attempts time out. */
async function startDeafServer(): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const program = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port) + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line: unknown[] = await once(child.stdout, 'data');
  return { port: Number(String(line[0])), child };
}

describe('TLS', () => {
  const secure = { secure: true, hostname: 'localhost' };
  const certificate = createSelfSigned();

  test('requests over TLS use persistent connections', async () => {
    const shop = await openRawTarget(undefined, { tls: certificate });
    const job = jobOf([targetOf(shop.port, secure)], {
      testType: 'cycling',
      initial: 4,
      total: 4,
      duration: 200,
    });
    const { ledger } = await runJob(testEngine.engine, job);
    expect(ledger.started).toBe(shop.requests.length);
    expect(ledger.success).toBe(shop.requests.length);
    expect(shop.connections()).toBe(4);
    expect(shop.requests[0]?.headers[0]).toEqual(['Host', `shop.test:${shop.port}`]);
  });

  test('an open test opens one TLS connection for each client', async () => {
    const shop = await openRawTarget(undefined, { tls: certificate });
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(shop.port, secure), targetOf(shop.port, secure)], { duration: 100 }),
    );
    expect(ledger).toMatchObject({ planned: 20, success: 20 });
    expect(shop.connections()).toBe(10);
  });

  test('a self-signed certificate results in the error DEPTH_ZERO_SELF_SIGNED_CERT, and no request is sent', async () => {
    const shop = await openRawTarget(undefined, { tls: certificate });
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(shop.port, secure)], { tlsVerify: true, duration: 100 }),
    );
    expect(ledger.network).toEqual({ DEPTH_ZERO_SELF_SIGNED_CERT: 10 });
    expect(shop.requests).toEqual([]);
  });

  test('a stalled TLS handshake counts as a TLS timeout', async () => {
    const shop = await openRawTarget(() => undefined);
    const job = jobOf([targetOf(shop.port, secure)], { duration: 100, timeout: 300 });
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger.timeout).toEqual({ connect: 0, tls: 10, response: 0 });
  });

  test('a plain-text response to a TLS handshake results in the error ERR_SSL_WRONG_VERSION_NUMBER', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { ledger } = await runJob(testEngine.engine, jobOf([targetOf(port, secure)], { duration: 100 }));
    expect(ledger.network).toEqual({ ERR_SSL_WRONG_VERSION_NUMBER: 10 });
    server.close();
  });
});

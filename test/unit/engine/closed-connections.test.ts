/**
 * Servers that close connections without announcing it. Idempotent requests are retried once, and no other
 * request is sent twice.
 */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { Ledger, RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges, textBody } from '../../support/test-engine.ts';
import {
  responseText,
  openRawTarget,
  createSelfSigned,
  type RawTarget,
  type RawReply,
  type RawRequest,
} from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

type CloseMethod = 'close' | 'half-close' | 'reset';

/** Closes a socket. After `half-close`, the server still reads requests but does not respond. */
function closeSocket(method: CloseMethod, socket: Socket): void {
  if (method === 'close') socket.destroySoon();
  else if (method === 'half-close') socket.end();
  else socket.resetAndDestroy();
}

interface Log {
  /** Requests that received a response. */
  readonly responded: RawRequest[];
  readonly reply: RawReply;
}

/**
 * Creates a server that responds to the first request of each connection after 5 ms and closes the
 * connection.
 */
function closingServer(
  method: CloseMethod,
  responseTo: (request: RawRequest) => string = () => responseText(200, 'ok'),
): Log {
  const responded: RawRequest[] = [];
  const usedConnections = new Set<number>();
  return {
    responded,
    reply: (request, write, socket) => {
      if (usedConnections.has(request.connection)) return;
      usedConnections.add(request.connection);
      setTimeout(() => {
        responded.push(request);
        write(responseTo(request));
        closeSocket(method, socket);
      }, 5);
    },
  };
}

const MODELS: readonly (readonly [name: string, changes: JobChanges, urls: number])[] = [
  ['a cycling test', { testType: 'cycling', initial: 8, total: 8, duration: 250 }, 1],
  ['a cycling test with three URLs', { testType: 'cycling', initial: 2, total: 5, duration: 250 }, 3],
  ['a non-cycling test', { testType: 'non-cycling', total: 30, duration: 250 }, 3],
  ['a per-second test', { testType: 'per-second', total: 50, duration: 1000 }, 2],
];

function targetsOf(shop: RawTarget, count: number, changes: Partial<JobTarget> = {}): readonly JobTarget[] {
  // Every request has a unique path.
  return Array.from({ length: count }, (_, index) =>
    targetOf(shop.port, { path: `/${index}-%{1:999999999}`, ...changes }),
  );
}

function failuresOf({ network, protocol, httpError, timeout }: Ledger): Record<string, number> {
  const counts = Object.entries({ ...network, ...protocol, ...httpError, ...timeout });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const CLOSE_METHODS: readonly CloseMethod[] = ['close', 'half-close', 'reset'];

describe.each(CLOSE_METHODS)(
  'a server that closes each connection after its response (%s)',
  (closeMethod) => {
    test.each(MODELS)(
      'in %s, a request on a closing connection is retried, and no request fails',
      async (_name, changes, urls) => {
        const { responded, reply } = closingServer(closeMethod);
        const shop = await openRawTarget(reply);
        const { total } = await runInVirtualTime(jobOf(targetsOf(shop, urls), changes), shop);
        const { ledger } = total;
        expect(failuresOf(ledger)).toEqual({});
        expect(ledger).toMatchObject({ started: responded.length, success: responded.length, abandoned: 0 });
        expect(responded.length).toBeGreaterThan(50);
        // Each connection carried one request, and all except the first of each client were retried.
        expect(shop.connections()).toBe(responded.length);
        expect(ledger.resent).toBeGreaterThan(responded.length / 2 - 1);
        expect(ledger.resent).toBeLessThan(responded.length);
        const paths = new Set(responded.map(({ path }) => path));
        expect(paths.size).toBe(responded.length);
        // The server logs a request twice only if it read it on a connection that it had half-closed.
        if (closeMethod === 'half-close')
          expect(shop.requests.length).toBeLessThanOrEqual(responded.length + ledger.resent);
        else expect(shop.requests.length).toBe(responded.length);
        expect(total.bytesReceived).toBe(shop.bytesOut());
        expect(total.bytesSent).toBeGreaterThanOrEqual(shop.bytesIn());
      },
    );

    test.each(['POST', 'PATCH'] as const)(
      'a %s request on a closing connection is not retried, and fails with the code closed_before_answer',
      async (method) => {
        const { responded, reply } = closingServer(closeMethod);
        const shop = await openRawTarget(reply);
        const post = { method, body: textBody('n=%{1:999999999}') } as const;
        const { total } = await runInVirtualTime(jobOf(targetsOf(shop, 1, post), MODELS[0]?.[1]), shop);
        const { ledger } = total;
        const failed = ledger.started - ledger.success;
        expect(failuresOf(ledger)).toEqual({ closed_before_answer: failed });
        expect(failed).toBeGreaterThan(50);
        expect(ledger).toMatchObject({ success: responded.length, resent: 0, abandoned: 0 });
        expect(new Set(shop.requests.map(({ body }) => body)).size).toBe(shop.requests.length);
      },
    );
  },
);

test('GET requests over TLS are retried if the server closes the connection', async () => {
  const { responded, reply } = closingServer('close');
  const shop = await openRawTarget(reply, { tls: createSelfSigned() });
  const changes = { testType: 'cycling', initial: 2, total: 2, duration: 300 } as const;
  const job = jobOf(targetsOf(shop, 1, { secure: true }), changes);
  const { ledger } = (await runInVirtualTime(job, shop)).total;
  expect(failuresOf(ledger)).toEqual({});
  expect(ledger).toMatchObject({ started: responded.length, success: responded.length });
  expect(ledger.resent).toBeGreaterThan(5);
});

describe('a retry', () => {
  const SINGLE = { total: 1, duration: 100, threads: 1 } as const;

  test('a retry has the path and headers of the first attempt, including generated values, variables and cookies', async () => {
    const { responded, reply } = closingServer('half-close', ({ path }) =>
      responseText(200, '', path === '/0' ? ['X-Token: abc', 'Set-Cookie: sid=1; Path=/'] : []),
    );
    const shop = await openRawTarget(reply);
    const targets = [
      targetOf(shop.port, { path: '/0', variables: [{ name: 'token', header: 'x-token' }] }),
      targetOf(shop.port, {
        path: '/{{token}}/%{1:999999999}',
        headers: [{ name: 'X-Own', value: '{{token}}' }],
      }),
    ];
    const { total, targets: urlReports } = await runInVirtualTime(jobOf(targets, SINGLE), shop);
    expect(total.ledger).toMatchObject({ started: 2, success: 2, resent: 1 });
    expect(urlReports.map(({ ledger }) => ledger.resent)).toEqual([0, 1]);
    expect(responded).toHaveLength(2);
    const attempts = shop.requests.slice(1).map(({ path, headers }) => ({ path, headers }));
    expect(attempts).toHaveLength(2);
    expect(attempts[0]).toEqual(attempts[1]);
    expect(attempts[0]?.headers).toContainEqual(['Cookie', 'sid=1']);
    expect(attempts[0]?.headers).toContainEqual(['X-Own', 'abc']);
    expect(total.bytesSent).toBe(shop.bytesIn());
  });

  test.each([
    [303, 'GET', 'is retried', { resent: 1, success: 2 }],
    [307, 'POST', 'is not retried', { resent: 0, success: 1 }],
    [307, 'PUT', 'is retried', { resent: 1, success: 2 }],
  ] as const)(
    'after a %i redirect, a %s request on a closing connection %s',
    async (status, method, _outcome, expected) => {
      const { reply } = closingServer('close', ({ path }) =>
        path === '/go' ? responseText(status, '', ['Location: /there']) : responseText(200, ''),
      );
      const shop = await openRawTarget(reply);
      const target = targetOf(shop.port, {
        path: '/go',
        body: textBody('a=1'),
        method: method === 'PUT' ? method : 'POST',
      });
      const { ledger } = (await runInVirtualTime(jobOf([target], SINGLE), shop)).total;
      expect(ledger).toMatchObject({ started: 2, ...expected });
      expect(failuresOf(ledger)).toEqual(method !== 'POST' ? {} : { closed_before_answer: 1 });
    },
  );

  test('a request is not retried after the first byte of its response', async () => {
    for (const bytes of ['H', 'HTTP/1.1 200 OK\r\nCont', 'HTTP/1.1 100 Continue\r\n\r\n']) {
      const shop = await openRawTarget(({ path }, write, socket) => {
        if (path === '/0') write(responseText(200, ''));
        else {
          write(bytes);
          socket.end();
        }
      });
      const targets = ['/0', '/1'].map((path) => targetOf(shop.port, { path }));
      const { ledger } = (await runInVirtualTime(jobOf(targets, SINGLE), shop)).total;
      expect(ledger).toMatchObject({ started: 2, success: 1, protocol: { truncated: 1 }, resent: 0 });
      expect(shop.requests).toHaveLength(2);
    }
  });

  test('a request that fails again on the new connection is not retried a second time', async () => {
    let responses = 0;
    const shop = await openRawTarget((_request, write, socket) => {
      if (responses++ === 0) write(responseText(200, ''));
      socket.end();
    });
    const targets = ['/0', '/1'].map((path) => targetOf(shop.port, { path }));
    const { ledger } = (await runInVirtualTime(jobOf(targets, SINGLE), shop)).total;
    expect(ledger).toMatchObject({ started: 2, success: 1, network: { closed: 1 }, resent: 1 });
    expect(shop.connections()).toBe(2);
  });

  test('a request that fails on a new connection is not retried', async () => {
    const shop = await openRawTarget((_request, _write, socket) => socket.end());
    const { ledger } = (await runInVirtualTime(jobOf([targetOf(shop.port)], SINGLE), shop)).total;
    expect(ledger).toMatchObject({ started: 1, network: { closed: 1 }, resent: 0 });
    expect(shop.requests).toHaveLength(1);
  });

  test('a connection that the server has closed is not reused', async () => {
    const shop = await openRawTarget((_request, write, socket) => {
      write(responseText(200, ''));
      setTimeout(() => socket.end(), 10);
    });
    const other = await openRawTarget((_request, write) => {
      setTimeout(write, 50, responseText(200, ''));
    });
    const targets = [shop.port, other.port, shop.port].map((port) => targetOf(port));
    const { total } = await runInVirtualTime(jobOf(targets, { ...SINGLE, total: 5 }), shop);
    expect(total.ledger).toMatchObject({ started: 15, success: 15, resent: 0 });
    expect(shop.connections()).toBe(10);
  });

  /** Delays each second request, closes the connection, and responds on the next one. */
  const delayedClose =
    (closeAfter: number, respondAfter: number): RawReply =>
    ({ connection, path }, write, socket) => {
      if (path === '/0') write(responseText(200, ''));
      else if (connection === 0) setTimeout(() => socket.end(), closeAfter);
      else setTimeout(write, respondAfter, responseText(200, ''));
    };
  const runWithStop = async (
    reply: RawReply,
    changes: JobChanges,
    stopAt: number | null = null,
  ): Promise<RunReport> => {
    const shop = await openRawTarget(reply);
    const targets = ['/0', '/1'].map((path) => targetOf(shop.port, { path }));
    const stop = stopAt === null ? {} : { stop: { at: stopAt, reason: 'stopped' as const } };
    return await runInVirtualTime(jobOf(targets, { ...SINGLE, duration: 1000, ...changes }), shop, stop);
  };

  test('the response time and the timeout of a retried request are measured from the first attempt', async () => {
    const { targets } = await runWithStop(delayedClose(300, 100), { timeout: 500 });
    expect(targets[1]?.ledger).toMatchObject({ success: 1, resent: 1 });
    for (const times of [targets[1]?.latency, targets[1]?.serviceTime]) {
      expect(times?.min).toBeGreaterThanOrEqual(399);
      expect(times?.min).toBeLessThan(420);
    }
    const late = await runWithStop(delayedClose(300, 400), { timeout: 500 });
    expect(late.targets[1]?.ledger).toMatchObject({
      success: 0,
      resent: 1,
      timeout: { connect: 0, tls: 0, response: 1 },
    });
    expect(late.targets[1]?.serviceTime?.max).toBeGreaterThanOrEqual(500);
    expect(late.targets[1]?.serviceTime?.max).toBeLessThan(600);
  });

  test('after the run is stopped, a request on a closing connection is abandoned and not retried', async () => {
    const { total } = await runWithStop(delayedClose(300, 0), { timeout: 500 }, 200);
    expect(total.ledger).toMatchObject({ started: 2, success: 1, abandoned: 1, resent: 0 });
    expect(failuresOf(total.ledger)).toEqual({});
  });
});

/** Servers that close connections without saying so: nothing fails that need not, and nothing is sent again in silence. */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { Ledger, RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import {
  responseText,
  openRawTarget,
  createSelfSigned,
  type RawTarget,
  type RawReply,
  type RawRequest,
} from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

type Closing = 'close' | 'half-close' | 'reset';

/** `half-close`: what still comes is read, and goes unanswered. */
function closeBy(how: Closing, socket: Socket): void {
  if (how === 'close') socket.destroySoon();
  else if (how === 'half-close') socket.end();
  else socket.resetAndDestroy();
}

interface Log {
  /** Those that were answered. */
  readonly answered: RawRequest[];
  readonly reply: RawReply;
}

/** Answers one request of each connection after 5 ms and closes it with the answer. */
function closing(
  how: Closing,
  answerTo: (request: RawRequest) => string = () => responseText(200, 'ok'),
): Log {
  const answered: RawRequest[] = [];
  const used = new Set<number>();
  return {
    answered,
    reply: (request, write, socket) => {
      if (used.has(request.connection)) return;
      used.add(request.connection);
      setTimeout(() => {
        answered.push(request);
        write(answerTo(request));
        closeBy(how, socket);
      }, 5);
    },
  };
}

const MODELS: readonly (readonly [name: string, changes: JobChanges, urls: number])[] = [
  ['closed', { testType: 'cycling', initial: 8, total: 8, duration: 250 }, 1],
  ['closed, three URLs', { testType: 'cycling', initial: 2, total: 5, duration: 250 }, 3],
  ['open', { testType: 'non-cycling', total: 30, duration: 250 }, 3],
  ['open, per second', { testType: 'per-second', total: 50, duration: 1000 }, 2],
];

function targetsOf(shop: RawTarget, count: number, changes: Partial<JobTarget> = {}): readonly JobTarget[] {
  // Every request carries a number of its own.
  return Array.from({ length: count }, (_, index) =>
    targetOf(shop.port, { path: `/${index}-%{1:999999999}`, ...changes }),
  );
}

function failuresOf({ network, protocol, httpError, timeout }: Ledger): Record<string, number> {
  const all = Object.entries({ ...network, ...protocol, ...httpError, ...timeout });
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

const CLOSINGS: readonly Closing[] = ['close', 'half-close', 'reset'];

describe.each(CLOSINGS)('a server that ends each connection with the answer, by %s', (how) => {
  test.each(MODELS)(
    '%s: what crosses the end is sent once more, and nothing fails',
    async (_name, changes, urls) => {
      const { answered, reply } = closing(how);
      const shop = await openRawTarget(reply);
      const { total } = await runInVirtualTime(jobOf(targetsOf(shop, urls), changes), shop);
      const { ledger } = total;
      expect(failuresOf(ledger)).toEqual({});
      expect(ledger).toMatchObject({ started: answered.length, success: answered.length, abandoned: 0 });
      expect(answered.length).toBeGreaterThan(50);
      // Each connection carried one request, and all of them but the first of each client were sent again.
      expect(shop.connections()).toBe(answered.length);
      expect(ledger.resent).toBeGreaterThan(answered.length / 2 - 1);
      expect(ledger.resent).toBeLessThan(answered.length);
      const paths = new Set(answered.map(({ path }) => path));
      expect(paths.size).toBe(answered.length);
      // Its log has a request twice only where it read it on a connection that it had ended.
      if (how === 'half-close')
        expect(shop.requests.length).toBeLessThanOrEqual(answered.length + ledger.resent);
      else expect(shop.requests.length).toBe(answered.length);
      expect(total.bytesReceived).toBe(shop.bytesOut());
      expect(total.bytesSent).toBeGreaterThanOrEqual(shop.bytesIn());
    },
  );

  test.each(['POST', 'PATCH'] as const)(
    'a %s is not sent again, and fails in a class of its own',
    async (method) => {
      const { answered, reply } = closing(how);
      const shop = await openRawTarget(reply);
      const post = { method, body: 'n=%{1:999999999}' } as const;
      const { total } = await runInVirtualTime(jobOf(targetsOf(shop, 1, post), MODELS[0]?.[1]), shop);
      const { ledger } = total;
      const failed = ledger.started - ledger.success;
      expect(failuresOf(ledger)).toEqual({ closed_before_answer: failed });
      expect(failed).toBeGreaterThan(50);
      expect(ledger).toMatchObject({ success: answered.length, resent: 0, abandoned: 0 });
      expect(new Set(shop.requests.map(({ body }) => body)).size).toBe(shop.requests.length);
    },
  );
});

test('TLS: the same', async () => {
  const { answered, reply } = closing('close');
  const shop = await openRawTarget(reply, { tls: createSelfSigned() });
  const changes = { testType: 'cycling', initial: 2, total: 2, duration: 300 } as const;
  const job = jobOf(targetsOf(shop, 1, { secure: true }), changes);
  const { ledger } = (await runInVirtualTime(job, shop)).total;
  expect(failuresOf(ledger)).toEqual({});
  expect(ledger).toMatchObject({ started: answered.length, success: answered.length });
  expect(ledger.resent).toBeGreaterThan(5);
});

describe('what is sent again', () => {
  const one = { total: 1, duration: 100, threads: 1 } as const;

  test('is the same request, byte for byte: drawn values, variables and cookies are those of the first try', async () => {
    const { answered, reply } = closing('half-close', ({ path }) =>
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
    const { total, targets: told } = await runInVirtualTime(jobOf(targets, one), shop);
    expect(total.ledger).toMatchObject({ started: 2, success: 2, resent: 1 });
    expect(told.map(({ ledger }) => ledger.resent)).toEqual([0, 1]);
    expect(answered).toHaveLength(2);
    const tries = shop.requests.slice(1).map(({ path, headers }) => ({ path, headers }));
    expect(tries).toHaveLength(2);
    expect(tries[0]).toEqual(tries[1]);
    expect(tries[0]?.headers).toContainEqual(['Cookie', 'sid=1']);
    expect(tries[0]?.headers).toContainEqual(['X-Own', 'abc']);
    expect(total.bytesSent).toBe(shop.bytesIn());
  });

  test.each([
    [303, 'GET', { resent: 1, success: 2 }],
    [307, 'POST', { resent: 0, success: 1 }],
    [307, 'PUT', { resent: 1, success: 2 }],
  ] as const)('is the hop of a redirect by its own method: %i, %s', async (status, method, expected) => {
    const { reply } = closing('close', ({ path }) =>
      path === '/go' ? responseText(status, '', ['Location: /there']) : responseText(200, ''),
    );
    const shop = await openRawTarget(reply);
    const target = targetOf(shop.port, {
      ...{ path: '/go', body: 'a=1' },
      method: method === 'PUT' ? method : 'POST',
    });
    const { ledger } = (await runInVirtualTime(jobOf([target], one), shop)).total;
    expect(ledger).toMatchObject({ started: 2, ...expected });
    expect(failuresOf(ledger)).toEqual(method !== 'POST' ? {} : { closed_before_answer: 1 });
  });

  test('is nothing to which a byte has come', async () => {
    for (const bytes of ['H', 'HTTP/1.1 200 OK\r\nCont', 'HTTP/1.1 100 Continue\r\n\r\n']) {
      const shop = await openRawTarget(({ path }, write, socket) => {
        if (path === '/0') write(responseText(200, ''));
        else {
          write(bytes);
          socket.end();
        }
      });
      const targets = ['/0', '/1'].map((path) => targetOf(shop.port, { path }));
      const { ledger } = (await runInVirtualTime(jobOf(targets, one), shop)).total;
      expect(ledger).toMatchObject({ started: 2, success: 1, protocol: { truncated: 1 }, resent: 0 });
      expect(shop.requests).toHaveLength(2);
    }
  });

  test('is sent no third time: what fails on the new connection is a failure', async () => {
    let responses = 0;
    const shop = await openRawTarget((_request, write, socket) => {
      if (responses++ === 0) write(responseText(200, ''));
      socket.end();
    });
    const targets = ['/0', '/1'].map((path) => targetOf(shop.port, { path }));
    const { ledger } = (await runInVirtualTime(jobOf(targets, one), shop)).total;
    expect(ledger).toMatchObject({ started: 2, success: 1, network: { closed: 1 }, resent: 1 });
    expect(shop.connections()).toBe(2);
  });

  test('is nothing on a new connection: that the server closes there is a failure', async () => {
    const shop = await openRawTarget((_request, _write, socket) => socket.end());
    const { ledger } = (await runInVirtualTime(jobOf([targetOf(shop.port)], one), shop)).total;
    expect(ledger).toMatchObject({ started: 1, network: { closed: 1 }, resent: 0 });
    expect(shop.requests).toHaveLength(1);
  });

  test('is nothing where the close was seen before: such a connection is not used', async () => {
    const shop = await openRawTarget((_request, write, socket) => {
      write(responseText(200, ''));
      setTimeout(() => socket.end(), 10);
    });
    const other = await openRawTarget((_request, write) => {
      setTimeout(write, 50, responseText(200, ''));
    });
    const targets = [shop.port, other.port, shop.port].map((port) => targetOf(port));
    const { total } = await runInVirtualTime(jobOf(targets, { ...one, total: 5 }), shop);
    expect(total.ledger).toMatchObject({ started: 15, success: 15, resent: 0 });
    expect(shop.connections()).toBe(10);
  });

  /** Holds each second request for a while, closes, and answers it on the next connection. */
  const holding =
    (hold: number, answerAfter: number): RawReply =>
    ({ connection, path }, write, socket) => {
      if (path === '/0') write(responseText(200, ''));
      else if (connection === 0) setTimeout(() => socket.end(), hold);
      else setTimeout(write, answerAfter, responseText(200, ''));
    };
  const hold = async (
    reply: RawReply,
    changes: JobChanges,
    stopAt: number | null = null,
  ): Promise<RunReport> => {
    const shop = await openRawTarget(reply);
    const targets = ['/0', '/1'].map((path) => targetOf(shop.port, { path }));
    const stop = stopAt === null ? {} : { stop: { at: stopAt, reason: 'stopped' as const } };
    return await runInVirtualTime(jobOf(targets, { ...one, duration: 1000, ...changes }), shop, stop);
  };

  test('has taken all the time since it was sent first, and that is what it may take', async () => {
    const { targets } = await hold(holding(300, 100), { timeout: 500 });
    expect(targets[1]?.ledger).toMatchObject({ success: 1, resent: 1 });
    for (const times of [targets[1]?.latency, targets[1]?.serviceTime]) {
      expect(times?.min).toBeGreaterThanOrEqual(399);
      expect(times?.min).toBeLessThan(420);
    }
    const late = await hold(holding(300, 400), { timeout: 500 });
    expect(late.targets[1]?.ledger).toMatchObject({
      ...{ success: 0, resent: 1, timeout: { connect: 0, tls: 0, response: 1 } },
    });
    expect(late.targets[1]?.serviceTime?.max).toBeGreaterThanOrEqual(500);
    expect(late.targets[1]?.serviceTime?.max).toBeLessThan(600);
  });

  test('is nothing once the run is stopped: what was cut off then is abandoned', async () => {
    const { total } = await hold(holding(300, 0), { timeout: 500 }, 200);
    expect(total.ledger).toMatchObject({ started: 2, success: 1, abandoned: 1, resent: 0 });
    expect(failuresOf(total.ledger)).toEqual({});
  });
});

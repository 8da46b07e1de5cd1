/**
 * Connections that the target closes or corrupts: each request counts once, and no response is assigned to
 * another request.
 */
import { describe, expect, test } from 'vitest';
import { jobOf, useTestEngine, runJob, targetOf, type JobResult } from '../support/test-engine.ts';
import { startNginx } from '../support/nginx-target.ts';
import {
  responseText,
  openRawTarget,
  type RawReply,
  type RawRequest,
  type RawTarget,
} from '../support/raw-target.ts';

const testEngine = useTestEngine();

/** A busy machine may delay the iterations, but their number is fixed. */
const FOUR_CLIENTS = {
  testType: 'cycling',
  initial: 4,
  total: 4,
  iterations: 200,
  duration: 60_000,
} as const;

/** Every request has a unique number. */
const NUMBERED = { path: '/%{1:9999999}' };

function expectNoDuplicates(shop: RawTarget): void {
  expect(new Set(shop.requests.map(({ path }) => path)).size).toBe(shop.requests.length);
}

/** Ends each connection after a number of responses. */
function closingAfter(
  responses: number,
  headers: readonly string[],
  end: 'end' | 'reset' | 'wait',
): RawReply {
  const requestCounts = new Map<number, number>();
  return ({ connection }, write, socket) => {
    const count = (requestCounts.get(connection) ?? 0) + 1;
    requestCounts.set(connection, count);
    write(responseText(200, '', count === responses ? headers : []));
    if (count !== responses || end === 'wait') return;
    if (end === 'end') socket.end();
    else socket.resetAndDestroy();
  };
}

describe('a target that closes connections', () => {
  test.each([
    ['announces the close and closes', ['Connection: close'], 'end'],
    ['announces the close and lets the client close', ['Connection: close'], 'wait'],
    ['announces the close among other options', ['Keep-Alive: max=1', 'Connection: foo, Close'], 'end'],
  ] as const)(
    'every request succeeds if the target %s after every third response',
    async (_name, headers, end) => {
      const shop = await openRawTarget(closingAfter(3, headers, end));
      const { ledger } = await runJob(
        testEngine.engine,
        jobOf([targetOf(shop.port, NUMBERED)], FOUR_CLIENTS),
      );
      expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
      expect(shop.connections()).toBeGreaterThanOrEqual(Math.floor(shop.requests.length / 3));
      expect(shop.requests.length).toBeGreaterThan(30);
      expectNoDuplicates(shop);
    },
  );

  test('every request succeeds if nginx closes each connection after seven responses', async () => {
    const nginx = await startNginx({ keptFor: 7 });
    try {
      const { ledger, report } = await runJob(
        testEngine.engine,
        jobOf([targetOf(nginx.port, NUMBERED)], FOUR_CLIENTS),
      );
      const logged = await nginx.log();
      expect(ledger).toMatchObject({ started: logged.length, success: logged.length });
      expect(new Set(logged.map(({ path }) => path)).size).toBe(logged.length);
      const requestCounts = new Map<number, number>();
      for (const { connection } of logged)
        requestCounts.set(connection, (requestCounts.get(connection) ?? 0) + 1);
      expect(Math.max(...requestCounts.values())).toBe(7);
      expect(report.total.bytesReceived).toBe(logged.reduce((sum, { bytesOut }) => sum + bytesOut, 0));
    } finally {
      await nginx.close();
    }
  });

  test.each(['end', 'reset'] as const)(
    'a request is retried if the target closes its connection without notice after an earlier response (way of closing: %s)',
    async (end) => {
      const shop = await openRawTarget(closingAfter(3, [], end));
      const { ledger } = await runJob(
        testEngine.engine,
        jobOf([targetOf(shop.port, NUMBERED)], FOUR_CLIENTS),
      );
      expect(ledger).toMatchObject({ network: {}, httpError: {}, protocol: {}, abandoned: 0 });
      expect(ledger.success).toBe(ledger.started);
      expect(ledger.success).toBeGreaterThan(30);
      expect(new Set(shop.requests.map(({ path }) => path)).size).toBe(ledger.success);
      // A request on a closing connection may be read by the server anyway. No other request arrives twice.
      expect(shop.requests.length).toBeLessThanOrEqual(ledger.started + ledger.resent);
      // At most one request per connection is on its way when the connection closes.
      expect(ledger.resent).toBeGreaterThan(0);
      expect(ledger.resent).toBeLessThanOrEqual(shop.connections());
    },
  );

  test.each(['end', 'reset'] as const)(
    'a client reconnects without a failed request if the target closes an idle connection (way of closing: %s)',
    async (end) => {
      const { ledger, shop } = await runWithSecondTarget((_request, write, socket) => {
        write(responseText(200, ''));
        setTimeout(() => {
          if (end === 'end') socket.end();
          else socket.resetAndDestroy();
        }, 10);
      });
      expect(ledger).toMatchObject({ network: {}, protocol: {}, success: ledger.started, resent: 0 });
      expect(shop.requests.length).toBeGreaterThanOrEqual(8);
      expect(shop.connections()).toBe(shop.requests.length);
    },
  );
});

/**
 * Runs clients that wait for a second target between two requests, so that their connections are idle. The second
 * target responds to a client only after the connection of this client to the first target has closed.
 */
async function runWithSecondTarget(reply: RawReply): Promise<JobResult & { readonly shop: RawTarget }> {
  const closed = new Map<string, Promise<unknown>>();
  const clientOf = ({ path }: RawRequest): string => path.split('?')[1] ?? '';
  const shop = await openRawTarget((request, write, socket) => {
    closed.set(clientOf(request), new Promise((resolve) => socket.once('close', resolve)));
    reply(request, write, socket);
  });
  const other = await openRawTarget((request, write) => {
    void closed.get(clientOf(request))?.then(() => setTimeout(write, 80, responseText(200, '')));
  });
  const targets = [
    targetOf(shop.port, { path: `${NUMBERED.path}?%{client}` }),
    targetOf(other.port, { hostname: 'other.test', path: '/?%{client}' }),
  ];
  const result = await runJob(testEngine.engine, jobOf(targets, { ...FOUR_CLIENTS, iterations: 16 }));
  return { ...result, shop };
}

describe('an unsolicited response', () => {
  const extraResponse = responseText(599, 'poison');

  test.each([
    ['in the packet of a response', -1],
    ['immediately after a response', 0],
    ['2 ms after a response', 2],
    ['30 ms after a response', 30],
  ])('an unsolicited response that arrives %s is not assigned to a later request', async (_name, delay) => {
    const { ledger, report, shop } = await runWithSecondTarget((_request, write) => {
      if (delay < 0) {
        write(responseText(200, 'ok') + extraResponse);
      } else {
        write(responseText(200, 'ok'));
        setTimeout(write, delay, extraResponse);
      }
    });
    expect(report.total.statusCodes).toEqual({ 200: ledger.started });
    expect(report.targets[0]?.ledger.started).toBe(shop.requests.length);
    expect(shop.requests.length).toBeGreaterThanOrEqual(8);
    // The connection with the extra response is not reused.
    expect(shop.connections()).toBe(shop.requests.length);
  });

  test('an unsolicited response that arrives during a later request counts as the response to that request, and each request counts once', async () => {
    let responses = 0;
    const shop = await openRawTarget((request, write) => {
      const sendsExtra = request.path.endsWith('5');
      // The next request has arrived when the extra response is sent.
      setTimeout(() => {
        write(responseText(200, ''));
        responses++;
        if (sendsExtra) setTimeout(write, 3, extraResponse);
      }, 20);
    });
    const { ledger } = await runJob(testEngine.engine, jobOf([targetOf(shop.port, NUMBERED)], FOUR_CLIENTS));
    expect(ledger.started).toBe(shop.requests.length);
    expect(ledger).toMatchObject({ network: {}, protocol: {}, abandoned: 0 });
    const extraCount = ledger.httpError[599] ?? 0;
    expect(extraCount).toBeGreaterThan(0);
    expect(ledger.success + extraCount).toBe(ledger.started);
    expect(responses).toBeGreaterThanOrEqual(ledger.success);
    expectNoDuplicates(shop);
  });
});

/** Connections that the target ends or spoils: each request counts once, and no answer is given to another request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  jobOf,
  openTestEngine,
  runJob,
  targetOf,
  type TestEngine,
  type JobResult,
} from '../support/test-engine.ts';
import { startNginx } from '../support/nginx-target.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const four = { testType: 'cycling', initial: 4, total: 4, duration: 300 } as const;

/** Every request carries a number of its own; none comes twice. */
const NUMBERED = { path: '/%{1:9999999}' };

function expectNothingTwice(shop: RawTarget): void {
  expect(new Set(shop.requests.map(({ path }) => path)).size).toBe(shop.requests.length);
}

/** Ends each connection after so many answers. */
function closingAfter(
  responses: number,
  headers: readonly string[],
  end: 'end' | 'reset' | 'wait',
): RawReply {
  const served = new Map<number, number>();
  return ({ connection }, write, socket) => {
    const count = (served.get(connection) ?? 0) + 1;
    served.set(connection, count);
    write(responseText(200, '', count === responses ? headers : []));
    if (count !== responses || end === 'wait') return;
    if (end === 'end') socket.end();
    else socket.resetAndDestroy();
  };
}

describe('a target that ends connections', () => {
  test.each([
    ['says so, and closes', ['Connection: close'], 'end'],
    ['says so, and leaves the closing to us', ['Connection: close'], 'wait'],
    ['says so among others', ['Keep-Alive: max=1', 'Connection: foo, Close'], 'end'],
  ] as const)('after each third answer, and %s: every request is answered', async (_name, headers, end) => {
    const shop = await openRawTarget(closingAfter(3, headers, end));
    const { ledger } = await runJob(rig.engine, jobOf([targetOf(shop.port, NUMBERED)], four));
    expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
    expect(shop.connections()).toBeGreaterThanOrEqual(Math.floor(shop.requests.length / 3));
    expect(shop.requests.length).toBeGreaterThan(30);
    expectNothingTwice(shop);
  });

  test('nginx, after each seventh answer', async () => {
    const nginx = await startNginx({ keptFor: 7 });
    try {
      const { ledger, report } = await runJob(rig.engine, jobOf([targetOf(nginx.port, NUMBERED)], four));
      const logged = await nginx.log();
      expect(ledger).toMatchObject({ started: logged.length, success: logged.length });
      expect(new Set(logged.map(({ path }) => path)).size).toBe(logged.length);
      const kept = new Map<number, number>();
      for (const { connection } of logged) kept.set(connection, (kept.get(connection) ?? 0) + 1);
      expect(Math.max(...kept.values())).toBe(7);
      expect(report.total.bytesReceived).toBe(logged.reduce((sum, { bytesOut }) => sum + bytesOut, 0));
    } finally {
      await nginx.close();
    }
  });

  test.each(['end', 'reset'] as const)(
    'with the very answer, by %s and without a word: the request that crosses it is sent once more',
    async (end) => {
      const shop = await openRawTarget(closingAfter(3, [], end));
      const { ledger } = await runJob(rig.engine, jobOf([targetOf(shop.port, NUMBERED)], four));
      expect(ledger).toMatchObject({ network: {}, httpError: {}, protocol: {}, abandoned: 0 });
      expect(ledger.success).toBe(ledger.started);
      expect(ledger.success).toBeGreaterThan(30);
      expect(new Set(shop.requests.map(({ path }) => path)).size).toBe(ledger.success);
      // A request that crossed the end may have been read by a server that reads on: no other one comes twice.
      expect(shop.requests.length).toBeLessThanOrEqual(ledger.started + ledger.resent);
      // No more than the one that crossed the end of each connection.
      expect(ledger.resent).toBeGreaterThan(0);
      expect(ledger.resent).toBeLessThanOrEqual(shop.connections());
    },
  );

  test.each(['end', 'reset'] as const)(
    'while they are idle, by %s: the next request opens another one, and nothing fails',
    async (end) => {
      const shop = await openRawTarget((_request, write, socket) => {
        write(responseText(200, ''));
        setTimeout(() => {
          if (end === 'end') socket.end();
          else socket.resetAndDestroy();
        }, 10);
      });
      const { ledger } = await besideAnother(shop);
      expect(ledger).toMatchObject({ network: {}, protocol: {}, success: ledger.started, resent: 0 });
      expect(shop.requests.length).toBeGreaterThanOrEqual(8);
      expect(shop.connections()).toBe(shop.requests.length);
    },
  );
});

/** Between two requests to this target each client waits for another one, so that its connection is idle. */
async function besideAnother(shop: RawTarget): Promise<JobResult> {
  const other = await openRawTarget((_request, write) => {
    setTimeout(write, 80, responseText(200, ''));
  });
  return runJob(
    rig.engine,
    jobOf([targetOf(shop.port, NUMBERED), targetOf(other.port, { hostname: 'other.test' })], four),
  );
}

describe('an answer that nobody asked for', () => {
  const poison = responseText(599, 'poison');

  test.each([
    ['in the same packet', -1],
    ['at once', 0],
    ['after 2 ms', 2],
    ['after 30 ms', 30],
  ])('%s, on an idle connection: the next request never gets it', async (_name, delay) => {
    const shop = await openRawTarget((_request, write) => {
      if (delay < 0) {
        write(responseText(200, 'ok') + poison);
      } else {
        write(responseText(200, 'ok'));
        setTimeout(write, delay, poison);
      }
    });
    const { ledger, report } = await besideAnother(shop);
    expect(report.total.statusCodes).toEqual({ 200: ledger.started });
    expect(report.targets[0]?.ledger.started).toBe(shop.requests.length);
    expect(shop.requests.length).toBeGreaterThanOrEqual(8);
    // The connection that brought it is not used again.
    expect(shop.connections()).toBe(shop.requests.length);
  });

  test('while the next request is under way: HTTP cannot tell whose it is, but the counts stay true', async () => {
    let responses = 0;
    const shop = await openRawTarget((request, write) => {
      const poisoned = request.path.endsWith('5');
      // The next request is there by the time that the extra answer comes.
      setTimeout(() => {
        write(responseText(200, ''));
        responses++;
        if (poisoned) setTimeout(write, 3, poison);
      }, 20);
    });
    const { ledger } = await runJob(rig.engine, jobOf([targetOf(shop.port, NUMBERED)], four));
    expect(ledger.started).toBe(shop.requests.length);
    expect(ledger).toMatchObject({ network: {}, protocol: {}, abandoned: 0 });
    const taken = ledger.httpError[599] ?? 0;
    expect(taken).toBeGreaterThan(0);
    expect(ledger.success + taken).toBe(ledger.started);
    expect(responses).toBeGreaterThanOrEqual(ledger.success);
    expectNothingTwice(shop);
  });
});

/** What the machine may do to a run: little memory, a clock that jumps; and what a target may send. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createThreadEntry,
  jobOf,
  openTestEngine,
  runInChildProcess,
  targetOf,
  type TestEngine,
} from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

describe('memory', () => {
  test('a thread that has none left makes the run partial, and leaves the books of the others whole', async () => {
    const shop = await openRawTarget();
    const greedy = createThreadEntry(
      rig,
      'greedy',
      `const kept = [];
       const grow = () => { kept.push(Array.from({ length: 200_000 }, (_, index) => ({ index }))); setImmediate(grow); };
       if (workerData.share.worker === 1) setTimeout(grow, 1200);`,
    );
    const job = jobOf([targetOf(shop.port)], { testType: 'per-second', total: 100, duration: 20_000 });
    const report = await runInChildProcess(rig, job, {
      threadUrl: greedy,
      flags: ['--max-old-space-size=80'],
    }).report;
    expect(report.abortReason).toBe('partial');
    expect(report.elapsed).toBeLessThan(15_000);
    const { ledger } = report.total;
    expect(ledger.planned).toBe(2000);
    // What the lost one told of its first second stays; of the rest nobody knows.
    expect(ledger.started).toBeLessThanOrEqual(shop.requests.length);
    expect(ledger.started).toBeGreaterThan(shop.requests.length / 2);
    expect(ledger.notStarted.aborted).toBe(2000 - ledger.started);
  });

  /** Sends a head, and then zeros as fast as they are taken, until there are enough or nobody takes them. */
  async function zerosServer(head: string, total: number) {
    const zeros = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const send = (socket: Socket, left: number): void => {
      let rest = left;
      while (rest > 0 && !socket.destroyed) {
        const piece = zeros.subarray(0, Math.min(rest, zeros.length));
        rest -= piece.length;
        sent += piece.length;
        if (socket.write(piece)) continue;
        const later = rest;
        socket.once('drain', () => {
          send(socket, later);
        });
        return;
      }
    };
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(head);
        send(socket, total);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    return {
      port,
      sent: () => sent,
      close: () => {
        server.close();
      },
    };
  }

  const MEBIBYTE = 1024 * 1024;

  test('a body of 2 GiB is read to its end, counted to the byte, and kept nowhere', async () => {
    const size = 2048 * MEBIBYTE;
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`;
    const shop = await zerosServer(head, size);
    const job = jobOf([targetOf(shop.port)], { total: 1, duration: 100, timeout: 30_000 });
    const { report, peakMemory } = await runInChildProcess(rig, job).told;
    shop.close();
    expect(report?.total.ledger.success).toBe(1);
    expect(report?.total.bytesReceived).toBe(head.length + size);
    expect(peakMemory).toBeLessThan(200 * MEBIBYTE);
  });

  test.each([
    ['with a length', 'Content-Length: 9007199254740991\r\n\r\n'],
    ['without one', '\r\n'],
    ['of one chunk', 'Transfer-Encoding: chunked\r\n\r\n1FFFFFFFFFFFFF\r\n'],
  ])('a body without end, %s, is read until the timeout', async (_name, rest) => {
    const shop = await zerosServer(`HTTP/1.1 200 OK\r\n${rest}`, Number.MAX_SAFE_INTEGER);
    // The second one meets its deadline well before the drain is over.
    const job = jobOf([targetOf(shop.port)], { total: 2, duration: 1000, timeout: 800 });
    const { report, peakMemory } = await runInChildProcess(rig, job).told;
    shop.close();
    expect(report?.total.ledger).toMatchObject({ success: 0, timeout: { response: 2 } });
    expect(report?.elapsed).toBeLessThan(2500);
    expect(report?.total.bytesReceived).toBeGreaterThan(MEBIBYTE);
    expect(report?.total.bytesReceived).toBeLessThanOrEqual(shop.sent() + 200);
    expect(peakMemory).toBeLessThan(200 * MEBIBYTE);
  });
});

describe('the time of day', () => {
  /** Jumps an hour back, two hours on, and back again, within the run. */
  const JUMPING = `
    { const RealDate = Date;
      let offset = 0;
      globalThis.Date = class extends RealDate {
        constructor(...parts) { super(...(parts.length === 0 ? [RealDate.now() + offset] : parts)); }
        static now() { return RealDate.now() + offset; }
      };
      for (const [after, to] of [[300, -3_600_000], [1100, 3_600_000], [1700, 0]]) setTimeout(() => { offset = to; }, after);
    }`;

  test.each([
    ['per-second', { total: 100 }],
    ['cycling', { initial: 4, total: 4 }],
  ] as const)('of a %s test may jump by hours: pace, times and end stay', async (testType, clients) => {
    const shop = await openRawTarget((_request, write) => {
      setTimeout(write, 20, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a=b; Max-Age=60\r\n\r\n');
    });
    const urls = [targetOf(shop.port), targetOf(shop.port, { path: '/b' })];
    const job = jobOf(urls, { testType, ...clients, duration: 2000 });
    const how = { prelude: JUMPING, threadUrl: createThreadEntry(rig, 'jumping', JUMPING) };
    const report = await runInChildProcess(rig, job, how).report;
    const { ledger, serviceTime } = report.total;
    expect(ledger.success).toBe(shop.requests.length);
    expect(ledger.success).toBe(ledger.planned);
    expect(report.elapsed).toBeGreaterThanOrEqual(2000);
    expect(report.elapsed).toBeLessThan(3000);
    expect(serviceTime?.min).toBeGreaterThanOrEqual(19);
    expect(serviceTime?.max).toBeLessThan(1000);
    expect(report.timeline.length).toBeLessThanOrEqual(3);
    // None of the two seconds got all of it.
    const [first = 0, second = 0] = report.timeline.map(({ started }) => started);
    expect(first / second).toBeGreaterThan(0.6);
    expect(first / second).toBeLessThan(1.6);
    if (testType === 'per-second') expect(ledger.planned).toBe(400);
  });
});

/** Limits of memory, jumps of the clock, and very large responses. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  createThreadEntry,
  jobOf,
  useTestEngine,
  runInChildProcess,
  targetOf,
} from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';
import { scaleCount } from '../support/test-scale.ts';

const testEngine = useTestEngine();

describe('memory', () => {
  test('if a thread runs out of memory, the run is partial, and each planned request counts as started or as not started', async () => {
    const shop = await openRawTarget();
    const greedyThreadUrl = createThreadEntry(
      testEngine,
      'greedy',
      `const kept = [];
       const grow = () => { kept.push(new Array(500_000).fill(0.5)); setImmediate(grow); };
       if (workerData.shard.threadIndex === 1) setTimeout(grow, 1200);`,
    );
    const job = jobOf([targetOf(shop.port)], {
      testType: 'per-second',
      total: 100,
      // On a busy machine, the thread needs half a minute to use its memory.
      duration: 200_000,
      threads: 2,
    });
    const report = await runInChildProcess(testEngine, job, {
      threadUrl: greedyThreadUrl,
      flags: ['--max-old-space-size=80'],
    }).report;
    expect(report.abortReason).toBe('partial');
    expect(report.elapsed).toBeLessThan(150_000);
    const { ledger } = report.total;
    expect(ledger.planned).toBe(20_000);
    // The counts of the lost thread's first second are retained; the rest is unknown.
    expect(ledger.started).toBeLessThanOrEqual(shop.requests.length);
    expect(ledger.started).toBeGreaterThan(shop.requests.length / 2);
    // If the machine stalls for a second, clients are skipped.
    expect(ledger.notStarted.aborted + ledger.notStarted.saturated).toBe(20_000 - ledger.started);
  });

  /**
   * Starts a server that sends a header, then zeros as fast as possible, until `total` bytes are sent or the
   * client closes.
   */
  async function startZerosServer(header: string, total: number) {
    const zeros = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const send = (socket: Socket, remaining: number): void => {
      let remainingBytes = remaining;
      while (remainingBytes > 0 && !socket.destroyed) {
        const chunk = zeros.subarray(0, Math.min(remainingBytes, zeros.length));
        remainingBytes -= chunk.length;
        sent += chunk.length;
        if (socket.write(chunk)) continue;
        const bytesAfterDrain = remainingBytes;
        socket.once('drain', () => send(socket, bytesAfterDrain));
        return;
      }
    };
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(header);
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

  /** More than the memory that the process may use; with TEST_SCALE=1, also more than 2 GiB. */
  const LARGE = scaleCount(2560);

  test(`a body of ${LARGE} MiB is read completely, counted to the byte, and not stored`, async () => {
    const size = LARGE * MEBIBYTE;
    const header = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`;
    const shop = await startZerosServer(header, size);
    const job = jobOf([targetOf(shop.port)], { total: 1, duration: 100, timeout: 30_000 });
    const { report, peakMemory } = await runInChildProcess(testEngine, job).output;
    shop.close();
    expect(report?.total.ledger.success).toBe(1);
    expect(report?.total.bytesReceived).toBe(header.length + size);
    expect(peakMemory).toBeLessThan(200 * MEBIBYTE);
  });

  test.each([
    ['with a Content-Length', 'Content-Length: 9007199254740991\r\n\r\n'],
    ['without a Content-Length', '\r\n'],
    ['in one chunk', 'Transfer-Encoding: chunked\r\n\r\n1FFFFFFFFFFFFF\r\n'],
  ])('an endless body %s is read until the timeout, and is not stored', async (_name, headerEnd) => {
    const shop = await startZerosServer(`HTTP/1.1 200 OK\r\n${headerEnd}`, Number.MAX_SAFE_INTEGER);
    const job = jobOf([targetOf(shop.port)], { total: 1, duration: 100, timeout: 800 });
    const { report, peakMemory } = await runInChildProcess(testEngine, job).output;
    shop.close();
    expect(report?.total.ledger).toMatchObject({ success: 0, timeout: { response: 1 } });
    expect(report?.elapsed).toBeLessThan(2500);
    expect(report?.total.bytesReceived).toBeGreaterThan(MEBIBYTE);
    expect(report?.total.bytesReceived).toBeLessThanOrEqual(shop.sent() + 200);
    expect(peakMemory).toBeLessThan(200 * MEBIBYTE);
  });
});

describe('the time of day', () => {
  /** Moves the clock an hour back, two hours forward, and back again during the run. */
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
  ] as const)(
    'jumps of the wall clock do not affect the pace, the service times or the end of a %s test',
    async (testType, clients) => {
      const shop = await openRawTarget((_request, write) => {
        setTimeout(write, 20, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a=b; Max-Age=60\r\n\r\n');
      });
      const urls = [targetOf(shop.port), targetOf(shop.port, { path: '/b' })];
      const job = jobOf(urls, { testType, ...clients, duration: 2000 });
      const options = { prelude: JUMPING, threadUrl: createThreadEntry(testEngine, 'jumping', JUMPING) };
      const report = await runInChildProcess(testEngine, job, options).report;
      const { ledger, serviceTime } = report.total;
      expect(ledger.success).toBe(shop.requests.length);
      expect(ledger.success).toBe(ledger.planned);
      expect(report.elapsed).toBeGreaterThanOrEqual(2000);
      expect(report.elapsed).toBeLessThan(3000);
      expect(serviceTime?.min).toBeGreaterThanOrEqual(19);
      expect(serviceTime?.max).toBeLessThan(1000);
      expect(report.timeline.length).toBeLessThanOrEqual(3);
      // Neither of the two seconds contains all requests.
      const [first = 0, second = 0] = report.timeline.map(({ started }) => started);
      expect(first / second).toBeGreaterThan(0.6);
      expect(first / second).toBeLessThan(1.6);
      if (testType === 'per-second') expect(ledger.planned).toBe(400);
    },
  );
});

/** Request counts: the counts of the engine match those of the target, request by request. */
// @module-tag load
import { describe, expect, test } from 'vitest';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

/** Responds with the status in the path: `/200`, `/404`, … */
const byPath: RawReply = (request, write) => write(responseText(Number(request.path.slice(1)), 'some text'));

describe('request counts', () => {
  test('a non-cycling test starts every client once, each on a separate connection', async () => {
    const shop = await openRawTarget(byPath);
    const job = jobOf([targetOf(shop.port, { path: '/200' }), targetOf(shop.port, { path: '/404' })], {
      total: 100,
      threads: 2,
    });
    const { report, ledger } = await runJob(testEngine.engine, job);
    expect(ledger).toMatchObject({
      planned: 200,
      started: 200,
      success: 100,
      httpError: { 404: 100 },
      abandoned: 0,
    });
    expect(report.targets.map(({ ledger: urlLedger }) => urlLedger.started)).toEqual([100, 100]);
    expect(report.total.statusCodes).toEqual({ 200: 100, 404: 100 });
    expect(shop.connections()).toBe(100);
    for (let connection = 0; connection < 100; connection++) {
      const paths = shop.requests
        .filter((request) => request.connection === connection)
        .map(({ path }) => path);
      expect(paths).toEqual(['/200', '/404']);
    }
    expect(report.total.bytesSent).toBe(shop.bytesIn());
    expect(report.total.bytesReceived).toBe(shop.bytesOut());
    expect(report.generator.threads).toBe(2);
    expect(report.abortReason).toBeNull();
  });

  test('a per-second test with 50 clients per second and a duration of 2 s starts 100 clients', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'per-second', total: 50, duration: 2000 });
    const { report, ledger, progress } = await runJob(testEngine.engine, job);
    expect(ledger).toMatchObject({ planned: 100, started: 100, success: 100 });
    expect(shop.requests).toHaveLength(100);
    expect(shop.connections()).toBe(100);
    expect(report.timeline.map(({ second }) => second)).toEqual(report.timeline.map((_, index) => index));
    expect(report.timeline.reduce((sum, { started }) => sum + started, 0)).toBe(100);
    expect(progress.length).toBeGreaterThanOrEqual(1);
    expect(progress[0]).toMatchObject({ elapsed: 1000, error: 0 });
    expect(report.elapsed).toBeGreaterThanOrEqual(2000);
  });

  test('a cycling test uses persistent connections and counts every request', async () => {
    const shop = await openRawTarget(byPath);
    const job = jobOf([targetOf(shop.port, { path: '/200' }), targetOf(shop.port, { path: '/503' })], {
      testType: 'cycling',
      initial: 3,
      total: 8,
    });
    const { report, ledger } = await runJob(testEngine.engine, job);
    expect(shop.connections()).toBe(8);
    expect(ledger.planned).toBe(shop.requests.length);
    expect(ledger.started).toBe(shop.requests.length);
    expect(ledger.success).toBe(shop.requests.filter(({ path }) => path === '/200').length);
    expect(ledger.httpError).toEqual({ 503: shop.requests.filter(({ path }) => path === '/503').length });
    // Iterations finish even if the duration has passed.
    expect(ledger.success).toBe(ledger.httpError[503]);
    expect(report.total.bytesSent).toBe(shop.bytesIn());
    expect(report.total.bytesReceived).toBe(shop.bytesOut());
    expect(report.total.latency).toEqual(report.total.serviceTime);
    expect(report.peakConnections).toBe(8);
  });

  test('no connection of a cycling test has two concurrent requests', async () => {
    const activeRequests = new Map<number, number>();
    let maxActive = 0;
    const shop = await openRawTarget((request, write) => {
      const active = (activeRequests.get(request.connection) ?? 0) + 1;
      activeRequests.set(request.connection, active);
      maxActive = Math.max(maxActive, active);
      setTimeout(() => {
        activeRequests.set(request.connection, 0);
        write(responseText(200, ''));
      }, 3);
    });
    await runInVirtualTime(jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 5, total: 5 }), shop);
    expect(maxActive).toBe(1);
  });

  test('request counts and byte counts are exact if each response arrives in two parts, regardless of its framing', async () => {
    const shapes = [
      responseText(200, ''),
      responseText(200, 'x'.repeat(70_000)),
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n',
      'HTTP/1.1 304 No\r\nContent-Length: 77\r\n\r\n',
      responseText(200, 'bye', ['Connection: close']),
    ];
    let next = 0;
    const shop = await openRawTarget((_request, write, socket) => {
      const text = shapes[next++ % shapes.length] ?? '';
      // In two parts, split anywhere.
      const at = (next * 7919) % text.length;
      write(text.slice(0, at));
      setImmediate(() => {
        write(text.slice(at));
        if (text.includes('close')) socket.end();
      });
    });
    const { report, ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(shop.port)], {
        testType: 'cycling',
        initial: 20,
        total: 20,
        iterations: 30 * shapes.length,
        duration: 60_000,
      }),
    );
    expect(shop.requests).toHaveLength(30 * shapes.length);
    expect(ledger).toMatchObject({
      started: shop.requests.length,
      success: shop.requests.length,
      network: {},
      protocol: {},
    });
    expect(report.total.bytesSent).toBe(shop.bytesIn());
    expect(report.total.bytesReceived).toBe(shop.bytesOut());
  });

  test('each client opens one connection to each host of the test', async () => {
    const [shop, stock] = [await openRawTarget(), await openRawTarget(undefined, { host: '::1' })];
    const job = jobOf([
      targetOf(shop.port),
      targetOf(stock.port, { hostname: 'stock.test', addresses: ['::1'] }),
      targetOf(shop.port, { path: '/again' }),
    ]);
    const { ledger } = await runJob(testEngine.engine, job);
    expect(ledger).toMatchObject({ planned: 30, success: 30 });
    expect([shop.connections(), stock.connections()]).toEqual([10, 10]);
    expect([shop.requests.length, stock.requests.length]).toEqual([20, 10]);
  });

  test('ten clients are divided equally between two addresses of one host', async () => {
    const first = await openRawTarget();
    const second = await openRawTarget(undefined, { host: '127.0.0.2', port: first.port });
    await runJob(testEngine.engine, jobOf([targetOf(first.port, { addresses: ['127.0.0.1', '127.0.0.2'] })]));
    expect([first.requests.length, second.requests.length]).toEqual([5, 5]);
  });
});

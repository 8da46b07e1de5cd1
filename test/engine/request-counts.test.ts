/** What the engine counts is what the target saw, request by request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

/** Answers by path: `/200`, `/404`, … */
const byPath: RawReply = (request, write) => {
  write(responseText(Number(request.path.slice(1)), 'some text'));
};

describe('counts', () => {
  test('a non-cycling test: every client once, each on a connection of its own', async () => {
    const shop = await openRawTarget(byPath);
    const job = jobOf([targetOf(shop.port, { path: '/200' }), targetOf(shop.port, { path: '/404' })], {
      total: 100,
    });
    const { report, ledger } = await runJob(rig.engine, job);
    expect(ledger).toMatchObject({
      planned: 200,
      started: 200,
      success: 100,
      httpError: { 404: 100 },
      abandoned: 0,
    });
    expect(report.targets.map(({ ledger: one }) => one.started)).toEqual([100, 100]);
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

  test('a per-second test: its clients in every second', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'per-second', total: 50, duration: 2000 });
    const { report, ledger, progress } = await runJob(rig.engine, job);
    expect(ledger).toMatchObject({ planned: 100, started: 100, success: 100 });
    expect(shop.requests).toHaveLength(100);
    expect(shop.connections()).toBe(100);
    expect(report.timeline.map(({ second }) => second)).toEqual(report.timeline.map((_, index) => index));
    expect(report.timeline.reduce((sum, { started }) => sum + started, 0)).toBe(100);
    expect(progress.length).toBeGreaterThanOrEqual(1);
    expect(progress[0]).toMatchObject({ elapsed: 1000, error: 0 });
    expect(report.elapsed).toBeGreaterThanOrEqual(2000);
  });

  test('a cycling test: connections are kept, and every request is counted', async () => {
    const shop = await openRawTarget(byPath);
    const job = jobOf([targetOf(shop.port, { path: '/200' }), targetOf(shop.port, { path: '/503' })], {
      testType: 'cycling',
      initial: 3,
      total: 8,
    });
    const { report, ledger } = await runJob(rig.engine, job);
    expect(shop.connections()).toBe(8);
    expect(ledger.planned).toBe(shop.requests.length);
    expect(ledger.started).toBe(shop.requests.length);
    expect(ledger.success).toBe(shop.requests.filter(({ path }) => path === '/200').length);
    expect(ledger.httpError).toEqual({ 503: shop.requests.filter(({ path }) => path === '/503').length });
    // Passes end even when the time is over.
    expect(ledger.success).toBe(ledger.httpError[503]);
    expect(report.total.bytesSent).toBe(shop.bytesIn());
    expect(report.total.bytesReceived).toBe(shop.bytesOut());
    expect(report.total.latency).toEqual(report.total.serviceTime);
    expect(report.peakConnections).toBe(8);
  });

  test('a client never has two requests at once', async () => {
    const busy = new Map<number, number>();
    let most = 0;
    const shop = await openRawTarget((request, write) => {
      const now = (busy.get(request.connection) ?? 0) + 1;
      busy.set(request.connection, now);
      most = Math.max(most, now);
      setTimeout(() => {
        busy.set(request.connection, 0);
        write(responseText(200, ''));
      }, 3);
    });
    await runJob(rig.engine, jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 5, total: 5 }));
    expect(most).toBe(1);
  });

  test('thousands of requests, byte for byte, for answers of many shapes', async () => {
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
      // In two pieces, cut anywhere.
      const at = (next * 7919) % text.length;
      write(text.slice(0, at));
      setImmediate(() => {
        write(text.slice(at));
        if (text.includes('close')) socket.end();
      });
    });
    const { report, ledger } = await runJob(
      rig.engine,
      jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 20, total: 20, duration: 1500 }),
    );
    expect(shop.requests.length).toBeGreaterThan(500);
    expect(ledger).toMatchObject({
      started: shop.requests.length,
      success: shop.requests.length,
      network: {},
      protocol: {},
    });
    expect(report.total.bytesSent).toBe(shop.bytesIn());
    expect(report.total.bytesReceived).toBe(shop.bytesOut());
  });

  test('several hosts: each client has a connection to each', async () => {
    const [shop, stock] = [await openRawTarget(), await openRawTarget(undefined, { host: '::1' })];
    const job = jobOf([
      targetOf(shop.port),
      targetOf(stock.port, { hostname: 'stock.test', addresses: ['::1'] }),
      targetOf(shop.port, { path: '/again' }),
    ]);
    const { ledger } = await runJob(rig.engine, job);
    expect(ledger).toMatchObject({ planned: 30, success: 30 });
    expect([shop.connections(), stock.connections()]).toEqual([10, 10]);
    expect([shop.requests.length, stock.requests.length]).toEqual([20, 10]);
  });

  test('several addresses of one host share the clients', async () => {
    const one = await openRawTarget();
    const two = await openRawTarget(undefined, { host: '127.0.0.2', port: one.port });
    await runJob(rig.engine, jobOf([targetOf(one.port, { addresses: ['127.0.0.1', '127.0.0.2'] })]));
    expect([one.requests.length, two.requests.length]).toEqual([5, 5]);
  });
});

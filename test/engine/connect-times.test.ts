/** Connection and TLS handshake times: recorded separately from the requests, once per connection. */
// @module-tag load
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeStoredResult, createResultDocument } from '../../src/contract/result-codec.ts';
import { Histogram } from '../../src/core/load/histogram.ts';
import { readHistogram } from '../../src/core/run-record/histogram-record.ts';
import { latencySummary } from '../../src/core/load/run-summary.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { findFreePort } from '../support/free-port.ts';
import { jobOf, useTestEngine, runJob, targetOf, type JobChanges } from '../support/test-engine.ts';
import {
  responseText,
  openRawTarget,
  createSelfSigned,
  type RawTarget,
  type RawReply,
} from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

/** Responds after 10 ms. On a simulated clock, a client with immediate responses would never stop. */
const respondAfter10Ms: RawReply = (request, write, socket) => {
  const close = request.path === '/closes';
  setTimeout(() => {
    write(responseText(200, 'ok', close ? ['Connection: close'] : []));
    if (close) socket.end();
  }, 10);
};

const closed: JobChanges = { testType: 'cycling', initial: 5, total: 5, duration: 1000, threads: 2 };

describe('the time to connect', () => {
  test('a closed test reports a connection time of 40 ms for each of five connections if the network delays each connection by 40 ms', async () => {
    const shop = await openRawTarget(respondAfter10Ms);
    const report = await runInVirtualTime(jobOf([targetOf(shop.port)], closed), shop, { arrivesEvery: 50 });
    expect(report.connect).toMatchObject({ count: 5, times: { min: 40, p50: 40, max: 40 } });
    expect(report.connect?.count).toBe(shop.connections());
    expect(report.tls).toBeNull();
  });

  test('one connection time is reported for each connection, whether the connection is persistent or not', async () => {
    const shop = await openRawTarget(respondAfter10Ms);
    const targets = ['/', '/closes', '/again'].map((path) => targetOf(shop.port, { path }));
    const report = await runInVirtualTime(jobOf(targets, closed), shop, { arrivesEvery: 50 });
    expect(shop.connections()).toBeGreaterThan(20);
    expect(report.connect?.count).toBe(shop.connections());
  });

  test.each(['non-cycling', 'per-second'] as const)(
    'a %s test reports one connection time for each of its 20 clients',
    async (testType) => {
      const shop = await openRawTarget(respondAfter10Ms);
      const job = jobOf([targetOf(shop.port)], { testType, total: 20, duration: 1000, threads: 2 });
      const report = await runInVirtualTime(job, shop, { arrivesEvery: 50 });
      expect(report.connect).toMatchObject({ count: 20, times: { min: 40 } });
      // The response time counts from the due time of the client and includes the connection time.
      expect(report.connect?.times.max).toBeLessThanOrEqual(report.total.latency?.max ?? 0);
    },
  );

  test('no connection time is reported if no connection succeeds', async () => {
    const job = jobOf([targetOf(await findFreePort())], { ...closed, duration: 200 });
    const { report } = await runJob(testEngine.engine, job);
    expect(report.connect).toBeNull();
  });
});

/** Starts a proxy that delays the first bytes of the target, such as its ServerHello. */
async function lateFirstBytes(target: RawTarget, delay: number): Promise<number> {
  const proxy = createServer((clientSocket) => {
    const targetSocket = connect(target.port, '127.0.0.1');
    let timer: NodeJS.Timeout | null = null;
    let isFirst = true;
    clientSocket.pipe(targetSocket);
    targetSocket.on('data', (bytes) => {
      if (!isFirst) {
        clientSocket.write(bytes);
        return;
      }
      targetSocket.pause();
      timer = setTimeout(() => {
        isFirst = false;
        clientSocket.write(bytes);
        targetSocket.resume();
      }, delay);
    });
    for (const socket of [clientSocket, targetSocket]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (timer !== null) clearTimeout(timer);
        clientSocket.destroy();
        targetSocket.destroy();
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
  });
  return (proxy.address() as AddressInfo).port; // it listens on TCP
}

describe('the time of a TLS handshake', () => {
  test.each(['cycling', 'per-second'] as const)(
    'a %s test reports one TLS handshake time per connection, and the maximum includes the delay of the first bytes from the target',
    async (testType) => {
      const shop = await openRawTarget(undefined, { tls: createSelfSigned() });
      const port = await lateFirstBytes(shop, 60);
      const job = jobOf([targetOf(port, { secure: true, hostname: 'localhost' })], {
        testType,
        initial: 4,
        total: 4,
        duration: 1000,
        timeout: 10_000,
      });
      const { report } = await runJob(testEngine.engine, job);
      expect(report.connect?.count).toBe(shop.connections());
      expect(report.tls?.count).toBe(shop.connections());
      expect(report.total.ledger.success).toBeGreaterThanOrEqual(4);
      // A timer of Node.js may fire 1 ms early, and a busy machine may detect the TCP connection late.
      expect(report.tls?.times.max).toBeGreaterThanOrEqual(59);
    },
  );
});

describe('the result document', () => {
  async function runAndEncode(
    changes: JobChanges,
  ): Promise<{ report: RunReport; record: Record<string, unknown> }> {
    const shop = await openRawTarget(respondAfter10Ms);
    const report = await runInVirtualTime(jobOf([targetOf(shop.port)], changes), shop, { arrivesEvery: 50 });
    const document = createResultDocument({ id: 'r1', startedAt: 0 }, report);
    return {
      report,
      record: JSON.parse(JSON.stringify(encodeStoredResult({ id: 'r1', startedAt: 0, document }))) as Record<
        string,
        unknown
      >, // an object
    };
  }

  test('the result document contains the count of connection times, and percentiles that match the stored histogram', async () => {
    const { report, record } = await runAndEncode(closed);
    expect(record['connect']).toEqual({ count: 5, ...report.connect?.times });
    expect(record['tls']).toBeNull();
    expect(record['tls_histogram']).toBeNull();
    const stored = readHistogram(record['connect_histogram']);
    const histogram = stored && Histogram.fromStored(stored);
    expect(histogram && latencySummary(histogram)).toEqual(report.connect?.times);
  });
});

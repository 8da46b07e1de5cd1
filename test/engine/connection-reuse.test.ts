/** How requests use connections: a new one for each request, or connections that all clients share. */
// @module-tag load
import { expect, test } from 'vitest';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import {
  createSelfSigned,
  openRawTarget,
  responseText,
  startRawTarget,
  type RawReply,
  type RawTarget,
} from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf, textBody, type JobChanges } from '../support/test-engine.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

const CLOSED: JobChanges = { testType: 'cycling', initial: 6, total: 6, duration: 300 };

/** A target that keeps its connections open, although the requests ask it to close them. */
const keepsOpen: RawReply = (request, write) => {
  setTimeout(write, 5, responseText(request.path === '/moved' ? 302 : 200, 'ok', ['Location: /new']));
};

/** Runs a job in threads or, if it has only one, in virtual time. */
async function run(job: LoadJob, shop: RawTarget): Promise<RunReport> {
  return job.threads === 1
    ? await runInVirtualTime(job, shop)
    : (await runJob(testEngine.engine, job)).report;
}

test.each([1, 2])(
  'with a thread count of %i and without persistent connections, each request and redirect uses a new connection',
  async (threads) => {
    const shop = await openRawTarget(keepsOpen);
    const targets = [
      targetOf(shop.port, { path: '/moved' }),
      targetOf(shop.port, { path: '/order', method: 'POST', body: textBody('x'.repeat(3000)) }),
    ];
    const report = await run(jobOf(targets, { ...CLOSED, threads, keepAlive: false }), shop);
    const { ledger } = report.total;
    expect(shop.requests.length).toBeGreaterThan(6);
    expect(new Set(shop.requests.map(({ connection }) => connection)).size).toBe(shop.requests.length);
    expect(shop.connections()).toBe(shop.requests.length);
    const closing = shop.requests.filter(({ headers }) =>
      headers.some(([name, value]) => name === 'Connection' && value === 'close'),
    );
    expect(closing).toHaveLength(shop.requests.length);
    expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
    expect(report.connect?.count).toBe(shop.requests.length);
    expect(report.peakConnections).toBeLessThanOrEqual(6);
  },
);

test('without persistent connections, each request over TLS requires a handshake', async () => {
  const shop = await startRawTarget(keepsOpen, { tls: createSelfSigned() });
  const job = jobOf([targetOf(shop.port, { secure: true })], { ...CLOSED, threads: 1, keepAlive: false });
  const { report } = await runJob(testEngine.engine, job);
  await shop.close();
  expect(report.tls?.count).toBe(shop.requests.length);
  expect(new Set(shop.requests.map(({ connection }) => connection)).size).toBe(shop.requests.length);
});

test.each([1, 3])(
  'with a thread count of %i, clients share at most the declared number of connections, and all requests are counted',
  async (threads) => {
    const active = new Map<number, number>();
    let most = 0;
    const shop = await openRawTarget((request, write) => {
      expect(active.has(request.connection)).toBe(false);
      active.set(request.connection, 1);
      most = Math.max(most, active.size);
      setTimeout(() => {
        active.delete(request.connection);
        write(responseText(200, 'ok'));
      }, 20);
    });
    const targets = [targetOf(shop.port, { path: '/a' }), targetOf(shop.port, { path: '/b' })];
    const pace = { testType: 'per-second', total: 150, duration: 1000 } as const;
    const report = await run(jobOf(targets, { ...pace, threads, connections: 5 }), shop);
    const { ledger } = report.total;
    expect(most).toBeLessThanOrEqual(5);
    expect(shop.connections()).toBeLessThanOrEqual(5);
    expect(shop.requests).toHaveLength(ledger.started);
    expect(ledger.planned).toBe(300);
    expect(ledger.success + ledger.abandoned).toBe(ledger.started);
    expect(report.pool?.opened).toBe(shop.connections());
    expect(report.pool?.waited).toBeGreaterThan(0);
    expect(report.peakConnections).toBeLessThanOrEqual(5);
    expect(report.generator.threads).toBe(threads);
  },
);

test('a run with four declared threads and two shared connections uses two threads', async () => {
  const shop = await openRawTarget(keepsOpen);
  const job = jobOf([targetOf(shop.port)], { total: 40, threads: 4, connections: 2 });
  const { report, ledger } = await runJob(testEngine.engine, job);
  expect(report.generator.threads).toBe(2);
  expect(shop.connections()).toBeLessThanOrEqual(2);
  expect(ledger.success).toBe(40);
});

test('with persistent connections, requests have no "connection" header', async () => {
  const shop = await openRawTarget(keepsOpen);
  await run(jobOf([targetOf(shop.port)], { ...CLOSED, threads: 1 }), shop);
  expect(shop.connections()).toBe(6);
  expect(shop.requests.flatMap(({ headers }) => headers.map(([name]) => name))).not.toContain('Connection');
});

/** How requests use connections: a new one for each request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createSelfSigned,
  openRawTarget,
  responseText,
  startRawTarget,
  type RawReply,
} from '../support/raw-target.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
  targetOf,
  textBody,
  type JobChanges,
  type TestEngine,
} from '../support/test-engine.ts';

let testEngine: TestEngine;
beforeAll(async () => {
  testEngine = await openTestEngine();
});
afterAll(() => testEngine.close());

const CLOSED: JobChanges = { testType: 'cycling', initial: 6, total: 6, duration: 300 };

/** A target that keeps its connections open, although the requests ask it to close them. */
const keepsOpen: RawReply = (request, write) => {
  write(responseText(request.path === '/moved' ? 302 : 200, 'ok', ['Location: /new']));
};

test.each([1, 4])(
  'without persistent connections, %i threads send each request and each redirect on its own connection',
  async (threads) => {
    const shop = await openRawTarget(keepsOpen);
    const targets = [
      targetOf(shop.port, { path: '/moved' }),
      targetOf(shop.port, { path: '/order', method: 'POST', body: textBody('x'.repeat(3000)) }),
    ];
    const { report, ledger } = await runJob(
      testEngine.engine,
      jobOf(targets, { ...CLOSED, threads, keepAlive: false }),
    );
    expect(shop.requests.length).toBeGreaterThan(20);
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

test('without persistent connections, each request over TLS has its own handshake', async () => {
  const shop = await startRawTarget(keepsOpen, { tls: createSelfSigned() });
  const job = jobOf([targetOf(shop.port, { secure: true })], { ...CLOSED, threads: 1, keepAlive: false });
  const { report } = await runJob(testEngine.engine, job);
  await shop.close();
  expect(report.tls?.count).toBe(shop.requests.length);
  expect(new Set(shop.requests.map(({ connection }) => connection)).size).toBe(shop.requests.length);
});

test('with persistent connections, requests have no "connection" header', async () => {
  const shop = await openRawTarget(keepsOpen);
  await runJob(testEngine.engine, jobOf([targetOf(shop.port)], CLOSED));
  expect(shop.connections()).toBe(6);
  expect(shop.requests.flatMap(({ headers }) => headers.map(([name]) => name))).not.toContain('Connection');
});

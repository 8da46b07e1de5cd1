/** How long connections take to be made: told apart from the requests, one time for each of them. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { encodeStoredResult, createResultDocument } from '../../src/contract/result-codec.ts';
import { decodeHistogram } from '../../src/core/report/histogram-document.ts';
import { latencySummary } from '../../src/core/load/run-summary.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
  targetOf,
  type TestEngine,
  type JobChanges,
} from '../support/test-engine.ts';
import {
  responseText,
  openRawTarget,
  findRefusedPort,
  createSelfSigned,
  type RawTarget,
  type RawReply,
} from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

/** On a clock that stands still, a client whose answers took no time would never be done asking. */
const soon: RawReply = (request, write, socket) => {
  const close = request.path === '/closes';
  setTimeout(() => {
    write(responseText(200, 'ok', close ? ['Connection: close'] : []));
    if (close) socket.end();
  }, 10);
};

const closed: JobChanges = { testType: 'cycling', initial: 5, total: 5, duration: 1000, threads: 2 };

describe('the time to connect', () => {
  test('of a closed test whose target is 40 ms away is told, though no request takes it', async () => {
    const shop = await openRawTarget(soon);
    const report = await runInVirtualTime(jobOf([targetOf(shop.port)], closed), shop, { arrivesEvery: 50 });
    expect(report.connect).toMatchObject({ count: 5, times: { min: 40, p50: 40, max: 40 } });
    expect(report.connect?.count).toBe(shop.connections());
    expect(report.tls).toBeNull();
  });

  test('is told once for each connection: of kept ones no more, of closed ones each time', async () => {
    const shop = await openRawTarget(soon);
    const targets = ['/', '/closes', '/again'].map((path) => targetOf(shop.port, { path }));
    const report = await runInVirtualTime(jobOf(targets, closed), shop, { arrivesEvery: 50 });
    expect(shop.connections()).toBeGreaterThan(20);
    expect(report.connect?.count).toBe(shop.connections());
  });

  test.each(['non-cycling', 'per-second'] as const)(
    'is told in the open models too: %s',
    async (testType) => {
      const shop = await openRawTarget(soon);
      const job = jobOf([targetOf(shop.port)], { testType, total: 20, duration: 1000, threads: 2 });
      const report = await runInVirtualTime(job, shop, { arrivesEvery: 50 });
      expect(report.connect).toMatchObject({ count: 20, times: { min: 40 } });
      // The response counts from the moment the client was due, so it holds what its connection took.
      expect(report.connect?.times.max).toBeLessThanOrEqual(report.total.latency?.max ?? 0);
    },
  );

  test('is told of none where none could be made', async () => {
    const job = jobOf([targetOf(await findRefusedPort())], { ...closed, duration: 200 });
    const { report } = await runJob(rig.engine, job);
    expect(report.connect).toBeNull();
  });
});

/** A way to a target on which the first bytes of the target come late, as its ServerHello does. */
async function lateFirstBytes(target: RawTarget, delay: number): Promise<number> {
  const proxy = createServer((near) => {
    const far = connect(target.port, '127.0.0.1');
    let timer: NodeJS.Timeout | null = null;
    let late = true;
    near.pipe(far);
    far.on('data', (bytes) => {
      if (!late) {
        near.write(bytes);
        return;
      }
      far.pause();
      timer = setTimeout(() => {
        late = false;
        near.write(bytes);
        far.resume();
      }, delay);
    });
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (timer !== null) clearTimeout(timer);
        near.destroy();
        far.destroy();
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
    'in which the target answers after 60 ms is told, once for each handshake: %s',
    async (testType) => {
      const shop = await openRawTarget(undefined, { tls: createSelfSigned() });
      const port = await lateFirstBytes(shop, 60);
      const job = jobOf([targetOf(port, { secure: true, hostname: 'localhost' })], {
        ...{ testType, initial: 4, total: 4, duration: 1000, timeout: 10_000 },
      });
      const { report } = await runJob(rig.engine, job);
      expect(report.connect?.count).toBe(shop.connections());
      expect(report.tls?.count).toBe(shop.connections());
      expect(report.total.ledger.success).toBeGreaterThanOrEqual(4);
      // A timer of Node's may fire a millisecond early, and a busy machine may see that TCP stands only later.
      expect(report.tls?.times.max).toBeGreaterThanOrEqual(59);
    },
  );
});

describe('a result', () => {
  async function told(changes: JobChanges): Promise<{ report: RunReport; record: Record<string, unknown> }> {
    const shop = await openRawTarget(soon);
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

  test('holds how many connections were made, and the percentiles of their times, which its histogram has too', async () => {
    const { report, record } = await told(closed);
    expect(record['connect']).toEqual({ count: 5, ...report.connect?.times });
    expect(record['tls']).toBeNull();
    expect(record['tls_histogram']).toBeNull();
    const histogram = decodeHistogram(record['connect_histogram']);
    expect(histogram === null ? null : latencySummary(histogram)).toEqual(report.connect?.times);
  });
});

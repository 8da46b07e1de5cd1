/** Every request that the engine counts is one that the target logged, and the other way round: one by one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/core/load/run-report.ts';
import type { TestType } from '../../src/core/model/load-test.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { startNginx, type NginxTarget } from '../support/nginx-target.ts';
import { scaleCount } from '../support/test-scale.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

/** A request as a target logged it. */
interface Logged {
  readonly kind: string;
  readonly number: number;
  readonly status: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

interface Witness {
  readonly port: () => number;
  readonly log: () => Promise<readonly Logged[]>;
}

let rig: TestEngine;
let raw: ReferenceTarget;
let nginx: NginxTarget;
beforeAll(async () => {
  [rig, raw, nginx] = await Promise.all([openTestEngine(), startReferenceTarget(), startNginx()]);
});
afterAll(() => Promise.all([rig.close(), raw.close(), nginx.close()]));

const RAW: Witness = { port: () => raw.port, log: async () => (await raw.log()).requests };
const NGINX: Witness = {
  port: () => nginx.port,
  log: async () =>
    (await nginx.log()).map((line) => {
      const [, kind = '', number] = line.path.split('/');
      return { ...line, kind, number: Number(number) };
    }),
};

const TYPES = ['cycling', 'non-cycling', 'per-second'] as const;
const CLIENTS = [1, 10, 100, 1000];
const THREADS = [1, 2, 3, 4];

/** Each URL numbers its own requests; every seventh number of ten of the second one is answered 503. */
const KINDS = ['plain', 'flaky', 'post'] as const;
const NUMBER = '%{0:99999999}';

interface Load {
  readonly testType: TestType;
  readonly clients: number;
  readonly threads: number;
  readonly duration: number;
}

/** Requests that are compared one by one, at least. */
const REQUESTS = scaleCount(200_000);
let reconciled = 0;

async function reconcile(witness: Witness, load: Load): Promise<void> {
  const { testType, clients, threads, duration } = load;
  const targets = KINDS.map((kind) =>
    targetOf(witness.port(), {
      path: `/${kind}/${NUMBER}`,
      ...(kind === 'post' ? { method: 'POST', body: 'x'.repeat(300) } : {}),
    }),
  );
  const { report } = await runJob(
    rig.engine,
    jobOf(targets, {
      ...{ runId: `run-${witness.port()}`, testType, initial: Math.ceil(clients / 2), total: clients },
      ...{ duration, threads, timeout: 10_000 },
    }),
  );
  expectBijection(report, await witness.log());
  const due = testType === 'per-second' ? Math.ceil((clients * duration) / 1000) : clients;
  expect(report.generator.threads).toBe(Math.min(threads, due));
  const { ledger } = report.total;
  if (testType !== 'cycling') expect(ledger.planned).toBe(due * KINDS.length);
  // Only a machine that was too slow may leave clients out, and has to say so.
  expect(ledger.started).toBe(ledger.planned - ledger.notStarted.saturated);
  expect(report.generator.overloaded || ledger.notStarted.saturated === 0).toBe(true);
}

function expectBijection(report: RunReport, logged: readonly Logged[]): void {
  const { ledger } = report.total;
  expect(ledger).toMatchObject({ network: {}, protocol: {}, abandoned: 0 });
  expect(ledger.timeout).toEqual({ connect: 0, tls: 0, response: 0 });
  expect(logged).toHaveLength(ledger.started);
  report.targets.forEach((metrics, index) => {
    const own = logged.filter(({ kind }) => kind === KINDS[index]);
    expect(own).toHaveLength(metrics.ledger.started);
    expect(metrics.statusCodes).toEqual(countsOf(own.map(({ status }) => status)));
    expect(metrics.bytesSent).toBe(sum(own.map(({ bytesIn }) => bytesIn)));
    expect(metrics.bytesReceived).toBe(sum(own.map(({ bytesOut }) => bytesOut)));
    expectNoneMissing(
      own.map(({ number }) => number),
      report.generator.threads,
    );
  });
  reconciled += logged.length;
}

/** Thread w numbers its requests w, w + n, w + 2n, …: a request lost, sent twice or made up breaks its row. */
function expectNoneMissing(numbers: readonly number[], threads: number): void {
  const next = Array.from({ length: threads }, (_, thread) => thread);
  const wrong = [...numbers]
    .sort((a, b) => a - b)
    .filter((number) => {
      const thread = number % threads;
      const expected = next[thread];
      next[thread] = number + threads;
      return number !== expected;
    });
  expect(wrong).toEqual([]);
}

function countsOf(values: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

describe('what the engine counts and what a raw TCP server and nginx log is the same', () => {
  const cases = TYPES.flatMap((testType) =>
    CLIENTS.flatMap((clients) =>
      THREADS.filter((threads) => threads <= clients).map((threads) => [testType, clients, threads] as const),
    ),
  );
  test.each(cases)('%s, %i clients, %i threads', async (testType, clients, threads) => {
    const load = { testType, clients, threads, duration: 200 };
    await Promise.all([reconcile(RAW, load), reconcile(NGINX, load)]);
  });
});

test(`at least ${REQUESTS} requests have been compared`, async () => {
  while (reconciled < REQUESTS) {
    await reconcile(RAW, { testType: 'cycling', clients: 100, threads: 2, duration: 2000 });
  }
  expect(reconciled).toBeGreaterThanOrEqual(REQUESTS);
});

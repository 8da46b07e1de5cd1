/**
 * Comparison of request logs: every request that the engine counts is in the log of the target, and vice
 * versa.
 */
// @module-tag load
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/core/load/run-report.ts';
import type { TestType } from '../../src/core/model/load-test.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
  targetOf,
  type OpenTestEngine,
  textBody,
} from '../support/test-engine.ts';
import { startNginx, type NginxTarget } from '../support/nginx-target.ts';
import { sampleRows, scaleCount } from '../support/test-scale.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

/** A request in the log of a target. */
interface LoggedRequest {
  readonly kind: string;
  readonly number: number;
  readonly status: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

interface LoggingTarget {
  readonly port: () => number;
  readonly log: () => Promise<readonly LoggedRequest[]>;
}

let testEngine: OpenTestEngine;
let rawTarget: ReferenceTarget;
let nginx: NginxTarget;
beforeAll(async () => {
  testEngine = openTestEngine();
  [rawTarget, nginx] = await Promise.all([startReferenceTarget(), startNginx()]);
});
afterAll(() => Promise.all([testEngine.close(), rawTarget.close(), nginx.close()]));

const RAW_SERVER: LoggingTarget = {
  port: () => rawTarget.port,
  log: async () => (await rawTarget.log()).requests,
};
const NGINX: LoggingTarget = {
  port: () => nginx.port,
  log: async () =>
    (await nginx.log()).map((line) => {
      const [, kind = '', number] = line.path.split('/');
      return { ...line, kind, number: Number(number) };
    }),
};

const TYPES = ['cycling', 'non-cycling', 'per-second'] as const;
const CLIENTS = [1, 10, 100, 1000];

/** Each URL numbers its requests. The second URL responds 503 to every number that ends with 7. */
const KINDS = ['plain', 'flaky', 'post'] as const;
const NUMBER = '%{0:99999999}';

interface Load {
  readonly testType: TestType;
  readonly clients: number;
  readonly threads: number;
  readonly duration: number;
}

/** Minimum number of requests that are compared. */
const MIN_REQUESTS = scaleCount(80_000);
let comparedCount = 0;

async function compareWithLog(target: LoggingTarget, load: Load): Promise<void> {
  const { testType, clients, threads, duration } = load;
  // Discards the requests of a failed attempt.
  await target.log();
  const targets = KINDS.map((kind) =>
    targetOf(target.port(), {
      path: `/${kind}/${NUMBER}`,
      ...(kind === 'post' ? { method: 'POST', body: textBody('x'.repeat(300)) } : {}),
    }),
  );
  const { report } = await runJob(
    testEngine.engine,
    jobOf(targets, {
      runId: `run-${target.port()}`,
      testType,
      initial: Math.ceil(clients / 2),
      total: clients,
      duration,
      threads,
      timeout: 10_000,
    }),
  );
  expectBijection(report, await target.log());
  const clientCount = testType === 'per-second' ? Math.ceil((clients * duration) / 1000) : clients;
  expect(report.generator.threads).toBe(Math.min(threads, clientCount));
  const { ledger } = report.total;
  if (testType !== 'cycling') expect(ledger.planned).toBe(clientCount * KINDS.length);
  // Clients may be skipped only if the load generator reports that it was overloaded.
  expect(ledger.started).toBe(ledger.planned - ledger.notStarted.saturated);
  expect(report.generator.overloaded || ledger.notStarted.saturated === 0).toBe(true);
}

function expectBijection(report: RunReport, logged: readonly LoggedRequest[]): void {
  const { ledger } = report.total;
  expect(ledger).toMatchObject({ network: {}, protocol: {}, abandoned: 0 });
  expect(ledger.timeout).toEqual({ connect: 0, tls: 0, response: 0 });
  expect(logged).toHaveLength(ledger.started);
  report.targets.forEach((metrics, index) => {
    const entries = logged.filter(({ kind }) => kind === KINDS[index]);
    expect(entries).toHaveLength(metrics.ledger.started);
    expect(metrics.statusCodes).toEqual(countsOf(entries.map(({ status }) => status)));
    expect(metrics.bytesSent).toBe(sum(entries.map(({ bytesIn }) => bytesIn)));
    expect(metrics.bytesReceived).toBe(sum(entries.map(({ bytesOut }) => bytesOut)));
    expectNoneMissing(
      entries.map(({ number }) => number),
      report.generator.threads,
    );
  });
  comparedCount += logged.length;
}

/**
 * Thread w numbers its requests w, w + n, w + 2n, …, so a lost, repeated or invented request breaks the
 * sequence.
 */
function expectNoneMissing(numbers: readonly number[], threads: number): void {
  const next = Array.from({ length: threads }, (_, thread) => thread);
  const unexpected = [...numbers]
    .sort((a, b) => a - b)
    .filter((number) => {
      const thread = number % threads;
      const expected = next[thread];
      next[thread] = number + threads;
      return number !== expected;
    });
  expect(unexpected).toEqual([]);
}

function countsOf(values: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

describe('the counts of the engine and the logs of a raw TCP server and nginx', () => {
  // All pairs of a test type and a number of clients, with different numbers of threads and both targets. By default,
  // each test type with each target, and each number of clients with at least one test type.
  const cases = TYPES.flatMap((testType, index) =>
    [...CLIENTS.slice(index), ...CLIENTS.slice(0, index)].flatMap((clients, at) => {
      const threads = clients === 1 ? 1 : 1 + ((at + index) % 3);
      const names =
        (at / 2 + index) % 2 < 1 ? (['raw TCP', 'nginx'] as const) : (['nginx', 'raw TCP'] as const);
      return names.map((name) => [name, testType, clients, threads] as const);
    }),
  );
  test.each(sampleRows(cases, cases.length / 4))(
    'the request and byte counts of the engine match the log of a server (server: %s, test type: %s, clients: %i, threads: %i)',
    async (name, testType, clients, threads) => {
      const load = { testType, clients, threads, duration: 200 };
      await compareWithLog(name === 'nginx' ? NGINX : RAW_SERVER, load);
    },
  );
});

test(`the counts of the engine match the logs of the targets for at least ${MIN_REQUESTS} requests in total`, async () => {
  while (comparedCount < MIN_REQUESTS) {
    await compareWithLog(RAW_SERVER, { testType: 'cycling', clients: 100, threads: 2, duration: 500 });
  }
  expect(comparedCount).toBeGreaterThanOrEqual(MIN_REQUESTS);
});

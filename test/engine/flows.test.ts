/** Weighted flows: the counts of all requests are exact, on one thread and on four. */
// @module-tag load
import { expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../src/contract/result-codec.ts';
import { recordOfReport } from '../../src/core/run-record/report-record.ts';
import type { Flow } from '../../src/core/model/flow.ts';
import { openRawTarget, responseText, type RawRequest } from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf, type JobChanges } from '../support/test-engine.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

const PATHS = ['/', '/list', '/cart', '/order', '/search'];
const FLOWS: readonly Flow[] = [
  { name: 'browse', weight: 5, urls: 2 },
  { name: 'buy', weight: 3, urls: 2 },
  { name: 'search', weight: 2, urls: 1 },
];

/**
 * Runs a test with flows, in threads or in virtual time, and compares the counts of each URL with those of the target.
 */
async function runFlows(changes: JobChanges, inThreads: boolean, flows = FLOWS) {
  const shop = await openRawTarget((_request, write) => {
    setTimeout(write, 5, responseText(200, ''));
  });
  const targets = PATHS.map((path) => targetOf(shop.port, { path }));
  const job = jobOf(targets, { ...changes, flows });
  const report = inThreads
    ? (await runJob(testEngine.engine, job)).report
    : await runInVirtualTime(job, shop);
  const { ledger } = report.total;
  const received = PATHS.map((path) => shop.requests.filter((request) => request.path === path).length);
  expect(report.targets.map((target) => target.ledger.started)).toEqual(received);
  const record = recordOfReport(report, 0);
  let end = 0;
  const ofFlows = flows.map(({ name, urls }) => {
    end += urls;
    return { name, requests: received.slice(end - urls, end).reduce((sum, count) => sum + count, 0) };
  });
  expect(record.flows?.map(({ name, metrics }) => ({ name, requests: metrics.requests }))).toEqual(ofFlows);
  // Clients receive the same record; bounds are rounded.
  const decoded = decodeResult(encodeResult({ id: 'run-1', startedAt: 0 }, report, true)).record.flows;
  const exact = (all: typeof decoded) => all?.map(({ bounds: _, ...flow }) => flow);
  expect(exact(decoded)).toEqual(exact(record.flows));
  return { ledger, received, requests: shop.requests };
}

/** Returns the paths of each connection, in order. */
function pathsByConnection(requests: readonly RawRequest[]): readonly (readonly string[])[] {
  const paths = new Map<number, string[]>();
  for (const { connection, path } of requests)
    paths.set(connection, [...(paths.get(connection) ?? []), path]);
  return [...paths.values()];
}

const ITERATIONS = ['/ /list', '/cart /order', '/search'];

test.each([
  ['non-cycling', 1, { total: 103, duration: 1000 }],
  ['non-cycling', 4, { total: 103, duration: 1000 }],
  ['per-second', 2, { total: 51.5, duration: 2000 }],
] as const)(
  'in a %s test with a thread count of %i, 103 iterations are divided among the flows by weight',
  async (testType, threads, pace) => {
    const { ledger, received, requests } = await runFlows({ testType, threads, ...pace }, threads === 2);
    // Of 103 clients, 100 are ten periods of 5, 3 and 2; the next three clients of a period are browse, buy and browse.
    expect(received).toEqual([52, 52, 31, 31, 20]);
    expect(ledger).toMatchObject({
      planned: requests.length,
      started: requests.length,
      success: requests.length,
    });
    for (const paths of pathsByConnection(requests)) expect(ITERATIONS).toContain(paths.join(' '));
  },
);

test.each([1, 3])(
  'in a cycling test with a thread count of %i, the share of each flow is exact to within one iteration per thread',
  async (threads) => {
    const clients = { testType: 'cycling', initial: 8, total: 8, duration: 500 } as const;
    const { received, requests } = await runFlows({ ...clients, threads }, threads === 3);
    const firsts = [received[0] ?? 0, received[2] ?? 0, received[4] ?? 0];
    const iterations = firsts.reduce((sum, count) => sum + count, 0);
    firsts.forEach((count, index) => {
      const share = (iterations * (FLOWS[index]?.weight ?? 0)) / 10;
      expect(Math.abs(count - share)).toBeLessThanOrEqual(threads);
    });
    // An iteration in progress at the end is completed.
    expect([received[1], received[3]]).toEqual([received[0], received[2]]);
    // A connection continues with the next iteration.
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(8);
  },
);

test('the number of planned requests of a stopped run includes the requests of clients that did not start, according to their flows', async () => {
  const shop = await openRawTarget((_request, write) => write(responseText(200, '')));
  const targets = PATHS.map((path) => targetOf(shop.port, { path }));
  const job = jobOf(targets, { testType: 'non-cycling', total: 200, duration: 60_000, flows: FLOWS });
  const { ledger } = await runJob(testEngine.engine, job, (load) => load.stop('stopped'));
  // 100 browse and 60 buy with two requests each, and 40 search.
  expect(ledger.planned).toBe(360);
});

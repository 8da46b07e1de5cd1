/** Groups of repeated requests: the counts of all requests are exact, on one thread and on four. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Group } from '../../src/core/model/group.ts';
import { openRawTarget, responseText, type RawRequest } from '../support/raw-target.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
  targetOf,
  type JobChanges,
  type TestEngine,
} from '../support/test-engine.ts';

let testEngine: TestEngine;
beforeAll(async () => {
  testEngine = await openTestEngine();
});
afterAll(() => testEngine.close());

const PATHS = ['/login', '/list', '/item', '/logout'];
/** `/login`, three times (`/list`, two times `/item`), `/logout`. */
const GROUPS: readonly Group[] = [
  { first: 1, count: 2, repeat: 3 },
  { first: 2, count: 1, repeat: 2 },
];
const LOOP = '/list /item /item';
const ITERATION = `/login ${LOOP} ${LOOP} ${LOOP} /logout`;

/** Runs a test with groups and compares the counts of each URL with those of the target. */
async function runGroups(changes: JobChanges, paths = PATHS) {
  const shop = await openRawTarget((_request, write) => {
    write(responseText(200, ''));
  });
  const targets = paths.map((path) => targetOf(shop.port, { path }));
  const { report, ledger } = await runJob(testEngine.engine, jobOf(targets, { groups: GROUPS, ...changes }));
  const received = paths.map((path) => shop.requests.filter((request) => request.path === path).length);
  expect(report.targets.map((target) => target.ledger.started)).toEqual(received);
  expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
  return { ledger, received, requests: shop.requests };
}

/** Returns the paths of each connection, in order. */
function pathsByConnection(requests: readonly RawRequest[]): readonly string[] {
  const paths = new Map<number, string[]>();
  for (const { connection, path } of requests)
    paths.set(connection, [...(paths.get(connection) ?? []), path]);
  return Array.from(paths.values(), (ofConnection) => ofConnection.join(' '));
}

test.each([
  ['non-cycling', 1, { total: 20, duration: 500 }],
  ['per-second', 4, { total: 20, duration: 1000 }],
] as const)('each client of a %s test on %i threads performs all passes', async (testType, threads, pace) => {
  const { ledger, received, requests } = await runGroups({ testType, threads, ...pace });
  expect(received).toEqual([20, 60, 120, 20]);
  expect(ledger.planned).toBe(220);
  expect(new Set(pathsByConnection(requests))).toEqual(new Set([ITERATION]));
});

test.each([1, 4])(
  'a connection of a cycling test on %i threads completes its iterations',
  async (threads) => {
    const { received, requests } = await runGroups({
      testType: 'cycling',
      initial: 4,
      total: 4,
      duration: 300,
      threads,
    });
    const [iterations = 0] = received;
    expect(received).toEqual([iterations, 3 * iterations, 6 * iterations, iterations]);
    for (const paths of pathsByConnection(requests)) expect(paths.replaceAll(ITERATION, '').trim()).toBe('');
  },
);

test('an iteration makes 100,000 requests without a list of them', async () => {
  const groups = [
    { first: 0, count: 1, repeat: 100 },
    { first: 0, count: 1, repeat: 10 },
    { first: 0, count: 1, repeat: 10 },
    { first: 0, count: 1, repeat: 10 },
  ];
  const shop = await openRawTarget(() => undefined);
  const job = jobOf([targetOf(shop.port)], {
    testType: 'non-cycling',
    total: 3,
    duration: 1000,
    groups,
    timeout: 60_000,
  });
  const { ledger } = await runJob(testEngine.engine, job, (load) => {
    load.stop('stopped');
  });
  // Requests that were sent have no response; the stop abandons them.
  expect(ledger.planned).toBe(300_000);
  expect(ledger.abandoned + ledger.notStarted.stopped).toBe(300_000);
});

/**
 * Requests that clients send at the same time, on threads: the counts are exact, and the number of connections at the
 * target is the planned peak.
 */
// @module-tag load
import { expect, test } from 'vitest';
import type { Group } from '../../src/core/model/group.ts';
import { peakConnections } from '../../src/core/model/peak-load.ts';
import { openRawTarget, responseText } from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf, type JobChanges } from '../support/test-engine.ts';

const testEngine = useTestEngine();

const PATHS = ['/page', '/a?%{client}', '/b?%{client}', '/c?%{client}', '/last'];
const GROUPS: readonly Group[] = [
  { first: 1, count: 3, repeat: 2 },
  { first: 1, count: 3, parallel: true },
];

/**
 * Opens a target that responds to the requests of a group only after all three of a client have arrived, and to the
 * last request of an iteration only after a number of connections was open.
 */
async function openBarrier(connections: number) {
  const waiting = new Map<string, (() => void)[]>();
  const ended: (() => void)[] = [];
  const concurrent = { peak: 0 };
  const target = await openRawTarget(({ path }, write) => {
    concurrent.peak = Math.max(concurrent.peak, target.open());
    const client = path.split('?')[1];
    const respond = () => write(responseText(200, ''));
    if (client === undefined) {
      if (path === '/last') ended.push(respond);
      else respond();
      if (concurrent.peak >= connections) for (const one of ended.splice(0)) one();
      return;
    }
    const ofClient = [...(waiting.get(client) ?? []), respond];
    if (ofClient.length < 3) {
      waiting.set(client, ofClient);
      return;
    }
    waiting.delete(client);
    for (const one of ofClient) one();
  });
  return { target, concurrent };
}

/** Runs the groups, and compares the counts of each URL with those of the target. */
async function runGroups(changes: JobChanges, connections = 0) {
  const { target, concurrent } = await openBarrier(connections);
  const targets = PATHS.map((path) => targetOf(target.port, { path }));
  const job = jobOf(targets, { groups: GROUPS, timeout: 60_000, ...changes });
  const { report, ledger } = await runJob(testEngine.engine, job);
  const pathOf = (path: string) => path.split('?')[0];
  const received = PATHS.map(
    (path) => target.requests.filter((request) => pathOf(request.path) === pathOf(path)).length,
  );
  expect(report.targets.map((one) => one.ledger.success)).toEqual(received);
  expect(ledger.success).toBe(ledger.planned);
  expect(concurrent.peak).toBeLessThanOrEqual(peakConnections(job));
  return { received, report, target, peak: concurrent.peak, planned: peakConnections(job) };
}

test.each([
  ['non-cycling', 1, { total: 12, duration: 200 }],
  ['per-second', 2, { total: 12, duration: 1000 }],
] as const)(
  'each client of a %s test with a thread count of %i sends the three requests of a parallel group at the same time',
  async (testType, threads, pace) => {
    const { received, target, report } = await runGroups({ testType, threads, ...pace });
    expect(received).toEqual([12, 24, 24, 24, 12]);
    expect(target.connections()).toBe(36);
    expect(report.peakConnections).toBeLessThanOrEqual(36);
  },
);

test.each([1, 2])(
  'with a thread count of %i, a cycling test with a parallel group opens exactly as many connections as its planned peak',
  async (threads) => {
    const pace = { testType: 'cycling', initial: 4, total: 4, iterations: 24, duration: 60_000 } as const;
    const { received, target, report, planned, peak } = await runGroups({ ...pace, threads }, 12);
    expect(received).toEqual([24, 48, 48, 48, 24]);
    expect([planned, peak, report.peakConnections, target.connections()]).toEqual([12, 12, 12, 12]);
  },
);

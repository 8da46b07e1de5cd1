/** Orders of rows in runs on one and several threads. */
import { expect, test } from 'vitest';
import type { RowOrderName } from '../../../src/core/model/payload-file.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { openRawTarget, responseText } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

interface DrawnRow {
  readonly connection: number;
  readonly row: number;
}

async function requestedRows(order: RowOrderName, changes: JobChanges): Promise<readonly DrawnRow[]> {
  const shop = await openRawTarget((_request, write) => {
    setTimeout(write, 5, responseText(200, ''));
  });
  const values = Array.from({ length: 7 }, (_, index) => [String(index)]);
  const rows = { names: ['row'], values, order };
  const targets = [targetOf(shop.port, { path: '/{{row}}' })];
  const job = jobOf(targets, { testType: 'non-cycling', total: 20, duration: 200, seed: 5, ...changes });
  await runInVirtualTime({ ...job, iterationRows: [rows] }, shop);
  return shop.requests.map(({ connection, path }) => ({ connection, row: Number(path.slice(1)) }));
}

async function drawnRows(order: RowOrderName, changes: JobChanges): Promise<readonly number[]> {
  return (await requestedRows(order, changes)).map(({ row }) => row);
}

const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

test('with the order "sequential", 20 clients of an open test use seven rows evenly, on one and four threads', async () => {
  const expected = sorted(Array.from({ length: 20 }, (_, index) => index % 7));
  expect(sorted(await drawnRows('sequential', { threads: 1 }))).toEqual(expected);
  expect(sorted(await drawnRows('sequential', { threads: 4 }))).toEqual(expected);
});

test('with the order "sequential", one connection uses the rows one after another and then starts again with the first row', async () => {
  const changes = { testType: 'cycling', initial: 1, total: 1, threads: 1 } as const;
  const rows = await drawnRows('sequential', changes);
  expect(rows.length).toBeGreaterThan(14);
  expect(rows).toEqual(rows.map((_, index) => index % 7));
});

test('with the order "sequential", three connections with two iterations each use the first six rows', async () => {
  const expected = [0, 1, 2, 3, 4, 5];
  for (const threads of [1, 3]) {
    const changes = { testType: 'cycling', initial: 3, total: 3, duration: 5000, threads } as const;
    expect(sorted(await drawnRows('sequential', { ...changes, iterationsPerClient: 2 }))).toEqual(expected);
  }
});

test.each<[string, JobChanges]>([
  ['an open test uses seven rows once each', { maxClients: 7 }],
  ['an open test with random arrivals uses seven rows once each', { maxClients: 7, arrivals: 'random' }],
  ['an open test of four clients uses only the first four rows', { maxClients: 7, total: 4 }],
  [
    'a cycling test uses seven rows once each',
    { testType: 'cycling', initial: 2, total: 2, duration: 5000, iterations: 7 },
  ],
])('with the order "once", %s', async (_, changes) => {
  const rows = Math.min(7, changes.testType === 'cycling' ? 7 : (changes.total ?? 20));
  for (const threads of [1, 3]) {
    expect(sorted(await drawnRows('once', { ...changes, threads }))).toEqual(
      Array.from({ length: rows }, (_each, index) => index),
    );
  }
});

test('with the order "client", 20 clients of an open test use seven rows evenly, on one and four threads', async () => {
  const expected = sorted(Array.from({ length: 20 }, (_, index) => index % 7));
  for (const threads of [1, 4]) expect(sorted(await drawnRows('client', { threads }))).toEqual(expected);
});

test('with the order "client", each of nine connections uses one row in all of its three iterations, and two of seven rows belong to two connections', async () => {
  const changes = {
    testType: 'cycling',
    initial: 9,
    total: 9,
    duration: 5000,
    iterationsPerClient: 3,
  } as const;
  for (const threads of [1, 4]) {
    const requests = await requestedRows('client', { ...changes, threads });
    const rowsOf = (connection: number) =>
      requests.flatMap((request) => (request.connection === connection ? [request.row] : []));
    const rows = Array.from({ length: 9 }, (_, connection) => rowsOf(connection));
    expect(rows.map(([first]) => [first, first, first])).toEqual(rows);
    expect(sorted(rows.map(([first = -1]) => first))).toEqual([0, 0, 1, 1, 2, 3, 4, 5, 6]);
    expect(requests).toHaveLength(27);
  }
});

test('with the order "random", rows are not used evenly, and their selection does not depend on the number of threads', async () => {
  const one = sorted(await drawnRows('random', { threads: 1 }));
  expect(sorted(await drawnRows('random', { threads: 3 }))).toEqual(one);
  expect(one).not.toEqual(sorted(Array.from({ length: 20 }, (_, index) => index % 7)));
});

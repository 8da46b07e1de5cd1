/** Retention: results that are too old or too many are deleted, except the last one of a test. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RetentionPolicy } from '../../src/server/store/result-store.ts';
import type { Database } from '../../src/server/store/database.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { openResultStore } from '../../src/server/store/result-store.ts';
import { scaleCount } from '../support/test-scale.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;

/**
 * Inserts results, oldest first, each written as its age in days; `!` has a pending notice, `?` is still
 * running.
 */
function insertResults(database: Database, testId: string, results: readonly string[]): void {
  database
    .prepare(
      "INSERT INTO tests (test_id, app_id, definition, status, created_at_ms) VALUES (?, 'a', '{}', '', 0)",
    )
    .run(testId);
  const store = openResultStore(database);
  for (const text of results) {
    const id = `${testId} ${text}`;
    store.insert({ id, testId, startedAt: NOW - parseFloat(text) * DAY });
    if (!text.endsWith('?')) store.finish(id, { record: '{}', detail: '{}' });
    if (text.endsWith('!')) {
      database
        .prepare(
          `INSERT INTO notices (notice_id, test_id, result_id, channel, destination, receiver, state, created_at_ms)
             VALUES (?1, ?2, ?1, 'callback', '', '', 'pending', 0)`,
        )
        .run(id, testId);
    }
  }
}

async function idsAfterPruning(tests: Readonly<Record<string, readonly string[]>>, keep: RetentionPolicy) {
  const database = await openDatabase(createTestDirectory());
  try {
    database.exec("INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)");
    database.transact(() => {
      for (const [testId, results] of Object.entries(tests)) insertResults(database, testId, results);
    });
    const store = openResultStore(database);
    while (store.prune(keep, NOW, () => false) > 0);
    return Object.fromEntries(
      Object.keys(tests).map((testId) => [
        testId,
        [...store.list(testId)].map(({ id }) => id.slice(testId.length + 1)).reverse(),
      ]),
    );
  } finally {
    database.close();
  }
}

describe('retention policies', () => {
  const days = (count: number): RetentionPolicy => ({ kind: 'age', ms: count * DAY });
  const newest = (count: number): RetentionPolicy => ({ kind: 'count', max: count });

  test.each([
    ['results of the last ten days', days(10), ['20', '11', '9', '1'], ['9', '1']],
    ['the last result, even if all results are older than ten days', days(10), ['40', '30', '20'], ['20']],
    ['the last result and the result of an active run', days(10), ['40', '30', '20', '0?'], ['20', '0?']],
    ['an old result with a pending callback', days(10), ['40', '30!', '1'], ['30!', '1']],
    ['the newest two results', newest(2), ['4', '3', '2', '1'], ['2', '1']],
    ['all results, if there are fewer than the maximum', newest(5), ['4', '3'], ['4', '3']],
    ['the newest result and the result of an active run', newest(1), ['4', '3', '2', '1?'], ['2', '1?']],
    ['the newest result and a result with a pending callback', newest(1), ['4!', '3', '2'], ['4!', '2']],
  ])('pruning of old results keeps %s', async (_, keep, reset, after) => {
    expect(await idsAfterPruning({ x: reset, y: ['50'] }, keep)).toEqual({ x: after, y: ['50'] });
  });

  test('with a maximum of three results, pruning keeps only the newest three of 2,600 results', async () => {
    const many = Array.from({ length: 2600 }, (_, at) => `${2600 - at}`);
    expect(await idsAfterPruning({ x: many, y: many.slice(-3) }, newest(3))).toEqual({
      x: ['3', '2', '1'],
      y: ['3', '2', '1'],
    });
  });
});

test('tests whose results all have pending callbacks do not prevent the pruning of another test', async () => {
  const pending = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`pending ${at}`, ['3!', '2!', '1!']]),
  );
  const after = await idsAfterPruning({ ...pending, x: ['2', '1'] }, { kind: 'count', max: 1 });
  expect(after).toEqual({ ...pending, x: ['1'] });
});

describe('pruning in steps', () => {
  test('a call of prune that runs out of time stops after one result, and the next call continues', async () => {
    const database = await openDatabase(createTestDirectory());
    try {
      database.exec("INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)");
      database.transact(() => insertResults(database, 'x', ['4', '3', '2', '1']));
      const store = openResultStore(database);
      for (const keep of [
        { kind: 'age', ms: 2.5 * DAY },
        { kind: 'count', max: 1 },
      ] as const) {
        const step = () => store.prune(keep, NOW, () => true);
        const newest = keep.kind === 'age' ? [1, 1, 0] : [1, 0];
        expect(newest.map(step)).toEqual(newest);
      }
    } finally {
      database.close();
    }
  });

  const arbitraryPolicy: fc.Arbitrary<RetentionPolicy> = fc.oneof(
    fc.record({ kind: fc.constant('age' as const), ms: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('count' as const), max: fc.integer({ min: 1, max: 4 }) }),
  );
  const testId = fc.constantFrom('x', 'y', 'z');
  const arbitraryStep = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ does: fc.constant('run' as const), testId, isNotified: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('start' as const), testId }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('end' as const), testId }) },
    // Negative values simulate a clock that is set back.
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.integer({ min: -9, max: 20 }) }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('prune' as const), all: fc.boolean() }) },
  );

  test('pruning keeps only the results that the policy allows, the last result of each test, results of active runs, and results with pending callbacks', async () => {
    const database = await openDatabase(createTestDirectory());
    const store = openResultStore(database);
    const insertNotice = database.prepare(
      `INSERT INTO notices (notice_id, test_id, result_id, channel, destination, receiver, state, created_at_ms)
         VALUES (?1, ?2, ?1, 'callback', '', '', 'pending', 0)`,
    );
    const reset = () => {
      database.exec(
        "DELETE FROM apps; INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)",
      );
      for (const id of ['x', 'y', 'z']) insertResults(database, id, []);
    };
    interface StoredResult {
      readonly id: string;
      readonly testId: string;
      readonly startedAt: number;
      readonly isEnded: boolean;
      readonly isNotified: boolean;
    }
    /** Reference implementation of the policy, without SQL. */
    const retained = (results: readonly StoredResult[], keep: RetentionPolicy, now: number) =>
      results.filter(({ id, testId, startedAt, isEnded, isNotified }) => {
        const newer = results.slice(results.findIndex((one) => one.id === id) + 1);
        const ends = newer.filter((one) => one.testId === testId && one.isEnded).length;
        const isWithinPolicy = keep.kind === 'age' ? startedAt >= now - keep.ms : ends < keep.max;
        return !isEnded || !isNotified || ends === 0 || isWithinPolicy;
      });
    try {
      fc.assert(
        fc.property(arbitraryPolicy, fc.array(arbitraryStep, { maxLength: 40 }), (keep, steps) => {
          reset();
          let now = 1000;
          let results: readonly StoredResult[] = [];
          const storedIds = () =>
            ['x', 'y', 'z'].flatMap((id) => [...store.list(id)].map((run) => run.id)).sort();
          const finish = (id: string) => store.finish(id, { record: '{}', detail: '{}' });
          const sweep = () => {
            while (store.prune(keep, now, () => true) > 0);
            results = retained(results, keep, now);
            expect(storedIds()).toEqual(results.map(({ id }) => id).sort());
          };
          steps.forEach((step, at) => {
            if (step.does === 'wait') now += step.ms;
            else if (step.does === 'prune') {
              if (step.all) sweep();
              else store.prune(keep, now, () => false);
              results = results.filter(({ id, testId }) => store.get(testId, id) !== null);
            } else if (step.does === 'end') {
              const open = results.find((one) => one.testId === step.testId && !one.isEnded);
              if (open === undefined) return;
              finish(open.id);
              results = results.map((one) => (one === open ? { ...one, isEnded: true } : one));
            } else {
              const id = `r${at}`;
              const isEnded = step.does === 'run';
              const isNotified = !isEnded || step.isNotified;
              store.insert({ id, testId: step.testId, startedAt: now });
              if (isEnded) finish(id);
              if (!isNotified) insertNotice.run(id, step.testId);
              results = [...results, { id, testId: step.testId, startedAt: now, isEnded, isNotified }];
            }
          });
          sweep();
        }),
        { numRuns: scaleCount(150) },
      );
    } finally {
      database.close();
    }
  });
});

test('when a service starts, it deletes the oldest results of a test that exceed the maximum number', async () => {
  const reset = await openTestService();
  await reset.verifiedApp('127.0.0.1:4080');
  const json = smallTestFields('http://127.0.0.1:4080/');
  const { test_id: id } = (await reset.call('POST', '/v2/tests', { json })).json;
  const complete = async () => {
    reset.runner.latest().end();
    await waitUntil(async () =>
      (await reset.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
    );
  };
  await complete();
  for (let runs = 0; runs < 3; runs++) {
    await reset.call('PUT', `/v2/tests/${id}/run`);
    await complete();
  }
  const results = (await reset.call('GET', `/v2/tests/${id}/results`)).list;
  await reset.service.close();
  const { dataDirectory } = reset;
  const rig = await openTestService({ dataDirectory, keepResults: { kind: 'count', max: 2 } });
  // A slow machine spreads the deletions over several checks.
  const deletions = () => rig.log.filter(({ event }) => event === 'results-pruned');
  const deletedCount = () => deletions().reduce((sum, { count }) => sum + Number(count), 0);
  await waitUntil(() => (deletedCount() >= 2 ? true : null));
  expect(deletedCount()).toBe(2);
  expect((await rig.call('GET', `/v2/tests/${id}/results`)).list).toEqual(results.slice(0, 2));

  // A deleted result is reported in the same way as an unknown one.
  const getResult = async (resultId: string) => await rig.call('GET', `/v2/tests/${id}/results/${resultId}`);
  const [deleted, unknown] = [await getResult(results[3]?.result_id ?? ''), await getResult('f'.repeat(32))];
  expect(deleted).toMatchObject({ status: 404, text: unknown.text });
  expect((await getResult(results[0]?.result_id ?? '')).status).toBe(200);
  // The test is unchanged and can be run.
  const stopped = (await rig.call('PUT', `/v2/tests/${id}/stop`)).json;
  expect(stopped).toMatchObject({ status: 'complete', result_id: results[0]?.result_id });
  expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
});

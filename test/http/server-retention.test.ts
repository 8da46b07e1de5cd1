/** Results that are too old or too many go, but never the last one of a test. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RetentionPolicy } from '../../src/server/store/result-store.ts';
import type { Database } from '../../src/server/store/database.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { openResultStore } from '../../src/server/store/result-store.ts';
import { scaleCount } from '../support/test-scale.ts';
import {
  openTestService,
  smallTestFields,
  createTemporaryDirectory,
  waitUntil,
} from '../support/test-service.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;

/** Results as `age in days`, oldest first; `!`: somebody is still to be told; `?`: the run goes on. */
function resultsOf(database: Database, testId: string, results: readonly string[]): void {
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

async function pruned(tests: Readonly<Record<string, readonly string[]>>, keep: RetentionPolicy) {
  const database = await openDatabase(createTemporaryDirectory());
  try {
    database.exec("INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)");
    database.transact(() => {
      for (const [testId, results] of Object.entries(tests)) resultsOf(database, testId, results);
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

describe('kept results', () => {
  const days = (count: number): RetentionPolicy => ({ kind: 'age', ms: count * DAY });
  const most = (count: number): RetentionPolicy => ({ kind: 'count', max: count });

  test.each([
    ['of a time', days(10), ['20', '11', '9', '1'], ['9', '1']],
    ['of a time, when all are older', days(10), ['40', '30', '20'], ['20']],
    ['of a time, while a run goes on', days(10), ['40', '30', '20', '0?'], ['20', '0?']],
    ['of a time, when somebody is still to be told of one', days(10), ['40', '30!', '1'], ['30!', '1']],
    ['of a number', most(2), ['4', '3', '2', '1'], ['2', '1']],
    ['of a number that there are not', most(5), ['4', '3'], ['4', '3']],
    ['of one, while a run goes on', most(1), ['4', '3', '2', '1?'], ['2', '1?']],
    ['of one, when somebody is still to be told of others', most(1), ['4!', '3', '2'], ['4!', '2']],
  ])('%s', async (_, keep, before, after) => {
    expect(await pruned({ x: before, y: ['50'] }, keep)).toEqual({ x: after, y: ['50'] });
  });

  test('are those of a number also where there are thousands', async () => {
    const many = Array.from({ length: 2600 }, (_, at) => `${2600 - at}`);
    expect(await pruned({ x: many, y: many.slice(-3) }, most(3))).toEqual({
      x: ['3', '2', '1'],
      y: ['3', '2', '1'],
    });
  });
});

describe('a sweep', () => {
  test('stops where it has taken its time, and goes on with the next one', async () => {
    const database = await openDatabase(createTemporaryDirectory());
    try {
      database.exec("INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)");
      database.transact(() => {
        resultsOf(database, 'x', ['4', '3', '2', '1']);
      });
      const store = openResultStore(database);
      for (const keep of [
        { kind: 'age', ms: 2.5 * DAY },
        { kind: 'count', max: 1 },
      ] as const) {
        const step = () => store.prune(keep, NOW, () => true);
        const most = keep.kind === 'age' ? [1, 1, 0] : [1, 0];
        expect(most.map(step)).toEqual(most);
      }
    } finally {
      database.close();
    }
  });

  const anyKeep: fc.Arbitrary<RetentionPolicy> = fc.oneof(
    fc.record({ kind: fc.constant('age' as const), ms: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('count' as const), max: fc.integer({ min: 1, max: 4 }) }),
  );
  const testId = fc.constantFrom('x', 'y', 'z');
  const anyStep = fc.oneof(
    { weight: 6, arbitrary: fc.record({ does: fc.constant('run' as const), testId, told: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('start' as const), testId }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('end' as const), testId }) },
    // Backwards too: clocks are set.
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.integer({ min: -9, max: 20 }) }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('prune' as const), all: fc.boolean() }) },
  );

  test('whatever ran and was deleted before, leaves the last result of each test, and no more than is asked for', async () => {
    const database = await openDatabase(createTemporaryDirectory());
    const store = openResultStore(database);
    const waits = database.prepare(
      `INSERT INTO notices (notice_id, test_id, result_id, channel, destination, receiver, state, created_at_ms)
         VALUES (?1, ?2, ?1, 'callback', '', '', 'pending', 0)`,
    );
    const before = () => {
      database.exec(
        "DELETE FROM apps; INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)",
      );
      for (const id of ['x', 'y', 'z']) resultsOf(database, id, []);
    };
    interface Made {
      readonly id: string;
      readonly testId: string;
      readonly startedAt: number;
      readonly ended: boolean;
      readonly told: boolean;
    }
    /** What has to be there, said without SQL. */
    const kept = (made: readonly Made[], keep: RetentionPolicy, now: number) =>
      made.filter(({ id, testId, startedAt, ended, told }) => {
        const newer = made.slice(made.findIndex((one) => one.id === id) + 1);
        const ends = newer.filter((one) => one.testId === testId && one.ended).length;
        const wanted = keep.kind === 'age' ? startedAt >= now - keep.ms : ends < keep.max;
        return !ended || !told || ends === 0 || wanted;
      });
    try {
      fc.assert(
        fc.property(anyKeep, fc.array(anyStep, { maxLength: 40 }), (keep, steps) => {
          before();
          let now = 1000;
          let made: readonly Made[] = [];
          const here = () => ['x', 'y', 'z'].flatMap((id) => [...store.list(id)].map((run) => run.id)).sort();
          const finish = (id: string) => {
            store.finish(id, { record: '{}', detail: '{}' });
          };
          const sweep = () => {
            while (store.prune(keep, now, () => true) > 0);
            made = kept(made, keep, now);
            expect(here()).toEqual(made.map(({ id }) => id).sort());
          };
          steps.forEach((step, at) => {
            if (step.does === 'wait') now += step.ms;
            else if (step.does === 'prune') {
              if (step.all) sweep();
              else store.prune(keep, now, () => false);
              made = made.filter(({ id, testId }) => store.get(testId, id) !== null);
            } else if (step.does === 'end') {
              const open = made.find((one) => one.testId === step.testId && !one.ended);
              if (open === undefined) return;
              finish(open.id);
              made = made.map((one) => (one === open ? { ...one, ended: true } : one));
            } else {
              const id = `r${at}`;
              const ended = step.does === 'run';
              const told = !ended || step.told;
              store.insert({ id, testId: step.testId, startedAt: now });
              if (ended) finish(id);
              if (!told) waits.run(id, step.testId);
              made = [...made, { id, testId: step.testId, startedAt: now, ended, told }];
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

test('a service deletes what is too much when it starts', async () => {
  const before = await openTestService();
  await before.verifiedApp('127.0.0.1:4080');
  const json = smallTestFields('http://127.0.0.1:4080/');
  const { test_id: id } = (await before.call('POST', '/v2/tests', { json })).json;
  const complete = async () => {
    before.runner.latest().end();
    await waitUntil(async () =>
      (await before.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
    );
  };
  await complete();
  for (let runs = 0; runs < 3; runs++) {
    await before.call('PUT', `/v2/tests/${id}/run`);
    await complete();
  }
  const results = (await before.call('GET', `/v2/tests/${id}/results`)).list;
  await before.service.close();
  const { dataDirectory } = before;
  const rig = await openTestService({ dataDirectory, keepResults: { kind: 'count', max: 2 } });
  expect((await rig.call('GET', `/v2/tests/${id}/results`)).list).toEqual(results.slice(0, 2));
  expect(rig.log).toContainEqual({ level: 'info', event: 'results-pruned', count: 2 });

  // One that is gone is one that never was.
  const answerTo = async (resultId: string) => await rig.call('GET', `/v2/tests/${id}/results/${resultId}`);
  const [gone, unknown] = [await answerTo(results[3]?.result_id ?? ''), await answerTo('f'.repeat(32))];
  expect(gone).toMatchObject({ status: 404, text: unknown.text });
  expect((await answerTo(results[0]?.result_id ?? '')).status).toBe(200);
  // The test itself is as it was, and can be run.
  const stopped = (await rig.call('PUT', `/v2/tests/${id}/stop`)).json;
  expect(stopped).toMatchObject({ status: 'complete', result_id: results[0]?.result_id });
  expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
});

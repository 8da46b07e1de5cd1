/** Results that are too old or too many go, but never the last one of a test. */
import { describe, expect, test } from 'vitest';
import type { KeptResults } from '../../src/server/store/results.ts';
import type { Database } from '../../src/server/store/database.ts';
import { openDatabase } from '../../src/server/store/open.ts';
import { openResultStore } from '../../src/server/store/results.ts';
import { openRig, smallTest, temporaryFolder, until } from '../rig/service.ts';

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

async function pruned(tests: Readonly<Record<string, readonly string[]>>, keep: KeptResults) {
  const database = await openDatabase(temporaryFolder());
  try {
    database.exec("INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0)");
    database.transact(() => {
      for (const [testId, results] of Object.entries(tests)) resultsOf(database, testId, results);
    });
    const store = openResultStore(database);
    while (store.prune(keep, NOW) > 0);
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
  const days = (count: number): KeptResults => ({ kind: 'age', ms: count * DAY });
  const most = (count: number): KeptResults => ({ kind: 'count', most: count });

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

test('a service deletes what is too much when it starts', async () => {
  const before = await openRig();
  await before.verifiedApp('127.0.0.1:4080');
  const json = smallTest('http://127.0.0.1:4080/');
  const { test_id: id } = (await before.call('POST', '/v2/tests', { json })).json;
  const complete = async () => {
    before.runner.latest().end();
    await until(async () =>
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
  const { dataFolder } = before;
  const rig = await openRig({ dataFolder, keepResults: { kind: 'count', most: 2 } });
  expect((await rig.call('GET', `/v2/tests/${id}/results`)).list).toEqual(results.slice(0, 2));
  expect(rig.log).toContainEqual({ level: 'info', event: 'results-pruned', count: 2 });
});

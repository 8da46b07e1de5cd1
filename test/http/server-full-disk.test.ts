/** A full disk and deleted data: the service acknowledges only stored writes, and no end of a run is lost. */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRunEndRecorder } from '../../src/server/domain/run-end-recorder.ts';
import { Notices } from '../../src/server/domain/notices.ts';
import { openNoticeStore } from '../../src/server/store/notice-store.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { openResultStore } from '../../src/server/store/result-store.ts';
import { openTestStore } from '../../src/server/store/test-store.ts';
import { createEmptyReport } from '../../src/server/domain/empty-report.ts';
import type { LogFields } from '../../src/server/log.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';
const RUN = { id: 'r', testId: 't', startedAt: 1000 };

/** Opens a run end recorder with a real database whose file can be prevented from growing. */
async function openRecorder() {
  const database = await openDatabase(createTestDirectory());
  const log: LogFields[] = [];
  const add = (fields: LogFields) => void log.push(fields);
  const ended: string[] = [];
  const logs = { info: add, warn: add, error: add };
  const [tests, results] = [openTestStore(database), openResultStore(database)];
  const senders = {
    callback: () => new Promise<never>(() => undefined),
    email: () => new Promise<never>(() => undefined),
  };
  const notices = new Notices({
    store: openNoticeStore(database),
    senders,
    log: logs,
    now: () => 2000,
    random: () => 0.5,
  });
  database.exec(
    `INSERT INTO apps (app_id, host, created_at_ms) VALUES ('a', 'a.example', 0);
     INSERT INTO tests (test_id, app_id, definition, status, created_at_ms) VALUES
       ('t', 'a', '{"test_type":"non-cycling","duration":1,"total":5,"urls":[{"url":"http://a.example/"}]}', 'running', 0)`,
  );
  results.insert(RUN);
  const recorder = createRunEndRecorder({
    database,
    tests,
    results,
    notices,
    observers: [{ second: () => undefined, ended: ({ id }) => void ended.push(id) }],
    log: logs,
  });
  const allowGrowth = (isAllowed: boolean) => {
    const { page_count: pages } = database.prepare('PRAGMA page_count').first() ?? {};
    database.prepare(`PRAGMA max_page_count = ${isAllowed ? 1_000_000 : Number(pages)}`).all();
  };
  return { database, tests, results, recorder, ended, log, allowGrowth };
}

/** A report that is larger than the free space in existing pages. */
const REPORT = {
  ...createEmptyReport('stopped', 'v'),
  errorSamples: [{ url: 'http://a.example/', error: 'x'.repeat(100_000), count: 7 }],
};

test('while the disk is full, the result of a run is stored in memory, and is written to the database when space is available', async () => {
  const { database, tests, results, recorder, ended, log, allowGrowth } = await openRecorder();
  allowGrowth(false);
  recorder.writeEventually({ run: RUN, report: REPORT });
  expect(ended).toEqual(['r']);
  expect([tests.get('t')?.status, results.latest('t')?.document]).toEqual(['running', null]);
  expect(log).toContainEqual({
    event: 'result-waiting',
    result_id: 'r',
    reason: expect.stringContaining('full') as unknown,
  });
  recorder.tick();
  expect(recorder.isPending('r')).toBe(true);
  allowGrowth(true);
  recorder.tick();
  expect(recorder.isPending('r')).toBe(false);
  // Observers do not receive it again.
  expect(ended).toEqual(['r']);
  expect(tests.get('t')?.status).toBe('complete');
  expect(results.get('t', 'r')?.document?.detail).toContain('"count":7');
  expect(log).toContainEqual(expect.objectContaining({ event: 'run-ended', abort_reason: 'stopped' }));
  recorder.close();
  expect(log.map(({ event }) => event)).not.toContain('result-lost');
  database.close();
});

test('the service logs the result of a run as lost if the result cannot be written before the shutdown', async () => {
  const { database, recorder, log, allowGrowth } = await openRecorder();
  allowGrowth(false);
  recorder.writeEventually({ run: RUN, report: REPORT });
  recorder.close();
  expect(log.at(-1)).toEqual({ event: 'result-lost', result_id: 'r' });
  database.close();
});

test.each([
  ['was deleted', (directory: string) => rmSync(directory, { recursive: true })],
  ['was moved', (directory: string) => renameSync(directory, `${directory}.old`)],
  [
    'was emptied',
    (directory: string) => {
      for (const name of readdirSync(directory)) rmSync(join(directory, name));
    },
  ],
  ['lacks its write-ahead log', (directory: string) => rmSync(join(directory, 'service.db-wal'))],
])(
  'if the data directory %s, the service refuses write requests, its health check fails, and a test whose run ends is listed as complete',
  async (_, remove) => {
    const dataDirectory = join(createTestDirectory(), 'data');
    const rig = await openTestService({ dataDirectory });
    const app = await rig.verifiedApp(HOST);
    const { test_id: id } = (
      await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) })
    ).json;
    remove(dataDirectory);
    for (const [method, path, json] of [
      ['POST', '/v2/apps', { app: 'other.example' }],
      ['POST', '/v2/tests', smallTestFields(`http://${HOST}/`)],
      ['DELETE', `/v2/apps/${app}`, undefined],
    ] as const) {
      const response = await rig.call(method, path, json === undefined ? {} : { json });
      expect([path, response.status, response.json.errors]).toEqual([
        path,
        503,
        ['the data directory of the service was deleted or moved; nothing was stored'],
      ]);
    }
    expect((await rig.call('GET', '/healthz', { key: null })).json).toEqual({
      status: 'failing',
      reason:
        'the data directory was deleted or moved; move it back or restore a backup, and restart the service',
    });
    rig.runner.latest().end();
    await waitUntil(() => (rig.log.some(({ event }) => event === 'result-waiting') ? true : null));
    // The end of the run is known, although it cannot be stored.
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('complete');
    expect((await rig.call('GET', '/v2/tests')).list.map(({ status }) => status)).toEqual(['complete']);
  },
);

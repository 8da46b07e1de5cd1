/** Damaged data: the service detects and reports the damage, and its process continues. */
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, test } from 'vitest';
import { ProblemError } from '../../src/core/problem.ts';
import { copyIdleData } from '../../src/server/store/backup.ts';
import { finishCopy } from '../../src/server/store/open-database.ts';
import { findFreePort } from '../support/free-port.ts';
import { useServiceChild } from '../support/killable-service.ts';
import { useShared } from '../support/shared.ts';
import { callAt, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';

const startChild = useServiceChild();

/** Overwrites each occurrence of a string in an open file with bytes that are not valid UTF-8. */
function damage(file: string, text: string): number {
  const bytes = readFileSync(file);
  const open = openSync(file, 'r+');
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) {
    // Occurrences that one byte separates are written together, because there are hundreds of thousands.
    const start = at;
    let end = at;
    for (; bytes.toString('latin1', at, at + text.length) === text; at = end + 1) {
      end = at + text.length;
      bytes.fill(0xff, at, end);
      count++;
    }
    writeSync(open, bytes, start, end - start, start);
  }
  closeSync(open);
  return count;
}

test('if stored tests are damaged while the service runs, the health check and requests for tests fail, but a request for apps succeeds', async () => {
  const dataDirectory = createTestDirectory();
  const { child, url } = await startChild(dataDirectory);
  const { app_id: app } = (await callAt(url, 'POST', '/v2/apps', { form: { app: HOST } })).json;
  await callAt(url, 'POST', `/v2/apps/${app}/verify`);
  const ids: string[] = [];
  // This is more than SQLite holds in its cache and its log.
  for (let count = 0; count < 40; count++) {
    const urls = [
      { url: `http://${HOST}/`, request_type: 'POST', raw_post_body: 'spoil me '.repeat(20_000) },
    ];
    const json = smallTestFields(`http://${HOST}/`, { urls });
    // A slow machine could reuse a connection while the service closes it.
    const headers = { connection: 'close' };
    ids.push((await callAt(url, 'POST', '/v2/tests', { json, headers })).json.test_id);
  }
  expect(damage(join(dataDirectory, 'service.db'), 'spoil me')).toBeGreaterThan(1000);
  for (const path of ['/v2/tests', `/v2/tests/${ids[0]}`]) {
    const response = await callAt(url, 'GET', path);
    expect([response.status, response.json.errors]).toEqual([
      500,
      ['the database of the service is damaged; restore a backup'],
    ]);
  }
  expect((await callAt(url, 'GET', '/v2/apps')).status).toBe(200);
  const health = await callAt(url, 'GET', '/healthz', { key: null });
  expect([health.status, health.json]).toEqual([
    503,
    { status: 'failing', reason: 'the database is damaged; restore a backup and restart the service' },
  ]);
  expect(child.exitCode).toBeNull();
});

/** Starts a service, kills it after a number of acknowledged apps, and waits for its exit. */
async function killAfterApps(dataDirectory: string, apps: number): Promise<void> {
  const { child, url } = await startChild(dataDirectory);
  for (let count = 0; count < apps; count++)
    await callAt(url, 'POST', '/v2/apps', { form: { app: `app-${count}.example` } });
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function refusalOf(dataDirectory: string): Promise<ProblemError['problem'] | null> {
  try {
    const rig = await openTestService({ dataDirectory });
    await rig.service.close();
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

const contents = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'latin1')]),
  );

describe('the write-ahead log of a killed service', () => {
  const killed = useShared(async () => {
    const dataDirectory = createTestDirectory();
    await killAfterApps(dataDirectory, 9);
    return dataDirectory;
  });

  /** Copies the data of a service that was killed after nine acknowledged apps. */
  function copyOfKilled(): string {
    const copy = createTestDirectory();
    cpSync(killed(), copy, { recursive: true });
    return copy;
  }

  test('the service does not start if the write-ahead log lacks acknowledged changes, but starts after the file with the count of changes is deleted', async () => {
    const original = copyOfKilled();
    const half = (log: string) => Math.floor(statSync(log).size / 2);
    const cases: readonly (readonly [(log: string) => void, RegExp])[] = [
      [(log) => rmSync(log), /lacks the last 9 changes that were acknowledged/],
      [(log) => truncateSync(log), /lacks the last 9 changes/],
      [(log) => truncateSync(log, half(log)), /lacks the last [45] changes/],
      [(log) => truncateSync(log, statSync(log).size - 1), /lacks the last change that was acknowledged/],
      [
        (log) => {
          const bytes = readFileSync(log);
          bytes.fill(0x41, half(log), half(log) + 100);
          writeFileSync(log, bytes);
        },
        /lacks the last [45] changes/,
      ],
    ];
    for (const [damageLog, message] of cases) {
      const damaged = createTestDirectory();
      cpSync(original, damaged, { recursive: true });
      damageLog(join(damaged, 'service.db-wal'));
      const accepted = createTestDirectory();
      cpSync(damaged, accepted, { recursive: true });
      const found = await refusalOf(damaged);
      expect([found?.code, found?.message]).toEqual(['LT_SERVER_DATA', expect.stringMatching(message)]);
      rmSync(join(accepted, 'service.db-count'));
      expect(await refusalOf(accepted)).toBeNull();
    }
    expect(await refusalOf(original)).toBeNull();
  });

  test('a service that refuses to start because of lost changes does not change the database files', async () => {
    const dataDirectory = copyOfKilled();
    truncateSync(join(dataDirectory, 'service.db-wal'), 8 * 4096);
    const before = contents(dataDirectory);
    expect(await refusalOf(dataDirectory)).not.toBeNull();
    const after = contents(dataDirectory);
    for (const name of ['service.db', 'service.db-wal', 'service.db-count'])
      expect(after[name] === before[name], name).toBe(true);
  });

  test('the service starts with a database that has neither a write-ahead log nor a count of changes', async () => {
    const dataDirectory = copyOfKilled();
    for (const name of ['service.db-wal', 'service.db-count']) rmSync(join(dataDirectory, name));
    expect(await refusalOf(dataDirectory)).toBeNull();
  });

  test('the service starts without a write-ahead log if a backup replaced the database', async () => {
    const dataDirectory = copyOfKilled();
    const copy = join(createTestDirectory(), 'copy.db');
    const saved = createTestDirectory();
    cpSync(dataDirectory, saved, { recursive: true });
    await copyIdleData(saved, copy);
    await finishCopy(copy, join(saved, 'service.db'));
    await killAfterApps(dataDirectory, 2);
    for (const name of ['service.db-wal', 'service.db-shm'])
      rmSync(join(dataDirectory, name), { force: true });
    cpSync(copy, join(dataDirectory, 'service.db'));
    expect(await refusalOf(dataDirectory)).toBeNull();
  });

  test.each([['nothing'], ['zeros'], ['part of the content']])(
    'the service starts if a power failure left %s in the file that stores the count of changes',
    async (content) => {
      const dataDirectory = copyOfKilled();
      const file = join(dataDirectory, 'service.db-count');
      const text = readFileSync(file, 'latin1');
      writeFileSync(file, { nothing: '', zeros: '\0'.repeat(text.length) }[content] ?? text.slice(0, 8));
      expect(await refusalOf(dataDirectory)).toBeNull();
    },
  );
});

test('while the service checks its database, the health check reports the check, and requests with the API key receive 503', async () => {
  const dataDirectory = createTestDirectory();
  await (await openTestService({ dataDirectory })).service.close();
  const database = new Libsql(join(dataDirectory, 'service.db'));
  // The check of these rows takes long enough to be observed.
  database.exec(
    `WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 30000)
     INSERT INTO idempotency SELECT x, 'text', 200, '{}', 0 FROM n`,
  );
  database.close();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const opening = openTestService({ dataDirectory, port, mode: 'serve', publicMetrics: true });
  const first = await waitUntil(() => callAt(url, 'GET', '/healthz', { key: null }).catch(() => null));
  expect([first.status, first.json]).toEqual([
    503,
    { status: 'starting', reason: 'the database is being checked' },
  ]);
  for (const path of ['/v2/tests', '/metrics', '/v2/nowhere']) {
    const response = await callAt(url, 'GET', path);
    expect([path, response.status, response.json.errors]).toEqual([
      path,
      503,
      ['the service is starting: its database is being checked'],
    ]);
  }
  expect((await callAt(url, 'GET', '/v2/tests', { key: null })).status).toBe(401);
  await opening;
  expect((await callAt(url, 'GET', '/healthz', { key: null })).json).toEqual({ status: 'ok' });
  expect((await callAt(url, 'GET', '/v2/tests')).status).toBe(200);
});

test('finishCopy reports a damaged copy by the path of its original', async () => {
  const dataDirectory = createTestDirectory();
  await (await openTestService({ dataDirectory })).service.close();
  const copy = join(createTestDirectory(), 'copy.db');
  await copyIdleData(dataDirectory, copy);
  const bytes = readFileSync(copy);
  for (const start of [100, 4096]) {
    writeFileSync(copy, Buffer.from(bytes).fill(0x41, start));
    await expect(finishCopy(copy, 'original.db')).rejects.toMatchObject({
      problem: {
        message: 'the copy of "original.db" is damaged',
        hint: expect.stringMatching(/^check the disk/) as unknown,
      },
    });
  }
});

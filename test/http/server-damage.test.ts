/** Data that is spoiled under a service, or behind its back: it is noticed, told, and ends no process. */
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
import { copyFromIdle } from '../../src/server/store/backup.ts';
import { finishCopy } from '../../src/server/store/open.ts';
import { freePort } from '../rig/free-port.ts';
import { useServiceChild } from '../rig/killable-service.ts';
import { callAt, openRig, smallTest, temporaryFolder, until } from '../rig/service.ts';

const HOST = '127.0.0.1:4080';

const startChild = useServiceChild();

/** Overwrites each occurrence of a text in a file that somebody has open, with what is no UTF-8. */
function spoil(file: string, text: string): number {
  const bytes = readFileSync(file);
  const open = openSync(file, 'r+');
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    writeSync(open, Buffer.alloc(text.length, 0xff), 0, text.length, at);
    count++;
  }
  closeSync(open);
  return count;
}

test('text that is damaged while the service runs is told as damage, and ends nothing else', async () => {
  const dataFolder = temporaryFolder();
  const { child, url } = await startChild(dataFolder);
  const { app_id: app } = (await callAt(url, 'POST', '/v2/apps', { form: { app: HOST } })).json;
  await callAt(url, 'POST', `/v2/apps/${app}/verify`);
  const ids: string[] = [];
  // More than SQLite keeps in memory, and more than stays in its log.
  for (let count = 0; count < 40; count++) {
    const urls = [
      { url: `http://${HOST}/`, request_type: 'POST', raw_post_body: 'spoil me '.repeat(20_000) },
    ];
    const json = smallTest(`http://${HOST}/`, { urls });
    ids.push((await callAt(url, 'POST', '/v2/tests', { json })).json.test_id);
  }
  expect(spoil(join(dataFolder, 'service.db'), 'spoil me')).toBeGreaterThan(1000);
  for (const path of ['/v2/tests', `/v2/tests/${ids[0]}`]) {
    const answer = await callAt(url, 'GET', path);
    expect([answer.status, answer.json.errors]).toEqual([
      500,
      ['the database of the service is damaged; restore a backup'],
    ]);
  }
  expect((await callAt(url, 'GET', '/v2/apps')).status).toBe(200);
  const health = await callAt(url, 'GET', '/healthz', { key: null });
  expect([health.status, health.json]).toEqual([
    503,
    { status: 'failing', reason: 'the database is damaged; restore a backup' },
  ]);
  expect(child.exitCode).toBeNull();
});

/** A service that has acknowledged so many apps when it is killed. */
async function killed(dataFolder: string, apps: number): Promise<void> {
  const { child, url } = await startChild(dataFolder);
  for (let count = 0; count < apps; count++)
    await callAt(url, 'POST', '/v2/apps', { form: { app: `app-${count}.example` } });
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function refusalOf(dataFolder: string): Promise<ProblemError['problem'] | null> {
  try {
    const rig = await openRig({ dataFolder });
    await rig.service.close();
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

const contents = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

describe('the log of a killed service', () => {
  test('that has lost what was acknowledged keeps the next one from starting, until that is accepted', async () => {
    const whole = temporaryFolder();
    await killed(whole, 9);
    const half = (log: string) => Math.floor(statSync(log).size / 2);
    const cases: readonly (readonly [(log: string) => void, RegExp])[] = [
      [
        (log) => {
          rmSync(log);
        },
        /lacks the last 9 changes that were acknowledged/,
      ],
      [
        (log) => {
          truncateSync(log);
        },
        /lacks the last 9 changes/,
      ],
      [
        (log) => {
          truncateSync(log, half(log));
        },
        /lacks the last [45] changes/,
      ],
      [
        (log) => {
          truncateSync(log, statSync(log).size - 1);
        },
        /lacks the last change that was acknowledged/,
      ],
      [
        (log) => {
          const bytes = readFileSync(log);
          bytes.fill(0x41, half(log), half(log) + 100);
          writeFileSync(log, bytes);
        },
        /lacks the last [45] changes/,
      ],
    ];
    for (const [harm, words] of cases) {
      const spoiled = temporaryFolder();
      cpSync(whole, spoiled, { recursive: true });
      harm(join(spoiled, 'service.db-wal'));
      const accepted = temporaryFolder();
      cpSync(spoiled, accepted, { recursive: true });
      const found = await refusalOf(spoiled);
      expect([found?.code, found?.message]).toEqual(['LT_SERVER_DATA', expect.stringMatching(words)]);
      rmSync(join(accepted, 'service.db-count'));
      expect(await refusalOf(accepted)).toBeNull();
    }
    expect(await refusalOf(whole)).toBeNull();
  });

  test('is left as it was where the start is refused', async () => {
    const dataFolder = temporaryFolder();
    await killed(dataFolder, 5);
    truncateSync(join(dataFolder, 'service.db-wal'), 8 * 4096);
    const before = contents(dataFolder);
    expect(await refusalOf(dataFolder)).not.toBeNull();
    const after = contents(dataFolder);
    for (const name of ['service.db', 'service.db-wal', 'service.db-count'])
      expect(after[name] === before[name], name).toBe(true);
  });

  test('may be missing with the number beside it: that is a database from elsewhere', async () => {
    const dataFolder = temporaryFolder();
    await killed(dataFolder, 3);
    for (const name of ['service.db-wal', 'service.db-count']) rmSync(join(dataFolder, name));
    expect(await refusalOf(dataFolder)).toBeNull();
  });

  test('may be missing where a backup was put in the place of the database', async () => {
    const dataFolder = temporaryFolder();
    await killed(dataFolder, 3);
    const copy = join(temporaryFolder(), 'copy.db');
    const saved = temporaryFolder();
    cpSync(dataFolder, saved, { recursive: true });
    await copyFromIdle(saved, copy);
    await finishCopy(copy);
    await killed(dataFolder, 2);
    for (const name of ['service.db-wal', 'service.db-shm']) rmSync(join(dataFolder, name), { force: true });
    cpSync(copy, join(dataFolder, 'service.db'));
    expect(await refusalOf(dataFolder)).toBeNull();
  });

  test.each([['nothing'], ['zeros'], ['half of it']])(
    'needs no number beside it: a power failure left %s there',
    async (what) => {
      const dataFolder = temporaryFolder();
      await killed(dataFolder, 3);
      const file = join(dataFolder, 'service.db-count');
      const text = readFileSync(file, 'latin1');
      writeFileSync(file, { nothing: '', zeros: '\0'.repeat(text.length) }[what] ?? text.slice(0, 8));
      expect(await refusalOf(dataFolder)).toBeNull();
    },
  );
});

test('health tells of a database that is being checked, and nothing else is served meanwhile', async () => {
  const dataFolder = temporaryFolder();
  await (await openRig({ dataFolder })).service.close();
  const database = new Libsql(join(dataFolder, 'service.db'));
  // Enough to be looked at while they are read.
  database.exec(
    `WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 30000)
     INSERT INTO idempotency SELECT x, 'text', 200, '{}', 0 FROM n`,
  );
  database.close();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const opening = openRig({ dataFolder, port, mode: 'serve', openMetrics: true });
  const first = await until(() => callAt(url, 'GET', '/healthz', { key: null }).catch(() => null));
  expect([first.status, first.json]).toEqual([
    503,
    { status: 'starting', reason: 'the database is being checked' },
  ]);
  for (const path of ['/v2/tests', '/metrics', '/v2/nowhere']) {
    const answer = await callAt(url, 'GET', path);
    expect([path, answer.status, answer.json.errors]).toEqual([
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

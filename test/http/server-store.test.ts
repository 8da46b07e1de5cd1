import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ProblemError } from '../../src/core/problem.ts';
import { createFakeReport, createFakeRunner } from '../support/fake-runner.ts';
import { callAt, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';
import { TEST_TIMEOUT_MS } from '../support/wait.ts';

const HOST = '127.0.0.1:4080';

async function problemOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error.problem;
  throw new Error('no problem was thrown', { cause: error });
}

function fileOf(directory: string): string {
  return join(directory, 'service.db');
}

describe('a restarted service', () => {
  test('the apps, tests and results of a service are preserved after a restart', async () => {
    const dataDirectory = createTestDirectory();
    const before = await openTestService({ dataDirectory });
    await before.verifiedApp(HOST);
    const { test_id: id } = (
      await before.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) })
    ).json;
    before.runner.latest().end();
    await waitUntil(async () =>
      (await before.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
    );
    const paths = ['/v2/apps', '/v2/tests', `/v2/tests/${id}/results`];
    const responses = await Promise.all(paths.map(async (path) => (await before.call('GET', path)).text));
    await before.service.close();
    const rig = await openTestService({ dataDirectory });
    expect(await Promise.all(paths.map(async (path) => (await rig.call('GET', path)).text))).toEqual(
      responses,
    );
    expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
  });

  test('a restarted service marks the unfinished runs of the previous process as partial, with null instead of their counts', async () => {
    const dataDirectory = createTestDirectory();
    const before = await openTestService({ dataDirectory });
    await before.verifiedApp(HOST);
    const { test_id: id, result_id: result } = (
      await before.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) })
    ).json;
    // A copy of the current files, as a killed process leaves them.
    const copy = createTestDirectory();
    for (const name of readdirSync(dataDirectory))
      writeFileSync(join(copy, name), readFileSync(join(dataDirectory, name)));
    const rig = await openTestService({ dataDirectory: copy });
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('complete');
    const { json } = await rig.call('GET', `/v2/tests/${id}/results/${result}`);
    expect(json).toMatchObject({ status: 'ready', abort_reason: 'partial' });
    // The work of the run is unknown, so its counts are null instead of 0.
    for (const name of [
      'success',
      'error',
      'timeout_error',
      'network_error',
      'requests',
      'data_received',
      'ledger',
    ])
      expect(json, name).toHaveProperty(name, null);
    for (const name of ['latency', 'avg_error_rate', 'requests_per_second', 'peak_connections', 'outage'])
      expect(json, name).toHaveProperty(name, null);
    expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
  });

  test('a restarted service reports the counts of an unfinished run from the last checkpoint of the run', async () => {
    const dataDirectory = createTestDirectory();
    const before = await openTestService({ dataDirectory, limits: { checkpointIntervalMs: 10 } });
    await before.verifiedApp(HOST);
    const { test_id: id, result_id: result } = (
      await before.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) })
    ).json;
    const run = before.runner.latest();
    run.count(createFakeReport(run.job, 'partial'));
    const path = `/v2/tests/${id}/results/${result}`;
    const rig = await waitUntil(async () => {
      // A copy of the current files, as a killed process leaves them.
      const copy = createTestDirectory();
      for (const name of readdirSync(dataDirectory))
        writeFileSync(join(copy, name), readFileSync(join(dataDirectory, name)));
      const opened = await openTestService({ dataDirectory: copy });
      const { text } = await opened.call('GET', path);
      return text.includes('"requests":null') ? null : opened;
    });
    // The result of a running run is not ready.
    expect((await before.call('GET', path)).json).toMatchObject({ status: 'not_ready' });
    const { json } = await rig.call('GET', path);
    expect(json).toMatchObject({
      status: 'ready',
      abort_reason: 'partial',
      requests: 3,
      success: 2,
      error: 1,
    });
    expect(json).toMatchObject({ latency: { p50: 2 }, urls: [{ requests: 3 }], timeline: [{ second: 0 }] });
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('complete');
    // A run that ends has its own result, and its checkpoint is deleted.
    before.runner.latest().end();
    const ended = await waitUntil(async () => {
      const response = (await before.call('GET', path)).json;
      return response.status === 'ready' ? response : null;
    });
    expect(ended).toMatchObject({ abort_reason: null });
  });
});

describe('a service that shuts down', () => {
  test.each([
    ['a load generator that stops immediately', true],
    ['a load generator that does not stop', false],
  ])(
    'with %s, a service that shuts down stores the results of its runs as stopped',
    async (_, endsOnStop) => {
      const dataDirectory = createTestDirectory();
      const before = await openTestService({
        dataDirectory,
        fake: createFakeRunner({ endsOnStop }),
        limits: { closeGraceMs: 10 },
      });
      await before.verifiedApp(HOST);
      const { test_id: id, result_id: result } = (
        await before.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) })
      ).json;
      await before.service.close();
      await before.service.close();
      expect(before.runner.latest().stops).toEqual(['stopped']);
      // A late end must not access the closed database.
      before.runner.latest().end();
      const rig = await openTestService({ dataDirectory });
      expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('complete');
      expect((await rig.call('GET', `/v2/tests/${id}/results/${result}`)).json.abort_reason).toBe('stopped');
      expect(before.log.filter(({ event }) => event === 'result-lost')).toEqual([]);
    },
  );

  test('a service that shuts down does not start runs, and responds until its runs have ended', async () => {
    const rig = await openTestService({
      fake: createFakeRunner({ endsOnStop: false }),
      limits: { closeGraceMs: TEST_TIMEOUT_MS },
    });
    await rig.verifiedApp(HOST);
    const json = smallTestFields(`http://${HOST}/`);
    const { test_id: id } = (await rig.call('POST', '/v2/tests', { json })).json;
    const closed = rig.service.close();
    expect((await rig.call('POST', '/v2/tests', { json })).status).toBe(503);
    expect((await rig.call('GET', `/v2/tests/${id}`)).status).toBe(200);
    rig.runner.latest().end('stopped');
    await closed;
    await expect(callAt(rig.service.url, 'GET', '/healthz')).rejects.toThrow();
  });

  test('after a service shuts down, the database is a single file', async () => {
    const rig = await openTestService();
    await rig.verifiedApp(HOST);
    await rig.service.close();
    expect(readdirSync(rig.dataDirectory)).toEqual(['service.db']);
  });
});

describe('the data directory of a service', () => {
  test('the data directory and its files are accessible only to the owner', async () => {
    const dataDirectory = join(createTestDirectory(), 'a', 'b');
    const rig = await openTestService({ dataDirectory });
    await rig.verifiedApp(HOST);
    expect(statSync(dataDirectory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(dataDirectory)) {
      expect([name, statSync(join(dataDirectory, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  test('the service does not change the file modes of an existing data directory and database', async () => {
    const dataDirectory = createTestDirectory();
    chmodSync(dataDirectory, 0o755);
    writeFileSync(join(dataDirectory, 'notes.txt'), '');
    await (await openTestService({ dataDirectory })).service.close();
    expect(statSync(fileOf(dataDirectory)).mode & 0o777).toBe(0o600);
    chmodSync(fileOf(dataDirectory), 0o640);
    await openTestService({ dataDirectory });
    const modes = [dataDirectory, fileOf(dataDirectory)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o755, 0o640]);
  });

  test('a second service cannot use the data directory of a running service', async () => {
    const rig = await openTestService();
    const found = await problemOf(openTestService({ dataDirectory: rig.dataDirectory }));
    expect(found.code).toBe('LT_SERVER_DATA');
    expect(found.message).toContain('in use by another process');
    expect((await rig.call('GET', '/v2/apps')).status).toBe(200);
  });

  const replacements: readonly (readonly [string, (file: string) => void, string])[] = [
    ['a text file', (file) => writeFileSync(file, 'not a database\n'.repeat(100)), 'is not a database'],
    ['a short file', (file) => writeFileSync(file, 'SQLite format 3\0'), 'is not a database'],
    ['a directory', (file) => mkdirSync(file), 'it is a directory'],
    ['a symbolic link', (file) => symlinkSync('/etc/hostname', file), 'symbolic link'],
    [
      'the database of another program',
      (file) => {
        const other = new Libsql(file);
        other.exec('PRAGMA user_version = 1; CREATE TABLE bookmarks (url TEXT)');
        other.close();
      },
      'another program',
    ],
  ];

  test.each(replacements)(
    'a data directory with %s instead of a database is refused and not changed',
    async (_, write, message) => {
      const dataDirectory = createTestDirectory();
      const file = fileOf(dataDirectory);
      write(file);
      const before = statSync(file).isFile() ? readFileSync(file) : null;
      const found = await problemOf(openTestService({ dataDirectory }));
      expect(found.code).toBe('LT_SERVER_DATA');
      expect(found.message).toContain(message);
      if (before !== null) expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  test('a database from a newer version is refused and not changed', async () => {
    const rig = await openTestService();
    await rig.service.close();
    const file = fileOf(rig.dataDirectory);
    const bytes = readFileSync(file);
    bytes.writeUInt32BE(99, 60);
    writeFileSync(file, bytes);
    const found = await problemOf(openTestService({ dataDirectory: rig.dataDirectory }));
    expect(found.code).toBe('LT_SERVER_DATA');
    expect(found.message).toContain('version 99');
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(readdirSync(rig.dataDirectory)).toEqual(['service.db']);
  });

  test.each([
    ['truncated', (file: string) => truncateSync(file, 8192)],
    [
      'overwritten in the middle',
      (file: string) => {
        const bytes = readFileSync(file);
        bytes.fill(0x41, 4096);
        writeFileSync(file, bytes);
      },
    ],
  ])('a database that was %s is refused', async (_, damage) => {
    const rig = await openTestService();
    await rig.verifiedApp(HOST);
    await rig.service.close();
    damage(fileOf(rig.dataDirectory));
    const found = await problemOf(openTestService({ dataDirectory: rig.dataDirectory }));
    expect(found.code).toBe('LT_SERVER_DATA');
    expect(found.message).toContain('is damaged');
    expect(found.hint).toMatch(/^restore a backup/);
  });
});

/** Reading any of these values would end the process. */
test.each([
  ["UPDATE tests SET definition = CAST(X'7B22FF227D' AS TEXT)"],
  ["UPDATE tests SET status = CAST(X'C328' AS TEXT)"],
  ["UPDATE results SET record = CAST(X'7BED A080 7D' AS TEXT)".replaceAll(/(?<=[0-9A-F]) (?=[0-9A-F])/g, '')],
  ["UPDATE apps SET host = CAST(X'80' AS TEXT)"],
  ["INSERT INTO idempotency VALUES (CAST(X'FE' AS TEXT), '', 200, '{}', 0)"],
])('a database that contains invalid UTF-8 counts as damaged: %s', async (sql) => {
  const dataDirectory = createTestDirectory();
  const rig = await openTestService({ dataDirectory });
  await rig.verifiedApp(HOST);
  for (let count = 0; count < 20; count++)
    await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`, { name: 'é' }) });
  await rig.service.close();
  const database = new Libsql(fileOf(dataDirectory));
  database.exec(sql);
  database.close();
  const found = await problemOf(openTestService({ dataDirectory }));
  expect([found.code, found.message]).toEqual(['LT_SERVER_DATA', expect.stringContaining('is damaged')]);
});

describe('rejected addresses', () => {
  test('a listen address that is already in use is rejected, and the data directory is released', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo; // it listens on TCP
    const dataDirectory = createTestDirectory();
    const found = await problemOf(openTestService({ dataDirectory, port }));
    expect(found.code).toBe('LT_SERVER_ADDRESS');
    expect(found.message).toContain('in use');
    await openTestService({ dataDirectory });
  });

  test.each(['192.0.2.1', 'nobody.invalid'])('the listen address %s is rejected', async (host) => {
    expect((await problemOf(openTestService({ host }))).code).toBe('LT_SERVER_ADDRESS');
  });

  test('a public address that is not a URL is rejected', async () => {
    const found = await problemOf(openTestService({ mode: 'serve', publicUrl: 'loads' }));
    expect(found.code).toBe('LT_SERVER_ADDRESS');
  });
});

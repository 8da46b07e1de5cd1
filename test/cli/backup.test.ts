/** Backups of a service under traffic and of a stopped service, and their use by `serve`. */
// @module-tag load
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import Libsql from 'libsql';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS } from '../../src/server/store/migrate.ts';
import { listeningUrlOf, runCli, startCli } from '../support/cli.ts';
import { runInProcess, serveInProcess, startInProcess } from '../support/in-process-cli.ts';
import { callAt, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTemporaryDirectory, createTestDirectory } from '../support/temporary-directory.ts';

const serve = (data: string) => ['serve', '--port', '0', '--json', '--data', data];

/** Starts a service in its own process. */
async function serving(directory: string, data: string) {
  const server = startCli(serve(data), { directory });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  await server.saw('"listening"');
  return { server, call: callerOf(server.output(), resolve(directory, data)) };
}

/** Starts a service with a backup in this process. */
async function restore(directory: string, data: string) {
  const server = await serveInProcess(serve(data), { directory });
  return { call: callerOf(server.output(), resolve(directory, data)) };
}

/** Returns a function that sends requests to a service, by its output and data. */
function callerOf(output: string, data: string) {
  const url = listeningUrlOf(output);
  const key = readFileSync(join(data, 'api-key'), 'utf8').trim();
  return (method: string, path: string, more = {}) => callAt(url, method, path, { key, ...more });
}

const backup = (directory: string, ...args: string[]) =>
  runCli(['backup', ...args, '--data', 'data'], { directory });

const backupInProcess = (directory: string, ...args: string[]) =>
  runInProcess(['backup', ...args, '--data', 'data'], { directory });

/** Directory of a service that has stopped. Tests use copies of its data. */
const stopped = createTemporaryDirectory();
beforeAll(async () => {
  const server = startInProcess(serve('data'), { directory: stopped.path });
  await server.saw('"listening"');
  server.interrupt();
  await server.ended;
  return stopped.remove;
});

/** Creates a directory with the data of a stopped service. */
function createStopped(): string {
  const directory = createTestDirectory();
  cpSync(join(stopped.path, 'data'), join(directory, 'data'), { recursive: true });
  return directory;
}

describe('a backup', () => {
  test('a backup of a running service contains every test acknowledged before the backup, and the service continues to run', async () => {
    const directory = createTestDirectory();
    const target = await openTestTarget(servePages({ '/': 'hello' }));
    const before = await serving(directory, 'data');
    const { app_id: app, verification_id: token } = (
      await before.call('POST', '/v2/apps', { form: { app: target.host } })
    ).json;
    target.respondWith(servePages({ '/': 'hello', [`/${token}.txt`]: token }));
    expect((await before.call('POST', `/v2/apps/${app}/verify`)).status).toBe(200);

    // Scheduled tests: each one is a write, but none generates load.
    const json = smallTestFields(`${target.url}/`, { scheduled_at: '2099-01-01T00:00:00Z' });
    const acknowledged: string[] = [];
    let writing = true;
    const traffic = async () => {
      while (writing) {
        acknowledged.push((await before.call('POST', '/v2/tests', { json })).json.test_id);
        // The list of tests is read below, so it must not become long while the backup runs on a busy machine.
        await new Promise((done) => setTimeout(done, 5));
      }
    };
    const writers = [traffic(), traffic(), traffic()];
    await waitUntil(() => (acknowledged.length > 20 ? true : null));
    const known = [...acknowledged];
    const backupRun = await backup(directory, 'copies/monday', '--json');
    writing = false;
    await Promise.all(writers);
    expect([backupRun.exit, backupRun.stderr]).toEqual([0, expect.stringContaining('serve --data')]);
    expect(JSON.parse(backupRun.stdout)).toMatchObject({
      command: 'backup',
      files: ['service.db', 'api-key', 'decoy-secret'],
    });
    expect(readdirSync(join(directory, 'copies'))).toEqual(['monday']);
    expect(readdirSync(join(directory, 'copies/monday')).sort()).toEqual([
      'api-key',
      'decoy-secret',
      'service.db',
    ]);
    for (const name of ['', 'service.db', 'api-key', 'decoy-secret'])
      expect(statSync(join(directory, 'copies/monday', name)).mode & 0o077).toBe(0);
    expect(readdirSync(join(directory, 'data')).filter((name) => name.startsWith('backup'))).toEqual([]);

    // The original service continues, and the copy does not receive its later writes.
    const later = (await before.call('POST', '/v2/tests', { json })).json.test_id;
    const restored = await restore(directory, 'copies/monday');
    const list = async (server: Pick<typeof before, 'call'>) =>
      (await server.call('GET', '/v2/tests')).list.map(({ test_id: id }) => id);
    const restoredIds = await list(restored);
    expect(restoredIds).toEqual(expect.arrayContaining(known));
    expect(restoredIds).not.toContain(later);
    const more = (await restored.call('POST', '/v2/tests', { json })).json.test_id;
    expect(await list(restored)).toEqual([...restoredIds, more]);
    expect(await list(before)).toContain(later);
    const ran = (await restored.call('PUT', `/v2/tests/${more}/run`)).json;
    expect(ran.status).toBe('running');
  });

  test('a backup of a stopped service contains its key and secrets, and preserves the version number of its database', async () => {
    const directory = createStopped();
    const secrets = ['worker-secret', 'callback-secret', 'decoy-secret'];
    for (const name of secrets) writeFileSync(join(directory, 'data', name), 'f'.repeat(64), { mode: 0o600 });
    const path = join(directory, 'data/service.db');
    rmSync(path);
    const database = new Libsql(path);
    for (const step of MIGRATIONS.slice(0, 4)) database.exec(step);
    database.exec('PRAGMA application_id = 0x4c545354; PRAGMA user_version = 4');
    database.close();
    chmodSync(path, 0o600);
    const { exit, stdout } = await backupInProcess(directory, 'my copy');
    expect(exit).toBe(0);
    expect(stdout).toContain(`${['service.db', 'api-key', ...secrets].join(', ')}\n`);
    expect(stdout).toContain(
      `To restore the backup: loadtests serve --data '${join(directory, 'my copy')}'\n`,
    );
    for (const name of ['api-key', ...secrets])
      expect(readFileSync(join(directory, 'my copy', name))).toEqual(
        readFileSync(join(directory, 'data', name)),
      );
    for (const parent of ['data', 'my copy']) {
      const copy = new Libsql(join(directory, parent, 'service.db'));
      expect(copy.prepare('PRAGMA user_version').all()).toEqual([{ user_version: 4 }]);
      copy.close();
    }
    await restore(directory, 'my copy');
  });

  test('the backup command rejects an existing destination, and a data directory that does not exist', async () => {
    const directory = createTestDirectory();
    const none = await backupInProcess(directory, 'copy');
    expect([none.exit, none.stderr]).toEqual([
      3,
      expect.stringContaining('does not contain the data of a service'),
    ]);
    expect(existsSync(join(directory, 'data'))).toBe(false);
    cpSync(join(stopped.path, 'data'), join(directory, 'data'), { recursive: true });
    mkdirSync(join(directory, 'copy'));
    const taken = await backupInProcess(directory, 'copy');
    expect([taken.exit, taken.stderr]).toEqual([3, expect.stringContaining('already exists')]);
    expect(readdirSync(join(directory, 'copy'))).toEqual([]);
  });

  test.each([
    ['a link out of the project', 'link'],
    ['a new subdirectory of a link out of the project', 'link/deeper'],
    ['a link out of the project in a subdirectory', 'inside/link'],
    ['a broken link', 'nowhere'],
    ['a file', 'file'],
    ['a named pipe', 'pipe'],
    ['a link to itself', 'loop'],
    ['a new subdirectory of a chain of links out of the project', 'chain/deeper'],
  ])('the backup command rejects a destination below %s', async (_, parent) => {
    const directory = createStopped();
    const elsewhere = createTestDirectory();
    mkdirSync(join(directory, 'inside'));
    symlinkSync(elsewhere, join(directory, 'link'));
    symlinkSync(elsewhere, join(directory, 'inside/link'));
    symlinkSync(join(elsewhere, 'none'), join(directory, 'nowhere'));
    writeFileSync(join(directory, 'file'), '');
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    symlinkSync('loop', join(directory, 'loop'));
    symlinkSync('link', join(directory, 'chain'));
    const before = readdirSync(directory, { recursive: true }).sort();
    const { exit, stderr } = await backupInProcess(directory, `${parent}/copy`);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('cannot be written')]);
    expect(stderr).not.toContain('please report');
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(readdirSync(directory, { recursive: true }).sort()).toEqual(before);
  });

  test.each(['a link outside of the project', 'a link within the project'])(
    'the backup command writes a complete backup if its destination is below %s',
    async (kind) => {
      const directory = createStopped();
      const outside = createTestDirectory();
      const within = kind === 'a link within the project' ? directory : outside;
      mkdirSync(join(within, 'real'));
      symlinkSync(join(within, 'real'), join(within, 'link'));
      const { exit, stdout } = await backupInProcess(directory, join(within, 'link/new/copy'), '--json');
      expect(exit).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ directory: join(within, 'real/new/copy') });
      expect(readdirSync(join(within, 'real/new'))).toEqual(['copy']);
      await restore(directory, join(within, 'real/new/copy'));
    },
  );

  test('a backup of a damaged database fails and leaves no files', async () => {
    const directory = createStopped();
    const file = join(directory, 'data/service.db');
    const bytes = readFileSync(file);
    bytes.fill(0x41, 4096);
    writeFileSync(file, bytes);
    const { stderr, exit } = await backupInProcess(directory, 'copy');
    expect(stderr).toContain('LT_SERVER_DATA');
    expect(stderr).toContain('is damaged');
    expect(exit).not.toBe(0);
    expect(readdirSync(directory)).toEqual(['data']);
  });

  test('the backup command exits with 9 after the time in --lock-timeout if the process that uses the data does not respond, and leaves no files', async () => {
    const directory = createTestDirectory();
    const { server } = await serving(directory, 'data');
    server.kill('SIGSTOP');
    const { stderr, exit } = await backup(directory, 'copy', '--lock-timeout', '200ms');
    expect(exit).toBe(9);
    expect(stderr).toContain(`process ${server.pid}`);
    expect(readdirSync(directory)).toEqual(['data']);
    expect(readdirSync(join(directory, 'data')).filter((name) => name.startsWith('backup'))).toEqual([]);
  });
});

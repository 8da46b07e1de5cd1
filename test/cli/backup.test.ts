/** Backups: of a service under traffic and of one that is stopped, and what `serve` makes of them. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS } from '../../src/server/store/migrate.ts';
import { ownFolder, run, start } from '../rig/cli.ts';
import { callAt, smallTest, until } from '../rig/service.ts';
import { openTarget, pages } from '../rig/target.ts';

async function serving(folder: string, data: string) {
  const server = start(['serve', '--port', '0', '--json', '--data', data], { folder });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  await server.saw('"listening"');
  const [, url = ''] = /"url":"([^"]+)"/.exec(server.output()) ?? [];
  const key = readFileSync(join(folder, data, 'api-key'), 'utf8').trim();
  const call = (method: string, path: string, more = {}) => callAt(url, method, path, { key, ...more });
  return { server, call };
}

const backup = (folder: string, ...args: string[]) => run(['backup', ...args, '--data', 'data'], { folder });

describe('a backup', () => {
  test('of a service under traffic holds all that was acknowledged, and serves on under traffic', async () => {
    const folder = ownFolder();
    const target = await openTarget(pages({ '/': 'hello' }));
    const before = await serving(folder, 'data');
    const { app_id: app, verification_id: token } = (
      await before.call('POST', '/v2/apps', { form: { app: target.host } })
    ).json;
    target.answerWith(pages({ '/': 'hello', [`/${token}.txt`]: token }));
    expect((await before.call('POST', `/v2/apps/${app}/verify`)).status).toBe(200);

    // Scheduled ones: they make no load, and each is a write.
    const json = smallTest(`${target.url}/`, { scheduled_at: '2099-01-01T00:00:00Z' });
    const acknowledged: string[] = [];
    let writing = true;
    const traffic = async () => {
      while (writing) acknowledged.push((await before.call('POST', '/v2/tests', { json })).json.test_id);
    };
    const writers = [traffic(), traffic(), traffic()];
    await until(() => (acknowledged.length > 20 ? true : null));
    const known = [...acknowledged];
    const made = await backup(folder, 'copies/monday', '--json');
    writing = false;
    await Promise.all(writers);
    expect([made.exit, made.stderr]).toEqual([0, expect.stringContaining('serve --data')]);
    expect(JSON.parse(made.stdout)).toMatchObject({ command: 'backup', files: ['service.db', 'api-key'] });
    expect(readdirSync(join(folder, 'copies'))).toEqual(['monday']);
    expect(readdirSync(join(folder, 'copies/monday')).sort()).toEqual(['api-key', 'service.db']);
    for (const name of ['', 'service.db', 'api-key'])
      expect(statSync(join(folder, 'copies/monday', name)).mode & 0o077).toBe(0);
    expect(readdirSync(join(folder, 'data')).filter((name) => name.startsWith('backup'))).toEqual([]);

    // The first service goes on; the copy knows nothing of what comes now.
    const later = (await before.call('POST', '/v2/tests', { json })).json.test_id;
    const restored = await serving(folder, 'copies/monday');
    const list = async (server: typeof before) =>
      (await server.call('GET', '/v2/tests')).list.map(({ test_id: id }) => id);
    const there = await list(restored);
    expect(there).toEqual(expect.arrayContaining(known));
    expect(there).not.toContain(later);
    const more = (await restored.call('POST', '/v2/tests', { json })).json.test_id;
    expect(await list(restored)).toEqual([...there, more]);
    expect(await list(before)).toContain(later);
    const ran = (await restored.call('PUT', `/v2/tests/${more}/run`)).json;
    expect(ran.status).toBe('running');
  });

  test('of a stopped service is a copy, in the version that it has', async () => {
    const folder = ownFolder();
    const { server } = await serving(folder, 'data');
    server.kill('SIGTERM');
    await server.ended;
    writeFileSync(join(folder, 'data/callback-secret'), 'f'.repeat(64), { mode: 0o600 });
    const path = join(folder, 'data/service.db');
    rmSync(path);
    const database = new Libsql(path);
    for (const step of MIGRATIONS.slice(0, 4)) database.exec(step);
    database.exec('PRAGMA application_id = 0x4c545354; PRAGMA user_version = 4');
    database.close();
    chmodSync(path, 0o600);
    const { exit, stdout } = await backup(folder, 'copy');
    expect(exit).toBe(0);
    expect(stdout).toContain('service.db, api-key, callback-secret\n');
    for (const name of ['api-key', 'callback-secret'])
      expect(readFileSync(join(folder, 'copy', name))).toEqual(readFileSync(join(folder, 'data', name)));
    for (const place of ['data', 'copy']) {
      const copy = new Libsql(join(folder, place, 'service.db'));
      expect(copy.prepare('PRAGMA user_version').all()).toEqual([{ user_version: 4 }]);
      copy.close();
    }
    await serving(folder, 'copy');
  });

  test('is refused where there is no data, and where something is in its place', async () => {
    const folder = ownFolder();
    const none = await backup(folder, 'copy');
    expect([none.exit, none.stderr]).toEqual([
      3,
      expect.stringContaining('does not contain the data of a service'),
    ]);
    expect(existsSync(join(folder, 'data'))).toBe(false);
    const { server } = await serving(folder, 'data');
    server.kill('SIGTERM');
    await server.ended;
    mkdirSync(join(folder, 'copy'));
    const taken = await backup(folder, 'copy');
    expect([taken.exit, taken.stderr]).toEqual([3, expect.stringContaining('already exists')]);
    expect(readdirSync(join(folder, 'copy'))).toEqual([]);
  });

  test('of a damaged database is refused, and nothing is left of it', async () => {
    const folder = ownFolder();
    const { server } = await serving(folder, 'data');
    server.kill('SIGTERM');
    await server.ended;
    const file = join(folder, 'data/service.db');
    const bytes = readFileSync(file);
    bytes.fill(0x41, 4096);
    writeFileSync(file, bytes);
    const { stderr, exit } = await backup(folder, 'copy');
    expect(stderr).toContain('LT_SERVER_DATA');
    expect(stderr).toContain('is damaged');
    expect(exit).not.toBe(0);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('says so where the process that holds the data does not answer', async () => {
    const folder = ownFolder();
    const { server } = await serving(folder, 'data');
    server.kill('SIGSTOP');
    const { stderr, exit } = await backup(folder, 'copy', '--lock-timeout', '200ms');
    expect(exit).toBe(9);
    expect(stderr).toContain(`process ${server.pid}`);
    expect(readdirSync(folder)).toEqual(['data']);
    expect(readdirSync(join(folder, 'data')).filter((name) => name.startsWith('backup'))).toEqual([]);
  });
});

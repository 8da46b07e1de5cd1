/** Data directories that a stranger has left in a checkout: nothing in them is followed, believed or told. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessControl } from '../../src/cli/terminal/process-control.ts';
import { createTestDirectory } from '../support/cli.ts';
import { runInProcess as run } from '../support/in-process-cli.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

const SECRET = 'canary-of-the-secret';

function project(host = '127.0.0.1:9') {
  const directory = realpathSync(createTestDirectory());
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: '${host}' }
tests:
  home:
    test_type: per-second
    total: 5
    duration: 1s
    urls: [{ url: 'http://${host}/', headers: { Authorization: '\${secret:TOKEN}' } }]
`,
  );
  return { directory, data: join(directory, '.loadtests') };
}

/** What a stranger listens with: it answers everything, as well as it can, and keeps what it was sent. */
async function stranger(headers: Readonly<Record<string, string>> = {}, status = 200) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"status":"ok"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has one.
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, requests };
}

describe('a planted lock', () => {
  const plant = (data: string, url: string) => {
    mkdirSync(data, { mode: 0o700 });
    const lock = JSON.stringify({
      pid: process.pid,
      start: createProcessControl(process).startOf(process.pid),
      url,
    });
    writeFileSync(join(data, 'service.lock'), lock);
    writeFileSync(join(data, 'service.key'), 'k'.repeat(32), { mode: 0o600 });
  };

  test.each([['plan'], ['apply', '--yes']])('sends %s nowhere but to this machine', async (...args) => {
    const { directory: directory, data } = project();
    const { port, requests } = await stranger();
    // The name of this machine may mean another one elsewhere.
    plant(data, `http://localhost:${port}`);
    const ran = await run([...args, '--lock-timeout', '0s'], { directory, env: { TOKEN: SECRET } });
    expect([ran.exit, ran.stderr]).toEqual([9, expect.stringContaining('LT_CLI_LOCKED')]);
    expect(requests).toEqual([]);
  });

  test('gets neither the key nor a plan where the process there cannot prove itself', async () => {
    const { directory: directory, data } = project();
    const { url, requests } = await stranger();
    plant(data, url);
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: SECRET } });
    const file = join(data, 'service.lock');
    expect([ran.exit, ran.stderr]).toEqual([
      9,
      `error LT_CLI_LOCKED: what answers at ${url} is not process ${process.pid}, which "${file}" names\n` +
        `  hint: if no other command runs in this directory, delete "${file}"\n`,
    ]);
    expect(requests).toEqual([expect.stringMatching(/^GET \/healthz /)]);
    expect(requests.join()).not.toMatch(/kkkk|canary/);
  });

  test('is not followed through a redirect', async () => {
    const { directory: directory, data } = project();
    const further = await stranger();
    const { url, requests } = await stranger({ location: `${further.url}/healthz` }, 302);
    plant(data, url);
    expect((await run(['status'], { directory })).exit).toBe(9);
    expect([requests.length, further.requests]).toEqual([1, []]);
  });

  test('of an owner whose key others can read is not believed', async () => {
    const { directory: directory, data } = project();
    const { url, requests } = await stranger();
    plant(data, url);
    execFileSync('chmod', ['644', join(data, 'service.key')]);
    expect((await run(['status', '--lock-timeout', '0s'], { directory })).exit).toBe(9);
    expect(requests).toEqual([]);
  });
});

describe('a planted link', () => {
  const OUTSIDE = 'precious\n';
  const around = () => {
    const outside = realpathSync(createTestDirectory());
    execFileSync('chmod', ['755', outside]);
    writeFileSync(join(outside, 'file'), OUTSIDE);
    return outside;
  };

  test('in the place of the directory is refused, and where it leads stays', async () => {
    const { directory: directory, data } = project();
    const outside = around();
    symlinkSync(outside, data);
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: SECRET } });
    const reason = `"${data}" cannot be used as the data directory: it is a symbolic link`;
    expect([ran.exit, ran.stderr]).toEqual([3, `error LT_CLI_PATH: ${reason}\n`]);
    expect([statSync(outside).mode & 0o777, readdirSync(outside)]).toEqual([0o755, ['file']]);
  });

  test.each([
    ['journal.jsonl', 'LT_CLI_PATH'],
    ['service.lock', 'LT_CLI_PATH'],
    ['writer.lock', 'LT_CLI_PATH'],
    ['service', 'LT_SERVER_DATA'],
    ['service/service.db', 'LT_SERVER_DATA'],
    ['service/service.db-wal', 'LT_SERVER_DATA'],
    ['service/service.db-journal', 'LT_SERVER_DATA'],
  ])('in the place of %s is refused, and where it leads stays', async (name, code) => {
    const { directory: directory, data } = project();
    const outside = around();
    mkdirSync(name.startsWith('service/') ? join(data, 'service') : data, { recursive: true, mode: 0o700 });
    symlinkSync(name === 'service' ? outside : join(outside, 'file'), join(data, name));
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: SECRET } });
    expect([ran.exit, ran.stderr]).toEqual([expect.any(Number), expect.stringContaining(`error ${code}: `)]);
    expect(ran.stderr).toContain('it is a symbolic link');
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(OUTSIDE);
    expect([statSync(outside).mode & 0o777, readdirSync(outside)]).toEqual([0o755, ['file']]);
  });

  test('above the directory is the user’s own', async () => {
    const { directory, data } = project();
    mkdirSync(join(data, 'service'), { recursive: true, mode: 0o700 });
    const home = join(realpathSync(createTestDirectory()), 'home');
    symlinkSync(directory, home);
    expect(await run(['recover'], { directory: home })).toMatchObject({ exit: 0, stderr: '' });
    expect(readdirSync(join(data, 'service'))).toEqual(['service.db']);
  });

  test.each(['journal.jsonl', 'service.lock', 'service/service.db'])(
    'to an endless device in the place of %s is not read',
    async (name) => {
      const { directory: directory, data } = project();
      mkdirSync(join(data, 'service'), { recursive: true, mode: 0o700 });
      symlinkSync('/dev/zero', join(data, name));
      const ran = await run(['plan'], { directory });
      expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('it is a symbolic link')]);
    },
  );
});

/** Data of a run that has ended and whose callback is still to be told to a receiver, in a directory of their own. */
async function planted() {
  const target = await openTestTarget(servePages({ '/': 'hello' }));
  const receiver = await stranger();
  const made = project(target.host);
  expect((await run(['apply', '--yes'], { directory: made.directory, env: { TOKEN: 'x' } })).exit).toBe(0);
  const database = new Libsql(join(made.data, 'service/service.db'));
  const [test] = database.prepare('SELECT test_id AS id FROM tests').all() as { id: string }[];
  const [result] = database.prepare('SELECT result_id AS id FROM results').all() as { id: string }[];
  database
    .prepare(
      `INSERT INTO notices (notice_id, test_id, result_id, channel, destination, receiver, state, next_attempt_at_ms,
         created_at_ms) VALUES ('planted', ?, ?, 'callback', ?, ?, 'pending', 0, ?)`,
    )
    .run(test?.id, result?.id, `${receiver.url}/told`, new URL(receiver.url).host, Date.now());
  database.close();
  return { target, receiver, ...made };
}

describe('planted data', () => {
  test('is told to nobody by commands that only read, which also leave it as it is', async () => {
    const { directory: directory, data, receiver, target } = await planted();
    const database = join(data, 'service/service.db');
    const [before, seen] = [readFileSync(database), target.requests.length];
    for (const args of [['plan'], ['status'], ['results'], ['import'], ['validate']])
      expect([args, (await run(args, { directory })).exit]).toEqual([args, 0]);
    expect([receiver.requests, target.requests.length]).toEqual([[], seen]);
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(readdirSync(data).sort()).toEqual(['journal.jsonl', 'service']);
  });

  test('is told of by a command that writes: it is the user’s own', async () => {
    const { directory: directory, receiver } = await planted();
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: 'x' } });
    expect([ran.exit, receiver.requests]).toEqual([0, [expect.stringMatching(/^POST \/told /)]]);
  });

  test('is not made by commands that only read', async () => {
    const { directory: directory, data } = project();
    for (const args of [['plan'], ['status'], ['results']])
      expect([args, (await run(args, { directory })).exit]).toEqual([args, 0]);
    expect(existsSync(data)).toBe(false);
  });
});

describe('data that git tracks', () => {
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: directory });
  const tracked = (name: string) => {
    const made = project();
    git(made.directory, 'init', '-q');
    mkdirSync(join(made.directory, name), { recursive: true });
    writeFileSync(join(made.directory, name, 'service.lock'), '{}');
    git(made.directory, 'add', '-f', '.');
    return made;
  };

  test.each([[['plan']], [['apply', '--yes']], [['status']]])('is refused by %j', async (args) => {
    const { directory: directory, data } = tracked('.loadtests');
    const ran = await run(args, { directory, env: { TOKEN: SECRET } });
    expect(ran).toEqual({
      exit: 3,
      stdout: '',
      stderr: `error LT_CLI_PATH: "${data}" cannot be used as the data directory: git tracks it, so others may have written what is in it
  hint: run "git rm -r --cached .loadtests" and add .loadtests/ to .gitignore; delete the directory if what is in it is not yours
`,
    });
  });

  test('is refused below the root of the work tree, by serve too, and used once it is not tracked', async () => {
    const { directory } = tracked('sub/.loadtests');
    const sub = join(directory, 'sub');
    cpSync(join(directory, 'loadtests.yaml'), join(sub, 'loadtests.yaml'));
    expect((await run(['plan'], { directory: sub })).stderr).toContain('git rm -r --cached .loadtests');
    git(sub, 'rm', '-q', '-r', '--cached', '.loadtests');
    writeFileSync(join(sub, '.loadtests/service.lock'), JSON.stringify({ pid: 2 ** 22 + 1, start: null }));
    expect((await run(['plan'], { directory: sub })).exit).toBe(0);
    mkdirSync(join(sub, 'loadtests-data'));
    writeFileSync(join(sub, 'loadtests-data/api-key'), 'k'.repeat(32));
    git(sub, 'add', '-f', 'loadtests-data');
    const served = await run(['serve', '--port', '0'], { directory: sub });
    expect([served.exit, served.stderr]).toEqual([
      3,
      expect.stringContaining('git rm -r --cached loadtests-data'),
    ]);
  });
});

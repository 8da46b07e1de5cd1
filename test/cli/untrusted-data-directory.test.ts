/**
 * Untrusted data directories in a checkout: their links are not followed, and their data is not used or sent.
 */
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
import { runInProcess as run } from '../support/in-process-cli.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

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

/** Starts an untrusted server that responds to every request and records it. */
async function openUntrustedServer(headers: Readonly<Record<string, string>> = {}, status = 200) {
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
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, requests };
}

describe('an untrusted lock file', () => {
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

  test.each([['plan'], ['apply', '--yes']])(
    'if the address in the lock file contains a host name, %s sends no request to this host',
    async (...args) => {
      const { directory, data } = project();
      const { port, requests } = await openUntrustedServer();
      // A host name could resolve to a different machine.
      plant(data, `http://localhost:${port}`);
      const ran = await run([...args, '--lock-timeout', '0s'], { directory, env: { TOKEN: SECRET } });
      expect([ran.exit, ran.stderr]).toEqual([9, expect.stringContaining('LT_CLI_LOCKED')]);
      expect(requests).toEqual([]);
    },
  );

  test('a process that listens on the address in the lock file but cannot prove its identity receives neither the key of the service nor a secret of the test', async () => {
    const { directory, data } = project();
    const { url, requests } = await openUntrustedServer();
    plant(data, url);
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: SECRET } });
    const file = join(data, 'service.lock');
    expect([ran.exit, ran.stderr]).toEqual([
      9,
      `error LT_CLI_LOCKED: "${file}" names process ${process.pid} at ${url}, but a different process listens there\n` +
        `  hint: delete "${file}" if no other command is running in this directory\n`,
    ]);
    expect(requests).toEqual([expect.stringMatching(/^GET \/healthz /)]);
    expect(requests.join()).not.toMatch(/kkkk|canary/);
  });

  test('a redirect from the address in the lock file is not followed', async () => {
    const { directory, data } = project();
    const further = await openUntrustedServer();
    const { url, requests } = await openUntrustedServer({ location: `${further.url}/healthz` }, 302);
    plant(data, url);
    expect((await run(['status'], { directory })).exit).toBe(9);
    expect([requests.length, further.requests]).toEqual([1, []]);
  });

  test('the address in the lock file is not used if the key file is world-readable', async () => {
    const { directory, data } = project();
    const { url, requests } = await openUntrustedServer();
    plant(data, url);
    execFileSync('chmod', ['644', join(data, 'service.key')]);
    expect((await run(['status', '--lock-timeout', '0s'], { directory })).exit).toBe(9);
    expect(requests).toEqual([]);
  });
});

describe('untrusted links', () => {
  const OUTSIDE = 'precious\n';
  const around = () => {
    const outside = realpathSync(createTestDirectory());
    execFileSync('chmod', ['755', outside]);
    writeFileSync(join(outside, 'file'), OUTSIDE);
    return outside;
  };

  test('a link in place of the data directory is rejected, and its target is unchanged', async () => {
    const { directory, data } = project();
    const outside = around();
    symlinkSync(outside, data);
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: SECRET } });
    const reason = `"${data}" cannot be used as a data directory: it is a symbolic link`;
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
  ])('a link in place of %s is rejected, and its target is unchanged', async (name, code) => {
    const { directory, data } = project();
    const outside = around();
    mkdirSync(name.startsWith('service/') ? join(data, 'service') : data, { recursive: true, mode: 0o700 });
    symlinkSync(name === 'service' ? outside : join(outside, 'file'), join(data, name));
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: SECRET } });
    expect([ran.exit, ran.stderr]).toEqual([expect.any(Number), expect.stringContaining(`error ${code}: `)]);
    expect(ran.stderr).toContain('it is a symbolic link');
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(OUTSIDE);
    expect([statSync(outside).mode & 0o777, readdirSync(outside)]).toEqual([0o755, ['file']]);
  });

  test('a link in the path above the data directory is followed', async () => {
    const { directory, data } = project();
    mkdirSync(join(data, 'service'), { recursive: true, mode: 0o700 });
    const home = join(realpathSync(createTestDirectory()), 'home');
    symlinkSync(directory, home);
    expect(await run(['recover'], { directory: home })).toMatchObject({ exit: 0, stderr: '' });
    expect(readdirSync(join(data, 'service'))).toEqual(['service.db']);
  });

  test.each(['journal.jsonl', 'service.lock', 'service/service.db'])(
    'a link to an endless device in place of %s is rejected',
    async (name) => {
      const { directory, data } = project();
      mkdirSync(join(data, 'service'), { recursive: true, mode: 0o700 });
      symlinkSync('/dev/zero', join(data, name));
      const ran = await run(['plan'], { directory });
      expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('it is a symbolic link')]);
    },
  );
});

/** Creates data of a completed run with a pending callback to an untrusted receiver. */
async function openUntrustedData() {
  const target = await openTestTarget(servePages({ '/': 'hello' }));
  const receiver = await openUntrustedServer();
  const created = project(target.host);
  expect((await run(['apply', '--yes'], { directory: created.directory, env: { TOKEN: 'x' } })).exit).toBe(0);
  const database = new Libsql(join(created.data, 'service/service.db'));
  const [test] = database.prepare('SELECT test_id AS id FROM tests').all() as { id: string }[];
  const [result] = database.prepare('SELECT result_id AS id FROM results').all() as { id: string }[];
  database
    .prepare(
      `INSERT INTO notices (notice_id, test_id, result_id, channel, destination, receiver, state, next_attempt_at_ms,
         created_at_ms) VALUES ('planted', ?, ?, 'callback', ?, ?, 'pending', 0, ?)`,
    )
    .run(test?.id, result?.id, `${receiver.url}/callback`, new URL(receiver.url).host, Date.now());
  database.close();
  return { target, receiver, ...created };
}

describe('untrusted data of a service', () => {
  test('plan, status, results, import and validate do not send a pending callback in the data directory, and do not change the data', async () => {
    const { directory, data, receiver, target } = await openUntrustedData();
    const database = join(data, 'service/service.db');
    const [before, requestCount] = [readFileSync(database), target.requests.length];
    for (const args of [['plan'], ['status'], ['results'], ['import'], ['validate']])
      expect([args, (await run(args, { directory })).exit]).toEqual([args, 0]);
    expect([receiver.requests, target.requests.length]).toEqual([[], requestCount]);
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(readdirSync(data).sort()).toEqual(['journal.jsonl', 'service']);
  });

  test('apply sends the pending callback of an earlier run', async () => {
    const { directory, receiver } = await openUntrustedData();
    const ran = await run(['apply', '--yes'], { directory, env: { TOKEN: 'x' } });
    expect([ran.exit, receiver.requests]).toEqual([0, [expect.stringMatching(/^POST \/callback /)]]);
  });

  test('plan, status and results do not create a data directory', async () => {
    const { directory, data } = project();
    for (const args of [['plan'], ['status'], ['results']])
      expect([args, (await run(args, { directory })).exit]).toEqual([args, 0]);
    expect(existsSync(data)).toBe(false);
  });
});

describe('a data directory that git tracks', () => {
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: directory });
  const tracked = (name: string) => {
    const created = project();
    git(created.directory, 'init', '-q');
    mkdirSync(join(created.directory, name), { recursive: true });
    writeFileSync(join(created.directory, name, 'service.lock'), '{}');
    git(created.directory, 'add', '-f', '.');
    return created;
  };

  test.each([[['plan']], [['apply', '--yes']], [['status']]])(
    'the command %j rejects a data directory that git tracks',
    async (args) => {
      const { directory, data } = tracked('.loadtests');
      const ran = await run(args, { directory, env: { TOKEN: SECRET } });
      expect(ran).toEqual({
        exit: 3,
        stdout: '',
        stderr: `error LT_CLI_PATH: "${data}" cannot be used as a data directory: git tracks it, so its content may be untrusted
  hint: run "git rm -r --cached .loadtests" and add .loadtests/ to .gitignore; delete the directory if its content is not yours
`,
      });
    },
  );

  test('plan and serve reject a data directory in a subdirectory that git tracks, and plan accepts a directory that git no longer tracks', async () => {
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

/**
 * Read-only checkouts: commands that only read work, and commands that write report the reason for their
 * failure.
 */
// @module-tag load
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { sampleRows } from '../support/test-scale.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = process.getuid?.() === 0;

function project(url: string, { head = '', duration = '1s' } = {}) {
  const [{ path: directory, remove }, temporary] = [createTemporaryDirectory(), createTemporaryDirectory()];
  onTestFinished(() => {
    chmodSync(directory, 0o700);
    remove();
    temporary.remove();
  });
  chmodSync(temporary.path, 0o777);
  const file = `version: 1
project: shop
${head}apps: { shop: '${new URL(url).host}' }
tests:
  home: { test_type: per-second, total: 5, duration: ${duration}, urls: ['${url}/'], thresholds: { error_rate: '< 1%' } }
`;
  writeFileSync(join(directory, 'loadtests.yaml'), file);
  return {
    directory,
    data: join(directory, '.loadtests'),
    /** Files left in the directory for temporary files. */
    listTemporaryFiles: () => readdirSync(temporary.path),
    /** Runs a command as a user without write permission. */
    loadtests: (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      runCli(args, { directory, env: { TMPDIR: temporary.path, ...env }, unprivileged: true }),
  };
}

describe('commands in a read-only directory', () => {
  const READING: readonly [readonly string[], number, string][] = [
    [['plan', '--detailed-exitcode'], 2, '1 to create'],
    [['status'], 0, 'absent'],
    [['results'], 0, 'No results yet.'],
    [['import'], 0, 'project: shop'],
  ];

  // By default, only two of the commands; `npm run check:deep` runs all.
  test.each(sampleRows(READING, 2))(
    'in a read-only directory without data, the command %j uses an empty embedded service',
    async (args, exit, text) => {
      const { directory, data, listTemporaryFiles, loadtests } = project('http://127.0.0.1:9');
      chmodSync(directory, 0o555);
      const ran = await loadtests(args);
      expect(ran.stderr).not.toContain('error');
      expect([ran.exit, ran.stdout]).toEqual([exit, expect.stringContaining(text)]);
      expect([existsSync(data), listTemporaryFiles()]).toEqual([false, []]);
    },
  );

  test('plan with a hosted service succeeds in a read-only directory', async () => {
    const service = await startHostedService();
    onTestFinished(() => service.close());
    const head = `service: { base_url: '${service.url}', auth_header: acme-auth }\n`;
    const { directory, loadtests } = project('http://www.example.com', { head });
    chmodSync(directory, 0o555);
    const ran = await loadtests(['plan'], { LOADTESTS_API_KEY: service.options.key });
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
  });

  test('in a read-only directory, apply reports that it cannot use the data directory', async () => {
    const { directory, data, loadtests } = project('http://127.0.0.1:9');
    chmodSync(directory, 0o555);
    const ran = await loadtests(['apply', '--yes']);
    const reason = `"${data}" cannot be used as a data directory: permission denied`;
    expect([ran.exit, ran.stderr]).toEqual([3, `error LT_CLI_PATH: ${reason}\n`]);
  });

  test('plan reports that the temporary directory is not writable', async () => {
    const { directory, loadtests } = project('http://127.0.0.1:9');
    chmodSync(directory, 0o555);
    const ran = await loadtests(['plan'], { TMPDIR: directory });
    expect(ran.stderr).toContain(`"${directory}" cannot be used for a copy of the data: permission denied`);
    expect(ran.exit).toBe(3);
  });
});

// The owner of a directory could make it writable again, so these tests need a different user.
describe.runIf(ROOT)('data of another user', () => {
  test('status, results and plan read the data of another user without changing it', async () => {
    const target = await openTestTarget(servePages({ '/': 'hello' }));
    const { directory, data, listTemporaryFiles, loadtests } = project(target.url);
    expect((await runInProcess(['apply', '--yes'], { directory })).exit).toBe(0);
    for (const path of [directory, data, join(data, 'service')]) chmodSync(path, 0o755);
    const database = join(data, 'service/service.db');
    for (const path of [join(data, 'journal.jsonl'), database]) chmodSync(path, 0o644);
    const before = readFileSync(database);
    const status = await loadtests(['status']);
    expect([status.exit, status.stderr]).toEqual([0, '']);
    expect(status.stdout).toMatch(/test\.home +present +complete/);
    // `apply` stored this verdict in the service.
    expect((await loadtests(['results', '--json'])).stdout).toMatch(/"verdict": \{\s+"verdict": "pass"/);
    expect((await loadtests(['plan', '--detailed-exitcode'])).exit).toBe(0);
    expect(readFileSync(database).equals(before)).toBe(true);
    expect([readdirSync(data).sort(), listTemporaryFiles()]).toEqual([['journal.jsonl', 'service'], []]);
  });

  test('status reports that the data is locked while a command of another user uses the data and its key file is unreadable', async () => {
    const target = await openTestTarget(servePages({ '/': 'hello' }));
    const { directory, data, loadtests } = project(target.url, { duration: '50s' });
    const apply = startCli(['apply', '--yes'], { directory });
    onTestFinished(() => void apply.kill('SIGKILL'));
    await apply.saw('created');
    for (const path of [directory, data]) chmodSync(path, 0o755);
    chmodSync(join(data, 'service.lock'), 0o644);
    const status = await loadtests(['status', '--lock-timeout', '0s']);
    expect([status.exit, status.stderr]).toEqual([9, expect.stringContaining('LT_CLI_LOCKED')]);
  });

  const LOCKING = [['plan'], ['status'], ['apply', '--yes'], ['verify'], ['run', 'home', '--once', '--yes']];

  // By default, only two of the commands; `npm run check:deep` runs all.
  test.each(sampleRows(LOCKING, 2))(
    'the command %s reports that permission to the data directory was denied, and that the directory may belong to another user',
    async (...args) => {
      const { directory, data, loadtests } = project('http://127.0.0.1:9');
      mkdirSync(data, { mode: 0o700 });
      chmodSync(directory, 0o755);
      const { exit, stderr } = await loadtests(args);
      expect([exit, stderr]).toEqual([
        3,
        expect.stringMatching(
          /^error LT_CLI_PATH: ".*\.lock" cannot be used as a lock file: permission denied\n {2}hint: the directory may belong to another user/,
        ),
      ]);
    },
  );
});

// @module-tag load
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { runInProcess, startInProcess } from '../support/in-process-cli.ts';
import { API_KEY, openTestService, waitUntil } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

interface StatusDocument {
  readonly tests: readonly { readonly address: string; readonly state: string | null }[];
}

/**
 * Creates a directory with a file that loads a small local target with the embedded service. It has no
 * thresholds by default, because they could fail on a busy machine.
 */
async function project(duration: string, thresholds = '{}') {
  const target = await openTestTarget(servePages({ '/': 'hello' }));
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  home:
    test_type: per-second
    total: 5
    duration: ${duration}
    urls: [${target.url}/]
    thresholds: ${thresholds}
`,
  );
  return { directory, target };
}

describe('two commands in one directory', () => {
  test('while apply runs a test in one process, status in another process shows the run, a second apply exits with 9 after the time in --lock-timeout, and stop ends the run', async () => {
    const { directory } = await project('300s', "{ error_rate: '< 1%' }");
    const apply = startCli(['apply', '--yes'], { directory });
    await apply.saw('created');
    const status = await runInProcess(['status', '--json'], { directory });
    expect(status.exit).toBe(0);
    expect((JSON.parse(status.stdout) as StatusDocument).tests).toMatchObject([
      { address: 'test.home', state: 'running' },
    ]);
    const second = await runInProcess(['apply', '--yes', '--lock-timeout', '200ms'], { directory });
    expect([second.exit, second.stderr]).toEqual([9, expect.stringContaining('LT_CLI_LOCKED')]);
    const { exit, stderr } = await runInProcess(['stop', 'home', '--yes'], { directory });
    expect([exit, stderr]).toEqual([0, '']);
    const applied = await apply.ended;
    expect(applied.exit).toBe(11);
    const who = `inconclusive: the run ended early, stopped by loadtests stop (process ${process.pid})`;
    expect(applied.stdout).toContain(who);
    expect((await runInProcess(['results', 'home'], { directory })).stdout).toContain(who);
    expect((await runInProcess(['status'], { directory })).stdout).toContain(who);
  });

  test('with a hosted service, a running apply blocks an apply of the same project, but not an apply of another project', async () => {
    const { directory } = await project('1s');
    const { service, runner } = await openTestService();
    const env = { LOADTESTS_BASE_URL: service.url, LOADTESTS_API_KEY: API_KEY };
    const text = readFileSync(join(directory, 'loadtests.yaml'), 'utf8');
    writeFileSync(join(directory, 'blog.yaml'), text.replace('project: shop', 'project: blog'));
    const apply = startCli(['apply', '--yes'], { directory, env });
    await waitUntil(() => runner.runs[0] ?? null);
    const blog = runInProcess(['apply', '-f', 'blog.yaml', '--yes', '--lock-timeout', '0s'], {
      directory,
      env,
    });
    const same = runInProcess(['apply', '--yes', '--lock-timeout', '0s'], { directory, env });
    (await waitUntil(() => runner.runs[1] ?? null)).end();
    expect((await blog).exit).toBe(0);
    const refused = await same;
    expect([refused.exit, refused.stderr]).toEqual([
      9,
      expect.stringContaining(`is still in use by process ${String(apply.pid)}`) as string,
    ]);
    expect(refused.stderr).toContain('commands of other projects and environments do not wait');
    apply.kill('SIGINT');
    expect((await apply.ended).exit).toBe(130);
    // The journal has the complete operations of both projects.
    const lines = readFileSync(join(directory, '.loadtests/journal.jsonl'), 'utf8').trim().split('\n');
    const phases = lines.map((line) => JSON.parse(line) as { p: string; op: string; phase?: string });
    for (const name of ['shop', 'blog'])
      expect(phases.filter(({ p, op }) => p === name && op === 'create').map(({ phase }) => phase)).toEqual(
        expect.arrayContaining(['sent', 'done']),
      );
  });

  test('the lock of a process that has ended does not block a command, even if another process has the same ID', async () => {
    const { directory } = await project('1s');
    const data = join(directory, '.loadtests');
    mkdirSync(data);
    // The parent process has this ID, but started at a different time.
    const gone = JSON.stringify({ pid: process.ppid, start: '1', url: 'http://127.0.0.1:1', key: 'x' });
    writeFileSync(join(data, 'service.lock'), gone);
    writeFileSync(join(data, 'writer.lock'), JSON.stringify({ pid: 2 ** 22 + 1, start: null }));
    const applied = await runInProcess(['apply', '--yes', '--lock-timeout', '1s'], { directory });
    expect([applied.exit, applied.stderr]).toEqual([0, expect.stringContaining('ended')]);
  });

  test('status --watch continues when the command that runs the embedded service ends', async () => {
    const { directory } = await project('3s');
    const apply = startCli(['apply', '--yes'], { directory });
    await apply.saw('created');
    const watch = startCli(['status', '--watch', '--json'], { directory });
    await watch.saw('"event":"status"');
    expect((await apply.ended).exit).toBe(0);
    const again = await runInProcess(['apply', '--yes', '--run', '--json'], { directory });
    const { runs } = JSON.parse(again.stdout) as { runs: readonly { result_id: string }[] };
    await watch.saw(`"last_run":{"result_id":"${runs[0]?.result_id ?? ''}"`);
    watch.kill('SIGTERM');
    const { exit, stderr } = await watch.ended;
    expect([exit, stderr]).toEqual([143, '']);
  });

  test('status --watch shows a run that starts later, and the run continues after status ends', async () => {
    const { directory, target } = await project('300s');
    const watch = startInProcess(['status', '--watch'], { directory });
    await watch.saw('test.home');
    const apply = startCli(['apply', '--yes'], { directory });
    await watch.saw('running');
    watch.interrupt(143);
    expect((await watch.ended).exit).toBe(143);
    const count = () => target.requests.filter((line) => line === 'GET /').length;
    const before = count();
    await expect.poll(count).toBeGreaterThan(before + 5);
    apply.kill('SIGINT');
    expect((await apply.ended).exit).toBe(130);
  });
});

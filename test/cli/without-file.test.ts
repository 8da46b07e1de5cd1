/** Commands that make sense for an account alone: the environment names the service, and no file is there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startCli, createTemporaryDirectory, type CliResult } from '../support/cli.ts';
import type { HostedOptions } from '../support/hosted-options.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';

const FIELDS = {
  test_type: 'cycling',
  total: 5,
  duration: 60,
  name: 'Planted',
  urls: [{ url: 'http://www.example.com/' }],
};

let directory: ReturnType<typeof createTemporaryDirectory>;
let service: HostedService;

beforeEach(() => {
  directory = createTemporaryDirectory();
});

afterEach(async () => {
  await service.close();
  directory.remove();
});

async function serve(options: Partial<HostedOptions> = {}): Promise<string> {
  service = await startHostedService({
    keyHeader: 'service-auth',
    verifiedHosts: ['www.example.com'],
    ...options,
  });
  return service.state.addTest(FIELDS).id;
}

function environment(): Record<string, string> {
  return { LOADTESTS_BASE_URL: service.url, LOADTESTS_API_KEY: service.options.key };
}

async function loadtests(...args: string[]): Promise<CliResult> {
  return await runInProcess(args, { directory: directory.path, env: environment() });
}

describe('without a file', () => {
  test('status lists what the account holds, and leaves nothing behind', async () => {
    const id = await serve();
    const { exit, stdout } = await loadtests('status');
    expect(exit).toBe(0);
    expect(stdout).toContain('www.example.com');
    expect(stdout).toContain(id);
    expect(existsSync(join(directory.path, '.loadtests'))).toBe(false);
  });

  test('status says when a test fires, in UTC', async () => {
    await serve();
    service.state.addTest({ ...FIELDS, scheduled_at: '2099-12-24 03:00:00' });
    expect((await loadtests('status')).stdout).toContain('starts at 2099-12-24 03:00:00 UTC');
    expect((await loadtests('status', '--json')).stdout).toContain(
      '"scheduled_at": "2099-12-24T03:00:00.000Z"',
    );
  });

  test('status --watch tells what changes', async () => {
    const id = await serve({ runFor: null });
    const watching = startCli(['status', '--watch', '--json'], {
      directory: directory.path,
      env: environment(),
    });
    await watching.saw(id);
    service.state.addTest({ ...FIELDS, name: 'Another' });
    await watching.saw('Another');
    watching.kill('SIGINT');
    const { exit, stdout } = await watching.ended;
    expect(exit).toBe(130);
    const counts = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { unmanaged: number }).unmanaged);
    expect(counts).toEqual([1, 2]);
  });

  test('run id:ID starts a test once and waits for it; no thresholds, no verdict', async () => {
    const id = await serve();
    const { exit, stdout } = await loadtests('run', `id:${id}`, '--yes', '--json');
    expect(exit).toBe(0);
    const document = JSON.parse(stdout) as object;
    expect(document).toMatchObject({
      project: null,
      load: { starts: 1, peak_connections: { 'www.example.com': 5 }, seconds: 60 },
      actions: [{ verb: 'run', id, outcome: 'done' }],
      runs: [{ test_id: id, verdict: 'none', status: 'complete', started_by_us: true }],
    });
    expect(service.executed.runTest).toBe(1);
  });

  test('run id:ID shows the load before it asks, and starts nothing without consent', async () => {
    const id = await serve();
    const { exit, stdout, stderr } = await loadtests('run', `id:${id}`);
    expect(exit).toBe(6);
    expect(stdout).toMatch(/> run .* STARTS LOAD/);
    expect(stdout).toContain('Load: 1 test, 1m in total, peak 5 connections on www.example.com.');
    expect(stderr).toContain(`loadtests run id:${id} --yes`);
    expect(service.executed.runTest).toBe(0);
  });

  test('a start of unknown outcome is met by the next one, and not sent twice', async () => {
    const id = await serve({ runFor: null });
    const fault = service.injectFault({ on: 'runTest', executed: true, response: 'hang' });
    const first = startCli(['run', `id:${id}`, '--yes'], { directory: directory.path, env: environment() });
    await fault.triggered;
    first.kill('SIGINT');
    first.kill('SIGTERM');
    await first.ended;
    const { exit, stderr } = await loadtests('run', `id:${id}`, '--yes', '--no-wait');
    expect(exit).toBe(0);
    expect(stderr).toContain('started a run');
    expect(service.calls('runTest')).toHaveLength(1);
  });

  test('results id:ID lists the runs of a test', async () => {
    const id = await serve();
    expect((await loadtests('results', `id:${id}`)).stdout).toContain(id);
    await loadtests('run', `id:${id}`, '--yes', '-q');
    const { exit, stdout } = await loadtests('results', `id:${id}`);
    expect(exit).toBe(0);
    expect(stdout).toContain('no verdict, 300 requests');
  });

  test('recover says that every outcome is known', async () => {
    await serve();
    const { exit, stdout } = await loadtests('recover');
    expect(exit).toBe(0);
    expect(stdout).toContain('All outcomes are known.');
  });

  test.each([
    ['an id that the service does not have', ['run', 'id:nothing', '--yes'], 3, 'has no test "nothing"'],
    ['what is no id', ['results', 'id:a/b'], 3, '"a/b" is not a valid test id'],
    ['keys beside ids', ['run', 'home', 'id:abc', '--yes'], 3, 'cannot be combined'],
    ['--once', ['run', 'id:abc', '--once', '--yes'], 3, '--once requires keys of the file'],
    ['patterns of keys', ['status', '--only', 'home'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['an environment of a file', ['status', '--env', 'staging'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['a file that was named', ['status', '-f', 'other.yaml'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['keys', ['run', 'home', '--yes'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['apply', ['apply', '--yes'], 3, 'LT_CONFIG_NOT_FOUND'],
  ])('%s: refused, and nothing starts', async (_name, args, code, text) => {
    await serve();
    const { exit, stderr } = await loadtests(...args);
    expect(stderr).toContain(text);
    expect(exit).toBe(code);
    expect(service.executed.runTest).toBe(0);
  });

  test('a refused key exits 4, and no service at all 3', async () => {
    await serve();
    const env = environment();
    const refused = await runInProcess(['status'], {
      directory: directory.path,
      env: { ...env, LOADTESTS_API_KEY: 'another-key' },
    });
    expect(refused.exit).toBe(4);
    const nowhere = await runInProcess(['status'], { directory: directory.path });
    expect(nowhere.exit).toBe(3);
  });
});

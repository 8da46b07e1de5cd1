/** Commands that work without a configuration file; the environment selects the service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startCli, type CliResult } from '../support/cli.ts';
import type { HostedOptions } from '../support/hosted-options.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { runInProcess, startInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

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

describe('without a configuration file', () => {
  test('without a configuration file, status lists the apps and tests of the account and creates no data directory', async () => {
    const id = await serve();
    const { exit, stdout } = await loadtests('status');
    expect(exit).toBe(0);
    expect(stdout).toContain('www.example.com');
    expect(stdout).toContain(id);
    expect(existsSync(join(directory.path, '.loadtests'))).toBe(false);
  });

  test('status shows the start time of a scheduled test in UTC', async () => {
    await serve();
    service.state.addTest({ ...FIELDS, scheduled_at: '2099-12-24 03:00:00' });
    expect((await loadtests('status')).stdout).toContain('starts at 2099-12-24 03:00:00 UTC');
    expect((await loadtests('status', '--json')).stdout).toContain(
      '"scheduled_at": "2099-12-24T03:00:00.000Z"',
    );
  });

  test('without a configuration file, status --watch --json prints a new document when a test is added', async () => {
    const id = await serve({ runFor: null });
    const watching = startInProcess(['status', '--watch', '--json'], {
      directory: directory.path,
      env: environment(),
    });
    await watching.saw(id);
    service.state.addTest({ ...FIELDS, name: 'Another' });
    await watching.saw('Another');
    watching.interrupt();
    const { exit, stdout } = await watching.ended;
    expect(exit).toBe(130);
    const counts = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { unmanaged: number }).unmanaged);
    expect(counts).toEqual([1, 2]);
  });

  test('run id:ID starts one run of the test, waits for its end, and reports no verdict', async () => {
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

  test('run id:ID shows the load and starts no run without approval', async () => {
    const id = await serve();
    const { exit, stdout, stderr } = await loadtests('run', `id:${id}`);
    expect(exit).toBe(6);
    expect(stdout).toMatch(/> run .* STARTS LOAD/);
    expect(stdout).toContain('Load: 1 test, 1m in total, peak 5 connections on www.example.com.');
    expect(stderr).toContain(`loadtests run id:${id} --yes`);
    expect(service.executed.runTest).toBe(0);
  });

  test('after an interrupted "run id:ID" whose start request was executed, the next "run id:ID" does not repeat the request', async () => {
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
    expect(stdout).toContain('no verdict · 300 requests');
  });

  test('without a configuration file, recover reports that all outcomes are known', async () => {
    await serve();
    const { exit, stdout } = await loadtests('recover');
    expect(exit).toBe(0);
    expect(stdout).toContain('All outcomes are known.');
  });

  test.each([
    ['an unknown ID', ['run', 'id:nothing', '--yes'], 3, 'has no test "nothing"'],
    ['an invalid ID', ['results', 'id:a/b'], 3, '"a/b" is not a valid test ID'],
    ['a combination of keys and IDs', ['run', 'home', 'id:abc', '--yes'], 3, 'cannot be combined'],
    [
      '--once with an ID',
      ['run', 'id:abc', '--once', '--yes'],
      3,
      '--once requires keys of tests in the file and cannot be combined with id:ID',
    ],
    ['a pattern of keys', ['status', '--only', 'home'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['an environment of a file', ['status', '--env', 'staging'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['a file that does not exist', ['status', '-f', 'other.yaml'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['the key of a test', ['run', 'home', '--yes'], 3, 'LT_CONFIG_NOT_FOUND'],
    ['the apply command', ['apply', '--yes'], 3, 'LT_CONFIG_NOT_FOUND'],
  ])('without a configuration file, %s is rejected, and no run starts', async (_name, args, code, text) => {
    await serve();
    const { exit, stderr } = await loadtests(...args);
    expect(stderr).toContain(text);
    expect(exit).toBe(code);
    expect(service.executed.runTest).toBe(0);
  });

  test('without a configuration file, status exits with 4 if the key is rejected, and with 3 if no service is set', async () => {
    await serve();
    const env = environment();
    const rejected = await runInProcess(['status'], {
      directory: directory.path,
      env: { ...env, LOADTESTS_API_KEY: 'another-key' },
    });
    expect(rejected.exit).toBe(4);
    const withoutService = await runInProcess(['status'], { directory: directory.path });
    expect(withoutService.exit).toBe(3);
  });
});

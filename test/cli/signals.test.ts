import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { runInProcess, startInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory, createTestDirectory } from '../support/temporary-directory.ts';

const FILE = `version: 1
project: shop
service:
  base_url: http://127.0.0.1:$RIG_PORT
  auth_header: acme-auth
  settle: 1s
apps: { shop: www.example.com }
tests:
  home:
    test_type: cycling
    total: 5
    duration: 1m
    urls: [http://www.example.com/]
    thresholds: { error_rate: '< 1%' }
  search:
    test_type: cycling
    total: 5
    duration: 1m
    urls: [http://www.example.com/search]
    needs: [home]
`;

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Applying<Started> {
  readonly service: HostedService;
  readonly apply: Started;
  /** Starts another command in the same directory. */
  readonly again: (line: string) => Started;
  readonly options: StartOptions;
}

interface StartOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts an apply in its own process. Its first run continues until it is stopped. */
async function applying(...flags: string[]): Promise<Applying<ReturnType<typeof startCli>>> {
  return await startApply(startCli, flags);
}

/** Like `applying`, but in this process, for tests of the output after a signal. */
async function applyingInProcess(...flags: string[]): Promise<Applying<ReturnType<typeof startInProcess>>> {
  return await startApply(startInProcess, flags);
}

async function startApply<Started extends { readonly saw: (text: string) => Promise<void> }>(
  start: (args: readonly string[], options: StartOptions) => Started,
  flags: readonly string[],
): Promise<Applying<Started>> {
  const service = await startHostedService({ runFor: null });
  const directory = createTemporaryDirectory();
  closing.push(() => service.close(), directory.remove);
  writeFileSync(join(directory.path, 'loadtests.yaml'), FILE.replace('$RIG_PORT', new URL(service.url).port));
  const options = { directory: directory.path, env: { LOADTESTS_API_KEY: service.options.key } };
  const again = (line: string) => start(line.split(' '), options);
  const apply = again(['apply', '--yes', ...flags].join(' '));
  await apply.saw('create     test.home');
  return { service, apply, again, options };
}

describe('a signal to apply', () => {
  test('SIGINT stops the run that apply started and prevents further runs, and apply exits with 130', async () => {
    const { service, apply } = await applying();
    apply.kill('SIGINT');
    const { exit, stderr } = await apply.ended;
    expect(exit).toBe(130);
    expect(stderr).toContain('stopping test.home');
    expect(service.state.runs.map((run) => run.stopped)).toEqual([true]);
    expect(service.executed.createTest).toBe(1);
  });

  test('the hint of an interrupted apply contains a command that restarts the stopped run without repeating finished actions', async () => {
    const { service, apply, again } = await applyingInProcess();
    apply.interrupt();
    const { stderr } = await apply.ended;
    expect(stderr).toContain('interrupted; 1 action was not attempted');
    const [, command = ''] = /to continue: loadtests (.*)/.exec(stderr) ?? [];
    expect(command).toBe('apply --yes --run --only home --only search');
    const going = again(command);
    await going.saw('run        test.home');
    service.state.finishRuns();
    await going.saw('create     test.search');
    service.state.finishRuns();
    expect((await going.ended).exit).toBe(0);
    expect([service.executed.createTest, service.executed.runTest]).toEqual([2, 1]);
  });

  test('the command in the hint of an interrupted apply omits completed tests', async () => {
    const { service, apply, again } = await applyingInProcess('--only', 'home');
    service.state.finishRuns();
    expect((await apply.ended).exit).toBe(0);
    const search = again('apply --yes');
    await search.saw('create     test.search');
    search.interrupt();
    const { stderr } = await search.ended;
    expect(stderr).toContain('to continue: loadtests apply --yes --run --only search\n');
  });

  test('the hint of an interrupted "loadtests run" contains a command with the keys of the remaining tests', async () => {
    const { service, apply, again } = await applyingInProcess();
    service.state.finishRuns();
    await apply.saw('create     test.search');
    service.state.finishRuns();
    await apply.ended;
    const running = again('run home search --yes');
    await running.saw('run        test.home');
    service.state.finishRuns();
    await running.saw('run        test.search');
    running.interrupt();
    expect((await running.ended).stderr).toContain('to continue: loadtests run search --yes\n');
  });

  test('after SIGTERM, apply --on-interrupt detach leaves its run active and exits with 143', async () => {
    const { service, apply } = await applying('--on-interrupt', 'detach');
    apply.kill('SIGTERM');
    const { exit, stderr } = await apply.ended;
    expect(exit).toBe(143);
    expect(stderr).toMatch(/unfinished test\.home {10}is still running \([0-9a-f]{32}\)\n/);
    expect(stderr).not.toContain('ended');
    expect(stderr).toContain('to continue: loadtests apply --yes --only home --only search\n');
    expect(service.executed.stopTest).toBe(0);
    expect(service.state.runs.map((run) => run.endsAt)).toEqual([null]);
  });

  test('the hint of an interrupted command that starts existing tests omits a detached test, which it would start again', async () => {
    const { service, apply, again } = await applyingInProcess();
    service.state.finishRuns();
    await apply.saw('create     test.search');
    service.state.finishRuns();
    await apply.ended;
    for (const [command, hint] of [
      ['apply --run', 'apply --yes --run --only search'],
      ['run home search', 'run search --yes'],
    ]) {
      const running = again(`${command} --yes --on-interrupt detach`);
      await running.saw('run        test.home');
      running.interrupt();
      const { stderr } = await running.ended;
      expect(stderr).toContain(`to continue after the runs in progress end: loadtests ${hint}\n`);
      service.state.finishRuns();
    }
  });

  test('after SIGINT during its last run, apply --on-interrupt detach prints the command that shows the result of this run', async () => {
    const flags = ['-f', 'loadtests.yaml', '--on-interrupt', 'detach', '--only', 'home'];
    const { apply } = await applyingInProcess(...flags);
    apply.interrupt();
    const { exit, stderr } = await apply.ended;
    expect(exit).toBe(130);
    expect(stderr).toContain('to see the results after the runs end: loadtests results -f loadtests.yaml\n');
  });

  test('a second signal ends apply even if the stop request receives no response', async () => {
    const { service, apply } = await applying();
    service.injectFault({ on: 'stopTest', response: 'hang', times: 10 });
    apply.kill('SIGINT');
    await apply.saw('stopping test.home');
    apply.kill('SIGINT');
    expect((await apply.ended).exit).toBe(130);
  });
});

test('apply reports which stop command in the same directory ended its run, even if the service reports no reason', async () => {
  const { apply, options } = await applyingInProcess('--only', 'home');
  expect((await runInProcess(['stop', 'home', '--yes'], options)).exit).toBe(0);
  const { exit, stdout } = await apply.ended;
  expect(exit).toBe(11);
  expect(stdout).toMatch(
    new RegExp(
      String.raw`the run ended after [\d.]+ of 60 s: stopped by loadtests stop \(process ${process.pid}\)`,
    ),
  );
});

test('a signal while apply waits for web_server is reported as an interruption', async () => {
  const directory = createTestDirectory();
  const host = `127.0.0.1:${await findFreePort()}`;
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
web_server: { command: kill -INT $PPID; sleep 60, url: 'http://${host}/' }
apps: { shop: '${host}' }
tests: { home: { test_type: per-second, total: 5, duration: 1s, urls: ['http://${host}/'] } }
`,
  );
  const { exit, stderr } = await runCli(['apply', '--yes'], { directory });
  expect(stderr).toContain(`error LT_CLI_INTERRUPTED: interrupted before "http://${host}/" responded`);
  expect(exit).toBe(130);
});

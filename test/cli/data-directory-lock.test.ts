/** Notices of commands that wait for a locked data directory. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessControl } from '../../src/cli/terminal/process-control.ts';
import { startCli } from '../support/cli.ts';
import { runInProcess, startInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const FILE = `version: 1
project: shop
apps: { shop: 127.0.0.1:9 }
tests: { home: { test_type: per-second, total: 5, duration: 1s, urls: ['http://127.0.0.1:9/'] } }
`;

function project() {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), FILE);
  mkdirSync(join(directory, '.loadtests'));
  const launch = (...args: string[]) => {
    const started = startCli(args, { directory });
    onTestFinished(() => void started.kill('SIGKILL'));
    return started;
  };
  return { directory, launch };
}

/** A lock of this process in the format of a command. */
const OWN_LOCK = JSON.stringify({
  pid: process.pid,
  start: createProcessControl(process).startOf(process.pid),
});

describe('a locked data directory', () => {
  test('serve waits for a locked data directory, reports the wait in its output and its log, and exits with 9 after the time in --lock-timeout', async () => {
    const { directory, launch } = project();
    const first = startInProcess(['serve', '--port', '0', '--data', 'data'], { directory });
    onTestFinished(async () => {
      first.interrupt();
      await first.ended;
    });
    await first.saw('is listening on');
    const second = launch('serve', '--port', '0', '--data', 'data', '--lock-timeout', '400ms', '--json');
    const text = `"${join(directory, 'data')}" is in use by process ${process.pid}`;
    await second.saw(`${text}; waiting up to 400ms\n`);
    const { exit, stderr } = await second.ended;
    const [line = ''] = stderr.split('\n').filter((one) => one.startsWith('{'));
    expect(JSON.parse(line)).toMatchObject({ event: 'waiting-for-lock', pid: process.pid, timeout_ms: 400 });
    expect(stderr).toContain(
      `error LT_CLI_LOCKED: ${text.replace('is in use', 'is still in use')} (maximum wait: 400ms)`,
    );
    expect(exit).toBe(9);
  });

  test.each([
    ['a command that writes', 'writer.lock', ['recover']],
    ['a command that reads from the embedded service', 'service.lock', ['status']],
  ])(
    '%s waits for a locked data directory and continues when the lock is released',
    async (_, name, args) => {
      const { directory } = project();
      const lock = join(directory, '.loadtests', name);
      writeFileSync(lock, OWN_LOCK);
      const command = startInProcess(args, { directory });
      await command.saw(`is in use by process ${process.pid}; waiting up to 30s\n`);
      rmSync(lock);
      const { stderr } = await command.ended;
      expect(stderr.match(/waiting up to/g)).toHaveLength(1);
      expect(stderr).not.toContain('LT_CLI_LOCKED');
    },
  );

  test.each(['writer.lock', 'service.lock'])(
    'a signal ends the wait for %s in an apply of several files, which reports the interruption',
    async (name) => {
      const { directory, launch } = project();
      writeFileSync(join(directory, 'other.yaml'), FILE.replace('shop', 'other'));
      writeFileSync(join(directory, '.loadtests', name), OWN_LOCK);
      const command = launch('apply', '-f', 'loadtests.yaml', '-f', 'other.yaml', '--yes');
      await command.saw(`is in use by process ${process.pid}; waiting up to 30s\n`);
      command.kill('SIGTERM');
      const { exit, stderr } = await command.ended;
      expect(stderr).toContain('error LT_CLI_INTERRUPTED: interrupted while ');
      expect(stderr).not.toContain('LT_CLI_LOCKED');
      expect(exit).toBe(143);
    },
  );

  test('apply --lock-timeout 0s does not wait for a locked data directory, and exits with 9', async () => {
    const { directory } = project();
    writeFileSync(join(directory, '.loadtests/writer.lock'), OWN_LOCK);
    const { exit, stderr } = await runInProcess(['apply', '--yes', '--lock-timeout', '0s'], { directory });
    expect(stderr).not.toContain('waiting');
    expect(exit).toBe(9);
  });
});

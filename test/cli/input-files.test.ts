/** Sources of the configuration file: files, standard input and pipes. None of them may block a command. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runInShell, startCli, startShell } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';
import { sampleRows } from '../support/test-scale.ts';

const FILE = `version: 1
project: shop
apps: { shop: 127.0.0.1:9 }
tests:
  home: { test_type: per-second, total: 5, duration: 1s, urls: ['http://127.0.0.1:9/'] }
`;

function project(): string {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'right.yaml'), FILE);
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  mkdirSync(join(directory, 'inner'));
  return directory;
}

describe('the configuration file', () => {
  const SOURCES: readonly [string, string][] = [
    ['standard input', 'loadtests recover -f - < right.yaml'],
    ['standard input by its path', 'cat right.yaml | loadtests recover -f /dev/stdin'],
    ['the output of a command', 'loadtests recover -f <(sleep 0.1; cat right.yaml)'],
    ['a pipe with a writer', 'cat right.yaml > pipe & loadtests recover -f pipe'],
  ];

  // By default, only three of the sources; `npm run check:deep` reads all.
  test.each(sampleRows(SOURCES, 3))(
    'the configuration file is read from %s, and the data directory is in the working directory',
    async (_, line) => {
      const directory = project();
      const ran = await runInShell(line, { directory });
      expect([ran.exit, ran.stderr]).toEqual([0, '']);
      expect(existsSync(join(directory, '.loadtests'))).toBe(true);
    },
  );

  test.each([
    ['a pipe without a writer', ['plan', '-f', 'pipe'], '"pipe" is a pipe without a writer'],
    [
      'a pipe without a writer in place of a saved plan',
      ['apply', 'pipe'],
      '"pipe" cannot be read: broken pipe',
    ],
    ['a directory', ['plan', '-f', 'inner'], '"inner" is a directory'],
  ])('an input file is rejected if it is %s', async (_, args, message) => {
    const ran = await runInProcess(args, { directory: project() });
    expect(ran.stderr).toContain(message);
    expect(ran.exit).toBe(3);
  });

  test('a directory on standard input is rejected', async () => {
    const ran = await runInShell('loadtests plan -f - < inner', { directory: project() });
    expect(ran.stderr).toContain('the file is empty');
    expect(ran.exit).toBe(3);
  });

  test('a signal ends a command that waits for a pipe', async () => {
    const directory = project();
    const writer = startShell('exec 3> pipe; echo opened; exec sleep 20', { directory });
    onTestFinished(() => void writer.kill('SIGKILL'));
    const plan = startCli(['plan', '-f', 'pipe'], { directory });
    await writer.saw('opened');
    plan.kill('SIGTERM');
    expect((await plan.ended).exit).toBe(143);
  });

  test('a signal ends a command that waits for standard input', async () => {
    const stdin = '#'.repeat(900_000);
    const plan = startCli(['plan', '-f', '-'], { directory: project(), stdin, stdinStaysOpen: true });
    await plan.taken;
    plan.kill('SIGINT');
    expect((await plan.ended).exit).toBe(130);
  });

  test('a command stops reading endless standard input at 1 MiB', async () => {
    const line = 'yes "# more and more" | loadtests plan -f -';
    const ran = await runInShell(line, { directory: project() });
    expect(ran.stderr).toContain('larger than 1 MiB');
    expect(ran.exit).toBe(3);
  });
});

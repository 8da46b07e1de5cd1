/** Standard output and error as pipes and files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli, runInShell } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const temporary = createTemporaryDirectory();
const directory = temporary.path;

afterAll(() => {
  temporary.remove();
});

const schema = readFileSync(
  fileURLToPath(new URL('../../schemas/loadtests.schema.json', import.meta.url)),
  'utf8',
);

describe('output to a pipe or a file', () => {
  test('a slow reader of a pipe receives the complete output of a command', async () => {
    const ran = await runInShell('loadtests schema | dd bs=7 status=none', { directory });
    expect(ran.stdout).toBe(schema);
  });

  test('a file or pipe that receives both stdout and stderr contains the output in the order of the writes', async () => {
    await runInProcess(['init'], { directory });
    const plan = await runCli(['plan', '--json'], { directory });
    const mixed = await runInShell('loadtests plan --json 2>&1', { directory });
    expect(mixed.stdout).toBe(plan.stderr + plan.stdout);
    await runInShell('loadtests plan --json > both.txt 2>&1', { directory });
    expect(readFileSync(join(directory, 'both.txt'), 'utf8')).toBe(plan.stderr + plan.stdout);
  });
});

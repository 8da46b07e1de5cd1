/** Standard output and error as pipes and files, which the program writes in its own way. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli, runInShell, createTemporaryDirectory } from '../support/cli.ts';

const place = createTemporaryDirectory();
const directory = place.path;

afterAll(() => {
  place.remove();
});

const schema = readFileSync(
  fileURLToPath(new URL('../../schemas/loadtests.schema.json', import.meta.url)),
  'utf8',
);

describe('what goes to a pipe or a file', () => {
  test('comes whole to a reader who takes little at a time', async () => {
    const ran = await runInShell('loadtests schema | dd bs=7 status=none', { directory: directory });
    expect(ran.stdout).toBe(schema);
  });

  test('comes in the order in which it was written, when both go to one place', async () => {
    await runCli(['init'], { directory: directory });
    const plan = await runCli(['plan', '--json'], { directory: directory });
    const mixed = await runInShell('loadtests plan --json 2>&1', { directory: directory });
    expect(mixed.stdout).toBe(plan.stderr + plan.stdout);
    await runInShell('loadtests plan --json > both.txt 2>&1', { directory: directory });
    expect(readFileSync(join(directory, 'both.txt'), 'utf8')).toBe(plan.stderr + plan.stdout);
  });
});

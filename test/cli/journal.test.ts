/** The journal as crashes and hands may leave it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHostedProject } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';

const WHOLE = JSON.stringify({
  service: 'https://elsewhere.example.com',
  p: 'shop',
  e: null,
  address: 'test.home',
  nonce: 'abcdefgh',
  phase: 'done',
  at: 1,
  op: 'start',
  id: 't1',
  before: null,
});

async function project(journal: string) {
  const { directory: directory, env } = await createHostedProject();
  mkdirSync(join(directory, '.loadtests'));
  const path = join(directory, '.loadtests/journal.jsonl');
  writeFileSync(path, journal);
  return {
    loadtests: (...args: string[]) => runInProcess(args, { directory, env }),
    lines: () => readFileSync(path, 'utf8').split('\n'),
  };
}

describe('a journal with lines that cannot be read', () => {
  test.each(['plan', 'status', 'results', 'import', 'recover', 'apply --yes --no-run'])(
    'is told of once: %s',
    async (words) => {
      const { loadtests } = await project(`${WHOLE}\nrubbish\n${WHOLE}\n{"service":\n`);
      const ran = await loadtests(...words.split(' '));
      expect(ran.stderr.match(/LT_CLI_JOURNAL/g)).toHaveLength(1);
      expect(ran.stderr).toContain(
        '.loadtests/journal.jsonl:2:1: warning LT_CLI_JOURNAL: ' +
          '2 lines of the journal cannot be read and are ignored: 2, 4\n  2 | rubbish\n',
      );
      expect(ran.exit).toBe(0);
    },
  );

  test('tells machines too', async () => {
    const { loadtests } = await project('rubbish\n');
    const { stdout } = await loadtests('plan', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [{ code: 'LT_CLI_JOURNAL', severity: 'warning', file: '.loadtests/journal.jsonl', line: 1 }],
    });
  });
});

describe('a journal that ends within a line', () => {
  test.each([
    ['half a line', '{"service":"http', [WHOLE]],
    ['bytes that a lost power left', '\0\0\0\0', [WHOLE]],
    ['a whole line without its break', WHOLE, [WHOLE, WHOLE]],
  ])('goes on in a line of its own, and nothing is told: %s', async (_, end, kept) => {
    const { loadtests, lines } = await project(`${WHOLE}\n${end}`);
    const applied = await loadtests('apply', '--yes');
    expect(applied.stderr).not.toContain('LT_CLI_JOURNAL');
    const written = lines();
    expect(written.slice(0, kept.length)).toEqual(kept);
    const added = written.slice(kept.length, -1).map((line) => JSON.parse(line) as { phase: string });
    // The last one says that the service has results.
    expect(added.map(({ phase }) => phase)).toEqual(['intended', 'sent', 'done', 'done']);
    expect((await loadtests('plan')).stderr).not.toContain('LT_CLI_JOURNAL');
  });
});

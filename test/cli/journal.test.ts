/** Journals damaged by crashes or manual changes. */
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
  const { directory, env } = await createHostedProject();
  mkdirSync(join(directory, '.loadtests'));
  const path = join(directory, '.loadtests/journal.jsonl');
  writeFileSync(path, journal);
  return {
    loadtests: (...args: string[]) => runInProcess(args, { directory, env }),
    lines: () => readFileSync(path, 'utf8').split('\n'),
  };
}

describe('a journal with unreadable lines', () => {
  test.each(['plan', 'status', 'results', 'import', 'recover', 'apply --yes --no-run'])(
    'the command %s warns once about unreadable lines of the journal',
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

  test('the JSON document of plan contains the warning about unreadable lines of the journal', async () => {
    const { loadtests } = await project('rubbish\n');
    const { stdout } = await loadtests('plan', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [{ code: 'LT_CLI_JOURNAL', severity: 'warning', file: '.loadtests/journal.jsonl', line: 1 }],
    });
  });
});

describe('a journal without a final line break', () => {
  test.each([
    ['an incomplete line', '{"service":"http', [WHOLE]],
    ['null bytes after a power failure', '\0\0\0\0', [WHOLE]],
    ['a complete line without a line break', WHOLE, [WHOLE, WHOLE]],
  ])('the journal continues on a new line, without a warning, after %s', async (_, end, expected) => {
    const { loadtests, lines } = await project(`${WHOLE}\n${end}`);
    const applied = await loadtests('apply', '--yes');
    expect(applied.stderr).not.toContain('LT_CLI_JOURNAL');
    const written = lines();
    expect(written.slice(0, expected.length)).toEqual(expected);
    const added = written
      .slice(expected.length, -1)
      .map((line) => JSON.parse(line) as { op: string; phase: string });
    // The last line records that the service has results.
    const operations = added.filter(({ op }) => op !== 'app');
    expect(operations.map(({ phase }) => phase)).toEqual(['intended', 'sent', 'done', 'done']);
    expect((await loadtests('plan')).stderr).not.toContain('LT_CLI_JOURNAL');
  });
});

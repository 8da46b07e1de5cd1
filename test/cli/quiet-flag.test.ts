/** `-q`: errors and what was asked for. And hints as the program was called. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestDirectory } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';

const APP = 'version: 1\nproject: shop\napps: { shop: www.example.com }\n';
const HEADERS = 'headers: { x-key: "${secret:SHOP_KEY}" }';
const TESTS = `tests:\n  home: { test_type: cycling, duration: 10s, urls: [{ url: http://www.example.com/, ${HEADERS} }] }\n`;

function project(text: string): string {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), text);
  return directory;
}

describe('with -q', () => {
  test('warnings and texts are not told, also where changes are found', async () => {
    const directory = project(APP + TESTS);
    expect((await runInProcess(['validate'], { directory })).stderr).toContain('LT_CONFIG_SECRET_MISSING');
    expect(await runInProcess(['validate', '-q'], { directory })).toEqual({
      exit: 0,
      stdout: '',
      stderr: '',
    });
    const planned = await runInProcess(['plan', '-q', '--detailed-exitcode'], { directory });
    expect(planned).toEqual({ exit: 2, stdout: '', stderr: '' });
  });

  test('documents hold all that they held', async () => {
    const directory = project(APP + TESTS);
    const { stdout, stderr } = await runInProcess(['validate', '-q', '--json'], { directory });
    expect(stdout).toContain('LT_CONFIG_SECRET_MISSING');
    expect(stderr).toBe('');
  });

  test('errors are told', async () => {
    const { exit, stderr } = await runInProcess(['validate', '-q'], { directory: project('version: 1\n') });
    expect(exit).toBe(3);
    expect(stderr).toContain('LT_CONFIG_SHAPE');
  });
});

test('commands in hints and texts are those of npx where npx called the program', async () => {
  const directory = createTestDirectory();
  const env = { npm_command: 'exec' };
  const lost = await runInProcess(['plan'], { directory, env });
  expect(lost.stderr).toContain('create one with "npx loadtests init"');
  expect((await runInProcess(['plan', '--json'], { directory, env })).stdout).toContain('npx loadtests init');
  expect((await runInProcess(['init'], { directory, env })).stdout).toContain('Next: npx loadtests plan');
  const refused = await runInProcess(['apply'], { directory: project(APP), env });
  expect(refused.stderr).toContain('to consent: npx loadtests apply --yes');
  expect(refused.stdout).toMatch(/^loadtests apply · project shop/);
  expect((await runInProcess(['plan'], { directory: createTestDirectory() })).stderr).toContain(
    '"loadtests init"',
  );
});

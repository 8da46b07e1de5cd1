/** The flag `-q`, and the program name in hints. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const APP = 'version: 1\nproject: shop\napps: { shop: www.example.com }\n';
const HEADERS = 'headers: { x-key: "${secret:SHOP_KEY}" }';
const TESTS = `tests:\n  home: { test_type: cycling, duration: 10s, urls: [{ url: http://www.example.com/, ${HEADERS} }] }\n`;

function project(text: string): string {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), text);
  return directory;
}

describe('the flag -q', () => {
  test('-q suppresses warnings and text, even if a plan has changes', async () => {
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

  test('with -q, the JSON document still contains warnings, and nothing is printed to stderr', async () => {
    const directory = project(APP + TESTS);
    const { stdout, stderr } = await runInProcess(['validate', '-q', '--json'], { directory });
    expect(stdout).toContain('LT_CONFIG_SECRET_MISSING');
    expect(stderr).toBe('');
  });

  test('with -q, errors are still printed', async () => {
    const { exit, stderr } = await runInProcess(['validate', '-q'], { directory: project('version: 1\n') });
    expect(exit).toBe(3);
    expect(stderr).toContain('LT_CONFIG_SHAPE');
  });
});

test('commands in hints and in text begin with npx --no-install if npx started the program', async () => {
  const directory = createTestDirectory();
  const env = { npm_command: 'exec' };
  const withoutFile = await runInProcess(['plan'], { directory, env });
  expect(withoutFile.stderr).toContain('create one with "npx --no-install loadtests init"');
  expect((await runInProcess(['plan', '--json'], { directory, env })).stdout).toContain(
    'npx --no-install loadtests init',
  );
  expect((await runInProcess(['init'], { directory, env })).stdout).toContain(
    'Next: npx --no-install loadtests plan',
  );
  const unapproved = await runInProcess(['apply'], { directory: project(APP), env });
  expect(unapproved.stderr).toContain('to approve: npx --no-install loadtests apply --yes');
  expect(unapproved.stdout).toMatch(/^loadtests apply · project shop/);
  expect((await runInProcess(['plan'], { directory: createTestDirectory() })).stderr).toContain(
    '"loadtests init"',
  );
});

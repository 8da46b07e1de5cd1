/** `-q`: errors and what was asked for. And hints as the program was called. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownFolder } from '../rig/cli.ts';
import { runInThisProcess } from '../rig/same-process.ts';

const APP = 'version: 1\nproject: shop\napps: { shop: www.example.com }\n';
const HEADERS = 'headers: { x-key: "${secret:SHOP_KEY}" }';
const TESTS = `tests:\n  home: { test_type: cycling, duration: 10s, urls: [{ url: http://www.example.com/, ${HEADERS} }] }\n`;

function project(text: string): string {
  const folder = ownFolder();
  writeFileSync(join(folder, 'loadtests.yaml'), text);
  return folder;
}

describe('with -q', () => {
  test('warnings and texts are not told, also where changes are found', async () => {
    const folder = project(APP + TESTS);
    expect((await runInThisProcess(['validate'], { folder })).stderr).toContain('LT_CONFIG_SECRET_MISSING');
    expect(await runInThisProcess(['validate', '-q'], { folder })).toEqual({
      exit: 0,
      stdout: '',
      stderr: '',
    });
    const planned = await runInThisProcess(['plan', '-q', '--detailed-exitcode'], { folder });
    expect(planned).toEqual({ exit: 2, stdout: '', stderr: '' });
  });

  test('documents hold all that they held', async () => {
    const folder = project(APP + TESTS);
    const { stdout, stderr } = await runInThisProcess(['validate', '-q', '--json'], { folder });
    expect(stdout).toContain('LT_CONFIG_SECRET_MISSING');
    expect(stderr).toBe('');
  });

  test('errors are told', async () => {
    const { exit, stderr } = await runInThisProcess(['validate', '-q'], { folder: project('version: 1\n') });
    expect(exit).toBe(3);
    expect(stderr).toContain('LT_CONFIG_SHAPE');
  });
});

test('commands in hints and texts are those of npx where npx called the program', async () => {
  const folder = ownFolder();
  const env = { npm_command: 'exec' };
  const lost = await runInThisProcess(['plan'], { folder, env });
  expect(lost.stderr).toContain('create one with "npx loadtests init"');
  expect((await runInThisProcess(['plan', '--json'], { folder, env })).stdout).toContain(
    'npx loadtests init',
  );
  expect((await runInThisProcess(['init'], { folder, env })).stdout).toContain('Next: npx loadtests plan');
  const refused = await runInThisProcess(['apply'], { folder: project(APP), env });
  expect(refused.stderr).toContain('to consent: npx loadtests apply --yes');
  expect(refused.stdout).toMatch(/^loadtests apply · project shop/);
  expect((await runInThisProcess(['plan'], { folder: ownFolder() })).stderr).toContain('"loadtests init"');
});

/** The library functions, used with a hosted service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { load, plan } from '../../src/index.ts';
import type { Emit } from '../../src/apply/events.ts';
import { apply } from '../../src/library/apply.ts';
import { HOSTED_DEFAULTS } from '../support/hosted-options.ts';
import { startHostedService } from '../support/hosted-service.ts';

const fileFor = (url: string) => `
version: 1
project: shop
service: { base_url: '${url}', auth_header: ${HOSTED_DEFAULTS.keyHeader} }
apps: { shop: shop.example.com }
tests:
  home: { test_type: cycling, duration: 1s, urls: ['http://shop.example.com/'] }
`;

// The build defines this constant.
vi.stubGlobal('PACKAGE_VERSION', '1.2.3');

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function createProject() {
  const service = await startHostedService({ verifiedHosts: ['shop.example.com'] });
  open.push(() => service.close());
  return await loadProject(fileFor(service.url));
}

async function loadProject(file: string) {
  const directory = mkdtempSync(join(tmpdir(), 'library-'));
  open.push(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'loadtests.yaml'), file);
  const env = { LOADTESTS_API_KEY: HOSTED_DEFAULTS.key };
  const loaded = await load({ directory, env });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join());
  return { directory, env, config: loaded.value };
}

describe('library functions', () => {
  test('plan and apply report unreadable lines of the journal', async () => {
    const { directory, env, config } = await createProject();
    mkdirSync(join(directory, '.loadtests'));
    writeFileSync(join(directory, '.loadtests', 'journal.jsonl'), 'not a journal line\n');
    const planned = await plan(config, { env });
    expect(planned.problems.map(({ code }) => code)).toContain('LT_CLI_JOURNAL');
    const refused = await apply(config, { env, approve: () => false });
    expect(refused.problems.map(({ code }) => code)).toContain('LT_CLI_JOURNAL');
  });

  test('a call of apply with the embedded service emits no empty notes', async () => {
    const { env, config } = await loadProject(fileFor('').replace(/^service: .*$/m, ''));
    const notes: string[] = [];
    const onEvent: Emit = (event) => {
      if (event.kind === 'note') notes.push(event.text);
    };
    await apply(config, { env, approve: () => false, onEvent });
    expect(notes).not.toContain('');
  });

  test('repeated calls of apply leave no "exit" listeners on the process', async () => {
    const { env, config } = await createProject();
    const before = process.listenerCount('exit');
    for (let call = 0; call < 3; call++) await apply(config, { env, approve: () => false });
    expect(process.listenerCount('exit')).toBe(before);
  });
});

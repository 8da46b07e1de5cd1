/** Tests that a list omits but the journal contains, with real services and commands. */
import { expect, test } from 'vitest';
import type { CliResult } from '../support/cli.ts';
import type { HostedOptions } from '../support/hosted-options.ts';
import type { HostedService } from '../support/hosted-service.ts';
import { createHostedProject } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';

/** The settle time is short, because each command waits for it before it uses tests that the list omits. */
const FILE = `version: 1
project: shop
service: { settle: 100ms }
apps: { shop: www.example.com }
tests:
  home:
    test_type: cycling
    duration: 60s
    urls: [http://www.example.com/]
`;

interface Account {
  readonly service: HostedService;
  readonly loadtests: (...args: string[]) => Promise<CliResult>;
}

async function openAccount(options: Partial<HostedOptions>): Promise<Account> {
  const verified = { keyHeader: 'service-auth', verifiedHosts: ['www.example.com'], ...options };
  const { service, directory, env } = await createHostedProject(verified, FILE);
  const named = { ...env, LOADTESTS_BASE_URL: service.url };
  return { service, loadtests: async (...args) => await runInProcess(args, { directory, env: named }) };
}

test('apply, stop and stop --all find tests that a delayed list omits', async () => {
  const { service, loadtests } = await openAccount({ listLag: 600_000, runFor: null });
  expect((await loadtests('apply', '--yes', '--no-wait')).exit).toBe(0);
  const again = await loadtests('apply', '--yes', '--no-wait');
  expect([again.exit, service.executed.createTest]).toEqual([0, 1]);
  const id = service.state.tests[0]?.id ?? '';
  expect((await loadtests('stop', 'home', '--yes')).stdout).toContain(`stopped  shop/home (${id})`);
  await loadtests('run', 'home', '--yes', '--no-wait');
  expect((await loadtests('stop', '--all', '--yes')).stdout).toContain(`stopped  shop/home (${id})`);
  await loadtests('run', `id:${id}`, '--yes', '--no-wait');
  expect((await loadtests('stop', `id:${id}`, '--yes')).stdout).toContain(`stopped  shop/home (${id})`);
  expect(service.executed.createTest).toBe(1);
});

test('apply exits with 8 if the list of tests is possibly truncated, but creates the test with --allow-unmarked', async () => {
  const { service, loadtests } = await openAccount({ truncatesLists: 25 });
  for (let at = 0; at < 31; at++) service.state.addTest({ test_type: 'cycling', duration: 300, urls: [] });
  const rejected = await loadtests('apply', '--yes', '--json');
  expect([rejected.exit, service.executed.createTest]).toEqual([8, 0]);
  expect(rejected.stdout).toContain('--allow-unmarked');
  expect((await loadtests('plan')).exit).toBe(0);
  const allowed = await loadtests('apply', '--yes', '--allow-unmarked', '--no-wait');
  expect([allowed.exit, service.executed.createTest]).toEqual([0, 1]);
});

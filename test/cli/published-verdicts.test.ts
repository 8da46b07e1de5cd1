/** Verdicts that `results` publishes to the service, whose web UI shows them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { openShop } from '../support/shop.ts';
import { API_KEY, waitUntil } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

async function openProject() {
  const { service, target } = await openShop();
  const directory = createTestDirectory();
  const declare = (limit: string): void =>
    writeFileSync(
      join(directory, 'loadtests.yaml'),
      `version: 1
project: shop
apps: { shop: '${target.host}' }
tests:
  home: { test_type: cycling, duration: 5s, urls: ['${target.url}/'], thresholds: { error_rate: '${limit}' } }
`,
    );
  const env = { LOADTESTS_BASE_URL: service.service.url, LOADTESTS_API_KEY: API_KEY };
  const loadtests = async (...args: string[]) => await runInProcess(args, { directory, env });
  declare('< 1%');
  const applied = await loadtests('apply', '--yes', '--no-wait');
  expect(applied.exit, applied.stderr).toBe(0);
  service.runner.latest().end();
  const [{ test_id: id } = { test_id: '' }] = (await service.call('GET', '/v2/tests')).list;
  const ended = async () =>
    (await service.call('GET', `/v2/tests/${id}/results`)).list.find(({ status }) => status === 'ready');
  expect(await waitUntil(async () => (await ended()) ?? null)).not.toHaveProperty('verdict');
  return { declare, loadtests, ended };
}

const PUBLISHED = { verdict: { verdict: 'fail', thresholds: [{ limit: '< 1%', verdict: 'fail' }] } };

test('the results command publishes the verdict of a run that no command awaited, and does not replace it after a change of the thresholds', async () => {
  const { declare, loadtests, ended } = await openProject();
  expect((await loadtests('results')).stdout).toContain('FAIL');
  expect(await ended()).toMatchObject(PUBLISHED);
  declare('< 90%');
  expect((await loadtests('results', 'home')).stdout).toContain('pass');
  expect(await ended()).toMatchObject(PUBLISHED);
});

test('the results command publishes the verdict of the newest completed run, even if a newer run is active', async () => {
  const { loadtests, ended } = await openProject();
  expect((await loadtests('run', 'home', '--yes', '--no-wait')).exit).toBe(0);
  await loadtests('results');
  expect(await ended()).toMatchObject(PUBLISHED);
});

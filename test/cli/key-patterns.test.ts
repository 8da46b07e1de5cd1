/** Commands that select tests of the file by patterns. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDirectory } from '../support/cli.ts';
import type { HostedOptions } from '../support/hosted-options.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';

const FIELDS = 'test_type: cycling, duration: 60s, parallel: true';

const FILE = `version: 1
project: shop
apps: { shop: www.example.com }
tests:
  home-page: { ${FIELDS}, urls: [http://www.example.com/] }
  home-feed:
    ${FIELDS.replaceAll(', ', '\n    ')}
    urls: [{ url: http://www.example.com/feed, headers: { authorization: '\${secret:FEED_TOKEN}' } }]
  search: { ${FIELDS}, urls: [http://www.example.com/search] }
`;

/** An account in which a run of each test of the file was started. */
async function openAccount(options: Partial<HostedOptions>) {
  const service = await startHostedService({
    keyHeader: 'service-auth',
    verifiedHosts: ['www.example.com'],
    ...options,
  });
  onTestFinished(() => service.close());
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), FILE);
  const started = {
    LOADTESTS_BASE_URL: service.url,
    LOADTESTS_API_KEY: service.options.key,
    FEED_TOKEN: 's3cr3t-token',
  };
  const loadtests = async (args: readonly string[], env: object = {}) =>
    await runInProcess(args, { directory, env: { ...started, ...env } });
  const applied = await loadtests(['apply', '--yes', '--no-wait']);
  expect(applied.exit, applied.stderr).toBe(0);
  return { service, loadtests };
}

test('a pattern as the argument of stop stops the runs of all tests that it matches, and no others', async () => {
  const { service, loadtests } = await openAccount({ runFor: null });
  const stopped = await loadtests(['stop', 'home*', '--yes', '--json']);
  expect([stopped.exit, service.executed.stopTest]).toEqual([0, 2]);
  const ids = service.state.tests.map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ stopped: ids.slice(0, 2), not_stopped: [] });
});

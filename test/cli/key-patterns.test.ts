/** Commands that select tests of the file by patterns. */
import { expect, test } from 'vitest';
import type { HostedOptions } from '../support/hosted-options.ts';
import { createHostedProject } from '../support/hosted-project.ts';
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
async function openAccount(options: Partial<HostedOptions>, file = FILE) {
  const verified = { keyHeader: 'service-auth', verifiedHosts: ['www.example.com'], ...options };
  const { service, directory, env } = await createHostedProject(verified, file);
  const started = { ...env, LOADTESTS_BASE_URL: service.url, FEED_TOKEN: 's3cr3t-token' };
  const loadtests = async (args: readonly string[], changes: object = {}) =>
    await runInProcess(args, { directory, env: { ...started, ...changes } });
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

test('stop prints the project and key of each test, and whether it stopped a run or canceled a schedule, and plan counts running tests and canceled schedules', async () => {
  const scheduled = FILE.replace('search: {', "search: { scheduled_at: '2099-12-24 03:00:00',");
  const { service, loadtests } = await openAccount({ runFor: null }, scheduled);
  const [search = '', page = '', feed = ''] = service.state.tests.map(({ id }) => id);
  expect((await loadtests(['plan'])).stdout).toContain('  3 unchanged (2 running), 0 superseded');
  const { stdout } = await loadtests(['stop', '--all', '--yes']);
  expect(stdout).toBe(
    [
      `  ■ canceled  shop/search (${search})`,
      `  ■ stopped  shop/home-page (${page})`,
      `  ■ stopped  shop/home-feed (${feed})`,
      '',
    ].join('\n'),
  );
  expect((await loadtests(['plan'])).stdout).toContain(
    '  3 unchanged (the schedule of 1 was canceled), 0 superseded',
  );
});

test('results with a pattern lists all tests that it matches, and warns about their missing secrets', async () => {
  const { loadtests } = await openAccount({ runFor: 0 });
  const env = { FEED_TOKEN: '' };
  const listed = await loadtests(['results', 'home*', '--json'], env);
  const { tests } = JSON.parse(listed.stdout) as { tests: readonly { address: string }[] };
  expect(tests.map(({ address }) => address)).toEqual(['test.home-page', 'test.home-feed']);
  expect(listed.stderr).toContain('FEED_TOKEN');
  expect((await loadtests(['results', 'sea*', '--json'], env)).stderr).not.toContain('FEED_TOKEN');
});

test('results --compare rejects a pattern, and names the tests that it matches', async () => {
  const { loadtests } = await openAccount({ runFor: 0 });
  const compared = await loadtests(['results', 'home*', '--compare', 'previous']);
  expect([compared.exit, compared.stderr]).toEqual([
    3,
    'error LT_CLI_USAGE: --compare requires the key of one test, but "home*" is a pattern\n' +
      '  hint: specify one of these keys: home-page, home-feed\n',
  ]);
});

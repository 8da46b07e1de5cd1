/** What a command loads when it is called: start-up is a feature. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ownFolder, run } from '../rig/cli.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** The code of each file of the product that Node.js has loaded. */
async function loadedBy(args: readonly string[]): Promise<string> {
  const folder = ownFolder();
  const coverage = join(folder, 'coverage');
  mkdirSync(coverage);
  writeFileSync(
    join(folder, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: '127.0.0.1:9' }
tests: { home: { test_type: cycling, total: 1, duration: 1s, urls: ['http://127.0.0.1:9/'] } }
`,
  );
  await run(args, { folder, env: { NODE_V8_COVERAGE: coverage } });
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage; // of Node.js
    return result.map(({ url }) => url).filter((url) => url.includes('/dist/'));
  });
  return urls.map((url) => readFileSync(fileURLToPath(url), 'utf8')).join('\n');
}

/** Stands in what makes the page of a report, and nowhere else. */
const OF_PAGE = 'Content-Security-Policy" content=';

test.each([['validate'], ['plan']])('%s loads nothing of the page of a report', async (command) => {
  expect(await loadedBy([command])).not.toContain(OF_PAGE);
});

/** Stands in what speaks with Redis, and nowhere else. */
const OF_REDIS = 'maxRetriesPerRequest';

test.each([[['plan']], [['serve', '--host', '192.0.2.1', '--port', '0']]])(
  '%j loads nothing of what speaks with workers',
  async (args) => {
    expect(await loadedBy(args)).not.toContain(OF_REDIS);
  },
);

test('a worker loads it', async () => {
  expect(await loadedBy(['worker', '--redis', 'redis://127.0.0.1:1'])).toContain(OF_REDIS);
});

test('a report in HTML loads it', async () => {
  expect(await loadedBy(['results', '--html', 'report.html'])).toContain(OF_PAGE);
});

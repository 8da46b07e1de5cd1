/** What a command loads when it is called: start-up is a feature. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTestDirectory, runCli } from '../support/cli.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** The code of each file of the product that Node.js has loaded. */
async function loadedBy(args: readonly string[]): Promise<string> {
  const directory = createTestDirectory();
  const coverage = join(directory, 'coverage');
  mkdirSync(coverage);
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: '127.0.0.1:9' }
tests: { home: { test_type: cycling, total: 1, duration: 1s, urls: ['http://127.0.0.1:9/'] } }
`,
  );
  // A service that ends by itself, with all loaded.
  mkdirSync(join(directory, 'damaged'));
  writeFileSync(join(directory, 'damaged', 'service.db'), 'no database');
  await runCli(args, { directory, env: { NODE_V8_COVERAGE: coverage } });
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage; // of Node.js
    return result.map(({ url }) => url).filter((url) => url.includes('/dist/'));
  });
  return urls.map((url) => readFileSync(fileURLToPath(url), 'utf8')).join('\n');
}

/** What is loaded where it is needed alone, each with a text that stands there and nowhere else. */
const RARE = {
  'the page of a report': 'Content-Security-Policy" content=',
  'what speaks with Redis': 'maxRetriesPerRequest',
  'a compiler of schemas': 'strictTuples',
};

async function rareLoadedBy(args: readonly string[]): Promise<readonly string[]> {
  const code = await loadedBy(args);
  return Object.entries(RARE).flatMap(([name, text]) => (code.includes(text) ? [name] : []));
}

test.each([
  { args: ['validate'], loads: [] },
  { args: ['plan'], loads: [] },
  { args: ['serve', '--port', '0', '--data', 'damaged'], loads: [] },
  { args: ['worker', '--redis', 'redis://127.0.0.1:1'], loads: ['what speaks with Redis'] },
  { args: ['results', '--html', 'report.html'], loads: ['the page of a report'] },
])('$args.0 loads of what is rare $loads', async ({ args, loads }) => {
  expect(await rareLoadedBy(args)).toEqual(loads);
});

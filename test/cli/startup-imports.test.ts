/** Start of the program: the modules that commands load, and old versions of Node.js. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Returns the code of all product files that Node.js has loaded. */
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
  // `serve` exits with this database after it has loaded all its modules.
  mkdirSync(join(directory, 'damaged'));
  writeFileSync(join(directory, 'damaged', 'service.db'), 'no database');
  await runCli(args, { directory, env: { NODE_V8_COVERAGE: coverage } });
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage; // of Node.js
    return result.map(({ url }) => url).filter((url) => url.includes('/dist/'));
  });
  return urls.map((url) => readFileSync(fileURLToPath(url), 'utf8')).join('\n');
}

/** Modules that are loaded only if needed, each with a string that occurs only there. */
const OPTIONAL_MODULES = {
  'the HTML report': 'Content-Security-Policy" content=',
  'the Redis client': 'maxRetriesPerRequest',
  'the schema compiler': 'strictTuples',
  'a format of import --from': 'an Artillery script requires',
};

async function optionalModulesLoadedBy(args: readonly string[]): Promise<readonly string[]> {
  const code = await loadedBy(args);
  return Object.entries(OPTIONAL_MODULES).flatMap(([name, text]) => (code.includes(text) ? [name] : []));
}

test.each([
  { args: ['validate'], loads: [] },
  { args: ['plan'], loads: [] },
  { args: ['serve', '--port', '0', '--data', 'damaged'], loads: [] },
  { args: ['worker', '--redis', 'redis://127.0.0.1:1'], loads: ['the Redis client'] },
  { args: ['results', '--html', 'report.html'], loads: ['the HTML report'] },
])('the optional modules that the command $args.0 loads are exactly $loads', async ({ args, loads }) => {
  expect(await optionalModulesLoadedBy(args)).toEqual(loads);
});

test('with an unsupported version of Node.js, the program prints one line instead of a stack trace', async () => {
  const env = { NODE_OPTIONS: '--import=data:text/javascript,delete%20process.getBuiltinModule' };
  const ran = await runCli(['--version'], { directory: createTestDirectory(), env });
  expect(ran).toEqual({
    exit: 1,
    stdout: '',
    stderr: `loadtests needs Node.js 20.19 or later, but this is Node.js ${process.versions.node}.\n`,
  });
});

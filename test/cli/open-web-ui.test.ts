/** Links to the page of a running service. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDirectory } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { API_KEY, openTestService } from '../support/test-service.ts';
import { HAS_TERMINAL, runOnTerminal } from '../support/terminal-run.ts';

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/#([0-9a-f]{32})\n$/;

async function serving() {
  const { service } = await openTestService({ mode: 'serve' });
  return service.url;
}

/** Whether the page gets in with the code. */
async function trade(origin: string, code: string): Promise<number> {
  const { status } = await fetch(`${origin}/v2/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code }),
  });
  return status;
}

/** In a directory of its own, unless one is given. */
async function open(
  words: readonly string[],
  env: Record<string, string> = {},
  directory = createTestDirectory(),
) {
  return await runInProcess(['open', ...words], { directory, env });
}

/** A service of another make. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
}

describe('open', () => {
  test('prints a link that gets in once, and the link alone on stdout', async () => {
    const url = await serving();
    const { exit, stdout, stderr } = await open(['--service', `${url}/`], { LOADTESTS_API_KEY: API_KEY });
    expect(exit).toBe(0);
    const [, origin = '', code = ''] = LINK.exec(stdout) ?? [];
    expect(origin).toBe(url);
    expect(stderr).toMatch(/^The link can be used once, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.\n$/);
    expect([await trade(url, code), await trade(url, code)]).toEqual([200, 401]);
  });

  test('prints it in its document with --json, and nowhere else', async () => {
    const url = await serving();
    const env = { LOADTESTS_BASE_URL: url, LOADTESTS_API_KEY: API_KEY };
    const { stdout, stderr } = await open(['--json'], env);
    const { page } = JSON.parse(stdout) as { page: string };
    expect(page).toMatch(/#[0-9a-f]{32}$/);
    expect(stderr).not.toContain('#');
  });

  test('takes the service of the file', async () => {
    const url = await serving();
    const directory = createTestDirectory();
    const head = `version: 1\nproject: shop\nservice: { base_url: '${url}', api_key_env: LOADTESTS_SHOP }\n`;
    writeFileSync(join(directory, 'loadtests.yaml'), `${head}apps: {}\ntests: {}\n`);
    const { stdout } = await open([], { LOADTESTS_SHOP: API_KEY }, directory);
    expect(stdout).toMatch(LINK);
  });

  test('takes the key that serve has stored where the environment has none', async () => {
    const url = await serving();
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'data'), { mode: 0o700 });
    writeFileSync(join(directory, 'data', 'api-key'), `${API_KEY}\n`, { mode: 0o600 });
    expect((await open(['--service', url, '--data', 'data'], {}, directory)).stdout).toMatch(LINK);
    const without = await open(['--service', url], {}, directory);
    expect([without.exit, without.stderr]).toEqual([
      4,
      'error LT_API_KEY: the API key is missing; set the environment variable LOADTESTS_API_KEY, or call this where the data of "loadtests serve" is (--data DIR)\n',
    ]);
  });

  test.each([
    [
      'is embedded',
      { file: '' },
      3,
      'LT_CLI_NO_WEB_UI: the file names no service, so it is the embedded one',
    ],
    ['does not run', { port: 9 }, 9, 'start "loadtests serve", or name the one that runs'],
    [
      'has no page',
      { status: 404, body: '{"errors":["Not Found"]}' },
      3,
      'LT_CLI_NO_WEB_UI: the service at ',
    ],
    ['refuses the key', { status: 401, body: '{}' }, 4, 'LT_API_KEY: '],
    ['responds with what is no code', { status: 200, body: '{"code":"<b>"}' }, 1, 'LT_API_UNUSABLE: '],
    ['fails', { status: 500, body: '{}' }, 9, 'LT_API_UNREACHABLE: '],
  ] as const)('says what to do where the service %s', async (_, how, code, text) => {
    const directory = createTestDirectory();
    if ('file' in how) {
      writeFileSync(join(directory, 'loadtests.yaml'), 'version: 1\nproject: shop\napps: {}\ntests: {}\n');
    }
    const url =
      'status' in how
        ? await answering(how.status, how.body)
        : `http://127.0.0.1:${'port' in how ? how.port : 0}`;
    const words = 'file' in how ? [] : ['--service', url];
    const { exit, stdout, stderr } = await open(words, { LOADTESTS_API_KEY: API_KEY }, directory);
    expect([exit, stdout]).toEqual([code, '']);
    expect(stderr.replaceAll('\n  ', ' ')).toContain(text);
  });

  test('gives the key of one service to no other', async () => {
    const env = { LOADTESTS_BASE_URL: 'https://tests.example.com', LOADTESTS_API_KEY: API_KEY };
    const { exit, stderr } = await open(['--service', 'http://127.0.0.1:9'], env);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('LT_CLI_ORIGIN: ')]);
  });

  test.each(['127.0.0.1:4900', 'ftp://a', 'http://a:b@c', 'http://a/?key=1', 'http://a/#1'])(
    'refuses %s as an address',
    async (address) => {
      const { exit, stderr } = await open(['--service', address]);
      expect([exit, stderr]).toEqual([3, expect.stringContaining('is not a valid service address')]);
    },
  );

  test('says what is wrong with a file that does not load', async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), 'version: 2\n');
    const { exit, stderr } = await open([], { LOADTESTS_API_KEY: API_KEY }, directory);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('loadtests.yaml:1:')]);
  });
});

describe.skipIf(!HAS_TERMINAL || process.platform !== 'linux')('open on a terminal', () => {
  /** Keeps what it was called with, and what it was to open. */
  const BROWSER = `#!/bin/sh\necho "$@" > "$0.words"\ncat "$1" > "$0.page"\nstat -c %a "$1" > "$0.mode"\n`;

  function desk() {
    const directory = createTestDirectory();
    const browser = join(directory, 'bin', 'xdg-open');
    mkdirSync(dirname(browser));
    writeFileSync(browser, BROWSER);
    chmodSync(browser, 0o755);
    const path = `${dirname(browser)}:${process.env['PATH'] ?? ''}`;
    const read = (what: string) => readFileSync(`${browser}.${what}`, 'utf8').trim();
    return { directory, browser, read, env: { LOADTESTS_API_KEY: API_KEY, PATH: path, DISPLAY: ':0' } };
  }

  test('opens it in the browser by a file of this user, so that no command line holds it', async () => {
    const url = await serving();
    const { directory: directory, read, env } = desk();
    const { exit, written } = await runOnTerminal(['open', '--service', url], {
      directory,
      columns: 60,
      env,
    });
    expect(exit, written).toBe(0);
    const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{32}/.exec(written) ?? [];
    expect(link).not.toBe('');
    expect(read('page')).toContain(`content="0; url=${link}"`);
    expect([read('mode'), read('words').includes('#'), existsSync(read('words'))]).toEqual([
      '600',
      false,
      false,
    ]);
  });

  test('opens none with --print, nor in CI, and says so where none can be opened', async () => {
    const url = await serving();
    const { directory: directory, browser, env } = desk();
    const on = async (words: readonly string[], more: Record<string, string>) =>
      await runOnTerminal(['open', '--service', url, ...words], {
        directory,
        columns: 60,
        env: { ...env, ...more },
      });
    await on(['--print'], {});
    await on([], { CI: 'true' });
    expect(existsSync(`${browser}.words`)).toBe(false);
    writeFileSync(browser, '#!/bin/sh\nexit 3\n');
    const { exit, written } = await on([], {});
    expect([exit, written]).toEqual([0, expect.stringContaining('xdg-open exited with 3')]);
  });
});

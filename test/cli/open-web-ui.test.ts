/** Sign-in links to the web UI of a running service. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { API_KEY, openTestService } from '../support/test-service.ts';
import { HAS_TERMINAL, runOnTerminal } from '../support/terminal-run.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/#([0-9a-f]{32})\n$/;

async function serving() {
  const { service } = await openTestService({ mode: 'serve' });
  return service.url;
}

/** Signs in with a code and returns the status. */
async function trade(origin: string, code: string): Promise<number> {
  const { status } = await fetch(`${origin}/v2/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code }),
  });
  return status;
}

/** Runs `open`, by default in an empty directory. */
async function open(
  words: readonly string[],
  env: Record<string, string> = {},
  directory = createTestDirectory(),
) {
  return await runInProcess(['open', ...words], { directory, env });
}

/** Starts a third-party service. */
async function openThirdPartyService(status: number, body: string): Promise<string> {
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

describe('the open command', () => {
  test('the open command prints only a one-time link to stdout', async () => {
    const url = await serving();
    const { exit, stdout, stderr } = await open(['--service', `${url}/`], { LOADTESTS_API_KEY: API_KEY });
    expect(exit).toBe(0);
    const [, origin = '', code = ''] = LINK.exec(stdout) ?? [];
    expect(origin).toBe(url);
    expect(stderr).toMatch(/^The link can be used once, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.\n$/);
    expect([await trade(url, code), await trade(url, code)]).toEqual([200, 401]);
  });

  test('open --json prints the link only in the JSON document', async () => {
    const url = await serving();
    const env = { LOADTESTS_BASE_URL: url, LOADTESTS_API_KEY: API_KEY };
    const { stdout, stderr } = await open(['--json'], env);
    const document = JSON.parse(stdout) as Readonly<Record<string, string>>;
    expect(document['web_ui']).toMatch(/#[0-9a-f]{32}$/);
    expect(stderr).not.toContain('#');
  });

  test('the open command uses the service that the configuration file declares', async () => {
    const url = await serving();
    const directory = createTestDirectory();
    const head = `version: 1\nproject: shop\nservice: { base_url: '${url}', api_key_env: LOADTESTS_SHOP }\n`;
    writeFileSync(join(directory, 'loadtests.yaml'), `${head}apps: {}\ntests: {}\n`);
    const { stdout } = await open([], { LOADTESTS_SHOP: API_KEY }, directory);
    expect(stdout).toMatch(LINK);
  });

  test('open --data uses the key that serve stored if the environment contains no key', async () => {
    const url = await serving();
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'data'), { mode: 0o700 });
    writeFileSync(join(directory, 'data', 'api-key'), `${API_KEY}\n`, { mode: 0o600 });
    expect((await open(['--service', url, '--data', 'data'], {}, directory)).stdout).toMatch(LINK);
    const without = await open(['--service', url], {}, directory);
    expect([without.exit, without.stderr]).toEqual([
      4,
      'error LT_API_KEY: the API key is missing; set the environment variable LOADTESTS_API_KEY, or pass the data directory of "loadtests serve" with --data DIR\n',
    ]);
  });

  test.each([
    [
      'is embedded',
      { file: '' },
      3,
      'LT_CLI_NO_WEB_UI: the file uses the embedded service, which has no web UI',
    ],
    ['is not running', { port: 9 }, 9, 'start "loadtests serve", or pass the URL of a running service'],
    [
      'has no web UI',
      { status: 404, body: '{"errors":["Not Found"]}' },
      3,
      'LT_CLI_NO_WEB_UI: the service at ',
    ],
    ['rejects the key', { status: 401, body: '{}' }, 4, 'LT_API_KEY: '],
    ['responds with an invalid code', { status: 200, body: '{"code":"<b>"}' }, 1, 'LT_API_UNUSABLE: '],
    ['fails', { status: 500, body: '{}' }, 9, 'LT_API_UNREACHABLE: '],
  ] as const)(
    'the open command reports an error and prints no link if the service %s',
    async (_, how, code, text) => {
      const directory = createTestDirectory();
      if ('file' in how) {
        writeFileSync(join(directory, 'loadtests.yaml'), 'version: 1\nproject: shop\napps: {}\ntests: {}\n');
      }
      const url =
        'status' in how
          ? await openThirdPartyService(how.status, how.body)
          : `http://127.0.0.1:${'port' in how ? how.port : 0}`;
      const words = 'file' in how ? [] : ['--service', url];
      const { exit, stdout, stderr } = await open(words, { LOADTESTS_API_KEY: API_KEY }, directory);
      expect([exit, stdout]).toEqual([code, '']);
      expect(stderr.replaceAll('\n  ', ' ')).toContain(text);
    },
  );

  test('the open command does not send the API key of one service to another service', async () => {
    const env = { LOADTESTS_BASE_URL: 'https://tests.example.com', LOADTESTS_API_KEY: API_KEY };
    const { exit, stderr } = await open(['--service', 'http://127.0.0.1:9'], env);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('LT_CLI_ORIGIN: ')]);
  });

  test.each(['127.0.0.1:4900', 'ftp://a', 'http://a:b@c', 'http://a/?key=1', 'http://a/#1'])(
    'the open command rejects the service address %s',
    async (address) => {
      const { exit, stderr } = await open(['--service', address]);
      expect([exit, stderr]).toEqual([
        3,
        expect.stringContaining('the value of --service is not a valid address; write a URL'),
      ]);
      expect(stderr).not.toContain('a:b@');
    },
  );

  test('the open command reports the errors of an invalid configuration file', async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), 'version: 2\n');
    const { exit, stderr } = await open([], { LOADTESTS_API_KEY: API_KEY }, directory);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('loadtests.yaml:1:')]);
  });
});

describe.skipIf(!HAS_TERMINAL || process.platform !== 'linux')('open on a terminal', () => {
  /** Records its arguments and the opened file. */
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

  test('the open command passes the link to the browser in a private file, not on the command line', async () => {
    const url = await serving();
    const { directory, read, env } = desk();
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

  test('the open command starts no browser in CI or with --print, and otherwise reports a failure of the browser command', async () => {
    const url = await serving();
    const { directory, browser, env } = desk();
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
    expect([exit, written]).toEqual([0, expect.stringContaining('xdg-open: exit code 3')]);
  });
});

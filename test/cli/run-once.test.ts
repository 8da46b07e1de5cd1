// @module-tag load
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

interface PassDocument {
  readonly iterations: readonly {
    readonly address: string;
    readonly exchanges: readonly {
      readonly status: number | null;
      readonly request_header: string;
      readonly variables: object;
    }[];
  }[];
}

async function project() {
  const arrivals: number[] = [];
  const target = await openTestTarget((request, response) => {
    arrivals.push(performance.now());
    response.setHeader('X-Token', 't-1');
    response.setHeader('X-Order', 'o-7');
    response.statusCode = request.url === '/cart' ? 409 : 200;
    response.end('<input name="csrf" value="csrf-1"><b>i-9</b>');
  });
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  login:
    test_type: cycling
    total: 50
    duration: 1m
    urls:
      - url: ${target.url}/login
        request_type: POST
        delay: 300ms
        credentials: { login: ci, password: '\${secret:SHOP_PASSWORD}' }
        request_params: { user: ci, pin: '\${secret:SHOP_PIN}' }
        variables:
          - { name: token, property: X-Token, source: header }
          - { name: order, property: X-Order, source: header }
          - { name: form, property: 'name="csrf" value="([^"]+)"', source: body }
          - { name: item, property: '<b>(.*?)</b>', source: body }
      - url: ${target.url}/start?as={{order}}&of={{item}}
  cart:
    test_type: cycling
    total: 50
    duration: 1m
    urls: [${target.url}/cart]
  poll:
    test_type: cycling
    total: 50
    duration: 1m
    urls:
      - { repeat: 119, urls: [${target.url}/poll] }
      - ${target.url}/last
  steps:
    test_type: cycling
    total: 50
    duration: 1m
    urls: [${target.url}/one, ${target.url}/two, ${target.url}/three]
`,
  );
  const env = { SHOP_PASSWORD: 'hunter2', SHOP_PIN: "pin '(!)*" };
  return {
    target,
    arrivals,
    directory,
    env,
    once: (...args: string[]) => runInProcess(['run', ...args, '--once'], { directory, env }),
  };
}

describe('run --once', () => {
  test('run --once sends each request once and prints it with variables and masked credentials', async () => {
    const { target, arrivals, once } = await project();
    const ran = await once('login', '--yes');
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('is verified')]);
    expect(target.requests).toEqual(['POST /login', 'GET /start?as=o-7&of=i-9']);
    expect(ran.stdout).toContain('> POST /login HTTP/1.1');
    // The verification may have sent requests before.
    const [posted = 0, started = 0] = arrivals.slice(-2);
    expect(started - posted).toBeGreaterThan(290);
    expect(ran.stdout.split('\n').filter((line) => line.includes('think time'))).toEqual([
      '     think time: 300ms',
    ]);
    expect(ran.stdout).toContain('> user=ci&pin=***');
    // The value of the variable "form" is a credential.
    expect(ran.stdout).toContain('< <input name="csrf" value="***"><b>i-9</b>');
    expect(ran.stdout).toContain('= token = ***');
    expect(ran.stdout).toContain('= order = o-7');
    expect(ran.stdout).toContain('= form = ***');
    expect(ran.stdout).toContain('= item = i-9');
  });

  test('run --once --json prints the status and the variables of each exchange, and masks credentials', async () => {
    const { once } = await project();
    const ran = await once('login', '--yes', '--json');
    const { iterations } = JSON.parse(ran.stdout) as PassDocument;
    expect(iterations.map(({ address }) => address)).toEqual(['test.login']);
    expect(iterations[0]?.exchanges.map(({ status, variables }) => [status, variables])).toEqual([
      [200, { token: '***', order: 'o-7', form: '***', item: 'i-9' }],
      [200, {}],
    ]);
  });

  test('run --once exits with 10 if a request fails, and with 6 if the run is not approved', async () => {
    const { target, once } = await project();
    const failed = await once('cart', '--yes');
    expect(failed.exit).toBe(10);
    expect(failed.stderr).toMatch(/^loadtests\.yaml:25:12: error LT_RUN_ONCE: .* failed: status 409$/m);
    target.respondWith((_, response) => response.end());
    expect((await once('cart')).exit).toBe(6);
    expect(target.requests).toEqual(['GET /cart']);
  });

  test('run --once with two patterns that match the same test names this test once in the prompt, and runs one iteration', async () => {
    const { target, directory, env, once } = await project();
    const questions: string[] = [];
    const confirm = (question: string) => {
      questions.push(question);
      return false;
    };
    await runInProcess(['run', 'lo*', 'l*', '--once'], { directory, env, confirm });
    expect(questions).toEqual(['Run one iteration of login?']);
    const ran = await once('lo*', 'l*', '--yes', '--json');
    const { iterations } = JSON.parse(ran.stdout) as PassDocument;
    expect([ran.exit, iterations.map(({ address }) => address)]).toEqual([0, ['test.login']]);
    expect(target.requests).toEqual(['POST /login', 'GET /start?as=o-7&of=i-9']);
  });

  test('run --once shows the first 100 requests, and the numbers of further sent and failed requests', async () => {
    const { target, once } = await project();
    const ran = await once('poll', '--yes');
    expect([ran.exit, target.requests.length]).toEqual([0, 120]);
    expect(ran.stdout).toMatch(/^poll · 1 iteration, 120 requests; only the first 100 are shown\n/);
    target.respondWith((request, response) => {
      response.statusCode = request.url === '/last' ? 500 : 200;
      response.end();
    });
    const failed = await once('poll', '--yes', '--json');
    expect(failed.exit).toBe(10);
    expect(failed.stderr).toContain('"poll": 1 of 20 requests that the output omits failed');
    expect(JSON.parse(failed.stdout)).toMatchObject({
      iterations: [{ omitted: { requests: 20, failed: 1 } }],
    });
  });

  test('run --once --url sends the requests up to and including the selected URL, for each of three URLs', async () => {
    const { target, once } = await project();
    const all = ['GET /one', 'GET /two', 'GET /three'];
    for (const [index, name] of all.entries()) {
      const before = target.requests.length;
      expect((await once('steps', '--yes', '--url', name)).exit).toBe(0);
      expect(target.requests.slice(before)).toEqual(all.slice(0, index + 1));
    }
  });

  test('run --once --url rejects an unknown URL, and a pattern that matches several tests', async () => {
    const { target, once } = await project();
    const unknown = await once('login', '--yes', '--url', 'pay');
    expect([unknown.exit, unknown.stderr]).toEqual([
      3,
      expect.stringMatching(
        /--url: the test "login" has no URL "pay"\n.*the URLs of this test are "POST \/login", "GET \/start/,
      ),
    ]);
    const several = await once('*', '--yes', '--url', 'pay');
    expect([several.exit, several.stderr]).toEqual([
      3,
      expect.stringContaining('--url requires exactly one test'),
    ]);
    expect(target.requests).toEqual([]);
  });
});

test('run --once shows the requests of the setup and the teardown with masked values, --seed repeats the values, and a failed setup request prevents the iteration', async () => {
  const target = await openTestTarget((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200;
    response.end('{"key": "k-123456", "next": "/page/k-123456"}');
  });
  const directory = createTestDirectory();
  const write = (login: string) => {
    writeFileSync(
      join(directory, 'loadtests.yaml'),
      `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  shop:
    test_type: cycling
    total: 5
    duration: 1m
    setup:
      urls:
        - url: ${target.url}${login}
          variables:
            - { name: key, source: json, property: /key }
            - { name: next, source: json, property: /next }
    urls: ['${target.url}/{{key}}/%{text:12}', '{{next}}']
    teardown: { urls: ['${target.url}/logout?{{key}}'] }
`,
    );
  };
  const once = async () => {
    const before = target.requests.length;
    const ran = await runInProcess(['run', 'shop', '--once', '--yes', '--seed', '7'], { directory });
    return { ...ran, requests: target.requests.slice(before) };
  };
  write('/login');
  const [first, second] = [await once(), await once()];
  expect([first.exit, second.exit]).toEqual([0, 0]);
  const [, start = ''] = first.requests;
  expect(start).toMatch(/^GET \/k-123456\/\w{12}$/);
  expect(first.requests).toEqual(['GET /login', start, 'GET /page/k-123456', 'GET /logout?k-123456']);
  expect(second.requests).toEqual(first.requests);
  expect(first.stdout).toContain('shop · 1 iteration, 4 requests; repeat with --seed 7');
  expect(first.stdout).toMatch(/^ {2}1 {2}GET \S+\/login \(setup\) {3}200/m);
  expect(first.stdout).toMatch(/^ {2}4 {2}GET \S+\/logout\?\*\*\* \(teardown\) {3}200/m);
  expect(first.stdout).toContain('= key = ***');
  expect(first.stdout).not.toContain('k-123456');
  write('/missing');
  const failed = await once();
  expect(failed.exit).toBe(10);
  expect(failed.requests).toEqual(['GET /missing', 'GET /logout?k-123456']);
  expect(failed.stderr).toMatch(
    /^loadtests\.yaml:11:16: error LT_RUN_ONCE: .*\/missing failed: status 404$/m,
  );
});

test('validate loads the pattern compiler only if the configuration file contains patterns', async () => {
  const directory = createTestDirectory();
  const file = (source: string) =>
    `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  login:
    test_type: cycling
    duration: 1m
    urls: [{ url: 'https://shop.example.com/', variables: [{ name: v, property: ${source} }] }]
`;
  writeFileSync(join(directory, 'plain.yaml'), file('X-Token, source: header'));
  writeFileSync(join(directory, 'patterns.yaml'), file('"id=([0-9]+)", source: body'));
  const loaded = async (name: string) => {
    const ran = await runCli(['validate', '-f', name], { directory, env: { NODE_DEBUG: 'module' } });
    expect(ran.exit).toBe(0);
    return ran.stderr.includes('re2.cjs');
  };
  expect(await Promise.all([loaded('plain.yaml'), loaded('patterns.yaml')])).toEqual([false, true]);
});

test('run --once masks the values of payload columns and request fields whose names indicate secrets', async () => {
  const target = await openTestTarget((request, response) => {
    request.resume();
    response.end('welcome anna with s3same-own');
  });
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'users.csv'), 'user,password\nanna,s3same-own\n');
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  login:
    test_type: cycling
    total: 1
    duration: 1s
    urls:
      - url: ${target.url}/login?pw={{password}}
        request_type: POST
        payload_file: users.csv
        request_params: { user: '{{user}}', field: '{{password}}', client_secret: constant-9 }
`,
  );
  const { stdout, exit } = await runInProcess(['run', 'login', '--once', '--yes', '-v'], { directory });
  expect(exit, stdout).toBe(0);
  expect(stdout).toContain('anna');
  expect(stdout).not.toContain('s3same-own');
  expect(stdout).not.toContain('constant-9');
  const json = await runInProcess(['run', 'login', '--once', '--yes', '--json'], { directory });
  expect(json.stdout).not.toContain('s3same-own');
  expect(json.stdout).not.toContain('constant-9');
});

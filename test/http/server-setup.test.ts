/** Requests before and after the load, from the API to the log of the target. */
// @module-tag load
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { openTestService, useTestService, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';

const WORKER = new URL('../../dist/engine/thread.js', import.meta.url);

interface PhaseMember {
  readonly requests: number;
  readonly failed: number;
  readonly failure: Readonly<Record<string, unknown>> | null;
}

interface ResultBody {
  readonly status: string;
  readonly abort_reason: string | null;
  readonly setup?: PhaseMember;
  readonly teardown?: PhaseMember;
  readonly ledger: { readonly planned: number; readonly started: number; readonly success: number };
}

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

function serviceOptions(threads: number) {
  return { runner: createEngine({ threadUrl: WORKER, version: '0.0.0-test' }), threads };
}

/** Service whose runs have one thread, because each thread takes CPU time to start. */
const sharedService = useTestService(serviceOptions(1));

/** Delay of the responses to the load, in ms, in tests whose clients repeat requests for a second or longer. */
const LOAD_DELAY_MS = 50;

/**
 * Opens a target that returns a token for each login, and records the tokens of other requests.
 * @param threads - number of threads of a run; runs with one thread share a service with other tests
 * @param delay - of other responses, in ms, so that clients do not send thousands of requests
 */
async function openShop(respond: Responder = () => undefined, threads = 1, delay: number | null = null) {
  const tokens: string[] = [];
  const answer: Responder = (request, response) => {
    respond(request, response);
    if (response.writableEnded) return;
    response.setHeader('Content-Type', 'application/json');
    response.end(request.url === '/login' ? '{"token":"café"}' : '{}');
  };
  const target = await openTestTarget((request, response) => {
    const path = request.url ?? '';
    if (path !== '/login') tokens.push(`${path} ${request.headers.authorization ?? ''}`);
    if (delay === null || path.startsWith('/login')) answer(request, response);
    else setTimeout(answer, delay, request, response);
  });
  const service = threads === 1 ? sharedService() : await openTestService(serviceOptions(threads));
  await service.verifiedApp(target.host);
  const login = {
    url: `${target.url}/login`,
    request_type: 'POST',
    variables: [{ name: 'token', property: '/token', source: 'json' }],
  };
  const authorized = (path: string) => ({
    url: `${target.url}${path}`,
    headers: { Authorization: 'Bearer {{token}}' },
  });
  return { target, tokens, service, login, authorized };
}

async function runTest(service: TestService, fields: object): Promise<ResultBody> {
  const json = { test_type: 'non-cycling', total: 10, duration: 1, ...fields };
  const created = await service.call('POST', '/v2/tests', { json });
  expect(created.json.errors).toBeUndefined();
  const { test_id: testId, result_id: resultId } = created.json;
  return await waitUntil(async () => {
    const { json: result } = await service.call('GET', `/v2/tests/${testId}/results/${resultId}`);
    return result.status === 'ready' ? (result as unknown as ResultBody) : null;
  });
}

test.each([
  ['an open model', { test_type: 'non-cycling', total: 10 }],
  ['a closed model', { test_type: 'cycling', total: 2, initial: 2 }],
])('in %s, every request uses the value from the setup, and the setup is sent only once', async (_, load) => {
  const { target, tokens, service, login, authorized } = await openShop(undefined, 1, LOAD_DELAY_MS);
  const result = await runTest(service, {
    ...load,
    setup: { urls: [login] },
    teardown: { urls: [{ ...authorized('/logout'), request_type: 'POST' }] },
    urls: [authorized('/items')],
  });
  expect(result).toMatchObject({
    abort_reason: null,
    seed: expect.any(Number) as number,
    setup: { requests: 1, failed: 0, failure: null },
    teardown: { requests: 1, failed: 0, failure: null },
  });
  const token = Buffer.from('Bearer café').toString('latin1');
  expect(new Set(tokens)).toEqual(new Set([`/items ${token}`, `/logout ${token}`]));
  expect(target.requests[0]).toBe('POST /login');
  expect(target.requests.at(-1)).toBe('POST /logout');
  expect(target.requests).toHaveLength(2 + result.ledger.started);
  expect(result.ledger.success).toBe(result.ledger.started);
});

test('a failed request of the setup ends the run before any load', async () => {
  const { target, service, login, authorized } = await openShop((_request, response) => {
    response.statusCode = 401;
    response.end('{}');
  });
  const result = await runTest(service, {
    setup: { urls: [login, authorized('/profile')] },
    urls: [authorized('/items')],
  });
  expect(result).toMatchObject({
    abort_reason: 'setup',
    ledger: { started: 0 },
    setup: {
      requests: 1,
      failed: 1,
      failure: { url: login.url, request_type: 'POST', status: 401, error: 'status 401' },
    },
  });
  expect(target.requests).toEqual(['POST /login']);
});

test('a setup response that lacks the value of a variable ends the run before any load', async () => {
  const { target, service, login, authorized } = await openShop((_request, response) => {
    response.end('{"id":1}');
  });
  const result = await runTest(service, { setup: { urls: [login] }, urls: [authorized('/items')] });
  const error = 'the response has no value for the variable "token"';
  expect(result).toMatchObject({ abort_reason: 'setup', setup: { failure: { status: 200, error } } });
  expect(target.requests).toEqual(['POST /login']);
});

test('requests of the setup follow redirects and are checked against "expect"', async () => {
  const { target, service, login, authorized } = await openShop((request, response) => {
    if (request.url !== '/start') return;
    response.statusCode = 302;
    response.setHeader('Location', '/login');
    response.end();
  });
  const result = await runTest(service, {
    setup: {
      urls: [
        { ...login, url: `${target.url}/start`, request_type: 'GET' },
        { ...authorized('/profile'), expect: { json: { '/role': 'admin' } } },
      ],
    },
    urls: [authorized('/items')],
  });
  const error = 'response does not meet the JSON expectation /role: "admin"';
  expect(result.setup).toMatchObject({ requests: 3, failed: 1, failure: { status: 200, error } });
  expect(target.requests).toEqual(['GET /start', 'GET /login', 'GET /profile']);
});

test('the teardown runs after a failed setup, and omits requests with undefined variables', async () => {
  const { target, service, login, authorized } = await openShop((request, response) => {
    if (request.url !== '/login') return;
    response.statusCode = 503;
    response.end();
  });
  const result = await runTest(service, {
    setup: { urls: [login] },
    teardown: { urls: [authorized('/logout'), { url: `${target.url}/carts`, request_type: 'DELETE' }] },
    urls: [authorized('/items')],
  });
  expect(result).toMatchObject({
    abort_reason: 'setup',
    teardown: { requests: 1, failed: 0, failure: { error: 'undefined_variable', status: null } },
  });
  expect(target.requests).toEqual(['POST /login', 'DELETE /carts']);
});

/** Uploads rows, and returns the field that refers to them. */
async function uploadRows(service: TestService, text: string) {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const path = `/v2/payload-files/${sha256}`;
  const response = await service.call('PUT', path, { raw: { type: 'application/octet-stream', body: text } });
  expect(response.status).toBe(200);
  return { payload_file: sha256 };
}

test.each([
  ['one thread', 1],
  ['two threads', 2],
])(
  'on %s, each iteration of a test with setup rows uses one row and the token that the setup obtained for this row',
  async (_, threads) => {
    const { tokens, target, service, login, authorized } = await openShop((request, response) => {
      const [, path, user = ''] = (request.url ?? '').split('/');
      if (path === 'login') response.end(JSON.stringify({ token: `token-of-${user}` }));
    }, threads);
    const users = Array.from({ length: 9 }, (_each, index) => `user-${index}`);
    const rows = await uploadRows(service, `user\n${users.join('\n')}\n`);
    const result = await runTest(service, {
      total: 36,
      setup: { urls: [{ ...login, ...rows, url: `${target.url}/login/{{user}}` }] },
      teardown: { urls: [{ url: `${target.url}/end` }] },
      urls: [authorized('/items/{{user}}')],
    });
    expect(result).toMatchObject({ setup: { requests: 9, failed: 0 }, ledger: { success: 36 } });
    const expected = users.flatMap((user) =>
      Array.from({ length: 4 }, () => `/items/${user} Bearer token-of-${user}`),
    );
    expect(tokens.filter((line) => line.startsWith('/items')).sort()).toEqual(expected.sort());
  },
);

test('values of the setup keep their JSON types, even if the types differ between rows', async () => {
  const bodies = new Set<string>();
  const { target, service, login } = await openShop((request, response) => {
    const [, path, user = ''] = (request.url ?? '').split('/');
    if (path === 'login') {
      response.end(user === 'a' ? '{"id":17,"open":true,"at":"x"}' : '{"id":"17","open":false,"at":"2"}');
      return;
    }
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      bodies.add(body);
      response.end('{}');
    });
  });
  const rows = await uploadRows(service, 'user\na\nb\n');
  const variables = ['id', 'open', 'at'].map((name) => ({ name, property: `/${name}`, source: 'json' }));
  const json = { user: '{{user}}', id: '{{id}}', open: '{{open}}', at: '{{at}}', text: 'no {{id}}' };
  const result = await runTest(service, {
    setup: { urls: [{ ...login, ...rows, url: `${target.url}/login/{{user}}`, variables }] },
    urls: [
      {
        url: `${target.url}/items`,
        request_type: 'POST',
        raw_post_body: JSON.stringify(json),
        raw_post_body_json: true,
      },
    ],
  });
  expect(result).toMatchObject({ abort_reason: null, setup: { requests: 2, failed: 0 } });
  expect([...bodies].sort()).toEqual([
    '{"user":"a","id":17,"open":true,"at":"x","text":"no 17"}',
    '{"user":"b","id":"17","open":false,"at":"2","text":"no 17"}',
  ]);
});

test('groups repeat requests of the setup and the teardown or omit requests whose condition is not met, and a setup with an invalid group is refused', async () => {
  const { target, service, login, authorized } = await openShop((request, response) => {
    if (request.url === '/login') response.end('{"token":"t","ready":true,"items":["a","b"]}');
  });
  const variables = [...login.variables, { name: 'ready', property: '/ready', source: 'json' }];
  const urls = [{ ...login, variables }, authorized('/item/{{item}}'), authorized('/never')];
  const list = { first: 1, count: 1, for_each: { name: 'item', values: ['a', 'b'] } };
  const created = await service.call('POST', '/v2/tests', {
    json: {
      test_type: 'non-cycling',
      total: 1,
      duration: 1,
      setup: { urls, groups: [{ first: 0, count: 4, repeat: 2 }, list] },
      urls: [authorized('/load')],
    },
  });
  expect(created.json.errors).toEqual([
    'setup.groups[0]: a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
  ]);
  const result = await runTest(service, {
    total: 1,
    setup: {
      urls,
      groups: [{ first: 0, count: 1, repeat: 3 }, list, { first: 2, count: 1, when: { ready: false } }],
    },
    teardown: {
      urls: [authorized('/clean')],
      groups: [{ first: 0, count: 1, repeat: 2, when: { ready: true } }],
    },
    urls: [authorized('/load')],
  });
  expect(result).toMatchObject({
    abort_reason: null,
    setup: { requests: 5, failed: 0, failure: null },
    teardown: { requests: 2, failed: 0, failure: null },
  });
  expect(target.requests).toEqual([
    ...Array.from({ length: 3 }, () => 'POST /login'),
    'GET /item/a',
    'GET /item/b',
    'GET /load',
    ...Array.from({ length: 2 }, () => 'GET /clean'),
  ]);
});

test('the service refuses a "for_each" that has both values and a list variable, neither, or a list variable without a maximum', async () => {
  const { service, target } = await openShop();
  const statusOf = async (list: object) => {
    const groups = [{ first: 0, count: 1, for_each: { name: 'item', ...list } }];
    const json = { test_type: 'cycling', duration: 1, urls: [{ url: `${target.url}/` }], groups };
    const { status, text } = await service.call('POST', '/v2/tests', { json });
    return [status, text];
  };
  const values = ['a'];
  const refused = [422, expect.stringContaining('/groups/0/for_each')];
  expect(await statusOf({ values })).toEqual([200, expect.any(String)]);
  expect(await statusOf({ values, list: 'items', at_most: 2 })).toEqual(refused);
  expect(await statusOf({ list: 'items' })).toEqual(refused);
  expect(await statusOf({})).toEqual(refused);
});

test('a failed setup request for one row ends the run before any load', async () => {
  const { target, service, login, authorized } = await openShop((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/b')) response.statusCode = 403;
    response.end('{"token":"t"}');
  });
  const rows = await uploadRows(service, 'user\na\nb\nc\n');
  const result = await runTest(service, {
    setup: { urls: [{ ...login, ...rows, url: `${target.url}/login/{{user}}` }] },
    urls: [authorized('/items')],
  });
  expect(result).toMatchObject({
    abort_reason: 'setup',
    setup: { failed: 1, failure: { status: 403, url: `${target.url}/login/{{user}}` } },
  });
  expect(target.requests).not.toContain('GET /items');
});

test('the service refuses setup rows that do not define variables, that number more than 10,000, or that define a variable of a setup request', async () => {
  const { service, target, login } = await openShop();
  const errorsOf = async (text: string) => {
    const setup = { urls: [{ ...login, ...(await uploadRows(service, text)) }] };
    const json = { test_type: 'cycling', duration: 1, setup, urls: [{ url: `${target.url}/` }] };
    return (await service.call('POST', '/v2/tests', { json })).json.errors;
  };
  expect(await errorsOf('{"keys":["a"],"values":[["1"]]}')).toEqual([
    'setup.urls[0]: the payload file of "setup" must define variables; use CSV, or JSON with "variables"',
  ]);
  expect(await errorsOf(`user\n${'a\n'.repeat(10_001)}`)).toEqual([
    'setup.urls[0]: the payload file has 10,001 rows; in "setup", it must have 1 to 10,000 rows',
  ]);
  expect(await errorsOf('token\na\n')).toEqual([
    'the payload file and the requests of "setup" define the same variable; rename one of the variables',
  ]);
  expect(target.requests).toEqual([]);
});

test('the teardown is sent after a run is stopped', async () => {
  const { target, service, login, authorized } = await openShop(undefined, 1, LOAD_DELAY_MS);
  const json = {
    ...{ test_type: 'cycling', total: 1, initial: 1, duration: 600 },
    setup: { urls: [login] },
    teardown: { urls: [authorized('/logout')] },
    urls: [authorized('/items')],
  };
  const { json: created } = await service.call('POST', '/v2/tests', { json });
  await waitUntil(() => Promise.resolve(target.requests.includes('GET /items') || null));
  await service.call('PUT', `/v2/tests/${created.test_id}/stop`);
  await waitUntil(async () => {
    const { json: result } = await service.call(
      'GET',
      `/v2/tests/${created.test_id}/results/${created.result_id}`,
    );
    return result.status === 'ready' ? result : null;
  });
  expect(target.requests.at(-1)).toBe('GET /logout');
});

/** Starts a test that repeats its setup every second, and stops it when the target has received a request. */
async function runUntil(service: TestService, fields: object, isEnough: () => boolean): Promise<ResultBody> {
  const json = { test_type: 'cycling', total: 4, initial: 4, duration: 600, error_threshold: 100, ...fields };
  const { json: created } = await service.call('POST', '/v2/tests', { json });
  expect(created.errors).toBeUndefined();
  await waitUntil(() => Promise.resolve(isEnough() || null));
  await service.call('PUT', `/v2/tests/${created.test_id}/stop`);
  return await waitUntil(async () => {
    const path = `/v2/tests/${created.test_id}/results/${created.result_id}`;
    const { json: result } = await service.call('GET', path);
    return result.status === 'ready' ? (result as unknown as ResultBody) : null;
  });
}

/** True if a request had the token of a repetition or of a later one; a slow machine may use no token of the first. */
function hasToken(tokens: readonly string[], start: string, repetition: number): boolean {
  return tokens.some((line) => line.startsWith(start) && Number(line.slice(start.length)) >= repetition);
}

test.each([
  ['one thread', 1],
  ['two threads', 2],
])('on %s, later iterations and the teardown use the values of a repeated setup', async (_, threads) => {
  let logins = 0;
  const { target, tokens, service, login, authorized } = await openShop(
    (request, response) => {
      if (request.url === '/login') response.end(`{"token":"t${++logins}"}`);
    },
    threads,
    LOAD_DELAY_MS,
  );
  const result = await runUntil(
    service,
    {
      setup: { urls: [login], refresh: 1 },
      teardown: { urls: [authorized('/logout')] },
      urls: [authorized('/first'), authorized('/second')],
    },
    () => hasToken(tokens, '/second Bearer t', 3),
  );
  expect(result).toMatchObject({
    abort_reason: 'stopped',
    setup: { requests: logins, failed: 0, failure: null },
    teardown: { requests: 1, failed: 0 },
  });
  expect(tokens.at(-1)).toBe(`/logout Bearer t${logins}`);
  expect(target.requests.filter((line) => line === 'POST /login')).toHaveLength(logins);
  const [first, second] = ['/first', '/second'].map((path) =>
    tokens.filter((line) => line.startsWith(path)).map((line) => line.slice(path.length)),
  );
  // Every iteration uses one token for all of its requests.
  expect(second?.filter((token) => token === ' Bearer t1').length).toBe(
    first?.filter((token) => token === ' Bearer t1').length,
  );
  // The stop ends at most one iteration of each client between its requests.
  expect((first?.length ?? 0) - (second?.length ?? 0)).toBeLessThanOrEqual(4);
});

test('if a repetition of the setup fails, iterations keep the earlier values until a later repetition succeeds', async () => {
  let logins = 0;
  const { tokens, service, login, authorized } = await openShop(
    (request, response) => {
      if (request.url !== '/login') return;
      logins++;
      if (logins === 2) response.statusCode = 503;
      response.end(`{"token":"t${logins}"}`);
    },
    1,
    LOAD_DELAY_MS,
  );
  const result = await runUntil(
    service,
    { total: 1, initial: 1, setup: { urls: [login], refresh: 1 }, urls: [authorized('/items')] },
    () => hasToken(tokens, '/items Bearer t', 3),
  );
  expect(result).toMatchObject({
    abort_reason: 'stopped',
    setup: { requests: logins, failed: 1, failure: { url: login.url, status: 503, error: 'status 503' } },
  });
  expect(tokens).not.toContain('/items Bearer t2');
});

test('each iteration uses the values that the repeated setup obtained for the row of the iteration', async () => {
  const rounds = new Map<string, number>();
  const { target, tokens, service, login, authorized } = await openShop(
    (request, response) => {
      const [, path, user = ''] = (request.url ?? '').split('/');
      if (path !== 'login') return;
      const round = (rounds.get(user) ?? 0) + 1;
      rounds.set(user, round);
      response.end(JSON.stringify({ token: `${user}-${round}` }));
    },
    1,
    LOAD_DELAY_MS,
  );
  const rows = await uploadRows(service, 'user\na\nb\nc\n');
  const result = await runUntil(
    service,
    {
      setup: { urls: [{ ...login, ...rows, url: `${target.url}/login/{{user}}` }], refresh: 1 },
      urls: [authorized('/items/{{user}}')],
    },
    () => ['a', 'b', 'c'].every((user) => hasToken(tokens, `/items/${user} Bearer ${user}-`, 2)),
  );
  const logins = [...rounds.values()].reduce((sum, count) => sum + count, 0);
  expect(result).toMatchObject({ abort_reason: 'stopped', setup: { requests: logins, failed: 0 } });
  const items = tokens.filter((line) => line.startsWith('/items'));
  expect(items.filter((line) => !/^\/items\/([abc]) Bearer \1-\d+$/.test(line))).toEqual([]);
});

test('a run that is stopped during its setup sends no load', async () => {
  const { target, service, login, authorized } = await openShop((request, response) => {
    // The response never ends.
    if (request.url === '/login') response.end = () => response;
  });
  const json = {
    ...{ test_type: 'cycling', total: 1, initial: 1, duration: 1, timeout: 60_000 },
    setup: { urls: [login] },
    urls: [authorized('/items')],
  };
  const { json: created } = await service.call('POST', '/v2/tests', { json });
  await waitUntil(() => Promise.resolve(target.requests.includes('POST /login') || null));
  await service.call('PUT', `/v2/tests/${created.test_id}/stop`);
  const result = await waitUntil(async () => {
    const one = await service.call('GET', `/v2/tests/${created.test_id}/results/${created.result_id}`);
    return one.json.status === 'ready' ? one.json : null;
  });
  expect(result.abort_reason).toBe('stopped');
  expect(target.requests).toEqual(['POST /login']);
});

test('a single iteration sends the setup before the load and the teardown after the load, and reports a failed request of the setup', async () => {
  let status = 200;
  const { target, service, login, authorized } = await openShop((request, response) => {
    if (request.url === '/login') response.statusCode = status;
  });
  const json = {
    ...{ test_type: 'cycling', total: 5, duration: 5 },
    setup: { urls: [login] },
    teardown: { urls: [authorized('/logout')] },
    urls: [authorized('/items')],
  };
  const done = await service.call('POST', '/v2/iterations', { json });
  expect(JSON.stringify(done.json)).not.toContain('café');
  expect(target.requests).toEqual(['POST /login', 'GET /items', 'GET /logout']);
  status = 403;
  const failed = await service.call('POST', '/v2/iterations', { json });
  const setupOf = (json: object) => {
    const { exchanges } = json as { readonly exchanges: readonly { readonly phase?: string }[] };
    return exchanges.filter(({ phase }) => phase === 'setup');
  };
  expect(setupOf(done.json)).toMatchObject([{ status: 200, success: true }]);
  expect(failed.status).toBe(200);
  expect(setupOf(failed.json)).toMatchObject([{ url: `${target.url}/login`, status: 403, success: false }]);
});

test('a single iteration masks a setup value of four characters in the URL, but not a setup value of one character', async () => {
  const { target, service, login } = await openShop((request, response) => {
    if (request.url === '/login') response.end('{"page":"a","session":"abcd"}');
  });
  const variables = ['page', 'session'].map((name) => ({ name, property: `/${name}`, source: 'json' }));
  const done = await service.call('POST', '/v2/iterations', {
    json: {
      ...{ test_type: 'cycling', total: 1, duration: 1 },
      setup: { urls: [{ ...login, variables }] },
      urls: [{ url: `${target.url}/api/{{page}}/{{session}}` }],
    },
  });
  expect(done.json).toMatchObject({ exchanges: [{}, { url: `${target.url}/api/a/***` }] });
});

test('the service refuses setups with invalid requests, and the errors contain the indexes of the requests', async () => {
  const { service, target, login } = await openShop();
  const create = async (fields: object) => {
    const json = { test_type: 'cycling', duration: 1, urls: [{ url: `${target.url}/` }], ...fields };
    return (await service.call('POST', '/v2/tests', { json })).json.errors;
  };
  expect(await create({ setup: { urls: [{ url: 'http://other.example.com/' }] } })).toEqual([
    'setup.urls[0]: other.example.com is not a registered app',
  ]);
  expect(await create({ setup: { urls: [{ url: `${target.url}/{{id}}` }, login] } })).toEqual([
    'setup.urls[0]: "{{id}}" is not defined; no earlier request of the test defines it',
  ]);
  expect(
    await create({
      setup: { urls: [login] },
      urls: [{ ...login, url: `${target.url}/again` }],
    }),
  ).toEqual(['urls[0]: the variable "token" is defined twice: in "variables" and in "setup"']);
  expect(target.requests).toEqual([]);
});

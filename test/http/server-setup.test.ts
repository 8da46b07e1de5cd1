/** Requests before and after the load, from the API to the log of the target. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { openTestService, waitUntil, type TestService } from '../support/test-service.ts';
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

/** Returns a token for each login, and records the tokens of other requests. */
async function openShop(respond: Responder = () => undefined) {
  const tokens: string[] = [];
  const target = await openTestTarget((request, response) => {
    const path = request.url ?? '';
    if (path !== '/login') tokens.push(`${path} ${request.headers.authorization ?? ''}`);
    respond(request, response);
    if (response.writableEnded) return;
    response.setHeader('Content-Type', 'application/json');
    response.end(path === '/login' ? '{"token":"café"}' : '{}');
  });
  const service = await openTestService({
    runner: createEngine({ threadUrl: WORKER, version: '0.0.0-test' }),
  });
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
])(
  'every request of %s uses the value from the setup, which the service sends only once',
  async (_, load) => {
    const { target, tokens, service, login, authorized } = await openShop();
    const result = await runTest(service, {
      ...load,
      setup: { urls: [login] },
      teardown: { urls: [{ ...authorized('/logout'), request_type: 'POST' }] },
      urls: [authorized('/items')],
    });
    expect(result).toMatchObject({
      abort_reason: null,
      setup: { requests: 1, failed: 0, failure: null },
      teardown: { requests: 1, failed: 0, failure: null },
    });
    const token = Buffer.from('Bearer café').toString('latin1');
    expect(new Set(tokens)).toEqual(new Set([`/items ${token}`, `/logout ${token}`]));
    expect(target.requests[0]).toBe('POST /login');
    expect(target.requests.at(-1)).toBe('POST /logout');
    expect(target.requests).toHaveLength(2 + result.ledger.started);
    expect(result.ledger.success).toBe(result.ledger.started);
  },
);

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

test('a response of the setup without the value of a variable ends the run before any load', async () => {
  const { target, service, login, authorized } = await openShop((_request, response) => {
    response.end('{"id":1}');
  });
  const result = await runTest(service, { setup: { urls: [login] }, urls: [authorized('/items')] });
  const error = 'the response has no value for the variable "token"';
  expect(result).toMatchObject({ abort_reason: 'setup', setup: { failure: { status: 200, error } } });
  expect(target.requests).toEqual(['POST /login']);
});

test('requests of setup and teardown are checked and follow redirects like requests of the load', async () => {
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
  const error = 'response lacks the expected JSON /role: "admin"';
  expect(result.setup).toMatchObject({ requests: 3, failed: 1, failure: { status: 200, error } });
  expect(target.requests).toEqual(['GET /start', 'GET /login', 'GET /profile']);
});

test('the teardown follows a failed setup, and sends no request whose variable has no value', async () => {
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

test('the teardown follows a stopped run', async () => {
  const { target, service, login, authorized } = await openShop();
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

test('a single iteration runs the setup first, and reports its failure', async () => {
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
  expect(failed.status).toBe(422);
  expect(failed.json.errors).toEqual([`POST ${target.url}/login of "setup" failed: status 403`]);
});

test('the service refuses setups with invalid requests, and names their entries', async () => {
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

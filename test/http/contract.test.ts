import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ROUTES, SERVICE_HEADER, type Route, type RouteName } from '../../src/contract/routes.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import {
  openTestService,
  smallTestFields,
  waitUntil,
  type CallOptions,
  type TestService,
} from '../support/test-service.ts';
import { EAST_WORKER, createWorkerPool } from '../support/fake-worker-pool.ts';

const NO_ID = 'f'.repeat(32);
const HOST = '127.0.0.1:4080';

interface World {
  readonly rig: TestService;
  readonly ids: Readonly<Record<'app_id' | 'test_id' | 'result_id' | 'sha256' | 'worker_id', string>>;
}

/** A shop with one app and one test that has run once. */
async function world(): Promise<World> {
  const rig = await openTestService({ workerPool: createWorkerPool([EAST_WORKER]) });
  const appId = await rig.verifiedApp(HOST);
  const { test_id, result_id } = (
    await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) })
  ).json;
  rig.runner.latest().end();
  await waitUntil(async () =>
    (await rig.call('GET', `/v2/tests/${test_id}`)).json.status === 'complete' ? true : null,
  );
  await rig.call('PUT', `/v2/payload-files/${SHA256}`, ROWS);
  return { rig, ids: { app_id: appId, test_id, result_id, sha256: SHA256, worker_id: EAST_WORKER.id } };
}

const ROWS = { raw: { type: 'application/octet-stream', body: 'user\nanna\n' } };
const SHA256 = createHash('sha256').update(ROWS.raw.body).digest('hex');

/** What a good request to a route carries. */
const REQUESTS: Readonly<Partial<Record<RouteName, CallOptions>>> = {
  registerApp: { form: { app: HOST } },
  verifyApp: { form: { method: 'http' } },
  createTest: { json: smallTestFields(`http://${HOST}/`) },
  runIteration: { json: smallTestFields(`http://${HOST}/`) },
  putPayloadFile: ROWS,
  publishVerdict: { json: { verdict: 'pass', thresholds: [] } },
};

function pathOf(route: Route, ids: Readonly<Record<string, string>>): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? NO_ID);
}

// A service for one command has no page; `server-page.test.ts` asks one that has.
const PAGE: ReadonlySet<RouteName> = new Set(['createSignInCode', 'createSession', 'deleteSessions']);

const rows = (Object.entries(ROUTES) as [RouteName, Route][]) // the table's own keys
  .filter(([name]) => !PAGE.has(name));

describe.each(rows)('%s', (name, route) => {
  const good = REQUESTS[name] ?? {};

  // Which runs to compare stands in the query: `server-overview.test.ts` has some.
  test.skipIf(name === 'compareRuns')(
    'answers 200 with what its schema says, and names the service',
    async () => {
      const { rig, ids } = await world();
      const response = await rig.call(route.method, pathOf(route, ids), good);
      expect(response.status).toBe(200);
      expect(response.headers.get(SERVICE_HEADER)).toBe('0.0.0-test');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      if (route.response === null) expect(response.text).toBe('');
      else expect(apiMismatch(route.response, response.json)).toBeNull();
    },
  );

  test('answers 401 without the right key, and does nothing', async () => {
    const { rig, ids } = await world();
    for (const key of [null, '0'.repeat(32), '']) {
      const response = await rig.call(route.method, pathOf(route, ids), { ...good, key });
      expect(response.status, `the key ${key ?? 'left out'}`).toBe(401);
      expect(apiMismatch('error', response.json)).toBeNull();
    }
    expect((await rig.call('GET', '/v2/apps')).json).toHaveLength(1);
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(1);
    expect(rig.runner.runs).toHaveLength(1);
  });

  if (route.path.includes(':')) {
    test('answers 404 where nothing has such an id', async () => {
      const { rig } = await world();
      for (const id of [NO_ID, 'x', `${'f'.repeat(31)}F`, 'f'.repeat(300), '..%2f..%2fetc', '%00']) {
        const path = pathOf(route, { app_id: id, test_id: id, result_id: id, sha256: id, worker_id: id });
        const response = await rig.call(route.method, path, good);
        expect(response.status, id).toBe(404);
        expect(apiMismatch('error', response.json)).toBeNull();
      }
    });
  }

  if (route.method !== 'GET') {
    test('answers 415 to a body of another type', async () => {
      const { rig, ids } = await world();
      for (const type of [
        'text/html',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/jsonp',
      ]) {
        const response = await rig.call(route.method, pathOf(route, ids), { raw: { type, body: '{}' } });
        expect(response.status, type).toBe(415);
        expect(apiMismatch('error', response.json)).toBeNull();
      }
    });
  }
});

test('a result is found only below its own test', async () => {
  const { rig, ids } = await world();
  const other = (await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/b`) })).json;
  expect((await rig.call('GET', `/v2/tests/${other.test_id}/results/${ids.result_id}`)).status).toBe(404);
});

test('health needs no key', async () => {
  const rig = await openTestService();
  const response = await rig.call('GET', '/healthz', { key: null });
  expect(response.status).toBe(200);
  expect(response.json).toEqual({ status: 'ok' });
});

test.each([
  ['GET', '/'],
  ['GET', '/v1/apps'],
  ['PATCH', `/v2/tests/${NO_ID}`],
  ['DELETE', `/v2/tests/${NO_ID}`],
  ['OPTIONS', '/v2/apps'],
  ['GET', '/v2/apps/.json'],
  ['GET', '/v2/openapi'],
  ['GET', '/healthz/'],
  ['GET', '/v2/%zz'],
])('%s %s is no route', async (method, path) => {
  const rig = await openTestService();
  const response = await rig.call(method, path);
  expect(response.status).toBe(404);
  expect(apiMismatch('error', response.json)).toBeNull();
  expect((await rig.call(method, path, { key: null })).status).toBe(401);
});

test('the addresses of an in-process service are loopback', async () => {
  const rig = await openTestService();
  expect((await rig.call('GET', '/v2/servers')).json).toEqual({ ip_addresses: ['127.0.0.1'] });
});

test('the addresses of a service for others are there', async () => {
  const rig = await openTestService({ mode: 'serve' });
  const { ip_addresses: addresses } = (await rig.call('GET', '/v2/servers')).json;
  expect(addresses.length).toBeGreaterThan(0);
});

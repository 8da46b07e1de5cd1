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
import { useShared } from '../support/shared.ts';
import { createTestClock, MINUTE } from '../support/test-clock.ts';
import { EAST_WORKER, createWorkerPool } from '../support/fake-worker-pool.ts';

const NO_ID = 'f'.repeat(32);
const HOST = '127.0.0.1:4080';

const clock = createTestClock();

interface ServiceWithRun {
  readonly rig: TestService;
  readonly ids: Readonly<Record<'app_id' | 'test_id' | 'result_id' | 'sha256' | 'worker_id', string>>;
}

/** Opens a service with one app and one test that has run once. */
async function openServiceWithRun(): Promise<ServiceWithRun> {
  const { now, ticker } = clock;
  const rig = await openTestService({ workerPool: createWorkerPool([EAST_WORKER]), now, ticker });
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

/** For requests that change nothing. */
const sharedService = useShared(openServiceWithRun);

const ROWS = { raw: { type: 'application/octet-stream', body: 'user\nanna\n' } };
const SHA256 = createHash('sha256').update(ROWS.raw.body).digest('hex');

/** Options of a valid request for each route that needs a body. */
const REQUESTS: Readonly<Partial<Record<RouteName, CallOptions>>> = {
  registerApp: { form: { app: HOST } },
  verifyApp: { form: { method: 'http' } },
  createTest: { json: smallTestFields(`http://${HOST}/`) },
  runIteration: { json: smallTestFields(`http://${HOST}/`) },
  putPayloadFile: ROWS,
  publishVerdict: { json: { verdict: 'pass', thresholds: [] } },
  saveNote: { json: { note: 'with the new cache' } },
};

function pathOf(route: Route, ids: Readonly<Record<string, string>>): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? NO_ID);
}

// The service of a single command has no web UI; `server-web-ui.test.ts` covers these routes.
const WEB_UI_ROUTES: ReadonlySet<RouteName> = new Set([
  'createSignInCode',
  'createSession',
  'deleteSessions',
]);

const rows = (Object.entries(ROUTES) as [RouteName, Route][]) // the table's own keys
  .filter(([name]) => !WEB_UI_ROUTES.has(name));

describe.each(rows)('route %s', (name, route) => {
  const validOptions = REQUESTS[name] ?? {};

  // The compared runs are selected in the query; `server-overview.test.ts` covers this route.
  test.skipIf(name === 'compareRuns')(
    `the route ${name} responds with 200, the documented body and the service header`,
    async () => {
      const { rig, ids } = route.method === 'GET' ? sharedService() : await openServiceWithRun();
      const response = await rig.call(route.method, pathOf(route, ids), validOptions);
      expect(response.status).toBe(200);
      expect(response.headers.get(SERVICE_HEADER)).toBe('0.0.0-test');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      if (route.responseType !== undefined)
        expect(response.headers.get('content-type')).toContain(route.responseType);
      else if (route.response === null) expect(response.text).toBe('');
      else expect(apiMismatch(route.response, response.json)).toBeNull();
    },
  );

  test(`with a missing or wrong key, the route ${name} responds with 401 and makes no change`, async () => {
    const { rig, ids } = sharedService();
    // The service limits the attempts with wrong keys.
    clock.advance(MINUTE);
    for (const key of [null, '0'.repeat(32), '']) {
      const response = await rig.call(route.method, pathOf(route, ids), { ...validOptions, key });
      expect(response.status, `the key ${key ?? 'omitted'}`).toBe(401);
      expect(apiMismatch('error', response.json)).toBeNull();
    }
    expect((await rig.call('GET', '/v2/apps')).json).toHaveLength(1);
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(1);
    expect(rig.runner.runs).toHaveLength(1);
  });

  if (route.path.includes(':')) {
    test(`for an unknown or invalid id, the route ${name} responds with 404`, async () => {
      const { rig } = sharedService();
      for (const id of [NO_ID, 'x', `${'f'.repeat(31)}F`, 'f'.repeat(300), '..%2f..%2fetc', '%00']) {
        const path = pathOf(route, { app_id: id, test_id: id, result_id: id, sha256: id, worker_id: id });
        const response = await rig.call(route.method, path, validOptions);
        expect(response.status, id).toBe(404);
        expect(apiMismatch('error', response.json)).toBeNull();
      }
    });
  }

  if (route.method !== 'GET') {
    test(`for a body with an unsupported content type, the route ${name} responds with 415`, async () => {
      const { rig, ids } = sharedService();
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

test('a request for a result of one test under the path of another test fails with status 404', async () => {
  const { rig, ids } = await openServiceWithRun();
  const other = (await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/b`) })).json;
  expect((await rig.call('GET', `/v2/tests/${other.test_id}/results/${ids.result_id}`)).status).toBe(404);
});

test('the health check does not require an API key', async () => {
  const { rig } = sharedService();
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
])(
  'the unknown route %s %s responds with 404, or with 401 to a request without a key',
  async (method, path) => {
    const { rig } = sharedService();
    const response = await rig.call(method, path);
    expect(response.status).toBe(404);
    expect(apiMismatch('error', response.json)).toBeNull();
    expect((await rig.call(method, path, { key: null })).status).toBe(401);
  },
);

test('GET /v2/servers of the embedded service lists only 127.0.0.1', async () => {
  const { rig } = sharedService();
  expect((await rig.call('GET', '/v2/servers')).json).toEqual({ ip_addresses: ['127.0.0.1'] });
});

test('GET /v2/servers of a self-hosted service lists at least one address', async () => {
  const rig = await openTestService({ mode: 'serve' });
  const { ip_addresses: addresses } = (await rig.call('GET', '/v2/servers')).json;
  expect(addresses.length).toBeGreaterThan(0);
});

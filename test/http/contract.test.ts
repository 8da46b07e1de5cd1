import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ROUTES, SERVICE_HEADER, type Route, type RouteName } from '../../src/contract/routes.ts';
import { misfitOf } from '../rig/schemas.ts';
import { openRig, smallTest, until, type CallOptions, type ServiceRig } from '../rig/service.ts';
import { EAST, workforce } from '../rig/workforce.ts';

const NO_ID = 'f'.repeat(32);
const HOST = '127.0.0.1:4080';

interface World {
  readonly rig: ServiceRig;
  readonly ids: Readonly<Record<'app_id' | 'test_id' | 'result_id' | 'sha256' | 'worker_id', string>>;
}

/** A shop with one app and one test that has run once. */
async function world(): Promise<World> {
  const rig = await openRig({ workforce: workforce([EAST]) });
  const appId = await rig.verifiedApp(HOST);
  const { test_id, result_id } = (await rig.call('POST', '/v2/tests', { json: smallTest(`http://${HOST}/`) }))
    .json;
  rig.runner.latest().end();
  await until(async () =>
    (await rig.call('GET', `/v2/tests/${test_id}`)).json.status === 'complete' ? true : null,
  );
  await rig.call('PUT', `/v2/payload-files/${SHA256}`, ROWS);
  return { rig, ids: { app_id: appId, test_id, result_id, sha256: SHA256, worker_id: EAST.id } };
}

const ROWS = { raw: { type: 'application/octet-stream', body: 'user\nanna\n' } };
const SHA256 = createHash('sha256').update(ROWS.raw.body).digest('hex');

/** What a good request to a route carries. */
const REQUESTS: Readonly<Partial<Record<RouteName, CallOptions>>> = {
  registerApp: { form: { app: HOST } },
  verifyApp: { form: { method: 'http' } },
  createTest: { json: smallTest(`http://${HOST}/`) },
  runIteration: { json: smallTest(`http://${HOST}/`) },
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
      const answer = await rig.call(route.method, pathOf(route, ids), good);
      expect(answer.status).toBe(200);
      expect(answer.headers.get(SERVICE_HEADER)).toBe('0.0.0-test');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      if (route.answer === null) expect(answer.text).toBe('');
      else expect(misfitOf(route.answer, answer.json)).toBeNull();
    },
  );

  test('answers 401 without the right key, and does nothing', async () => {
    const { rig, ids } = await world();
    for (const key of [null, '0'.repeat(32), '']) {
      const answer = await rig.call(route.method, pathOf(route, ids), { ...good, key });
      expect(answer.status, `the key ${key ?? 'left out'}`).toBe(401);
      expect(misfitOf('error', answer.json)).toBeNull();
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
        const answer = await rig.call(route.method, path, good);
        expect(answer.status, id).toBe(404);
        expect(misfitOf('error', answer.json)).toBeNull();
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
        const answer = await rig.call(route.method, pathOf(route, ids), { raw: { type, body: '{}' } });
        expect(answer.status, type).toBe(415);
        expect(misfitOf('error', answer.json)).toBeNull();
      }
    });
  }
});

test('a result is found only below its own test', async () => {
  const { rig, ids } = await world();
  const other = (await rig.call('POST', '/v2/tests', { json: smallTest(`http://${HOST}/b`) })).json;
  expect((await rig.call('GET', `/v2/tests/${other.test_id}/results/${ids.result_id}`)).status).toBe(404);
});

test('health needs no key', async () => {
  const rig = await openRig();
  const answer = await rig.call('GET', '/healthz', { key: null });
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ status: 'ok' });
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
  const rig = await openRig();
  const answer = await rig.call(method, path);
  expect(answer.status).toBe(404);
  expect(misfitOf('error', answer.json)).toBeNull();
  expect((await rig.call(method, path, { key: null })).status).toBe(401);
});

test('the addresses of an in-process service are loopback', async () => {
  const rig = await openRig();
  expect((await rig.call('GET', '/v2/servers')).json).toEqual({ ip_addresses: ['127.0.0.1'] });
});

test('the addresses of a service for others are there', async () => {
  const rig = await openRig({ mode: 'serve' });
  const { ip_addresses: addresses } = (await rig.call('GET', '/v2/servers')).json;
  expect(addresses.length).toBeGreaterThan(0);
});

/** The client with working services that differ in their details. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ServicePort } from '../../src/core/ports/service-port.ts';
import { createClient, type ServiceClient } from '../../src/client/client.ts';
import { ProblemError } from '../../src/core/problem.ts';
import { appId, testId } from '../../src/core/model/ids.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { seconds } from '../../src/core/units.ts';
import { createHostedClient, expectFailure, homeSpec, SHOP } from '../support/hosted-client.ts';
import { HOSTED_DEFAULTS, NEWER_LABELS, type HostedOptions } from '../support/hosted-options.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

async function start(
  options: Partial<HostedOptions> = {},
): Promise<{ service: HostedService; client: ServiceClient }> {
  const service = await startHostedService({ verifiedHosts: [SHOP], ...options });
  const client = createHostedClient(service.url);
  open.push(client, service);
  return { service, client };
}

const create = (client: ServiceClient, notes = '') =>
  client.createTest({ spec: homeSpec, notes, nonce: 'nonce-1' });

describe('extensions of a service', () => {
  it.each([
    ['an OpenAPI document that lists extensions', { extensions: ['methods', 'other'] }, ['methods', 'other']],
    ['an OpenAPI document that lists no extensions', { extensions: [] }, []],
    ['no OpenAPI document', { extensions: null }, []],
  ])('the client lists the extensions of a service with %s', async (_name, options, expected) => {
    const { client } = await start(options);
    expect([...(await client.listExtensions())]).toEqual(expected);
  });

  it('the client reports no extensions if the service returns an HTML page, an unrelated document or an error instead of its OpenAPI document', async () => {
    const other = { openapi: '3.0.0', info: {}, paths: {} };
    for (const response of ['page', { status: 200, body: other }, { status: 405 }] as const) {
      const { client, service } = await start({ extensions: ['methods'] });
      service.injectFault({ on: 'listExtensions', response });
      expect([...(await client.listExtensions())]).toEqual([]);
    }
  });

  it('the client reports LT_API_KEY if the service refuses the API key of a request for the OpenAPI document', async () => {
    const { client, service } = await start({ extensions: ['methods'] });
    service.injectFault({ on: 'listExtensions', response: { status: 401 } });
    const { problem } = await expectFailure(client.listExtensions());
    expect(problem.code).toBe('LT_API_KEY');
  });
});

describe('client calls for a complete workflow', () => {
  it('the client registers, verifies and deletes an app, creates, runs and stops a test, and reads the results of the test', async () => {
    const { service, client } = await start({ verifiedHosts: [], verification: 1, runFor: null });
    // The client implements the port that `apply` uses.
    const port: ServicePort = client;

    const app = await port.registerApp(SHOP);
    expect(app.verificationId).toBe(`acme-loads-${app.id}`);
    expect(await port.verifyApp(app.id, 'http')).toEqual({
      verified: false,
      errors: [`can't verify domain ${SHOP}`],
    });
    expect(await port.verifyApp(app.id, 'http')).toEqual({ verified: true });
    expect(await port.getApp(app.id)).toEqual({ id: app.id, host: SHOP, status: 'verified' });
    expect((await port.listApps()).items).toHaveLength(1);

    const created = await create(client, 'Before the sale');
    expect(created.status).toBe('running');
    const { test, progress } = await port.getTest(created.id);
    expect(test).toMatchObject({
      testType: 'cycling',
      notes: 'Before the sale',
      duration: 60_000,
      total: 20,
    });
    expect(progress).toBeNull();
    const [listed] = (await port.listTests()).items;
    expect(listed).toEqual({ ...test, targets: expect.any(Function) as unknown });
    expect(listed?.targets()).toEqual(test.targets());

    service.state.finishRuns();
    const results = await port.listResults(created.id);
    expect(results?.map((result) => [result.id, result.status])).toEqual([[created.resultId, 'ready']]);
    expect(results?.[0]?.record.metrics).toMatchObject({
      requests: 300,
      error_rate: 0,
      avg_response_time: 12,
    });
    if (created.resultId === null) throw new Error('the create returned no result');
    expect((await port.getResult(created.id, created.resultId))?.status).toBe('ready');

    const again = await port.runTest(created.id, 'nonce-2');
    expect(again.resultId).not.toBe(created.resultId);
    expect(await port.stopTest(created.id)).toEqual({ resultId: again.resultId, status: 'running' });
    expect((await port.getTest(created.id)).test.status).toBe('complete');
    expect((await port.listResults(created.id))?.map((result) => result.id)).toEqual([
      again.resultId,
      created.resultId,
    ]);

    await port.deleteApp(app.id);
    expect((await port.listTests()).items).toEqual([]);
    expect(service.executed).toMatchObject({ createTest: 1, runTest: 1, stopTest: 1, deleteApp: 1 });
    expect(port.supportsIdempotency()).toBe(false);
  });

  it('the client sends the documented bodies and headers, and requests uncompressed responses', async () => {
    const { service, client } = await start();
    await client.registerApp('www.example.com');
    const created = await create(client);
    await client.runTest(created.id, 'nonce-9').catch(() => undefined);

    const [register] = service.calls('registerApp');
    expect(register?.body).toBe('app=www.example.com');
    expect(register?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'accept-encoding': 'identity',
      'user-agent': 'loadtests/1.2.3',
      'acme-auth': HOSTED_DEFAULTS.key,
    });
    const [sent] = service.calls('createTest');
    expect(sent?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'nonce-1' });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ test_type: 'cycling', duration: 60, total: 20 });
    expect(service.calls('runTest')[0]?.headers['idempotency-key']).toBe('nonce-9');
  });

  it('the client opens a new connection for each write request, even if idle connections of read requests are available', async () => {
    const { service, client } = await start();
    await Promise.all(Array.from({ length: 8 }, () => client.listApps()));
    await client.registerApp('a.example');
    await client.registerApp('b.example');
    const reads = new Set(service.calls('listApps').map((entry) => entry.port));
    const writes = service.calls('registerApp').map((entry) => entry.port);
    expect(reads.size).toBeLessThan(8);
    expect(new Set([...reads, ...writes]).size).toBe(reads.size + 2);
    expect(service.calls('registerApp').map((entry) => entry.headers['connection'])).toEqual([
      'close',
      'close',
    ]);
  });

  it('the client appends the API path to a base URL with a path, and the hint of a 404 error names service.base_url', async () => {
    const { service } = await start();
    const client = createHostedClient(`${service.url}/api/loads/`);
    open.push(client);
    const error = await expectFailure(client.listTests());
    expect([error.status, error.problem.hint]).toEqual([404, expect.stringContaining('service.base_url')]);
    expect(service.log[0]?.path).toBe('/api/loads/v2/tests');
  });
});

describe('services with different response formats', () => {
  const dialects: Partial<HostedOptions>[] = [
    { emptyValue: 'null', unnamed: null },
    { emptyValue: 'object', numbersAsStrings: true },
    { emptyValue: 'list', unnamed: 'first-url' },
    { emptyValue: 'absent', labels: NEWER_LABELS },
    { shuffle: 7, appStatus: 'hidden', echoPasswords: true },
    { statusWords: { pending: 'queued', running: 'In Progress', complete: 'Finished' } },
  ];

  it.each(dialects)(
    'the client reads the expected fields of a test from a service with the response format %j',
    async (dialect) => {
      const { client } = await start(dialect);
      const created = await create(client, 'stored');
      const { items } = await client.listTests();
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        id: created.id,
        notes: 'stored',
        initial: 1,
        total: 20,
        duration: 60_000,
        timeout: 10_000,
        callback: null,
        scheduledAt: null,
      });
      expect(items[0]?.targets()).toMatchObject([
        { url: `http://${SHOP}/`, method: 'GET', credentials: null, headers: [], params: [], body: null },
      ]);
    },
  );

  it('the client preserves an unknown status of a test', async () => {
    const { service, client } = await start();
    const created = await create(client);
    const [stored] = service.state.tests;
    if (stored !== undefined) stored.status = 'Cooling down';
    expect((await client.getTest(created.id)).test.status).toBe('Cooling down');
  });

  it('the client reports the status of an app as unknown if the list of apps omits the status, but reads the status from the record of the app', async () => {
    const { client } = await start({ appStatus: 'record' });
    const [app] = (await client.listApps()).items;
    expect(app?.status).toBe('unknown');
    expect((await client.getApp(app?.id ?? appId('none'))).status).toBe('verified');
  });

  it('a scheduled test that the client creates is pending and has no run', async () => {
    const { client } = await start();
    const spec = { ...homeSpec, scheduledAt: Date.UTC(2100, 11, 24, 3) };
    const created = await client.createTest({ spec, notes: '', nonce: 'n' });
    expect(created).toMatchObject({ status: 'pending', resultId: null });
    expect((await client.getTest(created.id)).test.scheduledAt).toBe(spec.scheduledAt);
  });

  it('the client reads the progress of a running test', async () => {
    const { service, client } = await start({ runFor: null });
    const created = await create(client);
    const record = { test_id: created.id, test_type: 'Cycling', status: 'running', urls: [] };
    const progress = {
      elapsed_ms: 2_000,
      connections: 12,
      success: 40,
      error: 1,
      timeout_error: 2,
      network_error: 3,
      requests_per_second: 20.5,
      p95: null,
    };
    service.injectFault({ on: 'getTest', response: { status: 200, body: { ...record, progress } } });
    expect((await client.getTest(created.id)).progress).toEqual({
      elapsed: 2_000,
      connections: 12,
      success: 40,
      error: 1,
      timeoutError: 2,
      networkError: 3,
      requestsPerSecond: 20.5,
      p95: null,
      warmingUp: false,
    });
  });

  it.each([37, 'half', null, [], {}, { elapsed_ms: 'x' }])(
    'the client ignores progress in an unknown format: %j',
    async (progress) => {
      const { service, client } = await start();
      const body = { test_id: 'a', urls: [], status: 'running', progress };
      service.injectFault({ on: 'getTest', response: { status: 200, body } });
      expect(await client.getTest(testId('a'))).toMatchObject({ test: { id: 'a' }, progress: null });
    },
  );

  it('the client detects support for idempotency keys from the X-Loadtests-Service header of a list response', async () => {
    const { service, client } = await start();
    const headers = { 'x-loadtests-service': '1' };
    service.injectFault({ on: 'listApps', response: { status: 200, headers, body: [] } });
    await client.listApps();
    expect(client.supportsIdempotency()).toBe(true);
  });
});

describe('lists of a service', () => {
  it.each([
    [24, false],
    [25, true],
    [49, false],
    [50, true],
    [100, true],
    [101, false],
    [250, true],
    [500, true],
    [1000, true],
  ])('for a list of %i members, the client sets maybeTruncated to %s', async (count, maybeTruncated) => {
    const { service, client } = await start();
    for (let at = 0; at < count; at++) {
      service.state.addTest({ test_type: 'cycling', duration: 60, urls: [{ url: `http://${SHOP}/${at}` }] });
    }
    const list = await client.listTests();
    expect([list.items.length, list.maybeTruncated]).toEqual([count, maybeTruncated]);
  });

  it.each(['Link', 'X-Total-Count', 'X-Total', 'Content-Range'])(
    'the client treats a list of fewer than 7 members with the header %s: 7 as possibly truncated',
    async (name) => {
      const { client } = await start({ listHeaders: { [name]: '7' } });
      expect((await client.listTests()).maybeTruncated).toBe(true);
      expect((await client.listApps()).maybeTruncated).toBe(true);
    },
  );

  it.each([
    ['X-Total-Count', '25', false],
    ['X-Total', '31', true],
    ['Content-Range', 'items 0-24/25', false],
    ['Content-Range', 'items 0-24/31', true],
    ['X-Loadtests-Service', '1', false],
  ])(
    'for a list of 25 members with the header %s: %s, the client sets maybeTruncated to %s',
    async (name, value, maybeTruncated) => {
      const { service, client } = await start({ listHeaders: { [name]: value } });
      for (let at = 0; at < 25; at++) service.state.addTest({ test_type: 'cycling', duration: 60, urls: [] });
      expect((await client.listTests()).maybeTruncated).toBe(maybeTruncated);
    },
  );

  it('the client removes duplicate members from the list of tests', async () => {
    const { service, client } = await start();
    const record = { test_id: 'a1', urls: [], status: 'complete' };
    const body = [record, { ...record, test_id: 'b2' }, record];
    service.injectFault({ on: 'listTests', response: { status: 200, body } });
    expect((await client.listTests()).items.map((item) => item.id)).toEqual(['a1', 'b2']);
  });

  it('the client sorts results by start time, newest first, with undated results at the end', async () => {
    const { service, client } = await start();
    const at = (hour: number) => `2026-03-01T0${hour}:00:00Z`;
    const body = [
      { result_id: 'old', started_at: at(1), status: 'ready' },
      { result_id: 'undated', status: 'ready' },
      { result_id: 'new', started_at: at(3), status: 'not_ready' },
      { result_id: 'middle', started_at: at(2), status: 'ready' },
    ];
    service.injectFault({ on: 'listResults', response: { status: 200, body } });
    const results = await client.listResults(testId('t'));
    expect(results?.map((result) => result.id)).toEqual(['new', 'middle', 'old', 'undated']);
  });
});

describe('services that store or list only part of the data', () => {
  it.each([
    ['keeps notes', 'Before the sale [marker]', 'kept'],
    ['drops notes', null, 'dropped'],
    ['truncates notes to ten characters', 'Before the', 10],
  ] as const)('from a service that %s, the client reads the notes %j', async (_name, readBack, notes) => {
    const { client } = await start({ notes });
    const created = await create(client, 'Before the sale [marker]');
    expect((await client.getTest(created.id)).test.notes).toBe(readBack);
  });

  it('from a service with delayed lists, the client receives a new test only after the delay', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { client } = await start({ listLag: 2_000, clock: () => now });
    await create(client);
    expect((await client.listTests()).items).toEqual([]);
    now += 2_000;
    expect((await client.listTests()).items).toHaveLength(1);
  });

  it('the client marks a list as possibly truncated if the service truncates the list to 25 members', async () => {
    const { service, client } = await start({ truncatesLists: 25 });
    for (let at = 0; at < 40; at++) service.state.addTest({ test_type: 'cycling', duration: 60, urls: [] });
    const list = await client.listTests();
    expect([list.items.length, list.maybeTruncated]).toEqual([25, true]);
  });
});

describe('results of tests', () => {
  it.each(['missing', 'page'] as const)(
    'the client returns null for results if the service has no results route (simulated response: %s)',
    async (results) => {
      const { client } = await start({ results });
      const created = await create(client);
      expect(await client.listResults(created.id)).toBeNull();
      if (created.resultId === null) throw new Error('the create returned no result');
      expect(await client.getResult(created.id, created.resultId)).toBeNull();
    },
  );

  it('the client treats a 404 response as an empty list of results only after the service has returned a list of results', async () => {
    const { service, client } = await start();
    const created = await create(client);
    service.injectFault({
      on: 'listResults',
      response: { status: 404, body: { message: 'error', errors: [] } },
    });
    expect(await client.listResults(created.id)).toBeNull();
    expect(await client.listResults(created.id)).toHaveLength(1);
    service.injectFault({
      on: 'listResults',
      response: { status: 404, body: { message: 'error', errors: [] } },
    });
    expect(await client.listResults(created.id)).toEqual([]);
  });

  it('a request for the results of an unknown test fails with status 404', async () => {
    const { client } = await start();
    const error = await expectFailure(client.listResults(testId('f00')));
    expect(error).toMatchObject({ status: 404, outcome: 'refused' });
  });

  it('the client reports a result as not_ready until the service provides it', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { client } = await start({ notReadyFor: 5_000, runFor: 1_000, clock: () => now });
    const created = await create(client);
    now += 3_000;
    expect((await client.getTest(created.id)).test.status).toBe('complete');
    expect((await client.listResults(created.id))?.[0]).toMatchObject({
      status: 'not_ready',
      record: { metrics: {} },
    });
    now += 5_000;
    expect((await client.listResults(created.id))?.[0]?.status).toBe('ready');
  });
});

describe('app verification by a service', () => {
  it('the client reports a failed verification if the host does not serve the token file that the service requests', async () => {
    const host = await startHostedService();
    open.push(host);
    const { client } = await start({ verification: 'http' });
    const app = await client.registerApp(new URL(host.url).host);
    const response = await client.verifyApp(app.id, 'http');
    expect(response.verified).toBe(false);
    expect(host.log.map((entry) => entry.path)).toContain(`/acme-loads-${app.id}.txt`);
  });

  it('the client treats a verification response with the message "pending" as a failed verification', async () => {
    const { service, client } = await start();
    service.injectFault({ on: 'verifyApp', response: { status: 200, body: { message: 'pending' } } });
    expect(await client.verifyApp(appId('a'), 'http')).toEqual({
      verified: false,
      errors: ['the service responded "pending"'],
    });
  });

  it('the client treats a verification response with status 200 and an error object as a failed verification', async () => {
    const { service, client } = await start();
    service.injectFault({
      on: 'verifyApp',
      response: { status: 200, body: { message: 'error', errors: ['not yet'] } },
    });
    expect(await client.verifyApp(appId('a'), 'http')).toEqual({ verified: false, errors: ['not yet'] });
  });

  it('the verification of an unknown app fails with status 404', async () => {
    const { client } = await start();
    expect((await expectFailure(client.verifyApp(appId('gone'), 'http'))).status).toBe(404);
  });
});

describe('requests and options that the client rejects before sending', () => {
  const options = {
    authHeader: 'acme-auth',
    key: new Secret('LOADTESTS_API_KEY', 'k'),
    requestTimeout: seconds(1),
    version: '1',
  };
  const codeOf = (more: Partial<Parameters<typeof createClient>[0]>): string | null => {
    try {
      void createClient({ baseUrl: 'https://api.example.com', ...options, ...more }).close();
      return null;
    } catch (error) {
      if (error instanceof ProblemError) return error.problem.code;
      throw error;
    }
  };

  it.each([
    ['http://api.example.com', 'LT_CLI_UNSAFE'],
    ['http://10.0.0.7:8080', 'LT_CLI_UNSAFE'],
    ['http://localhost.example.com', 'LT_CLI_UNSAFE'],
    ['http://127.0.0.1.example.com', 'LT_CLI_UNSAFE'],
    ['ftp://api.example.com', 'LT_CONFIG_VALUE'],
    ['api.example.com', 'LT_CONFIG_VALUE'],
    ['https://me:secret@api.example.com', 'LT_CONFIG_VALUE'],
    ['https://api.example.com/?key=1', 'LT_CONFIG_VALUE'],
  ])('the client rejects the service address %s with the problem code %s', (baseUrl, code) => {
    expect(codeOf({ baseUrl })).toBe(code);
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://0x7f.1',
    'http://[::1]:8080',
    'http://localhost',
    'https://api.example.com/base',
  ])('the client accepts the service address %s', (baseUrl) => {
    expect(codeOf({ baseUrl })).toBeNull();
  });

  it('the client accepts an http address of another machine if plain HTTP is allowed', () => {
    expect(codeOf({ baseUrl: 'http://api.example.com', allowPlainHttp: true })).toBeNull();
  });

  it.each(['host', 'Content-Length', 'a b', '', 'x\r\ny'])(
    'the client rejects %j as the name of the API key header',
    (authHeader) => {
      expect(codeOf({ authHeader })).toBe('LT_CONFIG_VALUE');
    },
  );

  it.each([null, '', 'two\r\nlines', 'schlüssel'])(
    'the client sends no request with the missing or invalid API key %j',
    async (key) => {
      const { service } = await start();
      const client = createHostedClient(service.url, { key: new Secret('LOADTESTS_API_KEY', key) });
      open.push(client);
      const error = await expectFailure(client.listApps());
      expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_API_KEY' } });
      expect(error.message).toContain('LOADTESTS_API_KEY');
      expect(service.log).toEqual([]);
    },
  );

  it('the client rejects a test with a secret that is not set', async () => {
    const { service, client } = await start();
    const [target] = homeSpec.targets;
    if (target === undefined) throw new Error('the spec has no target');
    const body = { kind: 'text', text: { parts: ['pin=', new Secret('SHOP_PIN', null)] } } as const;
    const spec = { ...homeSpec, targets: [{ ...target, body }] };
    const error = await expectFailure(client.createTest({ spec, notes: '', nonce: 'n' }));
    expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_CONFIG_SECRET_MISSING' } });
    expect(service.log).toEqual([]);
  });

  it('the client rejects an id that would change the request path', async () => {
    const { service, client } = await start();
    // Only a type cast can pass such a value; the check is a second safeguard.
    await expect(client.getTest('../apps' as ReturnType<typeof testId>)).rejects.toThrow('Bug:');
    expect(service.log).toEqual([]);
  });
});

it('closing the client twice succeeds, ends active calls, and prevents later calls', async () => {
  const { service, client } = await start();
  const hang = service.injectFault({ on: 'listApps', response: 'hang', times: 99 });
  const call = expectFailure(client.listApps());
  await hang.triggered;
  await client.close();
  await client.close();
  expect((await call).problem.code).toBe('LT_CLI_INTERRUPTED');
  expect((await expectFailure(client.listApps())).outcome).toBe('not_sent');
  expect(service.log).toHaveLength(1);
});

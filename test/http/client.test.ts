/** What the client makes of services that work, each in its own way. */
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

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

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

describe('extensions', () => {
  it.each([
    ['an OpenAPI document that names some', { extensions: ['methods', 'other'] }, ['methods', 'other']],
    ['one that names none', { extensions: [] }, []],
    ['no such document', { extensions: null }, []],
  ])('of a service with %s', async (_name, options, expected) => {
    const { client } = await start(options);
    expect([...(await client.listExtensions())]).toEqual(expected);
  });

  it('of a service that answers with a page, or with another document, are none', async () => {
    const other = { openapi: '3.0.0', info: {}, paths: {} };
    for (const response of ['page', { status: 200, body: other }, { status: 405 }] as const) {
      const { client, service } = await start({ extensions: ['methods'] });
      service.injectFault({ on: 'listExtensions', response });
      expect([...(await client.listExtensions())]).toEqual([]);
    }
  });

  it('are not known without the key', async () => {
    const { client, service } = await start({ extensions: ['methods'] });
    service.injectFault({ on: 'listExtensions', response: { status: 401 } });
    const { problem } = await expectFailure(client.listExtensions());
    expect(problem.code).toBe('LT_API_KEY');
  });
});

describe('the whole way', () => {
  it('registers, verifies, creates, follows, reads the result, stops and deletes', async () => {
    const { service, client } = await start({ verifiedHosts: [], verification: 1, runFor: null });
    // The client is what carrying out a plan asks for.
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

    const made = await create(client, 'Before the sale');
    expect(made.status).toBe('running');
    const { test, progress } = await port.getTest(made.id);
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
    const results = await port.listResults(made.id);
    expect(results?.map((result) => [result.id, result.status])).toEqual([[made.resultId, 'ready']]);
    expect(results?.[0]?.metrics).toMatchObject({ requests: 300, error_rate: 0, avg_response_time: 12 });
    if (made.resultId === null) throw new Error('the create told no result');
    expect((await port.getResult(made.id, made.resultId))?.status).toBe('ready');

    const again = await port.runTest(made.id, 'nonce-2');
    expect(again.resultId).not.toBe(made.resultId);
    expect(await port.stopTest(made.id)).toEqual({ resultId: again.resultId, status: 'running' });
    expect((await port.getTest(made.id)).test.status).toBe('complete');
    expect((await port.listResults(made.id))?.map((result) => result.id)).toEqual([
      again.resultId,
      made.resultId,
    ]);

    expect(await port.listServers()).toEqual(['192.0.2.10', '192.0.2.11']);
    await port.deleteApp(app.id);
    expect((await port.listTests()).items).toEqual([]);
    expect(service.executed).toMatchObject({ createTest: 1, runTest: 1, stopTest: 1, deleteApp: 1 });
    expect(port.supportsIdempotency()).toBe(false);
  });

  it('sends what the documents ask for and nothing that asks for compression', async () => {
    const { service, client } = await start();
    await client.registerApp('www.example.com');
    const made = await create(client);
    await client.runTest(made.id, 'nonce-9').catch(() => undefined);

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

  it('uses a connection of its own for each write', async () => {
    const { service, client } = await start();
    await client.listApps();
    await client.registerApp('a.example');
    await client.listApps();
    await client.registerApp('b.example');
    await client.listApps();
    const reads = service.calls('listApps').map((entry) => entry.port);
    const writes = service.calls('registerApp').map((entry) => entry.port);
    expect(new Set([...reads, ...writes]).size).toBe(new Set(reads).size + 2);
    expect(service.calls('registerApp').map((entry) => entry.headers['connection'])).toEqual([
      'close',
      'close',
    ]);
  });

  it('reads a base address with a path', async () => {
    const { service } = await start();
    const client = createHostedClient(`${service.url}/api/loads/`);
    open.push(client);
    const error = await expectFailure(client.listTests());
    expect([error.status, error.problem.hint]).toEqual([404, expect.stringContaining('service.base_url')]);
    expect(service.log[0]?.path).toBe('/api/loads/v2/tests');
  });
});

describe('services that spell things in their own way', () => {
  const dialects: Partial<HostedOptions>[] = [
    { emptyValue: 'null', unnamed: null },
    { emptyValue: 'object', numbersAsStrings: true },
    { emptyValue: 'list', unnamed: 'first-url' },
    { emptyValue: 'absent', labels: NEWER_LABELS },
    { shuffle: 7, appStatus: 'hidden', echoPasswords: true },
    { statusWords: { pending: 'queued', running: 'In Progress', complete: 'Finished' } },
  ];

  it.each(dialects)('read the same test back: %j', async (dialect) => {
    const { client } = await start(dialect);
    const made = await create(client, 'kept');
    const { items } = await client.listTests();
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      id: made.id,
      notes: 'kept',
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
  });

  it('keeps a status word that it does not know', async () => {
    const { service, client } = await start();
    const made = await create(client);
    const [held] = service.state.tests;
    if (held !== undefined) held.status = 'Cooling down';
    expect((await client.getTest(made.id)).test.status).toBe('Cooling down');
  });

  it('tells apps without a status as unknown', async () => {
    const { client } = await start({ appStatus: 'record' });
    const [app] = (await client.listApps()).items;
    expect(app?.status).toBe('unknown');
    expect((await client.getApp(app?.id ?? appId('none'))).status).toBe('verified');
  });

  it('creates a scheduled test without a run', async () => {
    const { client } = await start();
    const spec = { ...homeSpec, scheduledAt: Date.UTC(2100, 11, 24, 3) };
    const made = await client.createTest({ spec, notes: '', nonce: 'n' });
    expect(made).toMatchObject({ status: 'pending', resultId: null });
    expect((await client.getTest(made.id)).test.scheduledAt).toBe(spec.scheduledAt);
  });

  it('reads the progress that our own service tells while a test runs', async () => {
    const { service, client } = await start({ runFor: null });
    const made = await create(client);
    const record = { test_id: made.id, test_type: 'Cycling', status: 'running', urls: [] };
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
    expect((await client.getTest(made.id)).progress).toEqual({
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
    'takes progress %j of another kind for none',
    async (progress) => {
      const { service, client } = await start();
      const body = { test_id: 'a', urls: [], status: 'running', progress };
      service.injectFault({ on: 'getTest', response: { status: 200, body } });
      expect(await client.getTest(testId('a'))).toMatchObject({ test: { id: 'a' }, progress: null });
    },
  );

  it('knows from the first answer that a service honours idempotency keys', async () => {
    const { service, client } = await start();
    const headers = { 'x-loadtests-service': '1' };
    service.injectFault({ on: 'listApps', response: { status: 200, headers, body: [] } });
    await client.listApps();
    expect(client.supportsIdempotency()).toBe(true);
  });
});

describe('lists', () => {
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
  ])('of %i members are perhaps cut: %s', async (count, perhapsCut) => {
    const { service, client } = await start();
    for (let at = 0; at < count; at++) {
      service.state.addTest({ test_type: 'cycling', duration: 60, urls: [{ url: `http://${SHOP}/${at}` }] });
    }
    const list = await client.listTests();
    expect([list.items.length, list.maybeTruncated]).toEqual([count, perhapsCut]);
  });

  it.each(['Link', 'X-Total-Count', 'X-Total', 'Content-Range'])(
    'with a %s header are perhaps cut',
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
  ])('of 25 members with %s: %s are perhaps cut: %s', async (name, value, perhapsCut) => {
    const { service, client } = await start({ listHeaders: { [name]: value } });
    for (let at = 0; at < 25; at++) service.state.addTest({ test_type: 'cycling', duration: 60, urls: [] });
    expect((await client.listTests()).maybeTruncated).toBe(perhapsCut);
  });

  it('hold each member once', async () => {
    const { service, client } = await start();
    const record = { test_id: 'a1', urls: [], status: 'complete' };
    const body = [record, { ...record, test_id: 'b2' }, record];
    service.injectFault({ on: 'listTests', response: { status: 200, body } });
    expect((await client.listTests()).items.map((item) => item.id)).toEqual(['a1', 'b2']);
  });

  it('of results come newest first, whatever the service does', async () => {
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

describe('services that keep less than they are given', () => {
  it.each([
    ['kept', 'Before the sale [mark]'],
    ['dropped', null],
    [10, 'Before the'],
  ] as const)('notes %s', async (notes, readBack) => {
    const { client } = await start({ notes });
    const made = await create(client, 'Before the sale [mark]');
    expect((await client.getTest(made.id)).test.notes).toBe(readBack);
  });

  it('lists that lag show a test later', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { client } = await start({ listLag: 2_000, clock: () => now });
    await create(client);
    expect((await client.listTests()).items).toEqual([]);
    now += 2_000;
    expect((await client.listTests()).items).toHaveLength(1);
  });

  it('lists that are cut off look like pages', async () => {
    const { service, client } = await start({ truncatesLists: 25 });
    for (let at = 0; at < 40; at++) service.state.addTest({ test_type: 'cycling', duration: 60, urls: [] });
    const list = await client.listTests();
    expect([list.items.length, list.maybeTruncated]).toEqual([25, true]);
  });
});

describe('results', () => {
  it.each(['missing', 'page'] as const)('are null where the service has none (%s)', async (results) => {
    const { client } = await start({ results });
    const made = await create(client);
    expect(await client.listResults(made.id)).toBeNull();
    if (made.resultId === null) throw new Error('the create told no result');
    expect(await client.getResult(made.id, made.resultId)).toBeNull();
  });

  it('of one test that has none are an empty list where others have some', async () => {
    const { service, client } = await start();
    const made = await create(client);
    service.injectFault({
      on: 'listResults',
      response: { status: 404, body: { message: 'error', errors: [] } },
    });
    expect(await client.listResults(made.id)).toBeNull();
    expect(await client.listResults(made.id)).toHaveLength(1);
    service.injectFault({
      on: 'listResults',
      response: { status: 404, body: { message: 'error', errors: [] } },
    });
    expect(await client.listResults(made.id)).toEqual([]);
  });

  it('of a test that does not exist are an error', async () => {
    const { client } = await start();
    const error = await expectFailure(client.listResults(testId('f00')));
    expect(error).toMatchObject({ status: 404, outcome: 'refused' });
  });

  it('are not_ready for a while', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { client } = await start({ notReadyFor: 5_000, runFor: 1_000, clock: () => now });
    const made = await create(client);
    now += 3_000;
    expect((await client.getTest(made.id)).test.status).toBe('complete');
    expect((await client.listResults(made.id))?.[0]).toMatchObject({ status: 'not_ready', figures: {} });
    now += 5_000;
    expect((await client.listResults(made.id))?.[0]?.status).toBe('ready');
  });
});

describe('verification', () => {
  it('is really asked of the host where the service does so', async () => {
    const host = await startHostedService();
    open.push(host);
    const { client } = await start({ verification: 'http' });
    const app = await client.registerApp(new URL(host.url).host);
    const response = await client.verifyApp(app.id, 'http');
    expect(response.verified).toBe(false);
    expect(host.log.map((entry) => entry.path)).toContain(`/acme-loads-${app.id}.txt`);
  });

  it('counts only on the word that the documents show', async () => {
    const { service, client } = await start();
    service.injectFault({ on: 'verifyApp', response: { status: 200, body: { message: 'pending' } } });
    expect(await client.verifyApp(appId('a'), 'http')).toEqual({
      verified: false,
      errors: ['the service responded "pending"'],
    });
  });

  it('that fails with status 200 is an answer as well', async () => {
    const { service, client } = await start();
    service.injectFault({
      on: 'verifyApp',
      response: { status: 200, body: { message: 'error', errors: ['not yet'] } },
    });
    expect(await client.verifyApp(appId('a'), 'http')).toEqual({ verified: false, errors: ['not yet'] });
  });

  it('of an unknown app is an error', async () => {
    const { client } = await start();
    expect((await expectFailure(client.verifyApp(appId('gone'), 'http'))).status).toBe(404);
  });
});

describe('what is refused before anything is sent', () => {
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
    ['http://127.0.0.1:8080', null],
    ['http://0x7f.1', null],
    ['http://[::1]:8080', null],
    ['http://localhost', null],
    ['https://api.example.com/base', null],
    ['ftp://api.example.com', 'LT_CONFIG_VALUE'],
    ['api.example.com', 'LT_CONFIG_VALUE'],
    ['https://me:secret@api.example.com', 'LT_CONFIG_VALUE'],
    ['https://api.example.com/?key=1', 'LT_CONFIG_VALUE'],
  ])('address %s: %s', (baseUrl, code) => {
    expect(codeOf({ baseUrl })).toBe(code);
  });

  it('plain http to another machine, unless it is allowed', () => {
    expect(codeOf({ baseUrl: 'http://api.example.com', allowPlainHttp: true })).toBeNull();
  });

  it.each(['host', 'Content-Length', 'a b', '', 'x\r\ny'])('a key in header %j', (authHeader) => {
    expect(codeOf({ authHeader })).toBe('LT_CONFIG_VALUE');
  });

  it.each([null, '', 'two\r\nlines', 'schlüssel'])('key %j', async (key) => {
    const { service } = await start();
    const client = createHostedClient(service.url, { key: new Secret('LOADTESTS_API_KEY', key) });
    open.push(client);
    const error = await expectFailure(client.listApps());
    expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_API_KEY' } });
    expect(error.message).toContain('LOADTESTS_API_KEY');
    expect(service.log).toEqual([]);
  });

  it('a test whose secret is not set', async () => {
    const { service, client } = await start();
    const [target] = homeSpec.targets;
    if (target === undefined) throw new Error('the spec has no target');
    const body = { parts: ['pin=', new Secret('SHOP_PIN', null)] };
    const spec = { ...homeSpec, targets: [{ ...target, body }] };
    const error = await expectFailure(client.createTest({ spec, notes: '', nonce: 'n' }));
    expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_CONFIG_SECRET_MISSING' } });
    expect(service.log).toEqual([]);
  });

  it('an id that could leave its place in a path', async () => {
    const { service, client } = await start();
    // Only a cast can bring such a value here; the check is the second lock on the door.
    await expect(client.getTest('../apps' as ReturnType<typeof testId>)).rejects.toThrow('Bug:');
    expect(service.log).toEqual([]);
  });
});

it('close can be called twice, and ends what is still going on', async () => {
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

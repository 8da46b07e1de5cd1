/** Requests in the formats of public API clients; each has the effect that its client expects. */
import { describe, expect, test } from 'vitest';
import { apiMismatch } from '../support/schema-checks.ts';
import {
  ANY_ID,
  openTestService,
  smallTestFields,
  waitUntil,
  type ServiceResponse,
  type TestService,
} from '../support/test-service.ts';

const HOST = '127.0.0.1:4080';
const URL_OF = `http://${HOST}/`;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

async function openService(): Promise<TestService> {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  return rig;
}

/** Body of a request, and the content type that the client declares. */
interface Shape {
  readonly type: string | null;
  readonly body: string;
}

const json = (value: unknown, type: string | null = JSON_TYPE): Shape => ({
  type,
  body: JSON.stringify(value),
});
const form = (pairs: readonly (readonly [string, string])[], type: string | null = FORM_TYPE): Shape => ({
  type,
  body: pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&'),
});

async function post(rig: TestService, path: string, { type, body }: Shape): Promise<ServiceResponse> {
  return await rig.call('POST', path, { raw: { type, body } });
}

async function createTest(rig: TestService, shape: Shape): Promise<ServiceResponse> {
  const response = await post(rig, '/v2/tests', shape);
  expect(response.text).toContain('"success"');
  expect(apiMismatch('test-created', response.json)).toBeNull();
  return response;
}

describe('formats of app registrations', () => {
  test.each<readonly [string, string, Shape]>([
    ['a form', '/v2/apps', form([['app', HOST]])],
    ['a form declared as text', '/v2/apps', form([['app', HOST]], 'text/plain;charset=UTF-8')],
    ['a form without a content type', '/v2/apps', form([['app', HOST]], null)],
    ['JSON', '/v2/apps', json({ app: HOST })],
    ['JSON declared as text', '/v2/apps', json({ app: HOST }, 'text/plain')],
    ['JSON without a content type', '/v2/apps', json({ app: HOST }, null)],
    ['JSON with the form type that curl and PHP send by default', '/v2/apps', json({ app: HOST }, FORM_TYPE)],
    ['JSON with a byte order mark', '/v2/apps', { type: JSON_TYPE, body: `\ufeff{"app":"${HOST}"}` }],
    ['a form with the former name of the field', '/v2/apps', form([['domain', HOST]])],
    ['a path with a trailing slash', '/v2/apps/', form([['app', HOST]])],
    ['a path with two slashes', '/v2//apps', form([['app', HOST]])],
    ['a path with the suffix ".json"', '/v2/apps.json', json({ app: HOST })],
    [
      'a record from the list of apps',
      '/v2/apps',
      json({ app: HOST, status: 'verified', app_id: 'f'.repeat(32) }),
    ],
  ])('the service accepts an app registration request with %s', async (_, path, shape) => {
    const rig = await openTestService();
    const response = await post(rig, path, shape);
    expect(response.json).toMatchObject({ message: 'success', app_id: ANY_ID, verification_id: /^service-/ });
    expect((await rig.call('GET', '/v2/apps')).list).toMatchObject([{ app: HOST, status: 'unverified' }]);
  });

  test.each([
    [`http://${HOST}`, HOST],
    ['https://www.example.com/', 'www.example.com'],
    ['HTTPS://User:hunter2@WWW.example.com:8443/shop?a=1', 'www.example.com:8443'],
  ])('registering the URL %s is refused, and the error suggests the host %s', async (app, host) => {
    const rig = await openTestService();
    const response = await rig.call('POST', '/v2/apps', { form: { app } });
    expect(response.status).toBe(422);
    expect(apiMismatch('error', response.json)).toBeNull();
    expect(response.json.errors).toHaveLength(1);
    expect(response.json.errors[0]).toContain(`use the host "${host}", not a URL`);
  });

  test.each(['//www.example.com', 'ftp://www.example.com/'])(
    'registering the URL %s is refused, and the error suggests no host',
    async (app) => {
      const rig = await openTestService();
      const response = await rig.call('POST', '/v2/apps', { form: { app } });
      expect(response.status).toBe(422);
      expect(apiMismatch('error', response.json)).toBeNull();
      expect(response.json.errors).toHaveLength(1);
      expect(response.json.errors[0]).not.toContain('use the host');
    },
  );
});

describe('formats of app verifications', () => {
  test.each<readonly [string, Shape]>([
    ['a form', form([['method', 'http']])],
    ['a form declared as text', form([['method', 'http']], 'text/plain')],
    ['a method in uppercase', json({ method: 'HTTP' })],
    ['an empty object', json({})],
    ['an empty list, as PHP encodes an empty object', json([])],
    ['the body null', json(null)],
    ['the method null', json({ method: null })],
    ['an empty body declared as JSON', { type: JSON_TYPE, body: '' }],
    ['an empty body declared as text', { type: 'text/plain', body: '' }],
    ['an empty body', { type: null, body: '' }],
  ])('an app is verified by a verification request with %s', async (_, shape) => {
    const rig = await openTestService();
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: HOST } })).json;
    const response = await post(rig, `/v2/apps/${id}/verify/`, shape);
    expect(response.json).toEqual({ app_id: id, message: 'success' });
  });
});

describe('formats of tests', () => {
  const small = { test_type: 'per-test', duration: 60, total: 250 };
  const one = { ...small, urls: [{ url: URL_OF }] };
  const rails = [
    ['test_type', 'cycling'],
    ['initial', '1'],
    ['total', '250'],
    ['duration', '60'],
    ['error_threshold', '12.5'],
    ['name', 'Two pages'],
    ['callback', ''],
  ] as const;
  const railsUrls = [
    ['urls[][url]', `${URL_OF}a b`.replace(' ', '%20')],
    ['urls[][request_type]', 'Post'],
    ['urls[][credentials][login]', 'ci'],
    ['urls[][credentials][password]', 'secret & more'],
    ['urls[][headers][Accept]', 'text/html, */*'],
    ['urls[][request_params][user[name]', 'x'],
    ['urls[][url]', `${URL_OF}b`],
    ['urls[][variables][][name]', 'csrf'],
    ['urls[][variables][][property]', 'X-Csrf'],
    ['urls[][variables][][source]', 'header'],
    ['urls[][variables][][name]', 'id'],
    ['urls[][variables][][property]', 'X-Id'],
    ['urls[][variables][][source]', 'header'],
  ] as const;
  const formUrls = railsUrls.filter(([name]) => !name.includes('user[name'));
  const twoPages = {
    testType: 'cycling',
    initial: 1,
    total: 250,
    duration: 60_000,
    errorThreshold: 12.5,
    targets: [
      {
        path: '/a%20b',
        method: 'POST',
        headers: [{ name: 'Accept', value: 'text/html, */*' }],
        credentials: { login: 'ci', password: 'secret & more' },
      },
      {
        path: '/b',
        method: 'GET',
        variables: [
          { name: 'csrf', header: 'X-Csrf' },
          { name: 'id', header: 'X-Id' },
        ],
      },
    ],
  };
  const oldPage = { url: `${URL_OF}old`, request_type: 'POST', post_body: 'a=b' };
  const oldJob = {
    testType: 'cycling',
    initial: 10,
    total: 250,
    duration: 60_000,
    targets: [{ path: '/old', method: 'POST', body: { kind: 'text', text: 'a=b' } }],
  };

  test.each<readonly [string, Shape, object]>([
    ['JSON', json(one), { testType: 'non-cycling', total: 250 }],
    ['JSON without a content type', json(one, null), { total: 250 }],
    ['JSON declared as text', json(one, 'text/plain; charset=utf-8'), { total: 250 }],
    ['JSON with the type of a form', json(one, FORM_TYPE), { total: 250 }],
    ['a form with lists of maps', form([...rails, ...formUrls]), twoPages],
    ['a form without a content type', form([...rails, ...formUrls], null), twoPages],
    [
      'a form with numbered lists',
      form([
        ...rails,
        ...formUrls.map(([name, value], index): readonly [string, string] => [
          name
            .replace('urls[]', `urls[${index < 5 ? 0 : 1}]`)
            .replace('variables[]', `variables[${index < 9 ? 0 : 1}]`),
          value,
        ]),
      ]),
      twoPages,
    ],
    [
      'a form with a Boolean field',
      form([
        ['test_type', 'Cycling'],
        ['duration', '5'],
        ['tls_verify', 'false'],
        ['urls[][url]', URL_OF],
      ]),
      { testType: 'cycling', tlsVerify: false, total: 60 },
    ],
    [
      'JSON with the label of a test type',
      json({ ...one, test_type: 'Clients Per Second', total: 5 }),
      { testType: 'per-second' },
    ],
    [
      'JSON with null for unset fields',
      json({
        ...one,
        initial: null,
        timeout: null,
        error_threshold: null,
        callback: null,
        callback_email: null,
        scheduled_at: null,
        name: null,
        notes: null,
        tls_verify: null,
        tag_names: null,
        stages: null,
        urls: [
          {
            url: URL_OF,
            request_type: null,
            credentials: null,
            authentication: null,
            headers: null,
            request_params: null,
            raw_post_body: null,
            payload_file_url: null,
            variables: null,
          },
        ],
      }),
      {
        initial: 0,
        timeout: 10_000,
        tlsVerify: true,
        targets: [{ method: 'GET', body: null }],
      },
    ],
    [
      'a form with empty strings for unset fields',
      form([
        ...Object.entries({ ...small, callback: '', callback_email: '', notes: '', timeout: '' }).map(
          ([name, value]) => [name, String(value)] as const,
        ),
        ['urls[][url]', URL_OF],
        ['urls[][raw_post_body]', ''],
      ]),
      { timeout: 10_000, targets: [{ method: 'GET', body: null }] },
    ],
    [
      'JSON with empty lists for empty maps, as PHP encodes them',
      json({ ...one, urls: [{ url: URL_OF, headers: [], request_params: [], authentication: [] }] }),
      { targets: [{ headers: [], credentials: null }] },
    ],
    [
      'JSON with maps for lists, as PHP encodes lists with removed members',
      json({ ...one, urls: { 1: { url: URL_OF }, 3: { url: `${URL_OF}b` } } }),
      { targets: [{ path: '/' }, { path: '/b' }] },
    ],
    [
      'JSON with pairs of keys and values',
      json({
        ...one,
        urls: [
          {
            url: URL_OF,
            headers: [{ key: 'Accept', value: '*/*' }],
            request_params: [
              { key: 'a', value: 1 },
              { key: 'b', value: 'c' },
            ],
          },
        ],
      }),
      {
        targets: [
          {
            headers: [{ name: 'Accept', value: '*/*' }],
            body: {
              fields: [
                { name: 'a', value: '1' },
                { name: 'b', value: 'c' },
              ],
            },
          },
        ],
      },
    ],
    [
      'JSON with numbers and booleans as values of headers and parameters',
      json({
        ...one,
        urls: [
          {
            url: URL_OF,
            headers: { 'X-Version': 2, 'X-Debug': true, 'X-Gone': null },
            request_params: { page: 1.5, all: false, big: 9007199254740991, gone: null },
          },
        ],
      }),
      {
        targets: [
          {
            headers: [
              { name: 'X-Version', value: '2' },
              { name: 'X-Debug', value: 'true' },
            ],
            body: {
              fields: [
                { name: 'page', value: '1.5' },
                { name: 'all', value: 'false' },
                { name: 'big', value: '9007199254740991' },
              ],
            },
          },
        ],
      },
    ],
    [
      'JSON with credentials in the field "authentication"',
      json({
        ...one,
        urls: [{ url: URL_OF, authentication: { type: 'basic', login: 'ci', password: 'secret' } }],
      }),
      { targets: [{ credentials: { login: 'ci', password: 'secret' } }] },
    ],
    [
      'JSON with both "authentication" and "credentials"',
      json({
        ...one,
        urls: [
          {
            url: URL_OF,
            authentication: { type: 'basic', login: 'ci' },
            credentials: { login: 'ci', password: 'secret' },
          },
        ],
      }),
      { targets: [{ credentials: { login: 'ci', password: 'secret' } }] },
    ],
    [
      'JSON with an empty object for no credentials',
      json({
        ...one,
        urls: [{ url: URL_OF, authentication: {}, credentials: { login: null, password: null } }],
      }),
      { targets: [{ credentials: null }] },
    ],
    [
      'JSON with a lowercase method',
      json({ ...one, urls: [{ url: URL_OF, request_type: 'post' }] }),
      {
        targets: [{ method: 'POST' }],
      },
    ],
    ['a request of the first API version with one URL', json({ ...oldPage, load: '10-250-60' }), oldJob],
    [
      'a request of the first API version with a list of URLs',
      json({ urls: [oldPage], load: '10-250-60' }),
      oldJob,
    ],
    [
      'a form of the first API version with credentials for all URLs',
      form([
        ['url', URL_OF],
        ['load', '0-250-60'],
        ['user_login', 'ci'],
        ['user_password', 'secret'],
      ]),
      { testType: 'cycling', targets: [{ credentials: { login: 'ci', password: 'secret' } }] },
    ],
  ])('a test is created from %s', async (_, shape, job) => {
    const rig = await openService();
    await createTest(rig, shape);
    expect(rig.runner.latest().job).toMatchObject(job);
  });
});

describe('fields without an effect', () => {
  test('the field "tag_names" is stored and listed, and the response warns that the field has no effect', async () => {
    const rig = await openService();
    const response = await createTest(rig, json(smallTestFields(URL_OF, { tag_names: ['nightly', 'shop'] })));
    expect(response.json).toMatchObject({
      warnings: ['"tag_names" has no effect; the service only stores and returns it'],
    });
    const listed = { tag_names: ['nightly', 'shop'] };
    expect((await rig.call('GET', '/v2/tests')).list).toMatchObject([listed]);
    expect((await rig.call('GET', `/v2/tests/${response.json.test_id}`)).json).toMatchObject(listed);
  });

  test('a test whose fields all have an effect causes no warnings', async () => {
    const rig = await openService();
    expect((await createTest(rig, json(smallTestFields(URL_OF)))).json).not.toHaveProperty('warnings');
    const plain = (await rig.call('GET', '/v2/tests')).list[0];
    expect(plain).not.toHaveProperty('tag_names');
  });

  test('the field "initial" of a non-cycling test causes a warning that the field has no effect', async () => {
    const rig = await openService();
    const response = await createTest(rig, json(smallTestFields(URL_OF, { initial: 5 })));
    expect(response.json).toMatchObject({ warnings: ['"initial" has no effect on a non-cycling test'] });
  });
});

describe('records from a list that are sent back as requests', () => {
  const full = {
    test_type: 'cycling',
    duration: 5,
    initial: 1,
    total: 5,
    timeout: 500,
    name: 'Home',
    notes: 'Text',
    tls_verify: false,
    tag_names: ['a'],
    error_threshold: 12,
    urls: [
      { url: URL_OF },
      {
        url: `${URL_OF}b`,
        request_type: 'PUT',
        headers: { a: 'b' },
        request_params: { c: 'd' },
        variables: [{ name: 'v', property: 'X-V', source: 'header' }],
        expect: { status: [201, '2xx'], headers: { server: '*' } },
      },
      { url: `${URL_OF}c`, request_type: 'POST', raw_post_body: '{{v}}', delay: 500 },
    ],
  };
  const staged = { ...full, initial: 0, stages: [{ for: 5, to: 5 }] };

  test.each([
    ['a small test', smallTestFields(URL_OF)],
    ['a test with all fields', full],
    ['a test with stages', staged],
    ['a per-second test with all fields', { ...full, test_type: 'per-second' }],
  ])(
    'the listed record of %s is accepted as a create request, and creates a test with the listed fields',
    async (_, test) => {
      const rig = await openService();
      const { test_id: first } = (await createTest(rig, json(test))).json;
      const [record] = (await rig.call('GET', '/v2/tests')).list;
      const again = await createTest(rig, json(record));
      expect(again.json).toMatchObject({
        warnings: expect.arrayContaining([
          '"test_id", "domain", "status" have no effect, because only the service sets these fields',
        ]) as unknown,
      });
      const second = (await rig.call('GET', `/v2/tests/${again.json.test_id}`)).json;
      const [one, other] = rig.runner.runs.map(({ job: { runId: _, seed: __, ...job } }) => job);
      expect(other).toEqual(one);
      expect(second).toEqual({ ...record, test_id: again.json.test_id, status: 'running' });
      expect(first).not.toBe(again.json.test_id);
    },
  );

  test('a test record from the list of a third-party service is accepted as a create request', async () => {
    const rig = await openService();
    const url = {
      url: URL_OF,
      truncated_url: URL_OF,
      raw_post_body: null,
      request_type: 'GET',
      payload_file_url: null,
      headers: {},
      request_params: {},
      variables: [],
      authentication: null,
    };
    const record = {
      name: '1. test1',
      duration: 60,
      timeout: 10000,
      notes: '',
      initial: 0,
      total: 20,
      status: 'complete',
      test_id: 'a'.repeat(32),
      test_type: 'Clients per second',
      callback: null,
      callback_email: null,
      scheduled_at: null,
      domain: 'example.com',
      urls: [url],
    };
    await createTest(rig, json(record));
    expect(rig.runner.latest().job).toMatchObject({ testType: 'per-second', total: 20 });
  });
});

describe('formats of PUT requests to run and stop a test', () => {
  test.each<readonly [string, string, Shape | null]>([
    ['without a body', '', null],
    ['with a trailing slash', '/', null],
    ['with a suffix', '.json', null],
    ['with a query', '?source=jenkins', null],
    ['with the body null', '', json(null)],
    ['with the body null declared as text', '', json(null, 'text/plain;charset=UTF-8')],
    ['with the body null declared as a form', '', json(null, FORM_TYPE)],
    ['with an empty object', '', json({})],
    ['with an empty list', '', json([])],
    ['with an empty body declared as text', '', { type: 'text/plain', body: '' }],
  ])('a test is stopped and then run again by PUT requests %s', async (_, end, shape) => {
    const rig = await openService();
    const { test_id: id } = (await createTest(rig, json(smallTestFields(URL_OF)))).json;
    const put = async (action: string) =>
      await rig.call('PUT', `/v2/tests/${id}/${action}${end}`, shape === null ? {} : { raw: shape });
    expect((await put('stop')).json).toMatchObject({ message: 'success', test_id: id });
    await waitUntil(async () => {
      const { json: test } = await rig.call('GET', `/v2/tests/${id}`);
      return test.status === 'complete' ? test : null;
    });
    expect((await put('run')).json).toMatchObject({ message: 'success', test_id: id, status: 'running' });
  });
});

describe('lists with a status filter', () => {
  async function openWithTests() {
    const rig = await openService();
    const create = async () => (await createTest(rig, json(smallTestFields(URL_OF)))).json.test_id;
    const done = await create();
    rig.runner.latest().end();
    await waitUntil(async () => {
      const { json: test } = await rig.call('GET', `/v2/tests/${done}`);
      return test.status === 'complete' ? test : null;
    });
    const running = await create();
    return { rig, done, running };
  }

  test('a list of tests contains only the tests with the requested status', async () => {
    const { rig, done, running } = await openWithTests();
    const ids = async (query: string) => {
      const response = await rig.call('GET', `/v2/tests${query}`);
      expect(response.status).toBe(200);
      return response.list.map(({ test_id: id }) => id);
    };
    expect(await ids('?status=complete')).toEqual([done]);
    expect(await ids('/?status=Complete&fields[]=name&fields[]=domain')).toEqual([done]);
    expect(await ids('?status=active')).toEqual([running]);
    expect(await ids('?status=running')).toEqual([running]);
    expect(await ids('?status=pending')).toEqual([]);
    expect(await ids('?status=running&status=complete')).toEqual([done, running]);
    expect(await ids('?status=')).toEqual([done, running]);
    expect(await ids('?page=2')).toEqual([done, running]);
  });

  test('lists of results and apps contain only the entries with the requested status', async () => {
    const { rig, done, running } = await openWithTests();
    const length = async (path: string) => (await rig.call('GET', path)).list.length;
    expect(await length(`/v2/tests/${done}/results?status=ready`)).toBe(1);
    expect(await length(`/v2/tests/${done}/results?status=not_ready`)).toBe(0);
    expect(await length(`/v2/tests/${running}/results.json?status=not_ready`)).toBe(1);
    expect(await length('/v2/apps?status=verified')).toBe(1);
    expect(await length('/v2/apps?status=UNVERIFIED')).toBe(0);
  });

  test.each(['/v2/tests?status=done', '/v2/apps?status=ready', '/v2/tests?status=toString'])(
    'the request %s is refused, and the error lists the valid statuses',
    async (path) => {
      const rig = await openTestService();
      const response = await rig.call('GET', path);
      expect(response.status).toBe(422);
      expect(apiMismatch('error', response.json)).toBeNull();
      expect(response.json.errors[0]).toMatch(/^"status" must be one of "/);
    },
  );
});

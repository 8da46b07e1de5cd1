import { describe, expect, test } from 'vitest';
import { ProblemError, problem } from '../../src/core/problem.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { useShared } from '../support/shared.ts';
import {
  ANY_ID,
  openTestService,
  smallTestFields,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';

const HOST = '127.0.0.1:4080';
const URL_OF = `http://${HOST}`;

async function openService(options: Parameters<typeof openTestService>[0] = {}): Promise<TestService> {
  const rig = await openTestService(options);
  await rig.verifiedApp(HOST);
  return rig;
}

async function create(rig: TestService, changes: Readonly<Record<string, unknown>> = {}) {
  return await rig.call('POST', '/v2/tests', { json: smallTestFields(`${URL_OF}/`, changes) });
}

async function waitForCompletion(rig: TestService, id: string) {
  return await waitUntil(async () => {
    const { json } = await rig.call('GET', `/v2/tests/${id}`);
    return json.status === 'complete' ? json : null;
  });
}

describe('creating a test', () => {
  test('creating a test returns its id and the id of its first run, and starts the run', async () => {
    const rig = await openService();
    const response = await create(rig);
    expect(response.status).toBe(200);
    expect(response.json).toEqual({
      message: 'success',
      test_id: ANY_ID,
      status: 'running',
      result_id: ANY_ID,
    });
    expect(rig.runner.runs).toHaveLength(1);
    const { test_id: id, result_id: result } = response.json;
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('running');
    expect((await rig.call('GET', `/v2/tests/${id}/results`)).json).toEqual([
      { result_id: result, status: 'not_ready', started_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown },
    ]);
  });

  test('the load generator receives a thread count only if the operator sets one', async () => {
    const runs = [await openService(), await openService({ threads: 3 })].map(async (rig) => {
      await create(rig);
      return rig.runner.latest().job.threads;
    });
    expect(await Promise.all(runs)).toEqual([null, 3]);
  });

  test('creating a test applies the documented defaults', async () => {
    const rig = await openService();
    await rig.call('POST', '/v2/tests', {
      json: { test_type: 'cycling', duration: 60, urls: [{ url: URL_OF }] },
    });
    const { job } = rig.runner.latest();
    expect(job).toMatchObject({
      testType: 'cycling',
      initial: 0,
      total: 60,
      timeout: 10_000,
      errorThreshold: 50,
    });
    expect(job).toMatchObject({ duration: 60_000, tlsVerify: true, userAgent: 'loadtests/0.0.0-test' });
    expect(job.targets[0]).toMatchObject({
      method: 'GET',
      path: '/',
      authority: HOST,
      port: 4080,
      secure: false,
    });
  });

  test('the load generator receives the load and the requests of a test', async () => {
    const rig = await openService();
    const urls = [
      {
        url: `${URL_OF}/login?next=%2Fcart#top`,
        credentials: { login: 'ci', password: 'secret' },
        headers: { Accept: 'application/json' },
        request_params: { sku: '42' },
        variables: [{ name: 'csrf', property: 'X-Csrf-Token', source: 'header' }],
      },
      {
        url: `${URL_OF}/cart/{{csrf}}/a%20b?t={{ csrf }}`,
        request_type: 'POST',
        headers: { 'X-Csrf-Token': '{{csrf}}' },
        raw_post_body: '{"sku":42,"t":"{{csrf}}"}',
      },
    ];
    const response = await rig.call('POST', '/v2/tests', {
      json: {
        test_type: 'per-second',
        duration: 5,
        total: 7,
        timeout: 2500,
        error_threshold: 12.5,
        tls_verify: false,
        urls,
      },
    });
    expect(response.status).toBe(200);
    const { job } = rig.runner.latest();
    expect(job).toMatchObject({
      testType: 'per-second',
      total: 7,
      timeout: 2500,
      errorThreshold: 12.5,
      tlsVerify: false,
    });
    expect(job.runId).toBe(response.json.result_id);
    expect(job.targets[0]).toMatchObject({
      path: '/login?next=%2Fcart',
      body: { kind: 'params', fields: [{ name: 'sku', value: '42' }] },
      headers: [{ name: 'Accept', value: 'application/json' }],
      credentials: { login: 'ci', password: 'secret' },
      variables: [{ name: 'csrf', header: 'X-Csrf-Token' }],
      addresses: ['127.0.0.1'],
    });
    expect(job.targets[1]).toMatchObject({
      method: 'POST',
      body: { kind: 'text', text: '{"sku":42,"t":"{{csrf}}"}' },
      credentials: null,
    });
    expect(job.targets[1]?.path).toBe('/cart/%7B%7Bcsrf%7D%7D/a%20b?t={{%20csrf%20}}');
  });

  test('the list of tests contains the fields of a test, but no passwords', async () => {
    const rig = await openService();
    const urls = [{ url: `${URL_OF}/`, credentials: { login: 'ci', password: 'hunter2' } }];
    const { json } = await create(rig, { name: 'Home', notes: 'Line\n[mark \u0000 \ud800]', urls });
    const list = await rig.call('GET', '/v2/tests');
    expect(list.json).toEqual([
      {
        test_id: json.test_id,
        domain: HOST,
        test_type: 'Non-Cycling',
        status: 'running',
        duration: 1,
        initial: 0,
        total: 5,
        timeout: 10_000,
        error_threshold: 50,
        name: 'Home',
        notes: 'Line\n[mark \u0000 \ud800]',
        callback: null,
        callback_email: null,
        scheduled_at: null,
        urls: [
          {
            url: `${URL_OF}/`,
            request_type: 'GET',
            authentication: { type: 'basic', login: 'ci' },
            headers: {},
            request_params: {},
            raw_post_body: null,
            payload_file_url: null,
            variables: [],
          },
        ],
      },
    ]);
  });

  test('a test belongs to the app for the host and port of its URL or, without such an app, to the app for the bare host', async () => {
    const rig = await openTestService();
    await rig.verifiedApp('127.0.0.1');
    expect((await create(rig)).status).toBe(200);
    await rig.call('POST', '/v2/apps', { form: { app: HOST } });
    expect((await create(rig)).status).toBe(422);
  });
});

describe('invalid tests', () => {
  const url = (more: Readonly<Record<string, unknown>>) => ({ urls: [{ url: `${URL_OF}/`, ...more }] });
  const at = (text: string) => ({ urls: [{ url: text }] });
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
    [
      'with a schedule',
      { scheduled_at: '2099-01-01 00:00:00' },
      /"scheduled_at" requires a permanently running service/,
    ],
    [
      'with a callback to an unknown host',
      { callback: 'http://nobody.example/' },
      /^the callback "http:\/\/nobody\.example\/" has the host nobody\.example/,
    ],
    ['with an email address', { callback_email: 'a@example.com' }, /"callback_email" requires a service/],
    [
      'with a payload file on an unknown host',
      url({ payload_file_url: 'http://nobody.example/' }),
      /the payload file .* has the host nobody\.example/,
    ],
    ['with an invalid expression in a URL', at(`${URL_OF}/%{a}`), /"%\{a\}" is not a valid expression/],
    [
      'with an invalid escaped expression in a URL',
      at(`${URL_OF}/%%7B1:%7D`),
      /"%\{1:\}" is not a valid expression/,
    ],
    ['with an invalid expression in a header', url({ headers: { a: '%{1,}' } }), /is not a valid expression/],
    [
      'with an invalid expression in a parameter',
      url({ request_params: { a: '%{1:2:0}' } }),
      /is not a valid expression/,
    ],
    [
      'with an invalid expression in a body',
      url({ request_type: 'POST', raw_post_body: '%{*:9-1}' }),
      /is not a valid expression/,
    ],
    ['with an unclosed expression in a URL', at(`${URL_OF}/%{1:9`), /"%\{1:9" begins an expression/],
    [
      'with an unclosed expression in a query',
      at(`${URL_OF}/?a=%{1:9&b=1`),
      /"%\{1:9&b=1" begins an expression/,
    ],
    [
      'with an unclosed expression in a header',
      url({ headers: { a: '%{' } }),
      /"%\{" begins an expression that has no closing/,
    ],
    [
      'with an unclosed expression in a parameter',
      url({ request_params: { a: '{}%{1' } }),
      /"%\{1" begins an expression/,
    ],
    [
      'with an unclosed expression around a variable',
      url({ request_type: 'POST', raw_post_body: 'a %{1:{{n}}}' }),
      /"%\{1:" begins an expression/,
    ],
    [
      'with an expression in the name of a parameter',
      url({ request_params: { '%{1,2}': 'b' } }),
      /name of the parameter/,
    ],

    ['without a type', { test_type: undefined }, /"test_type" is missing/],
    ['of an unknown type', { test_type: 'Ramp' }, /test_type.*must be one of/],
    ['without a duration', { duration: undefined }, /"duration" is missing/],
    ['with a duration as a string', { duration: '5' }, /\/duration/],
    ['with a duration of zero', { duration: 0 }, /\/duration/],
    ['with a fractional duration', { duration: 1.5 }, /\/duration/],
    [
      'with a duration that differs from the total duration of its stages',
      { test_type: 'cycling', stages: [{ for: 9, to: 60 }] },
      /"duration" must be equal to the total duration of the stages/,
    ],
    [
      'with a total that differs from the highest level of its stages',
      { test_type: 'cycling', stages: [{ for: 5, to: 6 }] },
      /"total" must be equal to the highest level/,
    ],
    [
      'with a warm-up of the whole duration',
      { duration: 5, warmup: 5 },
      /"warmup" must be shorter than the test/,
    ],
    ['with a warm-up of zero', { warmup: 0 }, /\/warmup/],
    ['with a warm-up as a string', { warmup: '1' }, /\/warmup/],
    ['with an empty list of stages', { stages: [] }, /\/stages/],
    ['with a stage of half a second', { stages: [{ for: 0.5, to: 6 }] }, /\/stages\/0\/for/],
    ['with a stage without a level', { stages: [{ for: 5 }] }, /\/stages\/0/],
    ['with a total as a string', { total: '5' }, /\/total/],
    ['with a negative total', { total: -1 }, /\/total/],
    ['with a huge total', { total: 1e300 }, /\/total/],
    ['with a boolean total', { total: true }, /\/total/],
    ['with an error threshold above 100', { error_threshold: 101 }, /\/error_threshold/],
    ['with a string instead of a boolean', { tls_verify: 'true' }, /\/tls_verify/],
    ['with an unknown field', { duraton: 5 }, /contains the unknown field "duraton"/],
    ['with an unknown field of a URL', url({ method: 'GET' }), /contains the unknown field "method"/],
    ['without URLs', { urls: [] }, /\/urls/],
    ['with a URL as a string', { urls: [`${URL_OF}/`] }, /\/urls\/0/],
    ['with an unsupported method', url({ request_type: 'PURGE' }), /request_type/],
    ['with a header number that JSON has rounded', url({ headers: { a: 2 ** 60 } }), /headers/],
    ['with headers as a list', url({ headers: ['a'] }), /headers/],
    ['with credentials without a password', url({ credentials: { login: 'a' } }), /"password" is missing/],
    [
      'with an unknown variable source',
      url({ variables: [{ name: 'a', property: 'b', source: 'trailer' }] }),
      /source/,
    ],

    ['with a relative URL', at('/'), /must begin with http/],
    ['with an unsupported URL scheme', at('ftp://127.0.0.1:4080/'), /must begin with http/],
    ['with a script URL', at('javascript:alert(1)'), /must begin with http/],
    ['with a URL without a host', at('http://'), /must begin with http/],
    ['with credentials in a URL', at(`http://user:pass@${HOST}/`), /user name or password/],
    ['with an at sign but no credentials in a URL', at(`http://@${HOST}/`), /user name or password/],
    [
      'with a backslash in a URL',
      at(`http://${HOST}\\@evil.example/`),
      /user name or password|no valid host/,
    ],
    ['with a line break in a URL', at(`${URL_OF}/\r\nHost: evil.example`), /control character/],
    ['with a tab in a URL', at(`http://127.0\t.0.1:4080/`), /control character/],
    ['with leading whitespace in a URL', at(` ${URL_OF}/`), /space/],
    ['with a variable as the host', at('http://{{host}}/'), /has a variable or an expression in its host/],
    [
      'with a variable in the host',
      at('http://{{a}}.127.0.0.1:4080/'),
      /has a variable or an expression in its host/,
    ],
    [
      'with a variable as the port',
      at('http://127.0.0.1:{{port}}/'),
      /has a variable or an expression in its host/,
    ],
    ['with an escaped brace in the host', at('http://%7B%7Bhost%7D%7D/'), /no valid host/],
    ['with an invalid port', at('http://127.0.0.1:99999/'), /no valid host/],
    ['with an unregistered host', at('http://127.0.0.1:4081/'), /127\.0\.0\.1:4081 is not a registered app/],
    [
      'with an unregistered host in the second URL',
      { urls: [{ url: URL_OF }, { url: 'http://a.example/' }] },
      /urls\[1\]: a\.example/,
    ],
    ['with another spelling of an unregistered host', at('http://127.1:4081/'), /127\.0\.0\.1:4081/],

    [
      'with a body in a GET request',
      url({ raw_post_body: 'x' }),
      /a GET request cannot have a body; remove "raw_post_body"/,
    ],
    [
      'with two bodies',
      url({ request_type: 'POST', raw_post_body: 'x', request_params: { a: 'b' } }),
      /both define the body of a POST request/,
    ],
    ['with an invalid header name', url({ headers: { 'a b': 'c' } }), /header name/],
    ['with an empty header name', url({ headers: { '': 'c' } }), /header name/],
    ['with a line break in a header name', url({ headers: { 'a\r\nb': 'c' } }), /header name/],
    ['with a line break in a header value', url({ headers: { a: 'b\r\nc: d' } }), /line break/],
    ['with a NUL character in a header value', url({ headers: { a: 'b\0' } }), /line break/],
    [
      'with a duplicate header',
      url({ headers: { Accept: 'a', accept: 'b' } }),
      /the headers "Accept" and "accept" are the same header/,
    ],
    ['with a colon in the login', url({ credentials: { login: 'a:b', password: 'c' } }), /colon/],
    [
      'with a line break in the password',
      url({ credentials: { login: 'a', password: 'b\nc' } }),
      /line break/,
    ],
    [
      'with credentials and an Authorization header',
      url({ credentials: { login: 'a', password: 'b' }, headers: { authorization: 'Bearer x' } }),
      /cannot be combined/,
    ],
    [
      'with a variable in the name of a parameter',
      url({ request_params: { '{{a}}': 'b' } }),
      /name of the parameter/,
    ],
    ['with an undefined variable', at(`${URL_OF}/{{csrf}}`), /"\{\{csrf\}\}" is not defined/],
    ['with an escaped undefined variable', at(`${URL_OF}/%7B%7Bcsrf%7D%7D`), /"\{\{csrf\}\}"/],
    [
      'with a variable that is used in the request that defines it',
      { urls: [{ url: `${URL_OF}/{{a}}`, variables: [{ name: 'a', property: 'b', source: 'header' }] }] },
      /"\{\{a\}\}"/,
    ],
    [
      'with a variable from an invalid header name',
      url({ variables: [{ name: 'a', property: 'b c', source: 'header' }] }),
      /not a valid header name/,
    ],
    [
      'with a duplicate variable',
      url({
        variables: [
          { name: 'a', property: 'b', source: 'header' },
          { name: 'a', property: 'c', source: 'header' },
        ],
      }),
      /is defined twice/,
    ],
    ...[
      'Host',
      'hOST',
      'Connection',
      'Content-Length',
      'Transfer-Encoding',
      'TE',
      'Trailer',
      'Upgrade',
      'Expect',
    ]
      .concat(['Keep-Alive', 'Proxy-Authorization', 'Proxy-Connection', 'proxy-anything', 'X-Loadtests-Run'])
      .map((name) => [`with the header ${name}`, url({ headers: { [name]: 'x' } }), /is reserved/] as const),
  ];

  const service = useShared(openService);

  test.each(cases)('a test %s is refused with 422', async (_, changes, reason) => {
    const rig = service();
    const response = await create(rig, changes);
    expect(response.status).toBe(422);
    expect(response.json.message).toBe('error');
    expect(response.json.errors.join('\n')).toMatch(reason);
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
    expect(rig.runner.runs).toEqual([]);
  });

  test('the response to an invalid create request contains all errors of the test with their locations', async () => {
    const rig = service();
    const urls = [{ url: 'http:///' }, { url: `${URL_OF}/`, headers: { Host: 'x' } }];
    const response = await create(rig, { scheduled_at: '2099-01-01 00:00:00', callback: 'http://a/', urls });
    expect(response.json.errors).toHaveLength(4);
    expect(response.json.errors[2]).toMatch(/^urls\[0\]: /);
    expect(response.json.errors[3]).toMatch(/^urls\[1\]: /);
    expect(response.json).toMatchObject({
      faults: [
        { pointer: '/scheduled_at', about: 'key' },
        { pointer: '/callback', about: 'value' },
        { pointer: '/urls/0/url', about: 'value' },
        { pointer: '/urls/1/headers/Host', about: 'key' },
      ],
    });
  });

  test('a test on an unverified app is refused', async () => {
    const rig = await openTestService();
    await rig.call('POST', '/v2/apps', { form: { app: HOST } });
    const response = await create(rig);
    expect(response.status).toBe(422);
    expect(response.json.errors[0]).toContain(`${HOST} is not a verified app`);
  });
});

describe('runs of a test', () => {
  test('after a run ends, its test is complete and its result is ready', async () => {
    const rig = await openService();
    const { test_id: id, result_id: result } = (await create(rig)).json;
    rig.runner.latest().end();
    await waitForCompletion(rig, id);
    const [summary] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(summary).toMatchObject({
      result_id: result,
      status: 'ready',
      success: 2,
      error: 1,
      timeout_error: 0,
      network_error: 0,
      requests: 3,
      data_sent: 300,
      data_received: 600,
      avg_response_time: 2.5,
      abort_reason: null,
      status_codes: { 200: 2, 404: 1 },
      generator: { overloaded: false },
      ledger: { planned: 3 },
    });
    expect(summary).not.toHaveProperty('timeline');
    expect(summary).not.toHaveProperty('urls');
    expect(summary).not.toHaveProperty('error_samples');
    const { json: full } = await rig.call('GET', `/v2/tests/${id}/results/${result}`);
    expect(full).toMatchObject({
      ...summary,
      timeline: [{ second: 0, success: 2 }],
      error_samples: [{ error: '404' }],
    });
    expect(full.urls).toMatchObject([{ url: `${URL_OF}/`, request_type: 'GET', success: 2 }]);
  });

  test('the progress of a test is available only while the test is running', async () => {
    const rig = await openService();
    const { test_id: id } = (await create(rig)).json;
    expect((await rig.call('GET', `/v2/tests/${id}`)).json).not.toHaveProperty('progress');
    rig.runner.latest().reportProgress({
      elapsed: milliseconds(1000),
      warmingUp: false,
      connections: 3,
      success: 10,
      error: 1,
      timeoutError: 2,
      networkError: 0,
      requestsPerSecond: 13,
      p95: null,
      targets: [13],
    });
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.progress).toEqual({
      elapsed_ms: 1000,
      connections: 3,
      success: 10,
      error: 1,
      timeout_error: 2,
      network_error: 0,
      requests_per_second: 13,
      p95: null,
    });
    expect((await rig.call('GET', '/v2/tests')).list[0]).not.toHaveProperty('progress');
    rig.runner.latest().end();
    expect(await waitForCompletion(rig, id)).not.toHaveProperty('progress');
  });

  test('a second run is refused while the test is running', async () => {
    const rig = await openService();
    const { test_id: id } = (await create(rig)).json;
    const response = await rig.call('PUT', `/v2/tests/${id}/run`);
    expect(response.status).toBe(422);
    expect(response.json.errors).toEqual(['the test is already running']);
    expect(rig.runner.runs).toHaveLength(1);
  });

  test('only one of twenty concurrent run requests starts a run', async () => {
    const rig = await openService();
    const { test_id: id } = (await create(rig)).json;
    rig.runner.latest().end();
    await waitForCompletion(rig, id);
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => await rig.call('PUT', `/v2/tests/${id}/run`)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 422)).toHaveLength(19);
    expect(rig.runner.runs).toHaveLength(2);
  });

  test('each run has its own result, and the newest result is listed first', async () => {
    const rig = await openService();
    const created = (await create(rig)).json;
    const results = [created.result_id];
    for (let i = 0; i < 2; i++) {
      rig.runner.latest().end();
      await waitForCompletion(rig, created.test_id);
      const response = await rig.call('PUT', `/v2/tests/${created.test_id}/run`);
      expect(response.json).toEqual({
        message: 'success',
        test_id: created.test_id,
        status: 'running',
        result_id: ANY_ID,
      });
      results.unshift(response.json.result_id);
    }
    const { list } = await rig.call('GET', `/v2/tests/${created.test_id}/results`);
    expect(list.map((record) => record.result_id)).toEqual(results);
    expect(list.map((record) => record.status)).toEqual(['not_ready', 'ready', 'ready']);
    expect(Object.keys(list[0] ?? {}).sort()).toEqual(['result_id', 'started_at', 'status']);
  });

  test('a stopped run ends with the reason "stopped"', async () => {
    const rig = await openService({ fake: createFakeRunner({ endsOnStop: false }) });
    const { test_id: id, result_id: result } = (await create(rig)).json;
    const response = await rig.call('PUT', `/v2/tests/${id}/stop`);
    expect(response.json).toEqual({ message: 'success', test_id: id, status: 'running', result_id: result });
    expect(rig.runner.latest().stops).toEqual(['stopped']);
    rig.runner.latest().end('stopped');
    await waitForCompletion(rig, id);
    expect((await rig.call('GET', `/v2/tests/${id}/results/${result}`)).json.abort_reason).toBe('stopped');
  });

  test.each([
    [
      'an X-Loadtests-Client header, the result of the stopped run names the client in this header',
      { 'x-loadtests-client': ' loadtests stop (process 7) ' },
      'loadtests stop (process 7)',
    ],
    [
      'a long User-Agent header, the result of the stopped run names the first 100 characters of this header',
      { 'user-agent': `curl/${'8'.repeat(200)}` },
      `curl/${'8'.repeat(95)}`,
    ],
    ['an empty User-Agent header, the result of the stopped run names no client', { 'user-agent': '' }, null],
  ])('if the first stop request has %s', async (_, headers, client) => {
    const rig = await openService({ fake: createFakeRunner({ endsOnStop: false }) });
    const { test_id: id, result_id: result } = (await create(rig)).json;
    await rig.call('PUT', `/v2/tests/${id}/stop`, { headers });
    await rig.call('PUT', `/v2/tests/${id}/stop`, { headers: { 'x-loadtests-client': 'too late' } });
    rig.runner.latest().end('stopped');
    await waitForCompletion(rig, id);
    const { stopped } = (await rig.call('GET', `/v2/tests/${id}/results/${result}`)).json;
    expect(stopped).toEqual({
      at: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      cause: 'request',
      client,
    });
  });

  test('if a run ends normally after a stop request, its result does not name a client', async () => {
    const rig = await openService({ fake: createFakeRunner({ endsOnStop: false }) });
    const { test_id: id, result_id: result } = (await create(rig)).json;
    await rig.call('PUT', `/v2/tests/${id}/stop`);
    rig.runner.latest().end();
    await waitForCompletion(rig, id);
    const { json } = await rig.call('GET', `/v2/tests/${id}/results/${result}`);
    expect([json.abort_reason, json.stopped]).toEqual([null, undefined]);
  });

  test('stopping a completed run has no effect', async () => {
    const rig = await openService();
    const { test_id: id, result_id: result } = (await create(rig)).json;
    rig.runner.latest().end();
    await waitForCompletion(rig, id);
    const response = await rig.call('PUT', `/v2/tests/${id}/stop`);
    expect(response.json).toEqual({ message: 'success', test_id: id, status: 'complete', result_id: result });
    expect((await rig.call('GET', `/v2/tests/${id}/results/${result}`)).json.abort_reason).toBeNull();
  });

  test.each([
    [
      'an error about a limit, the result is partial, counts no requests, and contains the message of the error',
      new ProblemError(problem('LT_RUN_INCONCLUSIVE', 'the open-file limit is 256; 1000 are needed')),
      'the open-file limit is 256; 1000 are needed',
    ],
    [
      'an unexpected error, the result is partial, counts no requests, and contains only "the load generator failed"',
      new Error('inside'),
      'the load generator failed',
    ],
  ])('if the load generator fails with %s', async (_, error, message) => {
    const rig = await openService();
    const { test_id: id, result_id: result } = (await create(rig)).json;
    rig.runner.latest().fail(error);
    await waitForCompletion(rig, id);
    const { json } = await rig.call('GET', `/v2/tests/${id}/results/${result}`);
    expect(json).toMatchObject({ status: 'ready', requests: 0, latency: null, abort_reason: 'partial' });
    expect(json.error_samples[0]?.error).toBe(message);
    expect(rig.log).toContainEqual(expect.objectContaining({ level: 'error', event: 'run-failed' }));
  });

  test('if the load generator does not start, the test completes with a partial result', async () => {
    const rig = await openService({ fake: createFakeRunner({ startError: new Error('no threads') }) });
    const { test_id: id, result_id: result } = (await create(rig)).json;
    await waitForCompletion(rig, id);
    expect((await rig.call('GET', `/v2/tests/${id}/results/${result}`)).json.abort_reason).toBe('partial');
  });
});

describe('the limit on connections to one host', () => {
  test('a test that exceeds the connection limit together with active runs is refused with 429 until a run ends', async () => {
    const rig = await openService({ limits: { connectionsPerTarget: 100 } });
    const changes = { test_type: 'cycling', total: 60 };
    const first = (await create(rig, changes)).json;
    const response = await create(rig, changes);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await create(rig, { test_type: 'cycling', total: 40 })).status).toBe(200);
    rig.runner.runs[0]?.end();
    await waitForCompletion(rig, first.test_id);
    expect((await create(rig, changes)).status).toBe(200);
  });

  test('a single test that exceeds the connection limit is refused with 422, not with 429, because a retry cannot succeed', async () => {
    const rig = await openService({ limits: { connectionsPerTarget: 100 } });
    expect((await create(rig, { test_type: 'cycling', total: 101 })).status).toBe(422);
    expect(
      (await create(rig, { test_type: 'non-cycling', total: 1000, duration: 100, timeout: 1000 })).status,
    ).toBe(200);
  });
});

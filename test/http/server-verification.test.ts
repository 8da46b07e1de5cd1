import { describe, expect, test } from 'vitest';
import type { AppRecord } from '../../src/contract/generated/app-record.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import {
  callAt,
  openTestService,
  smallTestFields,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { openTestTarget, servePages, type TestTarget, type TargetHandler } from '../support/test-target.ts';

const silent: TargetHandler = (_, response) => {
  response.statusCode = 404;
  response.end();
};

/**
 * Answers with a name that was asked for, or a status.
 *
 * @param answer from the name that is asked for, and those before
 */
function answersInTurn(answer: (name: string, before: readonly string[]) => string | number): TargetHandler {
  const before: string[] = [];
  return (request, response) => {
    const name = (request.url ?? '').slice(1).replace(/\..*$/, '');
    const given = answer(name, before);
    before.push(name);
    response.statusCode = typeof given === 'number' ? given : 200;
    response.end(typeof given === 'number' ? '' : given);
  };
}

/** A service for others, an app for the target, and the token that its host must show. */
async function shop(target: TestTarget): Promise<{ rig: TestService; id: string; token: string }> {
  const rig = await openTestService({ mode: 'serve' });
  const { app_id: id, verification_id: token } = (
    await rig.call('POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  return { rig, id, token };
}

async function verify(rig: TestService, id: string, method = 'http') {
  return await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method } });
}

describe('a host that shows the token', () => {
  test.each(['.txt', '.html', ''])('at <token>%s is verified', async (suffix) => {
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    target.respondWith(servePages({ [`/${token}${suffix}`]: token }));
    const response = await verify(rig, id);
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ app_id: id, message: 'success' });
    expect((await rig.call('GET', `/v2/apps/${id}`)).json.status).toBe('verified');
  });

  test.each([404, 410])('and answers %d to other names is verified', async (status) => {
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    target.respondWith(answersInTurn((name) => (name === token ? name : status)));
    expect((await verify(rig, id)).status).toBe(200);
  });

  test('with a line end and blanks around it is verified', async () => {
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    target.respondWith(servePages({ [`/${token}.txt`]: ` ${token}\r\n` }));
    expect((await verify(rig, id)).status).toBe(200);
  });

  test('is verified without a body in the call', async () => {
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    expect((await rig.call('POST', `/v2/apps/${id}/verify`)).status).toBe(200);
    expect((await rig.call('POST', `/v2/apps/${id}/verify`, { json: { method: 'http' } })).status).toBe(200);
  });
});

describe('a host is not verified', () => {
  const cases: readonly (readonly [string, (token: string, target: TestTarget) => TargetHandler])[] = [
    ['that shows nothing', () => silent],
    ['that shows another token', (token) => servePages({ [`/${token}.txt`]: `service-${'0'.repeat(32)}` })],
    [
      'that shows only the bare id',
      (token) => servePages({ [`/${token}.txt`]: token.slice('service-'.length) }),
    ],
    ['that shows the token within a page', (token) => servePages({ [`/${token}.html`]: `<p>${token}</p>` })],
    [
      'that shows the token and then too much',
      (token) => servePages({ [`/${token}.txt`]: `${token}${' '.repeat(200)}` }),
    ],
    ['that shows the token twice', (token) => servePages({ [`/${token}.txt`]: `${token} ${token}` })],
    ['that shows it in capitals', (token) => servePages({ [`/${token}.txt`]: token.toUpperCase() })],
    [
      'that gives back every path it is asked for',
      () => (request, response) => {
        response.end((request.url ?? '').slice(1).replace(/\..*$/, ''));
      },
    ],
    [
      'that gives back what follows its own prefix',
      () => (request, response) => {
        response.end(/service-[0-9a-f]+/.exec(request.url ?? '')?.[0] ?? '');
      },
    ],
    [
      'that gives back one path, and has had too many requests then',
      () => answersInTurn((name, before) => (before.length > 0 ? 429 : name)),
    ],
    [
      'that gives back every other path, and has had too many requests in between',
      () => answersInTurn((name, before) => (before.length % 2 === 0 ? 429 : name)),
    ],
    [
      'that gives back the path of the request before',
      () => answersInTurn((_, before) => before.at(-1) ?? 404),
    ],
    [
      'that gives back every path but the first',
      () => answersInTurn((name, before) => (before.length === 0 ? 404 : name)),
    ],
    [
      'that gives back a path when it is asked for it again',
      () => answersInTurn((name, before) => (before.includes(name) ? name : 404)),
    ],
    [
      'that gives back every path but those that it has refused before',
      () => {
        let refused: string | null = null;
        return answersInTurn((name) => (name === (refused ??= name) ? 404 : name));
      },
    ],
    ...[200, 204, 302, 401, 403, 429, 500, 503].map(
      (status) =>
        [
          `that answers ${status} to names that nobody has given it`,
          (token: string) => answersInTurn((name) => (name === token ? name : status)),
        ] as const,
    ),
    [
      'whose status is not 200',
      (token) => (_, response) => {
        response.statusCode = 404;
        response.end(token);
      },
    ],
    [
      'that sends the asker elsewhere, even to itself',
      (token, target) => (request, response) => {
        response.statusCode = request.url?.startsWith('/moved') === true ? 200 : 302;
        response.setHeader('location', `${target.url}/moved/${token}.txt`);
        response.end(request.url?.startsWith('/moved') === true ? token : '');
      },
    ],
    [
      'that ends the connection without an answer',
      () => (request) => {
        request.socket.destroy();
      },
    ],
    [
      'that answers with endless bytes',
      () => (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'that shows the token compressed',
      () => (_, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(Buffer.from('1f8b', 'hex'));
      },
    ],
  ];

  test.each(cases)('%s', async (_, handlerOf) => {
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    target.respondWith(handlerOf(token, target));
    const response = await verify(rig, id);
    expect(response.status).toBe(422);
    // One text for every reason: the service tells nobody what it saw.
    expect(response.json).toEqual({
      app_id: id,
      message: 'error',
      errors: [`can't verify domain ${target.host}`],
    });
    expect((await rig.call('GET', `/v2/apps/${id}`)).json.status).toBe('unverified');
  });

  test('that does not listen, with the same answer as any other', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: '127.0.0.1:1' } })).json;
    const response = await verify(rig, id);
    expect(response.status).toBe(422);
    expect(response.json.errors).toEqual([`can't verify domain 127.0.0.1:1`]);
  });

  test('that a redirect to the right file on another host would prove', async () => {
    const other = await openTestTarget(silent);
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    other.respondWith(servePages({ [`/${token}.txt`]: token }));
    target.respondWith((request, response) => {
      response.statusCode = 301;
      response.setHeader('location', `${other.url}${request.url ?? ''}`);
      response.end();
    });
    expect((await verify(rig, id)).status).toBe(422);
    expect(other.requests).toEqual([]);
  });

  test.each([
    '10.1.2.3',
    '192.168.0.1:8080',
    '169.254.169.254',
    '0.0.0.0:8080',
    '[::]:8080',
    '[fe80::1]:8080',
    '224.0.0.1',
    '[::ffff:169.254.169.254]',
    '0x7f.1:1',
    'nobody.invalid',
  ])('at %s, where nothing is dialled', async (host) => {
    const rig = await openTestService({ mode: 'serve' });
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: host } })).json;
    expect((await verify(rig, id)).status).toBe(422);
  });

  test('by a method that is unknown', async () => {
    const target = await openTestTarget(silent);
    const { rig, id } = await shop(target);
    const response = await verify(rig, id, 'smoke-signals');
    expect(response.status).toBe(422);
    expect(response.json).toMatchObject({ app_id: id, message: 'error' });
    expect(response.json.errors[0]).toContain(`can't verify domain ${target.host}`);
    expect(target.requests).toEqual([]);
  });
});

test('the service does not verify itself', async () => {
  for (const mode of ['serve', 'in-process'] as const) {
    const rig = await openTestService({ mode });
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '[::1]']) {
      const app = `${host}:${rig.service.port}`;
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app } })).json;
      expect((await verify(rig, id)).status).toBe(422);
    }
  }
});

test('a URL with the port of the service is refused, though its bare host is verified', async () => {
  const rig = await openTestService();
  await rig.verifiedApp('127.0.0.1');
  const response = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`${rig.service.url}/v2/apps`),
  });
  expect(response.status).toBe(422);
  expect(rig.runner.runs).toEqual([]);
});

test('loopback needs a token where others use the service, and none within one command', async () => {
  const target = await openTestTarget(silent);
  const { rig, id } = await shop(target);
  expect((await verify(rig, id)).status).toBe(422);
  const own = await openTestService();
  await own.verifiedApp(target.host);
});

test('of the addresses of localhost those get load that listen', async () => {
  const target = await openTestTarget(silent);
  const rig = await openTestService();
  await rig.verifiedApp(`localhost:${target.port}`);
  const response = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`http://localhost:${target.port}/`),
  });
  expect(response.status).toBe(200);
  expect(rig.runner.latest().job.targets[0]?.addresses).toEqual(['127.0.0.1']);
  expect(target.requests).toEqual([]);
});

test('calls at the same time ask the host once', async () => {
  const target = await openTestTarget(silent);
  const { rig, id, token } = await shop(target);
  target.respondWith(servePages({ [`/${token}.txt`]: token }));
  const responses = await Promise.all(Array.from({ length: 5 }, async () => await verify(rig, id)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(target.requests.length).toBeLessThan(10);
});

test('trying too often is answered with 429 and when to come back', async () => {
  const target = await openTestTarget(silent);
  const rig = await openTestService({ mode: 'serve', limits: { verifyAttemptsPerMinute: 3 } });
  const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
  for (let i = 0; i < 3; i++) expect((await verify(rig, id)).status).toBe(422);
  const response = await verify(rig, id);
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('before every run', () => {
  async function verifiedShop(limits = {}) {
    const target = await openTestTarget(silent);
    const rig = await openTestService({ mode: 'serve', limits });
    const { app_id: id, verification_id: token } = (
      await rig.call('POST', '/v2/apps', { form: { app: target.host } })
    ).json;
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    expect((await verify(rig, id)).status).toBe(200);
    return { target, rig, id };
  }

  test('the host is asked again: a create on a host that took the file away is refused', async () => {
    const { target, rig, id } = await verifiedShop();
    target.respondWith(silent);
    const response = await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) });
    expect(response.status).toBe(422);
    expect(response.json.errors).toEqual([`can't verify domain ${target.host}`]);
    expect((await rig.call('GET', `/v2/apps/${id}`)).json.status).toBe('unverified');
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
    expect(rig.runner.runs).toEqual([]);
  });

  test('a run of an older test is refused in the same way, and leaves no result', async () => {
    const { target, rig } = await verifiedShop();
    const created = (await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) })).json;
    rig.runner.latest().end();
    await waitUntil(async () =>
      (await rig.call('GET', `/v2/tests/${created.test_id}`)).json.status === 'complete' ? true : null,
    );
    target.respondWith(silent);
    expect((await rig.call('PUT', `/v2/tests/${created.test_id}/run`)).status).toBe(422);
    expect((await rig.call('GET', `/v2/tests/${created.test_id}/results`)).json).toHaveLength(1);
    expect((await rig.call('GET', `/v2/tests/${created.test_id}`)).json.status).toBe('complete');
  });

  test('the addresses that were verified are the ones that get load', async () => {
    const { target, rig } = await verifiedShop();
    await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) });
    expect(rig.runner.latest().job.targets.map(({ addresses }) => addresses)).toEqual([['127.0.0.1']]);
  });

  test('and during it: a host that takes the file away ends the load', async () => {
    const { target, rig } = await verifiedShop({ consentCheckMs: 20 });
    const { test_id: id, result_id: result } = (
      await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) })
    ).json;
    const asked = target.requests.length;
    await waitUntil(() => (target.requests.length > asked + 3 ? true : null));
    expect(rig.runner.latest().stops).toEqual([]);
    target.respondWith(silent);
    const record = await waitUntil(async () => {
      const { json } = await callAt(rig.service.url, 'GET', `/v2/tests/${id}/results/${result}`);
      return json.status === 'ready' ? json : null;
    });
    expect(record.abort_reason).toBe('consent_withdrawn');
  });
});

describe('the last checks of an app', () => {
  async function detailOf(rig: TestService, id: string) {
    const record = JSON.parse((await rig.call('GET', `/v2/apps/${id}`)).text) as AppRecord; // checked in the next line
    expect(apiMismatch('app-record', record)).toBeNull();
    return record;
  }

  test('are told with their reasons, the newest first, beside what is to be published', async () => {
    const target = await openTestTarget(silent);
    const { rig, id, token } = await shop(target);
    await verify(rig, id);
    await verify(rig, id, 'dns');
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    await verify(rig, id);
    await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) });
    const record = await detailOf(rig, id);
    expect(record).toMatchObject({
      ...{ verification_id: token, verification_record: `service=${id}`, method: 'http' },
      ...{ status: 'verified' },
    });
    expect(
      record.checks?.map(({ method, purpose, outcome, reason }) => [method, purpose, outcome, reason]),
    ).toEqual([
      ['http', 'run', 'verified', null],
      ['http', 'verify', 'verified', null],
      ['dns', 'verify', 'unverified', expect.stringContaining('no TXT record')],
      [
        'http',
        'verify',
        'unverified',
        expect.stringContaining('answers with the file, or one answers so to any name'),
      ],
    ]);
  });

  test('are no more than ten, and go with their app', async () => {
    const target = await openTestTarget(silent);
    const rig = await openTestService({ mode: 'serve', limits: { verifyAttemptsPerMinute: 100 } });
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
    for (let i = 0; i < 12; i++) await verify(rig, id);
    expect((await detailOf(rig, id)).checks).toHaveLength(10);
    await rig.call('DELETE', `/v2/apps/${id}`);
    const again = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
    expect((await detailOf(rig, again.app_id)).checks).toEqual([]);
  });
});

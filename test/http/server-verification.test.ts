import { describe, expect, test } from 'vitest';
import type { AppRecord } from '../../src/contract/generated/app-record.ts';
import { toSafeLine } from '../../src/client/remote-text.ts';
import { findFreePort } from '../support/free-port.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import {
  callAt,
  openTestService,
  smallTestFields,
  useTestService,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { sampleRows } from '../support/test-scale.ts';
import { openTestTarget, servePages, type TestTarget, type TargetHandler } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const respondNotFound: TargetHandler = (_, response) => {
  response.statusCode = 404;
  response.end();
};

/** Returns the error for every failed check of a loopback host by its file, whatever the cause. */
/** Returns the kinds of the failed checks in the log of the service. */
function loggedFailures({ log }: TestService): readonly unknown[] {
  return log.filter(({ event }) => event === 'not-verified').map(({ kind }) => kind);
}

function unverifiedText(host: string): string {
  const reason =
    'possible causes: the host name cannot be resolved; no IP address responds; an IP address does not serve the verification file, or serves it under other names too; an IP address is not allowed to receive load';
  return `can't verify domain ${host}: ${reason}; the file is required even on the same machine`;
}

/**
 * Returns a handler that responds with a token or a status.
 * @param respond - Returns the response for a requested name and all previously requested names.
 */
function respondInSequence(
  respond: (name: string, before: readonly string[]) => string | number,
): TargetHandler {
  const before: string[] = [];
  return (request, response) => {
    const name = (request.url ?? '').slice(1).replace(/\..*$/, '');
    const result = respond(name, before);
    before.push(name);
    response.statusCode = typeof result === 'number' ? result : 200;
    response.end(typeof result === 'number' ? '' : result);
  };
}

function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Age at which a host echoes names that it refused before. */
const AGE_MS = 50;

/** In serve mode, with a higher limit for the attempts of all tests. Each test has its own app. */
const sharedService = useTestService({
  mode: 'serve',
  limits: { verifyAttemptsPerMinute: 100, totalVerifyAttemptsPerMinute: 1000 },
});

/** Creates an app for the target in the shared service, and returns the token that the host must show. */
async function createApp(target: TestTarget): Promise<{ rig: TestService; id: string; token: string }> {
  const rig = sharedService();
  const { app_id: id, verification_id: token } = (
    await rig.call('POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  return { rig, id, token };
}

async function verify(rig: TestService, id: string, method = 'http') {
  return await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method } });
}

describe('hosts that serve the token', () => {
  test.each(['.txt', '.html', ''])(
    'a host that serves its token at the path /<token>%s is verified',
    async (suffix) => {
      const target = await openTestTarget(respondNotFound);
      const { rig, id, token } = await createApp(target);
      target.respondWith(servePages({ [`/${token}${suffix}`]: token }));
      const response = await verify(rig, id);
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ app_id: id, message: 'success' });
      expect((await rig.call('GET', `/v2/apps/${id}`)).json.status).toBe('verified');
    },
  );

  test.each([404, 410])(
    'a host is verified if it responds to other file names with status %d',
    async (status) => {
      const target = await openTestTarget(respondNotFound);
      const { rig, id, token } = await createApp(target);
      target.respondWith(respondInSequence((name) => (name === token ? name : status)));
      expect((await verify(rig, id)).status).toBe(200);
    },
  );

  test('a host is verified if it serves the token surrounded by whitespace', async () => {
    const target = await openTestTarget(respondNotFound);
    const { rig, id, token } = await createApp(target);
    target.respondWith(servePages({ [`/${token}.txt`]: ` ${token}\r\n` }));
    expect((await verify(rig, id)).status).toBe(200);
  });

  test('a verification request does not require a body', async () => {
    const target = await openTestTarget(respondNotFound);
    const { rig, id, token } = await createApp(target);
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    expect((await rig.call('POST', `/v2/apps/${id}/verify`)).status).toBe(200);
    expect((await rig.call('POST', `/v2/apps/${id}/verify`, { json: { method: 'http' } })).status).toBe(200);
  });
});

describe('hosts that are not verified', () => {
  const cases: readonly (readonly [string, (token: string, target: TestTarget) => TargetHandler])[] = [
    ['without the token', () => respondNotFound],
    ['with another token', (token) => servePages({ [`/${token}.txt`]: `service-${'0'.repeat(32)}` })],
    ['with only the app id', (token) => servePages({ [`/${token}.txt`]: token.slice('service-'.length) })],
    ['with the token inside an HTML page', (token) => servePages({ [`/${token}.html`]: `<p>${token}</p>` })],
    [
      'with the token followed by too many characters',
      (token) => servePages({ [`/${token}.txt`]: `${token}${' '.repeat(200)}` }),
    ],
    ['with the token twice', (token) => servePages({ [`/${token}.txt`]: `${token} ${token}` })],
    ['with the token in uppercase', (token) => servePages({ [`/${token}.txt`]: token.toUpperCase() })],
    [
      'that echoes every path',
      () => (request, response) => {
        response.end((request.url ?? '').slice(1).replace(/\..*$/, ''));
      },
    ],
    [
      'that echoes every name that has the format of a token',
      () => (request, response) => {
        response.end(/service-[0-9a-f]+/.exec(request.url ?? '')?.[0] ?? '');
      },
    ],
    [
      'that echoes one path and then responds with 429',
      () => respondInSequence((name, before) => (before.length > 0 ? 429 : name)),
    ],
    [
      'that echoes every other path and otherwise responds with 429',
      () => respondInSequence((name, before) => (before.length % 2 === 0 ? 429 : name)),
    ],
    [
      'that echoes the path of the previous request',
      () => respondInSequence((_, before) => before.at(-1) ?? 404),
    ],
    [
      'that echoes every path except the first',
      () => respondInSequence((name, before) => (before.length === 0 ? 404 : name)),
    ],
    [
      'that echoes every path that was requested before',
      () => respondInSequence((name, before) => (before.includes(name) ? name : 404)),
    ],
    [
      'that echoes every path except the one it refused first',
      () => {
        let refused: string | null = null;
        return respondInSequence((name) => (name === (refused ??= name) ? 404 : name));
      },
    ],
    ...[200, 204, 302, 401, 403, 429, 500, 503].map(
      (status) =>
        [
          `that responds with ${status} to unknown names`,
          (token: string) => respondInSequence((name) => (name === token ? name : status)),
        ] as const,
    ),
    [
      'with the token in a response with status 404',
      (token) => (_, response) => {
        response.statusCode = 404;
        response.end(token);
      },
    ],
    [
      'that redirects to another path of the same host',
      (token, target) => (request, response) => {
        response.statusCode = request.url?.startsWith('/moved') === true ? 200 : 302;
        response.setHeader('location', `${target.url}/moved/${token}.txt`);
        response.end(request.url?.startsWith('/moved') === true ? token : '');
      },
    ],
    [
      'that closes the connection without a response',
      () => (request) => {
        request.socket.destroy();
      },
    ],
    [
      'that responds with endless bytes',
      () => (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'with a compressed response',
      () => (_, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(Buffer.from('1f8b', 'hex'));
      },
    ],
  ];

  test.each(cases)('a host %s is not verified', async (_, handlerOf) => {
    const target = await openTestTarget(respondNotFound);
    const { rig, id, token } = await createApp(target);
    target.respondWith(handlerOf(token, target));
    const response = await verify(rig, id);
    expect(response.status).toBe(422);
    // The same message for every reason hides the observations of the service.
    expect(response.json).toEqual({
      app_id: id,
      message: 'error',
      errors: [unverifiedText(target.host)],
    });
    expect((await rig.call('GET', `/v2/apps/${id}`)).json.status).toBe('unverified');
  });

  /** Hosts that learn from earlier requests, and the number of checks after which they have learned all names. */
  const learners: readonly (readonly [string, () => TargetHandler, checks: number])[] = [
    ...sampleRows([1, 2, 3, 4, 5, 6, 7, 8], 4).map(
      (count) =>
        [
          `that echoes a name if the number of earlier requests for the name is at least ${count}`,
          () =>
            respondInSequence((name, before) =>
              before.filter((earlier) => earlier === name).length >= count ? name : 404,
            ),
          6,
        ] as const,
    ),
    [
      'that echoes the name requested most often',
      () =>
        respondInSequence((name, before) => {
          const counts = countNames([...before, name]);
          return counts.get(name) === Math.max(...counts.values()) ? name : 404;
        }),
      6,
    ],
    [
      'that echoes the name that was requested strictly more often than every other name',
      () =>
        respondInSequence((name, before) => {
          const counts = countNames([...before, name]);
          const own = counts.get(name) ?? 0;
          counts.delete(name);
          return own > Math.max(0, ...counts.values()) && before.length > 0 ? name : 404;
        }),
      6,
    ],
    ...sampleRows([0, 1, 2, 3, 4, 5, 6, 7, 8, 13], 5).map(
      (count) =>
        [
          `that echoes every name from request ${count + 1} on`,
          () => respondInSequence((name, before) => (before.length >= count ? name : 404)),
          // From the third check on, these hosts echo every name.
          3,
        ] as const,
    ),
    [
      'that echoes the names that were requested least often',
      () =>
        respondInSequence((name, before) => {
          const counts = countNames([...before, name]);
          return counts.get(name) === Math.min(...counts.values()) ? name : 404;
        }),
      6,
    ],
    [
      'that echoes every name except the first two names',
      () =>
        respondInSequence((name, before) => ([...new Set([...before, name])].indexOf(name) > 1 ? name : 404)),
      2,
    ],
    [
      'that echoes the names of earlier checks',
      () => {
        const firstRequests = new Map<string, number>();
        return (request, response) => {
          const name = (request.url ?? '').slice(1).replace(/\..*$/, '');
          const first = firstRequests.get(name) ?? performance.now();
          firstRequests.set(name, first);
          // The test waits longer than this between its checks.
          const isOld = performance.now() - first > AGE_MS;
          response.statusCode = isOld ? 200 : 404;
          response.end(isOld ? name : '');
        };
      },
      6,
    ],
  ];

  test.each(learners)('a host %s is not verified by repeated checks', async (_, createHandler, checks) => {
    const target = await openTestTarget(respondNotFound);
    const { rig, id } = await createApp(target);
    target.respondWith(createHandler());
    for (let check = 0; check < checks; check++) {
      expect((await verify(rig, id)).status).toBe(422);
      const since = performance.now();
      await waitUntil(() => (performance.now() - since > 2 * AGE_MS ? true : null));
    }
  });

  test('two verifications of an app request identical files in identical order, except for the seventh file', async () => {
    const target = await openTestTarget(respondNotFound);
    const dataDirectory = createTestDirectory();
    const names: string[][] = [];
    for (let start = 0; start < 2; start++) {
      const rig = await openTestService({ mode: 'serve', dataDirectory });
      const { app_id: id, verification_id: token } = (
        await rig.call('POST', '/v2/apps', { form: { app: target.host } })
      ).json;
      target.respondWith(servePages({ [`/${token}.txt`]: token }));
      const before = target.requests.length;
      expect((await verify(rig, id)).status).toBe(200);
      names.push(target.requests.slice(before));
      await rig.service.close();
    }
    const [first = [], second = []] = names;
    expect(first).toHaveLength(7);
    expect(second.slice(0, 6)).toEqual(first.slice(0, 6));
    expect(first.slice(4, 6)).toEqual(first.slice(0, 2));
    expect(second[6]).not.toBe(first[6]);
  });

  test('a host without a listening server fails the verification with the same error as a host without the verification file', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const app = `127.0.0.1:${await findFreePort()}`;
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app } })).json;
    const response = await verify(rig, id);
    expect(response.status).toBe(422);
    expect(response.json.errors).toEqual([unverifiedText(app)]);
    // Only the log contains the reason.
    expect(loggedFailures(rig)).toEqual(['unreachable']);
    // The client truncates longer errors.
    const longest = unverifiedText('127.0.0.1:65535');
    expect(toSafeLine(longest)).toBe(longest);
  });

  test('a host is not verified if it redirects to the valid file on another host', async () => {
    const other = await openTestTarget(respondNotFound);
    const target = await openTestTarget(respondNotFound);
    const { rig, id, token } = await createApp(target);
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
  ])('the forbidden or unreachable host %s is not verified', async (host) => {
    const rig = sharedService();
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: host } })).json;
    expect((await verify(rig, id)).status).toBe(422);
  });

  test('an unknown verification method is refused', async () => {
    const target = await openTestTarget(respondNotFound);
    const { rig, id } = await createApp(target);
    const response = await verify(rig, id, 'smoke-signals');
    expect(response.status).toBe(422);
    expect(response.json).toMatchObject({ app_id: id, message: 'error' });
    expect(response.json.errors[0]).toContain(`can't verify domain ${target.host}`);
    expect(target.requests).toEqual([]);
  });
});

test('an app with the host and port of the service itself is not verified', async () => {
  for (const mode of ['serve', 'in-process'] as const) {
    const rig = await openTestService({ mode });
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '[::1]']) {
      const app = `${host}:${rig.service.port}`;
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app } })).json;
      expect((await verify(rig, id)).status).toBe(422);
    }
  }
});

test('a test with a URL on the port of the service is refused, even if the bare host is verified', async () => {
  const rig = await openTestService();
  await rig.verifiedApp('127.0.0.1');
  const response = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`${rig.service.url}/v2/apps`),
  });
  expect(response.status).toBe(422);
  expect(rig.runner.runs).toEqual([]);
});

test('"loadtests serve" requires the verification token from a loopback host, but the embedded service does not', async () => {
  const target = await openTestTarget(respondNotFound);
  const { rig, id } = await createApp(target);
  expect((await verify(rig, id)).status).toBe(422);
  const own = await openTestService();
  await own.verifiedApp(target.host);
});

test('load on localhost is sent only to the addresses that have a listening server', async () => {
  const target = await openTestTarget(respondNotFound);
  const rig = await openTestService();
  await rig.verifiedApp(`localhost:${target.port}`);
  const response = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`http://localhost:${target.port}/`),
  });
  expect(response.status).toBe(200);
  expect(rig.runner.latest().job.targets[0]?.addresses).toEqual(['127.0.0.1']);
  expect(target.requests).toEqual([]);
});

test('five concurrent verifications of an app send fewer than ten requests to the host', async () => {
  const target = await openTestTarget(respondNotFound);
  const { rig, id, token } = await createApp(target);
  target.respondWith(servePages({ [`/${token}.txt`]: token }));
  const responses = await Promise.all(Array.from({ length: 5 }, async () => await verify(rig, id)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(target.requests.length).toBeLessThan(10);
});

test('a verification attempt above the limit is refused with 429 and a retry time', async () => {
  const target = await openTestTarget(respondNotFound);
  const rig = await openTestService({ mode: 'serve', limits: { verifyAttemptsPerMinute: 3 } });
  const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
  for (let i = 0; i < 3; i++) expect((await verify(rig, id)).status).toBe(422);
  const response = await verify(rig, id);
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('verification before and during runs', () => {
  async function openVerified(limits = {}) {
    const target = await openTestTarget(respondNotFound);
    const rig = await openTestService({ mode: 'serve', limits });
    const { app_id: id, verification_id: token } = (
      await rig.call('POST', '/v2/apps', { form: { app: target.host } })
    ).json;
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    expect((await verify(rig, id)).status).toBe(200);
    return { target, rig, id };
  }

  test('a create request is refused if the host no longer serves the verification file', async () => {
    const { target, rig, id } = await openVerified();
    target.respondWith(respondNotFound);
    const response = await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) });
    expect(response.status).toBe(422);
    expect(response.json.errors).toEqual([unverifiedText(target.host)]);
    expect((await rig.call('GET', `/v2/apps/${id}`)).json.status).toBe('unverified');
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
    expect(rig.runner.runs).toEqual([]);
  });

  test('a run of an existing test is refused and has no result if the host no longer serves the verification file', async () => {
    const { target, rig } = await openVerified();
    const created = (await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) })).json;
    rig.runner.latest().end();
    await waitUntil(async () =>
      (await rig.call('GET', `/v2/tests/${created.test_id}`)).json.status === 'complete' ? true : null,
    );
    target.respondWith(respondNotFound);
    expect((await rig.call('PUT', `/v2/tests/${created.test_id}/run`)).status).toBe(422);
    expect((await rig.call('GET', `/v2/tests/${created.test_id}/results`)).json).toHaveLength(1);
    expect((await rig.call('GET', `/v2/tests/${created.test_id}`)).json.status).toBe('complete');
  });

  test('the load generator receives the verified addresses of the host', async () => {
    const { target, rig } = await openVerified();
    await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) });
    expect(rig.runner.latest().job.targets.map(({ addresses }) => addresses)).toEqual([['127.0.0.1']]);
  });

  test('a run ends when its host no longer serves the verification file', async () => {
    const { target, rig } = await openVerified({ hostCheckIntervalMs: 20 });
    const { test_id: id, result_id: result } = (
      await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) })
    ).json;
    const requestCount = target.requests.length;
    await waitUntil(() => (target.requests.length > requestCount + 3 ? true : null));
    expect(rig.runner.latest().stops).toEqual([]);
    target.respondWith(respondNotFound);
    const record = await waitUntil(async () => {
      const { json } = await callAt(rig.service.url, 'GET', `/v2/tests/${id}/results/${result}`);
      return json.status === 'ready' ? json : null;
    });
    expect(record.abort_reason).toBe('verification_lost');
  });
});

describe('recent checks of an app', () => {
  async function detailOf(rig: TestService, id: string) {
    const record = JSON.parse((await rig.call('GET', `/v2/apps/${id}`)).text) as AppRecord; // checked in the next line
    expect(apiMismatch('app-record', record)).toBeNull();
    return record;
  }

  test('the verification checks of an app are listed with their reasons, newest first', async () => {
    const target = await openTestTarget(respondNotFound);
    const { rig, id, token } = await createApp(target);
    await verify(rig, id);
    await verify(rig, id, 'dns');
    expect(loggedFailures(rig).slice(-2)).toEqual(['no_token', 'no_record']);
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    await verify(rig, id);
    await rig.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) });
    const record = await detailOf(rig, id);
    expect(record).toMatchObject({
      verification_id: token,
      verification_record: `service=${id}`,
      method: 'http',
      status: 'verified',
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
        expect.stringContaining('serve the verification file, or serves it under other names too'),
      ],
    ]);
  });

  test('the last ten verification checks of an app are stored, and are deleted with the app', async () => {
    const target = await openTestTarget(respondNotFound);
    const rig = await openTestService({ mode: 'serve', limits: { verifyAttemptsPerMinute: 100 } });
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
    for (let i = 0; i < 12; i++) await verify(rig, id);
    expect((await detailOf(rig, id)).checks).toHaveLength(10);
    await rig.call('DELETE', `/v2/apps/${id}`);
    const again = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
    expect((await detailOf(rig, again.app_id)).checks).toEqual([]);
  });
});

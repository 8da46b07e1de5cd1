/** Unusual and invalid responses, sent over raw sockets, and their treatment by the client. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions, ServiceClient } from '../../src/client/client.ts';
import { appId, testId } from '../../src/core/model/ids.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createHostedClient, expectFailure, homeSpec } from '../support/hosted-client.ts';
import { HOSTED_DEFAULTS } from '../support/hosted-options.ts';
import { revealText } from '../../src/core/model/secret.ts';
import { responseText, startRawTarget, type RawTarget, type RawReply } from '../support/raw-target.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

async function start(
  reply: RawReply,
  more: Partial<ClientOptions> = {},
): Promise<{ target: RawTarget; client: ServiceClient }> {
  const target = await startRawTarget(reply);
  const client = createHostedClient(`http://127.0.0.1:${target.port}`, more);
  open.push(client, target);
  return { target, client };
}

const replyWith =
  (text: string): RawReply =>
  (_request, write) =>
    write(text);

const replyAndClose =
  (text: string): RawReply =>
  (_request, write, socket) => {
    write(text);
    socket.end();
  };

const json = (value: unknown, headers: readonly string[] = []): RawReply =>
  replyWith(responseText(200, JSON.stringify(value), headers));

const create = (client: ServiceClient) => client.createTest({ spec: homeSpec, notes: '', nonce: 'n' });

describe('unusual but valid responses', () => {
  const app = JSON.stringify([{ app: 'www.example.com', app_id: 'a1', status: 'verified' }]);
  it.each<[string, RawReply]>([
    [
      'HTTP/1.0 and a Content-Length',
      replyAndClose(`HTTP/1.0 200 OK\r\nContent-Length: ${app.length}\r\n\r\n${app}`),
    ],
    ['HTTP/1.0 and a body that ends with the connection', replyAndClose(`HTTP/1.0 200 OK\r\n\r\n${app}`)],
    [
      'preceding early hints',
      replyWith(`HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n${responseText(200, app)}`),
    ],
    [
      'chunks and trailers',
      replyWith(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${app.length.toString(16)};x=y\r\n${app}\r\n0\r\nX-Sum: 1\r\n\r\n`,
      ),
    ],
    ['a byte order mark', replyWith(responseText(200, `\uFEFF${app}`))],
    ['no content type', replyWith(responseText(200, app))],
    ['the content type of an HTML page', replyWith(responseText(200, app, ['Content-Type: text/html']))],
    ['no reason phrase', replyWith(responseText(200, app).replace('200 X', '200'))],
    [
      'unknown fields',
      json([{ app: 'www.example.com', app_id: 'a1', status: 'verified', __proto: { x: 1 }, more: [[]] }]),
    ],
    [
      'a "__proto__" key',
      replyWith(responseText(200, app.replace('"app"', '"__proto__":{"app_id":"x"},"app"'))),
    ],
  ])('the client reads a response with %s', async (_, reply) => {
    const { client } = await start(reply);
    expect((await client.listApps()).items).toEqual([
      { id: 'a1', host: 'www.example.com', status: 'verified' },
    ]);
  });

  it('the client does not use an unsolicited second response for the next request', async () => {
    const validResponse = (id: string) => responseText(200, JSON.stringify([{ app: 'x', app_id: id }]));
    const { client, target } = await start((_request, write) => {
      write(
        validResponse(String(target.requests.length)) +
          (target.requests.length === 1 ? validResponse('planted') : ''),
      );
    });
    for (const id of ['1', '2', '3']) expect((await client.listApps()).items[0]?.id).toBe(id);
  });

  it('an unsolicited response that arrives after a complete response is not used for the next request', async () => {
    const validResponse = (id: string) => responseText(200, JSON.stringify([{ app: 'x', app_id: id }]));
    const { client, target } = await start((_request, write) => {
      const first = target.requests.length === 1;
      write(validResponse(String(target.requests.length)));
      if (first) setImmediate(write, validResponse('planted'));
    });
    for (const id of ['1', '2', '3']) expect((await client.listApps()).items[0]?.id).toBe(id);
  });
});

describe('unusable responses', () => {
  const tuning = { backoff: milliseconds(1), maxResponseBytes: 4_096, maxListBytes: 8_192 };
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each<[string, RawReply, RegExp]>([
    [
      'a body shorter than its Content-Length',
      replyAndClose('HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n[{"'),
      /was truncated/,
    ],
    [
      'chunks that end early',
      replyAndClose('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n[{}]\r\n'),
      /was truncated/,
    ],
    [
      'a chunk without a size',
      replyAndClose('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]'),
      /was truncated|a valid HTTP response/,
    ],
    [
      'a Content-Length above the maximum size',
      replyWith('HTTP/1.1 200 OK\r\nContent-Length: 90000000000\r\n\r\n['),
      /longer than 8192 bytes/,
    ],
    [
      'a body above the maximum size',
      replyWith(responseText(200, JSON.stringify(['x'.repeat(9_000)]))),
      /longer than 8192 bytes/,
    ],
    ['a compressed body', replyWith(gzipped('[]')), /content encoding "gzip"/],
    ['65 levels of nesting', replyWith(responseText(200, nested(65))), /deeper than 64 levels/],
    ['invalid UTF-8', replyWith(`HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n["\xff\xfe"]`), /UTF-8/],
    [
      'UTF-8 that ends in the middle of a character',
      replyWith(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n["\xc3`),
      /UTF-8/,
    ],
    ['no body', replyWith('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), /the body is empty/],
    ['status 204', replyWith('HTTP/1.1 204 No Content\r\n\r\n'), /the body is empty/],
    ['only whitespace', replyWith(responseText(200, ' \r\n ')), /the body is empty/],
    ['an HTML page', replyWith(responseText(200, '<!doctype html><p>Sign in')), /page/],
    ['plain text', replyWith(responseText(200, 'OK')), /is not valid JSON/],
    ['an object instead of a list', json({ tests: [] }), /it must be/],
    ['null instead of a list', json(null), /it must be/],
    ['a list that contains null', json([null]), /"\/0" must be/],
    [
      'a list member without an id',
      json([{ test_id: 'a', urls: [] }, { urls: [] }]),
      /"\/1\/test_id" is missing/,
    ],
    ['an id that is a list', json([{ test_id: ['a'], urls: [] }]), /"\/0\/test_id" must be/],
    ['an id with a path', json([{ test_id: '../apps', urls: [] }]), /\/0\/test_id/],
    ['an empty id', json([{ test_id: '', urls: [] }]), /\/0\/test_id/],
    ['an id that is a huge number', json([{ test_id: 1e30, urls: [] }]), /\/0\/test_id/],
    ['a URL that is a number', json([{ test_id: 'a', urls: [{ url: 5 }] }]), /"\/0\/urls\/0\/url" must be/],
    ['notes that are a list', json([{ test_id: 'a', urls: [], notes: [] }]), /"\/0\/notes" must be/],
    [
      'a redirect status',
      replyWith(responseText(301, '', ['Location: /elsewhere?key=1#part'])),
      /redirect \(301\) to "http:\/\/127.0.0.1:\d+\/elsewhere"/,
    ],
    ['status 304 and no location', replyWith(responseText(304, '')), /redirect \(304\)/],
    [
      'text of another protocol',
      replyAndClose('SSH-2.0-OpenSSH_9.6\r\n'),
      /a valid HTTP response \("SSH-2.0-OpenSSH_9.6"\)/,
    ],
    [
      'a header of 40 kB',
      replyWith(responseText(200, '[]', [`X: ${'x'.repeat(40_000)}`])),
      /a valid HTTP response/,
    ],
    [
      'both a Content-Length and chunks',
      replyWith('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      /a valid HTTP response/,
    ],
    [
      'a protocol switch',
      replyWith('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'),
      /closed the connection|a valid HTTP response/,
    ],
    ['status 600', replyWith(responseText(600, '[]')), /reported an error \(600\)/],
  ])(
    'a list request fails on a response with %s, and a create request with this response has an unknown outcome and is not repeated',
    async (_, reply, message) => {
      const { client } = await start(reply, { tuning });
      const error = await expectFailure(client.listTests());
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(/^GET \/v2\/tests: /);
      expect(['LT_API_UNUSABLE', 'LT_API_UNREACHABLE']).toContain(error.problem.code);

      // The same response to a create leaves its outcome unknown, and the create is sent once.
      const { client: writer, target } = await start(reply, { tuning });
      const unclear = await expectFailure(create(writer));
      expect(unclear).toMatchObject({ outcome: 'unknown', problem: { code: 'LT_API_UNKNOWN' } });
      expect(target.requests).toHaveLength(1);
    },
  );

  it('the client reports a service that responds in another protocol as unusable, not as unreachable', async () => {
    const { client } = await start(replyAndClose('220 mail.example.com ESMTP ready\r\n'));
    expect(await expectFailure(client.listTests())).toMatchObject({
      problem: {
        code: 'LT_API_UNUSABLE',
        hint: 'check service.base_url; its port may belong to another program',
      },
    });
  });

  it('the API key is masked in the error about a response that echoes the request', async () => {
    const { key } = HOSTED_DEFAULTS;
    const { client } = await start((_request, write, socket) => {
      write(`echo service-auth: ${key} ${'x'.repeat(28)} ${key}`);
      socket.end();
    });
    const { message } = await expectFailure(client.listTests());
    expect(message).toContain('("echo service-auth: ***');
    expect(message).not.toContain(key.slice(0, 4));
  });

  it.each([
    [403, '{"message":"error","errors":["the address is blocked"]}', 'denied access (403)'],
    [403, '{"message":"error","errors":["wrong api key"]}', 'rejected the API key (403)'],
    [401, '{"message":"error","errors":["no"]}', 'rejected the API key (401)'],
  ])('the client reports status %i with the body %s as "%s"', async (status, body, text) => {
    const { client } = await start(replyWith(responseText(status, body)));
    const { problem } = await expectFailure(client.listTests());
    expect([problem.code, problem.message]).toEqual(['LT_API_KEY', expect.stringContaining(text)]);
  });

  it('the client rejects a body with 100,000 levels of nesting', async () => {
    const { client } = await start(replyWith(responseText(200, `[{"test_id":${nested(100_000)}}]`)));
    expect((await expectFailure(client.listTests())).message).toContain('is nested deeper than 64 levels');
  });

  it('the client reads a long list, and replaces a header value that is nested too deeply for Node.js with an empty string', async () => {
    const deep = `{"test_id":"a","urls":[{"url":"http://www.example.com/","headers":{"X":${nested(100_000)},"Y":[1]}}]}`;
    const { client } = await start(replyWith(responseText(200, `[${deep},{"test_id":"b","urls":[]}]`)));
    const [test] = (await client.listTests()).items;
    const headers = test?.targets()[0]?.headers ?? [];
    const [deepest, ...others] = headers.map(({ name, value }) => ({ name, value: revealText(value) }));
    // Later versions of Node.js have no limit.
    expect(['', nested(100_000)].includes(deepest?.value ?? '')).toBe(true);
    expect(others).toEqual([{ name: 'Y', value: '[1]' }]);
  });

  it('the client does not count brackets in strings as nesting', async () => {
    const notes = `${'[{'.repeat(500)}\\"[`;
    const { client } = await start(json([{ test_id: 'a', urls: [], notes }]));
    expect((await client.listTests()).items[0]?.notes).toBe(notes);
  });

  it('the client closes the connection when an endless body reaches the maximum size', async () => {
    let isClosed = false;
    const { client } = await start(
      (_request, write, socket) => {
        socket.on('close', () => {
          isClosed = true;
        });
        write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n');
        const pour = (): void => {
          if (socket.destroyed) return;
          write(`1000\r\n${' '.repeat(4096)}\r\n`);
          setImmediate(pour);
        };
        pour();
      },
      { tuning },
    );
    expect((await expectFailure(client.listTests())).message).toContain('longer than 8192 bytes');
    await expect.poll(() => isClosed).toBe(true);
  });

  it('the client applies a higher size limit to lists than to other responses', async () => {
    const notes = 'x'.repeat(5_000);
    const record = { test_id: 'a', urls: [], notes };
    const { client } = await start(
      (request, write) => {
        write(responseText(200, JSON.stringify(request.path === '/v2/tests' ? [record] : record)));
      },
      { tuning },
    );
    expect((await client.listTests()).items).toHaveLength(1);
    expect((await expectFailure(client.getTest(testId('a')))).message).toContain('longer than 4096 bytes');
  });

  it('the client stops reading a slow body when the request timeout expires', async () => {
    const { client, target } = await start(
      (_request, write, socket) => {
        write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n[');
        const drip = setInterval(() => write(' '), 20);
        socket.on('close', () => clearInterval(drip));
      },
      { requestTimeout: milliseconds(2000) },
    );
    const error = await expectFailure(create(client));
    expect(error).toMatchObject({ outcome: 'unknown', status: 200 });
    expect(error.message).toContain('was not complete after 2 s');
    expect(target.requests).toHaveLength(1);
  });

  it('the client stops reading a slow header section when the request timeout expires', async () => {
    const { client } = await start(
      (_request, write, socket) => {
        write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => write('X-Y: z\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      },
      { requestTimeout: milliseconds(1000) },
    );
    expect((await expectFailure(create(client))).message).toContain('did not respond within 1 s');
  });

  it('read requests succeed even if the service resets each connection after its response', async () => {
    const { client, target } = await start((_request, write, socket) => {
      write(responseText(200, '[]'));
      setImmediate(() => socket.resetAndDestroy());
    });
    for (let at = 0; at < 5; at++) expect((await client.listApps()).items).toEqual([]);
    expect(target.requests.length).toBeGreaterThanOrEqual(5);
  });
});

function gzipped(text: string): string {
  const bytes = gzipSync(text).toString('latin1');
  return `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes}`;
}

describe('content of responses to write requests', () => {
  it.each<[string, unknown]>([
    ['an object without an id', { message: 'success' }],
    ['an object with a null id', { message: 'success', test_id: null }],
    ['an object with an id that contains a slash', { message: 'success', test_id: 'a/b' }],
    [
      'an object with a result id that contains a slash',
      { message: 'success', test_id: 'a', result_id: '../x' },
    ],
    ['an object without a message', { test_id: 'a' }],
    ['an object with a numeric status', { message: 'success', test_id: 'a', status: 1 }],
    ['a list', [{ message: 'success', test_id: 'a' }]],
    ['null', null],
    ['true', true],
  ])(
    'the client treats the outcome of a create request as unknown if the response is %s',
    async (_, value) => {
      const { client } = await start(json(value));
      expect(await expectFailure(create(client))).toMatchObject({
        outcome: 'unknown',
        status: 200,
        problem: { code: 'LT_API_UNKNOWN' },
      });
    },
  );

  it.each([
    ['a parent directory', '../../etc/passwd'],
    ['a slash', 'a/b'],
    ['a leading dot', '.hidden'],
    ['a space', 'a b'],
    ['a character outside of ASCII', 'ä'],
    ['300 characters', 'x'.repeat(300)],
  ])(
    'the client rejects a verification id with %s, because the id must be a valid file name',
    async (_, id) => {
      const { client } = await start(json({ message: 'success', app_id: 'a', verification_id: id }));
      expect((await expectFailure(client.registerApp('x'))).message).toContain('/verification_id');
    },
  );

  it('the client treats an error object as a refusal even if the status is 200', async () => {
    const { client } = await start(json({ message: 'error', errors: ['total is too high'] }));
    const error = await expectFailure(create(client));
    expect(error).toMatchObject({ outcome: 'refused', errors: ['total is too high'] });
    expect(error.message).toBe('POST /v2/tests: the service refused the request (200): "total is too high"');
  });

  it.each<[string, unknown, string[]]>([
    [
      'the fields of web frameworks',
      { statusCode: 400, error: 'Bad Request', message: 'body is bad' },
      ['Bad Request', 'body is bad'],
    ],
    ['a map of reasons', { errors: { total: ['is odd'] } }, ['{"total":["is odd"]}']],
    ['a reason as a string', { errors: 'no' }, ['no']],
    ['reasons of mixed types', { message: 'error', errors: ['a', 5, null] }, ['a', '5', 'null']],
    ['an empty object', {}, []],
  ])('the client extracts the list of error reasons from a response with %s', async (_, body, errors) => {
    const { client } = await start(replyWith(responseText(422, JSON.stringify(body))));
    expect(await expectFailure(create(client))).toMatchObject({ outcome: 'refused', status: 422, errors });
  });

  it('the client removes control characters, format characters and unpaired surrogates from error reasons, and truncates long reasons', async () => {
    const evil = `\u001b[2J\u0007line\r\nbreak \u202Eesrever\u200b \u009b31m \ud800 ${'long '.repeat(200)}`;
    const { client } = await start(
      replyWith(responseText(422, JSON.stringify({ message: 'error', errors: [evil] }))),
    );
    const [text = ''] = (await expectFailure(create(client))).errors;
    expect(text).toMatch(/^\[2Jline break esrever 31m long /);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(text.length).toBeLessThanOrEqual(301);
  });

  it('the client accepts a successful response to a delete request, whether or not the response has a body', async () => {
    for (const text of [
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 204 No\r\n\r\n',
      responseText(200, '{"message":"success"}'),
    ]) {
      const { client } = await start(replyWith(text));
      await client.deleteApp(appId('a'));
    }
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])(
    'the client does not follow a redirect with status %i to another origin, and its error does not contain the API key',
    async (status) => {
      const other = await startRawTarget();
      open.push(other);
      const location = `Location: http://127.0.0.1:${other.port}/v2/tests?key=${HOSTED_DEFAULTS.key}`;
      const { client } = await start(replyWith(responseText(status, '', [location])));
      for (const call of [client.listTests(), create(client), client.deleteApp(appId('a'))]) {
        const error = await expectFailure(call);
        expect(error.message).toContain(`http://127.0.0.1:${other.port}/v2/tests"`);
        expect(error.message).not.toContain(HOSTED_DEFAULTS.key);
      }
      expect(other.connections()).toBe(0);
    },
  );
});

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { HOUR } from '../support/test-clock.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { openTestTarget, type TestTarget, type TargetHandler } from '../support/test-target.ts';

const CLASSIC = {
  keys: ['user', 'pass'],
  values: [
    ['steve', 'x'],
    ['joe', 7],
  ],
};
const VARIABLE = { version: 1, variables: [{ names: ['user'], values: [['steve'], ['joe']] }] };

function file(value: unknown): TargetHandler {
  return (_, response) => {
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
}

/** Part of a file without an end. */
const SPACES = Buffer.alloc(65_536, ' ');

interface FileShop extends Shop {
  readonly files: TestTarget;
  readonly fileUrl: string;
  create(
    entry?: Readonly<Record<string, unknown>>,
    changes?: Readonly<Record<string, unknown>>,
  ): ReturnType<Shop['service']['call']>;
}

async function openFileShop(handler: TargetHandler): Promise<FileShop> {
  const shop = await openShop();
  const files = await openTestTarget(handler);
  const fileUrl = `${files.url}/rows.json?token=canary`;
  return {
    ...shop,
    files,
    fileUrl,
    async create(entry, changes) {
      const urls = [{ url: `${shop.target.url}/`, payload_file_url: fileUrl, ...entry }];
      return await shop.service.call('POST', '/v2/tests', {
        json: smallTestFields('', { urls, ...changes }),
      });
    },
  };
}

describe('payload files at a URL', () => {
  test('a payload file with "keys" provides the rows for the requests of its URL', async () => {
    const shop = await openFileShop(file(CLASSIC));
    expect((await shop.create()).status).toBe(200);
    const { job } = shop.service.runner.latest();
    expect(job.targets[0]?.rows).toEqual({
      names: ['user', 'pass'],
      values: [
        ['steve', 'x'],
        ['joe', '7'],
      ],
    });
    expect(job.iterationRows).toEqual([]);
    expect(shop.files.requests).toEqual(['GET /rows.json?token=canary']);
  });

  test('a payload file with "variables" provides the rows for iterations', async () => {
    const shop = await openFileShop(file(VARIABLE));
    const urls = [
      { url: `${shop.target.url}/{{user}}` },
      { url: `${shop.target.url}/`, payload_file_url: shop.fileUrl },
      { url: `${shop.target.url}/`, payload_file_url: shop.fileUrl, headers: { 'X-User': '{{user}}' } },
    ];
    expect((await shop.create({}, { urls })).status).toBe(200);
    const { job } = shop.service.runner.latest();
    expect(job.iterationRows).toEqual([{ names: ['user'], values: [['steve'], ['joe']] }]);
    expect(job.targets.map(({ rows }) => rows)).toEqual([null, null, null]);
    // A file that is used several times is downloaded once.
    expect(shop.files.requests).toHaveLength(1);
  });

  test('a payload file is downloaded again before each run', async () => {
    const shop = await openFileShop(file(CLASSIC));
    const { test_id: id } = (await shop.create()).json;
    shop.service.runner.latest().end();
    await waitUntil(async () =>
      (await shop.service.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
    );
    shop.files.respondWith(file({ keys: ['other'], values: [['new']] }));
    expect((await shop.service.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
    expect(shop.service.runner.latest().job.targets[0]?.rows?.values).toEqual([['new']]);
  });

  test('a run is refused if its payload file has become invalid', async () => {
    const shop = await openFileShop(file(CLASSIC));
    const { test_id: id } = (await shop.create()).json;
    await shop.service.call('PUT', `/v2/tests/${id}/stop`);
    shop.files.respondWith(file('gone'));
    const response = await shop.service.call('PUT', `/v2/tests/${id}/run`);
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toContain('is not valid JSON');
    expect(shop.service.runner.runs).toHaveLength(1);
  });

  test('the payload file of a scheduled test is checked when the test is created and when it starts', async () => {
    const shop = await openFileShop(file(CLASSIC));
    const scheduled = { scheduled_at: formatInstant(shop.clock.now() + HOUR) };
    const { test_id: id } = (await shop.create({}, scheduled)).json;
    expect(shop.files.requests).toHaveLength(1);
    shop.files.respondWith(file([]));
    shop.clock.advance(HOUR);
    const result = await waitUntil(async () => {
      const [first] = (await shop.service.call('GET', `/v2/tests/${id}/results`)).list;
      return first?.status === 'ready' ? first : null;
    });
    const full = (await shop.service.call('GET', `/v2/tests/${id}/results/${result.result_id}`)).json;
    expect(full.abort_reason).toBe('partial');
    expect(full.error_samples[0]?.error).toContain('must be a JSON object');
    shop.files.respondWith(file([]));
    expect((await shop.create({}, scheduled)).status).toBe(422);
  });
});

describe('invalid payload files at a URL', () => {
  const cases: readonly (readonly [string, TargetHandler, RegExp])[] = [
    ['is not JSON', file('<html>'), /is not valid JSON/],
    ['is empty', file(''), /is not valid JSON/],
    ['has a row of a different length', file({ keys: ['a'], values: [['b', 'c']] }), /values\[0\]/],
    [
      'is missing',
      (_, response) => {
        response.writeHead(404).end();
      },
      /responded with status 404/,
    ],
    [
      'is behind a redirect',
      (request, response) => {
        if (request.url === '/other') file(CLASSIC)(request, response);
        else response.writeHead(302, { location: '/other' }).end();
      },
      /could not be downloaded: the server responded with status 302, not 200 \(redirects are not followed\)/,
    ],
    [
      'is compressed',
      (_, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(gzipSync(JSON.stringify(CLASSIC)));
      },
      /content encoding/,
    ],
    [
      'is not UTF-8',
      (_, response) => {
        response.end(Buffer.from(JSON.stringify({ keys: ['ü'], values: [['ä']] }), 'latin1'));
      },
      /is not UTF-8/,
    ],
    [
      'never ends',
      (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(SPACES));
        };
        response.on('drain', more);
        more();
      },
      /is too large/,
    ],
    [
      'is truncated',
      (_, response) => {
        response.setHeader('content-length', '1000');
        response.write('{"keys":');
        response.destroy();
      },
      /could not be downloaded/,
    ],
  ];
  test.each(cases)('a test is refused if its payload file %s', async (_, handler, reason) => {
    const shop = await openFileShop(handler);
    const response = await shop.create();
    expect(response.status).toBe(422);
    expect(response.json.errors).toHaveLength(1);
    expect(response.json.errors[0]).toMatch(/^urls\[0\]: the file at "payload_file_url" /);
    expect(response.json.errors[0]).toMatch(reason);
    expect(response.text).not.toContain('canary');
    expect(shop.service.runner.runs).toEqual([]);
    expect((await shop.service.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test.each([
    ['ftp://127.0.0.1/rows.json', /must begin with http/],
    ['rows.json', /must begin with http/],
    ['file:///etc/passwd', /must begin with http/],
    ['http://user:pass@127.0.0.1/', /user name or password/],
    ['http://evil.example/rows.json', /neither a verified app/],
    ['http://169.254.169.254/latest/meta-data', /neither a verified app/],
    ['http://127.0.0.1/\n', /control character/],
    ['http://127.0.0.1:6379/', /could not be downloaded/],
    ['http://127.0.0.1:2/', /could not be downloaded/],
  ])('a test with a payload file at %j is refused', async (payloadFileUrl, reason) => {
    const shop = await openFileShop(file(CLASSIC));
    const response = await shop.create({ payload_file_url: payloadFileUrl });
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toMatch(reason);
    expect(shop.files.requests).toEqual([]);
  });

  test('a test with a payload file on the service itself is refused, and the service sends no request to itself', async () => {
    const shop = await openFileShop(file(CLASSIC));
    const response = await shop.create({ payload_file_url: `${shop.service.service.url}/v2/apps` });
    // If the service had sent a request without an API key, the reason would contain the status 401.
    expect([response.status, response.json.errors]).toEqual([
      422,
      ['urls[0]: the file at "payload_file_url" could not be downloaded'],
    ]);
  });
});

describe('invalid tests with payload files', () => {
  test('a test is refused if it uses an undefined variable', async () => {
    const shop = await openFileShop(file(VARIABLE));
    const response = await shop.create({ url: `${shop.target.url}/{{user}}/{{other}}` });
    expect(response.json.errors).toEqual([
      'urls[0]: "{{other}}" is not defined; no earlier request of the test defines it',
    ]);
  });

  test('a test is refused if it redefines a variable of its payload file', async () => {
    const shop = await openFileShop(file(VARIABLE));
    const response = await shop.create({ variables: [{ name: 'user', property: 'X', source: 'header' }] });
    expect(response.json.errors).toEqual([
      'urls[0]: the variable "user" is defined twice: in "variables" and in a payload file',
    ]);
  });

  test('a test is refused if two of its payload files define the same variable', async () => {
    const shop = await openFileShop(file(VARIABLE));
    const urls = ['?a', '?b'].map((query) => ({
      url: `${shop.target.url}/`,
      payload_file_url: `${shop.files.url}/rows.json${query}`,
    }));
    const response = await shop.create({}, { urls });
    expect(response.json.errors).toEqual([
      'two payload files define the same variable; rename the variable in one of them',
    ]);
  });

  test('a test is refused if a request has both a body and a payload file with "keys"', async () => {
    const shop = await openFileShop(file(CLASSIC));
    const response = await shop.create({ request_type: 'POST', raw_post_body: 'x' });
    expect(response.json.errors.join()).toMatch(/cannot be combined/);
  });
});

test('expressions are accepted in the URL, the headers and the parameters of a request', async () => {
  const rig = await openTestService();
  await rig.verifiedApp('127.0.0.1:4080');
  const urls = [
    {
      url: 'http://127.0.0.1:4080/%{1:100:2}?a=%{1, 2, 3}&b=100%',
      headers: { 'X-Number': '%{*:1-9}' },
      request_params: { a: '%{1, 2:100:2, *:1-100, 17}', b: '%{{' },
    },
  ];
  const response = await rig.call('POST', '/v2/tests', { json: smallTestFields('', { urls }) });
  expect(response.json.errors).toBeUndefined();
  expect(response.status).toBe(200);
});

test('a test that exceeds the capacity of the load generator is refused and not stored', async () => {
  const rig = await openTestService({
    fake: createFakeRunner({ check: () => 'the process may open 10 files; 60 are needed' }),
  });
  await rig.verifiedApp('127.0.0.1:4080');
  const response = await rig.call('POST', '/v2/tests', { json: smallTestFields('http://127.0.0.1:4080/') });
  expect(response.status).toBe(422);
  expect(response.json.errors).toEqual(['the process may open 10 files; 60 are needed']);
  expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
});

/**
 * Almost valid requests: missing or duplicate fields, wrong types, unusual numbers and encodings, broken
 * JSON, and other content types and paths. None causes a failure, and an accepted test is listed in a form
 * that can be posted.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../src/core/canonical.ts';
import {
  VALID_CREATES,
  HOST,
  change,
  applyChange,
  oddValue,
  withPasswords,
  type FieldChange,
} from '../support/near-valid.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { scaleCount } from '../support/test-scale.ts';
import { openTestService, type ServiceResponse, type TestService } from '../support/test-service.ts';

const URL_OF = `http://${HOST}/`;

const FORMS = [
  `test_type=cycling&duration=60&total=25&urls%5B%5D%5Burl%5D=${encodeURIComponent(URL_OF)}`,
  `test_type=cycling&duration=6&total=2&urls[0][url]=${URL_OF}&urls[0][headers][A]=b&urls[1][url]=${URL_OF}&name=`,
];

/** A change of bytes at a relative position: remove, duplicate, truncate or insert. */
const byteChange = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(12),
  kind: fc.constantFrom('remove', 'duplicate', 'truncate', 'insert'),
  bytes: fc.constantFrom(
    ...[
      '\0',
      '\ufeff',
      '"',
      '{',
      ']',
      ',',
      '&',
      '=',
      '%',
      '%ff',
      '[',
      '1e400',
      '-',
      '\n',
      '//',
      '"total":1,',
    ].map((text) => Buffer.from(text)),
    Buffer.from([0xff]),
    Buffer.from([0xc0, 0x80]),
    Buffer.from([0xed, 0xa0, 0x80]),
  ),
});

function changeBytes(
  body: Buffer,
  change: typeof byteChange extends fc.Arbitrary<infer T> ? T : never,
): Buffer {
  const at = Math.floor(change.at * body.length);
  const [before, after] = [body.subarray(0, at), body.subarray(at)];
  switch (change.kind) {
    case 'remove':
      return Buffer.concat([before, after.subarray(change.length)]);
    case 'duplicate':
      return Buffer.concat([before, after.subarray(0, change.length), after]);
    case 'truncate':
      return before;
    case 'insert':
      return Buffer.concat([before, change.bytes, after]);
  }
}

const TYPES = [
  ...['application/json', 'application/json', 'application/json; charset=UTF-8', 'text/plain', null],
  ...['application/x-www-form-urlencoded', 'application/json; charset=latin1', 'text/json', 'x', 'a/b; c="'],
  ...['multipart/form-data; boundary=x', 'application/json, text/plain'],
];

const ENDS = [
  '',
  '',
  '',
  '/',
  '//',
  '.json',
  '.json/',
  '?status=active',
  '?a[]=%ff&status[]=',
  '%00',
  '%2f',
  '?',
];

/** A body with its content type and the end of its path. */
const request = fc.record({
  body: fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...VALID_CREATES), fc.array(change, { maxLength: 3 })) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...FORMS), fc.constant<FieldChange[]>([])) },
  ),
  bytes: fc.option(byteChange, { freq: 2, nil: null }),
  type: fc.constantFrom(...TYPES),
  end: fc.constantFrom(...ENDS),
});

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

function bodyOf({ body: [base, changes], bytes }: Request): Buffer {
  const text = typeof base === 'string' ? base : JSON.stringify(changes.reduce(applyChange, base));
  return bytes === null ? Buffer.from(text) : changeBytes(Buffer.from(text), bytes);
}

async function openService(): Promise<TestService> {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  return rig;
}

function expectDocumented(response: ServiceResponse, schema: string): void {
  const { status } = response;
  expect([200, 400, 404, 413, 415, 422, 429], response.text).toContain(status);
  expect(apiMismatch(status === 200 ? schema : 'error', response.json), response.text).toBeNull();
}

function expectNoFailure(rig: TestService): void {
  expect(rig.log.filter(({ event }) => event === 'request-failed')).toEqual([]);
}

test('a create request with random changes never causes an internal error, and the record of every accepted test can be posted to create an equal test', async () => {
  const rig = await openService();
  const create = async (raw: { type: string | null; body: Buffer | string }, end = '') => {
    const response = await rig.call('POST', `/v2/tests${end}`, { raw });
    expectDocumented(response, 'test-created');
    // Ending the run keeps its capacity free for later tests.
    if (response.status === 200) rig.runner.latest().end();
    return response;
  };
  const recordOf = async (id: string) => {
    const response = await rig.call('GET', `/v2/tests/${id}`);
    expectDocumented(response, 'test-record');
    return response.json as unknown as Readonly<Record<string, Json>>; // its schema says so
  };
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(request, async (one) => {
      const response = await create({ type: one.type, body: bodyOf(one) }, one.end);
      if (response.status !== 200) return;
      accepted += 1;
      const record = await recordOf(response.json.test_id);
      const body = JSON.stringify(withPasswords(record));
      const again = await create({ type: 'application/json', body });
      expect(again.status, `${body} ${again.text}`).toBe(200);
      const { test_id: id, status, ...rest } = await recordOf(again.json.test_id);
      const { test_id: first, status: before, ...original } = record;
      expect(rest).toEqual(original);
      expect([id, status]).not.toEqual([first, before]);
    }),
    { numRuns: scaleCount(600) },
  );
  expect(accepted).toBeGreaterThan(scaleCount(600) / 100);
  const list = await rig.call('GET', '/v2/tests');
  expect(apiMismatch('test-list', list.json)).toBeNull();
  expect(list.list).toHaveLength(2 * accepted);
  expectNoFailure(rig);
});

test('the write routes for apps and runs return documented responses to random bodies', async () => {
  const rig = await openService();
  const [app] = (await rig.call('GET', '/v2/apps')).list;
  const { test_id: id } = (await rig.call('POST', '/v2/tests', { json: VALID_CREATES[0] })).json;
  const routes = [
    ['POST', '/v2/apps', 'app-registered'],
    ['POST', `/v2/apps/${app?.app_id ?? ''}/verify`, 'app-verified'],
    ['PUT', `/v2/tests/${id}/run`, 'run-response'],
    ['PUT', `/v2/tests/${id}/stop`, 'run-response'],
    ['DELETE', `/v2/apps/${'f'.repeat(32)}`, 'error'],
  ] as const;
  const small: fc.Arbitrary<Json> = fc.oneof(
    oddValue,
    fc.dictionary(fc.constantFrom('app', 'method', 'domain', 'status', 'app_id', ''), oddValue, {
      maxKeys: 3,
    }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      small,
      request,
      async ([method, path, schema], value, one) => {
        const text = Buffer.from(JSON.stringify(value));
        const body = one.bytes === null ? text : changeBytes(text, one.bytes);
        expectDocumented(await rig.call(method, path + one.end, { raw: { type: one.type, body } }), schema);
      },
    ),
    { numRuns: scaleCount(400) },
  );
  expect((await rig.call('GET', '/v2/apps')).status).toBe(200);
  expectNoFailure(rig);
});

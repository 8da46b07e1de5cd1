import { describe, expect, test } from 'vitest';
import fastify from 'fastify';
import { MAX_LISTED_BODY_LENGTH } from '../../src/contract/test-codec.ts';
import { sendList } from '../../src/server/routes/json-list.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestService, smallTestFields } from '../support/test-service.ts';

const HOST = '127.0.0.1:4080';
const MEGABYTE = 1_000_000;

/** Fields of listed URLs that these tests read. */
interface ListedUrl {
  readonly raw_post_body: string | null;
  readonly raw_post_body_truncated?: boolean;
}

function posts(...bodies: readonly string[]) {
  const url = `http://${HOST}/`;
  return smallTestFields(url, {
    urls: bodies.map((body) => ({ url, request_type: 'POST', raw_post_body: body })),
  });
}

function urlsOf(member: { readonly urls: unknown } | undefined): readonly ListedUrl[] {
  return (member?.urls ?? []) as readonly ListedUrl[]; // as the schema has it
}

async function openWithHost(limits: Readonly<Record<string, number>> = {}) {
  const rig = await openTestService({ limits });
  const appId = await rig.verifiedApp(HOST);
  const create = async (...bodies: readonly string[]) =>
    await rig.call('POST', '/v2/tests', { json: posts(...bodies) });
  return { rig, appId, create };
}

describe('long bodies in lists of tests', () => {
  test('a list of tests truncates long request bodies, and the response for a single test contains the complete body', async () => {
    const { rig, create } = await openWithHost();
    const bodies = Array.from({ length: 6 }, (_, index) => `${index}:`.padEnd(MEGABYTE, 'x'));
    const ids: string[] = [];
    for (const body of bodies) ids.push((await create(body)).json.test_id);
    const response = await rig.call('GET', '/v2/tests');
    expect(response.status).toBe(200);
    expect(response.text.length).toBeLessThan(bodies.length * (MAX_LISTED_BODY_LENGTH + 1000));
    expect(apiMismatch('test-list', response.json)).toBeNull();
    expect(response.list.map((member) => member.test_id)).toEqual(ids);
    for (const [index, member] of response.list.entries()) {
      expect(urlsOf(member)).toMatchObject([
        { raw_post_body: bodies[index]?.slice(0, MAX_LISTED_BODY_LENGTH), raw_post_body_truncated: true },
      ]);
    }
    const last = await rig.call('GET', `/v2/tests/${ids.at(-1) ?? ''}`);
    expect(urlsOf(last.json)).toMatchObject([{ raw_post_body: bodies.at(-1) }]);
    expect(urlsOf(last.json)[0]).not.toHaveProperty('raw_post_body_truncated');
  });

  test.each<[string, readonly string[], readonly ListedUrl[]]>([
    [
      'a body of the maximum size',
      ['x'.repeat(MAX_LISTED_BODY_LENGTH)],
      [{ raw_post_body: 'x'.repeat(MAX_LISTED_BODY_LENGTH) }],
    ],
    [
      'bodies of several URLs, which together exceed the maximum size',
      ['a'.repeat(MAX_LISTED_BODY_LENGTH - 2), 'bcd', 'e'],
      [
        { raw_post_body: 'a'.repeat(MAX_LISTED_BODY_LENGTH - 2) },
        { raw_post_body: 'bc', raw_post_body_truncated: true },
        { raw_post_body: '', raw_post_body_truncated: true },
      ],
    ],
    [
      'a body that would be truncated inside a character',
      [`${'x'.repeat(MAX_LISTED_BODY_LENGTH - 1)}😀`],
      [{ raw_post_body: 'x'.repeat(MAX_LISTED_BODY_LENGTH - 1), raw_post_body_truncated: true }],
    ],
  ])(
    'a list of tests truncates request bodies only above the maximum size, and not inside a character: %s',
    async (_, bodies, expected) => {
      const { rig, create } = await openWithHost();
      expect((await create(...bodies)).status).toBe(200);
      const [member] = (await rig.call('GET', '/v2/tests')).list;
      const actual = urlsOf(member).map(({ raw_post_body, raw_post_body_truncated }) =>
        raw_post_body_truncated === undefined
          ? { raw_post_body }
          : { raw_post_body, raw_post_body_truncated },
      );
      expect(actual).toEqual(expected);
    },
  );

  test('a list of 33 tests contains every test once, in order of creation', async () => {
    const { rig, create } = await openWithHost();
    const ids: string[] = [];
    for (let index = 0; index < 33; index++) ids.push((await create('')).json.test_id);
    expect((await rig.call('GET', '/v2/tests')).list.map((member) => member.test_id)).toEqual(ids);
  });
});

describe('the total size of all tests', () => {
  test('tests that exceed the maximum total size are refused until the deletion of an app frees space', async () => {
    const { rig, appId, create } = await openWithHost({ maxTestBytes: 2.5 * MEGABYTE });
    const body = 'x'.repeat(MEGABYTE);
    expect((await create(body)).status).toBe(200);
    expect((await create(body)).status).toBe(200);
    const refused = await create(body);
    expect(refused.status).toBe(422);
    expect(refused.json.errors.join()).toContain(
      'with this test, the tests of this account would exceed 2,500,000 bytes in total; delete an app to delete its tests',
    );
    // A refusal stores nothing, and small tests still fit.
    expect(rig.runner.runs).toHaveLength(2);
    expect((await rig.call('GET', '/v2/tests')).list).toHaveLength(2);
    expect((await create('small')).status).toBe(200);
    for (const run of rig.runner.runs) run.end();
    await rig.call('DELETE', `/v2/apps/${appId}`);
    await rig.verifiedApp(HOST);
    expect((await create(body)).status).toBe(200);
  });
});

describe('errors while a list is sent', () => {
  async function responseOf(members: Iterable<object>) {
    const server = fastify({ logger: false });
    server.get('/', (_, reply) => sendList(reply, members));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    try {
      const response = await fetch(url);
      const text = await response.text().catch(() => null);
      return { status: response.status, text };
    } finally {
      await server.close();
    }
  }

  function* failingAfter(members: number): Generator<object> {
    for (let index = 0; index < members; index++) yield { text: 'x'.repeat(MAX_LISTED_BODY_LENGTH) };
    throw new Error('the disk failed');
  }

  test('an error before the first byte of a list causes status 500, and a later error causes an incomplete response', async () => {
    expect((await responseOf(failingAfter(0))).status).toBe(500);
    expect((await responseOf(failingAfter(3))).text).toBeNull();
  });

  test('an empty list is sent as "[]" with status 200', async () => {
    expect(await responseOf([])).toEqual({ status: 200, text: '[]' });
  });
});

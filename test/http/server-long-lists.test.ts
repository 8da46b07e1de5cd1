import { describe, expect, test } from 'vitest';
import fastify from 'fastify';
import { MAX_LISTED_BODY_LENGTH } from '../../src/contract/test-codec.ts';
import { sendList } from '../../src/server/routes/json-list.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestService, smallTestFields } from '../support/test-service.ts';

const HOST = '127.0.0.1:4080';
const MEGABYTE = 1_000_000;

/** Listed URLs, as far as these tests look at them. */
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

describe('a list of tests', () => {
  test('with long bodies shows their beginnings, and each test has its own whole', async () => {
    const { rig, create } = await openWithHost();
    const bodies = Array.from({ length: 80 }, (_, index) => `${index}:`.padEnd(MEGABYTE, 'x'));
    const ids: string[] = [];
    for (const body of bodies) ids.push((await create(body)).json.test_id);
    const response = await rig.call('GET', '/v2/tests');
    expect(response.status).toBe(200);
    expect(response.text.length).toBeLessThan(80 * (MAX_LISTED_BODY_LENGTH + 1000));
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
      'that just fits',
      ['x'.repeat(MAX_LISTED_BODY_LENGTH)],
      [{ raw_post_body: 'x'.repeat(MAX_LISTED_BODY_LENGTH) }],
    ],
    [
      'of several URLs, which share the room',
      ['a'.repeat(MAX_LISTED_BODY_LENGTH - 2), 'bcd', 'e'],
      [
        { raw_post_body: 'a'.repeat(MAX_LISTED_BODY_LENGTH - 2) },
        { raw_post_body: 'bc', raw_post_body_truncated: true },
        { raw_post_body: '', raw_post_body_truncated: true },
      ],
    ],
    [
      'that would end within a character',
      [`${'x'.repeat(MAX_LISTED_BODY_LENGTH - 1)}😀`],
      [{ raw_post_body: 'x'.repeat(MAX_LISTED_BODY_LENGTH - 1), raw_post_body_truncated: true }],
    ],
  ])('with a body %s', async (_, bodies, listed) => {
    const { rig, create } = await openWithHost();
    expect((await create(...bodies)).status).toBe(200);
    const [member] = (await rig.call('GET', '/v2/tests')).list;
    const seen = urlsOf(member).map(({ raw_post_body, raw_post_body_truncated }) =>
      raw_post_body_truncated === undefined ? { raw_post_body } : { raw_post_body, raw_post_body_truncated },
    );
    expect(seen).toEqual(listed);
  });

  test('of many pages has every test once, in the order of creation', async () => {
    const { rig, create } = await openWithHost();
    const ids: string[] = [];
    for (let index = 0; index < 33; index++) ids.push((await create('')).json.test_id);
    expect((await rig.call('GET', '/v2/tests')).list.map((member) => member.test_id)).toEqual(ids);
  });
});

describe('all tests together', () => {
  test('hold no more than the limit, until the deletion of an app makes room', async () => {
    const { rig, appId, create } = await openWithHost({ testBytes: 2.5 * MEGABYTE });
    const body = 'x'.repeat(MEGABYTE);
    expect((await create(body)).status).toBe(200);
    expect((await create(body)).status).toBe(200);
    const refused = await create(body);
    expect(refused.status).toBe(422);
    expect(refused.json.errors.join()).toContain(
      'the tests of this account may hold 2500000 bytes together; deleting an app deletes its tests',
    );
    // A refusal leaves nothing behind, and small tests still fit.
    expect(rig.runner.runs).toHaveLength(2);
    expect((await rig.call('GET', '/v2/tests')).list).toHaveLength(2);
    expect((await create('small')).status).toBe(200);
    for (const run of rig.runner.runs) run.end();
    await rig.call('DELETE', `/v2/apps/${appId}`);
    await rig.verifiedApp(HOST);
    expect((await create(body)).status).toBe(200);
  });
});

describe('a list that fails while it is made', () => {
  async function answerOf(members: Iterable<object>) {
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
    throw new Error('the disk is gone');
  }

  test('is an error where nothing was sent, and else never looks whole', async () => {
    expect((await answerOf(failingAfter(0))).status).toBe(500);
    expect((await answerOf(failingAfter(3))).text).toBeNull();
  });

  test('an empty one is whole', async () => {
    expect(await answerOf([])).toEqual({ status: 200, text: '[]' });
  });
});

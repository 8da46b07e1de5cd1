import { describe, expect, test } from 'vitest';
import fastify from 'fastify';
import { LISTED_BODIES } from '../../src/contract/test-codec.ts';
import { sendList } from '../../src/server/routes/json-list.ts';
import { misfitOf } from '../rig/schemas.ts';
import { openRig, smallTest } from '../rig/service.ts';

const HOST = '127.0.0.1:4080';
const MEGABYTE = 1_000_000;

/** Listed URLs, as far as these tests look at them. */
interface ListedUrl {
  readonly raw_post_body: string | null;
  readonly raw_post_body_truncated?: boolean;
}

function posts(...bodies: readonly string[]) {
  const url = `http://${HOST}/`;
  return smallTest(url, {
    urls: bodies.map((body) => ({ url, request_type: 'POST', raw_post_body: body })),
  });
}

function urlsOf(member: { readonly urls: unknown } | undefined): readonly ListedUrl[] {
  return (member?.urls ?? []) as readonly ListedUrl[]; // as the schema has it
}

async function openWithHost(limits: Readonly<Record<string, number>> = {}) {
  const rig = await openRig({ limits });
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
    const answer = await rig.call('GET', '/v2/tests');
    expect(answer.status).toBe(200);
    expect(answer.text.length).toBeLessThan(80 * (LISTED_BODIES + 1000));
    expect(misfitOf('test-list', answer.json)).toBeNull();
    expect(answer.list.map((member) => member.test_id)).toEqual(ids);
    for (const [index, member] of answer.list.entries()) {
      expect(urlsOf(member)).toMatchObject([
        { raw_post_body: bodies[index]?.slice(0, LISTED_BODIES), raw_post_body_truncated: true },
      ]);
    }
    const last = await rig.call('GET', `/v2/tests/${ids.at(-1) ?? ''}`);
    expect(urlsOf(last.json)).toMatchObject([{ raw_post_body: bodies.at(-1) }]);
    expect(urlsOf(last.json)[0]).not.toHaveProperty('raw_post_body_truncated');
  });

  test.each<[string, readonly string[], readonly ListedUrl[]]>([
    ['that just fits', ['x'.repeat(LISTED_BODIES)], [{ raw_post_body: 'x'.repeat(LISTED_BODIES) }]],
    [
      'of several URLs, which share the room',
      ['a'.repeat(LISTED_BODIES - 2), 'bcd', 'e'],
      [
        { raw_post_body: 'a'.repeat(LISTED_BODIES - 2) },
        { raw_post_body: 'bc', raw_post_body_truncated: true },
        { raw_post_body: '', raw_post_body_truncated: true },
      ],
    ],
    [
      'that would end within a character',
      [`${'x'.repeat(LISTED_BODIES - 1)}😀`],
      [{ raw_post_body: 'x'.repeat(LISTED_BODIES - 1), raw_post_body_truncated: true }],
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
      const answer = await fetch(url);
      const text = await answer.text().catch(() => null);
      return { status: answer.status, text };
    } finally {
      await server.close();
    }
  }

  function* failingAfter(members: number): Generator<object> {
    for (let index = 0; index < members; index++) yield { text: 'x'.repeat(LISTED_BODIES) };
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

/** Values that later requests of a pass take from cookies and bodies. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { JobVariable } from '../../../src/core/load/load-job.ts';
import { BodyBudget, createBudgetCell, BufferedBody } from '../../../src/engine/buffered-body.ts';
import { ResponseParser } from '../../../src/engine/response-parser.ts';
import { ValueExtractor, type ExtractedValue } from '../../../src/engine/value-extractor.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { measureUsedBytes } from '../../support/used-memory.ts';
import { openRawTarget } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

/** As latin1 characters that stand for bytes. */
function answerOf(body: string | Buffer, ...headers: readonly string[]): string {
  const bytes = Buffer.from(body);
  const lines = ['HTTP/1.1 200 X', `Content-Length: ${bytes.length}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`;
}

/** What three clients send as the body of their second request; null: nothing, since they lack the value. */
async function sentAfter(variable: JobVariable, pieces: readonly string[]): Promise<string | null> {
  const shop = await openRawTarget(({ path }, write) => {
    if (path !== '/login') write(answerOf('ok'));
    else for (const piece of pieces) write(piece);
  });
  const login = targetOf(shop.port, { path: '/login', variables: [variable] });
  const cart = targetOf(shop.port, { path: '/cart', method: 'POST', body: `{{${variable.name}}}` });
  const job = jobOf([login, cart], { testType: 'non-cycling', total: 3, duration: 200 });
  const { targets } = await runInVirtualTime(job, shop);
  const sent = shop.requests
    .filter(({ path }) => path === '/cart')
    .map(({ body }) => Buffer.from(body, 'latin1').toString());
  const given = new Set(sent);
  if (sent.length === 0) {
    expect(targets[0]?.ledger).toMatchObject({ started: 3, success: 0, unexpected: { variable: 3 } });
    expect(targets[1]?.ledger).toMatchObject({ started: 0, notStarted: { undefinedVariable: 3 } });
    return null;
  }
  expect(targets.map(({ ledger }) => ledger.success)).toEqual([3, 3]);
  expect(given.size).toBe(1);
  return sent[0] ?? null;
}

const at = (json: string): JobVariable => ({ name: 'v', json });
const named = (cookie: string): JobVariable => ({ name: 'v', cookie });
const JSON_BODY =
  '{"token": "t\\"ü", "user": {"id": 42, "a/b": [true, 1.5]}, "none": null, "big": 12345678901234567890}';

describe('JSON', () => {
  test.each([
    ['a text', at('/token'), 't"ü'],
    ['a number', at('/user/id'), '42'],
    ['a boolean in a list', at('/user/a~1b/0'), 'true'],
    ['a fraction', at('/user/a~1b/1'), '1.5'],
    ['null', at('/none'), null],
    ['an object', at('/user'), null],
    ['nothing', at('/other'), null],
    ['what every object has', at('/constructor/name'), null],
    ['a whole number whose digits were lost', at('/big'), null],
  ])('%s', async (_name, variable, value) => {
    expect(await sentAfter(variable, [answerOf(JSON_BODY)])).toBe(value);
  });

  test('of a compressed answer', async () => {
    const response = answerOf(gzipSync(JSON_BODY), 'Content-Encoding: gzip');
    expect(await sentAfter(at('/user/id'), [response])).toBe('42');
  });

  test('in chunks, wherever they are cut', async () => {
    const [a, b, c] = [JSON_BODY.slice(0, 9), JSON_BODY.slice(9, 30), JSON_BODY.slice(30)];
    const chunks = [a, b, c].map((text) => {
      const bytes = Buffer.from(text);
      return `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
    });
    const head = 'HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await sentAfter(at('/token'), [head, ...chunks, '0\r\n\r\n'])).toBe('t"ü');
  });

  test.each([
    ['no JSON', answerOf('<p>42</p>')],
    ['an empty body', answerOf('')],
    ['a body that is too large', answerOf(`{"token": "${'x'.repeat(1024 * 1024)}"}`)],
    ['a value that is too long', answerOf(`{"token": "${'x'.repeat(65_537)}"}`)],
    ['a coding that it does not have', answerOf(JSON_BODY, 'Content-Encoding: gzip')],
  ])('%s gives nothing', async (_name, response) => {
    expect(await sentAfter(at('/token'), [response])).toBeNull();
  });
});

describe('a pattern', () => {
  const matching = (pattern: string): JobVariable => ({ name: 'v', pattern });
  const PAGE = '<input name="csrf" value="a\u00fc\u{1f600}7"><a href="/orders/12"></a>\nlast=';

  test.each([
    ['between fixed texts', 'name="csrf" value="([^"]+)"', 'a\u00fc\u{1f600}7'],
    ['the first of several matches and groups', '(/|=)(orders)', '/'],
    ['named', '/orders/(?P<id>[0-9]+)', '12'],
    ['without regard to case', '(?i)/ORDERS/(\\d+)', '12'],
    ['over lines', '(?s)orders.*(last)', 'last'],
    ['of letters of any alphabet', 'value="(\\pL+)', 'a\u00fc'],
    ['an empty value', 'last=(.*)', ''],
    ['nothing where it does not fit', '/carts/([0-9]+)', null],
    ['nothing where its group has no part in the match', 'orders|(never)', null],
  ])('takes %s', async (_name, pattern, value) => {
    expect(await sentAfter(matching(pattern), [answerOf(PAGE)])).toBe(value);
  });

  test('sees a body without its coding, and one that is no JSON', async () => {
    const response = answerOf(gzipSync(PAGE), 'Content-Encoding: gzip');
    expect(await sentAfter(matching('orders/(\\d+)'), [response])).toBe('12');
  });

  test('takes the bytes of a body that is no UTF-8 as they are', async () => {
    const page = Buffer.from('name=\u00fc;', 'latin1');
    // As the target receives it: one byte, which is no UTF-8.
    expect(await sentAfter(matching('name=(.);'), [answerOf(page)])).toBe('\ufffd');
  });

  test('sees UTF-8 that itself has the character for what is none', async () => {
    expect(await sentAfter(matching('=(.+);'), [answerOf('a=\ufffd\u00fc;')])).toBe('\ufffd\u00fc');
  });

  test('sees the first 64 KiB, and no half of a character', async () => {
    const head = 'x'.repeat(65_535 - 4);
    expect(await sentAfter(matching('(end)'), [answerOf(`${head}\nend\u00fcrest`)])).toBe('end');
    expect(await sentAfter(matching('(rest)'), [answerOf(`${head}\nend\u00fcrest`)])).toBeNull();
    expect(await sentAfter(matching('end(.*)'), [answerOf(`${head}\nend\u00fcrest`)])).toBe('');
  });

  test.each([
    ['a body that is too large', answerOf(`id=1${'x'.repeat(1024 * 1024)}`)],
    ['an empty body', answerOf('')],
    ['a coding that it does not have', answerOf('id=1', 'Content-Encoding: br')],
  ])('%s gives nothing', async (_name, response) => {
    expect(await sentAfter(matching('id=(\\d)'), [response])).toBeNull();
  });
});

describe('a cookie', () => {
  test.each([
    ['among others', named('sid'), ['a=1', 'sid=abc; Path=/; HttpOnly', 'b=2'], 'abc'],
    ['that is set twice: the last', named('sid'), ['sid=old', 'sid=new'], 'new'],
    ['with an equals sign', named('sid'), ['sid=a=b=; Secure'], 'a=b='],
    ['of another case', named('SID'), ['sid=abc'], null],
    ['whose name begins alike', named('sid'), ['sid2=abc'], null],
    ['without a name', named('sid'), ['sid'], null],
    ['that is not set', named('sid'), [], null],
  ])('%s', async (_name, variable, cookies, value) => {
    const response = answerOf('ok', ...cookies.map((line) => `Set-Cookie: ${line}`));
    expect(await sentAfter(variable, [response])).toBe(value);
  });
});

test('header, cookie and JSON of one answer are taken together, in any order', async () => {
  const shop = await openRawTarget(({ path }, write) => {
    write(path === '/login' ? answerOf('{"id": 7}', 'X-Csrf: c', 'Set-Cookie: sid=s') : answerOf('ok'));
  });
  const variables: readonly JobVariable[] = [
    { name: 'kind', pattern: '"([a-z]+)"' },
    { name: 'id', json: '/id' },
    { name: 'csrf', header: 'X-CSRF' },
    { name: 'sid', cookie: 'sid' },
  ];
  const expected = { status: [200], headers: null, body: null, json: [{ pointer: '/id', value: 7 }] };
  const login = targetOf(shop.port, { path: '/login', variables, expect: expected });
  const cart = targetOf(shop.port, { path: '/cart/{{kind}}/{{id}}/{{csrf}}/{{sid}}' });
  const job = jobOf([login, cart], { testType: 'non-cycling', total: 3, duration: 200 });
  const { total } = await runInVirtualTime(job, shop);
  expect(total.ledger).toMatchObject({ success: shop.requests.length, unexpected: {} });
  expect(new Set(shop.requests.map(({ path }) => path))).toEqual(new Set(['/login', '/cart/id/7/c/s']));
});

test.each<[string, JobVariable]>([
  ['a pattern', { name: 'v', pattern: '"token": "([^"]+)"' }],
  ['a pattern in a body that is no UTF-8', { name: 'v', pattern: '"\u00ff": "([^"]+)"' }],
  ['JSON', at('/token')],
  ['a cookie', named('token')],
  ['a header', { name: 'v', header: 'X-Token' }],
])('a value from %s keeps nothing of its answer but itself', (_name, variable) => {
  const responses = 100;
  const pad = 'x'.repeat(60_000);
  const first = tokenOf(0);
  const body = Buffer.from(`{"token": "${first}", "\u00ff": "${first}", "pad": "${pad}"}`, 'latin1');
  const headers = [`Set-Cookie: token=${first}; Path=/${pad.slice(0, 14_000)}`, `X-Token: ${first}`];
  // One memory for all of them, as a thread has it.
  const response = Buffer.from(answerOf(body, ...headers), 'latin1');
  const places = [...response.toString('latin1').matchAll(new RegExp(first, 'g'))].map(({ index }) => index);
  const taker = new ValueExtractor([variable]);
  const parser = new ResponseParser();
  const kept = new BufferedBody(
    new BodyBudget({ all: createBudgetCell(), own: createBudgetCell() }),
    () => undefined,
  );
  const take = (token: string): ExtractedValue => {
    for (const place of places) response.write(token, place, 'latin1');
    parser.begin(taker.headerNames, taker.needsCookies);
    parser.body = taker.needsBody ? kept : null;
    parser.feed(response, response.length);
    const value = taker.extract(parser, 0);
    kept.release();
    return value;
  };
  take(first);
  const before = measureUsedBytes();
  const values = Array.from({ length: responses }, (_, nth) => take(tokenOf(nth)));
  const each = (measureUsedBytes() - before) / responses;
  expect(values).toEqual(values.map((_, nth) => tokenOf(nth)));
  expect(each).toBeLessThan(10_000);
});

function tokenOf(nth: number): string {
  return `token-${String(nth).padStart(20, '0')}`;
}

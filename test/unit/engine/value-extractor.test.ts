/** Variables that are extracted from cookies and bodies for later requests of an iteration. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { JobVariable } from '../../../src/core/load/load-job.ts';
import { BodyBudget, createBudgetCell, BufferedBody } from '../../../src/engine/buffered-body.ts';
import { ResponseParser } from '../../../src/engine/response-parser.ts';
import { ValueExtractor, type ExtractedValue } from '../../../src/engine/value-extractor.ts';
import { jobOf, targetOf, textBody } from '../../support/test-engine.ts';
import { measureUsedBytes } from '../../support/used-memory.ts';
import { openRawTarget } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

/** As latin1 characters that represent bytes. */
function responseWith(body: string | Buffer, ...headers: readonly string[]): string {
  const bytes = Buffer.from(body);
  const lines = ['HTTP/1.1 200 X', `Content-Length: ${bytes.length}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`;
}

/**
 * Returns the body that three clients send in their second request; null if they send nothing because the
 * value is missing.
 */
async function bodySentAfter(variable: JobVariable, segments: readonly string[]): Promise<string | null> {
  const shop = await openRawTarget(({ path }, write) => {
    if (path !== '/login') write(responseWith('ok'));
    else for (const segment of segments) write(segment);
  });
  const login = targetOf(shop.port, { path: '/login', variables: [variable] });
  const cart = targetOf(shop.port, { path: '/cart', method: 'POST', body: textBody(`{{${variable.name}}}`) });
  const job = jobOf([login, cart], { testType: 'non-cycling', total: 3, duration: 200 });
  const { targets } = await runInVirtualTime(job, shop);
  const sent = shop.requests
    .filter(({ path }) => path === '/cart')
    .map(({ body }) => Buffer.from(body, 'latin1').toString());
  const distinctBodies = new Set(sent);
  if (sent.length === 0) {
    expect(targets[0]?.ledger).toMatchObject({ started: 3, success: 0, unexpected: { variable: 3 } });
    expect(targets[1]?.ledger).toMatchObject({ started: 0, notStarted: { undefinedVariable: 3 } });
    return null;
  }
  expect(targets.map(({ ledger }) => ledger.success)).toEqual([3, 3]);
  expect(distinctBodies.size).toBe(1);
  return sent[0] ?? null;
}

const jsonVariable = (json: string): JobVariable => ({ name: 'v', json });
const cookieVariable = (cookie: string): JobVariable => ({ name: 'v', cookie });
const JSON_BODY =
  '{"token": "t\\"ü", "user": {"id": 42, "a/b": [true, 1.5]}, "none": null, "big": 12345678901234567890}';

function outcomeOf(value: string | null): string {
  return value === null ? 'has no value' : `has the value ${JSON.stringify(value)}`;
}

describe('variables from JSON', () => {
  const ROWS: readonly (readonly [name: string, value: string | null, variable: JobVariable])[] = [
    ['a string', 't"ü', jsonVariable('/token')],
    ['a number', '42', jsonVariable('/user/id')],
    ['a boolean in a list', 'true', jsonVariable('/user/a~1b/0')],
    ['a fraction', '1.5', jsonVariable('/user/a~1b/1')],
    ['a null value', null, jsonVariable('/none')],
    ['an object', null, jsonVariable('/user')],
    ['a missing member', null, jsonVariable('/other')],
    ['an inherited member', null, jsonVariable('/constructor/name')],
    ['an integer that JSON parsing rounds', null, jsonVariable('/big')],
  ];
  test.each(ROWS.map((row) => [row[0], outcomeOf(row[1]), ...row] as const))(
    'a JSON variable for %s %s',
    async (_name, _outcome, _, value, variable) => {
      expect(await bodySentAfter(variable, [responseWith(JSON_BODY)])).toBe(value);
    },
  );

  test('a JSON variable is extracted from a compressed response', async () => {
    const response = responseWith(gzipSync(JSON_BODY), 'Content-Encoding: gzip');
    expect(await bodySentAfter(jsonVariable('/user/id'), [response])).toBe('42');
  });

  test('a JSON variable is extracted from a response in three chunks', async () => {
    const [first, second, third] = [JSON_BODY.slice(0, 9), JSON_BODY.slice(9, 30), JSON_BODY.slice(30)];
    const chunks = [first, second, third].map((text) => {
      const bytes = Buffer.from(text);
      return `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
    });
    const header = 'HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await bodySentAfter(jsonVariable('/token'), [header, ...chunks, '0\r\n\r\n'])).toBe('t"ü');
  });

  test.each([
    ['a body that is not JSON', responseWith('<p>42</p>')],
    ['an empty body', responseWith('')],
    ['a body of more than 1 MiB', responseWith(`{"token": "${'x'.repeat(1024 * 1024)}"}`)],
    ['a value of 65,537 characters', responseWith(`{"token": "${'x'.repeat(65_537)}"}`)],
    ['a body without its declared encoding', responseWith(JSON_BODY, 'Content-Encoding: gzip')],
  ])('a JSON variable has no value for %s', async (_name, response) => {
    expect(await bodySentAfter(jsonVariable('/token'), [response])).toBeNull();
  });
});

describe('variables from a pattern', () => {
  const patternVariable = (pattern: string): JobVariable => ({ name: 'v', pattern });
  const PAGE = '<input name="csrf" value="a\u00fc\u{1f600}7"><a href="/orders/12"></a>\nlast=';

  test.each([
    ['a value between constant strings', 'name="csrf" value="([^"]+)"', 'a\u00fc\u{1f600}7'],
    ['the first of several matches and groups', '(/|=)(orders)', '/'],
    ['a named group', '/orders/(?P<id>[0-9]+)', '12'],
    ['a case-insensitive match', '(?i)/ORDERS/(\\d+)', '12'],
    ['a match across lines', '(?s)orders.*(last)', 'last'],
    ['letters of any alphabet', 'value="(\\pL+)', 'a\u00fc'],
    ['an empty value', 'last=(.*)', ''],
    ['no value without a match', '/carts/([0-9]+)', null],
    ['no value if the group is not part of the match', 'orders|(never)', null],
  ])('a pattern extracts %s', async (_name, pattern, value) => {
    expect(await bodySentAfter(patternVariable(pattern), [responseWith(PAGE)])).toBe(value);
  });

  test('a pattern matches the decoded body, even if it is not JSON', async () => {
    const response = responseWith(gzipSync(PAGE), 'Content-Encoding: gzip');
    expect(await bodySentAfter(patternVariable('orders/(\\d+)'), [response])).toBe('12');
  });

  test('a pattern extracts the bytes of a body that is not UTF-8', async () => {
    const page = Buffer.from('name=\u00fc;', 'latin1');
    // The target receives one byte, which is not valid UTF-8.
    expect(await bodySentAfter(patternVariable('name=(.);'), [responseWith(page)])).toBe('\ufffd');
  });

  test('a pattern extracts a value that contains the replacement character U+FFFD from a body in UTF-8', async () => {
    expect(await bodySentAfter(patternVariable('=(.+);'), [responseWith('a=\ufffd\u00fc;')])).toBe(
      '\ufffd\u00fc',
    );
  });

  test('a pattern is matched against only the first 64 KiB of a body, without splitting a character', async () => {
    const prefix = 'x'.repeat(65_535 - 4);
    expect(await bodySentAfter(patternVariable('(end)'), [responseWith(`${prefix}\nend\u00fcrest`)])).toBe(
      'end',
    );
    expect(
      await bodySentAfter(patternVariable('(rest)'), [responseWith(`${prefix}\nend\u00fcrest`)]),
    ).toBeNull();
    expect(await bodySentAfter(patternVariable('end(.*)'), [responseWith(`${prefix}\nend\u00fcrest`)])).toBe(
      '',
    );
  });

  test.each([
    ['a body of more than 1 MiB', responseWith(`id=1${'x'.repeat(1024 * 1024)}`)],
    ['an empty body', responseWith('')],
    ['a body without its declared encoding', responseWith('id=1', 'Content-Encoding: br')],
  ])('a pattern variable has no value for %s', async (_name, response) => {
    expect(await bodySentAfter(patternVariable('id=(\\d)'), [response])).toBeNull();
  });
});

describe('variables from a cookie', () => {
  const ROWS: readonly (readonly [
    name: string,
    value: string | null,
    variable: JobVariable,
    cookies: readonly string[],
  ])[] = [
    ['a cookie among others', 'abc', cookieVariable('sid'), ['a=1', 'sid=abc; Path=/; HttpOnly', 'b=2']],
    ['a cookie that is set twice', 'new', cookieVariable('sid'), ['sid=old', 'sid=new']],
    ['a cookie with an equals sign', 'a=b=', cookieVariable('sid'), ['sid=a=b=; Secure']],
    ['a cookie with a name in another case', null, cookieVariable('SID'), ['sid=abc']],
    ['a cookie with a longer name', null, cookieVariable('sid'), ['sid2=abc']],
    ['a cookie without a name', null, cookieVariable('sid'), ['sid']],
    ['a missing cookie', null, cookieVariable('sid'), []],
  ];
  test.each(ROWS.map((row) => [row[0], outcomeOf(row[1]), ...row] as const))(
    'a cookie variable for %s %s',
    async (_name, _outcome, _, value, variable, cookies) => {
      const response = responseWith('ok', ...cookies.map((line) => `Set-Cookie: ${line}`));
      expect(await bodySentAfter(variable, [response])).toBe(value);
    },
  );
});

test('header, cookie, JSON and pattern variables are extracted from one response', async () => {
  const shop = await openRawTarget(({ path }, write) => {
    write(
      path === '/login' ? responseWith('{"id": 7}', 'X-Csrf: c', 'Set-Cookie: sid=s') : responseWith('ok'),
    );
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
  ['a pattern in a body that is not UTF-8', { name: 'v', pattern: '"\u00ff": "([^"]+)"' }],
  ['JSON', jsonVariable('/token')],
  ['a cookie', cookieVariable('token')],
  ['a header', { name: 'v', header: 'X-Token' }],
])('a value that is extracted from %s does not retain the whole response in memory', (_name, variable) => {
  const responses = 100;
  const pad = 'x'.repeat(60_000);
  const first = tokenOf(0);
  const content = Buffer.from(`{"token": "${first}", "\u00ff": "${first}", "pad": "${pad}"}`, 'latin1');
  const headers = [`Set-Cookie: token=${first}; Path=/${pad.slice(0, 14_000)}`, `X-Token: ${first}`];
  // One buffer for all responses, as in a thread.
  const response = Buffer.from(responseWith(content, ...headers), 'latin1');
  const offsets = [...response.toString('latin1').matchAll(new RegExp(first, 'g'))].map(({ index }) => index);
  const extractor = new ValueExtractor([variable]);
  const parser = new ResponseParser();
  const body = new BufferedBody(
    new BodyBudget({ all: createBudgetCell(), own: createBudgetCell() }),
    () => undefined,
  );
  const extract = (token: string): ExtractedValue => {
    for (const offset of offsets) response.write(token, offset, 'latin1');
    parser.begin(extractor.headerNames, extractor.needsCookies);
    parser.body = extractor.needsBody ? body : null;
    parser.feed(response, response.length);
    const value = extractor.extract(parser, 0, 0);
    body.release();
    return value;
  };
  extract(first);
  const before = measureUsedBytes();
  const values = Array.from({ length: responses }, (_, index) => extract(tokenOf(index)));
  const bytesPerValue = (measureUsedBytes() - before) / responses;
  expect(values).toEqual(values.map((_, index) => tokenOf(index)));
  expect(bytesPerValue).toBeLessThan(10_000);
});

function tokenOf(index: number): string {
  return `token-${String(index).padStart(20, '0')}`;
}

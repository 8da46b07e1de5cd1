/** Lowering of `json`: the resulting body, and conflicts with other fields. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskText, revealText, secretsOf } from '../../../src/core/model/secret.ts';
import { fileWithTest, linesOf, loaded, problemsOf } from './load-text.ts';

function fileWithJson(json: string, more = ''): string {
  const login = "{ url: 'http://shop.example.com/', variables: [{ name: token, property: x-token }] }";
  const order = `{ url: 'http://shop.example.com/', request_type: POST, json: ${json}${more} }`;
  return fileWithTest(`    urls: [${login}, ${order}]`);
}

function targetOf(json: string, env: Readonly<Record<string, string>> = {}, more = '') {
  const target = loaded(fileWithJson(json, more), { env }).desired.tests[0]?.spec.targets.at(-1);
  if (target?.body?.kind !== 'text' && target?.body?.kind !== 'json') throw new Error('no body');
  return { ...target, body: target.body };
}

describe('the field "json"', () => {
  it.each([
    [
      '{ sku: 42, name: "Kühl\\"schrank", tags: [a, null, true], price: 1.10 }',
      '{"sku":42,"name":"Kühl\\"schrank","tags":["a",null,true],"price":1.10}',
    ],
    ['12345678901234567890', '12345678901234567890'],
    ['0x1f', '31'],
    ['text', '"text"'],
    ['null', 'null'],
    ['[]', '[]'],
    ['{}', '{}'],
    [
      "{ sku: '%{1:100}', of: '%{1:3} of 3', token: '{{token}}' }",
      '{"sku":%{1:100},"of":"%{1:3} of 3","token":"{{token}}"}',
    ],
    ['{ "a\\nb": "c\\td" }', '{"a\\nb":"c\\td"}'],
  ])('the json value %s is sent as %s', (json, text) => {
    expect(revealText(targetOf(json).body.text)).toBe(text);
  });

  it('a text in the json field that contains a JSON object or list causes a warning, because it is sent as a string', () => {
    const warning =
      /^loadtests.yaml:\d+:\d+\+9 warning LT_CONFIG_VALUE: "json" is text that contains JSON, so the body is a string in quotes; /;
    for (const text of ['{"a":1}', '[1,[2]]'])
      expect(linesOf(problemsOf(fileWithJson(`'${text}'`)))).toEqual([expect.stringMatching(warning)]);
    for (const text of ['{{token}}', '[a]', '12', '"a"'])
      expect(problemsOf(fileWithJson(`'${text}'`))).toEqual([]);
  });

  it('a secret in the json field is escaped in the body, and maskText masks it', () => {
    const { text: body } = targetOf("{ login: anna, password: 'a${secret:PASSWORD}z' }", {
      PASSWORD: 'x"\\\n',
    }).body;
    expect(JSON.parse(revealText(body))).toEqual({ login: 'anna', password: 'ax"\\\nz' });
    expect(maskText(body)).toBe('{"login":"anna","password":"a***z"}');
    expect(secretsOf(body).map(({ name }) => name)).toEqual(['PASSWORD']);
  });

  it.each([
    ["{ token: '{{token}}' }", 'json'],
    ["{ '{{token}}': 1 }", 'json'],
    ["'a {{ token }}'", 'json'],
    ["{ sku: '%{1:9}', text: '{{}} {token}' }", 'text'],
    ['{ password: "${secret:PASSWORD}" }', 'text'],
  ])('the json value %s results in a body of the kind "%s"', (json, kind) => {
    expect(targetOf(json, { PASSWORD: 'a{{token}}' }).body.kind).toBe(kind);
  });

  it('the content type of a request with "json" is application/json unless a header sets it', () => {
    expect(targetOf('{}').headers).toEqual([{ name: 'content-type', value: 'application/json' }]);
    expect(
      targetOf('{}', {}, ', headers: { Content-Type: application/vnd.shop+json, x-a: b }').headers,
    ).toEqual([
      { name: 'Content-Type', value: 'application/vnd.shop+json' },
      { name: 'x-a', value: 'b' },
    ]);
  });

  it.each([
    [
      'together with raw_post_body',
      '{}',
      ", raw_post_body: 'x'",
      /"json" and "raw_post_body" both define the body of the request/,
    ],
    [
      'together with parameters',
      '{}',
      ', request_params: { a: b }',
      /"json" and "request_params" both define the body of a POST request/,
    ],
    ['in a GET request', '{}', ', request_type: GET', /a GET request cannot have a body; remove "json"/],
    ['with an invalid expression', "['%{1:}']", '', /"%{1:}" is not a valid expression/],
  ])('a json field that is used %s causes one error', (_name, json, more, message) => {
    const file = fileWithJson(json, more).replace(
      more.includes('GET') ? 'request_type: POST, ' : '\u0000',
      '',
    );
    const lines = linesOf(problemsOf(file));
    expect(lines).toEqual([expect.stringMatching(message)]);
    expect(lines[0]).toMatch(/^loadtests\.yaml:7:\d+/);
  });

  it('JSON.parse of the sent body returns the value of the json field', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const written = JSON.stringify(value);
        fc.pre(
          !/[$%{}]\{|__proto__|constructor|prototype/.test(written.replaceAll(/[{}[\],:]/g, '')) &&
            !/[$%]/.test(written),
        );
        expect(JSON.parse(revealText(targetOf(written).body.text))).toEqual(JSON.parse(written));
      }),
      { numRuns: 60 },
    );
  });
});

/** Removal of the final newline of included files in single-line fields. */
import { describe, expect, it } from 'vitest';
import { revealText } from '../../../src/core/model/secret.ts';
import { DIRECTORY, HEAD, linesOf, loaded, problemsOf } from './load-text.ts';

const options = {
  env: { KEY: 'k' },
  files: Object.fromEntries(
    Object.entries({ token: 't0k\n', windows: 't0k\r\n', two: 'a\n\n', lines: 'a\nb\n', bare: 't0k' }).map(
      ([name, text]) => [`${DIRECTORY}/${name}`, text],
    ),
  ),
};

function fileWith(url: string, rest = ''): string {
  return `${HEAD}
vars: { token: '\${file:token}', both: 'Bearer \${token}', same: '\${both}', spare: '\${env:NONE:-\${file:token}}' }
defaults: { test_type: cycling, duration: 1m${rest} }
tests:
  home: { urls: [{ url: 'http://shop.example.com/', request_type: POST, ${url} }] }
`;
}

const targetOf = (url: string, rest = '') =>
  loaded(fileWith(url, rest), options).desired.tests[0]?.spec.targets[0];
const headerOf = (value: string) => {
  const text = targetOf(`headers: { X-Token: "${value}" }`)?.headers?.[0]?.value;
  return text === undefined ? null : revealText(text);
};

describe('final newlines of included files', () => {
  it.each([
    ['${file:token}', 't0k'],
    ['Bearer ${file:token}', 'Bearer t0k'],
    ['${file:token}:${file:windows}', 't0k:t0k'],
    ['${file:windows}', 't0k'],
    ['${file:bare}', 't0k'],
    ['${token}', 't0k'],
    ['Bearer ${token}', 'Bearer t0k'],
    ['${same}', 'Bearer t0k'],
    ['${spare};', 't0k;'],
    ['${env:NONE:-${file:token}}', 't0k'],
    ['${secret:KEY} ${file:token}', 'k t0k'],
  ])('the final newline of an included file is removed in a header value: %s', (written, sent) => {
    expect(headerOf(written)).toBe(sent);
  });

  it('the final newline of an included file is removed in credentials, default headers, expectations and variables', () => {
    const credentials = targetOf(
      "credentials: { login: '${token}', password: '${file:token}' }",
    )?.credentials;
    expect(credentials).toEqual({ login: 't0k', password: 't0k' });
    const rest = ", url: { headers: { X-Token: '${file:token}' } }";
    expect(targetOf('delay: 0', rest)?.headers).toEqual([{ name: 'X-Token', value: 't0k' }]);
    const expected = targetOf("expect: { headers: { X-Token: '${token}' } }")?.expect;
    expect(expected?.headers).toEqual([{ name: 'X-Token', value: 't0k' }]);
    const variables = targetOf("variables: [{ name: a, property: '${file:token}' }]")?.variables;
    expect(variables).toEqual([{ name: 'a', property: 't0k', source: 'header' }]);
  });

  it.each([
    ["raw_post_body: '${file:token}'", { body: { text: 't0k\n' } }],
    ["raw_post_body: '${both}'", { body: { text: 'Bearer t0k\n' } }],
    ["raw_post_body: '${file:windows}'", { body: { text: 't0k\r\n' } }],
    ["json: { a: '${file:token}' }", { body: { text: '{"a":"t0k\\n"}' } }],
    ["request_params: { a: '${token}' }", { body: { fields: [{ name: 'a', value: 't0k\n' }] } }],
    ["request_params: { headers: '${token}' }", { body: { fields: [{ name: 'headers', value: 't0k\n' }] } }],
  ])('the final newline of an included file is preserved in %s', (url, expected) => {
    expect(targetOf(url)).toMatchObject(expected);
  });

  it('a variable keeps its final newline in a body even if a header uses the variable', () => {
    const target = targetOf("headers: { X-Token: '${token}' }, raw_post_body: '${token}'");
    expect(target).toMatchObject({ headers: [{ value: 't0k' }], body: { text: 't0k\n' } });
  });
});

describe('other control characters in header values', () => {
  it.each(['${file:two}', '${file:lines}', '${file:token}\\n', 'a\\n', '${env:LINE}'])(
    'a header value is rejected if it contains a line break other than one final newline of a file: %s',
    (value) => {
      const text = fileWith(`headers: { X-Token: "${value}" }`);
      const found = linesOf(problemsOf(text, { ...options, env: { LINE: 'a\n' } }));
      expect(found).toEqual([
        expect.stringContaining('the value of the header "X-Token" contains a line break'),
      ]);
    },
  );
});

/** Lowering of `body_file` and `multipart`, and the errors for invalid bodies. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { digestsOf } from '../../../src/core/reconcile/digests.ts';
import { fileWithTest, linesOf, loaded, problemsOf } from './load-text.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const files = { files: { '/shop/fixtures/order.xml': '<order/>', '/shop/fixtures/a.pdf': 'PDF' } };

/** Returns a file with one POST request with these fields, which begin at line 9. */
const withFields = (fields: string, method = 'POST') =>
  fileWithTest(
    `urls:\n  - url: http://shop.example.com/\n${`request_type: ${method}\n${fields}`.replaceAll(/^(?=.)/gm, '    ')}`,
  );

const bodyOf = (fields: string) => loaded(withFields(fields), files).desired.tests[0]?.spec.targets[0]?.body;

test('a body file is converted to its digest, path and size', () => {
  expect(bodyOf('body_file: fixtures/order.xml')).toEqual({
    kind: 'file',
    file: { sha256: sha256('<order/>'), declared: { path: 'fixtures/order.xml', bytes: 8 } },
  });
});

test('the parts of a multipart body keep the order of the configuration file, and "filename" defaults to the name in the path', () => {
  const fields = `multipart:
  title: Invoice %{1:9}
  scan: { file: fixtures/a.pdf, content_type: application/pdf }
  copies: 2
  order: { file: fixtures/order.xml, filename: 'o.xml' }`;
  const pdf = { sha256: sha256('PDF'), declared: { path: 'fixtures/a.pdf', bytes: 3 } };
  const order = { sha256: sha256('<order/>'), declared: { path: 'fixtures/order.xml', bytes: 8 } };
  expect(bodyOf(fields)).toEqual({
    kind: 'multipart',
    parts: [
      { name: 'title', value: 'Invoice %{1:9}' },
      { name: 'scan', file: pdf, contentType: 'application/pdf', filename: 'a.pdf' },
      { name: 'copies', value: '2' },
      { name: 'order', file: order, contentType: null, filename: 'o.xml' },
    ],
  });
});

test.each([
  "multipart: { token: '${secret:TOKEN}' }",
  "multipart: { token: { value: '${secret:TOKEN}', content_type: text/plain } }",
])('the serialized configuration does not contain the secret in a part of a multipart body: %s', (fields) => {
  const text = withFields(fields);
  const { desired } = loaded(text, { env: { TOKEN: 'hidden' } });
  expect(JSON.stringify(desired)).not.toContain('hidden');
});

test('the digest of a test depends on the content of a body file, and on the order, content types and file names of multipart parts', () => {
  const digest = (fields: string, content: Record<string, string> = files.files) => {
    const spec = loaded(withFields(fields), { files: content }).desired.tests[0]?.spec;
    return spec === undefined ? '' : digestsOf(spec, sha256).listed;
  };
  const digests = [
    digest('body_file: fixtures/order.xml'),
    digest('body_file: fixtures/order.xml', { '/shop/fixtures/order.xml': '<other/>' }),
    digest('multipart: { a: x, b: y }'),
    digest('multipart: { b: y, a: x }'),
    digest('multipart: { a: x, b: { file: fixtures/a.pdf } }'),
    digest('multipart: { a: x, b: { file: fixtures/a.pdf, content_type: text/plain } }'),
    digest('multipart: { a: { value: x, content_type: text/plain }, b: y }'),
    digest('multipart: { a: { value: x, filename: text/plain }, b: y }'),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

describe('problems of request bodies', () => {
  test.each([
    ['body_file: gone.xml', '10:20+8', 'the file "gone.xml" cannot be read: no such file'],
    [
      'body_file: ../x',
      '10:20+4',
      'the file "../x" is outside the directory of the configuration file; move the file into that directory',
    ],
    [
      'multipart: { a: { file: .env } }',
      '10:33+4',
      'the file ".env" is not read, because it is hidden, or is in a hidden directory or in "loadtests-data"; rename or move the file',
    ],
    [
      'body_file: fixtures/order.xml\nraw_post_body: text',
      '10:9+9',
      '"raw_post_body" and "body_file" both define the body of a POST request; remove one of them',
    ],
    [
      'body_file: fixtures/order.xml\njson: {}',
      '10:9+9',
      '"json" and "body_file" both define the body of a POST request; remove one of them',
    ],
    [
      'multipart: { a: x }\nrequest_params: { b: y }',
      '11:9+14',
      '"multipart" and "request_params" both define the body of a POST request; remove one of them',
    ],
    [
      "multipart: { a: x }\nheaders: { Content-Type: 'multipart/form-data' }",
      '11:20+12',
      '"multipart" sets the header "Content-Type" automatically; remove the header',
    ],
    [
      'multipart: { a: { file: fixtures/a.pdf, content_type: pdf } }',
      '10:63+3',
      '"pdf" is not a valid media type; "content_type" must be a type and a subtype, such as "application/pdf"',
    ],
    ["multipart: { '': x }", '10:9+9', 'the name of a part of "multipart" is empty; set a name'],
    [
      "multipart: { a: '{{token}}' }",
      '10:25+11',
      '"{{token}}" is not defined; no earlier request of the test defines it',
    ],
  ])('the fields %j result in an error at the location %s', (fields, at, message) => {
    expect(linesOf(problemsOf(withFields(fields), files))).toEqual([
      `loadtests.yaml:${at} error LT_CONFIG_VALUE: ${message}`,
    ]);
  });

  test('a GET request with a body file is rejected, and the error names a method that can send the file', () => {
    expect(linesOf(problemsOf(withFields('body_file: fixtures/order.xml', 'GET'), files))).toEqual([
      'loadtests.yaml:10:9+9 error LT_CONFIG_VALUE: a GET request cannot have a body; remove "body_file", or set "request_type: POST"',
    ]);
  });

  test.each([
    ['multipart: {}', '"multipart" is empty; add at least one part'],
    [
      'multipart: { a: { content_type: text/plain } }',
      'the part "a" has neither a "file" nor a "value"; add one of them',
    ],
    [
      'multipart: { a: { value: x, file: fixtures/a.pdf } }',
      'the part "a" has a "value" and a "file"; remove one of them',
    ],
    ['multipart: { a: { value: x, content_type: pdf } }', '"pdf" is not a valid media type'],
    ['multipart: { a: [x] }', '"a" is a list; it must be'],
  ])('the fields %s result in the error: %s', (fields, message) => {
    expect(problemsOf(withFields(fields), files).map((one) => one.message)).toEqual([
      expect.stringContaining(message),
    ]);
  });

  test('a Content-Type of multipart/form-data without "multipart" results in a warning', () => {
    const fields = "raw_post_body: a=1\nheaders: { content-type: 'multipart/form-data' }";
    expect(linesOf(problemsOf(withFields(fields)))).toEqual([
      expect.stringMatching(/^loadtests\.yaml:11:.* warning .* write the parts in "multipart"/),
    ]);
  });
});

/** Lowering of `compression` to a request header. */
import { expect, test } from 'vitest';
import { fileWithTest, linesOf, loaded, problemsOf } from './load-text.ts';

const ENCODINGS = { name: 'accept-encoding', value: 'gzip, deflate, br' };

/** Returns the headers of the only URL of a test. */
function headersOf(ofTest: string, ofUrl: string) {
  const text = fileWithTest(`${ofTest}\nurls: [{ url: 'http://shop.example.com/', ${ofUrl} }]`);
  return loaded(text).desired.tests[0]?.spec.targets[0]?.headers;
}

test.each([
  ['', '', 'no declared header', null],
  ['compression: false', '', 'no declared header', null],
  ['compression: true', '', 'the header accept-encoding', [ENCODINGS]],
  ['', 'compression: true', 'the header accept-encoding', [ENCODINGS]],
  ['compression: true', 'compression: false', 'no declared header', null],
  [
    'compression: true',
    'headers: { x-a: b }',
    'the headers x-a and accept-encoding',
    [{ name: 'x-a', value: 'b' }, ENCODINGS],
  ],
  [
    'compression: true',
    'headers: { Accept-Encoding: zstd }',
    'only the header Accept-Encoding: zstd',
    [{ name: 'Accept-Encoding', value: 'zstd' }],
  ],
])(
  'if the test declares "%s" and the URL declares "%s", the request has %s',
  (ofTest, ofUrl, _sent, headers) => {
    expect(headersOf(ofTest, ofUrl)).toEqual(headers);
  },
);

test('null for "compression" in an environment removes the Accept-Encoding header', () => {
  const text = `${fileWithTest('compression: true')}
environments: { plain: { tests: { home: { compression: null } } } }`;
  const { desired } = loaded(text, { environment: 'plain' });
  expect(desired.tests[0]?.spec.targets[0]?.headers).toBeNull();
});

test('a value of "compression" other than true or false is rejected', () => {
  expect(linesOf(problemsOf(fileWithTest('compression: gzip')))).toEqual([
    expect.stringMatching(/^loadtests\.yaml:7:18\+4 error .*"compression" must be true or false/),
  ]);
});

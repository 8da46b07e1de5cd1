/** Text of an iteration that `run --once` prints. */
import { expect, test } from 'vitest';
import { delayOf } from '../../../src/core/model/delay.ts';
import type { Exchange } from '../../../src/core/report/generated/documents.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { exchangesText } from '../../../src/report/exchanges-text.ts';

const exchange = (url_index: number, changes: Partial<Exchange> = {}): Exchange => ({
  url_index,
  url: `http://shop.example/${url_index}`,
  request_type: 'GET',
  redirected: false,
  resent: false,
  request_header: '',
  request_body: '',
  status: 200,
  response_header: '',
  response_body: '',
  data_received: 2,
  error: null,
  success: true,
  unexpected: null,
  variables: {},
  times: { connect: null, tls: null, wait: null, total: 1 },
  ...changes,
});

const delays = [
  delayOf(milliseconds(500), milliseconds(500)),
  null,
  delayOf(milliseconds(200), milliseconds(1000)),
  delayOf(milliseconds(5), milliseconds(5)),
];

function linesOf(exchanges: readonly Exchange[]): readonly string[] {
  const text = exchangesText({ address: 'test.home', exchanges: [...exchanges] }, NO_PAINT, { delays });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(1);
}

test('the text of an iteration shows a delay after all redirects of a request, and no delay after the last request', () => {
  const moved = exchange(0, { status: 302 });
  const found = exchange(0, { redirected: true });
  expect(linesOf([moved, found, exchange(1), exchange(2), exchange(3)])).toEqual([
    '  1  GET http://shop.example/0   302   1 ms',
    '  2  GET http://shop.example/0 (follows a redirect)   200   1 ms',
    '     think time: 500ms',
    '  3  GET http://shop.example/1   200   1 ms',
    '  4  GET http://shop.example/2   200   1 ms',
    '     think time: 200ms to 1s',
    '  5  GET http://shop.example/3   200   1 ms',
  ]);
});

test('the text of an iteration shows the actual value of an unexpected status only once', () => {
  const wrongStatus = { error: 'answered 200, expected 201', actual: '200' };
  const missingText = { error: 'answered without the expected text "paid"', actual: 'open' };
  const lines = linesOf([exchange(1, { unexpected: wrongStatus }), exchange(1, { unexpected: missingText })]);
  expect(lines.filter((line) => line.includes('!'))).toEqual([
    '     ! answered 200, expected 201',
    '     ! answered without the expected text "paid"; actual: open',
  ]);
});

test('the text of an iteration describes the reason for a failed request, and shows error codes of the operating system verbatim', () => {
  const failed = (error: string) => exchange(1, { error, status: null, success: false });
  const codes = ['undefined_variable', 'timeout', 'timeout_connect', 'timeout_tls', 'ECONNREFUSED'];
  expect(linesOf(codes.map(failed)).map((line) => line.split('   ')[1])).toEqual([
    'not sent: a variable in the request has no value',
    'timed out waiting for the response',
    'timed out while connecting',
    'timed out during the TLS handshake',
    'ECONNREFUSED',
  ]);
});

test.each([
  ['no lines for an empty body', '', []],
  ['each line of a text body', 'one\ntwo\n', ['     <', '     < one', '     < two']],
  [
    'a note for a body that is not text',
    null,
    ['     <', '     < (body not shown: it is not text, is too large, or cannot be decoded)'],
  ],
])('after the response header, the text of an iteration shows %s', (_, body, lines) => {
  const shown = linesOf([exchange(0, { response_header: 'HTTP/1.1 200 OK', response_body: body })]);
  expect(shown.slice(1)).toEqual(['     < HTTP/1.1 200 OK', ...lines]);
});

/** What `run --once` tells of a pass. */
import { expect, test } from 'vitest';
import { delayOf } from '../../../src/core/load/delay.ts';
import type { Exchange } from '../../../src/core/report/generated/documents.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { exchangesText } from '../../../src/report/exchanges-text.ts';

const exchange = (url_index: number, changes: Partial<Exchange> = {}): Exchange => ({
  ...{
    url_index,
    url: `http://shop.example/${url_index}`,
    request_type: 'GET',
    redirected: false,
    resent: false,
  },
  ...{
    request_header: '',
    request_body: '',
    status: 200,
    response_header: '',
    data_received: 2,
    error: null,
  },
  ...{ success: true, unexpected: null, variables: {} },
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
  const text = exchangesText({ address: 'test.home', exchanges: [...exchanges] }, NO_PAINT, delays);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(1);
}

test('a delay stands between the requests that it is between: behind redirects, and not behind the last one', () => {
  const moved = exchange(0, { status: 302 });
  const found = exchange(0, { redirected: true });
  expect(linesOf([moved, found, exchange(1), exchange(2), exchange(3)])).toEqual([
    '  1  GET http://shop.example/0   302   1 ms',
    '  2  GET http://shop.example/0 (redirected)   200   1 ms',
    '     waits 500ms',
    '  3  GET http://shop.example/1   200   1 ms',
    '  4  GET http://shop.example/2   200   1 ms',
    '     waits 200ms to 1s',
    '  5  GET http://shop.example/3   200   1 ms',
  ]);
});

test('a status that was not expected is told once', () => {
  const wrong = { error: 'answered 200, expected 201', actual: '200' };
  const text = { error: 'answered without the expected text "paid"', actual: 'open' };
  const told = linesOf([exchange(1, { unexpected: wrong }), exchange(1, { unexpected: text })]);
  expect(told.filter((line) => line.includes('!'))).toEqual([
    '     ! answered 200, expected 201',
    '     ! answered without the expected text "paid"; actual: open',
  ]);
});

test('what kept a request from an answer is told in words, and a code of the system as it is', () => {
  const failed = (error: string) => exchange(1, { error, status: null, success: false });
  const codes = ['undefined_variable', 'timeout', 'timeout_connect', 'timeout_tls', 'ECONNREFUSED'];
  expect(linesOf(codes.map(failed)).map((line) => line.split('   ')[1])).toEqual([
    'not sent: a variable in it has no value',
    'timed out waiting for the response',
    'timed out while connecting',
    'timed out in the TLS handshake',
    'ECONNREFUSED',
  ]);
});

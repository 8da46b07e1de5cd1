import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeaderCache } from '../../../src/engine/header-cache.ts';
import { DONE, MORE, ResponseParser } from '../../../src/engine/response-parser.ts';
import { splitBytes, readResponse as read } from '../../support/read-response.ts';
import { scaleCount } from '../../support/test-scale.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const chunked = (body: string): string => `${OK}Transfer-Encoding: chunked\r\n\r\n${body}`;
const withLength = (value: string): string => `${OK}Content-Length: ${value}\r\n\r\n`;

/** Name, bytes, outcome and status of the response, and whether the connection must close. */
const ROWS: readonly (readonly [
  name: string,
  bytes: string,
  outcome: string,
  status: number,
  close: boolean,
])[] = [
  ['a body with a length', `${OK}Content-Length: 3\r\n\r\nabc`, 'done', 200, false],
  ['an empty body', `${OK}Content-Length: 0\r\n\r\n`, 'done', 200, false],
  ['a header value without surrounding whitespace', `${OK}Content-Length:3\r\n\r\nabc`, 'done', 200, false],
  [
    'a header value with surrounding whitespace',
    `${OK}content-length: \t 3 \t\r\n\r\nabc`,
    'done',
    200,
    false,
  ],
  ['an empty reason with its space', 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n', 'done', 200, false],
  ['no reason and no space', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 'done', 200, false],
  ['a reason in latin1', 'HTTP/1.1 404 Pas trouv\xe9\r\nContent-Length: 0\r\n\r\n', 'done', 404, false],
  ['status 600', 'HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n', 'done', 600, false],
  ['status 999', 'HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n', 'done', 999, false],
  ['status 99', 'HTTP/1.1 99 X\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['status 099', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['status 20', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['status 2000', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['a status of letters', 'HTTP/1.1 fine OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['HTTP/2.0 in the status line', 'HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n', 'done', 200, true],
  ['HTTP/2.1', 'HTTP/2.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['HTTP/0.9', 'HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['HTTP/3.0', 'HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['a version in lower case', 'http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'status_line', 0, true],
  ['the protocol ICY', 'ICY 200 OK\r\n\r\n', 'status_line', 0, true],
  ['an SSH banner', 'SSH-2.0-OpenSSH_9\r\n', 'status_line', 0, true],
  ['a TLS alert', '\x15\x03\x01\x00\x02\x02\x46', 'status_line', 0, true],
  ['two spaces before the status', 'HTTP/1.1  200 OK\r\n\r\n', 'status_line', 0, true],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na', 'done', 200, true],
  [
    'HTTP/1.0 and keep-alive',
    'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\na',
    'done',
    200,
    false,
  ],
  [
    'HTTP/1.0 and chunked coding',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'done',
    200,
    true,
  ],
  ['Connection: close', `${OK}Connection: Close\r\nContent-Length: 1\r\n\r\na`, 'done', 200, true],
  [
    '"close" in a list of connection options',
    `${OK}Connection: foo , close\r\nContent-Length: 1\r\n\r\na`,
    'done',
    200,
    true,
  ],
  ['Connection: closed', `${OK}Connection: closed\r\nContent-Length: 1\r\n\r\na`, 'done', 200, false],
  ['a body until the connection closes', `${OK}\r\nabc`, 'until close', 200, true],
  ['a coding without chunked', `${OK}Transfer-Encoding: gzip\r\n\r\nabc`, 'until close', 200, true],
  ['no bytes', '', 'truncated', 0, true],
  ['a truncated header', `${OK}Content-Le`, 'truncated', 200, true],
  ['a truncated body', `${OK}Content-Length: 5\r\n\r\nabc`, 'truncated', 200, true],
  [
    'extra bytes after the body',
    `${OK}Content-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n`,
    'done',
    200,
    true,
  ],

  ['status 204', 'HTTP/1.1 204 X\r\n\r\n', 'done', 204, false],
  ['status 204 and length 0', 'HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n', 'done', 204, false],
  ['status 204 and a length', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\n', 'done', 204, false],
  [
    'extra bytes after status 204 and a length',
    'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello',
    'done',
    204,
    true,
  ],
  [
    'status 204, two lengths, one of them invalid, and a coding',
    'HTTP/1.1 204 X\r\nContent-Length: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n',
    'done',
    204,
    false,
  ],
  [
    'status 304, a length and a coding',
    'HTTP/1.1 304 X\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    'done',
    304,
    false,
  ],
  [
    'extra bytes after status 204 and chunked coding',
    'HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'done',
    204,
    true,
  ],
  ['status 304', 'HTTP/1.1 304 X\r\n\r\n', 'done', 304, false],
  [
    'status 304 and the length of the omitted body',
    'HTTP/1.1 304 X\r\nContent-Length: 500\r\n\r\n',
    'done',
    304,
    false,
  ],
  ['status 205 and length 0', 'HTTP/1.1 205 X\r\nContent-Length: 0\r\n\r\n', 'done', 205, false],
  [
    'status 100 before the response',
    `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    'status 103 three times before the response',
    `${'HTTP/1.1 103 Early\r\nLink: a\r\n\r\n'.repeat(3)}${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    '20 interim responses',
    `${'HTTP/1.1 100 C\r\n\r\n'.repeat(20)}${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  ['21 interim responses', 'HTTP/1.1 100 C\r\n\r\n'.repeat(21), 'too_many_interim', 100, true],
  [
    'an interim response of length 0',
    `HTTP/1.1 100 C\r\nContent-Length: 0\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    'an interim response with a length',
    `HTTP/1.1 100 C\r\nContent-Length: 3\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    'an interim response with a body',
    `HTTP/1.1 100 C\r\nContent-Length: 5\r\n\r\nabc\r\n${OK}Content-Length: 0\r\n\r\n`,
    'status_line',
    0,
    true,
  ],
  [
    'an interim response with a coding',
    `HTTP/1.1 103 C\r\nTransfer-Encoding: chunked\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    'an interim response with Connection: close',
    `HTTP/1.1 100 C\r\nConnection: close\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    'done',
    200,
    true,
  ],
  ['status 101', 'HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n', 'switching_protocols', 101, true],

  [
    'the same length twice',
    `${OK}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`,
    'content_length',
    200,
    true,
  ],
  ['two lengths in one line', withLength('3, 3'), 'content_length', 200, true],
  [
    'a length before chunked coding',
    `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
    'length_and_encoding',
    200,
    true,
  ],
  [
    'chunked coding before a length',
    `${OK}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n`,
    'length_and_encoding',
    200,
    true,
  ],
  ['an empty length', withLength(''), 'content_length', 200, true],
  ['a length with a sign', withLength('+2'), 'content_length', 200, true],
  ['a negative length', withLength('-2'), 'content_length', 200, true],
  ['a length in hex', withLength('0x2'), 'content_length', 200, true],
  ['a length with a space', withLength('1 2'), 'content_length', 200, true],
  ['a length with a fraction', withLength('2.0'), 'content_length', 200, true],
  ['a length above 2^53', withLength('9007199254740993'), 'content_length', 200, true],
  ['a length of 400 digits', withLength('9'.repeat(400)), 'content_length', 200, true],

  ['bare LFs', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n', 'status_line', 0, true],
  ['a bare LF after a header', `${OK}A: b\nContent-Length: 0\r\n\r\n`, 'header', 200, true],
  ['a bare CR in a header', `${OK}A: b\rc\r\n\r\n`, 'header', 200, true],
  ['two CRs', `${OK}A: b\r\r\n\r\n`, 'header', 200, true],
  ['a folded header', `${OK}A: b\r\n c\r\nContent-Length: 0\r\n\r\n`, 'done', 200, false],
  [
    'a folded header at the end',
    `${OK}Content-Length: 0\r\nA: b\r\n\tc\r\n \t d\r\n\r\n`,
    'done',
    200,
    false,
  ],
  ['a folded length', `${OK}Content-Length: \r\n  3 \r\n\t\r\n\r\nabc`, 'done', 200, false],
  ['a length in two lines', `${OK}Content-Length: 1\r\n 2\r\n\r\n`, 'content_length', 200, true],
  ['a folded coding', `${OK}Transfer-Encoding: gzip,\r\n chunked\r\n\r\n0\r\n\r\n`, 'done', 200, false],
  ['a fold in a name', `${OK}Content-\r\n Length: 0\r\n\r\n`, 'header', 200, true],
  ['a fold before the colon', `${OK}Content-Length\r\n : 0\r\n\r\n`, 'header', 200, true],
  ['a NUL in a fold', `${OK}A: b\r\n c\0\r\n\r\n`, 'header', 200, true],
  ['a bare LF in a fold', `${OK}A: b\r\n c\n d\r\n\r\n`, 'header', 200, true],
  ['an endless fold', `${OK}A: b\r\n${' c\r\n'.repeat(5000)}\r\n`, 'header_too_large', 200, true],
  ['a folded header at the start', `${OK} A: b\r\n\r\n`, 'header', 200, true],
  ['a NUL in a header', `${OK}A: b\0c\r\n\r\n`, 'header', 200, true],
  ['a space before the colon', `${OK}Content-Length : 0\r\n\r\n`, 'header', 200, true],
  ['a header without a name', `${OK}: b\r\n\r\n`, 'header', 200, true],
  ['a header without a colon', `${OK}abc\r\n\r\n`, 'header', 200, true],
  ['a header in UTF-8', `${OK}A: \xc3\xa4\r\nContent-Length: 0\r\n\r\n`, 'done', 200, false],
  ['an empty header value', `${OK}A:\r\nContent-Length: 0\r\n\r\n`, 'done', 200, false],
  ['2,000 headers', `${OK}${'a: b\r\n'.repeat(2000)}Content-Length: 0\r\n\r\n`, 'done', 200, false],
  ['a header of 20 KB', `${OK}A: ${'a'.repeat(20_000)}\r\n\r\n`, 'header_too_large', 200, true],
  ['20 KB in many headers', `${OK}${'A: 12345678\r\n'.repeat(1600)}\r\n`, 'header_too_large', 200, true],

  ['chunks', chunked('3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n'), 'done', 200, false],
  [
    'hexadecimal chunk sizes in upper and lower case',
    chunked('a\r\n0123456789\r\nB\r\n01234567890\r\n0\r\n\r\n'),
    'done',
    200,
    false,
  ],
  ['leading zeros in chunk sizes', chunked('0003\r\nabc\r\n000\r\n\r\n'), 'done', 200, false],
  ['chunk extensions', chunked('3;a=b;c="d"\r\nabc\r\n0;x\r\n\r\n'), 'done', 200, false],
  ['trailers', chunked('0\r\nX-Sum: 1\r\nB: c\r\n\r\n'), 'done', 200, false],
  ['chunked in capitals', `${OK}Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n`, 'done', 200, false],
  [
    'the codings "gzip, chunked"',
    `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    'gzip and chunked in two lines',
    `${OK}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  [
    'the codings "chunked, gzip"',
    `${OK}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    'until close',
    200,
    true,
  ],
  [
    'the codings "chunked, gzip, chunked"',
    `${OK}Transfer-Encoding: chunked, gzip, chunked\r\n\r\n`,
    'transfer_encoding',
    200,
    true,
  ],
  [
    'chunked with a parameter',
    `${OK}Transfer-Encoding: chunked ;a=b\r\n\r\n`,
    'transfer_encoding',
    200,
    true,
  ],
  [
    'chunked and gzip in two lines',
    `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0`,
    'until close',
    200,
    true,
  ],
  [
    'chunked coding twice',
    `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`,
    'transfer_encoding',
    200,
    true,
  ],
  ['an empty list of codings', `${OK}Transfer-Encoding: \r\n\r\nabc`, 'until close', 200, true],
  ['chunked and an empty element', `${OK}Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n`, 'done', 200, false],
  [
    'gzip and chunked between empty elements',
    `${OK}Transfer-Encoding: , gzip, \t ,chunked , ,\r\n\r\n0\r\n\r\n`,
    'done',
    200,
    false,
  ],
  ['the coding xchunked', `${OK}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 'until close', 200, true],
  ['extra bytes after chunks', chunked('0\r\n\r\nX'), 'done', 200, true],
  ['a missing chunk size', chunked('\r\nabc\r\n'), 'chunk', 200, true],
  ['an invalid chunk size', chunked('xyz\r\nabc\r\n'), 'chunk', 200, true],
  ['a chunk size with a sign', chunked('+3\r\nabc\r\n'), 'chunk', 200, true],
  ['a chunk size with 0x', chunked('0x3\r\nabc\r\n'), 'chunk', 200, true],
  ['a chunk size with a trailing space', chunked('3 \r\nabc\r\n'), 'chunk', 200, true],
  ['a chunk size with a space in it', chunked('1 0\r\nabc\r\n'), 'chunk', 200, true],
  ['a space before a chunk size', chunked(' 3\r\nabc\r\n'), 'chunk', 200, true],
  ['whitespace before an extension', chunked('3 \t;a=b\r\nabc\r\n0 ; b\r\n\r\n'), 'done', 200, false],
  ['5,000 spaces before an extension', chunked(`3${' '.repeat(5000)};a\r\nabc\r\n`), 'chunk', 200, true],
  ['a huge chunk size', chunked('FFFFFFFFFFFFFFFFF\r\nabc\r\n'), 'chunk', 200, true],
  ['a chunk longer than its size', chunked('2\r\nabc\r\n0\r\n\r\n'), 'chunk', 200, true],
  ['a bare LF after a chunk', chunked('3\r\nabc\n0\r\n\r\n'), 'chunk', 200, true],
  ['a bare LF after a size', chunked('3\nabc\r\n0\r\n\r\n'), 'chunk', 200, true],
  ['a NUL in an extension', chunked('3;\0\r\nabc\r\n0\r\n\r\n'), 'chunk', 200, true],
  ['an endless extension', chunked(`3;${'a'.repeat(5000)}\r\nabc\r\n`), 'chunk', 200, true],
  ['endless trailers', chunked(`0\r\n${'A: b\r\n'.repeat(4000)}\r\n`), 'chunk', 200, true],
  ['a folded trailer', chunked('0\r\nA: b\r\n c\r\n\t\r\nB: c\r\n\r\n'), 'done', 200, false],
  ['a folded trailer at the start', chunked('0\r\n A: b\r\n\r\n'), 'chunk', 200, true],
  ['a trailer without a colon', chunked('0\r\nabc\r\n\r\n'), 'chunk', 200, true],
  ['a truncated chunk', chunked('5\r\nab'), 'truncated', 200, true],
  ['a missing last chunk', chunked('3\r\nabc\r\n'), 'truncated', 200, true],
];

describe('ResponseParser', () => {
  test.each(ROWS.map(([name, bytes, outcome, ...expected]) => [name, outcome, bytes, ...expected] as const))(
    'for a response with %s, the outcome of the parser is "%s"',
    (_name, outcome, bytes, status, close) => {
      const unsplit = read([bytes]);
      expect({ outcome: unsplit.outcome, status: unsplit.status, close: unsplit.close }).toEqual({
        outcome,
        status,
        close,
      });
    },
  );

  test('a response that is split at any byte has the same result as the unsplit response', () => {
    for (const [name, bytes] of ROWS) {
      if (bytes.length > 3000) continue;
      const unsplit = read([bytes]);
      // Extra bytes that arrive later do not belong to the response.
      const hasExtraBytes = name.startsWith('extra');
      for (let at = 1; at < bytes.length; at++) {
        const split = read([bytes.slice(0, at), bytes.slice(at)]);
        const isSame = split.outcome === unsplit.outcome && split.status === unsplit.status;
        if (!isSame || (split.close !== unsplit.close && !hasExtraBytes)) {
          expect({ name, path: at, ...split }).toEqual({ name, path: at, ...unsplit });
        }
      }
    }
  });

  test('a response that arrives one byte at a time has the same result as the unsplit response', () => {
    for (const [name, bytes] of ROWS) {
      const unsplit = read([bytes]);
      const split = read(splitBytes(bytes));
      const close = name.startsWith('extra') ? split.close : unsplit.close;
      expect({ name, ...split }).toEqual({ name, ...unsplit, close });
    }
  });

  test.each([
    ['with the length of the omitted body', withLength('500'), false],
    ['with chunked encoding', chunked(''), false],
    ['without a length', `${OK}X-A: b\r\n\r\n`, false],
    ['that follows an early hint', `HTTP/1.1 103 X\r\n\r\n${withLength('5')}`, false],
    ['with "Connection: close"', `${OK}Connection: close\r\nContent-Length: 9\r\n\r\n`, true],
    ['in HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n', true],
    ['with a body', `${withLength('3')}abc`, true],
  ])('a response to HEAD %s ends after its header', (_name, bytes, close) => {
    for (const parts of [[bytes], splitBytes(bytes)]) {
      expect(read(parts, [], true)).toMatchObject({ outcome: 'done', status: 200 });
    }
    expect(read([bytes], [], true).close).toBe(close);
  });

  test('headers are captured from the final response, and the first of several headers with the same name is used', () => {
    const bytes =
      'HTTP/1.1 103 X\r\nX-Id: early\r\n\r\n' +
      `${OK}x-ID:  one \r\nX-Id: two\r\nX-Empty:\r\nX-Idea: no\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n`;
    const headerNames = ['x-id', 'x-empty', 'x-missing', 'location', 'content-length'];
    expect(read([bytes], headerNames).captured).toEqual(['one', '', undefined, '/a', '0']);
    expect(read(splitBytes(bytes), headerNames).captured).toEqual(['one', '', undefined, '/a', '0']);
  });

  test('the names of captured headers are matched regardless of the case of letters, and "^", "_" and "~" are different characters', () => {
    const bytes = `${OK}X^: one\r\nX_: two\r\nX~: three\r\nx!Z: four\r\nContent-Length: 0\r\n\r\n`;
    expect(read([bytes], ['x~', 'x_', 'x^', 'x!z']).captured).toEqual(['three', 'two', 'one', 'four']);
  });

  test('line folds of a captured header and the whitespace around them become one space', () => {
    const bytes = `${OK}X-Id: one\r\n \t two  \r\n\t\r\n three\r\nX-Empty: \r\n \r\nContent-Length: 0\r\n\r\n`;
    for (let at = 0; at < bytes.length; at++) {
      const { outcome, captured } = read([bytes.slice(0, at), bytes.slice(at)], ['x-id', 'x-empty']);
      expect([at, outcome, ...captured]).toEqual([at, 'done', 'one two three', '']);
    }
  });

  test.each([
    ['a redirect', '/a', null, '302', ['Location: /a']],
    [
      'a redirect whose header "LOCATION" has a value surrounded by whitespace',
      '/a b',
      null,
      '308',
      ['LOCATION: \t /a b \t'],
    ],
    ['a redirect without a Location', null, null, '301', ['X-Location: /a', 'Locations: /b']],
    ['a redirect with an empty Location', '', null, '303', ['Location:']],
    ['a redirect with two Locations', '', null, '307', ['Location: /a', 'Location: /b']],
    ['a 201 response with a Location', null, null, '201', ['Location: /a']],
    ['a 304 response with a Location', null, null, '304', ['Location: /a']],
    [
      'a redirect with cookies',
      '/',
      ['a=1', 'b=2'],
      '302',
      ['Set-Cookie: a=1', 'Location: /', 'SET-COOKIE: b=2'],
    ],
    ['a response whose cookies are not captured', null, null, '200', ['Set-Cookie: a=1']],
    [
      'a response whose cookies are captured',
      null,
      ['a=1', ''],
      '200 captured',
      ['set-cookie: a=1', 'Set-Cookie:'],
    ],
  ] as const)(
    'for %s, parser.location is %j and parser.setCookies is %j',
    (_name, location, cookies, status, lines) => {
      const [code = '', capturesCookies] = status.split(' ');
      const interimResponse = 'HTTP/1.1 103 X\r\nLocation: /early\r\nSet-Cookie: early=1\r\n\r\n';
      const bytes = `${interimResponse}HTTP/1.1 ${code} X\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
      const plain = Buffer.from(withLength('0'));
      const parser = new ResponseParser();
      for (let at = 0; at <= bytes.length; at++) {
        parser.begin([], capturesCookies !== undefined);
        for (const part of [bytes.slice(0, at), bytes.slice(at)]) parser.feed(Buffer.from(part), part.length);
        parser.finish();
        expect([parser.location, parser.setCookies]).toEqual([location, cookies]);
        expect(parser.hasCookiesOrRedirect).toBe(location !== null || cookies !== null);
        expect(parser.mustClose).toBe(true);
        // The parser keeps nothing of this response for the next one.
        parser.begin([], true);
        parser.feed(plain, plain.length);
        expect([parser.hasCookiesOrRedirect, parser.location, parser.setCookies]).toEqual([
          false,
          null,
          null,
        ]);
      }
    },
  );

  test.each([
    [true, 'a Retry-After of 3 seconds', ['Retry-After: 3']],
    [
      true,
      'a Retry-After with a date',
      ['Server: s', 'RETRY-AFTER: Fri, 27 Nov 2026 23:59:59 GMT', 'X-Pad: pad'],
    ],
    [true, 'an empty Retry-After', ['Retry-After:']],
    [false, 'the header Retry-Later', ['Retry-Later: 3']],
    [false, 'no Retry-After', []],
  ] as const)('hasRetryAfter is %s for a response with %s', (expected, _name, lines) => {
    const interimResponse = 'HTTP/1.1 103 X\r\nRetry-After: 1\r\n\r\n';
    const bytes = `${interimResponse}${['HTTP/1.1 503 X', ...lines].join('\r\n')}\r\nContent-Length: 0\r\n\r\n`;
    const parser = new ResponseParser();
    for (let at = 0; at <= bytes.length; at++) {
      parser.begin([], false);
      for (const part of [bytes.slice(0, at), bytes.slice(at)]) parser.feed(Buffer.from(part), part.length);
      expect([parser.status, parser.hasRetryAfter]).toEqual([503, expected]);
    }
  });

  test('a parser can be reused after a complete or an incomplete response', () => {
    const parser = new ResponseParser();
    for (const [, bytes, outcome, status] of ROWS) {
      if (outcome !== 'done' || bytes.length > 3000) continue;
      for (const parts of [[bytes], [bytes.slice(0, 20), bytes.slice(20)]]) {
        parser.begin([], false);
        const outcomes = parts.map((part) => parser.feed(Buffer.from(part, 'latin1'), part.length));
        expect([outcomes.at(-1), parser.status]).toEqual([DONE, status]);
      }
      parser.begin([], false);
      parser.feed(Buffer.from('HTTP/1.1 200 OK\r\nContent-'), 25);
    }
  });

  test.each([
    ['no header', []],
    ['the header X-Token', ['x-token']],
    [
      'the headers Content-Length, Transfer-Encoding and Connection',
      ['content-length', 'transfer-encoding', 'connection'],
    ],
  ])(
    'a parser that captures %s returns the same results with and without a cached header',
    (_what, names) => {
      const headerNames = names.map((name) => Buffer.from(name));
      const buffer = Buffer.alloc(64 * 1024, '\r\n');
      let filled = 0;
      const cache = new HeaderCache(buffer);
      const cachingParser = new ResponseParser();
      const feed = (parser: ResponseParser, parts: readonly string[]) => {
        for (const part of parts) {
          // The rest of the buffer contains line breaks.
          buffer.fill('\r\n', 0, filled);
          filled = buffer.write(part, 'latin1');
          const outcome = parser.feed(buffer, filled);
          if (outcome !== MORE) return resultOf(parser, outcome);
        }
        return resultOf(parser, parser.finish());
      };
      const resultOf = (parser: ResponseParser, outcome: number) => [
        ...[outcome, parser.status, parser.hasRetryAfter],
        ...[parser.mustClose, parser.location, parser.setCookies],
        // A refused response has no values.
        outcome === DONE ? [...parser.captured] : null,
      ];
      const responseBytes = [
        ...ROWS.map(([, bytes]) => bytes).filter((bytes) => bytes.length < 3000),
        'HTTP/1.1 302 X\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n',
        'HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n',
        ...['', 'Retry-After: 1\r\n', 'Retry-After: 20\r\n', ''].map(
          (line) => `HTTP/1.1 503 X\r\n${line}Content-Length: 0\r\n\r\n`,
        ),
        `${OK}Set-Cookie: a=1\r\nContent-Length: 0\r\n\r\n`,
        ...['1', '2'].map((value) => `${OK}Content-Length: 0\r\nX-Token: ${value}\r\nX-Token: 3\r\n\r\n`),
        ...['1', '2'].map((value) => `${OK}Content-Length: 0\r\nSet-Cookie: b=${value}\r\n\r\n`),
        'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nX-Token: 1\r\nContent-Length: 0\r\n\r\n',
        `${'HTTP/1.1 100 \r\n\r\n'.repeat(20)}HTTP/1.1 100 \r\nX-Token: 1\r\n\r\n${withLength('0')}`,
        `${OK}X-Pad: ${'p'.repeat(1500)}\r\nX-Token: 1\r\nX-Pad: ${'p'.repeat(15_000)}\r\nContent-Length: 0\r\n\r\n`,
        // Bytes of which eight may be NaN, or zero with either sign.
        ...['\xff', '\x80', '\0'].map(
          (byte) => `${OK}X-Pad: ${byte.repeat(24)}\r\nContent-Length: 0\r\n\r\n`,
        ),
        chunked('3\r\nabc\r\n0\r\n\r\n'),
        `${withLength('3')}abd`,
        `${withLength('3')}abcd`,
        `${withLength('4')}abcd`,
      ];
      let matchCount = 0;
      const response = fc.tuple(fc.nat(responseBytes.length - 1), fc.nat(60), fc.nat(3));
      fc.assert(
        fc.property(fc.array(response, { minLength: 40, maxLength: 80 }), (responses) => {
          for (const [index, at, times] of responses) {
            const bytes = responseBytes[index] ?? '';
            const parts = times === 0 ? [bytes.slice(0, at), bytes.slice(at)] : [bytes];
            for (let count = 0; count <= times; count++) {
              const uncachedParser = new ResponseParser();
              uncachedParser.begin(headerNames, true);
              const expected = feed(uncachedParser, parts);
              const [first = ''] = parts;
              buffer.write(first, 'latin1');
              if (cache.match(buffer, first.length) > 0) matchCount++;
              cachingParser.begin(headerNames, true, cache);
              expect(feed(cachingParser, parts)).toEqual(expected);
            }
          }
        }),
        { numRuns: 50 },
      );
      expect(matchCount).toBeGreaterThan(100);
    },
  );

  test('random bytes cause no exception, and are parsed identically whole and in two parts', () => {
    const bit = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.0 ',
      '100 ',
      '204 ',
      '\r\n',
      '\r',
      '\n',
      '\r\n\r\n',
      ': ',
      ' ',
      '\0',
      'a',
      'Content-Length: 3\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Connection: close\r\n',
      '302 ',
      'Location: /a\r\n',
      'Set-Cookie: a=1\r\n',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      ';',
    );
    const bytes = fc.oneof(
      fc.array(bit, { maxLength: 20 }).map((bits) => bits.join('')),
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('latin1')),
      fc
        .uint8Array({ maxLength: 60 })
        .map((array) => `HTTP/1.1 200 OK\r\n${Buffer.from(array).toString('latin1')}`),
    );
    const parser = new ResponseParser();
    const feed = (parts: readonly string[]): string => {
      parser.begin([], false);
      for (const part of parts) {
        const outcome = parser.feed(Buffer.from(part, 'latin1'), part.length);
        if (outcome !== MORE) return `${outcome === DONE ? 'done' : parser.fault} ${parser.status}`;
      }
      return `${parser.finish() === DONE ? 'done' : parser.fault} ${parser.status}`;
    };
    fc.assert(
      fc.property(bytes, fc.nat(200), (text, at) => {
        expect(feed([text.slice(0, at), text.slice(at)])).toBe(feed([text]));
      }),
      { numRuns: scaleCount(10_000) },
    );
  });
});

describe('comparison with the parser of Node.js', () => {
  /** Responses that only one of the parsers refuses, each with the reason. */
  const KNOWN_DIFFERENCES: ReadonlyMap<string, string> = new Map([
    ['HTTP/2.0 in the status line', 'later versions of Node.js refuse it'],
    ['status 99', 'a status has three digits'],
    ['status 099', 'a status begins at 100'],
    ['status 20', 'a status has three digits'],
    ['extra bytes after status 204 and a length', 'the response was complete'],
    ['extra bytes after status 204 and chunked coding', 'the response was complete'],
    [
      'status 204, two lengths, one of them invalid, and a coding',
      'it has no body, regardless of its headers',
    ],
    ['status 304, a length and a coding', 'it has no body, regardless of its headers'],
    ['extra bytes after the body', 'the response was complete'],
    ['extra bytes after chunks', 'the response was complete'],
    ['HTTP/0.9', 'it has no status line'],
    ['HTTP/3.0', 'it has no status line in text'],
    ['21 interim responses', 'Node.js does not limit them'],
    ['status 101', 'Node.js treats it as an upgrade'],
    ['chunked coding twice', 'its end is undefined'],
    ['chunked with a parameter', 'chunked has no parameters (RFC 9112, section 7.1)'],
    ['an empty list of codings', 'later versions of Node.js refuse it'],
    ['chunked and an empty element', 'empty elements are ignored (RFC 9110, section 5.6.1)'],
    ['gzip and chunked between empty elements', 'empty elements are ignored (RFC 9110, section 5.6.1)'],
    ['a folded header', 'read as one line (RFC 9112, section 5.2)'],
    ['a folded header at the end', 'read as one line (RFC 9112, section 5.2)'],
    ['a folded length', 'read as one line (RFC 9112, section 5.2)'],
    ['a folded coding', 'read as one line (RFC 9112, section 5.2)'],
    ['a folded trailer', 'trailers are not read'],
    ['whitespace before an extension', 'they are allowed (RFC 9112, section 7.1.1)'],
    ['HTTP/1.0 and chunked coding', 'closed as RFC 9112 requires'],
    ['20 KB in many headers', 'a different limit'],
    ['a header of 20 KB', 'a different limit'],
    ['endless trailers', 'a different limit'],
    ['2,000 headers', 'a different limit'],
    ['an endless extension', 'a different limit'],
    ['a bare LF after a header', 'some versions of Node.js accept it'],
    ['a header value with surrounding whitespace', 'tabs are white space (RFC 9110, section 5.6.3)'],
    ['an interim response with Connection: close', 'the final response still follows'],
  ]);

  test('apart from known differences, the parser and Node.js agree on whether a response is accepted and on its status', async () => {
    let bytes = '';
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(bytes, 'latin1'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A TCP server has a numeric port.
    const { port } = server.address() as AddressInfo;
    const requestWithNode = (): Promise<string> =>
      new Promise((resolve) => {
        const agent = new Agent({ keepAlive: false });
        const request = get({ port, host: '127.0.0.1', agent }, (response) => {
          response.resume();
          response.once('end', () => resolve(response.complete ? `taken ${response.statusCode}` : 'refused'));
          response.once('error', () => resolve('refused'));
        });
        request.once('error', () => resolve('refused'));
      });
    const unexpectedDifferences: unknown[] = [];
    for (const [name, text, outcome, status] of ROWS) {
      if (KNOWN_DIFFERENCES.has(name)) continue;
      bytes = text;
      const ownOutcome = outcome === 'done' || outcome === 'until close' ? `taken ${status}` : 'refused';
      const nodeOutcome = await requestWithNode();
      if (nodeOutcome !== ownOutcome)
        unexpectedDifferences.push({ name, ours: ownOutcome, theirs: nodeOutcome });
    }
    server.close();
    expect(unexpectedDifferences).toEqual([]);
  });
});

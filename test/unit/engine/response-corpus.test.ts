/**
 * Responses from the tests of other projects (llhttp and http-parser, curl, the web platform tests),
 * rewritten from their descriptions. Each is parsed whole and in every segmentation.
 */
import { describe, expect, test } from 'vitest';
import { splitBytes, readResponse } from '../../support/read-response.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = 'Content-Length: 0\r\n\r\n';
const lengthOf = (value: string): string => `${OK}Content-Length: ${value}\r\n\r\n${'x'.repeat(30)}`;
const withTransferEncoding = (value: string, body = '5\r\nhello\r\n0\r\n\r\n'): string =>
  `${OK}Transfer-Encoding: ${value}\r\n\r\n${body}`;
const chunked = (body: string): string => withTransferEncoding('chunked', body);

/** Name, bytes, outcome, status. With the outcome `connection stays open`, it can carry the next request. */
type Case = readonly [name: string, bytes: string, outcome: string, status: number];

const READERS: readonly Case[] = [
  [
    'a redirect status, several headers and a body',
    'HTTP/1.1 301 Moved Permanently\r\nLocation: http://www.shop.test/\r\nContent-Type: text/html; charset=UTF-8\r\n' +
      'Expires: Tue, 26 May 2026 11:11:49 GMT\r\nX-$PrototypeBI-Version: 1.6.0.3\r\nServer: gws\r\nContent-Length:  7  \r\n\r\n<HTML>\n',
    'connection stays open',
    301,
  ],
  ['a body without a length', `${OK}Server: x\r\n\r\n<xml>hello</xml>`, 'until close', 200],
  ['status 404 and no headers', 'HTTP/1.1 404 Not Found\r\n\r\n', 'until close', 404],
  ['status 301 and no reason', 'HTTP/1.1 301\r\n\r\n', 'until close', 301],
  [
    'bare LFs',
    'HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nConnection: close\n\n',
    'status_line',
    0,
  ],
  [
    'a header name with an underscore',
    `${OK}DCLK_imp: v7;x;114750856\r\n${EMPTY}`,
    'connection stays open',
    200,
  ],
  [
    'empty and repeated header values',
    `${OK}Set-Cookie: a\r\nSet-Cookie:\r\nX:\r\nX: \r\n${EMPTY}`,
    'connection stays open',
    200,
  ],
  ['a non-ASCII reason', `HTTP/1.1 500 Ori\xc3\xabntatieprobleem\r\n${EMPTY}`, 'connection stays open', 500],
  ['Connection: close and no length', `${OK}Connection: close\r\n\r\n`, 'until close', 200],
  [
    'HTTP/1.0, keep-alive and no length',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n',
    'until close',
    200,
  ],
  [
    'HTTP/1.0, keep-alive and status 204',
    'HTTP/1.0 204 No content\r\nConnection: keep-alive\r\n\r\n',
    'connection stays open',
    204,
  ],
  ['HTTP/1.0 and status 204', 'HTTP/1.0 204 No content\r\n\r\n', 'connection closes', 204],
  ['HTTP/1.1 and status 204', 'HTTP/1.1 204 No content\r\n\r\n', 'connection stays open', 204],
  [
    'HTTP/1.1, status 204 and Connection: close',
    'HTTP/1.1 204 No content\r\nConnection: close\r\n\r\n',
    'connection closes',
    204,
  ],
  [
    'an upgrade offer and status 200',
    `${OK}Connection: Upgrade\r\nUpgrade: h2c\r\n${EMPTY}`,
    'connection stays open',
    200,
  ],
  [
    'a completed upgrade followed by bytes',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\nproto',
    'switching_protocols',
    101,
  ],
  [
    'an upgrade with a length',
    'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody',
    'switching_protocols',
    101,
  ],
  ['identity coding and no length', withTransferEncoding('identity', 'hello'), 'until close', 200],
  ['another coding before chunked', withTransferEncoding('nested, chunked'), 'connection stays open', 200],
  ['another coding after chunked', withTransferEncoding('chunked, deflate'), 'until close', 200],
  [
    'another coding after chunked in two lines',
    `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: deflate\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    'until close',
    200,
  ],
  ['a chunk extension with a name', chunked('5;ilovew3\r\nhello\r\n0\r\n\r\n'), 'connection stays open', 200],
  [
    'chunk extensions with values',
    chunked('5;somuchlove=aretheseparametersfor;another=withvalue\r\nhello\r\n0\r\n\r\n'),
    'connection stays open',
    200,
  ],
  [
    'a chunk extension in quotes',
    chunked('5;ilovew3="I \\"love\\"; \\\\extensions";a="b"\r\nhello\r\n0\r\n\r\n'),
    'connection stays open',
    200,
  ],
  ['an empty chunk extension', chunked('5;;a\r\nhello\r\n0\r\n\r\n'), 'connection stays open', 200],
  [
    'spaces after a chunk size',
    chunked('25  \r\nThis is the data in the first chunk\r\n\r\n0\r\n\r\n'),
    'chunk',
    200,
  ],
  [
    'trailers',
    chunked('5\r\nhello\r\n0\r\nVary: *\r\nContent-Type: text/plain\r\n\r\n'),
    'connection stays open',
    200,
  ],
  ['an LF after a chunk extension', chunked('5;a\nhello\r\n0\r\n\r\n'), 'chunk', 200],
  ['a NUL in a chunk extension', chunked('5;a\0\r\nhello\r\n0\r\n\r\n'), 'chunk', 200],
  ['a bare CR after a chunk', chunked('5\r\nhello\r0\r\n\r\n'), 'chunk', 200],
  ['a chunk without a line end', chunked('5\r\nhello0\r\n\r\n'), 'chunk', 200],
  ['a chunk size of 17 digits', chunked('FFFFFFFFFFFFFFFFF\r\nhello'), 'chunk', 200],
  ['a chunk size with an invalid digit', chunked('7k\r\nhello\r\n'), 'chunk', 200],
  [
    'both a length and chunked coding',
    `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    'length_and_encoding',
    200,
  ],
  [
    'both a length and identity coding',
    `${OK}Content-Length: 5\r\nTransfer-Encoding: identity\r\n\r\nhello`,
    'length_and_encoding',
    200,
  ],
  ['a length with a space in it', lengthOf('4 2'), 'content_length', 200],
  ['a length of 2^64', lengthOf('18446744073709551616'), 'content_length', 200],
  ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`, 'content_length', 200],
  ['a space after a name', `${OK}Content-Length : 5\r\n\r\nhello`, 'header', 200],
  ['a folded line before the first header', `${OK} Fold: a\r\n${EMPTY}`, 'header', 200],
  [
    'a folded value',
    `${OK}Line1:   abc\r\n\tdef\r\n ghi\r\n\t\tjkl\r\n  mno \r\n\t \tqrs\r\n${EMPTY}`,
    'connection stays open',
    200,
  ],
  [
    'a folded Connection header',
    `${OK}Connection: \r\n\tkeep-alive,\r\n close\r\n${EMPTY}`,
    'connection closes',
    200,
  ],
  ['a CR in a header', `${OK}Host: www.shop.test\rContent-Length: 5\r\n\r\n`, 'header', 200],
  ['a header that ends with CR CR LF', `${OK}A: b\r\r\n${EMPTY}`, 'header', 200],
  ['a leading empty line', `\r\n${OK}${EMPTY}`, 'status_line', 0],
  ['a leading space', ` ${OK}${EMPTY}`, 'status_line', 0],
  ['misspelled HTTP', 'HTER/1.1 200 OK\r\n\r\n', 'status_line', 0],
  ['a version of three digits', 'HTTP/11.1 200 OK\r\n\r\n', 'status_line', 0],
  ['a version with a leading zero', 'HTTP/01.1 200 OK\r\n\r\n', 'status_line', 0],
  ['a minor version of two digits', 'HTTP/1.01 200 OK\r\n\r\n', 'status_line', 0],
  ['a version and no status', 'HTTP/1.1\r\n\r\n', 'status_line', 0],
  ['a letter in the status', 'HTTP/1.1 20A OK\r\n\r\n', 'status_line', 0],
  ['a space in the status', 'HTTP/1.1 2 0 OK\r\n\r\n', 'status_line', 0],
  ['no space after the status', 'HTTP/1.1 200OK\r\n\r\n', 'status_line', 0],
  ['a CR in the status line', 'HTTP/1.1 200 OK\rContent-Length: 0\r\n\r\n', 'status_line', 0],
  ['a request line', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'status_line', 0],
  ['a second response after the first', `${OK}${EMPTY}HTTP/1.1 404 No\r\n${EMPTY}`, 'extra bytes', 200],
];

const CURL: readonly Case[] = [
  ['no bytes', '', 'truncated', 0],
  ['a version without a dot', `HTTP/1 200 OK\r\n${EMPTY}`, 'status_line', 0],
  ['an unknown version', `HTTP/4 200 OK\r\n${EMPTY}`, 'status_line', 0],
  ['a version of letters', `HTTP/1.a 200 OK\r\n${EMPTY}`, 'status_line', 0],
  ['version 1.2', `HTTP/1.2 200 OK\r\n${EMPTY}`, 'connection stays open', 200],
  ['a status of four digits', `HTTP/1.1 2000 OK\r\n${EMPTY}`, 'status_line', 0],
  ['a status of 0', `HTTP/1.1 000 OK\r\n${EMPTY}`, 'status_line', 0],
  ['only a body', 'just some text, no head at all\r\n', 'status_line', 0],
  ['a line without a colon', `${OK}Content-Type text/html\r\n${EMPTY}`, 'header', 200],
  ['a line with only a colon', `${OK}:\r\n${EMPTY}`, 'header', 200],
  ['a NUL in a value', `${OK}X: a\0b\r\n${EMPTY}`, 'header', 200],
  ['a NUL in a name', `${OK}X\0Y: ab\r\n${EMPTY}`, 'header', 200],
  ['a header of 20,000 bytes', `${OK}X: ${'x'.repeat(20_000)}\r\n${EMPTY}`, 'header_too_large', 200],
  ['no space after the colon', `${OK}Content-Length:2\r\nX:y\r\n\r\nok`, 'connection stays open', 200],
  ['a tab after the colon', `${OK}Content-Length:\t2\r\n\r\nok`, 'connection stays open', 200],
  ['names in capitals', `${OK}CONTENT-LENGTH: 2\r\nCONNECTION: CLOSE\r\n\r\nok`, 'connection closes', 200],
  ['a negative length', lengthOf('-6'), 'content_length', 200],
  [
    'a length that is too large',
    lengthOf('115792089237316195423570985008687907853269984665640564'),
    'content_length',
    200,
  ],
  ['a length in letters', lengthOf('all'), 'content_length', 200],
  ['more bytes than the length', `${OK}Content-Length: 5\r\n\r\nhello, world`, 'extra bytes', 200],
  ['fewer bytes than the length', `${OK}Content-Length: 100\r\n\r\nhello`, 'truncated', 200],
  [
    'chunk sizes in upper and lower case',
    chunked('A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n'),
    'connection stays open',
    200,
  ],
  ['chunks without a last chunk', chunked('5\r\nhello\r\n'), 'truncated', 200],
  ['chunks truncated in the last empty line', chunked('5\r\nhello\r\n0\r\n\r'), 'truncated', 200],
  ['a chunk size that is not a number', chunked('fail\r\nhello'), 'chunk', 200],
  [
    'a last chunk size of 60 zeros',
    chunked(`5\r\nhello\r\n${'0'.repeat(60)}\r\n\r\n`),
    'connection stays open',
    200,
  ],
  [
    'folded trailers after chunks',
    chunked('5\r\nhello\r\n0\r\nX-One: a\r\n b\r\nX-Two: c\r\n\r\n'),
    'connection stays open',
    200,
  ],
  ['chunked coding twice', withTransferEncoding('chunked, chunked'), 'transfer_encoding', 200],
  ['gzip and chunked in one line', withTransferEncoding('gzip, chunked'), 'connection stays open', 200],
  [
    'capitals and whitespace in the list of codings',
    withTransferEncoding('GZIP ,\t CHUNKED \t'),
    'connection stays open',
    200,
  ],
  [
    'status 100 before the final response',
    `HTTP/1.1 100 Continue\r\nX: y\r\n\r\n${OK}${EMPTY}`,
    'connection stays open',
    200,
  ],
  ['status 100 and no final response', 'HTTP/1.1 100 Continue\r\n\r\n', 'truncated', 0],
  [
    'status 100 and a length before the final response',
    `HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n${OK}${EMPTY}`,
    'connection stays open',
    200,
  ],
  [
    'status 103 and chunked coding before the final response',
    `HTTP/1.1 103 X\r\nTransfer-Encoding: chunked\r\n\r\n${OK}${EMPTY}`,
    'connection stays open',
    200,
  ],
  [
    'status 204 and chunked coding',
    'HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n',
    'connection stays open',
    204,
  ],
  ['status 204, a length and a body', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello', 'extra bytes', 204],
  [
    'status 304 and a length',
    'HTTP/1.1 304 X\r\nContent-Length: 2097154\r\n\r\n',
    'connection stays open',
    304,
  ],
  [
    'status 304 and chunked coding',
    'HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n',
    'connection stays open',
    304,
  ],
  ['HTTP/1.0 and a length', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', 'connection closes', 200],
  [
    'HTTP/1.0 and chunked coding',
    'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'connection closes',
    200,
  ],
  ['the protocol ICY', `ICY 200 OK\r\n${EMPTY}`, 'status_line', 0],
  ['the protocol RTSP', `RTSP/1.0 200 OK\r\n${EMPTY}`, 'status_line', 0],
];

const WEB: readonly Case[] = [
  ['a status with a leading zero', `HTTP/1.1 0200 OK\r\n${EMPTY}`, 'status_line', 0],
  ['a status of two digits', `HTTP/1.1 20 OK\r\n${EMPTY}`, 'status_line', 0],
  ['a status with a sign', `HTTP/1.1 +20 OK\r\n${EMPTY}`, 'status_line', 0],
  ['status 600', `HTTP/1.1 600 X\r\n${EMPTY}`, 'connection stays open', 600],
  ['status 999', `HTTP/1.1 999 X\r\n${EMPTY}`, 'connection stays open', 999],
  ['a bare CR before a name', `${OK}\rX: y\r\n${EMPTY}`, 'header', 200],
  ['a bare CR in a value', `${OK}X: y\rz\r\n${EMPTY}`, 'header', 200],
  ['a bare CR at the end of the header', `${OK}X: y\r\n\rabc`, 'header', 200],
  ['a NUL in the status line', `HTTP/1.1 200 O\0K\r\n${EMPTY}`, 'status_line', 0],
  ['a length twice in one line', lengthOf('30,30'), 'content_length', 200],
  ['two lengths in one line', lengthOf('30,31'), 'content_length', 200],
  ['a length with an empty element', lengthOf('30,'), 'content_length', 200],
  ['a length in quotes', lengthOf('"30"'), 'content_length', 200],
  ['a length with an exponent', lengthOf('3e1'), 'content_length', 200],
  ['a length with a plus', lengthOf('+30'), 'content_length', 200],
  [
    'a length with leading zeros',
    `${OK}Content-Length: 0030\r\n\r\n${'x'.repeat(30)}`,
    'connection stays open',
    200,
  ],
  ['a length in hex', lengthOf('0x1e'), 'content_length', 200],
  ['bytes after status 204', 'HTTP/1.1 204 X\r\n\r\nhello', 'extra bytes', 204],
];

const GROUPS = [
  ['llhttp and http-parser', READERS],
  ['curl', CURL],
  ['the web platform tests', WEB],
] as const;

function outcomeOf(parts: readonly string[]): readonly [outcome: string, status: number, close: boolean] {
  const { outcome, status, close } = readResponse(parts);
  return [outcome, status, close];
}

describe.each(GROUPS)('responses from the tests of %s', (_from, cases) => {
  test.each(cases.map(([name, bytes, outcome, status]) => [name, outcome, bytes, status] as const))(
    'for a response with %s, the outcome of the parser is "%s"',
    (_name, outcome, bytes, status) => {
      const isComplete =
        outcome === 'connection stays open' || outcome === 'connection closes' || outcome === 'extra bytes';
      const unsplit = outcomeOf([bytes]);
      expect(unsplit).toEqual([isComplete ? 'done' : outcome, status, outcome !== 'connection stays open']);
      // Extra bytes in a separate segment close the connection only when they arrive.
      const expectedSplit = outcome === 'extra bytes' ? unsplit.slice(0, 2) : unsplit;
      const splitOutcomeOf = (parts: readonly string[]): readonly unknown[] =>
        outcomeOf(parts).slice(0, expectedSplit.length);
      if (bytes.length < 3000) {
        for (let at = 1; at < bytes.length; at++) {
          expect([at, ...splitOutcomeOf([bytes.slice(0, at), bytes.slice(at)])]).toEqual([
            at,
            ...expectedSplit,
          ]);
        }
      }
      expect(splitOutcomeOf(splitBytes(bytes))).toEqual(expectedSplit);
    },
  );
});

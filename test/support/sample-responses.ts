/** Valid and invalid responses, generated from a seed, as bytes. */
import { Random } from '../../src/core/random.ts';

const DATE = 'Date: Sat, 21 Nov 2026 07:31:59 GMT';

/** Joins header lines and a body; each latin1 character represents a byte. */
function rawResponse(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Returns a response with the lines of nginx. */
function nginx(status: string, lines: readonly string[], body = ''): string {
  return rawResponse([`HTTP/1.1 ${status}`, 'Server: nginx/1.22.1', DATE, ...lines], body);
}

/** Returns a response with the lines of Node.js. */
function node(status: string, lines: readonly string[], body = ''): string {
  const end = [DATE, 'Connection: keep-alive', 'Keep-Alive: timeout=5'];
  return rawResponse([`HTTP/1.1 ${status}`, ...lines, ...end], body);
}

/** Returns a response with the lines of Apache. */
function apache(status: string, lines: readonly string[], body = ''): string {
  return rawResponse([`HTTP/1.1 ${status}`, DATE, 'Server: Apache/2.4.62 (Debian)', ...lines], body);
}

const HTML = '<html><body>hello</body></html>\n';
const KEEP_ALIVE = 'Connection: keep-alive';

/**
 * Responses of real servers: recorded, except those of Apache and of load balancers, which follow their
 * manuals.
 */
export const RECORDED_RESPONSES: readonly string[] = [
  nginx(
    '200 OK',
    [
      ...[
        'Content-Type: text/html',
        'Content-Length: 32',
        'Last-Modified: Sat, 21 Nov 2026 07:31:58 GMT',
        KEEP_ALIVE,
      ],
      ...['ETag: "6b0148ee-20"', 'Accept-Ranges: bytes'],
    ],
    HTML,
  ),
  nginx(
    '200 OK',
    ['Content-Type: text/html', 'Transfer-Encoding: chunked', KEEP_ALIVE, 'Content-Encoding: gzip'],
    '19\r\n\x1f\x8b\x08\0\0\0\0\0\x04\x03\xab\xa8\x18\x05\xc4\0\0\x13-C\x1b,\x01\0\0\r\n0\r\n\r\n',
  ),
  nginx('204 No Content', [KEEP_ALIVE]),
  nginx(
    '206 Partial Content',
    ['Content-Length: 10', KEEP_ALIVE, 'Content-Range: bytes 0-9/300'],
    'x'.repeat(10),
  ),
  nginx('301 Moved Permanently', ['Content-Length: 3', 'Location: http://a:8080/dir/', KEEP_ALIVE], 'abc'),
  nginx('302 Moved Temporarily', [
    'Content-Length: 0',
    'Location: /there',
    'Set-Cookie: sid=1; Path=/',
    KEEP_ALIVE,
  ]),
  nginx('304 Not Modified', [
    'Last-Modified: Sat, 21 Nov 2026 07:31:58 GMT',
    KEEP_ALIVE,
    'ETag: "6b0148ee-20"',
  ]),
  nginx('400 Bad Request', ['Content-Type: text/html', 'Content-Length: 5', 'Connection: close'], 'wrong'),
  nginx('404 Not Found', ['Content-Type: text/html', 'Content-Length: 9', KEEP_ALIVE], 'not found'),
  nginx('503 Service Temporarily Unavailable', ['Content-Length: 4', KEEP_ALIVE, 'Retry-After: 120'], 'busy'),
  node('200 OK', ['Content-Length: 5'], 'hello'),
  node('200 OK', ['X-Token: abc', 'Transfer-Encoding: chunked'], '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'),
  node('200 OK', ['Trailer: X-Sum', 'Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\nX-Sum: 5\r\n\r\n'),
  node('200 OK', ['Set-Cookie: a=1; Path=/', 'Set-Cookie: b=2; HttpOnly', 'Content-Length: 2'], '{}'),
  node('204 No Content', []),
  node('304 Not Modified', ['ETag: "a"', 'Content-Length: 500']),
  rawResponse(['HTTP/1.1 100 Continue']) + node('200 OK', ['Content-Length: 5'], 'hello'),
  rawResponse(['HTTP/1.1 102 Processing']) + node('201 Created', ['Content-Length: 0', 'Location: /new']),
  rawResponse(['HTTP/1.1 103 Early Hints', 'Link: </a.css>; rel=preload; as=style']).repeat(2) +
    node('200 OK', ['X-Token: late', 'Content-Length: 5'], 'hello'),
  rawResponse(['HTTP/1.1 200 OK', 'Connection: close', DATE], 'until the connection closes'),
  rawResponse(['HTTP/1.1 400 Bad Request', 'Connection: close']),
  apache(
    '200 OK',
    ['Keep-Alive: timeout=5, max=100', 'Connection: Keep-Alive', 'Transfer-Encoding: chunked'],
    '4;charset=utf-8\r\nabcd\r\n00A\r\n0123456789\r\n0\r\n\r\n',
  ),
  apache('200 OK', ['Vary: Accept-Encoding,User-Agent', 'Content-Length: 3', 'X-Powered-By: PHP/8.2'], 'abc'),
  apache('417 Expectation Failed', ['Content-Length: 3', 'Connection: close'], 'no\n'),
  apache('500 Internal Server Error', ['Content-Length: 0', 'Connection: close']),
  rawResponse(['HTTP/1.0 200 OK', 'Server: SimpleHTTP/0.6 Python/3.11.7', DATE, 'Content-Length: 32'], HTML),
  rawResponse(['HTTP/1.0 404 File not found', DATE, 'Connection: close', 'Content-Length: 3'], 'no\n'),
  rawResponse(['HTTP/1.0 200 OK', 'Connection: Keep-Alive', 'Content-Length: 2'], 'ok'),
  rawResponse(
    ['HTTP/1.1 502 Bad Gateway', 'Server: awselb/2.0', DATE, 'Content-Length: 2', KEEP_ALIVE],
    'no',
  ),
  rawResponse(['HTTP/1.1 200', 'content-type: application/json', 'content-length:2', 'x-token:\tabc '], '{}'),
  rawResponse(['HTTP/1.1 307 ', 'location: https://elsewhere.test/', 'Content-Length: 0', 'X-Token:']),
];

/** Strings that HTTP parsers interpret differently. */
const TOKENS: readonly string[] = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\0',
    '\t',
    ' ',
    '\x7f',
    '\xff',
    ':',
    ';',
    ',',
    '"',
    '+',
    '-',
    '0x',
    '0',
    'ffffffff',
  ],
  ...[
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 200 OK\r\n',
    'HTTP/2.0 ',
    'HTTP/0.9 ',
    'HTTP/1.9 ',
    'ICY ',
    'http/1.1 ',
  ],
  ...['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ...[
    'HTTP/1.1 204 X\r\n',
    'HTTP/1.1 304 X\r\n',
    'HTTP/1.1 205 X\r\n',
    'HTTP/1.1 999 X\r\n',
    'HTTP/1.1 99 X\r\n',
  ],
  ...[
    'Content-Length: 3\r\n',
    'Content-Length: 0\r\n',
    'Content-Length: +2\r\n',
    'Content-Length: 18446744073709551617\r\n',
  ],
  ...[
    'Content-Length:\r\n',
    'Content-Length : 3\r\n',
    'content-length: 3, 3\r\n',
    'Content-Length: 99999\r\n',
  ],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: chunked, gzip\r\n',
  ],
  ...['Transfer-Encoding: identity\r\n', 'Transfer-Encoding: xchunked\r\n', 'transfer-encoding:CHUNKED \r\n'],
  ...['Transfer-Encoding:\r\n', 'Transfer-Encoding: chunked,\r\n', 'Transfer-Encoding: chunked;q=1\r\n'],
  ...[
    'Connection: close\r\n',
    'Connection: keep-alive, close\r\n',
    'Connection: upgrade\r\nUpgrade: h2c\r\n',
  ],
  ...[
    'Location: /a\r\n',
    'Set-Cookie: c=3\r\n',
    'X-Token: t\r\n',
    'X-Token: \xc3\xa4\r\n',
    ' folded: a\r\n',
    '\tfolded\r\n',
  ],
  ...[
    '3\r\nabc\r\n',
    '0\r\n\r\n',
    '0\r\nA: b\r\n\r\n',
    '3;a="b\r\n',
    'A\r\n0123456789\r\n',
    '00000000000000003\r\nabc\r\n',
  ],
  ...['FFFFFFFFFFFFFFFFF\r\n', '3 \r\n', '3\n', '0\r\n\n', '0\r\nA b\r\n\r\n'],
];

const LARGE_BYTES = 1024 * 1024;

/** Generates one response of an endless series; the same for the same seed and index. */
export function generateResponse(seed: number, index: number): Buffer {
  const random = new Random(seed, index);
  const kind = random.below(100);
  if (kind < 3) return randomBytes(random);
  const text =
    kind < 25 ? assembleResponse(random) : mutateResponse(random, kind < 35 ? 0 : 1 + random.below(4));
  // One in 400 is large.
  return Buffer.from(random.below(400) === 0 ? enlargeResponse(random, text) : text, 'latin1');
}

/** Returns random bytes, sometimes after a valid header section. */
function randomBytes(random: Random): Buffer {
  const size = 1 + random.below(2 ** (1 + random.below(random.below(50) === 0 ? 20 : 10)));
  const head = pick(random, [
    '',
    '',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
  ]);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) bytes[at] = random.below(256);
  return Buffer.concat([Buffer.from(head), bytes]);
}

function assembleResponse(random: Random): string {
  let text = random.below(4) === 0 ? '' : 'HTTP/1.1 200 OK\r\n';
  for (let left = random.below(8); left > 0; left--) text += pick(random, TOKENS);
  if (random.below(3) > 0) text += '\r\n';
  for (let left = random.below(4); left > 0; left--) text += pick(random, TOKENS);
  return text;
}

function mutateResponse(random: Random, changes: number): string {
  let text = pick(random, RECORDED_RESPONSES);
  for (let left = changes; left > 0; left--) text = mutateText(random, text);
  return text;
}

function mutateText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const lines = text.split('\r\n');
  const line = random.below(lines.length);
  switch (random.below(12)) {
    case 0:
      return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.below(3));
    case 2:
      return text.slice(0, at) + pick(random, TOKENS) + text.slice(at);
    case 3:
      return [...lines.slice(0, line), lines[line] ?? '', ...lines.slice(line)].join('\r\n');
    case 4:
      return [...lines.slice(0, line), ...lines.slice(line + 1)].join('\r\n');
    case 5:
      return text.slice(0, at);
    case 6:
      return text + pick(random, RECORDED_RESPONSES);
    case 7:
      return text.slice(0, at) + pick(random, RECORDED_RESPONSES).slice(random.below(200));
    case 8:
      return text.replace(/\d+/g, (digits) => (random.below(6) === 0 ? String(random.below(1200)) : digits));
    case 9:
      return (
        text.slice(0, at) +
        text.slice(at).replace('\r\n', pick(random, ['\n', '\r', '\r\r\n', '\r\n ', ' \r\n', '\r\n\t']))
      );
    case 10:
      // As a separate line in place of a header.
      return [...lines.slice(0, line), pick(random, TOKENS).trimEnd(), ...lines.slice(line)].join('\r\n');
    default:
      return text.slice(0, at) + swapCase(text.slice(at, at + 12)) + text.slice(at + 12);
  }
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
}

/** Enlarges a response: its body, a header, the number of headers, chunks or interim responses. */
function enlargeResponse(random: Random, text: string): string {
  const size = 2 ** (8 + random.below(13));
  const fill = 'x'.repeat(Math.min(size, LARGE_BYTES));
  const few = Math.min(size >> 3, 4096);
  switch (random.below(6)) {
    case 0:
      return `HTTP/1.1 200 OK\r\nContent-Length: ${fill.length}\r\n\r\n${fill}`;
    case 1:
      return text.replace('\r\n', `\r\nX-Large: ${fill}\r\n`);
    case 2:
      return text.replace('\r\n', `\r\n${'A: b\r\n'.repeat(few)}`);
    case 3:
      return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(few)}0\r\n\r\n`;
    case 4:
      return 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'.repeat(random.below(40)) + text;
    default:
      return text + fill;
  }
}

function pick<T>(random: Random, list: readonly T[]): T {
  const one = list[random.below(list.length)];
  if (one === undefined) throw new Error('the list is empty');
  return one;
}

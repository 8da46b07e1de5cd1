import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeaderCache } from '../../../src/engine/header-cache.ts';
import { DONE, MORE, ResponseParser } from '../../../src/engine/response-parser.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Options of the parser. */
interface ParseOptions {
  readonly headerNames: readonly Buffer[];
  readonly capturesCookies: boolean;
}

const namesOf = (...names: string[]): Buffer[] => names.map((name) => Buffer.from(name));

const NO_OPTIONS: ParseOptions = { headerNames: [], capturesCookies: false };
const OPTION_SETS: readonly ParseOptions[] = [
  NO_OPTIONS,
  { headerNames: [], capturesCookies: true },
  { headerNames: namesOf('x-token', 'date', 'x-token'), capturesCookies: true },
  { headerNames: namesOf('content-length', 'set-cookie', 'location', 'connection'), capturesCookies: false },
];

const buffer = Buffer.alloc(64 * 1024);

/**
 * Parses the parts, as latin1 characters, in one buffer that is overwritten between them, like the buffer of
 * the engine.
 */
function read(
  { headerNames, capturesCookies }: ParseOptions,
  parts: readonly string[],
  cache: HeaderCache | null,
): unknown {
  const parser = new ResponseParser();
  parser.begin(headerNames, capturesCookies, cache);
  let outcome = MORE;
  let consumed = 0;
  for (const part of parts) {
    if (outcome !== MORE) break;
    consumed += part.length;
    buffer.fill('\r\n', 0, 20_000);
    outcome = parser.feed(buffer, buffer.write(part, 'latin1'));
  }
  if (outcome === MORE) outcome = parser.finish();
  return {
    outcome: outcome === DONE ? 'done' : parser.fault,
    status: parser.status,
    close: parser.mustClose,
    consumed,
    // A refused response has no values.
    values:
      outcome === DONE
        ? [
            [...parser.captured],
            parser.location,
            parser.setCookies,
            parser.hasCookiesOrRedirect,
            parser.hasRetryAfter,
          ]
        : null,
  };
}

/** Reports whether a header matches the cached one. */
function matchesCache(cache: HeaderCache, bytes: string): boolean {
  return cache.match(buffer, buffer.write(bytes, 'latin1')) > 0;
}

const BODY = 'abcdefghijklmnop';
const headerSection = (...lines: string[]): string => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;
const withHeader = (line: string): string =>
  headerSection('Server: s', 'Content-Length: 3', line, 'Connection: keep-alive', 'X-Pad: pad') +
  BODY.slice(0, 3);
const redirectWith = (line: string): string =>
  `HTTP/1.1 302 Found\r\nServer: s\r\n${line}\r\nContent-Length: 0\r\nX-Pad: pad\r\n\r\n`;
const longHeader = (count: number, id: string): string =>
  headerSection(
    `X-First: ${id}`,
    ...Array.from({ length: count }, (_, at) => `X-Pad-${at}: ${'p'.repeat(50)}`),
  ) + BODY;

describe('a header that differs from the cached one', () => {
  const headerNames = namesOf('x-token');

  test.each([
    ['no difference', withHeader('A: b'), withHeader('A: b'), true],
    [
      'a different date',
      withHeader('Date: Sat, 21 Nov 2026 07:31:59 GMT'),
      withHeader('Date: Sat, 21 Nov 2026 07:32:00 GMT'),
      true,
    ],
    ['a longer value', withHeader('X-Id: 9'), withHeader('X-Id: 10'), true],
    ['a shorter value', withHeader('X-Id: 10'), withHeader('X-Id: 9'), true],
    ['an empty value', withHeader('X-Id: 10'), withHeader('X-Id:'), true],
    ['different whitespace before the value', withHeader('X-Id: 1'), withHeader('X-Id:\t1'), true],
    ['a different non-ASCII value', withHeader('X-Id: \xe4'), withHeader('X-Id: \xf6\xf6'), true],
    ['a different cookie', withHeader('Set-Cookie: a=1'), withHeader('Set-Cookie: a=22'), true],
    ['a different captured value', withHeader('X-Token: 1'), withHeader('X-Token: 22'), true],
    ['a different Retry-After value', withHeader('Retry-After: 9'), withHeader('Retry-After: 10'), true],
    ['a different Location', redirectWith('Location: /a'), redirectWith('Location: /bc'), true],
    [
      'a different body length',
      `${headerSection('Content-Length: 9')}123456789`,
      `${headerSection('Content-Length: 10')}1234567890`,
      true,
    ],
    [
      'an invalid length',
      `${headerSection('Content-Length: 9')}123456789`,
      `${headerSection('Content-Length: 1x')}1234567890`,
      true,
    ],
    [
      'a different Connection header',
      withHeader('Connection: keep-alive'),
      withHeader('Connection: close'),
      false,
    ],
    [
      'a different coding',
      `${headerSection('Transfer-Encoding: chunked')}0\r\n\r\n`,
      `${headerSection('Transfer-Encoding: gzip')}0\r\n\r\n`,
      false,
    ],
    ['a difference at the start of 8 KiB', longHeader(130, '1'), longHeader(130, '22'), true],
    ['no difference in 15 KiB', longHeader(240, '1'), longHeader(240, '1'), true],
    ['a different status', withHeader('A: b'), withHeader('A: b').replace('200', '204'), false],
    ['a different reason', withHeader('A: b'), withHeader('A: b').replace('OK', 'Good'), false],
    ['a different name', withHeader('A: b'), withHeader('C: b'), false],
    ['a different case of a name', withHeader('A: b'), withHeader('a: b'), false],
    ['a longer name', withHeader('A: b'), withHeader('Aa: b'), false],
    ['an additional line', withHeader('A: b'), withHeader('A: b\r\nA: b'), false],
    ['a missing line', withHeader('A: b\r\nA: b'), withHeader('A: b'), false],
    ['an additional last line', headerSection('A: b'), headerSection('A: b', 'C: d'), false],
    ['a folded line', withHeader('A: b'), withHeader('A: b\r\n c'), false],
    ['a bare CR', withHeader('A: b'), withHeader('A: b\rc'), false],
    ['a bare CR at the end of a line', withHeader('A: b'), withHeader('A: b\r'), false],
    ['a bare LF', withHeader('A: b'), withHeader('A: b\nc'), false],
    ['a NUL', withHeader('A: b'), withHeader('A: b\0'), false],
    ['a DEL', withHeader('A: b'), withHeader('A: \x7f'), false],
    ['a size above the limit', longHeader(230, '1'), longHeader(230, '1'.repeat(3000)), true],
  ])(
    'after a cached header, a header with %s is parsed identically with and without the cache',
    (_what, first, second, isMatch) => {
      for (const options of [NO_OPTIONS, { headerNames, capturesCookies: true }]) {
        const cache = new HeaderCache(buffer);
        expect(read(options, [first], cache)).toEqual(read(options, [first], null));
        expect(matchesCache(cache, first)).toBe(true);
        expect(matchesCache(cache, second)).toBe(isMatch);
        expect(read(options, [second], cache)).toEqual(read(options, [second], null));
        expect(read(options, [first], cache)).toEqual(read(options, [first], null));
      }
    },
  );

  const http10Header = (...lines: string[]): string =>
    headerSection('Connection: keep-alive', ...lines).replace('HTTP/1.1', 'HTTP/1.0');
  const interimResponse = 'HTTP/1.1 103 X\r\nContent-Length: 0\r\n\r\n';

  test.each([
    ['HTTP/1.0 and keep-alive', (text: string) => http10Header(`Content-Length: ${text}`)],
    ['HTTP/1.0 and chunks', (text: string) => http10Header('Transfer-Encoding: chunked', `X-Token: ${text}`)],
    ['no body', (text: string) => headerSection(`Content-Length: ${text}`).replace('200', '204')],
    [
      'an interim response',
      (text: string) => interimResponse + headerSection(`X-Token: ${text}`, 'Content-Length: 5'),
    ],
    ['a folded line', (text: string) => headerSection('X-Pad: a', ` b: ${text}`, 'Content-Length: 5')],
    [
      'a folded captured line',
      (text: string) => headerSection(`X-Token: ${text}`, ' b', 'Content-Length: 5'),
    ],
  ])(
    'in consecutive responses with %s, a changing header value is parsed identically with and without a cache',
    (_what, createHeader) => {
      for (const options of OPTION_SETS) {
        const cache = new HeaderCache(buffer);
        for (const value of ['1', '5', '05', '2', '', '10', '\x80', '5']) {
          const parts = [`${createHeader(value)}0\r\n\r\n`];
          expect(read(options, parts, cache)).toEqual(read(options, parts, null));
        }
      }
    },
  );

  test('a header that differs from the cached header in any single bit is parsed identically with and without a cache', () => {
    for (const options of OPTION_SETS) {
      const first = headerSection(
        `X-Pad: ${'\x80'.repeat(20)}`,
        'Connection: keep-alive',
        'X-Token: a',
        'Set-Cookie: a=1',
        'Content-Length: 9',
      );
      for (let bit = 0; bit < first.length * 8; bit++) {
        const cache = new HeaderCache(buffer);
        read(options, [first + BODY], cache);
        const bytes = Buffer.from(first + BODY, 'latin1');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const second = bytes.toString('latin1');
        expect({ bit, read: read(options, [second], cache) }).toEqual({
          bit,
          read: read(options, [second], null),
        });
      }
    }
  });

  test('a changed header that 300 consecutive responses contain replaces the cached header', () => {
    const cache = new HeaderCache(buffer);
    const options = { headerNames, capturesCookies: false };
    const [first, second] = [withHeader('X-Token: 1'), withHeader('X-Token: 2')];
    read(options, [first], cache);
    expect(matchesCache(cache, second) && cache.hasChanges).toBe(true);
    for (let count = 0; count < 300; count++) read(options, [second], cache);
    expect(matchesCache(cache, second) && !cache.hasChanges).toBe(true);
  });
});

describe('a sequence of responses', () => {
  const value = fc.oneof(
    fc.constantFrom(
      '',
      '0',
      '3',
      '16',
      'close',
      'keep-alive',
      'chunked',
      'gzip, chunked',
      'a=1; Path=/',
      '/there',
      '1 2',
    ),
    fc
      .array(fc.constantFrom('a', 'B', '7', ' ', '\t', ',', '"', '\x80', '\xff'), { maxLength: 40 })
      .map((all) => all.join('')),
  );
  const name = fc.constantFrom(
    ...['Date', 'Server', 'X-Id', 'X-Token', 'x-token', 'X-Pad', 'Vary'],
    ...['Content-Length', 'content-length', 'Transfer-Encoding', 'Connection', 'Location', 'Set-Cookie'],
  );
  const line = fc.tuple(name, value).map(([header, text]) => `${header}: ${text}`);
  const status = fc.constantFrom(
    'HTTP/1.1 200 OK',
    'HTTP/1.1 302 Found',
    'HTTP/1.1 204 X',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 103 Early',
    'HTTP/1.1 103 Early\r\nLink: a\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK',
  );
  const ends = fc.constantFrom(
    'Content-Length: 16',
    'Content-Length: 3',
    'Transfer-Encoding: chunked',
    'X-Pad: p',
  );
  const lines = fc
    .tuple(status, fc.array(line, { maxLength: 12 }), ends)
    .map(([first, middle, last]) => [first, ...middle, last]);
  /** Changes of the previous response. Usually one line has a different value. */
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('value'), at: fc.nat(20), text: value }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('line', 'add', 'drop', 'swap'),
        at: fc.nat(20),
        text: line,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('byte', 'insert', 'delete'),
        at: fc.nat(400),
        text: fc.constantFrom('a', ' ', ':', '\r', '\n', '\r\n', '\r\n ', '\0', '\x7f', '\xff', '9', ','),
      }),
    },
  );
  const bodies = fc.constantFrom('', '3\r\nabc\r\n0\r\n\r\n', BODY, BODY.slice(0, 3));
  const responses = fc.tuple(
    lines,
    bodies,
    fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 12 }),
  );

  function applyChanges(
    before: readonly string[],
    changes: readonly { kind: string; at: number; text: string }[],
  ) {
    const lines = [...before];
    let bytes: { at: number; kind: string; text: string } | null = null;
    for (const { kind, at, text } of changes) {
      const index = 1 + (at % Math.max(1, lines.length - 1));
      const line = lines[index] ?? '';
      if (kind === 'value') lines[index] = `${line.slice(0, line.indexOf(':') + 1)} ${text}`;
      else if (kind === 'line') lines[index] = text;
      else if (kind === 'add') lines.splice(index, 0, text);
      else if (kind === 'drop') lines.splice(index, 1);
      else if (kind === 'swap') lines.push(...lines.splice(index, 1));
      else bytes = { at, kind, text };
    }
    return { after: lines, bytes };
  }

  /** Generates a sequence of responses, each a changed form of the previous one. */
  function* sequence([first, body, steps]: typeof responses extends fc.Arbitrary<infer T>
    ? T
    : never): Generator<string> {
    let current: readonly string[] = first;
    const currentResponse = (): string => `${current.join('\r\n')}\r\n\r\n${body}`;
    yield currentResponse();
    for (const step of steps) {
      const { after: lines, bytes } = applyChanges(current, step);
      current = lines;
      if (bytes === null) yield currentResponse();
      else {
        const { at, kind, text } = bytes;
        const end = kind === 'insert' ? at : at + text.length;
        yield currentResponse().slice(0, at) + (kind === 'delete' ? '' : text) + currentResponse().slice(end);
      }
    }
  }

  test('each response of a sequence is parsed identically with and without a cache, in one or two parts', () => {
    let matchCount = 0;
    let responseCount = 0;
    fc.assert(
      fc.property(fc.constantFrom(...OPTION_SETS), responses, fc.nat(600), (options, steps, splitAt) => {
        const cache = new HeaderCache(buffer);
        for (const bytes of sequence(steps)) {
          for (const parts of [[bytes], [bytes.slice(0, splitAt), bytes.slice(splitAt)], [bytes]]) {
            if (parts[0] === '') continue;
            if (matchesCache(cache, parts[0] ?? '')) matchCount++;
            responseCount++;
            expect(read(options, parts, cache)).toEqual(read(options, parts, null));
          }
        }
      }),
      { numRuns: scaleCount(2000) },
    );
    expect(matchCount).toBeGreaterThan(responseCount / 10);
  });

  test('with a cached header, a response split at any byte has the same result as the unsplit response without a cache', () => {
    const first = withHeader('X-Token: 1');
    const second = withHeader('X-Token: 22');
    for (const options of OPTION_SETS) {
      const cache = new HeaderCache(buffer);
      read(options, [first], cache);
      const expected = read(options, [second], null);
      for (let at = 1; at < second.length; at++) {
        const parts = [second.slice(0, at), second.slice(at)];
        expect({ at, ...(read(options, parts, cache) as object) }).toEqual({
          at,
          ...(expected as object),
          consumed: second.length,
        });
      }
    }
  });
});

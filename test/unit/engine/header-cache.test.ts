import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeaderCache } from '../../../src/engine/header-cache.ts';
import { DONE, MORE, ResponseParser } from '../../../src/engine/response-parser.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** What answers are read for. */
interface Purpose {
  readonly wanted: readonly Buffer[];
  readonly cookies: boolean;
}

const namesOf = (...names: string[]): Buffer[] => names.map((name) => Buffer.from(name));

const NOTHING: Purpose = { wanted: [], cookies: false };
const PURPOSES: readonly Purpose[] = [
  NOTHING,
  { wanted: [], cookies: true },
  { wanted: namesOf('x-token', 'date', 'x-token'), cookies: true },
  { wanted: namesOf('content-length', 'set-cookie', 'location', 'connection'), cookies: false },
];

const buffer = Buffer.alloc(64 * 1024);

/** Parts as latin1 characters, through one buffer that is spoilt in between as the engine's is. */
function read({ wanted, cookies }: Purpose, parts: readonly string[], known: HeaderCache | null): unknown {
  const parser = new ResponseParser();
  parser.begin(wanted, cookies, known);
  let outcome = MORE;
  let taken = 0;
  for (const part of parts) {
    if (outcome !== MORE) break;
    taken += part.length;
    buffer.fill('\r\n', 0, 20_000);
    outcome = parser.feed(buffer, buffer.write(part, 'latin1'));
  }
  if (outcome === MORE) outcome = parser.finish();
  return {
    outcome: outcome === DONE ? 'taken' : parser.fault,
    status: parser.status,
    close: parser.mustClose,
    taken,
    // Of an answer that is refused nobody takes a value.
    values:
      outcome === DONE
        ? [[...parser.captured], parser.location, parser.setCookies, parser.hasCookiesOrRedirect]
        : null,
  };
}

/** Whether a head is read as an earlier one but for what its lines say. */
function isKnown(known: HeaderCache, bytes: string): boolean {
  return known.match(buffer, buffer.write(bytes, 'latin1')) > 0;
}

const BODY = 'abcdefghijklmnop';
const head = (...lines: string[]): string => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;
const around = (line: string): string =>
  head('Server: s', 'Content-Length: 3', line, 'Connection: keep-alive', 'X-Pad: pad') + BODY.slice(0, 3);
const found = (line: string): string =>
  `HTTP/1.1 302 Found\r\nServer: s\r\n${line}\r\nContent-Length: 0\r\nX-Pad: pad\r\n\r\n`;
const pads = (count: number, id: string): string =>
  head(`X-First: ${id}`, ...Array.from({ length: count }, (_, at) => `X-Pad-${at}: ${'p'.repeat(50)}`)) +
  BODY;

describe('a head that differs from an earlier one', () => {
  const wanted = namesOf('x-token');

  test.each([
    ['in nothing', around('A: b'), around('A: b'), true],
    [
      'in its date',
      around('Date: Sat, 21 Nov 2026 07:31:59 GMT'),
      around('Date: Sat, 21 Nov 2026 07:32:00 GMT'),
      true,
    ],
    ['in a longer value', around('X-Id: 9'), around('X-Id: 10'), true],
    ['in a shorter value', around('X-Id: 10'), around('X-Id: 9'), true],
    ['in a value that is gone', around('X-Id: 10'), around('X-Id:'), true],
    ['in a value that begins with another blank', around('X-Id: 1'), around('X-Id:\t1'), true],
    ['in a value beyond ASCII', around('X-Id: \xe4'), around('X-Id: \xf6\xf6'), true],
    ['in a cookie', around('Set-Cookie: a=1'), around('Set-Cookie: a=22'), true],
    ['in a header that is wanted', around('X-Token: 1'), around('X-Token: 22'), true],
    ['in where it leads', found('Location: /a'), found('Location: /bc'), true],
    [
      'in the length of its body',
      `${head('Content-Length: 9')}123456789`,
      `${head('Content-Length: 10')}1234567890`,
      true,
    ],
    [
      'in a length that is none',
      `${head('Content-Length: 9')}123456789`,
      `${head('Content-Length: 1x')}1234567890`,
      true,
    ],
    ['in whether it closes', around('Connection: keep-alive'), around('Connection: close'), false],
    [
      'in its coding',
      `${head('Transfer-Encoding: chunked')}0\r\n\r\n`,
      `${head('Transfer-Encoding: gzip')}0\r\n\r\n`,
      false,
    ],
    ['in the first line of 8 KiB', pads(130, '1'), pads(130, '22'), true],
    ['in nothing, with 15 KiB', pads(240, '1'), pads(240, '1'), true],
    ['in its status', around('A: b'), around('A: b').replace('200', '204'), false],
    ['in its reason', around('A: b'), around('A: b').replace('OK', 'Good'), false],
    ['in a name', around('A: b'), around('C: b'), false],
    ['in the case of a name', around('A: b'), around('a: b'), false],
    ['in a longer name', around('A: b'), around('Aa: b'), false],
    ['in one more line', around('A: b'), around('A: b\r\nA: b'), false],
    ['in one line fewer', around('A: b\r\nA: b'), around('A: b'), false],
    ['in one more line at its end', head('A: b'), head('A: b', 'C: d'), false],
    ['in a folded line', around('A: b'), around('A: b\r\n c'), false],
    ['in a bare CR', around('A: b'), around('A: b\rc'), false],
    ['in a bare CR at the end of a line', around('A: b'), around('A: b\r'), false],
    ['in a bare LF', around('A: b'), around('A: b\nc'), false],
    ['in a NUL', around('A: b'), around('A: b\0'), false],
    ['in a DEL', around('A: b'), around('A: \x7f'), false],
    ['in more than a head may have', pads(230, '1'), pads(230, '1'.repeat(3000)), true],
  ])('%s', (_what, first, second, isReadAround) => {
    for (const purpose of [NOTHING, { wanted, cookies: true }]) {
      const known = new HeaderCache(buffer);
      expect(read(purpose, [first], known)).toEqual(read(purpose, [first], null));
      expect(isKnown(known, first)).toBe(true);
      expect(isKnown(known, second)).toBe(isReadAround);
      expect(read(purpose, [second], known)).toEqual(read(purpose, [second], null));
      expect(read(purpose, [first], known)).toEqual(read(purpose, [first], null));
    }
  });

  const old = (...lines: string[]): string =>
    head('Connection: keep-alive', ...lines).replace('HTTP/1.1', 'HTTP/1.0');
  const early = 'HTTP/1.1 103 X\r\nContent-Length: 0\r\n\r\n';

  test.each([
    ['HTTP/1.0, kept', (said: string) => old(`Content-Length: ${said}`)],
    ['HTTP/1.0, chunked', (said: string) => old('Transfer-Encoding: chunked', `X-Token: ${said}`)],
    ['no body', (said: string) => head(`Content-Length: ${said}`).replace('200', '204')],
    ['an interim answer', (said: string) => early + head(`X-Token: ${said}`, 'Content-Length: 5')],
    ['a folded line', (said: string) => head('X-Pad: a', ` b: ${said}`, 'Content-Length: 5')],
    ['a wanted line folded', (said: string) => head(`X-Token: ${said}`, ' b', 'Content-Length: 5')],
  ])('in what a line says, with %s, reads as if nothing were known', (_what, make) => {
    for (const purpose of PURPOSES) {
      const known = new HeaderCache(buffer);
      for (const said of ['1', '5', '05', '2', '', '10', '\x80', '5']) {
        const parts = [`${make(said)}0\r\n\r\n`];
        expect(read(purpose, parts, known)).toEqual(read(purpose, parts, null));
      }
    }
  });

  test('by one bit, anywhere, reads as if nothing were known', () => {
    for (const purpose of PURPOSES) {
      const first = head(
        `X-Pad: ${'\x80'.repeat(20)}`,
        'Connection: keep-alive',
        'X-Token: a',
        'Set-Cookie: a=1',
        'Content-Length: 9',
      );
      for (let bit = 0; bit < first.length * 8; bit++) {
        const known = new HeaderCache(buffer);
        read(purpose, [first + BODY], known);
        const bytes = Buffer.from(first + BODY, 'latin1');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const second = bytes.toString('latin1');
        expect({ bit, read: read(purpose, [second], known) }).toEqual({
          bit,
          read: read(purpose, [second], null),
        });
      }
    }
  });

  test('is compared with the newer one when it goes on to differ', () => {
    const known = new HeaderCache(buffer);
    const purpose = { wanted, cookies: false };
    const [older, newer] = [around('X-Token: 1'), around('X-Token: 2')];
    read(purpose, [older], known);
    expect(isKnown(known, newer) && known.hasChanges).toBe(true);
    for (let count = 0; count < 300; count++) read(purpose, [newer], known);
    expect(isKnown(known, newer) && !known.hasChanges).toBe(true);
  });
});

describe('whatever answers follow one another', () => {
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
  const line = fc.tuple(name, value).map(([one, said]) => `${one}: ${said}`);
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
  /** What happens to the lines of the answer before: mostly, one of them says something else. */
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

  function changed(
    before: readonly string[],
    changes: readonly { kind: string; at: number; text: string }[],
  ) {
    const after = [...before];
    let bytes: { at: number; kind: string; text: string } | null = null;
    for (const { kind, at, text } of changes) {
      const index = 1 + (at % Math.max(1, after.length - 1));
      const old = after[index] ?? '';
      if (kind === 'value') after[index] = `${old.slice(0, old.indexOf(':') + 1)} ${text}`;
      else if (kind === 'line') after[index] = text;
      else if (kind === 'add') after.splice(index, 0, text);
      else if (kind === 'drop') after.splice(index, 1);
      else if (kind === 'swap') after.push(...after.splice(index, 1));
      else bytes = { at, kind, text };
    }
    return { after, bytes };
  }

  /** Every answer of a sequence, each a changed form of the one before. */
  function* sequence([first, body, steps]: typeof responses extends fc.Arbitrary<infer T>
    ? T
    : never): Generator<string> {
    let current: readonly string[] = first;
    const whole = (): string => `${current.join('\r\n')}\r\n\r\n${body}`;
    yield whole();
    for (const step of steps) {
      const { after, bytes } = changed(current, step);
      current = after;
      if (bytes === null) yield whole();
      else {
        const { at, kind, text } = bytes;
        const behind = kind === 'insert' ? at : at + text.length;
        yield whole().slice(0, at) + (kind === 'delete' ? '' : text) + whole().slice(behind);
      }
    }
  }

  test('each is read as if nothing were known, split or not', () => {
    let recalled = 0;
    let answered = 0;
    fc.assert(
      fc.property(fc.constantFrom(...PURPOSES), responses, fc.nat(600), (purpose, made, cut) => {
        const known = new HeaderCache(buffer);
        for (const bytes of sequence(made)) {
          for (const parts of [[bytes], [bytes.slice(0, cut), bytes.slice(cut)], [bytes]]) {
            if (parts[0] === '') continue;
            if (isKnown(known, parts[0] ?? '')) recalled++;
            answered++;
            expect(read(purpose, parts, known)).toEqual(read(purpose, parts, null));
          }
        }
      }),
      { numRuns: scaleCount(2000) },
    );
    expect(recalled).toBeGreaterThan(answered / 10);
  });

  test('an answer that is split at any byte reads the same beside one that is known', () => {
    const first = around('X-Token: 1');
    const second = around('X-Token: 22');
    for (const purpose of PURPOSES) {
      const known = new HeaderCache(buffer);
      read(purpose, [first], known);
      const expected = read(purpose, [second], null);
      for (let at = 1; at < second.length; at++) {
        const parts = [second.slice(0, at), second.slice(at)];
        expect({ at, ...(read(purpose, parts, known) as object) }).toEqual({
          at,
          ...(expected as object),
          taken: second.length,
        });
      }
    }
  });
});

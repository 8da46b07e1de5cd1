/** Fifty thousand made-up answers: no crash, no matter how they are cut, and Node's parser agrees or is known not to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DONE, MORE, ResponseParser } from '../../../src/engine/response-parser.ts';
import { RECORDED_RESPONSES } from '../../support/sample-responses.ts';
import { measureUsedBytes } from '../../support/used-memory.ts';
import { startBundledChild, type BundledChild } from '../../support/bundled-child.ts';
import type { FuzzReport } from '../../support/parser-fuzz.ts';
import type { FuzzArguments } from '../../support/parser-fuzz-child.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Another one looks elsewhere; the benchmark's row `parser` takes a new one each time. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const CASES = scaleCount(50_000);
const BLOCK = 10_000;
const BLOCKS = Array.from({ length: Math.ceil(CASES / BLOCK) }, (_, block) => {
  const from = block * BLOCK;
  return [from, Math.min(CASES, from + BLOCK)] as const;
});

describe('made-up answers', () => {
  const outcomes = new Set<string>();

  let child: BundledChild;
  const play = async (...order: FuzzArguments): Promise<FuzzReport> => {
    child.process.send(order);
    // What the child sends is what its own type says.
    return (await child.messages()) as FuzzReport;
  };

  // Bundled, and in a process of its own, it takes less CPU, and its memory is nobody else's.
  beforeAll(async () => {
    child = await startBundledChild('parser-fuzz-child.ts');
    // The first ones leave compiled code behind, which is not theirs to keep.
    await play(SEED, CASES, 500);
  });
  afterAll(() => child.close());

  test.each(BLOCKS)(
    'from case %i up to %i they read the same in any pieces, and as Node reads them',
    async (from, upTo) => {
      const report = await play(SEED, from, upTo - from);
      expect(report.faults.join('\n')).toBe('');
      expect(report.slowestMs).toBeLessThan(1000);
      expect(report.keptBytes).toBeLessThan(16 * 1024 * 1024);
      for (const outcome of Object.keys(report.outcomes)) outcomes.add(outcome);
    },
  );

  // Rare ones need many.
  test.skipIf(CASES < 50_000)('they end in every way that there is', () => {
    expect([...outcomes].sort()).toEqual([
      'chunk',
      'content_length',
      'header',
      'header_too_large',
      'length_and_encoding',
      'status_line',
      'switching_protocols',
      'taken',
      'too_many_interim',
      'transfer_encoding',
      'truncated',
    ]);
  });
});

test('what servers send is taken', () => {
  const parser = new ResponseParser();
  const refused = RECORDED_RESPONSES.filter((text) => {
    parser.begin([], true);
    const outcome = parser.feed(Buffer.from(text, 'latin1'), text.length);
    return (outcome === MORE ? parser.finish() : outcome) !== DONE;
  });
  expect(refused).toEqual([]);
});

describe('what does not end', () => {
  const piece = (text: string): Buffer => Buffer.alloc(64 * 1024, text);
  const head = 'HTTP/1.1 200 OK\r\n';

  test.each([
    ['a body with a length', `${head}Content-Length: 9007199254740991\r\n\r\n`, piece('x'), 'more'],
    ['a body until the end', `${head}\r\n`, piece('x'), 'more'],
    ['one chunk', `${head}Transfer-Encoding: chunked\r\n\r\n1FFFFFFFFFFFFF\r\n`, piece('x'), 'more'],
    ['chunks of a byte', `${head}Transfer-Encoding: chunked\r\n\r\n`, piece('3\r\nx\r\n\r\n'), 'more'],
    ['a chunk extension', `${head}Transfer-Encoding: chunked\r\n\r\n1;`, piece('x'), 'chunk'],
    ['trailers', `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n`, piece('A: bcd\r\n'), 'chunk'],
    ['a status line', 'HTTP/1.1 200 ', piece('x'), 'header_too_large'],
    ['a header', `${head}A: `, piece('x'), 'header_too_large'],
    ['headers', head, piece('A: bcd\r\n'), 'header_too_large'],
  ])('%s: 64 MiB of it are kept nowhere', (_name, start, more, outcome) => {
    const parser = new ResponseParser();
    parser.begin([Buffer.from('a')], true);
    const before = measureUsedBytes();
    let last = parser.feed(Buffer.from(start), start.length);
    const begun = performance.now();
    for (let left = 1024; left > 0 && last === MORE; left--) last = parser.feed(more, more.length);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(last === MORE ? 'more' : parser.fault).toBe(outcome);
    expect(measureUsedBytes() - before).toBeLessThan(1024 * 1024);
    expect(parser.status).toBeLessThanOrEqual(200);
  });
});

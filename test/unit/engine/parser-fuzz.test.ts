/**
 * Fuzz test of the response parser: 50,000 generated responses, split at random, compared with the parser of
 * Node.js except for known differences.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DONE, MORE, ResponseParser } from '../../../src/engine/response-parser.ts';
import { RECORDED_RESPONSES } from '../../support/sample-responses.ts';
import { measureCpuTime } from '../../support/cpu-time.ts';
import { measureUsedBytes } from '../../support/used-memory.ts';
import { startBundledChild, type BundledChild } from '../../support/bundled-child.ts';
import type { FuzzReport } from '../../support/parser-fuzz.ts';
import type { FuzzArguments } from '../../support/parser-fuzz-child.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Other seeds test other cases; the benchmark row `parser` uses a new one each time. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const CASES = scaleCount(50_000);
const BLOCK = 10_000;
const BLOCKS = Array.from({ length: Math.ceil(CASES / BLOCK) }, (_, block) => {
  const from = block * BLOCK;
  return [from, Math.min(CASES, from + BLOCK)] as const;
});

describe('generated responses', () => {
  const outcomes = new Set<string>();

  let child: BundledChild;
  const runCases = async (...args: FuzzArguments): Promise<FuzzReport> => {
    child.process.send(args);
    // The child sends messages of this type.
    return (await child.messages()) as FuzzReport;
  };

  // Bundled and in a separate process, the fuzzer needs less CPU, and its memory can be measured.
  beforeAll(async () => {
    child = await startBundledChild('parser-fuzz-child.ts');
    // The first cases leave compiled code in memory, which must not count.
    await runCases(SEED, CASES, 500);
  });
  afterAll(() => child.close());

  test.each(BLOCKS)(
    'apart from known differences, the parser and Node.js agree on generated responses %i to %i, which are split at random',
    async (from, end) => {
      const report = await runCases(SEED, from, end - from);
      expect(report.faults.join('\n')).toBe('');
      expect(report.maxCpuMs).toBeLessThan(1000);
      expect(report.keptBytes).toBeLessThan(16 * 1024 * 1024);
      for (const outcome of Object.keys(report.outcomes)) outcomes.add(outcome);
    },
  );

  // Rare outcomes need many cases.
  test.skipIf(CASES < 50_000)('the generated responses cover every outcome of the parser', () => {
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

test('the parser accepts responses that widely used servers send', () => {
  const parser = new ResponseParser();
  const refused = RECORDED_RESPONSES.filter((text) => {
    parser.begin([], true);
    const outcome = parser.feed(Buffer.from(text, 'latin1'), text.length);
    return (outcome === MORE ? parser.finish() : outcome) !== DONE;
  });
  expect(refused).toEqual([]);
});

describe('endless responses', () => {
  const filledBuffer = (text: string): Buffer => Buffer.alloc(64 * 1024, text);
  const statusLine = 'HTTP/1.1 200 OK\r\n';

  test.each([
    [
      'a body with a Content-Length',
      `${statusLine}Content-Length: 9007199254740991\r\n\r\n`,
      filledBuffer('x'),
      'more',
    ],
    ['a body until the connection closes', `${statusLine}\r\n`, filledBuffer('x'), 'more'],
    [
      'one chunk',
      `${statusLine}Transfer-Encoding: chunked\r\n\r\n1FFFFFFFFFFFFF\r\n`,
      filledBuffer('x'),
      'more',
    ],
    [
      'chunks of a few bytes',
      `${statusLine}Transfer-Encoding: chunked\r\n\r\n`,
      filledBuffer('3\r\nx\r\n\r\n'),
      'more',
    ],
    ['a chunk extension', `${statusLine}Transfer-Encoding: chunked\r\n\r\n1;`, filledBuffer('x'), 'chunk'],
    ['trailers', `${statusLine}Transfer-Encoding: chunked\r\n\r\n0\r\n`, filledBuffer('A: bcd\r\n'), 'chunk'],
    ['a status line', 'HTTP/1.1 200 ', filledBuffer('x'), 'header_too_large'],
    ['a header', `${statusLine}A: `, filledBuffer('x'), 'header_too_large'],
    ['headers', statusLine, filledBuffer('A: bcd\r\n'), 'header_too_large'],
  ])('the parser uses less than 1 MiB of memory for up to 4 MiB of %s', (_name, start, chunk, outcome) => {
    const parser = new ResponseParser();
    parser.begin([Buffer.from('a')], true);
    const before = measureUsedBytes();
    let last = parser.feed(Buffer.from(start), start.length);
    const cpuMs = measureCpuTime(() => {
      for (let remaining = 64; remaining > 0 && last === MORE; remaining--)
        last = parser.feed(chunk, chunk.length);
    });
    expect(cpuMs).toBeLessThan(2500);
    expect(last === MORE ? 'more' : parser.fault).toBe(outcome);
    expect(measureUsedBytes() - before).toBeLessThan(1024 * 1024);
    expect(parser.status).toBeLessThanOrEqual(200);
  });
});

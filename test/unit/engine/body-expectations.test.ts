/** Expectations on bodies, which are buffered within limits, with any segmentation, encoding and length. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyContaining, type Expectation } from '../../../src/core/model/expectation.ts';
import { decodeBody, parseBoundedJson } from '../../../src/engine/body-content.ts';
import {
  BodyBudget,
  createBudgetCell,
  releaseBudget,
  BufferedBody,
} from '../../../src/engine/buffered-body.ts';
import { DONE, MORE, ResponseParser } from '../../../src/engine/response-parser.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { openRawTarget } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const MIB = 1024 * 1024;

/** As latin1 characters that represent bytes. */
function responseWith(body: Buffer, ...headers: readonly string[]): string {
  const lines = ['HTTP/1.1 200 X', `Content-Length: ${body.length}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body.toString('latin1')}`;
}

async function ledgerFor(expectation: Partial<Expectation>, response: string) {
  const shop = await openRawTarget((_request, write) => write(response));
  const completeExpectation = { status: null, headers: null, body: null, json: null, ...expectation };
  const job = jobOf([targetOf(shop.port, { expect: completeExpectation })], {
    testType: 'non-cycling',
    total: 3,
    duration: 200,
  });
  const report = await runInVirtualTime(job, shop);
  const { success, unexpected } = report.total.ledger;
  expect(success + Object.values(unexpected).reduce((sum, count) => sum + count, 0)).toBe(
    shop.requests.length,
  );
  return { unexpected: Object.keys(unexpected), sample: report.errorSamples[0]?.error ?? null };
}

const BODY = Buffer.from('{"status": "paid", "a/b": [{"m~n": 42}], "no": null, "yes": true, "é": "ü"}');
const expectStatusValue = (value: string) => ({ json: [{ pointer: '/status', value }] });

const RESPONSES: readonly (readonly [
  name: string,
  expectation: Partial<Expectation>,
  response: string,
  fault: string | null,
])[] = [
  ['contains the expected string', { body: bodyContaining('"paid"') }, responseWith(BODY), null],
  ['contains the expected multi-byte string', { body: bodyContaining('ü') }, responseWith(BODY), null],
  ['lacks the expected string', { body: bodyContaining('refused') }, responseWith(BODY), 'body'],
  [
    'is empty although a string is expected',
    { body: bodyContaining('a') },
    responseWith(Buffer.alloc(0)),
    'body',
  ],
  ['has the expected JSON string', expectStatusValue('paid'), responseWith(BODY), null],
  ['has a different JSON string than expected', expectStatusValue('open'), responseWith(BODY), 'json'],
  [
    'has the expected value at an escaped JSON Pointer',
    { json: [{ pointer: '/a~1b/0/m~0n', value: 42 }] },
    responseWith(BODY),
    null,
  ],
  [
    'has a number although a string of its digits is expected',
    { json: [{ pointer: '/a~1b/0/m~0n', value: '42' }] },
    responseWith(BODY),
    'json',
  ],
  ['has the expected null value', { json: [{ pointer: '/no', value: null }] }, responseWith(BODY), null],
  [
    'lacks a member whose expected value is null',
    { json: [{ pointer: '/none', value: null }] },
    responseWith(BODY),
    'json',
  ],
  [
    'lacks an expected member that JavaScript objects inherit',
    { json: [{ pointer: '/__proto__', value: null }] },
    responseWith(BODY),
    'json',
  ],
  [
    'has an array, and a JSON Pointer expects its length',
    { json: [{ pointer: '/a~1b/length', value: 1 }] },
    responseWith(BODY),
    'json',
  ],
  [
    'is the expected JSON document after a byte order mark',
    { json: [{ pointer: '', value: 7 }] },
    responseWith(Buffer.from('\ufeff7')),
    null,
  ],
  [
    'is not JSON although a JSON value is expected',
    expectStatusValue('paid'),
    responseWith(Buffer.from('<p>paid</p>')),
    'json',
  ],
  [
    'has the expected JSON in gzip encoding',
    expectStatusValue('paid'),
    responseWith(gzipSync(BODY), 'Content-Encoding: GZIP'),
    null,
  ],
  [
    'has the expected JSON in deflate encoding',
    expectStatusValue('paid'),
    responseWith(deflateSync(BODY), 'Content-Encoding: deflate'),
    null,
  ],
  [
    'has the expected JSON in deflate encoding without a zlib header',
    expectStatusValue('paid'),
    responseWith(deflateRawSync(BODY), 'Content-Encoding: deflate'),
    null,
  ],
  [
    'has the expected JSON in br encoding',
    expectStatusValue('paid'),
    responseWith(brotliCompressSync(BODY), 'Content-Encoding: br'),
    null,
  ],
  [
    'lacks the declared gzip encoding',
    expectStatusValue('paid'),
    responseWith(BODY, 'Content-Encoding: gzip'),
    'coding',
  ],
  [
    'is truncated gzip data',
    expectStatusValue('paid'),
    responseWith(gzipSync(BODY).subarray(0, 40), 'Content-Encoding: gzip'),
    'coding',
  ],
  [
    'has an unknown encoding',
    expectStatusValue('paid'),
    responseWith(BODY, 'Content-Encoding: hush'),
    'coding',
  ],
  [
    'is a decompression bomb',
    expectStatusValue('paid'),
    responseWith(gzipSync(Buffer.alloc(20 * MIB)), 'Content-Encoding: gzip'),
    'coding',
  ],
  [
    'exceeds 1 MiB by one byte',
    { body: bodyContaining('a') },
    responseWith(Buffer.alloc(MIB + 1, 'a')),
    'size',
  ],
  [
    'has exactly 1 MiB and contains the expected string',
    { body: bodyContaining('a') },
    responseWith(Buffer.alloc(MIB, 'a')),
    null,
  ],
  [
    'lacks the expected string and the status is also unexpected',
    { status: [201], body: bodyContaining('a') },
    responseWith(Buffer.alloc(0)),
    'status',
  ],
];

test.each(
  RESPONSES.map((row) => [row[3] === null ? 'a success' : `unexpected (${row[3]})`, ...row] as const),
)('a response counts as %s if its body %s', async (_found, _name, expectation, response, fault) => {
  const { unexpected, sample } = await ledgerFor(expectation, response);
  expect(unexpected).toEqual(fault === null ? [] : [fault]);
  expect(sample === null).toBe(fault === null);
  // The response may contain secrets, and samples are shared.
  expect(sample ?? '').not.toContain('hush');
});

const createBudget = (maxBytes?: number) => {
  const cells = { all: createBudgetCell(), own: createBudgetCell() };
  const reservedBytes = () => new Int32Array(cells.all)[0];
  return { cells, reservedBytes, budget: new BodyBudget(cells, maxBytes) };
};

/** Returns the buffered body of a response whose segments end at `ends`, all in one buffer. */
function bufferedBodyOf(bytes: Buffer, ends: readonly number[], body: BufferedBody): Buffer | null {
  const parser = new ResponseParser();
  const shared = Buffer.alloc(64 * 1024);
  parser.begin([], false);
  body.release();
  parser.body = body;
  let from = 0;
  for (const end of [...new Set([...ends.map((position) => position % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  )) {
    if (end === from) continue;
    bytes.copy(shared, 0, from, end);
    if (parser.feed(shared, end - from) === DONE) return Buffer.from(body.content());
    // The next segment overwrites the same memory.
    shared.fill(0);
    from = end;
  }
  return parser.finish() === DONE ? Buffer.from(body.content()) : null;
}

describe('a buffered body', () => {
  const content = fc.uint8Array({ maxLength: 20_000 }).map((bytes) => Buffer.from(bytes));
  const statusLine = 'HTTP/1.1 200 OK\r\n';
  const framing = fc.constantFrom(
    (body: Buffer) =>
      Buffer.concat([Buffer.from(`${statusLine}Content-Length: ${body.length}\r\n\r\n`), body]),
    (body: Buffer) => Buffer.concat([Buffer.from(`${statusLine}\r\n`), body]),
    (body: Buffer) => {
      const chunks = [body.subarray(0, 7), body.subarray(7, 1000), body.subarray(1000)];
      const encodedChunks = chunks
        .filter((chunk) => chunk.length > 0)
        .flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
      const header = Buffer.from(`${statusLine}Transfer-Encoding: chunked\r\n\r\n`);
      return Buffer.concat([header, ...encodedChunks, Buffer.from('0\r\n\r\n')]);
    },
  );

  test('a buffered body is complete for any framing and any division into segments, and its release returns all reserved bytes to the budget', () => {
    const { budget, reservedBytes } = createBudget();
    const body = new BufferedBody(budget, () => undefined);
    fc.assert(
      fc.property(content, framing, fc.array(fc.nat(25_000), { maxLength: 6 }), (sent, frame, ends) => {
        expect(bufferedBodyOf(frame(sent), ends, body)?.equals(sent)).toBe(true);
        body.release();
        expect(reservedBytes()).toBe(0);
      }),
    );
  });

  test('a body that arrives in one segment reserves no bytes of the memory budget', () => {
    const { budget, reservedBytes } = createBudget(0);
    const body = new BufferedBody(budget, () => undefined);
    expect(bufferedBodyOf(Buffer.from(responseWith(BODY), 'latin1'), [], body)?.equals(BODY)).toBe(true);
    expect(reservedBytes()).toBe(0);
  });

  test('a body with a Content-Length of 999,999,999 reserves at most 1 MiB, counts as too large, and then reserves no bytes', () => {
    const { budget, reservedBytes } = createBudget();
    const body = new BufferedBody(budget, () => undefined);
    const parser = new ResponseParser();
    parser.begin([], false);
    parser.body = body;
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n');
    expect(parser.feed(bytes, bytes.length)).toBe(MORE);
    const chunk = Buffer.alloc(64 * 1024);
    for (let count = 0; count < 40; count++) {
      expect(parser.feed(chunk, chunk.length)).toBe(MORE);
      expect(reservedBytes()).toBeLessThanOrEqual(MIB);
    }
    expect(body.isTooLarge).toBe(true);
    expect(reservedBytes()).toBe(0);
  });

  test('a body that exceeds the memory budget counts as too large and notifies its caller, and releaseBudget releases all reserved bytes', () => {
    let fullCalls = 0;
    const { budget, reservedBytes, cells } = createBudget(10_000);
    const bodies = [0, 1, 2].map(() => new BufferedBody(budget, () => fullCalls++));
    for (const body of bodies) {
      body.add(Buffer.alloc(1000), 0, 1000);
      body.detach();
    }
    expect(bodies.map(({ isTooLarge }) => isTooLarge)).toEqual([false, false, true]);
    expect([fullCalls, reservedBytes()]).toEqual([1, 8192]);
    // Simulates the end of a thread.
    releaseBudget(cells);
    expect(reservedBytes()).toBe(0);
  });
});

describe('JSON bodies', () => {
  test('parseBoundedJson parses 200 nested levels but not 201, and does not count brackets in strings', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseBoundedJson(nested(200))).toBeDefined();
    expect(parseBoundedJson(nested(201))).toBeUndefined();
    expect(parseBoundedJson(`{"a": "${'[{'.repeat(500)}\\""}`)).toBeDefined();
  });

  test('decodeBody and parseBoundedJson throw no exception for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('gzip', 'deflate', 'br', 'identity'), (bytes, coding) => {
        const body = decodeBody(Buffer.from(bytes), coding);
        if (body !== null) parseBoundedJson(body.toString());
      }),
    );
  });
});

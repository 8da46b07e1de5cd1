/** What a test expects of bodies: kept within bounds, in any pieces, codings and lengths. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Expectation } from '../../../src/core/model/expectation.ts';
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

/** As latin1 characters that stand for bytes. */
function answerOf(body: Buffer, ...headers: readonly string[]): string {
  const lines = ['HTTP/1.1 200 X', `Content-Length: ${body.length}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body.toString('latin1')}`;
}

async function ledgerFor(wanted: Partial<Expectation>, sent: string) {
  const shop = await openRawTarget((_request, write) => {
    write(sent);
  });
  const wants = { status: null, headers: null, body: null, json: null, ...wanted };
  const job = jobOf([targetOf(shop.port, { expect: wants })], {
    ...{ testType: 'non-cycling', total: 3, duration: 200 },
  });
  const report = await runInVirtualTime(job, shop);
  const { success, unexpected } = report.total.ledger;
  expect(success + Object.values(unexpected).reduce((sum, count) => sum + count, 0)).toBe(
    shop.requests.length,
  );
  return { unexpected: Object.keys(unexpected), sample: report.errorSamples[0]?.error ?? null };
}

const PAID = Buffer.from('{"status": "paid", "a/b": [{"m~n": 42}], "no": null, "yes": true, "é": "ü"}');
const paid = (value: string) => ({ json: [{ pointer: '/status', value }] });

test.each<readonly [name: string, wanted: Partial<Expectation>, sent: string, fault: string | null]>([
  ['a text that is there', { body: '"paid"' }, answerOf(PAID), null],
  ['a text of several bytes', { body: 'ü' }, answerOf(PAID), null],
  ['a text that is not', { body: 'refused' }, answerOf(PAID), 'body'],
  ['a text in no body', { body: 'a' }, answerOf(Buffer.alloc(0)), 'body'],
  ['a JSON text', paid('paid'), answerOf(PAID), null],
  ['another JSON text', paid('open'), answerOf(PAID), 'json'],
  ['escapes of a pointer', { json: [{ pointer: '/a~1b/0/m~0n', value: 42 }] }, answerOf(PAID), null],
  ['a number as text', { json: [{ pointer: '/a~1b/0/m~0n', value: '42' }] }, answerOf(PAID), 'json'],
  ['null', { json: [{ pointer: '/no', value: null }] }, answerOf(PAID), null],
  ['nothing for null', { json: [{ pointer: '/none', value: null }] }, answerOf(PAID), 'json'],
  ['a member of all objects', { json: [{ pointer: '/__proto__', value: null }] }, answerOf(PAID), 'json'],
  ['the length of a list', { json: [{ pointer: '/a~1b/length', value: 1 }] }, answerOf(PAID), 'json'],
  ['the whole body', { json: [{ pointer: '', value: 7 }] }, answerOf(Buffer.from('\ufeff7')), null],
  ['no JSON', paid('paid'), answerOf(Buffer.from('<p>paid</p>')), 'json'],
  ['gzip', paid('paid'), answerOf(gzipSync(PAID), 'Content-Encoding: GZIP'), null],
  ['deflate', paid('paid'), answerOf(deflateSync(PAID), 'Content-Encoding: deflate'), null],
  [
    'deflate without a frame',
    paid('paid'),
    answerOf(deflateRawSync(PAID), 'Content-Encoding: deflate'),
    null,
  ],
  ['br', paid('paid'), answerOf(brotliCompressSync(PAID), 'Content-Encoding: br'), null],
  ['a coding that it does not have', paid('paid'), answerOf(PAID, 'Content-Encoding: gzip'), 'coding'],
  ['half of one', paid('paid'), answerOf(gzipSync(PAID).subarray(0, 40), 'Content-Encoding: gzip'), 'coding'],
  ['one that nobody knows', paid('paid'), answerOf(PAID, 'Content-Encoding: hush'), 'coding'],
  ['a bomb', paid('paid'), answerOf(gzipSync(Buffer.alloc(20 * MIB)), 'Content-Encoding: gzip'), 'coding'],
  ['a MiB and a byte', { body: 'a' }, answerOf(Buffer.alloc(MIB + 1, 'a')), 'size'],
  ['a MiB', { body: 'a' }, answerOf(Buffer.alloc(MIB, 'a')), null],
  ['the status first', { status: [201], body: 'a' }, answerOf(Buffer.alloc(0)), 'status'],
])('%s', async (_name, wanted, sent, fault) => {
  const { unexpected, sample } = await ledgerFor(wanted, sent);
  expect(unexpected).toEqual(fault === null ? [] : [fault]);
  expect(sample === null).toBe(fault === null);
  // What came may be secret, and samples reach other people.
  expect(sample ?? '').not.toContain('hush');
});

const roomOf = (most?: number) => {
  const cells = { all: createBudgetCell(), own: createBudgetCell() };
  const held = () => new Int32Array(cells.all)[0];
  return { cells, held, room: new BodyBudget(cells, most) };
};

/** What a body keeps of an answer that comes in such pieces, all through one buffer. */
function keptOf(sent: Buffer, ends: readonly number[], body: BufferedBody): Buffer | null {
  const parser = new ResponseParser();
  const shared = Buffer.alloc(64 * 1024);
  parser.begin([], false);
  body.release();
  parser.body = body;
  let from = 0;
  for (const end of [...new Set([...ends.map((one) => one % sent.length), sent.length])].sort(
    (a, b) => a - b,
  )) {
    if (end === from) continue;
    sent.copy(shared, 0, from, end);
    if (parser.feed(shared, end - from) === DONE) return Buffer.from(body.content());
    // The next bytes come to the same place.
    shared.fill(0);
    from = end;
  }
  return parser.finish() === DONE ? Buffer.from(body.content()) : null;
}

describe('a kept body', () => {
  const content = fc.uint8Array({ maxLength: 20_000 }).map((bytes) => Buffer.from(bytes));
  const head = 'HTTP/1.1 200 OK\r\n';
  const framed = fc.constantFrom(
    (body: Buffer) => Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]),
    (body: Buffer) => Buffer.concat([Buffer.from(`${head}\r\n`), body]),
    (body: Buffer) => {
      const chunks = [body.subarray(0, 7), body.subarray(7, 1000), body.subarray(1000)];
      const written = chunks
        .filter((chunk) => chunk.length > 0)
        .flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
      const start = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      return Buffer.concat([start, ...written, Buffer.from('0\r\n\r\n')]);
    },
  );

  test('is whole, in any pieces and framings, and leaves its room behind', () => {
    const { room, held } = roomOf();
    const body = new BufferedBody(room, () => undefined);
    fc.assert(
      fc.property(content, framed, fc.array(fc.nat(25_000), { maxLength: 6 }), (sent, frame, ends) => {
        expect(keptOf(frame(sent), ends, body)?.equals(sent)).toBe(true);
        body.release();
        expect(held()).toBe(0);
      }),
    );
  });

  test('takes no room where it comes in one piece', () => {
    const { room, held } = roomOf(0);
    const body = new BufferedBody(room, () => undefined);
    expect(keptOf(Buffer.from(answerOf(PAID), 'latin1'), [], body)?.equals(PAID)).toBe(true);
    expect(held()).toBe(0);
  });

  test('that lies about its length is refused, and holds no more than a MiB until then', () => {
    const { room, held } = roomOf();
    const body = new BufferedBody(room, () => undefined);
    const parser = new ResponseParser();
    parser.begin([], false);
    parser.body = body;
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n');
    expect(parser.feed(bytes, bytes.length)).toBe(MORE);
    const more = Buffer.alloc(64 * 1024);
    for (let count = 0; count < 40; count++) {
      expect(parser.feed(more, more.length)).toBe(MORE);
      expect(held()).toBeLessThanOrEqual(MIB);
    }
    expect(body.isTooLarge).toBe(true);
    expect(held()).toBe(0);
  });

  test('for which there is no room is not kept, and that is told', () => {
    let told = 0;
    const { room, held, cells } = roomOf(10_000);
    const bodies = [0, 1, 2].map(() => new BufferedBody(room, () => told++));
    for (const body of bodies) {
      body.add(Buffer.alloc(1000), 0, 1000);
      body.detach();
    }
    expect(bodies.map(({ isTooLarge }) => isTooLarge)).toEqual([false, false, true]);
    expect([told, held()]).toEqual([1, 8192]);
    // As after a thread that is gone.
    releaseBudget(cells);
    expect(held()).toBe(0);
  });
});

describe('JSON', () => {
  test('that nests deep is not parsed', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseBoundedJson(nested(200))).toBeDefined();
    expect(parseBoundedJson(nested(201))).toBeUndefined();
    expect(parseBoundedJson(`{"a": "${'[{'.repeat(500)}\\""}`)).toBeDefined();
  });

  test('of any bytes ends in a value or nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('gzip', 'deflate', 'br', 'identity'), (bytes, coding) => {
        const body = decodeBody(Buffer.from(bytes), coding);
        if (body !== null) parseBoundedJson(body.toString());
      }),
    );
  });
});

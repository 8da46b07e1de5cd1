/**
 * Unusual and invalid responses from a server without an HTTP library. Each has its outcome in the ledger.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ledger, RunReport } from '../../src/core/load/run-report.ts';
import { jobOf, useTestEngine, runJob, targetOf, textBody } from '../support/test-engine.ts';
import {
  responseText,
  type RawTarget,
  type RawReply,
  createSelfSigned,
  openRawTarget,
  startRawTarget,
  writeSlowly,
} from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

/** Returns the outcomes of requests as strings: `success`, `http 404`, `protocol chunk`, … */
function outcomesOf(ledger: Ledger): Record<string, number> {
  const entriesOf = (kind: string, counts: Readonly<Record<string, number>>): [string, number][] =>
    Object.entries(counts).map(([code, count]) => [`${kind} ${code}`, count]);
  const entries: [string, number][] = [
    ['success', ledger.success],
    ...entriesOf('http', ledger.httpError),
    ...entriesOf('timeout', ledger.timeout),
    ...entriesOf('network', ledger.network),
    ...entriesOf('protocol', ledger.protocol),
    ['abandoned', ledger.abandoned],
  ];
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;
const chunked = (body: string): string => `${OK}Transfer-Encoding: chunked\r\n\r\n${body}`;
const withHeaders = (...lines: readonly string[]): string =>
  `${OK}${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`;
const statusLine = (line: string): string => `${line}\r\nContent-Length: 0\r\n\r\n`;
const kibibytes = (count: number): string => 'x'.repeat(count * 1024);

/** Name, bytes and outcome. With `end`, the server closes the connection after the bytes. */
type Case = readonly [name: string, bytes: string, outcome: string, then?: 'end'];

const EXPECTATIONS: readonly Case[] = [
  ['an unsolicited 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${EMPTY}`, 'success'],
  ['twenty 100 Continue responses', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)}${EMPTY}`, 'success'],
  [
    'a hundred 100 Continue responses',
    `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)}${EMPTY}`,
    'protocol too_many_interim',
  ],
  ['100 Continue but no final response', 'HTTP/1.1 100 Continue\r\n\r\n', 'protocol truncated', 'end'],
  ['status 417', responseText(417, 'no'), 'http 417'],
  ['status 417 after 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${responseText(417, 'no')}`, 'http 417'],
];

const CHUNKS: readonly Case[] = [
  ['chunk extensions', chunked('3;a=b;c="d"\r\nabc\r\n0;x\r\n\r\n'), 'success'],
  ['a chunk extension of 5 KiB', chunked(`3;${kibibytes(5)}\r\nabc\r\n0\r\n\r\n`), 'protocol chunk'],
  ['trailers', chunked('3\r\nabc\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n'), 'success'],
  ['trailers of 20 KiB', chunked(`0\r\nX-Sum: ${kibibytes(20)}\r\n\r\n`), 'protocol chunk'],
  [
    'hexadecimal chunk sizes in uppercase and lowercase',
    chunked('a\r\n0123456789\r\nB\r\n01234567890\r\n0\r\n\r\n'),
    'success',
  ],
  ['leading zeros in chunk sizes', chunked('0003\r\nabc\r\n00000\r\n\r\n'), 'success'],
  ['a chunk size of 2^64', chunked('10000000000000000\r\nabc\r\n'), 'protocol chunk'],
  ['a truncated large chunk', chunked('FFFFFFF\r\nabc'), 'protocol truncated', 'end'],
  ['a chunk size with a sign', chunked('+3\r\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['a chunk size with 0x', chunked('0x3\r\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['only LF after a chunk size', chunked('3\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['only LF after a chunk', chunked('3\r\nabc\n0\r\n\r\n'), 'protocol chunk'],
  ['a chunk that is too long', chunked('2\r\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['a missing last chunk', chunked('3\r\nabc\r\n'), 'protocol truncated', 'end'],
  ['truncated trailers', chunked('0\r\nX-Sum: 1\r\n'), 'protocol truncated', 'end'],
  [
    'the transfer encodings gzip and chunked',
    `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    'success',
  ],
  [
    'the transfer encodings chunked and gzip',
    `${OK}Transfer-Encoding: chunked, gzip\r\n\r\nabc`,
    'success',
    'end',
  ],
  ['blanks before a chunk extension', chunked('3 ;a=b\r\nabc\r\n0\t;c\r\n\r\n'), 'success'],
  ['only the transfer encoding gzip', `${OK}Transfer-Encoding: gzip\r\n\r\nabc`, 'success', 'end'],
  [
    'a Content-Length and chunked encoding',
    withHeaders('Transfer-Encoding: chunked'),
    'protocol length_and_encoding',
  ],
];

const HEADERS: readonly Case[] = [
  ['one header of 15 KiB', withHeaders(`X-Large: ${kibibytes(15)}`), 'success'],
  ['one header of 100 KiB', withHeaders(`X-Large: ${kibibytes(100)}`), 'protocol header_too_large'],
  [
    'a hundred headers of 1 KiB',
    withHeaders(...Array.from({ length: 100 }, () => `X: ${kibibytes(1)}`)),
    'protocol header_too_large',
  ],
  ['2,000 short headers', withHeaders(...Array.from({ length: 2000 }, () => 'a: b')), 'success'],
  [
    '4,000 short headers',
    withHeaders(...Array.from({ length: 4000 }, () => 'a: b')),
    'protocol header_too_large',
  ],
  ['a reason phrase of 100 KiB', statusLine(`HTTP/1.1 200 ${kibibytes(100)}`), 'protocol header_too_large'],
  ['a NUL in a header value', withHeaders('X: a\0b'), 'protocol header'],
  ['a NUL in a header name', withHeaders('X\0: a'), 'protocol header'],
  ['a folded header value', withHeaders('X: a', ' b'), 'success'],
  ['a bare LF after a header', `${OK}X: a\nContent-Length: 0\r\n\r\n`, 'protocol header'],
  ['a bare CR in a header value', withHeaders('X: a\rb'), 'protocol header'],
  ['a space before the colon of a header', withHeaders('X : a'), 'protocol header'],
  ['a header without a colon', withHeaders('X a'), 'protocol header'],
  ['a header without a name', withHeaders(': a'), 'protocol header'],
  ['header bytes beyond ASCII', withHeaders('X: \xc3\xa4\xff'), 'success'],
  ['the same Content-Length twice', withHeaders('Content-Length: 0'), 'protocol content_length'],
  ['a Content-Length with a sign', `${OK}Content-Length: +2\r\n\r\nok`, 'protocol content_length'],
  ['a Content-Length with 0x', `${OK}Content-Length: 0x2\r\n\r\nok`, 'protocol content_length'],
  ['an empty Content-Length', `${OK}Content-Length:\r\n\r\n`, 'protocol content_length'],
  [
    'a Content-Length of 2^64',
    `${OK}Content-Length: 18446744073709551616\r\n\r\n`,
    'protocol content_length',
  ],
];

const STATUSES: readonly Case[] = [
  ['no reason phrase', statusLine('HTTP/1.1 200 '), 'success'],
  ['no reason phrase and no space', statusLine('HTTP/1.1 200'), 'success'],
  ['an unsolicited 101', 'HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n', 'protocol switching_protocols'],
  ['status 204', 'HTTP/1.1 204 X\r\n\r\n', 'success'],
  ['status 204 and a Content-Length', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\n', 'success'],
  ['status 204 and a body', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello', 'success'],
  ['status 205', statusLine('HTTP/1.1 205 X'), 'success'],
  ['status 304 and a Content-Length', 'HTTP/1.1 304 X\r\nContent-Length: 5\r\n\r\n', 'success'],
  ['status 399', statusLine('HTTP/1.1 399 X'), 'success'],
  ['status 400', statusLine('HTTP/1.1 400 X'), 'http 400'],
  ['status 599', statusLine('HTTP/1.1 599 X'), 'http 599'],
  ['status 600', statusLine('HTTP/1.1 600 X'), 'http 600'],
  ['status 999', statusLine('HTTP/1.1 999 X'), 'http 999'],
  ['status 99', statusLine('HTTP/1.1 99 X'), 'protocol status_line'],
  ['status 099', statusLine('HTTP/1.1 099 X'), 'protocol status_line'],
  ['status 20', statusLine('HTTP/1.1 20 X'), 'protocol status_line'],
  ['status 2000', statusLine('HTTP/1.1 2000 X'), 'protocol status_line'],
  ['a status that consists of letters', statusLine('HTTP/1.1 fine X'), 'protocol status_line'],
  ['HTTP/1.0', statusLine('HTTP/1.0 200 OK'), 'success', 'end'],
  ['HTTP/1.0 and no Content-Length', 'HTTP/1.0 200 OK\r\n\r\nhello', 'success', 'end'],
  ['HTTP/2.0 in the status line', statusLine('HTTP/2.0 200 OK'), 'success'],
  ['an HTTP/0.9 body', '<html>hello</html>', 'protocol truncated', 'end'],
  ['an HTTP/0.9 body and a line break', '<html>hello</html>\r\n', 'protocol status_line', 'end'],
  ['HTTP/3.0 in the status line', statusLine('HTTP/3.0 200 OK'), 'protocol status_line'],
  ['ICY in the status line', statusLine('ICY 200 OK'), 'protocol status_line'],
  ['an empty line before the status line', `\r\n${EMPTY}`, 'protocol status_line'],
  ['a TLS alert', '\x15\x03\x01\x00\x02\x02\x46', 'protocol status_line', 'end'],
  ['an HTTP/2 preface', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80', 'protocol status_line', 'end'],
];

describe.each([
  ['expectations', EXPECTATIONS],
  ['chunked bodies', CHUNKS],
  ['headers', HEADERS],
  ['status lines', STATUSES],
])('responses with unusual %s', (_kind, cases) => {
  const TIMES = 3;
  let report: RunReport;
  let receivedRequests: RawTarget['requests'] = [];

  // All cases in one run, each with its own URL.
  beforeAll(async () => {
    const shop = await startRawTarget((request, write, socket) => {
      const [, bytes = '', , end] = cases[Number(request.path.slice(1))] ?? [];
      write(bytes);
      if (end === 'end') socket.end();
    });
    const urls = cases.map((_, index) => targetOf(shop.port, { path: `/${index}` }));
    // Clients with one iteration each. A busy machine may delay these clients, but skips none of them.
    const clients = { testType: 'cycling', initial: TIMES, total: TIMES, iterationsPerClient: 1 } as const;
    const job = jobOf(urls, { ...clients, duration: 60_000, timeout: 60_000 });
    ({ report } = await runJob(testEngine.engine, job));
    receivedRequests = shop.requests;
    await shop.close();
  });

  test.each(cases.map(([name, , outcome], index) => [name, outcome, index] as const))(
    'a response with %s has the outcome "%s"',
    (_name, outcome, index) => {
      const ledger = report.targets[index]?.ledger;
      expect(ledger && outcomesOf(ledger)).toEqual({ [outcome]: TIMES });
      expect(receivedRequests.filter(({ path }) => path === `/${index}`)).toHaveLength(TIMES);
    },
  );
});

describe('a response before the end of the request', () => {
  /** More than the buffers of any socket. */
  const text = 'x'.repeat(32 * 1024 * 1024);
  const upload = { method: 'POST', body: textBody(text) } as const;

  /** Starts a server that responds to the first bytes of a request and then continues as specified. */
  async function startEarlyServer(behavior: 'read on' | 'close' | 'pause') {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      let remaining = 0;
      socket.on('data', (chunk: Buffer) => {
        if (remaining === 0) {
          remaining = chunk.indexOf('\r\n\r\n') + 4 + text.length;
          socket.write(responseText(413, 'too large'));
          if (behavior === 'pause') socket.pause();
          if (behavior === 'close') socket.end();
        }
        remaining -= chunk.length;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    return {
      port,
      connections: () => connections,
      close: () => {
        server.close();
      },
    };
  }

  test.each(['read on', 'close', 'pause'] as const)(
    'a response that arrives before its request is completely sent counts once, with its status (server behavior: %s)',
    async (behavior) => {
      const shop = await startEarlyServer(behavior);
      const job = jobOf([targetOf(shop.port, upload)], {
        testType: 'cycling',
        initial: 2,
        total: 2,
        duration: 300,
      });
      const { ledger } = await runJob(testEngine.engine, job);
      shop.close();
      expect(outcomesOf(ledger)).toEqual({ 'http 413': ledger.started });
      expect(ledger.started).toBeGreaterThanOrEqual(2);
      // Only a completely sent request leaves a reusable connection.
      if (behavior !== 'read on') expect(shop.connections()).toBe(ledger.started);
    },
  );
});

describe('a different protocol on the port', () => {
  test('ten plain HTTP requests to a TLS port count as network or protocol errors', async () => {
    const { key, cert } = createSelfSigned();
    const server = createTlsServer({ key, cert });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const { ledger } = await runJob(testEngine.engine, jobOf([targetOf(port)], { duration: 100 }));
    server.close();
    const { network, protocol } = ledger;
    expect(Object.values({ ...network, ...protocol }).reduce((sum, count) => sum + count, 0)).toBe(10);
    expect(ledger).toMatchObject({ started: 10, success: 0, httpError: {} });
  });
});

describe('slow responses', () => {
  const TIMEOUT = 500;
  const drip = (start: string, chunk: string): RawReply => writeSlowly(start, chunk, 40);

  test.each<readonly [name: string, reply: RawReply]>([
    ['a status line', drip('HTTP/1.1 200 ', 'x')],
    ['headers', drip(OK, 'X: a\r\n')],
    ['a header', drip(`${OK}X-Slow: `, 'x')],
    ['interim responses', drip('', 'HTTP/1.1 102 Processing\r\n\r\n')],
    ['a body with a length', drip(`${OK}Content-Length: 100000\r\n\r\n`, 'x')],
    ['chunks', drip(chunked(''), '1\r\nx\r\n')],
    ['a chunk extension', drip(chunked('1;'), 'x')],
    ['a body that ends with the connection', drip(`${OK}\r\n`, 'x')],
  ])('a request times out even if bytes of %s keep arriving', async (_name, reply) => {
    const durations: number[] = [];
    const shop = await openRawTarget((request, write, socket) => {
      socket.once('close', () => durations.push(performance.now() - request.at));
      reply(request, write, socket);
    });
    // One request per client.
    const clients = { testType: 'cycling', initial: 10, total: 10, duration: 400 } as const;
    const job = jobOf([targetOf(shop.port)], { ...clients, timeout: TIMEOUT });
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(outcomesOf(ledger)).toEqual({ 'timeout response': 10 });
    expect(durations).toHaveLength(10);
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(TIMEOUT - 10);
    expect(Math.max(...durations)).toBeLessThan(TIMEOUT + 100);
  });
});

/** Answers that are unusual or wrong, from a server without any HTTP library: each ends in the class that it belongs to. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ledger, RunReport } from '../../src/core/load/run-report.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { watchLateness, type TimerLateness } from '../support/timer-lateness.ts';
import {
  responseText,
  type RawTarget,
  type RawReply,
  createSelfSigned,
  startRawTarget,
} from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

/** What became of requests, as words: `success`, `http 404`, `protocol chunk`, … */
function outcomesOf(ledger: Ledger): Record<string, number> {
  const named = (kind: string, counts: Readonly<Record<string, number>>): [string, number][] =>
    Object.entries(counts).map(([code, count]) => [`${kind} ${code}`, count]);
  const all: [string, number][] = [
    ['success', ledger.success],
    ...named('http', ledger.httpError),
    ...named('timeout', ledger.timeout),
    ...named('network', ledger.network),
    ...named('protocol', ledger.protocol),
    ['abandoned', ledger.abandoned],
  ];
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;
const chunked = (body: string): string => `${OK}Transfer-Encoding: chunked\r\n\r\n${body}`;
const headed = (...lines: readonly string[]): string =>
  `${OK}${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`;
const statusLine = (line: string): string => `${line}\r\nContent-Length: 0\r\n\r\n`;
const kibibytes = (count: number): string => 'x'.repeat(count * 1024);

/** Name, bytes, what becomes of the request; `end`: the server closes behind the bytes. */
type Case = readonly [name: string, bytes: string, outcome: string, then?: 'end'];

const EXPECTATIONS: readonly Case[] = [
  ['100 Continue that nobody asked for', `HTTP/1.1 100 Continue\r\n\r\n${EMPTY}`, 'success'],
  ['twenty of them', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)}${EMPTY}`, 'success'],
  [
    'a hundred of them',
    `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)}${EMPTY}`,
    'protocol too_many_interim',
  ],
  ['100 Continue and no more', 'HTTP/1.1 100 Continue\r\n\r\n', 'protocol truncated', 'end'],
  ['417', responseText(417, 'no'), 'http 417'],
  ['417 after 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${responseText(417, 'no')}`, 'http 417'],
];

const CHUNKS: readonly Case[] = [
  ['extensions', chunked('3;a=b;c="d"\r\nabc\r\n0;x\r\n\r\n'), 'success'],
  ['an extension of 5 KiB', chunked(`3;${kibibytes(5)}\r\nabc\r\n0\r\n\r\n`), 'protocol chunk'],
  ['trailers', chunked('3\r\nabc\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n'), 'success'],
  ['trailers of 20 KiB', chunked(`0\r\nX-Sum: ${kibibytes(20)}\r\n\r\n`), 'protocol chunk'],
  ['hex in both cases', chunked('a\r\n0123456789\r\nB\r\n01234567890\r\n0\r\n\r\n'), 'success'],
  ['leading zeros', chunked('0003\r\nabc\r\n00000\r\n\r\n'), 'success'],
  ['a size of 2^64', chunked('10000000000000000\r\nabc\r\n'), 'protocol chunk'],
  ['a size that never comes', chunked('FFFFFFF\r\nabc'), 'protocol truncated', 'end'],
  ['a sign', chunked('+3\r\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['a size in 0x', chunked('0x3\r\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['LF behind a size', chunked('3\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['LF behind a chunk', chunked('3\r\nabc\n0\r\n\r\n'), 'protocol chunk'],
  ['a chunk that is too long', chunked('2\r\nabc\r\n0\r\n\r\n'), 'protocol chunk'],
  ['no last chunk', chunked('3\r\nabc\r\n'), 'protocol truncated', 'end'],
  ['no end of the trailers', chunked('0\r\nX-Sum: 1\r\n'), 'protocol truncated', 'end'],
  ['gzip, chunked', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`, 'success'],
  ['chunked, gzip', `${OK}Transfer-Encoding: chunked, gzip\r\n\r\nabc`, 'success', 'end'],
  ['blanks before an extension', chunked('3 ;a=b\r\nabc\r\n0\t;c\r\n\r\n'), 'success'],
  ['gzip alone, to the end', `${OK}Transfer-Encoding: gzip\r\n\r\nabc`, 'success', 'end'],
  ['a length beside it', headed('Transfer-Encoding: chunked'), 'protocol length_and_encoding'],
];

const HEADERS: readonly Case[] = [
  ['15 KiB in one', headed(`X-Large: ${kibibytes(15)}`), 'success'],
  ['100 KiB in one', headed(`X-Large: ${kibibytes(100)}`), 'protocol header_too_large'],
  [
    '100 KiB in a hundred',
    headed(...Array.from({ length: 100 }, () => `X: ${kibibytes(1)}`)),
    'protocol header_too_large',
  ],
  ['2,000 short ones', headed(...Array.from({ length: 2000 }, () => 'a: b')), 'success'],
  ['4,000 short ones', headed(...Array.from({ length: 4000 }, () => 'a: b')), 'protocol header_too_large'],
  ['a reason of 100 KiB', statusLine(`HTTP/1.1 200 ${kibibytes(100)}`), 'protocol header_too_large'],
  ['NUL in a value', headed('X: a\0b'), 'protocol header'],
  ['NUL in a name', headed('X\0: a'), 'protocol header'],
  ['a folded value', headed('X: a', ' b'), 'success'],
  ['a bare LF', `${OK}X: a\nContent-Length: 0\r\n\r\n`, 'protocol header'],
  ['a bare CR', headed('X: a\rb'), 'protocol header'],
  ['a space before the colon', headed('X : a'), 'protocol header'],
  ['no colon', headed('X a'), 'protocol header'],
  ['no name', headed(': a'), 'protocol header'],
  ['bytes beyond ASCII', headed('X: \xc3\xa4\xff'), 'success'],
  ['the same length twice', headed('Content-Length: 0'), 'protocol content_length'],
  ['a length with a sign', `${OK}Content-Length: +2\r\n\r\nok`, 'protocol content_length'],
  ['a length in 0x', `${OK}Content-Length: 0x2\r\n\r\nok`, 'protocol content_length'],
  ['an empty length', `${OK}Content-Length:\r\n\r\n`, 'protocol content_length'],
  ['a length of 2^64', `${OK}Content-Length: 18446744073709551616\r\n\r\n`, 'protocol content_length'],
];

const STATUSES: readonly Case[] = [
  ['no reason', statusLine('HTTP/1.1 200 '), 'success'],
  ['no reason and no space', statusLine('HTTP/1.1 200'), 'success'],
  [
    '101 that nobody asked for',
    'HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n',
    'protocol switching_protocols',
  ],
  ['204', 'HTTP/1.1 204 X\r\n\r\n', 'success'],
  ['204 with a length', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\n', 'success'],
  ['204 with a body', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello', 'success'],
  ['205', statusLine('HTTP/1.1 205 X'), 'success'],
  ['304 with a length', 'HTTP/1.1 304 X\r\nContent-Length: 5\r\n\r\n', 'success'],
  ['399', statusLine('HTTP/1.1 399 X'), 'success'],
  ['400', statusLine('HTTP/1.1 400 X'), 'http 400'],
  ['599', statusLine('HTTP/1.1 599 X'), 'http 599'],
  ['600', statusLine('HTTP/1.1 600 X'), 'http 600'],
  ['999', statusLine('HTTP/1.1 999 X'), 'http 999'],
  ['99', statusLine('HTTP/1.1 99 X'), 'protocol status_line'],
  ['099', statusLine('HTTP/1.1 099 X'), 'protocol status_line'],
  ['20', statusLine('HTTP/1.1 20 X'), 'protocol status_line'],
  ['2000', statusLine('HTTP/1.1 2000 X'), 'protocol status_line'],
  ['a word for a status', statusLine('HTTP/1.1 fine X'), 'protocol status_line'],
  ['HTTP/1.0', statusLine('HTTP/1.0 200 OK'), 'success', 'end'],
  ['HTTP/1.0 to the end', 'HTTP/1.0 200 OK\r\n\r\nhello', 'success', 'end'],
  ['HTTP/2.0 in text', statusLine('HTTP/2.0 200 OK'), 'success'],
  ['HTTP/0.9', '<html>hello</html>', 'protocol truncated', 'end'],
  ['HTTP/0.9 with a line', '<html>hello</html>\r\n', 'protocol status_line', 'end'],
  ['HTTP/3.0', statusLine('HTTP/3.0 200 OK'), 'protocol status_line'],
  ['ICY', statusLine('ICY 200 OK'), 'protocol status_line'],
  ['an empty line first', `\r\n${EMPTY}`, 'protocol status_line'],
  ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46', 'protocol status_line', 'end'],
  ['the preface of HTTP/2', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80', 'protocol status_line', 'end'],
];

describe.each([
  ['expectations', EXPECTATIONS],
  ['chunked bodies', CHUNKS],
  ['headers', HEADERS],
  ['status lines', STATUSES],
])('%s', (_kind, cases) => {
  const TIMES = 3;
  let report: RunReport;
  let seen: RawTarget['requests'] = [];

  // All in one run, each on a URL of its own.
  beforeAll(async () => {
    const shop = await startRawTarget((request, write, socket) => {
      const [, bytes = '', , then] = cases[Number(request.path.slice(1))] ?? [];
      write(bytes);
      if (then === 'end') socket.end();
    });
    const urls = cases.map((_, index) => targetOf(shop.port, { path: `/${index}` }));
    ({ report } = await runJob(rig.engine, jobOf(urls, { total: TIMES, duration: 300 })));
    seen = shop.requests;
    await shop.close();
  });

  test.each(cases.map(([name, , outcome], index) => [name, outcome, index] as const))(
    '%s: %s',
    (_name, outcome, index) => {
      const ledger = report.targets[index]?.ledger;
      expect(ledger && outcomesOf(ledger)).toEqual({ [outcome]: TIMES });
      expect(seen.filter(({ path }) => path === `/${index}`)).toHaveLength(TIMES);
    },
  );
});

describe('an answer that comes before the request is sent', () => {
  /** More than any socket's buffers hold. */
  const upload = { method: 'POST', body: 'x'.repeat(32 * 1024 * 1024) } as const;

  /** Answers as soon as anything of a request comes, and then reads the rest, or does not. */
  async function hastyServer(then: 'read on' | 'close' | 'pause') {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      let left = 0;
      socket.on('data', (chunk: Buffer) => {
        if (left === 0) {
          left = chunk.indexOf('\r\n\r\n') + 4 + upload.body.length;
          socket.write(responseText(413, 'too large'));
          if (then === 'pause') socket.pause();
          if (then === 'close') socket.end();
        }
        left -= chunk.length;
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
    'counts once, and nobody waits for the rest; the server goes on to: %s',
    async (then) => {
      const shop = await hastyServer(then);
      const job = jobOf([targetOf(shop.port, upload)], {
        testType: 'cycling',
        initial: 2,
        total: 2,
        duration: 300,
      });
      const { ledger } = await runJob(rig.engine, job);
      shop.close();
      expect(outcomesOf(ledger)).toEqual({ 'http 413': ledger.started });
      expect(ledger.started).toBeGreaterThanOrEqual(2);
      // What is sent in full by then leaves a connection as good as before; nothing else does.
      if (then !== 'read on') expect(shop.connections()).toBe(ledger.started);
    },
  );
});

describe('another protocol on the port', () => {
  test('TLS where plain text was expected is never a success', async () => {
    const { key, cert } = createSelfSigned();
    const server = createTlsServer({ key, cert });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const { ledger } = await runJob(rig.engine, jobOf([targetOf(port)], { duration: 100 }));
    server.close();
    const { network, protocol } = ledger;
    expect(Object.values({ ...network, ...protocol }).reduce((sum, count) => sum + count, 0)).toBe(10);
    expect(ledger).toMatchObject({ started: 10, success: 0, httpError: {} });
  });
});

describe('what comes slowly', () => {
  const TIMEOUT = 500;
  const byPieces =
    (start: string, piece: string): RawReply =>
    (_request, write, socket) => {
      write(start);
      const timer = setInterval(write, 40, piece);
      socket.once('close', () => {
        clearInterval(timer);
      });
    };

  const CASES: readonly (readonly [name: string, reply: RawReply])[] = [
    ['a status line', byPieces('HTTP/1.1 200 ', 'x')],
    ['headers', byPieces(OK, 'X: a\r\n')],
    ['a header', byPieces(`${OK}X-Slow: `, 'x')],
    ['interim answers', byPieces('', 'HTTP/1.1 102 Processing\r\n\r\n')],
    ['a body with a length', byPieces(`${OK}Content-Length: 100000\r\n\r\n`, 'x')],
    ['chunks', byPieces(chunked(''), '1\r\nx\r\n')],
    ['a chunk extension', byPieces(chunked('1;'), 'x')],
    ['a body to the end', byPieces(`${OK}\r\n`, 'x')],
  ];
  const seen = new Map<string, { readonly took: readonly number[]; readonly ledger: Ledger }>();
  let late: TimerLateness;

  // All at the same time, each in a run of its own.
  beforeAll(async () => {
    const lateness = watchLateness();
    await Promise.all(
      CASES.map(async ([name, reply]) => {
        const took: number[] = [];
        const ends: Promise<unknown>[] = [];
        const shop = await startRawTarget((request, write, socket) => {
          const ended = new Promise((resolve) => socket.once('close', resolve));
          ends.push(ended.then(() => took.push(performance.now() - request.at)));
          reply(request, write, socket);
        });
        // One request of each client, all of them well before the drain is over.
        const clients = { testType: 'cycling', initial: 10, total: 10, threads: 1 } as const;
        const job = jobOf([targetOf(shop.port)], {
          ...clients,
          runId: name,
          duration: 400,
          timeout: TIMEOUT,
        });
        const { ledger } = await runJob(rig.engine, job);
        await shop.close();
        await Promise.all(ends);
        seen.set(name, { took, ledger });
      }),
    );
    late = lateness.read();
    lateness.stop();
  });

  test.each(CASES)('%s: the timeout is for the whole answer, whatever keeps coming', (name) => {
    const { took = [], ledger } = seen.get(name) ?? {};
    expect(ledger && outcomesOf(ledger)).toEqual({ 'timeout response': 10 });
    // A server that is held up may see some only when nobody waits for them any more.
    expect(took.length).toBeGreaterThanOrEqual(5);
    const [earliest = 0, , , , fifth = 0] = [...took].sort((a, b) => a - b);
    // The server sees a request a little later than it was sent, and on a busy machine later still.
    expect(earliest).toBeGreaterThan(TIMEOUT - 50 - late.max);
    expect(fifth).toBeLessThan(2 * TIMEOUT + late.max);
  });
});

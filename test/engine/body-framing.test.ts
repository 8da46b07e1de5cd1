/** Bodies that end with the connection. They are complete only if the connection is closed cleanly. */
// @module-tag load
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ledger, Metrics } from '../../src/core/load/run-report.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import { createSelfSigned } from '../support/raw-target.ts';

const testEngine = useTestEngine();

const certificate = createSelfSigned();

const CLIENTS = 8;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Starts a server that calls back with the first request of each connection. */
async function startServer(
  respond: (tcpSocket: Socket, socket: Socket) => void,
  tls: boolean,
): Promise<number> {
  const secureContext = tls ? createSecureContext(certificate) : null;
  const server = createServer((tcpSocket) => {
    const socket =
      secureContext === null ? tcpSocket : new TLSSocket(tcpSocket, { isServer: true, secureContext });
    for (const each of [tcpSocket, socket]) each.on('error', () => undefined);
    socket.once('data', () => respond(tcpSocket, socket));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}

const HEADER = 'HTTP/1.1 200 OK\r\n\r\n';
/** Bodies of less than a segment, of many TLS records, and of exactly one read. */
const BODIES = [
  ['no body', ''],
  ['a short body', 'hello'],
  ['a long body', 'x'.repeat(300_000)],
  ['a body of exactly one read', 'x'.repeat(65_536 - HEADER.length)],
] as const;

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';

/** A way to respond and to close the connection, and the expected outcome. */
interface Ending {
  readonly title: string;
  readonly secure: boolean;
  readonly respond: (tcpSocket: Socket, socket: Socket) => void;
  readonly ledger: Partial<Ledger>;
  /** Number of bytes of each response; null if they are not checked. */
  readonly bytes: number | null;
}

const endingsOf = ([name, body]: (typeof BODIES)[number]): readonly Ending[] => {
  const bytes = HEADER + body;
  return [
    {
      title: `a response with ${name} that ends with an orderly close counts as a success, and all of its bytes are counted`,
      secure: false,
      respond: (_tcpSocket, socket) => socket.end(bytes),
      ledger: { success: CLIENTS },
      bytes: bytes.length,
    },
    {
      title: `a response with ${name} counts as a network error if the connection is reset directly after it`,
      secure: false,
      respond: (tcpSocket, socket) => socket.write(bytes, () => tcpSocket.resetAndDestroy()),
      ledger: { success: 0, network: { ECONNRESET: CLIENTS } },
      bytes: null,
    },
    {
      title: `a TLS response with ${name} counts as a success if a close_notify is sent with it, and all of its bytes are counted`,
      secure: true,
      respond: (_tcpSocket, socket) => socket.end(bytes),
      ledger: { success: CLIENTS },
      bytes: bytes.length,
    },
    {
      title: `a TLS response with ${name} counts as a success if a close_notify is sent after it, and all of its bytes are counted`,
      secure: true,
      respond: (_tcpSocket, socket) =>
        socket.write(bytes, () => {
          setTimeout(() => socket.end(), 20);
        }),
      ledger: { success: CLIENTS },
      bytes: bytes.length,
    },
    {
      title: `a TLS response with ${name} counts as truncated if it ends without a close_notify`,
      secure: true,
      respond: (tcpSocket, socket) => socket.write(bytes, () => tcpSocket.end()),
      ledger: { success: 0, protocol: { truncated: CLIENTS } },
      bytes: null,
    },
    {
      title: `a TLS response with ${name} counts as a network error if the connection is reset directly after it`,
      secure: true,
      respond: (tcpSocket, socket) => socket.write(bytes, () => tcpSocket.resetAndDestroy()),
      ledger: { success: 0, network: { ECONNRESET: CLIENTS } },
      bytes: null,
    },
  ];
};

const ENDINGS: readonly Ending[] = [
  ...BODIES.flatMap(endingsOf),
  {
    title: 'a TLS response counts as truncated if the connection ends within a TLS record',
    secure: true,
    respond: (tcpSocket, socket) =>
      socket.write(`${HEADER}hello`, () => {
        // A complete record and the first bytes of another one, as from a killed server.
        const incompleteRecord = Buffer.concat([Buffer.from([23, 3, 3, 16, 0]), Buffer.alloc(1000)]);
        tcpSocket.write(incompleteRecord, () => tcpSocket.end());
      }),
    ledger: { success: 0, protocol: { truncated: CLIENTS } },
    bytes: null,
  },
  ...[
    ['a Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc'] as const,
    ['chunked encoding', CHUNKED] as const,
  ].map(([framing, bytes]) => ({
    title: `a TLS response with ${framing} counts as a success without a close_notify`,
    secure: true,
    respond: (tcpSocket: Socket, socket: Socket) => socket.write(bytes, () => tcpSocket.end()),
    ledger: { success: CLIENTS },
    bytes: null,
  })),
];

describe('the end of a connection delimits a body', () => {
  let metrics: readonly Metrics[];

  // In one run, each client sends one request to each of the servers, even if the machine stalls.
  beforeAll(async () => {
    const ports = await Promise.all(ENDINGS.map(({ respond, secure }) => startServer(respond, secure)));
    const targets = ports.map((port, index) => targetOf(port, { secure: ENDINGS[index]?.secure ?? false }));
    const clients = {
      testType: 'cycling',
      initial: CLIENTS,
      total: CLIENTS,
      iterationsPerClient: 1,
    } as const;
    const job = jobOf(targets, { ...clients, duration: 60_000 });
    const { report } = await runJob(testEngine.engine, job);
    metrics = report.targets;
  });

  const rows = ENDINGS.map(({ title, ledger, bytes }, index) => [title, { index, ledger, bytes }] as const);
  test.each(rows)('%s', (_title, { index, ledger, bytes }) => {
    const target = metrics[index];
    expect(target?.ledger).toMatchObject({ started: CLIENTS, ...ledger });
    if (bytes !== null) expect(target?.bytesReceived).toBe(CLIENTS * bytes);
  });
});

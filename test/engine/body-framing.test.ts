/** Bodies that end with the connection. They are complete only if the connection is closed cleanly. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import { createSelfSigned } from '../support/raw-target.ts';

const testEngine = useTestEngine();

const certificate = createSelfSigned();

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that calls back with the first request of each connection. */
async function startServer(
  respond: (tcpSocket: Socket, socket: Socket) => void,
  tls = false,
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

const ledgerOf = async (port: number, secure = false) => {
  const job = jobOf([targetOf(port, { secure })], { total: 8, duration: 100 });
  const { ledger, report } = await runJob(testEngine.engine, job);
  return { ledger, received: report.total.bytesReceived };
};

describe.each(BODIES)('%s, delimited by the end of the connection', (_name, body) => {
  const bytes = HEADER + body;

  test('a response with a body that ends with an orderly close counts as a success, and all of its bytes are counted', async () => {
    const port = await startServer((_tcpSocket, socket) => socket.end(bytes));
    const { ledger, received } = await ledgerOf(port);
    expect(ledger).toMatchObject({ started: 8, success: 8 });
    expect(received).toBe(8 * bytes.length);
  });

  test('a response counts as a network error if the connection is reset directly after the body', async () => {
    const port = await startServer((tcpSocket, socket) => {
      socket.write(bytes, () => tcpSocket.resetAndDestroy());
    });
    const { ledger } = await ledgerOf(port);
    expect(ledger).toMatchObject({ started: 8, success: 0, network: { ECONNRESET: 8 } });
  });

  test.each([
    ['sent with the body', (socket: Socket) => socket.end(bytes)],
    [
      'sent after the body',
      (socket: Socket) =>
        socket.write(bytes, () => {
          setTimeout(() => socket.end(), 20);
        }),
    ],
  ] as const)(
    'a TLS response whose body ends with a close_notify %s counts as a success, and all of its bytes are counted',
    async (_when, respond) => {
      const port = await startServer((_tcpSocket, socket) => respond(socket), true);
      const { ledger, received } = await ledgerOf(port, true);
      expect(ledger).toMatchObject({ started: 8, success: 8 });
      expect(received).toBe(8 * bytes.length);
    },
  );

  test('a TLS response whose body ends without a close_notify counts as truncated', async () => {
    const port = await startServer((tcpSocket, socket) => {
      socket.write(bytes, () => tcpSocket.end());
    }, true);
    const { ledger } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 0, protocol: { truncated: 8 } });
  });

  test('a TLS response counts as a network error if the connection is reset directly after the body', async () => {
    const port = await startServer((tcpSocket, socket) => {
      socket.write(bytes, () => tcpSocket.resetAndDestroy());
    }, true);
    const { ledger } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 0, network: { ECONNRESET: 8 } });
  });
});

test('a TLS response counts as truncated if the connection ends within a TLS record', async () => {
  // A complete record and the first bytes of another one, as from a killed server.
  const port = await startServer((tcpSocket, socket) => {
    socket.write(`${HEADER}hello`, () => {
      const incompleteRecord = Buffer.concat([Buffer.from([23, 3, 3, 16, 0]), Buffer.alloc(1000)]);
      tcpSocket.write(incompleteRecord, () => tcpSocket.end());
    });
  }, true);
  const { ledger } = await ledgerOf(port, true);
  expect(ledger).toMatchObject({ started: 8, success: 0, protocol: { truncated: 8 } });
});

test('a TLS response with a Content-Length or chunked encoding counts as a success without a close_notify', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
  for (const bytes of ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', chunked]) {
    const port = await startServer((tcpSocket, socket) => {
      socket.write(bytes, () => tcpSocket.end());
    }, true);
    const { ledger } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 8 });
  }
});

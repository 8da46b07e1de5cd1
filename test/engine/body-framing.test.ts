/** Bodies that only the end of the connection ends: they are complete only where that end is in good order. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { createSelfSigned } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const certificate = createSelfSigned();

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Calls back with each first request. */
async function serverThat(responses: (below: Socket, socket: Socket) => void, tls = false): Promise<number> {
  const secureContext = tls ? createSecureContext(certificate) : null;
  const server = createServer((below) => {
    const socket = secureContext === null ? below : new TLSSocket(below, { isServer: true, secureContext });
    for (const one of [below, socket]) one.on('error', () => undefined);
    socket.once('data', () => {
      responses(below, socket);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}

const HEAD = 'HTTP/1.1 200 OK\r\n\r\n';
/** Shorter than a segment, of many records of TLS, and a multiple of what is read at once. */
const BODIES = [
  ['no body', ''],
  ['a short body', 'hello'],
  ['a long body', 'x'.repeat(300_000)],
  ['a body of as much as is read at once', 'x'.repeat(65_536 - HEAD.length)],
] as const;

const ledgerOf = async (port: number, secure = false) => {
  const job = jobOf([targetOf(port, { secure })], { total: 8, duration: 100 });
  const { ledger, report } = await runJob(rig.engine, job);
  return { ledger, received: report.total.bytesReceived };
};

describe.each(BODIES)('%s', (_name, body) => {
  const bytes = HEAD + body;

  test('that an orderly close ends is a success, its bytes counted', async () => {
    const port = await serverThat((_below, socket) => socket.end(bytes));
    const { ledger, received } = await ledgerOf(port);
    expect(ledger).toMatchObject({ started: 8, success: 8 });
    expect(received).toBe(8 * bytes.length);
  });

  test('that a reset ends is none, also where it comes together with the last bytes', async () => {
    const port = await serverThat((below, socket) => {
      socket.write(bytes, () => below.resetAndDestroy());
    });
    const { ledger } = await ledgerOf(port);
    expect(ledger).toMatchObject({ started: 8, success: 0, network: { ECONNRESET: 8 } });
  });

  test.each([
    ['together with the body', (socket: Socket) => socket.end(bytes)],
    [
      'later',
      (socket: Socket) =>
        socket.write(bytes, () => {
          setTimeout(() => socket.end(), 20);
        }),
    ],
  ] as const)('over TLS that a close_notify ends is a success: %s', async (_when, responses) => {
    const port = await serverThat((_below, socket) => responses(socket), true);
    const { ledger, received } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 8 });
    expect(received).toBe(8 * bytes.length);
  });

  test('over TLS that the connection ends without a word of TLS is cut off', async () => {
    const port = await serverThat((below, socket) => {
      socket.write(bytes, () => below.end());
    }, true);
    const { ledger } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 0, protocol: { truncated: 8 } });
  });

  test('over TLS that a reset ends is none', async () => {
    const port = await serverThat((below, socket) => {
      socket.write(bytes, () => below.resetAndDestroy());
    }, true);
    const { ledger } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 0, network: { ECONNRESET: 8 } });
  });
});

test('over TLS a body that ends within a record is cut off', async () => {
  // The first bytes of a record, behind a whole one: as of a server that is killed.
  const port = await serverThat((below, socket) => {
    socket.write(`${HEAD}hello`, () => {
      const started = Buffer.concat([Buffer.from([23, 3, 3, 16, 0]), Buffer.alloc(1000)]);
      below.write(started, () => below.end());
    });
  }, true);
  const { ledger } = await ledgerOf(port, true);
  expect(ledger).toMatchObject({ started: 8, success: 0, protocol: { truncated: 8 } });
});

test('over TLS a body with a length, or in chunks, needs no close_notify', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
  for (const bytes of ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', chunked]) {
    const port = await serverThat((below, socket) => {
      socket.write(bytes, () => below.end());
    }, true);
    const { ledger } = await ledgerOf(port, true);
    expect(ledger).toMatchObject({ started: 8, success: 8 });
  }
});

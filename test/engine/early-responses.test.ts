/** Servers that respond to a large upload before they have read it, and then close the connection. */
// @module-tag load
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { jobOf, useTestEngine, runJob, targetOf, textBody } from '../support/test-engine.ts';
import { responseText, createSelfSigned, type Certificate } from '../support/raw-target.ts';

const testEngine = useTestEngine();

const CLIENTS = 2;
/** Larger than the buffers of a connection, so that a server that does not read leaves a part of it unsent. */
const UPLOAD = textBody('x'.repeat(8_000_000));
const REFUSAL = responseText(413, 'too large', ['Connection: close']);

/** Ends of the connection after the response, while the rest of the request is unread. */
const ENDS: readonly (readonly [name: string, end: (socket: Socket) => void])[] = [
  ['resets the connection', (socket) => socket.destroy()],
  ['half-closes the connection and stops reading', (socket) => socket.end()],
  ['continues reading and closes the connection', (socket) => socket.resume().end()],
];

let created: Certificate | null = null;
/** Returns the certificate of all TLS servers. */
const certificate = (): Certificate => (created ??= createSelfSigned());

/** Starts a server that responds to the first bytes of each connection, and then calls `end`. */
async function startServer(
  secure: boolean,
  end: (socket: Socket) => void,
  response = REFUSAL,
): Promise<{ port: number; responded: () => number }> {
  let responded = 0;
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      responded++;
      socket.write(response, () => end(socket));
    });
  };
  const server = secure ? createTlsServer(certificate(), accept) : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A TCP server has a numeric port.
  return { port: (server.address() as AddressInfo).port, responded: () => responded };
}

describe.each([
  ['plain', false],
  ['TLS', true],
])('%s: an early response to an upload', (_kind, secure) => {
  test('an early 413 response to an upload counts as an HTTP error, even if the server then resets the connection, stops reading, or reads on and closes the connection', async () => {
    const shops = await Promise.all(ENDS.map(([, end]) => startServer(secure, end)));
    const uploads = shops.map(({ port }) => targetOf(port, { secure, method: 'POST', body: UPLOAD }));
    const { report } = await runJob(
      testEngine.engine,
      jobOf(uploads, { total: CLIENTS, threads: 1, tlsVerify: false, timeout: 10_000 }),
    );
    for (const [index, [name]] of ENDS.entries()) {
      const ledger = report.targets[index]?.ledger;
      // If the machine stalls for a second, clients are skipped and counted.
      const started = CLIENTS - (ledger?.notStarted.saturated ?? 0);
      expect(shops[index]?.responded(), name).toBe(started);
      expect(ledger, name).toMatchObject({ started, httpError: { 413: started }, network: {}, protocol: {} });
    }
  });

  test('a connection is not reused after an early response to an upload, even if a small request preceded the upload', async () => {
    const shop = await startServer(
      secure,
      (socket) => {
        socket.resume();
        socket.once('data', () => {
          socket.pause();
          socket.write(responseText(200, 'ok'));
        });
      },
      responseText(200, 'ok'),
    );
    const small = targetOf(shop.port, { secure });
    const upload = targetOf(shop.port, { secure, method: 'POST', body: UPLOAD });
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf([small, upload, small], { total: 2, threads: 1, timeout: 10_000 }),
    );
    expect(ledger).toMatchObject({ planned: 6, success: 6, network: {}, timeout: { response: 0 } });
    // The first and the third request of each client begin a connection.
    expect(shop.responded()).toBe(4);
  });
});

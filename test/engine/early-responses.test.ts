/** Servers that answer a request with a large body before they have read it, and go. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { responseText, createSelfSigned } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const CLIENTS = 10;
const REFUSAL = responseText(413, 'too large', ['Connection: close']);

/** What becomes of the connection when the answer is out, and the rest of the request is not read. */
const ENDS: readonly (readonly [name: string, end: (socket: Socket) => void])[] = [
  ['resets the connection', (socket) => socket.destroy()],
  ['closes its half, and reads no more', (socket) => socket.end()],
  ['reads on, and closes', (socket) => socket.resume().end()],
];

/** Answers to the first bytes of each connection. */
async function open(
  secure: boolean,
  end: (socket: Socket) => void,
): Promise<{ port: number; answered: () => number }> {
  let answered = 0;
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      answered++;
      socket.write(REFUSAL, () => {
        end(socket);
      });
    });
  };
  const server = secure ? createTlsServer(createSelfSigned(), accept) : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server of TCP has such an address.
  return { port: (server.address() as AddressInfo).port, answered: () => answered };
}

describe.each([
  ['plain', false],
  ['TLS', true],
])('%s: the answer to an upload', (_kind, secure) => {
  test.each(ENDS)('is counted where the server %s', async (_name, end) => {
    const shop = await open(secure, end);
    const upload = targetOf(shop.port, { secure, method: 'POST', body: 'x'.repeat(8_000_000) });
    const { ledger } = await runJob(
      rig.engine,
      jobOf([upload], { total: CLIENTS, threads: 1, tlsVerify: false, timeout: 10_000 }),
    );
    // A machine that stands still for a second leaves clients out, and says so.
    const { started, notStarted } = ledger;
    expect(started).toBe(CLIENTS - notStarted.saturated);
    expect(shop.answered()).toBe(started);
    expect(ledger).toMatchObject({ httpError: { 413: started }, network: {}, protocol: {} });
  });
});

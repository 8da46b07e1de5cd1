/** Servers that answer a request with a large body before they have read it, and go. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { jobOf, openEngine, run, targetOf, type EngineRig } from '../rig/engine.ts';
import { answer } from '../rig/raw-target.ts';

let rig: EngineRig;
beforeAll(async () => {
  rig = await openEngine();
});
afterAll(() => rig.close());

const CLIENTS = 20;
const REFUSAL = answer(413, 'too large', ['Connection: close']);

/** What becomes of the connection when the answer is out, and the rest of the request is not read. */
const ENDS: readonly (readonly [name: string, end: (socket: Socket) => void])[] = [
  ['resets the connection', (socket) => socket.destroy()],
  ['closes its half, and reads no more', (socket) => socket.end()],
  ['reads on, and closes', (socket) => socket.resume().end()],
];

/** Answers to the first bytes of each connection. */
async function open(end: (socket: Socket) => void): Promise<{ port: number; answered: () => number }> {
  let answered = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      answered++;
      socket.write(REFUSAL, () => {
        end(socket);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server of TCP has such an address.
  return { port: (server.address() as AddressInfo).port, answered: () => answered };
}

test.each(ENDS)('the answer of one that %s is counted', async (_name, end) => {
  const shop = await open(end);
  const upload = targetOf(shop.port, { method: 'POST', body: 'x'.repeat(8_000_000) });
  const { ledger } = await run(rig.engine, jobOf([upload], { total: CLIENTS, threads: 1 }));
  expect(shop.answered()).toBe(CLIENTS);
  expect(ledger).toMatchObject({ httpError: { 413: CLIENTS }, network: {}, protocol: {} });
});

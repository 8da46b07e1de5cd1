/** The wait for the target under test, with servers that accept one connection at a time. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { hasNoListener, isResponding } from '../../../src/cli/session/web-server.ts';

/**
 * Starts a server that serves one connection at a time until the client closes it, like single-threaded
 * servers.
 */
async function startSingleServer(response: string) {
  const waiting: Socket[] = [];
  let served: Socket | null = null;
  const next = () => {
    served = waiting.shift() ?? null;
    served?.on('data', () => served?.write(response)).on('close', next);
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    waiting.push(socket);
    if (served === null) next();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of [served, ...waiting]) socket?.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    isServing: () => served !== null,
  };
}

test.each([
  ['a correct Content-Length', 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone'],
  ['a Content-Length that exceeds the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnone'],
  ['a body of 2 MB and no Content-Length', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(2_000_000)}`],
])('the readiness check closes its connection after a response with %s', async (_, response) => {
  const { url, isServing } = await startSingleServer(response);
  expect(await isResponding(url)).toBe(true);
  await expect.poll(isServing).toBe(false);
  // The next client is then served.
  expect(
    await fetch(url, { signal: AbortSignal.timeout(30_000) }).then(({ status }) => status),
  ).toBeGreaterThan(0);
});

test('hasNoListener returns false while a server listens on the port, and true after the server closes', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await hasNoListener(host)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await hasNoListener(host)).toBe(true);
});

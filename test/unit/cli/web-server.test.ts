/** The wait for the target under test, against servers that take their callers one after the other. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isResponding } from '../../../src/cli/session/web-server.ts';

/** Serves one connection at a time, for as long as its caller keeps it, as single-threaded servers do. */
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
  ['its length', 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone'],
  ['a length that never comes', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnone'],
  ['no end', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(2_000_000)}`],
])('leaves no connection behind after an answer with %s', async (_, response) => {
  const { url, isServing } = await startSingleServer(response);
  expect(await isResponding(url)).toBe(true);
  await expect.poll(isServing).toBe(false);
  // So the next one is served too.
  expect(
    await fetch(url, { signal: AbortSignal.timeout(1000) }).then(({ status }) => status),
  ).toBeGreaterThan(0);
});

/** Verification responses must not reveal the ports on which other programs listen. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/server/options.ts';
import { findFreePort } from '../support/free-port.ts';
import { openTestService } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

/** Opens a port and returns its number. */
async function openPort(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

test('a failed verification returns the same response for eleven causes of failure, with delays that differ by about a second at most', async () => {
  const stepMs = DEFAULT_LIMITS.refusalDelayStepMs;
  const rig = await openTestService({ mode: 'serve', limits: { refusalDelayStepMs: stepMs } });
  const slow = await openTestTarget((_, response) => {
    setTimeout(() => response.writeHead(404).end(), 2500).unref();
  });
  const target = await openTestTarget(servePages({}));
  const hosts: Readonly<Record<string, string>> = {
    'a closed port': `127.0.0.1:${await findFreePort()}`,
    'the wrong content': target.host,
    'a slow server': slow.host,
    'a port that sends nothing': `127.0.0.1:${await openPort(() => undefined)}`,
    'another protocol': `127.0.0.1:${await openPort((socket) => socket.write('220 mail\r\n'))}`,
    'a port that closes the connection': `127.0.0.1:${await openPort((socket) => socket.destroy())}`,
    'a port that the service never contacts': '127.0.0.1:25',
    'the service itself': `127.0.0.1:${rig.service.port}`,
    'an address that the service never contacts': '169.254.169.254',
    'a private address': '10.0.0.1',
    'an unknown host name': 'nobody.invalid',
  };
  // The response states for hosts that are loopback addresses by their names that they need the file too.
  const loopbackHint = '; the file is required even on the same machine';
  const outcomes = await Promise.all(
    Object.entries(hosts).map(async ([name, app]) => {
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app } })).json;
      const started = performance.now();
      const response = await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'http' } });
      const durationMs = performance.now() - started;
      // The host and the id differ, because the client chooses them.
      const text = response.text
        .replaceAll(app, 'HOST')
        .replaceAll(id, 'ID')
        .replace(app.startsWith('127.') ? loopbackHint : '', '');
      return {
        name,
        status: response.status,
        text,
        headers: [...response.headers.keys()].sort(),
        durationMs,
      };
    }),
  );
  const [first] = outcomes;
  for (const { name, durationMs, ...response } of outcomes) {
    expect(response, name).toEqual({ status: first?.status, text: first?.text, headers: first?.headers });
    expect(durationMs, name).toBeGreaterThanOrEqual(stepMs - 20);
    expect(durationMs, name).toBeLessThan(stepMs + 1000);
  }
  expect(first?.status).toBe(422);
});

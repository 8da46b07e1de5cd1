/** Whoever may verify hosts must not learn by it what listens where. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/server/options.ts';
import { findFreePort } from '../support/free-port.ts';
import { openTestService } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

/** What listens on a port: says something, or nothing at all, to everybody who connects. */
async function listener(onConnection: (socket: Socket) => void): Promise<number> {
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

test('a host that does not verify is answered with the same words after the same time, whatever listens there', async () => {
  const grain = DEFAULT_LIMITS.refusalDelayStepMs;
  const rig = await openTestService({ mode: 'serve', limits: { refusalDelayStepMs: grain } });
  const slow = await openTestTarget((_, response) => {
    setTimeout(() => response.writeHead(404).end(), 2500).unref();
  });
  const target = await openTestTarget(servePages({}));
  const hosts: Readonly<Record<string, string>> = {
    'a closed port': `127.0.0.1:${await findFreePort()}`,
    'the wrong content': target.host,
    'a slow server': slow.host,
    'a port that says nothing, as one behind a filter': `127.0.0.1:${await listener(() => undefined)}`,
    'another protocol': `127.0.0.1:${await listener((socket) => socket.write('220 mail\r\n'))}`,
    'a port that hangs up': `127.0.0.1:${await listener((socket) => socket.destroy())}`,
    'a port that is never dialled': '127.0.0.1:25',
    'an address that is never dialled': '169.254.169.254',
    'a private address': '10.0.0.1',
    'the service itself': `127.0.0.1:${rig.service.port}`,
    'no such name': 'nobody.invalid',
  };
  const found = await Promise.all(
    Object.entries(hosts).map(async ([what, app]) => {
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app } })).json;
      const started = performance.now();
      const response = await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'http' } });
      const took = performance.now() - started;
      // All but the host and the id, which the caller has given.
      const text = response.text.replaceAll(app, 'HOST').replaceAll(id, 'ID');
      return { what, status: response.status, text, headers: [...response.headers.keys()].sort(), took };
    }),
  );
  const [first] = found;
  for (const { what, took, ...answer } of found) {
    expect(answer, what).toEqual({ status: first?.status, text: first?.text, headers: first?.headers });
    expect(took, what).toBeGreaterThanOrEqual(grain - 20);
    expect(took, what).toBeLessThan(grain + 1000);
  }
  expect(first?.status).toBe(422);
});

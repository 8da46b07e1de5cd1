/** Recordings of the proxy of `loadtests record`, if traffic continues after the end of a recording. */
import { EventEmitter, once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../../src/cli/session/recording-proxy.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

async function startProxy(target: string): Promise<RecordingProxy> {
  const proxy = await startRecordingProxy([{ target: new URL(target), port: 0 }]);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Opens a tunnel through the proxy. */
async function openTunnel({ origin }: RecordingProxy, authority: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const sent = request({ host: hostname, port, method: 'CONNECT', path: authority }).end();
  const [, socket] = (await once(sent, 'connect')) as [IncomingMessage, Socket];
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Opens a TLS connection in a tunnel. */
async function openSecureTunnel(proxy: RecordingProxy, authority: string): Promise<TLSSocket> {
  const socket = connect({ socket: await openTunnel(proxy, authority), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

const UNUSED: unknown = expect.stringContaining(
  'a client opened a connection through the proxy, but sent no request',
);

test('an exchange that ends after its recording is not part of the next recording', async () => {
  const arrivals = new EventEmitter();
  const target = await openTestTarget((_, response) => void arrivals.emit('request', response));
  const proxy = await startProxy(target.url);
  const arrived = once(arrivals, 'request');
  const received = fetch(`${proxy.origin}/slow`);
  const [response] = (await arrived) as [ServerResponse];
  expect(proxy.take().exchanges).toEqual([]);
  response.end('late');
  expect(await (await received).text()).toBe('late');
  target.respondWith(servePages({ '/next': 'next' }));
  await (await fetch(`${proxy.origin}/next`)).text();
  expect(proxy.take().exchanges.map(({ url }) => url)).toEqual([`${target.url}/next`]);
});

test('a recording reports an unused TLS tunnel, even if an older tunnel receives its first request in this recording', async () => {
  const target = 'localhost:9443';
  const proxy = await startProxy(`https://${target}`);
  const older = await openSecureTunnel(proxy, target);
  expect(proxy.take().omitted).toEqual([UNUSED]);
  const unused = await openSecureTunnel(proxy, target);
  older.write(`GET / HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
  await once(older, 'data');
  expect(proxy.take().omitted).toEqual([UNUSED]);
  unused.destroy();
});

test('a recording does not report an unused tunnel to a target without TLS, because its clients need no certificate', async () => {
  const target = await openTestTarget(servePages({}));
  const proxy = await startProxy(target.url);
  await openTunnel(proxy, target.host);
  expect(proxy.take().omitted).toEqual([]);
});

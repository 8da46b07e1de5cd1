/** Several addresses of a host: connections use them in turn, and the report has one entry for each. */
// @module-tag load
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createSelfSigned, responseText } from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';

const testEngine = useTestEngine();

async function listen(server: Server, address: string, port = 0): Promise<number> {
  server.listen(port, address);
  await new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  onTestFinished(() => {
    server.close();
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** Opens a server on two addresses with the same port, and counts their requests. */
async function openPair() {
  const requests = { '127.0.0.1': 0, '127.0.0.2': 0 };
  const serverOf = (address: keyof typeof requests) =>
    createServer((_, response) => {
      requests[address]++;
      response.statusCode = address === '127.0.0.2' ? 500 : 200;
      response.end('ok');
    });
  const port = await listen(serverOf('127.0.0.1'), '127.0.0.1');
  await listen(serverOf('127.0.0.2'), '127.0.0.2', port);
  return { port, requests };
}

test.each([1, 2])(
  'with a thread count of %i, the clients of an open test are divided equally between two addresses of a host, and the report contains the counts for each address',
  async (threads) => {
    const { port, requests } = await openPair();
    const target = targetOf(port, { addresses: ['127.0.0.1', '127.0.0.2'] });
    const { report } = await runJob(testEngine.engine, jobOf([target], { total: 20, threads }));
    expect(requests).toEqual({ '127.0.0.1': 10, '127.0.0.2': 10 });
    expect(report.addresses).toEqual([
      { address: `127.0.0.1:${port}`, connections: 10, requests: 10, failed: 0, tls: {} },
      { address: `127.0.0.2:${port}`, connections: 10, requests: 10, failed: 10, tls: {} },
    ]);
  },
);

test('the four connections of a cycling test are divided equally between the two addresses of a host, and the report counts the requests of each address', async () => {
  const { port, requests } = await openPair();
  const target = targetOf(port, { addresses: ['127.0.0.1', '127.0.0.2'] });
  const load = { testType: 'cycling', initial: 4, total: 4, duration: 300, threads: 2 } as const;
  const { report } = await runJob(testEngine.engine, jobOf([target], load));
  const [first, second] = report.addresses;
  expect(first).toMatchObject({ connections: 2, requests: requests['127.0.0.1'], failed: 0 });
  expect(second).toMatchObject({
    connections: 2,
    requests: requests['127.0.0.2'],
    failed: requests['127.0.0.2'],
  });
});

test('the report shows no connections for an address that refuses them, and counts each attempt as a failed request', async () => {
  const port = await listen(
    createServer((_, response) => response.end('ok')),
    '127.0.0.1',
  );
  const target = targetOf(port, { addresses: ['127.0.0.1', '127.0.0.2'] });
  const { report } = await runJob(testEngine.engine, jobOf([target], { total: 10 }));
  expect(report.addresses).toEqual([
    { address: `127.0.0.1:${port}`, connections: 5, requests: 5, failed: 0, tls: {} },
    { address: `127.0.0.2:${port}`, connections: 0, requests: 5, failed: 5, tls: {} },
  ]);
});

test.each([
  ['with ALPN', ['http/1.1'], 'TLSv1.3 http/1.1'],
  ['without ALPN', [], 'TLSv1.3'],
])(
  'the report counts the connections to a TLS server %s by negotiated TLS version and ALPN protocol',
  async (_name, protocols, expected) => {
    const options = protocols.length === 0 ? {} : { ALPNProtocols: protocols };
    const server = createTlsServer({ ...createSelfSigned(), ...options }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write(responseText(200, 'ok')));
    });
    const port = await listen(server, '127.0.0.1');
    const { report } = await runJob(
      testEngine.engine,
      jobOf([targetOf(port, { secure: true })], { total: 4, threads: 1 }),
    );
    expect(report.addresses).toEqual([
      { address: `127.0.0.1:${port}`, connections: 4, requests: 4, failed: 0, tls: { [expected]: 4 } },
    ]);
  },
);

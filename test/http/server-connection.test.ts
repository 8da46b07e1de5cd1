/** Settings of connections, from the API to the target and back. */
// @module-tag load
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { openClosedTarget } from '../support/closed-target.ts';
import { openTestService, waitUntil } from '../support/test-service.ts';

const WORKER = new URL('../../dist/engine/thread.js', import.meta.url);

test.each([1, 4])(
  'a run with a thread count of %i sends the client certificate of the test, and the API responses about the test do not contain the private key',
  async (threads) => {
    const { authority, requests, port } = await openClosedTarget('shop.test');
    const host = `127.0.0.1:${port}`;
    const runner = createEngine({ threadUrl: WORKER, version: '0.0.0-test' });
    const service = await openTestService({ runner, threads });
    await service.verifiedApp(host);
    const entry = {
      ...authority.sign('client'),
      ca: authority.pem,
      server_name: 'shop.test',
      tls_min: '1.3',
    };
    const json = {
      ...{ test_type: 'non-cycling', total: 8, duration: 1, urls: [{ url: `https://${host}/` }] },
      connection: { [host]: entry },
    };
    const created = await service.call('POST', '/v2/tests', { json });
    expect(created.json.errors).toBeUndefined();
    const { test_id: testId, result_id: resultId } = created.json;
    const result = await waitUntil(async () => {
      const response = await service.call('GET', `/v2/tests/${testId}/results/${resultId}`);
      return (response.json as { status?: string }).status === 'ready' ? response : null;
    });
    expect(result.json).toMatchObject({
      ledger: { started: 8, success: 8 },
      addresses: [{ address: host, connections: 8, tls: { 'TLSv1.3 http/1.1': 8 } }],
    });
    expect([...requests]).toEqual([['client', 8]]);
    const record = await service.call('GET', `/v2/tests/${testId}`);
    const { key, ...shown } = entry;
    expect(record.json).toMatchObject({ connection: { [host]: shown } });
    const list = await service.call('GET', '/v2/tests');
    for (const { text } of [created, result, record, list]) {
      expect(text).not.toContain('PRIVATE KEY');
      expect(text).not.toContain(key.split('\n')[1]);
    }
  },
);

test.each<[string, object, string]>([
  ['a text that is not a certificate', { cert: 'x', key: 'y' }, '"cert" contains no valid certificate'],
  ['a key without a certificate', { key: 'y' }, '"key" requires "cert"; set both'],
  ['an invalid server name', { server_name: '127.0.0.1' }, '"127.0.0.1" is not a valid server name'],
])('the service refuses connection settings with %s', async (_name, entry, message) => {
  const service = await openTestService();
  const app = await service.verifiedApp('127.0.0.1:4443');
  expect(app).toBeTruthy();
  const json = {
    ...{ test_type: 'non-cycling', total: 8, duration: 1, urls: [{ url: 'https://127.0.0.1:4443/' }] },
    connection: { '127.0.0.1:4443': entry },
  };
  const { status, json: body } = await service.call('POST', '/v2/tests', { json });
  expect(status).toBe(422);
  expect(body.errors.join()).toContain(message);
});

test('the service refuses connection settings for a host that the test does not use', async () => {
  const service = await openTestService();
  await service.verifiedApp('127.0.0.1:4443');
  const json = {
    ...{ test_type: 'non-cycling', total: 8, duration: 1, urls: [{ url: 'https://127.0.0.1:4443/' }] },
    connection: { 'other.example': { tls_min: '1.3' } },
  };
  const { status, json: body } = await service.call('POST', '/v2/tests', { json });
  expect(status).toBe(422);
  expect(body.errors).toEqual([
    'no URL of the test has the host "other.example"; remove this host from "connection"',
  ]);
});

/** Opens two servers with the same port, of which only the first serves the files of `pages`. */
async function openAddresses() {
  const pages = new Map<string, string>();
  const hosts: string[] = [];
  const respond = (address: string) =>
    createHttpServer((request, response) => {
      const page = pages.get(request.url ?? '');
      if (request.url === '/') hosts.push(`${address} ${String(request.headers.host)}`);
      const isFound = request.url === '/' || (page !== undefined && address !== '127.0.0.3');
      response.statusCode = isFound ? 200 : 404;
      response.end(page ?? '');
    });
  let port = 0;
  for (const address of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) {
    const server = respond(address);
    server.listen(port, address);
    await new Promise((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
    port = (server.address() as AddressInfo).port; // it listens on TCP
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
  }
  return { pages, hosts, port };
}

test('load is sent to the addresses that a test sets for its host, but only if all of them are verified', async () => {
  const { pages, hosts, port } = await openAddresses();
  const runner = createEngine({ threadUrl: WORKER, version: '0.0.0-test' });
  const service = await openTestService({ mode: 'serve', runner, threads: 1 });
  const host = `shop.invalid:${port}`;
  const { json: app } = await service.call('POST', '/v2/apps', { form: { app: host } });
  pages.set(`/${app.verification_id}.txt`, app.verification_id);
  const verify = async (resolve: readonly string[]) => {
    const json = { method: 'http', connection: { resolve } };
    return (await service.call('POST', `/v2/apps/${app.app_id}/verify`, { json })).status;
  };
  expect(await verify(['127.0.0.1', '127.0.0.3'])).toBe(422);
  expect(await verify(['127.0.0.1', '127.0.0.2'])).toBe(200);
  const create = async (resolve: readonly string[]) =>
    await service.call('POST', '/v2/tests', {
      json: {
        ...{ test_type: 'non-cycling', total: 4, duration: 1, urls: [{ url: `http://${host}/` }] },
        connection: { [host]: { resolve } },
      },
    });
  for (const refused of ['127.0.0.3', '169.254.169.254'])
    expect((await create(['127.0.0.1', refused])).status).toBe(422);
  expect(hosts).toEqual([]);
  const created = await create(['127.0.0.1', '127.0.0.2']);
  expect(created.json.errors).toBeUndefined();
  const { test_id: testId, result_id: resultId } = created.json;
  const result = await waitUntil(async () => {
    const response = await service.call('GET', `/v2/tests/${testId}/results/${resultId}`);
    return (response.json as { status?: string }).status === 'ready' ? response : null;
  });
  expect(result.json).toMatchObject({
    ledger: { started: 4, success: 4 },
    addresses: ['127.0.0.1', '127.0.0.2'].map((address) => ({
      ...{ address: `${address}:${port}`, connections: 2, requests: 2, failed: 0 },
    })),
  });
  expect([...hosts].sort()).toEqual([
    `127.0.0.1 ${host}`,
    `127.0.0.1 ${host}`,
    `127.0.0.2 ${host}`,
    `127.0.0.2 ${host}`,
  ]);
});

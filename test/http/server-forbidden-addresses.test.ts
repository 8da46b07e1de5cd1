/**
 * Addresses that the service never calls for verification, load, callbacks or payload files, even if its
 * operator allows everything.
 */
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openNameServer } from '../support/name-server.ts';
import { openEmailRelay } from '../support/email-relay.ts';
import { openTestService, smallTestFields, waitUntil, type CallOptions } from '../support/test-service.ts';
import { sampleRows } from '../support/test-scale.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

const MODES = ['in-process', 'serve'] as const;

/** Addresses of cloud metadata services, in several spellings. */
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
];

/** A selection of the ports that browsers block. */
const BLOCKED_PORTS = [
  1, 21, 22, 25, 53, 110, 143, 389, 465, 587, 993, 2049, 5060, 6000, 6379, 6667, 10080, 11211,
];

function localAddresses(): readonly string[] {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const unscoped = own.filter(({ scopeid }) => scopeid === undefined || scopeid === 0);
  return [...new Set([...unscoped.map(({ address }) => address), '127.0.0.2', '::1', '::ffff:127.0.0.1'])];
}

async function openUnrestricted(mode: (typeof MODES)[number]) {
  const [names, relay, target] = [
    await openNameServer({}),
    await openEmailRelay(),
    await openTestTarget(servePages({})),
  ];
  const rig = await openTestService({
    mode,
    dnsServers: [names.address],
    smtp: relay.url,
    allowEmail: ['*'],
    allowCallbacks: ['*'],
    allowPrivate: ['0.0.0.0/0', '::/0'],
    limits: { verifyAttemptsPerMinute: 1000, totalVerifyAttemptsPerMinute: 10_000, finalDeliveryMs: 0 },
  });
  let calls = 0;
  const call = async (method: string, path: string, options?: CallOptions) => {
    calls++;
    return await rig.call(method, path, options);
  };
  const { app_id: id } = (await call('POST', '/v2/apps', { form: { app: 'shop.test' } })).json;
  /** Sets the addresses of both names. */
  const pointNames = (shop: string, other: string) => {
    const zone = (address: string) => (address.includes(':') ? { aaaa: [address] } : { a: [address] });
    names.serve({ 'shop.test': { ...zone(shop), txt: [`service=${id}`] }, 'other.test': zone(other) });
  };
  const verifyShop = async () => {
    pointNames('127.0.0.1', '127.0.0.1');
    const response = await call('POST', `/v2/apps/${id}/verify`, { form: { method: 'dns' } });
    expect(response.status).toBe(200);
  };
  await verifyShop();
  const create = async (changes: Readonly<Record<string, unknown>>) =>
    await call('POST', '/v2/tests', { json: smallTestFields(`http://shop.test:${target.port}/`, changes) });
  // This load is allowed, so the refusals below have another reason.
  expect((await create({})).status).toBe(200);

  /** Requests every kind of call to an address and port; the service must make none of them. */
  const expectNoCalls = async (address: string, port: number) => {
    const literal = address.includes(':') ? `[${address}]` : address;
    pointNames('127.0.0.1', address);
    for (const host of [`other.test:${port}`, `${literal}:${port}`]) {
      const { app_id: app } = (await call('POST', '/v2/apps', { form: { app: host } })).json;
      expect((await call('POST', `/v2/apps/${app}/verify`)).status, `verifying ${host}`).toBe(422);
      const file = `http://${host}/rows.json`;
      const urls = [{ url: `http://shop.test:${target.port}/`, payload_file_url: file }];
      const response = await create({ urls });
      expect(response.json.errors, file).toEqual([
        'urls[0]: the file at "payload_file_url" could not be downloaded',
      ]);
    }
    const { json } = await create({ callback: `http://other.test:${port}/hook` });
    expect(json.errors).toBeUndefined();
    rig.runner.latest().end();
    await waitUntil(async () => {
      const entry = (await call('GET', '/v2/callbacks')).list.find((item) => item.test_id === json.test_id);
      return entry?.last_error === 'not_allowed' ? true : null;
    });
    // A verified host at another address or on another port.
    pointNames(address, address);
    const load = await create({ urls: [{ url: `http://shop.test:${port}/` }] });
    expect(load.status, `load on ${address}, port ${port}`).toBe(422);
    await verifyShop();
  };
  return {
    rig,
    relay,
    target,
    expectNoCalls,
    /** Counts requests to the service that this test did not send. */
    countOtherRequests: async () => {
      await waitUntil(() => (requests() >= calls ? true : null));
      return requests() - calls;
    },
  };

  function requests(): number {
    return rig.log.filter(({ event }) => event === 'request').length;
  }
}

describe.each(MODES)('forbidden addresses of a service in mode %s', (mode) => {
  test('the service does not call cloud metadata addresses for verification, payload files, callbacks or load', async () => {
    const { expectNoCalls } = await openUnrestricted(mode);
    // The unit test of the rule covers all addresses, and `TEST_SCALE=1` tries all of them here.
    for (const address of sampleRows(METADATA, 4)) await expectNoCalls(address, 80);
  });

  test('the service does not call itself or its mail relay at any local address', async () => {
    const { rig, relay, expectNoCalls, countOtherRequests } = await openUnrestricted(mode);
    const ports = [rig.service.port, relay.port];
    const addresses = localAddresses();
    // By default, each address is tried with one of the ports in one mode, and with the other port in the other mode.
    const calls = addresses.flatMap((address, index) => {
      const order = (index + MODES.indexOf(mode)) % 2 === 0 ? ports : ports.toReversed();
      return order.map((port) => [address, port] as const);
    });
    for (const [address, port] of sampleRows(calls, addresses.length)) await expectNoCalls(address, port);
    expect(await countOtherRequests()).toBe(0);
    expect(relay.connections).toBe(0);
  });

  test('the service calls none of several ports that browsers block', async () => {
    const { rig, target, expectNoCalls } = await openUnrestricted(mode);
    // The unit test of the rule covers all ports; `TEST_SCALE=1` tries more of them.
    for (const port of sampleRows(BLOCKED_PORTS, 6)) await expectNoCalls('127.0.0.1', port);
    const kinds = rig.log.filter(({ event }) => event === 'not-verified').map((line) => line['kind']);
    expect(new Set(kinds)).toEqual(new Set(['refused']));
    expect(target.requests).toEqual([]);
  });
});

describe('a service behind a proxy', () => {
  /** Tries calls of users to the machine of the service. */
  async function tryLocalCalls(publicUrl: string) {
    const names = await openNameServer({});
    const local = await openTestTarget(servePages({ '/rows.json': '{"keys": ["a"], "values": [["x"]]}' }));
    const { port } = new URL(local.url);
    names.serve({ 'inside.test': { a: ['127.0.0.1'] } });
    const rig = await openTestService({
      mode: 'serve',
      publicUrl,
      dnsServers: [names.address],
      // The maximum that an operator can allow by name.
      allowCallbacks: ['*'],
    });
    const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: local.host } })).json;
    local.respondWith(servePages({ [`/service-${id}.txt`]: `service-${id}` }));
    const verified = await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'http' } });
    const payload = async (host: string) => {
      const urls = [{ url: local.url, payload_file_url: `http://${host}:${port}/rows.json` }];
      return (await rig.call('POST', '/v2/tests', { json: smallTestFields(local.url, { urls }) })).status;
    };
    return { verified: verified.status, payload, requests: () => local.requests };
  }

  test('a service behind a public proxy does not call loopback addresses', async () => {
    const { verified, payload, requests } = await tryLocalCalls('https://loads.example.com');
    expect(verified).toBe(422);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'inside.test'])
      expect(await payload(host)).toBe(422);
    expect(requests()).toEqual([]);
  });

  test('a service behind a local proxy calls a loopback address to verify an app', async () => {
    const { verified, requests } = await tryLocalCalls('http://localhost:8080');
    expect(verified).toBe(200);
    expect(requests()).not.toEqual([]);
  });
});

test('a service behind a public proxy refuses a callback to a loopback address', async () => {
  const rig = await openTestService({ mode: 'serve', publicUrl: 'https://loads.example.com' });
  const changes = { callback: 'http://127.0.0.1:4080/hook' };
  const response = await rig.call('POST', '/v2/tests', {
    json: smallTestFields('http://127.0.0.1:4080/', changes),
  });
  expect([response.status, response.json.errors[0]]).toEqual([
    422,
    expect.stringContaining(
      'neither a verified app nor a host that the service is allowed to contact; declare the host as an app',
    ),
  ]);
});

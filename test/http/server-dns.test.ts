import { describe, expect, test } from 'vitest';
import { openNameServer, type NameServer, type Zone } from '../support/name-server.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget, servePages, type TestTarget } from '../support/test-target.ts';

interface NamedShop {
  readonly rig: TestService;
  readonly names: NameServer;
  readonly id: string;
  readonly token: string;
  /** Content of the valid TXT record. */
  readonly record: string;
  verify(method?: string): ReturnType<TestService['call']>;
  status(): Promise<string>;
}

type RigOptions = NonNullable<Parameters<typeof openTestService>[0]>;

async function openNamedShop(host: string, options: RigOptions = {}): Promise<NamedShop> {
  const names = await openNameServer({});
  const rig = await openTestService({ mode: 'serve', dnsServers: [names.address], ...options });
  const { app_id: id, verification_id: token } = (await rig.call('POST', '/v2/apps', { form: { app: host } }))
    .json;
  return {
    rig,
    names,
    id,
    token,
    record: `service=${id}`,
    verify: async (method = 'dns') => await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method } }),
    status: async () => (await rig.call('GET', `/v2/apps/${id}`)).json.status,
  };
}

describe('verification with a valid TXT record', () => {
  test.each<[string, string, (record: string) => Zone]>([
    ['on the host of the app', 'www.shop.test', (record) => ({ 'www.shop.test': { txt: [record] } })],
    ['on the root domain of the host', 'www.shop.test', (record) => ({ 'shop.test': { txt: [record] } })],
    [
      'on a domain between the host and the root domain',
      'a.b.c.shop.test',
      (record) => ({ 'c.shop.test': { txt: [record] } }),
    ],
    ['for a host with a port', 'shop.test:8443', (record) => ({ 'shop.test': { txt: [record] } })],
    [
      'among other records',
      'shop.test',
      (record) => ({ 'shop.test': { txt: ['v=spf1 -all', `service=${'0'.repeat(32)}`, record] } }),
    ],
    [
      'that is split into several strings',
      'shop.test',
      (record) => ({ 'shop.test': { txt: [[record.slice(0, 5), record.slice(5, 9), record.slice(9)]] } }),
    ],
    [
      'on the root domain, even if the host has no record',
      'www.shop.test',
      (record) => ({ 'www.shop.test': { a: ['127.0.0.1'] }, 'shop.test': { txt: [record] } }),
    ],
    [
      'on the root domain, even if the query for the host fails',
      'www.shop.test',
      (record) => ({ 'www.shop.test': { fails: { how: 'SERVFAIL' } }, 'shop.test': { txt: [record] } }),
    ],
  ])('an app is verified by a TXT record %s', async (_, host, zone) => {
    const shop = await openNamedShop(host);
    shop.names.serve(zone(shop.record));
    const response = await shop.verify();
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ app_id: shop.id, message: 'success' });
    expect(await shop.status()).toBe('verified');
    // Verification by DNS sends no request to the host.
    expect(shop.names.queries.every((question) => question.startsWith('TXT '))).toBe(true);
  });
});

describe('verification with an invalid TXT record', () => {
  test.each<[string, (record: string) => Zone]>([
    ['a host name that does not exist', () => ({})],
    ['no TXT record', () => ({ 'www.shop.test': { a: ['127.0.0.1'] } })],
    [
      'a TXT record with the token of another app',
      () => ({ 'www.shop.test': { txt: [`service=${'0'.repeat(32)}`] } }),
    ],
    [
      'a TXT record with a dash instead of the equals sign',
      (record) => ({ 'www.shop.test': { txt: [record.replace('=', '-')] } }),
    ],
    ['a TXT record with only the token', (record) => ({ 'www.shop.test': { txt: [record.slice(8)] } })],
    ['a TXT record in uppercase', (record) => ({ 'www.shop.test': { txt: [record.toUpperCase()] } })],
    [
      'TXT records with additional characters',
      (record) => ({ 'www.shop.test': { txt: [` ${record}`, `${record}x`] } }),
    ],
    [
      'the valid TXT record split into two records',
      (record) => ({ 'www.shop.test': { txt: [record.slice(0, 9), record.slice(9)] } }),
    ],
    ['the TXT record on the top-level domain', (record) => ({ test: { txt: [record] } })],
    ['the TXT record on a sibling domain', (record) => ({ 'api.shop.test': { txt: [record] } })],
    ['the TXT record on a subdomain', (record) => ({ 'a.www.shop.test': { txt: [record] } })],
    [
      'a name server that fails',
      () => ({ 'www.shop.test': { fails: { how: 'SERVFAIL' } }, 'shop.test': { fails: { how: 'REFUSED' } } }),
    ],
    [
      'a name server that sends an invalid response',
      () => ({ 'www.shop.test': { fails: { how: 'garbage' } } }),
    ],
    ['a name server that does not respond', () => ({ 'www.shop.test': { fails: { how: 'silence' } } })],
  ])('DNS verification of an app fails with %s', async (_, zone) => {
    const shop = await openNamedShop('www.shop.test');
    shop.names.serve(zone(shop.record));
    const response = await shop.verify();
    expect(response.status).toBe(422);
    expect(response.json).toEqual({
      app_id: shop.id,
      message: 'error',
      errors: [
        "can't verify domain www.shop.test: possible causes: no TXT record with the token exists at the host or a domain above it; the host name cannot be resolved; an IP address is not allowed to receive load",
      ],
    });
    expect(await shop.status()).toBe('unverified');
  });

  test('an IP address is not verified by DNS, and no query is sent', async () => {
    const shop = await openNamedShop('127.0.0.1:4080');
    expect((await shop.verify()).status).toBe(422);
    expect(shop.names.queries).toEqual([]);
  });
});

describe('domains above a host', () => {
  const queriedNames = (shop: NamedShop) =>
    shop.names.queries.map((question) => question.replace('TXT ', ''));

  test('for DNS verification, the service queries the host of an app and its parent domains, but not the top-level domain above a host', async () => {
    const shop = await openNamedShop('a.b.example.co.uk:8443');
    expect((await shop.verify()).status).toBe(422);
    expect(queriedNames(shop)).toEqual(['a.b.example.co.uk', 'b.example.co.uk', 'example.co.uk', 'co.uk']);
    for (const host of ['uk', 'shop']) {
      const alone = await openNamedShop(host);
      expect((await alone.verify()).status).toBe(422);
      expect(queriedNames(alone)).toEqual([host]);
    }
  });

  test.each([
    ['a.b.example.co.uk', 'example.co.uk'],
    ['a.b.example.co.uk', 'b.example.co.uk'],
    ['alice.github.io', 'alice.github.io'],
    ['www.alice.github.io', 'alice.github.io'],
  ])('a TXT record for the host %s is valid on the domain %s', async (host, domain) => {
    const shop = await openNamedShop(host);
    shop.names.serve({ [domain]: { txt: [shop.record] } });
    expect((await shop.verify()).status).toBe(200);
  });

  test.each([
    ['alice.github.io', 'bob.github.io'],
    ['example.co.uk', 'other.co.uk'],
    ['example.co.uk', 'uk'],
  ])('a TXT record for the host %s is invalid on the domain %s', async (host, domain) => {
    const shop = await openNamedShop(host);
    shop.names.serve({ [domain]: { txt: [shop.record] } });
    expect((await shop.verify()).status).toBe(422);
  });

  test.each(['github.io', 'co.uk'])(
    'a TXT record on the public suffix %s does not allow load without the verification file',
    async (suffix) => {
      const target = await openTestTarget(servePages({}));
      const host = `alice.${suffix}`;
      const shop = await openNamedShop(`${host}:${target.port}`);
      shop.names.serve({ [host]: { a: ['127.0.0.1'] }, [suffix]: { txt: [shop.record] } });
      // The owner of the suffix could point the name to their own server.
      expect((await shop.verify()).status).toBe(200);
      const json = smallTestFields(`http://${host}:${target.port}/`);
      expect((await shop.rig.call('POST', '/v2/tests', { json })).status).toBe(422);
      expect(shop.rig.runner.runs).toEqual([]);
    },
  );
});

test('the service queries at most six domains for a host name of 102 labels', async () => {
  const shop = await openNamedShop(`${'a.'.repeat(100)}shop.test`);
  expect((await shop.verify()).status).toBe(422);
  expect(new Set(shop.names.queries).size).toBeLessThanOrEqual(6);
});

test('a failed verification by file does not invalidate a verification by DNS, but a failed verification by DNS does', async () => {
  const target = await openTestTarget(servePages({}));
  const shop = await openNamedShop(`shop.test:${target.port}`);
  const zone = { a: ['127.0.0.1'], txt: [shop.record] };
  shop.names.serve({ 'shop.test': zone });
  expect((await shop.verify('dns')).status).toBe(200);
  expect((await shop.verify('http')).status).toBe(422);
  expect(await shop.status()).toBe('verified');
  shop.names.serve({ 'shop.test': { a: ['127.0.0.1'] } });
  expect((await shop.verify('dns')).status).toBe(422);
  expect(await shop.status()).toBe('unverified');
});

describe('load on a host with a TXT record', () => {
  async function create(shop: NamedShop, target: TestTarget) {
    return await shop.rig.call('POST', '/v2/tests', {
      json: smallTestFields(`http://shop.test:${target.port}/`),
    });
  }

  async function openVerified(options: RigOptions = {}) {
    const target = await openTestTarget(servePages({}));
    const shop = await openNamedShop(`shop.test:${target.port}`, options);
    shop.names.serve({ 'shop.test': { a: ['127.0.0.1'], txt: [shop.record] } });
    expect((await shop.verify()).status).toBe(200);
    return { target, shop };
  }

  test('load on a host requires the verification file in addition to the TXT record', async () => {
    const { target, shop } = await openVerified();
    const response = await create(shop, target);
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toContain('must serve the verification file as well');
    expect(await shop.status()).toBe('verified');
    expect(shop.rig.runner.runs).toEqual([]);
    target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
    expect((await create(shop, target)).status).toBe(200);
    expect(shop.rig.runner.latest().job.targets[0]?.addresses).toEqual(['127.0.0.1']);
  });

  test('load omits an address of the host that does not respond, and the log does not contain this as a failed check', async () => {
    const { target, shop } = await openVerified();
    const { log } = shop.rig;
    const failures = () => log.filter(({ event }) => event === 'not-verified').map(({ kind }) => kind);
    shop.names.serve({ 'shop.test': { a: ['127.0.0.1', '127.0.0.2'], txt: [shop.record] } });
    expect((await create(shop, target)).status).toBe(422);
    expect(failures().sort()).toEqual(['no_token', 'unreachable']);
    target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
    expect((await create(shop, target)).status).toBe(200);
    expect(shop.rig.runner.latest().job.targets[0]?.addresses).toEqual(['127.0.0.1']);
    expect(failures()).toHaveLength(2);
  });

  test('load does not require the verification file at addresses that the operator allows', async () => {
    const { target, shop } = await openVerified({ allowPrivate: ['127.0.0.0/8'] });
    expect((await create(shop, target)).status).toBe(200);
    expect(target.requests).toEqual([]);
  });

  test('load is refused without the TXT record, even if the host serves the verification file', async () => {
    const { target, shop } = await openVerified();
    target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
    shop.names.serve({ 'shop.test': { a: ['127.0.0.1'] } });
    expect((await create(shop, target)).status).toBe(422);
    expect(await shop.status()).toBe('unverified');
  });

  test('a run ends when the TXT record of its host is removed', async () => {
    const { target, shop } = await openVerified({
      allowPrivate: ['127.0.0.0/8'],
      limits: { hostCheckIntervalMs: 20 },
    });
    const { test_id: id } = (await create(shop, target)).json;
    const queriedNames = shop.names.queries.length;
    await waitUntil(() => (shop.names.queries.length > queriedNames + 2 ? true : null));
    expect(shop.rig.runner.latest().stops).toEqual([]);
    shop.names.serve({});
    const [result] = await waitUntil(async () => {
      const { list } = await shop.rig.call('GET', `/v2/tests/${id}/results`);
      return list[0]?.status === 'ready' ? list : null;
    });
    expect(result?.abort_reason).toBe('verification_lost');
  });

  test('load is refused if one of the addresses of the host is forbidden', async () => {
    const { target, shop } = await openVerified({ limits: { verifyAttemptsPerMinute: 20 } });
    target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
    for (const address of ['169.254.169.254', '10.0.0.1', '0.0.0.0', '224.0.0.1']) {
      shop.names.serve({ 'shop.test': { a: ['127.0.0.1', address], txt: [shop.record] } });
      expect((await create(shop, target)).status).toBe(422);
      shop.names.serve({ 'shop.test': { a: ['127.0.0.1'], txt: [shop.record] } });
      expect((await shop.verify()).status).toBe(200);
    }
    expect(shop.rig.runner.runs).toEqual([]);
  });
});

test('the host name of each callback is resolved again, and a callback to a forbidden address is not sent', async () => {
  const receiver = await openCallbackReceiver();
  const target = await openTestTarget(servePages({}));
  const shop = await openNamedShop(`shop.test:${target.port}`, { allowCallbacks: ['ci.test:*'] });
  target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
  const zone = { 'shop.test': { a: ['127.0.0.1'] } };
  const run = async (address: string) => {
    shop.names.serve({ ...zone, 'ci.test': { a: [address] } });
    const callback = `http://ci.test:${receiver.target.port}/`;
    const json = smallTestFields(`http://shop.test:${target.port}/`, { callback });
    const response = await shop.rig.call('POST', '/v2/tests', { json });
    expect(response.json.errors).toBeUndefined();
    shop.rig.runner.latest().end();
    return response.json.test_id;
  };
  expect((await shop.verify('http')).status).toBe(422);
  shop.names.serve(zone);
  expect((await shop.verify('http')).status).toBe(200);
  const first = await run('127.0.0.1');
  await waitUntil(() => (receiver.received.length === 1 ? true : null));
  await run('169.254.169.254');
  await waitUntil(async () => {
    const [entry] = (await shop.rig.call('GET', '/v2/callbacks')).list;
    return entry?.last_error === 'not_allowed' ? true : null;
  });
  expect(receiver.received.map(({ testId }) => testId)).toEqual([first]);
});

test.each(['shop', '127.0.0.1:x', '127.0.0.1:53:53'])(
  'a service with the invalid name server %j does not start',
  async (server) => {
    await expect(openTestService({ dnsServers: [server] })).rejects.toThrow(
      'contains an invalid name server address',
    );
  },
);

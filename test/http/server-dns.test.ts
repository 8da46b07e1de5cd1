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
  /** Content of the right TXT record. */
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
    ...{ rig, names, id, token },
    record: `service=${id}`,
    verify: async (method = 'dns') => await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method } }),
    status: async () => (await rig.call('GET', `/v2/apps/${id}`)).json.status,
  };
}

describe('an app is verified by a TXT record', () => {
  test.each<[string, string, (record: string) => Zone]>([
    ['on its host', 'www.shop.test', (record) => ({ 'www.shop.test': { txt: [record] } })],
    ['on its root domain', 'www.shop.test', (record) => ({ 'shop.test': { txt: [record] } })],
    ['on a domain between', 'a.b.c.shop.test', (record) => ({ 'c.shop.test': { txt: [record] } })],
    ['where the host has a port', 'shop.test:8443', (record) => ({ 'shop.test': { txt: [record] } })],
    [
      'among others',
      'shop.test',
      (record) => ({ 'shop.test': { txt: ['v=spf1 -all', `service=${'0'.repeat(32)}`, record] } }),
    ],
    [
      'that comes in pieces',
      'shop.test',
      (record) => ({ 'shop.test': { txt: [[record.slice(0, 5), record.slice(5, 9), record.slice(9)]] } }),
    ],
    [
      'on the root domain, though the host exists without one',
      'www.shop.test',
      (record) => ({ 'www.shop.test': { a: ['127.0.0.1'] }, 'shop.test': { txt: [record] } }),
    ],
    [
      'on the root domain, though the server fails for the host',
      'www.shop.test',
      (record) => ({ 'www.shop.test': { fails: { how: 'SERVFAIL' } }, 'shop.test': { txt: [record] } }),
    ],
  ])('%s', async (_, host, zone) => {
    const shop = await openNamedShop(host);
    shop.names.serve(zone(shop.record));
    const response = await shop.verify();
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ app_id: shop.id, message: 'success' });
    expect(await shop.status()).toBe('verified');
    // A verification by name calls nobody.
    expect(shop.names.queries.every((question) => question.startsWith('TXT '))).toBe(true);
  });
});

describe('an app stays unverified with', () => {
  test.each<[string, (record: string) => Zone]>([
    ['no such name', () => ({})],
    ['no TXT record', () => ({ 'www.shop.test': { a: ['127.0.0.1'] } })],
    ['the token of another app', () => ({ 'www.shop.test': { txt: [`service=${'0'.repeat(32)}`] } })],
    ['a dash for the equals sign', (record) => ({ 'www.shop.test': { txt: [record.replace('=', '-')] } })],
    ['the token alone', (record) => ({ 'www.shop.test': { txt: [record.slice(8)] } })],
    ['other letters', (record) => ({ 'www.shop.test': { txt: [record.toUpperCase()] } })],
    ['more around it', (record) => ({ 'www.shop.test': { txt: [` ${record}`, `${record}x`] } })],
    ['the record in two', (record) => ({ 'www.shop.test': { txt: [record.slice(0, 9), record.slice(9)] } })],
    ['the record on the top level', (record) => ({ test: { txt: [record] } })],
    ['the record on a sibling', (record) => ({ 'api.shop.test': { txt: [record] } })],
    ['the record below', (record) => ({ 'a.www.shop.test': { txt: [record] } })],
    [
      'a server that fails',
      () => ({ 'www.shop.test': { fails: { how: 'SERVFAIL' } }, 'shop.test': { fails: { how: 'REFUSED' } } }),
    ],
    ['a server that answers nonsense', () => ({ 'www.shop.test': { fails: { how: 'garbage' } } })],
    ['a server that does not answer', () => ({ 'www.shop.test': { fails: { how: 'silence' } } })],
  ])('%s', async (_, zone) => {
    const shop = await openNamedShop('www.shop.test');
    shop.names.serve(zone(shop.record));
    const response = await shop.verify();
    expect(response.status).toBe(422);
    expect(response.json).toEqual({
      app_id: shop.id,
      message: 'error',
      errors: ["can't verify domain www.shop.test"],
    });
    expect(await shop.status()).toBe('unverified');
  });

  test('an address for a name: nobody is asked about it', async () => {
    const shop = await openNamedShop('127.0.0.1:4080');
    expect((await shop.verify()).status).toBe(422);
    expect(shop.names.queries).toEqual([]);
  });
});

describe('of the domains above a host', () => {
  const asked = (shop: NamedShop) => shop.names.queries.map((question) => question.replace('TXT ', ''));

  test('all are asked, from the host on, but never a top level', async () => {
    const shop = await openNamedShop('a.b.example.co.uk:8443');
    expect((await shop.verify()).status).toBe(422);
    expect(asked(shop)).toEqual(['a.b.example.co.uk', 'b.example.co.uk', 'example.co.uk', 'co.uk']);
    for (const host of ['uk', 'localhost', 'shop']) {
      const alone = await openNamedShop(host);
      expect((await alone.verify()).status).toBe(422);
      expect(asked(alone)).toEqual([host]);
    }
  });

  test.each([
    ['a.b.example.co.uk', 'example.co.uk'],
    ['a.b.example.co.uk', 'b.example.co.uk'],
    ['alice.github.io', 'alice.github.io'],
    ['www.alice.github.io', 'alice.github.io'],
  ])('a record of %s may stand on %s', async (host, domain) => {
    const shop = await openNamedShop(host);
    shop.names.serve({ [domain]: { txt: [shop.record] } });
    expect((await shop.verify()).status).toBe(200);
  });

  test.each([
    ['alice.github.io', 'bob.github.io'],
    ['example.co.uk', 'other.co.uk'],
    ['example.co.uk', 'uk'],
  ])('a record of %s may not stand on %s', async (host, domain) => {
    const shop = await openNamedShop(host);
    shop.names.serve({ [domain]: { txt: [shop.record] } });
    expect((await shop.verify()).status).toBe(422);
  });

  test.each(['github.io', 'co.uk'])(
    'a record on the public suffix %s opens no load: the addresses must show the file',
    async (suffix) => {
      const target = await openTestTarget(servePages({}));
      const host = `alice.${suffix}`;
      const shop = await openNamedShop(`${host}:${target.port}`);
      shop.names.serve({ [host]: { a: ['127.0.0.1'] }, [suffix]: { txt: [shop.record] } });
      // Who writes there could lead the name to a server of his own.
      expect((await shop.verify()).status).toBe(200);
      const json = smallTestFields(`http://${host}:${target.port}/`);
      expect((await shop.rig.call('POST', '/v2/tests', { json })).status).toBe(422);
      expect(shop.rig.runner.runs).toEqual([]);
    },
  );
});

test('of a very long name few domains are asked', async () => {
  const shop = await openNamedShop(`${'a.'.repeat(100)}shop.test`);
  expect((await shop.verify()).status).toBe(422);
  expect(new Set(shop.names.queries).size).toBeLessThanOrEqual(6);
});

test('a method that fails does not take back what another has proven', async () => {
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

  test('needs the file as well: a name can be pointed at anybody', async () => {
    const { target, shop } = await openVerified();
    const response = await create(shop, target);
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toContain('must serve the file as well');
    expect(await shop.status()).toBe('verified');
    expect(shop.rig.runner.runs).toEqual([]);
    target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
    expect((await create(shop, target)).status).toBe(200);
    expect(shop.rig.runner.latest().job.targets[0]?.addresses).toEqual(['127.0.0.1']);
  });

  test('needs no file at addresses that the operator vouches for', async () => {
    const { target, shop } = await openVerified({ allowPrivate: ['127.0.0.0/8'] });
    expect((await create(shop, target)).status).toBe(200);
    expect(target.requests).toEqual([]);
  });

  test('needs the record: one that went refuses the run, though the file is there', async () => {
    const { target, shop } = await openVerified();
    target.respondWith(servePages({ [`/${shop.token}.txt`]: shop.token }));
    shop.names.serve({ 'shop.test': { a: ['127.0.0.1'] } });
    expect((await create(shop, target)).status).toBe(422);
    expect(await shop.status()).toBe('unverified');
  });

  test('ends when the record goes', async () => {
    const { target, shop } = await openVerified({
      allowPrivate: ['127.0.0.0/8'],
      limits: { hostCheckIntervalMs: 20 },
    });
    const { test_id: id } = (await create(shop, target)).json;
    const asked = shop.names.queries.length;
    await waitUntil(() => (shop.names.queries.length > asked + 2 ? true : null));
    expect(shop.rig.runner.latest().stops).toEqual([]);
    shop.names.serve({});
    const [result] = await waitUntil(async () => {
      const { list } = await shop.rig.call('GET', `/v2/tests/${id}/results`);
      return list[0]?.status === 'ready' ? list : null;
    });
    expect(result?.abort_reason).toBe('consent_withdrawn');
  });

  test('goes nowhere when one of the addresses is forbidden', async () => {
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

test('a callback goes to the addresses of its name at that time', async () => {
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

test.each(['shop', '127.0.0.1:x', '127.0.0.1:53:53'])('%j is no name server', async (server) => {
  await expect(openTestService({ dnsServers: [server] })).rejects.toThrow(
    'are not valid name server addresses',
  );
});

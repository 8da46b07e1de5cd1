import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../support/test-clock.ts';
import { openNameServer } from '../support/name-server.ts';
import { openEmailRelay, type EmailRelay } from '../support/email-relay.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openShop, reopenShop, type Shop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';

interface MailShop extends Shop {
  readonly relay: EmailRelay;
}

type ShopOptions = NonNullable<Parameters<typeof openShop>[0]>;

/** Its mail may go to anybody, unless a test says otherwise. */
async function openMailShop(options: ShopOptions = {}): Promise<MailShop> {
  const relay = await openEmailRelay();
  return { relay, ...(await openShop({ smtp: relay.url, allowEmail: ['*'], ...options })) };
}

async function create(shop: Shop, changes: Readonly<Record<string, unknown>> = {}) {
  return await shop.service.call('POST', '/v2/tests', {
    json: smallTestFields(`${shop.target.url}/`, { callback_email: 'team@shop.example', ...changes }),
  });
}

async function endedRun(shop: Shop, changes: Readonly<Record<string, unknown>> = {}) {
  const response = await create(shop, changes);
  expect(response.json.errors).toBeUndefined();
  shop.service.runner.latest().end();
  return response.json;
}

async function entriesOf(rig: TestService) {
  return (await rig.call('GET', '/v2/callbacks')).list;
}

async function entryWith(rig: TestService, word: string) {
  return await waitUntil(
    async () => (await entriesOf(rig)).find(({ last_error: error }) => error === word) ?? null,
  );
}

async function mails(relay: EmailRelay, count: number) {
  return await waitUntil(() => (relay.emails.length >= count ? relay.emails : null));
}

describe('at the end of a run', () => {
  test('the address gets the figures as plain text', async () => {
    const shop = await openMailShop();
    const ids = await endedRun(shop, { name: 'Checkout' });
    const [mail] = await mails(shop.relay, 1);
    expect(mail).toMatchObject({ from: 'loads@shop.example', to: ['team@shop.example'] });
    const raw = mail?.raw ?? '';
    expect(raw).toContain('Subject: loadtests: Checkout has ended\r\n');
    expect(raw).toContain('Content-Type: text/plain');
    expect(raw).toContain(`Result id:            ${ids.result_id}`);
    expect(raw).toMatch(/Requests: +3\r\n/);
    expect(raw).toMatch(/Error rate: +33\.33 %\r\n/);
    expect(raw).toMatch(/Response time p95: +4\.00 ms\r\n/);
    await waitUntil(async () =>
      (await shop.service.call('GET', '/v2/callbacks')).list.length === 0 ? true : null,
    );
    shop.clock.advance(DAY);
    expect(shop.relay.emails).toHaveLength(1);
  });

  test('a name cannot write headers, nor turn the text around', async () => {
    const shop = await openMailShop();
    await endedRun(shop, { name: 'a\r\nBcc: evil@shop.example\r\n\r\nb\u202e\0\u2028c' });
    const [mail] = await mails(shop.relay, 1);
    expect(mail?.to).toEqual(['team@shop.example']);
    expect(mail?.raw).not.toMatch(/^Bcc:/im);
    expect(mail?.raw).toContain('Subject: loadtests: a Bcc: evil@shop.example b c has ended\r\n');
  });

  test('without a name the first URL stands there, without its query', async () => {
    const shop = await openMailShop();
    await endedRun(shop, { urls: [{ url: `${shop.target.url}/cart?token=canary` }] });
    const [mail] = await mails(shop.relay, 1);
    expect(mail?.raw).toContain(`${shop.target.url}/cart`);
    expect(mail?.raw).not.toContain('canary');
  });

  test('a very long name is cut', async () => {
    const shop = await openMailShop();
    await endedRun(shop, { name: '🛒'.repeat(300) });
    const [mail] = await mails(shop.relay, 1);
    expect(mail?.raw.length).toBeLessThan(8000);
  });
});

describe('a relay that', () => {
  test('is busy is asked again: one mail arrives', async () => {
    const shop = await openMailShop();
    shop.relay.refuseWith(451);
    await endedRun(shop);
    expect(await entryWith(shop.service, 'smtp_451')).toMatchObject({
      state: 'pending',
      host: 'shop.example',
    });
    shop.relay.refuseWith(null);
    shop.clock.advance(MINUTE);
    await mails(shop.relay, 1);
    shop.clock.advance(DAY);
    expect(shop.relay.emails).toHaveLength(1);
    expect(shop.relay.emails[0]?.raw).toMatch(/^Message-ID: <[0-9a-f-]{36}@loadtests\.invalid>\r$/m);
  });

  test('knows no such mailbox is never asked again', async () => {
    const shop = await openMailShop();
    shop.relay.refuseWith(550);
    await endedRun(shop);
    expect(await entryWith(shop.service, 'smtp_550')).toMatchObject({ state: 'refused', attempts: 1 });
    shop.clock.advance(DAY);
    expect(shop.relay.recipients).toHaveLength(1);
  });

  test('is away gets the mail after a restart', async () => {
    const shop = await openMailShop();
    shop.relay.refuseWith(421);
    await endedRun(shop);
    await entryWith(shop.service, 'smtp_421');
    shop.relay.refuseWith(null);
    const rig = await reopenShop(shop, { smtp: shop.relay.url, allowEmail: ['*'] });
    shop.clock.advance(MINUTE);
    await mails(shop.relay, 1);
    expect(rig.runner.runs).toEqual([]);
  });

  test('does not answer, or is none, is asked again', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await waitUntil(() => server.address());
    const { port } = server.address() as { port: number }; // it listens on TCP
    const shop = await openShop({ smtp: `smtp://127.0.0.1:${port}`, allowEmail: ['*'] });
    await endedRun(shop);
    await waitUntil(async () => {
      const [entry] = (await shop.service.call('GET', '/v2/callbacks')).list;
      return entry?.last_error === 'protocol' || entry?.last_error === 'connect' ? true : null;
    });
    expect((await shop.service.call('GET', '/v2/callbacks')).list).toMatchObject([{ state: 'pending' }]);
  });
});

describe('one address gets ten mails an hour at most', () => {
  /** However the address is written, and however many runs end at once. */
  async function endedRuns(shop: Shop, count: number) {
    for (let number = 0; number < count; number++) {
      const address = number % 2 === 0 ? 'team@shop.example' : 'Team@Shop.example';
      const response = await create(shop, { callback_email: address });
      expect(response.json.errors).toBeUndefined();
    }
    for (const run of shop.service.runner.runs) run.end();
  }

  /** Every attempt that was begun has ended. */
  async function settled(shop: MailShop, mailsSoFar: number) {
    await mails(shop.relay, mailsSoFar);
    shop.clock.advance(0);
    await waitUntil(() => (delivered(shop.service) === mailsSoFar ? true : null));
    expect(shop.relay.recipients).toHaveLength(mailsSoFar);
  }

  const delivered = (rig: TestService) => rig.log.filter(({ event }) => event === 'notice-delivered').length;

  test('and the rest follows', async () => {
    const shop = await openMailShop();
    await endedRuns(shop, 15);
    await settled(shop, 10);
    await endedRun(shop, { callback_email: 'other@shop.example' });
    await settled(shop, 11);
    shop.clock.advance(HOUR - 1);
    await settled(shop, 11);
    shop.clock.advance(1);
    await mails(shop.relay, 16);
    await waitUntil(async () =>
      (await shop.service.call('GET', '/v2/callbacks')).list.length === 0 ? true : null,
    );
  });

  test('also over a restart', async () => {
    const shop = await openMailShop();
    await endedRuns(shop, 12);
    await settled(shop, 10);
    const rig = await reopenShop(shop, { smtp: shop.relay.url, allowEmail: ['*'] });
    shop.clock.advance(HOUR - 1);
    expect(await entriesOf(rig)).toHaveLength(2);
    expect(shop.relay.recipients).toHaveLength(10);
    shop.clock.advance(1);
    await mails(shop.relay, 12);
  });

  test('also when the app is deleted and registered anew', async () => {
    const shop = await openMailShop();
    await endedRuns(shop, 10);
    await settled(shop, 10);
    await shop.service.call('DELETE', `/v2/apps/${shop.appId}`);
    const { app_id: id, verification_id: token } = (
      await shop.service.call('POST', '/v2/apps', { form: { app: shop.target.host } })
    ).json;
    shop.target.respondWith(servePages({ [`/${token}.txt`]: token }));
    expect((await shop.service.call('POST', `/v2/apps/${id}/verify`)).status).toBe(200);
    await endedRun(shop);
    shop.clock.advance(HOUR - 1);
    expect(await entriesOf(shop.service)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(shop.relay.recipients).toHaveLength(10);
    shop.clock.advance(1);
    await mails(shop.relay, 11);
  });
});

describe('who may get mail', () => {
  const REFUSED =
    /is at shop\.example, which is neither the host of a verified app nor allowed .*--allow-mail/;

  test('is nobody, unless it is said: the create is refused and says what to do', async () => {
    const shop = await openMailShop({ allowEmail: [] });
    const response = await create(shop);
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toMatch(REFUSED);
    expect(response.json.errors.join()).toContain('serve --allow-mail shop.example');
    expect((await shop.service.call('GET', '/v2/tests')).json).toEqual([]);
    expect(shop.service.runner.runs).toEqual([]);
    expect(shop.relay.recipients).toEqual([]);
    // All else of the plain API is as it was.
    expect((await create(shop, { callback_email: undefined })).status).toBe(200);
  });

  test.each([
    ['shop.example', 'team@shop.example'],
    ['Shop.Example', 'Team@shop.example'],
    ['team@shop.example', 'team@shop.example'],
    ['*@shop.example', 'anybody@shop.example'],
    ['*.shop.example', 'team@mail.shop.example'],
    ['*', 'team@other.example'],
  ])('%s lets %s get it', async (allowed, address) => {
    const shop = await openMailShop({ allowEmail: ['first.example', allowed] });
    await endedRun(shop, { callback_email: address });
    const [mail] = await mails(shop.relay, 1);
    expect(mail?.to).toEqual([address]);
  });

  test.each([
    ['shop.example', 'team@mail.shop.example'],
    ['shop.example', 'team@evil-shop.example'],
    ['shop.example', 'shop.example@other.example'],
    ['shop.example', 'team@shop.example.evil.test'],
    ['*.shop.example', 'team@shop.example'],
    ['team@shop.example', 'boss@shop.example'],
    ['team@shop.example', 'other.team@shop.example'],
  ])('%s does not let %s get it', async (allowed, address) => {
    const shop = await openMailShop({ allowEmail: [allowed] });
    const response = await create(shop, { callback_email: address });
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toContain('nor allowed by the operator');
  });

  test.each(['', 'team', 'team@', '@shop.example', 'http://shop.example', 'a b@shop.example', 'shop', '**@'])(
    'is not said by %j: the service does not start',
    async (entry) => {
      await expect(openMailShop({ allowEmail: [entry] })).rejects.toThrow(
        /is not a valid mail address or domain/,
      );
    },
  );

  test('are addresses at the host of a verified app, and not at a domain above it', async () => {
    const names = await openNameServer({});
    const shop = await openMailShop({ allowEmail: [], dnsServers: [names.address] });
    const register = async (app: string) => {
      const { app_id: id } = (await shop.service.call('POST', '/v2/apps', { form: { app } })).json;
      names.serve({ [app.replace(/:.*/, '')]: { txt: [`service=${id}`] } });
      return id;
    };
    const verify = async (id: string) =>
      await shop.service.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'dns' } });
    const refused = async () => {
      const response = await create(shop);
      expect(response.json.errors.join()).toMatch(REFUSED);
    };
    // A server on another port of a host need not be its owner's.
    for (const app of ['www.shop.example', 'shop.example:8080']) {
      expect((await verify(await register(app))).status).toBe(200);
      await refused();
    }
    const id = await register('shop.example');
    await refused();
    expect((await verify(id)).status).toBe(200);
    expect((await create(shop)).status).toBe(200);
    // Looked at again when the mail is due.
    await shop.service.call('DELETE', `/v2/apps/${id}`);
    shop.service.runner.latest().end();
    expect(await entryWith(shop.service, 'not_allowed')).toMatchObject({
      state: 'pending',
      host: 'shop.example',
    });
    expect(shop.relay.recipients).toEqual([]);
  });
});

describe('an address is refused at create', () => {
  test.each([
    '',
    'team',
    'team@',
    '@shop.example',
    'team@shop',
    'a@b@shop.example',
    'team@shop.example, other@shop.example',
    'team@shop.example other@shop.example',
    'team@shop.example;other@shop.example',
    'Team <team@shop.example>',
    '"team"@shop.example',
    '"xclow3n@gmail.com x"@internal.example',
    'team(comment)@shop.example',
    'group: team@shop.example;',
    'team@[127.0.0.1]',
    'team@127.0.0.1',
    'team@shop.example\r\nRCPT TO:<evil@shop.example>',
    'te\0am@shop.example',
    'team\n@shop.example',
    ' team@shop.example',
    '.team@shop.example',
    'te..am@shop.example',
    'team.@shop.example',
    'team@.shop.example',
    'team@shop..example',
    'team@shop.example.',
    'team@-shop.example',
    'team@sh_op.example',
    'tëam@shop.example',
    'team@shöp.example',
    `${'a'.repeat(65)}@shop.example`,
    `team@${'a'.repeat(64)}.example`,
    `team@${'a.'.repeat(130)}example`,
  ])('%j', async (address) => {
    const shop = await openMailShop();
    const response = await create(shop, { callback_email: address });
    expect(response.status).toBe(422);
    expect(shop.service.runner.runs).toEqual([]);
    expect(shop.relay.recipients).toEqual([]);
  });
});

test.each(['team@shop.example', "o'neil+ci_a-b=c@a-b.shop.example", 'a.b.c@shop.example', '1@2.example'])(
  '%s is an address, and reaches the relay as it is',
  async (address) => {
    const shop = await openMailShop();
    await endedRun(shop, { callback_email: address });
    const [mail] = await mails(shop.relay, 1);
    expect(mail?.to).toEqual([address]);
  },
);

test('a service without a relay accepts no address, and says why', async () => {
  const shop = await openShop();
  const response = await create(shop);
  expect(response.status).toBe(422);
  expect(response.json.errors.join()).toContain('mail relay');
});

test('the relay gets no load and no callbacks', async () => {
  const shop = await openMailShop();
  const { app_id: id } = (
    await shop.service.call('POST', '/v2/apps', { form: { app: `127.0.0.1:${shop.relay.port}` } })
  ).json;
  expect((await shop.service.call('POST', `/v2/apps/${id}/verify`)).status).toBe(422);
  const own = await openTestService({ smtp: shop.relay.url });
  await own.verifiedApp('127.0.0.1');
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const json = smallTestFields(`http://${host}:${shop.relay.port}/`);
    expect((await own.call('POST', '/v2/tests', { json })).status).toBe(422);
  }
  expect(shop.relay.recipients).toEqual([]);
});

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://mail.example.com?from=a@b@c.example',
  'smtp://%zz:canary@mail.example.com',
])('a relay of %j ends the start, without its password in the message', async (smtp) => {
  await expect(openShop({ smtp })).rejects.toThrow(/mail relay/);
  await expect(openShop({ smtp })).rejects.not.toThrow(/canary/);
});

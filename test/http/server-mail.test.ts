import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../rig/clock.ts';
import { openRelay, type Relay } from '../rig/relay.ts';
import { openRig, smallTest, until, type ServiceRig } from '../rig/service.ts';
import { openShop, reopen, type Shop } from '../rig/shop.ts';

interface MailShop extends Shop {
  readonly relay: Relay;
}

async function openMailShop(): Promise<MailShop> {
  const relay = await openRelay();
  return { relay, ...(await openShop({ smtp: relay.url })) };
}

async function create(shop: Shop, changes: Readonly<Record<string, unknown>> = {}) {
  return await shop.rig.call('POST', '/v2/tests', {
    json: smallTest(`${shop.target.url}/`, { callback_email: 'team@shop.example', ...changes }),
  });
}

async function endedRun(shop: Shop, changes: Readonly<Record<string, unknown>> = {}) {
  const answer = await create(shop, changes);
  expect(answer.json.errors).toBeUndefined();
  shop.rig.runner.latest().end();
  return answer.json;
}

async function entryWith(rig: ServiceRig, word: string) {
  return await until(
    async () =>
      (await rig.call('GET', '/v2/callbacks')).list.find(({ last_error: error }) => error === word) ?? null,
  );
}

async function mails(relay: Relay, count: number) {
  return await until(() => (relay.mails.length >= count ? relay.mails : null));
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
    await until(async () => ((await shop.rig.call('GET', '/v2/callbacks')).list.length === 0 ? true : null));
    shop.clock.advance(DAY);
    expect(shop.relay.mails).toHaveLength(1);
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
    expect(await entryWith(shop.rig, 'smtp_451')).toMatchObject({ state: 'pending', host: 'shop.example' });
    shop.relay.refuseWith(null);
    shop.clock.advance(MINUTE);
    await mails(shop.relay, 1);
    shop.clock.advance(DAY);
    expect(shop.relay.mails).toHaveLength(1);
    expect(shop.relay.mails[0]?.raw).toMatch(/^Message-ID: <[0-9a-f-]{36}@loadtests\.invalid>\r$/m);
  });

  test('knows no such mailbox is never asked again', async () => {
    const shop = await openMailShop();
    shop.relay.refuseWith(550);
    await endedRun(shop);
    expect(await entryWith(shop.rig, 'smtp_550')).toMatchObject({ state: 'refused', attempts: 1 });
    shop.clock.advance(DAY);
    expect(shop.relay.recipients).toHaveLength(1);
  });

  test('is away gets the mail after a restart', async () => {
    const shop = await openMailShop();
    shop.relay.refuseWith(421);
    await endedRun(shop);
    await entryWith(shop.rig, 'smtp_421');
    shop.relay.refuseWith(null);
    const rig = await reopen(shop, { smtp: shop.relay.url });
    shop.clock.advance(MINUTE);
    await mails(shop.relay, 1);
    expect(rig.runner.runs).toEqual([]);
  });

  test('does not answer, or is none, is asked again', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await until(() => server.address());
    const { port } = server.address() as { port: number }; // it listens on TCP
    const shop = await openShop({ smtp: `smtp://127.0.0.1:${port}` });
    await endedRun(shop);
    await until(async () => {
      const [entry] = (await shop.rig.call('GET', '/v2/callbacks')).list;
      return entry?.last_error === 'protocol' || entry?.last_error === 'connect' ? true : null;
    });
    expect((await shop.rig.call('GET', '/v2/callbacks')).list).toMatchObject([{ state: 'pending' }]);
  });
});

test('one address gets ten mails an hour at most; the rest follows', async () => {
  const shop = await openMailShop();
  for (let count = 0; count < 15; count++) {
    // However it is written.
    await endedRun(shop, { callback_email: count % 2 === 0 ? 'team@shop.example' : 'Team@Shop.example' });
    await mails(shop.relay, Math.min(10, count + 1));
  }
  await endedRun(shop, { callback_email: 'other@shop.example' });
  await mails(shop.relay, 11);
  shop.clock.advance(HOUR - 1);
  shop.clock.advance(0);
  expect(shop.relay.mails).toHaveLength(11);
  shop.clock.advance(1);
  await mails(shop.relay, 16);
  expect((await shop.rig.call('GET', '/v2/callbacks')).json).toEqual([]);
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
    const answer = await create(shop, { callback_email: address });
    expect(answer.status).toBe(422);
    expect(shop.rig.runner.runs).toEqual([]);
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
  const answer = await create(shop);
  expect(answer.status).toBe(422);
  expect(answer.json.errors.join()).toContain('mail relay');
});

test('the relay gets no load and no callbacks', async () => {
  const shop = await openMailShop();
  const { app_id: id } = (
    await shop.rig.call('POST', '/v2/apps', { form: { app: `127.0.0.1:${shop.relay.port}` } })
  ).json;
  expect((await shop.rig.call('POST', `/v2/apps/${id}/verify`)).status).toBe(422);
  const own = await openRig({ smtp: shop.relay.url });
  await own.verifiedApp('127.0.0.1');
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const json = smallTest(`http://${host}:${shop.relay.port}/`);
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

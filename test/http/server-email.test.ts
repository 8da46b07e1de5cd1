import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../support/test-clock.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { formatMarker, type Marker } from '../../src/core/reconcile/ownership-marker.ts';
import { createEmptyReport } from '../../src/server/domain/empty-report.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openNameServer } from '../support/name-server.ts';
import { openEmailRelay, type EmailRelay } from '../support/email-relay.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { useShared } from '../support/shared.ts';
import { openShop, reopenShop, type Shop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';

interface EmailShop extends Shop {
  readonly relay: EmailRelay;
}

type ShopOptions = NonNullable<Parameters<typeof openShop>[0]>;

/** Opens a shop that may send email to any address. */
async function openEmailShop(options: ShopOptions = {}): Promise<EmailShop> {
  const relay = await openEmailRelay();
  return { relay, ...(await openShop({ smtp: relay.url, allowEmail: ['*'], ...options })) };
}

async function create(shop: Shop, changes: Readonly<Record<string, unknown>> = {}) {
  return await shop.service.call('POST', '/v2/tests', {
    json: smallTestFields(`${shop.target.url}/`, { callback_email: 'team@shop.example', ...changes }),
  });
}

async function finishRun(shop: Shop, changes: Readonly<Record<string, unknown>> = {}) {
  const response = await create(shop, changes);
  expect(response.json.errors).toBeUndefined();
  shop.service.runner.latest().end();
  return response.json;
}

async function entriesOf(rig: TestService) {
  return (await rig.call('GET', '/v2/callbacks')).list;
}

async function entryWith(rig: TestService, errorCode: string) {
  return await waitUntil(
    async () => (await entriesOf(rig)).find(({ last_error: error }) => error === errorCode) ?? null,
  );
}

async function emailsOf(relay: EmailRelay, count: number) {
  return await waitUntil(() => (relay.emails.length >= count ? relay.emails : null));
}

describe('email at the end of a run', () => {
  const MARKER: Marker = {
    project: 'shop',
    environment: 'staging',
    key: 'checkout',
    listed: '0'.repeat(12),
    unlisted: 'a.b',
    repetition: 0,
    nonce: '5tq0mZ8c',
  };

  test('an email about a test from a configuration file waits a minute for a verdict, and names the project, the environment and the key of the test', async () => {
    const shop = await openEmailShop();
    await finishRun(shop, { name: 'Checkout of a cart', notes: formatMarker(MARKER) });
    // The email waits for a verdict, but not forever.
    await entriesOf(shop.service);
    expect(shop.relay.emails).toEqual([]);
    shop.clock.advance(MINUTE);
    const [email] = await emailsOf(shop.relay, 1);
    const raw = email?.raw ?? '';
    expect(raw).toContain('Subject: loadtests: shop/staging/checkout has ended\r\n');
    expect(raw).toMatch(/Name: +Checkout of a cart\r\n/);
    expect(raw).not.toContain('Verdict');
  });

  test('an email about a test from a configuration file contains the verdict and the thresholds of the run', async () => {
    const shop = await openEmailShop();
    const ids = await finishRun(shop, { notes: formatMarker(MARKER) });
    const path = `/v2/tests/${ids.test_id}/results/${ids.result_id}`;
    await waitUntil(async () =>
      (await shop.service.call('GET', path)).json.status === 'ready' ? true : null,
    );
    const thresholds = [
      { metric: 'p95', limit: '< 1s', value: 4, verdict: 'pass' },
      { metric: 'error_rate', limit: '< 1%', value: 33.3, verdict: 'fail' },
    ];
    await shop.service.call('PUT', `${path}/verdict`, { json: { verdict: 'fail', thresholds } });
    const [email] = await emailsOf(shop.relay, 1);
    const raw = (email?.raw ?? '').replaceAll('=\r\n', '');
    expect(raw.replaceAll(/\r\n /g, ' ')).toContain(
      'Subject: loadtests: shop/staging/checkout failed: error rate 33.3%, threshold < 1%\r\n',
    );
    expect(raw).toMatch(/Verdict: +Failed: error rate 33\.3%, threshold < 1%\r\n/);
    expect(raw).toMatch(/Threshold fail: +error_rate < 1%: 33\.3%\r\nThreshold pass: +p95 < 1s: 4 ms\r\n/);
  });

  test('an email contains the metrics of the run as plain text', async () => {
    const shop = await openEmailShop();
    const ids = await finishRun(shop, { name: 'Checkout' });
    const [email] = await emailsOf(shop.relay, 1);
    expect(email).toMatchObject({ from: 'loads@shop.example', to: ['team@shop.example'] });
    const raw = email?.raw ?? '';
    expect(raw).toContain('Subject: loadtests: Checkout has ended\r\n');
    expect(raw).toContain('Content-Type: text/plain');
    expect(raw).toContain(`Result ID:            ${ids.result_id}`);
    expect(raw).toMatch(/Requests: +3\r\n/);
    expect(raw).toMatch(/Error rate: +33\.33 %\r\n/);
    expect(raw).toMatch(/Response time p95: +4\.00 ms\r\n/);
    await waitUntil(async () =>
      (await shop.service.call('GET', '/v2/callbacks')).list.length === 0 ? true : null,
    );
    shop.clock.advance(DAY);
    expect(shop.relay.emails).toHaveLength(1);
  });

  test('an email about a run that ended during its warm-up contains the number of requests of the warm-up', async () => {
    const report = (whole: RunReport): RunReport => ({
      ...whole,
      warmup: { seconds: 10, complete: false, ledger: { ...whole.total.ledger, success: 7 } },
    });
    const shop = await openEmailShop({ fake: createFakeRunner({ report }) });
    await create(shop);
    shop.service.runner.latest().end('stopped');
    const [email] = await emailsOf(shop.relay, 1);
    expect(email?.raw).toMatch(/Not included: +10s warm-up: 8 requests, 1 failed\r\n/);
  });

  test('an email contains "-" without a unit for each metric of a run without requests', async () => {
    const report = () => createEmptyReport('partial', '1.0.0');
    const shop = await openEmailShop({ fake: createFakeRunner({ report }) });
    await finishRun(shop);
    const [email] = await emailsOf(shop.relay, 1);
    expect(email?.raw).toMatch(/Error rate: +-\r\n/);
    expect(email?.raw).toMatch(/Response time p95: +-\r\n/);
  });

  test('a test name cannot add headers to an email or reverse the direction of its text', async () => {
    const shop = await openEmailShop();
    await finishRun(shop, { name: 'a\r\nBcc: evil@shop.example\r\n\r\nb\u202e\0\u2028c' });
    const [email] = await emailsOf(shop.relay, 1);
    expect(email?.to).toEqual(['team@shop.example']);
    expect(email?.raw).not.toMatch(/^Bcc:/im);
    expect(email?.raw).toContain('Subject: loadtests: a Bcc: evil@shop.example b c has ended\r\n');
  });

  test('an email about an unnamed test contains the first URL without its query', async () => {
    const shop = await openEmailShop();
    await finishRun(shop, { urls: [{ url: `${shop.target.url}/cart?token=canary` }] });
    const [email] = await emailsOf(shop.relay, 1);
    expect(email?.raw).toContain(`${shop.target.url}/cart`);
    expect(email?.raw).not.toContain('canary');
  });

  test('a test name of 300 characters is truncated to 100 characters in an email', async () => {
    const shop = await openEmailShop();
    await finishRun(shop, { name: '🛒'.repeat(300) });
    const [email] = await emailsOf(shop.relay, 1);
    const text = (email?.raw ?? '').replaceAll('=\r\n', '');
    expect(text).toMatch(/^Test: +(?:=F0=9F=9B=92){100}=E2=80=A6\r$/m);
  });
});

describe('faults of the mail relay', () => {
  test('an email that a busy relay refused is delivered later, exactly once', async () => {
    const shop = await openEmailShop();
    shop.relay.refuseWith(451);
    await finishRun(shop);
    expect(await entryWith(shop.service, 'smtp_451')).toMatchObject({
      state: 'pending',
      host: 'shop.example',
    });
    shop.relay.refuseWith(null);
    shop.clock.advance(MINUTE);
    await emailsOf(shop.relay, 1);
    shop.clock.advance(DAY);
    expect(shop.relay.emails).toHaveLength(1);
    expect(shop.relay.emails[0]?.raw).toMatch(/^Message-ID: <[0-9a-f-]{36}@loadtests\.invalid>\r$/m);
  });

  test('the service attempts only once to send an email to an unknown mailbox', async () => {
    const shop = await openEmailShop();
    shop.relay.refuseWith(550);
    await finishRun(shop);
    expect(await entryWith(shop.service, 'smtp_550')).toMatchObject({ state: 'refused', attempts: 1 });
    shop.clock.advance(DAY);
    expect(shop.relay.recipients).toHaveLength(1);
  });

  test('an email is delivered after a restart if the relay was unavailable before', async () => {
    const shop = await openEmailShop();
    shop.relay.refuseWith(421);
    await finishRun(shop);
    await entryWith(shop.service, 'smtp_421');
    shop.relay.refuseWith(null);
    const rig = await reopenShop(shop, { smtp: shop.relay.url, allowEmail: ['*'] });
    shop.clock.advance(MINUTE);
    await emailsOf(shop.relay, 1);
    expect(rig.runner.runs).toEqual([]);
  });

  test('an email remains pending if the relay does not use SMTP', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await waitUntil(() => server.address());
    const { port } = server.address() as { port: number }; // it listens on TCP
    const shop = await openShop({ smtp: `smtp://127.0.0.1:${port}`, allowEmail: ['*'] });
    await finishRun(shop);
    await waitUntil(async () => {
      const [entry] = (await shop.service.call('GET', '/v2/callbacks')).list;
      return entry?.last_error === 'protocol' || entry?.last_error === 'connect' ? true : null;
    });
    expect((await shop.service.call('GET', '/v2/callbacks')).list).toMatchObject([{ state: 'pending' }]);
  });
});

describe('the limit of ten emails an hour for one address', () => {
  /** Ends a number of runs, with two spellings of one address. */
  async function finishRuns(shop: Shop, count: number) {
    for (let number = 0; number < count; number++) {
      const address = number % 2 === 0 ? 'team@shop.example' : 'Team@Shop.example';
      const response = await create(shop, { callback_email: address });
      expect(response.json.errors).toBeUndefined();
    }
    for (const run of shop.service.runner.runs) run.end();
  }

  /** Waits until all started attempts have ended. */
  async function waitForDeliveries(shop: EmailShop, count: number) {
    await emailsOf(shop.relay, count);
    shop.clock.advance(0);
    await waitUntil(() => (delivered(shop.service) === count ? true : null));
    expect(shop.relay.recipients).toHaveLength(count);
  }

  const delivered = (rig: TestService) => rig.log.filter(({ event }) => event === 'notice-delivered').length;

  test('emails above the limit of ten an hour for one address are sent an hour later', async () => {
    const shop = await openEmailShop();
    await finishRuns(shop, 15);
    await waitForDeliveries(shop, 10);
    await finishRun(shop, { callback_email: 'other@shop.example' });
    await waitForDeliveries(shop, 11);
    shop.clock.advance(HOUR - 1);
    await waitForDeliveries(shop, 11);
    shop.clock.advance(1);
    await emailsOf(shop.relay, 16);
    await waitUntil(async () =>
      (await shop.service.call('GET', '/v2/callbacks')).list.length === 0 ? true : null,
    );
  });

  test('the limit of ten emails an hour for one address still applies after a restart', async () => {
    const shop = await openEmailShop();
    await finishRuns(shop, 12);
    await waitForDeliveries(shop, 10);
    const rig = await reopenShop(shop, { smtp: shop.relay.url, allowEmail: ['*'] });
    shop.clock.advance(HOUR - 1);
    expect(await entriesOf(rig)).toHaveLength(2);
    expect(shop.relay.recipients).toHaveLength(10);
    shop.clock.advance(1);
    await emailsOf(shop.relay, 12);
  });

  test('the limit of ten emails an hour for one address still applies after the app is deleted and registered again', async () => {
    const shop = await openEmailShop();
    await finishRuns(shop, 10);
    await waitForDeliveries(shop, 10);
    await shop.service.call('DELETE', `/v2/apps/${shop.appId}`);
    const { app_id: id, verification_id: token } = (
      await shop.service.call('POST', '/v2/apps', { form: { app: shop.target.host } })
    ).json;
    shop.target.respondWith(servePages({ [`/${token}.txt`]: token }));
    expect((await shop.service.call('POST', `/v2/apps/${id}/verify`)).status).toBe(200);
    await finishRun(shop);
    shop.clock.advance(HOUR - 1);
    expect(await entriesOf(shop.service)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(shop.relay.recipients).toHaveLength(10);
    shop.clock.advance(1);
    await emailsOf(shop.relay, 11);
  });
});

describe('allowed recipients of email', () => {
  const REFUSED =
    /has the domain shop\.example, which is neither the host of a verified app nor allowed .*--allow-mail/;

  test('a test with an email address is refused by default, and the error names the flag that allows email', async () => {
    const shop = await openEmailShop({ allowEmail: [] });
    const response = await create(shop);
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toMatch(REFUSED);
    expect(response.json.errors.join()).toContain('with --allow-mail shop.example');
    expect((await shop.service.call('GET', '/v2/tests')).json).toEqual([]);
    expect(shop.service.runner.runs).toEqual([]);
    expect(shop.relay.recipients).toEqual([]);
    // The other features of the API work.
    expect((await create(shop, { callback_email: undefined })).status).toBe(200);
  });

  test.each([
    ['shop.example', 'team@shop.example'],
    ['Shop.Example', 'Team@shop.example'],
    ['team@shop.example', 'team@shop.example'],
    ['*@shop.example', 'anybody@shop.example'],
    ['*.shop.example', 'team@mail.shop.example'],
    ['*', 'team@other.example'],
  ])('if the operator allows email to %s, the service sends email to %s', async (allowed, address) => {
    const shop = await openEmailShop({ allowEmail: ['first.example', allowed] });
    await finishRun(shop, { callback_email: address });
    const [email] = await emailsOf(shop.relay, 1);
    expect(email?.to).toEqual([address]);
  });

  test.each([
    ['shop.example', 'team@mail.shop.example'],
    ['shop.example', 'team@evil-shop.example'],
    ['shop.example', 'shop.example@other.example'],
    ['shop.example', 'team@shop.example.evil.test'],
    ['*.shop.example', 'team@shop.example'],
    ['team@shop.example', 'boss@shop.example'],
    ['team@shop.example', 'other.team@shop.example'],
  ])(
    'if the operator allows email to %s, the service refuses the email address %s',
    async (allowed, address) => {
      const shop = await openEmailShop({ allowEmail: [allowed] });
      const response = await create(shop, { callback_email: address });
      expect(response.status).toBe(422);
      expect(response.json.errors.join()).toContain('nor allowed by the service');
    },
  );

  test.each(['', 'team', 'team@', '@shop.example', 'http://shop.example', 'a b@shop.example', 'shop', '**@'])(
    'a service with the invalid entry %j of allowed email recipients does not start',
    async (entry) => {
      await expect(openEmailShop({ allowEmail: [entry] })).rejects.toThrow(
        /is not a valid email address or domain/,
      );
    },
  );

  test('by default, email is allowed only to addresses at the host of a verified app without a port, and the app is checked again before the email is sent', async () => {
    const names = await openNameServer({});
    const shop = await openEmailShop({ allowEmail: [], dnsServers: [names.address] });
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
    // A server on another port of the host may have a different owner.
    for (const app of ['www.shop.example', 'shop.example:8080']) {
      expect((await verify(await register(app))).status).toBe(200);
      await refused();
    }
    const id = await register('shop.example');
    await refused();
    expect((await verify(id)).status).toBe(200);
    expect((await create(shop)).status).toBe(200);
    // The recipient is checked again when the email is due.
    await shop.service.call('DELETE', `/v2/apps/${id}`);
    shop.service.runner.latest().end();
    expect(await entryWith(shop.service, 'not_allowed')).toMatchObject({
      state: 'pending',
      host: 'shop.example',
    });
    expect(shop.relay.recipients).toEqual([]);
  });
});

describe('invalid email addresses', () => {
  const sharedShop = useShared(openEmailShop);

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
  ])('creating a test with the email address %j is refused', async (address) => {
    const shop = sharedShop();
    const response = await create(shop, { callback_email: address });
    expect(response.status).toBe(422);
    expect(shop.service.runner.runs).toEqual([]);
    expect(shop.relay.recipients).toEqual([]);
  });
});

describe('valid email addresses', () => {
  const sharedShop = useShared(openEmailShop);

  test.each([
    ...['team@shop.example', "o'neil+ci_a-b=c@a-b.shop.example", 'a.b.c@shop.example', '1@2.example'],
  ])('the email address %s is valid and reaches the relay unchanged', async (address) => {
    const shop = sharedShop();
    const earlier = shop.relay.emails.length;
    await finishRun(shop, { callback_email: address });
    const emails = await emailsOf(shop.relay, earlier + 1);
    expect(emails.slice(earlier).map(({ to }) => to)).toEqual([[address]]);
  });
});

test('a service without a mail relay refuses a test with an email address, and the error states the reason', async () => {
  const shop = await openShop();
  const response = await create(shop);
  expect(response.status).toBe(422);
  expect(response.json.errors.join()).toContain('mail relay');
});

test('an app at the address of the mail relay is not verified, and load on the relay is refused', async () => {
  const shop = await openEmailShop();
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
])(
  'a service with the mail relay URL %j does not start, and the message contains no password',
  async (smtp) => {
    await expect(openShop({ smtp })).rejects.toThrow(/mail relay/);
    await expect(openShop({ smtp })).rejects.not.toThrow(/canary/);
  },
);

import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../support/test-clock.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openCallbackReceiver, type CallbackReceiver } from '../support/callback-receiver.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openShop, reopenShop, type Shop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';

async function createWith(shop: Shop, callback: string, changes: Readonly<Record<string, unknown>> = {}) {
  const response = await shop.service.call('POST', '/v2/tests', {
    json: smallTestFields(`${shop.target.url}/`, { callback, ...changes }),
  });
  expect(response.json.errors).toBeUndefined();
  return response.json;
}

/** Runs a test to its end. Gives its ids. */
async function endedRun(shop: Shop, callback: string) {
  const ids = await createWith(shop, callback);
  shop.service.runner.latest().end();
  return ids;
}

async function listOf(rig: TestService) {
  return (await rig.call('GET', '/v2/callbacks')).list;
}

async function received(receiver: CallbackReceiver, count: number) {
  return await waitUntil(() => (receiver.received.length >= count ? receiver.received : null));
}

/** The only entry of the list, once a number of attempts has failed. */
async function failed(rig: TestService, attempts: number) {
  return await waitUntil(async () => {
    if (rig.log.filter(({ event }) => event === 'notice-failed').length < attempts) return null;
    const [entry] = await listOf(rig);
    return entry?.attempts === attempts ? entry : null;
  });
}

async function nothingLeft(rig: TestService) {
  await waitUntil(async () => ((await listOf(rig)).length === 0 ? true : null));
}

describe('at the end of a run', () => {
  test('the callback gets a form with the ids, and an answer of 200 settles it', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const ids = await createWith(shop, `${receiver.url}/hook?a=b`);
    expect(receiver.received).toEqual([]);
    shop.service.runner.latest().end();
    const [one] = await received(receiver, 1);
    expect(one).toMatchObject({
      method: 'POST',
      path: '/hook?a=b',
      body: `test_id=${ids.test_id}&status=complete&result_id=${ids.result_id}`,
    });
    expect(one?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'loadtests/0.0.0-test',
      host: receiver.target.host,
    });
    await nothingLeft(shop.service);
    shop.clock.advance(DAY);
    expect(receiver.received).toHaveLength(1);
  });

  test('the signature is of the time and the body, with the secret of the data directory', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    await endedRun(shop, receiver.url);
    const [one] = await received(receiver, 1);
    const file = join(shop.service.dataDirectory, 'callback-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const at = Math.floor(shop.clock.now() / 1000);
    const digest = createHmac('sha256', secret)
      .update(`${at}.${one?.body ?? ''}`)
      .digest('hex');
    expect(one?.headers['x-loadtests-signature']).toBe(`t=${at},v1=${digest}`);
    expect(one?.event).toMatch(/^[0-9a-f-]{36}$/);

    await endedRun(shop, receiver.url);
    await received(receiver, 2);
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
  });

  test('each run of a test is told of, with an id of its own', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const { test_id: id } = await endedRun(shop, receiver.url);
    await received(receiver, 1);
    await shop.service.call('PUT', `/v2/tests/${id}/run`);
    shop.service.runner.latest().end('error_threshold');
    await received(receiver, 2);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(2);
    expect(new Set(receiver.received.map(({ testId }) => testId))).toEqual(new Set([id]));
  });

  test('also of one that is stopped, that is missed, whose host withdrew, and that was lost', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const stopped = (await createWith(shop, receiver.url)).test_id;
    await shop.service.call('PUT', `/v2/tests/${stopped}/stop`);
    await received(receiver, 1);

    const soon = formatInstant(shop.clock.now() + MINUTE);
    const withdrawn = (await createWith(shop, receiver.url, { scheduled_at: soon })).test_id;
    const later = formatInstant(shop.clock.now() + 2 * MINUTE);
    const missed = (await createWith(shop, receiver.url, { scheduled_at: later })).test_id;
    shop.target.respondWith(servePages({}));
    shop.clock.advance(MINUTE);
    await received(receiver, 2);
    await shop.service.service.close();
    shop.clock.advance(HOUR);
    const rig = await reopenShop(shop);
    await received(receiver, 3);
    expect(receiver.received.map(({ testId }) => testId)).toEqual([stopped, withdrawn, missed]);
    await nothingLeft(rig);
  });

  test('of a test that waits and is stopped nothing is told: it had no run', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const at = formatInstant(shop.clock.now() + HOUR);
    const { test_id: id } = await createWith(shop, receiver.url, { scheduled_at: at });
    await shop.service.call('PUT', `/v2/tests/${id}/stop`);
    expect(await listOf(shop.service)).toEqual([]);
  });
});

describe('a callback that fails', () => {
  test('is tried again with growing pauses, eight times within a day, and then listed as expired', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    const ids = await endedRun(shop, `${receiver.url}/hook?token=canary`);
    const started = shop.clock.now();
    let before = 0;
    for (let attempts = 1; attempts < 8; attempts++) {
      const entry = await failed(shop.service, attempts);
      expect(entry).toMatchObject({ state: 'pending', last_error: 'status_500', host: receiver.target.host });
      const pause = Date.parse(entry.next_attempt_at ?? '') - shop.clock.now();
      expect(pause).toBeGreaterThan(before);
      shop.clock.advance(pause - 1);
      expect(receiver.received).toHaveLength(attempts);
      shop.clock.advance(1);
      before = pause;
    }
    const entry = await waitUntil(
      async () => (await listOf(shop.service)).find(({ state }) => state === 'expired') ?? null,
    );
    expect(entry).toMatchObject({
      test_id: ids.test_id,
      result_id: ids.result_id,
      attempts: 8,
      next_attempt_at: null,
    });
    expect(shop.clock.now() - started).toBeGreaterThan(12 * HOUR);
    expect(shop.clock.now() - started).toBeLessThan(DAY);
    shop.clock.advance(7 * DAY);
    expect(receiver.received).toHaveLength(8);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(1);
    const list = await shop.service.call('GET', '/v2/callbacks');
    expect(apiMismatch('callback-list', list.json)).toBeNull();
    expect(list.text).not.toContain('canary');
    expect(JSON.stringify(shop.service.log)).not.toContain('canary');
  });

  test('arrives when the receiver is back', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(503);
    await endedRun(shop, receiver.url);
    await failed(shop.service, 1);
    receiver.respondWith(204);
    shop.clock.advance(MINUTE);
    await nothingLeft(shop.service);
    expect(receiver.received).toHaveLength(2);
  });

  test.each([
    [301, 'status_301'],
    [302, 'status_302'],
    [307, 'status_307'],
    [404, 'status_404'],
    [429, 'status_429'],
  ])('with %i is tried again, and no redirect is followed', async (status, word) => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const other = await openCallbackReceiver();
    receiver.respondWith((_, response) => {
      response.writeHead(status, { location: other.url }).end();
    });
    await endedRun(shop, receiver.url);
    expect(await failed(shop.service, 1)).toMatchObject({ state: 'pending', last_error: word });
    expect(other.received).toEqual([]);
  });

  test('with 410 is never tried again', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(410);
    await endedRun(shop, receiver.url);
    const entry = await waitUntil(
      async () => (await listOf(shop.service)).find(({ state }) => state === 'refused') ?? null,
    );
    expect(entry).toMatchObject({ attempts: 1, last_error: 'status_410', next_attempt_at: null });
    shop.clock.advance(DAY);
    expect(receiver.received).toHaveLength(1);
  });

  test('because nobody listens says so in a word', async () => {
    const shop = await openShop();
    await endedRun(shop, 'http://127.0.0.1:2/');
    expect(await failed(shop.service, 1)).toMatchObject({ last_error: 'connect' });
  });

  test('because the answer is no HTTP says so in a word', async () => {
    const shop = await openShop();
    const server = createServer((socket) => socket.end('220 mail\r\n')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await waitUntil(() => server.address());
    const { port } = server.address() as { port: number }; // it listens on TCP
    await endedRun(shop, `http://127.0.0.1:${port}/`);
    expect(await failed(shop.service, 1)).toMatchObject({ last_error: 'protocol' });
  });

  test('because the answer does not come in time says so in a word', async () => {
    const shop = await openShop({ limits: { callbackDeadlineMs: 50 } });
    const receiver = await openCallbackReceiver();
    receiver.respondWith((_, response) => {
      // Begun, and never finished: a drip holds nobody up.
      response.writeHead(200).write('a');
    });
    await endedRun(shop, receiver.url);
    expect(await failed(shop.service, 1)).toMatchObject({ last_error: 'timeout' });
  });

  test('does not hold up those to others', async () => {
    const shop = await openShop();
    const slow = await openCallbackReceiver();
    const quick = await openCallbackReceiver();
    slow.respondWith(() => undefined);
    for (let count = 0; count < 30; count++) await endedRun(shop, slow.url);
    await endedRun(shop, quick.url);
    await received(quick, 1);
    // So many at once to one host, and no more.
    expect(slow.received).toHaveLength(4);
  });
});

test('of a long answer only the beginning is read', async () => {
  const shop = await openShop();
  const receiver = await openCallbackReceiver();
  let sent = 0;
  receiver.respondWith((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
    };
    response.on('drain', more);
    more();
  });
  await endedRun(shop, receiver.url);
  await nothingLeft(shop.service);
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

describe('over a restart of the service', () => {
  test('a callback stays due, and keeps its id', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    const { test_id: id } = await endedRun(shop, receiver.url);
    await failed(shop.service, 1);
    expect(await shop.service.service.close()).toEqual({
      undelivered: [{ testId: id, host: receiver.target.host }],
    });
    const rig = await reopenShop(shop);
    expect(await listOf(rig)).toMatchObject([{ test_id: id, state: 'pending', attempts: 1 }]);
    receiver.respondWith(200);
    shop.clock.advance(10 * SECOND);
    await nothingLeft(rig);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(1);
  });

  test('an attempt that ended with the process counts as one', async () => {
    const shop = await openShop({ limits: { closeGraceMs: 20 } });
    const receiver = await openCallbackReceiver();
    receiver.respondWith(() => undefined);
    await endedRun(shop, receiver.url);
    await received(receiver, 1);
    const rig = await reopenShop(shop);
    expect(await listOf(rig)).toMatchObject([{ state: 'pending', attempts: 1, last_error: null }]);
  });

  test('runs that the earlier process left behind are told of', async () => {
    const shop = await openShop({
      fake: createFakeRunner({ endsOnStop: false }),
      limits: { closeGraceMs: 1 },
    });
    const receiver = await openCallbackReceiver();
    const { test_id: id } = await createWith(shop, receiver.url);
    await reopenShop(shop);
    const [one] = await received(receiver, 1);
    expect(one?.testId).toBe(id);
  });
});

test('with its app a test loses what it had to tell', async () => {
  const shop = await openShop();
  const receiver = await openCallbackReceiver();
  receiver.respondWith(500);
  await endedRun(shop, receiver.url);
  await failed(shop.service, 1);
  await shop.service.call('DELETE', `/v2/apps/${shop.appId}`);
  expect(await listOf(shop.service)).toEqual([]);
});

describe('a callback is refused at create', () => {
  test.each([
    ['ftp://127.0.0.1/', /must begin with http/],
    ['/hook', /must begin with http/],
    ['', /must begin with http/],
    ['javascript:alert(1)', /must begin with http/],
    ['http://127.0.0.1\\@evil.example/', /user name or password/],
    ['http://', /must begin with http/],
    ['http://user:pass@127.0.0.1/', /user name or password/],
    ['http://127.0.0.1:99999/', /no valid host/],
    ['http://127.0.0.1:0/', /no valid host/],
    ['http://127.0.0.1/\r\nx: y', /control character/],
    [' http://127.0.0.1/', /space/],
    ['https://evil.example/hook', /evil\.example, which is neither a verified app/],
    ['http://10.0.0.1/', /neither a verified app/],
    ['http://169.254.169.254/latest', /neither a verified app/],
    ['http://localhost.evil.example/', /neither a verified app/],
    ['http://evil.example/#@127.0.0.1', /evil\.example/],
  ])('%j', async (callback, reason) => {
    const shop = await openShop();
    const response = await shop.service.call('POST', '/v2/tests', {
      json: smallTestFields(`${shop.target.url}/`, { callback }),
    });
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toMatch(reason);
    expect(shop.service.runner.runs).toEqual([]);
  });
});

describe('a callback may go to', () => {
  async function statusWith(options: Parameters<typeof openShop>[0], callback: string) {
    const shop = await openShop(options);
    const json = smallTestFields(`${shop.target.url}/`, { callback });
    return (await shop.service.call('POST', '/v2/tests', { json })).status;
  }

  test('a host that the operator allows', async () => {
    const options = { allowCallbacks: ['ci.example.com', '*.example.org', 'other.example:8443'] };
    expect(await statusWith(options, 'https://ci.example.com/hook')).toBe(200);
    expect(await statusWith(options, 'https://a.example.org/hook')).toBe(200);
    expect(await statusWith(options, 'https://other.example:8443/')).toBe(200);
    expect(await statusWith(options, 'https://other.example/')).toBe(422);
    expect(await statusWith(options, 'https://ci.example.com.evil.example/')).toBe(422);
  });

  test('loopback while that is the machine of the users, and else not', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'hooks.localhost', '127.1']) {
      expect(await statusWith({}, `http://${host}:8080/`)).toBe(200);
    }
    const rig = await openTestService({ mode: 'serve', host: '0.0.0.0' });
    const json = smallTestFields('http://127.0.0.1:4080/', { callback: 'http://127.0.0.1:8080/' });
    const response = await rig.call('POST', '/v2/tests', { json });
    expect(response.json.errors.join()).toContain('neither a verified app');
  });

  test('a verified app', async () => {
    const shop = await openShop();
    expect((await createWith(shop, `${shop.target.url}/hook`)).status).toBe('running');
  });
});

test('an allowed name that leads to an address that may not be called is not called', async () => {
  const shop = await openShop({ allowCallbacks: ['10.1.2.3', '169.254.169.254'] });
  for (const host of ['10.1.2.3', '169.254.169.254']) {
    await endedRun(shop, `http://${host}/`);
    await waitUntil(async () =>
      (await listOf(shop.service)).some((entry) => entry.host === host && entry.last_error === 'not_allowed')
        ? true
        : null,
    );
  }
});

test('the service does not call itself, nor ports of other protocols', async () => {
  const shop = await openShop();
  for (const url of [shop.service.service.url, 'http://127.0.0.1:6379/']) {
    await endedRun(shop, url);
    const { host } = new URL(url);
    await waitUntil(async () =>
      (await listOf(shop.service)).some((entry) => entry.host === host && entry.last_error === 'not_allowed')
        ? true
        : null,
    );
  }
});

describe('a service of one command', () => {
  async function ownShop(limits = {}) {
    const rig = await openTestService({ limits });
    await rig.verifiedApp('127.0.0.1:4080');
    const run = async (callback: string) => {
      const json = smallTestFields('http://127.0.0.1:4080/', { callback });
      const { test_id: id } = (await rig.call('POST', '/v2/tests', { json })).json;
      rig.runner.latest().end();
      return id;
    };
    return { rig, run };
  }

  test('ends without a pause when everything is told', async () => {
    const { rig, run } = await ownShop();
    const receiver = await openCallbackReceiver();
    await run(receiver.url);
    const started = performance.now();
    expect(await rig.service.close()).toEqual({ undelivered: [] });
    expect(receiver.received).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('tells of runs that its end has stopped', async () => {
    const { rig } = await ownShop();
    const receiver = await openCallbackReceiver();
    await rig.call('POST', '/v2/tests', {
      json: smallTestFields('http://127.0.0.1:4080/', { callback: receiver.url }),
    });
    await rig.service.close();
    expect(receiver.received).toHaveLength(1);
  });

  test('gives a receiver that fails some more chances before it ends', async () => {
    const { rig, run } = await ownShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith((_, response) => {
      response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
    });
    await run(receiver.url);
    expect(await rig.service.close()).toEqual({ undelivered: [] });
    expect(receiver.received).toHaveLength(3);
  });

  test('gives up after its time, says what stayed, and the next one goes on', async () => {
    const { rig, run } = await ownShop({ lastDeliveriesMs: 100 });
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    const id = await run(receiver.url);
    const first = await rig.service.close();
    expect(first).toEqual({ undelivered: [{ testId: id, host: receiver.target.host }] });
    expect(await rig.service.close()).toEqual(first);
    receiver.respondWith(200);
    const next = await openTestService({ dataDirectory: rig.dataDirectory, now: () => Date.now() + HOUR });
    await nothingLeft(next);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(1);
  });

  test('tells nobody on a copy of the data, whose original does', async () => {
    const { rig, run } = await ownShop({ lastDeliveriesMs: 0 });
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    await run(receiver.url);
    await rig.service.close();
    const before = receiver.received.length;
    const copy = await openTestService({
      dataDirectory: rig.dataDirectory,
      now: () => Date.now() + HOUR,
      sendNotices: false,
    });
    expect(await listOf(copy)).toHaveLength(1);
    expect(await copy.service.close()).toEqual({ undelivered: [] });
    expect(receiver.received).toHaveLength(before);
  });
});

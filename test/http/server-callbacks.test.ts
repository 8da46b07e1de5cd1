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
import { useShared } from '../support/shared.ts';
import { openShop, reopenShop, type Shop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';
import { TEST_TIMEOUT_MS } from '../support/wait.ts';

async function createWith(shop: Shop, callback: string, changes: Readonly<Record<string, unknown>> = {}) {
  const response = await shop.service.call('POST', '/v2/tests', {
    json: smallTestFields(`${shop.target.url}/`, { callback, ...changes }),
  });
  expect(response.json.errors).toBeUndefined();
  return response.json;
}

/** Runs a test to its end and returns its ids. */
async function finishRun(shop: Shop, callback: string) {
  const ids = await createWith(shop, callback);
  shop.service.runner.latest().end();
  return ids;
}

async function listOf(rig: TestService) {
  return (await rig.call('GET', '/v2/callbacks')).list;
}

async function receivedBy(receiver: CallbackReceiver, count: number) {
  return await waitUntil(() => (receiver.received.length >= count ? receiver.received : null));
}

/** Waits until a number of attempts has failed, and returns the only entry of the list. */
async function entryAfter(rig: TestService, attempts: number) {
  return await waitUntil(async () => {
    if (rig.log.filter(({ event }) => event === 'notice-failed').length < attempts) return null;
    const [entry] = await listOf(rig);
    return entry?.attempts === attempts ? entry : null;
  });
}

async function waitForEmptyList(rig: TestService) {
  await waitUntil(async () => ((await listOf(rig)).length === 0 ? true : null));
}

describe('callbacks at the end of a run', () => {
  test('a callback sends a form with the ids of the test and the result, and is not repeated after a response with status 200', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const ids = await createWith(shop, `${receiver.url}/hook?a=b`);
    expect(receiver.received).toEqual([]);
    shop.service.runner.latest().end();
    const [one] = await receivedBy(receiver, 1);
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
    await waitForEmptyList(shop.service);
    shop.clock.advance(DAY);
    expect(receiver.received).toHaveLength(1);
  });

  test('the signature of a callback covers the time and the body, and uses the secret in the data directory', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    await finishRun(shop, receiver.url);
    const [one] = await receivedBy(receiver, 1);
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

    await finishRun(shop, receiver.url);
    await receivedBy(receiver, 2);
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
  });

  test('each run of a test sends a callback with a unique event id', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const { test_id: id } = await finishRun(shop, receiver.url);
    await receivedBy(receiver, 1);
    await shop.service.call('PUT', `/v2/tests/${id}/run`);
    shop.service.runner.latest().end('error_threshold');
    await receivedBy(receiver, 2);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(2);
    expect(new Set(receiver.received.map(({ testId }) => testId))).toEqual(new Set([id]));
  });

  test('callbacks are sent for a stopped run, a missed run, and a run whose host is no longer verified', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const stopped = (await createWith(shop, receiver.url)).test_id;
    await shop.service.call('PUT', `/v2/tests/${stopped}/stop`);
    await receivedBy(receiver, 1);

    const soon = formatInstant(shop.clock.now() + MINUTE);
    const withdrawn = (await createWith(shop, receiver.url, { scheduled_at: soon })).test_id;
    const later = formatInstant(shop.clock.now() + 2 * MINUTE);
    const missed = (await createWith(shop, receiver.url, { scheduled_at: later })).test_id;
    shop.target.respondWith(servePages({}));
    shop.clock.advance(MINUTE);
    await receivedBy(receiver, 2);
    await shop.service.service.close();
    shop.clock.advance(HOUR);
    const rig = await reopenShop(shop);
    await receivedBy(receiver, 3);
    expect(receiver.received.map(({ testId }) => testId)).toEqual([stopped, withdrawn, missed]);
    await waitForEmptyList(rig);
  });

  test('a scheduled test that is stopped before its start sends no callback within a day', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    const at = formatInstant(shop.clock.now() + HOUR);
    const { test_id: id } = await createWith(shop, receiver.url, { scheduled_at: at });
    await shop.service.call('PUT', `/v2/tests/${id}/stop`);
    expect(await listOf(shop.service)).toEqual([]);
    shop.clock.advance(DAY);
    // All earlier callbacks have arrived when the list is empty again.
    const { test_id: next } = await finishRun(shop, receiver.url);
    await receivedBy(receiver, 1);
    await waitForEmptyList(shop.service);
    expect(receiver.received.map(({ testId }) => testId)).toEqual([next]);
  });
});

describe('callbacks that fail', () => {
  test('a callback that always fails is attempted eight times within a day with increasing delays, and then expires', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    const ids = await finishRun(shop, `${receiver.url}/hook`);
    const started = shop.clock.now();
    let before = 0;
    for (let attempts = 1; attempts < 8; attempts++) {
      const entry = await entryAfter(shop.service, attempts);
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
  });

  test('a failed callback is delivered after the receiver recovers', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(503);
    await finishRun(shop, receiver.url);
    await entryAfter(shop.service, 1);
    receiver.respondWith(204);
    shop.clock.advance(MINUTE);
    await waitForEmptyList(shop.service);
    expect(receiver.received).toHaveLength(2);
  });

  test.each([
    [301, 'status_301'],
    [302, 'status_302'],
    [307, 'status_307'],
    [404, 'status_404'],
    [429, 'status_429'],
  ])(
    'a callback remains pending after a response with status %i, and the Location header is not followed',
    async (status, errorCode) => {
      const shop = await openShop();
      const receiver = await openCallbackReceiver();
      const other = await openCallbackReceiver();
      receiver.respondWith((_, response) => {
        response.writeHead(status, { location: other.url }).end();
      });
      await finishRun(shop, receiver.url);
      expect(await entryAfter(shop.service, 1)).toMatchObject({ state: 'pending', last_error: errorCode });
      expect(other.received).toEqual([]);
    },
  );

  test('a callback is not repeated after a response with status 410', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(410);
    await finishRun(shop, receiver.url);
    const entry = await waitUntil(
      async () => (await listOf(shop.service)).find(({ state }) => state === 'refused') ?? null,
    );
    expect(entry).toMatchObject({ attempts: 1, last_error: 'status_410', next_attempt_at: null });
    shop.clock.advance(DAY);
    expect(receiver.received).toHaveLength(1);
  });

  test('a callback to a closed port fails with the error "connect"', async () => {
    const shop = await openShop();
    await finishRun(shop, 'http://127.0.0.1:2/');
    expect(await entryAfter(shop.service, 1)).toMatchObject({ last_error: 'connect' });
  });

  test('a callback to a server that uses another protocol fails with the error "protocol"', async () => {
    const shop = await openShop();
    const server = createServer((socket) => socket.end('220 mail\r\n')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await waitUntil(() => server.address());
    const { port } = server.address() as { port: number }; // it listens on TCP
    await finishRun(shop, `http://127.0.0.1:${port}/`);
    expect(await entryAfter(shop.service, 1)).toMatchObject({ last_error: 'protocol' });
  });

  test('a callback fails with the error "timeout" if its response is not complete in time', async () => {
    const shop = await openShop({ limits: { callbackDeadlineMs: 50 } });
    const receiver = await openCallbackReceiver();
    receiver.respondWith((_, response) => {
      // The response begins and never ends; a slow receiver must not block the service.
      response.writeHead(200).write('a');
    });
    await finishRun(shop, receiver.url);
    expect(await entryAfter(shop.service, 1)).toMatchObject({ last_error: 'timeout' });
  });

  test('at most four slow callbacks to one host are sent concurrently, and a callback to another host is not delayed', async () => {
    // On a busy machine, the runs end over many seconds. Meanwhile, no slow callback reaches its deadline.
    const shop = await openShop({ limits: { callbackDeadlineMs: TEST_TIMEOUT_MS } });
    const slow = await openCallbackReceiver();
    const quick = await openCallbackReceiver();
    slow.respondWith(() => undefined);
    for (let count = 0; count < 8; count++) await finishRun(shop, slow.url);
    await finishRun(shop, quick.url);
    await receivedBy(quick, 1);
    // This is the limit of concurrent callbacks to one host.
    expect(slow.received).toHaveLength(4);
  });
});

test('the service reads only the beginning of an endless response to a callback', async () => {
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
  await finishRun(shop, receiver.url);
  await waitForEmptyList(shop.service);
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

describe('callbacks after a restart of the service', () => {
  test('a pending callback keeps its event id after a restart', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    const { test_id: id } = await finishRun(shop, receiver.url);
    await entryAfter(shop.service, 1);
    expect(await shop.service.service.close()).toEqual({
      undelivered: [{ testId: id, host: receiver.target.host }],
    });
    const rig = await reopenShop(shop);
    expect(await listOf(rig)).toMatchObject([{ test_id: id, state: 'pending', attempts: 1 }]);
    receiver.respondWith(200);
    shop.clock.advance(10 * SECOND);
    await waitForEmptyList(rig);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(1);
  });

  test('an attempt to deliver a callback counts even if the service ends during the attempt', async () => {
    const shop = await openShop({ limits: { closeGraceMs: 20 } });
    const receiver = await openCallbackReceiver();
    receiver.respondWith(() => undefined);
    await finishRun(shop, receiver.url);
    await receivedBy(receiver, 1);
    const rig = await reopenShop(shop);
    expect(await listOf(rig)).toMatchObject([{ state: 'pending', attempts: 1, last_error: null }]);
  });

  test('after a restart, callbacks are sent for runs that the previous process did not finish', async () => {
    const shop = await openShop({
      fake: createFakeRunner({ endsOnStop: false }),
      limits: { closeGraceMs: 1 },
    });
    const receiver = await openCallbackReceiver();
    const { test_id: id } = await createWith(shop, receiver.url);
    await reopenShop(shop);
    const [one] = await receivedBy(receiver, 1);
    expect(one?.testId).toBe(id);
  });
});

test('deleting an app deletes the pending callbacks of its tests', async () => {
  const shop = await openShop();
  const receiver = await openCallbackReceiver();
  receiver.respondWith(500);
  await finishRun(shop, receiver.url);
  await entryAfter(shop.service, 1);
  await shop.service.call('DELETE', `/v2/apps/${shop.appId}`);
  expect(await listOf(shop.service)).toEqual([]);
});

describe('callbacks that the service refuses', () => {
  const sharedShop = useShared(openShop);

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
  ])('creating a test with the callback %j is refused', async (callback, reason) => {
    const shop = sharedShop();
    const response = await shop.service.call('POST', '/v2/tests', {
      json: smallTestFields(`${shop.target.url}/`, { callback }),
    });
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toMatch(reason);
    expect(shop.service.runner.runs).toEqual([]);
  });
});

describe('hosts that callbacks may use', () => {
  async function statusWith(shop: Shop, callback: string) {
    const json = smallTestFields(`${shop.target.url}/`, { callback });
    return (await shop.service.call('POST', '/v2/tests', { json })).status;
  }

  test('the service accepts callbacks to hosts that the operator allows, and refuses callbacks to similar hosts', async () => {
    const shop = await openShop({
      allowCallbacks: ['ci.example.com', '*.example.org', 'other.example:8443'],
    });
    expect(await statusWith(shop, 'https://ci.example.com/hook')).toBe(200);
    expect(await statusWith(shop, 'https://a.example.org/hook')).toBe(200);
    expect(await statusWith(shop, 'https://other.example:8443/')).toBe(200);
    expect(await statusWith(shop, 'https://other.example/')).toBe(422);
    expect(await statusWith(shop, 'https://ci.example.com.evil.example/')).toBe(422);
  });

  test('a service accepts callbacks to loopback hosts only if it listens on a loopback address', async () => {
    const shop = await openShop();
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'hooks.localhost', '127.1']) {
      expect(await statusWith(shop, `http://${host}:8080/`)).toBe(200);
    }
    const rig = await openTestService({ mode: 'serve', host: '0.0.0.0' });
    const json = smallTestFields('http://127.0.0.1:4080/', { callback: 'http://127.0.0.1:8080/' });
    const response = await rig.call('POST', '/v2/tests', { json });
    expect(response.json.errors.join()).toContain('neither a verified app');
  });

  test('the service accepts callbacks to a verified app', async () => {
    const shop = await openShop();
    expect((await createWith(shop, `${shop.target.url}/hook`)).status).toBe('running');
  });
});

test('a callback is not sent to an allowed host whose address is forbidden', async () => {
  const shop = await openShop({ allowCallbacks: ['10.1.2.3', '169.254.169.254'] });
  for (const host of ['10.1.2.3', '169.254.169.254']) {
    await finishRun(shop, `http://${host}/`);
    await waitUntil(async () =>
      (await listOf(shop.service)).some((entry) => entry.host === host && entry.last_error === 'not_allowed')
        ? true
        : null,
    );
  }
});

test('a callback is not sent to the service itself or to the default port of Redis', async () => {
  const shop = await openShop();
  for (const url of [shop.service.service.url, 'http://127.0.0.1:6379/']) {
    await finishRun(shop, url);
    const { host } = new URL(url);
    await waitUntil(async () =>
      (await listOf(shop.service)).some((entry) => entry.host === host && entry.last_error === 'not_allowed')
        ? true
        : null,
    );
  }
});

describe('callbacks of the embedded service', () => {
  async function openEmbedded(limits = {}) {
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

  test('the service delivers the callback of an ended run before it shuts down', async () => {
    const { rig, run } = await openEmbedded();
    const receiver = await openCallbackReceiver();
    await run(receiver.url);
    const started = performance.now();
    expect(await rig.service.close()).toEqual({ undelivered: [] });
    expect(receiver.received).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('the service sends callbacks for the runs that its shutdown stops', async () => {
    const { rig } = await openEmbedded();
    const receiver = await openCallbackReceiver();
    await rig.call('POST', '/v2/tests', {
      json: smallTestFields('http://127.0.0.1:4080/', { callback: receiver.url }),
    });
    await rig.service.close();
    expect(receiver.received).toHaveLength(1);
  });

  test('before it shuts down, the service repeats a callback that failed twice, and delivers the callback', async () => {
    const { rig, run } = await openEmbedded();
    const receiver = await openCallbackReceiver();
    receiver.respondWith((_, response) => {
      response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
    });
    await run(receiver.url);
    expect(await rig.service.close()).toEqual({ undelivered: [] });
    expect(receiver.received).toHaveLength(3);
  });

  test('a service that shuts down reports its undelivered callbacks, and the next process delivers these callbacks', async () => {
    const { rig, run } = await openEmbedded({ finalDeliveryMs: 100 });
    const receiver = await openCallbackReceiver();
    receiver.respondWith(500);
    const id = await run(receiver.url);
    const first = await rig.service.close();
    expect(first).toEqual({ undelivered: [{ testId: id, host: receiver.target.host }] });
    expect(await rig.service.close()).toEqual(first);
    receiver.respondWith(200);
    const next = await openTestService({ dataDirectory: rig.dataDirectory, now: () => Date.now() + HOUR });
    await waitForEmptyList(next);
    expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(1);
  });

  test('a service with `sendNotices: false` lists a pending callback, but does not send the callback', async () => {
    const { rig, run } = await openEmbedded({ finalDeliveryMs: 0 });
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

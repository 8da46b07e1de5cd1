import { describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../support/test-clock.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import {
  ANY_ID,
  openTestService,
  smallTestFields,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { openShop, reopenShop, type Shop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';

/** Creates a test that is due after a time in ms, and returns its id. */
async function schedule(shop: Shop, inMs: number, changes: Readonly<Record<string, unknown>> = {}) {
  const scheduledAt = formatInstant(shop.clock.now() + inMs);
  const response = await shop.service.call('POST', '/v2/tests', {
    json: smallTestFields(`${shop.target.url}/`, { scheduled_at: scheduledAt, ...changes }),
  });
  expect(response.json.errors).toBeUndefined();
  return response.json.test_id;
}

async function statusOf(rig: TestService, id: string) {
  return (await rig.call('GET', `/v2/tests/${id}`)).json.status;
}

async function resultsOf(rig: TestService, id: string) {
  return (await rig.call('GET', `/v2/tests/${id}/results`)).list;
}

/** Waits until the only result of a test is ready, and returns it. */
async function readyResult(rig: TestService, id: string) {
  return await waitUntil(async () => {
    const results = await resultsOf(rig, id);
    expect(results.length).toBeLessThan(2);
    return results[0]?.status === 'ready' ? results[0] : null;
  });
}

describe('creating a scheduled test', () => {
  test('a scheduled test is created as pending, without a run or result', async () => {
    const shop = await openShop();
    const scheduledAt = formatInstant(shop.clock.now() + HOUR);
    const response = await shop.service.call('POST', '/v2/tests', {
      json: smallTestFields(`${shop.target.url}/`, { scheduled_at: scheduledAt }),
    });
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ message: 'success', test_id: ANY_ID, status: 'pending' });
    expect(apiMismatch('test-created', response.json)).toBeNull();
    const [record] = (await shop.service.call('GET', '/v2/tests')).list;
    expect(record).toMatchObject({ status: 'pending', scheduled_at: scheduledAt });
    expect(await resultsOf(shop.service, response.json.test_id)).toEqual([]);
    expect(shop.service.runner.runs).toEqual([]);
  });

  test('a scheduled test starts once, at its scheduled time', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.clock.advance(HOUR - SECOND);
    expect(await statusOf(shop.service, id)).toBe('pending');
    shop.clock.advance(SECOND);
    await waitUntil(() => (shop.service.runner.runs.length === 1 ? true : null));
    expect(await statusOf(shop.service, id)).toBe('running');
    expect(await resultsOf(shop.service, id)).toMatchObject([
      { result_id: shop.service.runner.latest().job.runId, status: 'not_ready' },
    ]);
    shop.clock.advance(SECOND);
    shop.service.runner.latest().end();
    await readyResult(shop.service, id);
    shop.clock.advance(DAY);
    expect(await statusOf(shop.service, id)).toBe('complete');
    expect(shop.service.runner.runs).toHaveLength(1);
  });

  test.each([
    ['2026-12-24 03:00:00', Date.UTC(2026, 11, 24, 3)],
    ['2026-12-24T03:00:00+02:00', Date.UTC(2026, 11, 24, 1)],
    ['2026-12-24 3:0:0', Date.UTC(2026, 11, 24, 3)],
    ['2028-02-29 00:00:00', Date.UTC(2028, 1, 29)],
    ['2040-03-25 01:30:00', Date.UTC(2040, 2, 25, 1, 30)],
  ])('a test that is scheduled at %s is pending until this time, and then starts', async (text, at) => {
    const shop = await openShop();
    const id = await schedule(shop, 0, { scheduled_at: text });
    shop.clock.set(at - 1);
    expect(await statusOf(shop.service, id)).toBe('pending');
    shop.clock.set(at);
    await waitUntil(() => (shop.service.runner.runs.length === 1 ? true : null));
  });

  test.each([
    [
      '2026-12-23 11:59:59',
      /must be in the future; the current time of the service is 2026-12-23 12:00:00 UTC/,
    ],
    ['2026-12-23 12:00:00', /must be in the future/],
    ['2020-01-01T00:00:00Z', /must be in the future/],
    ['tomorrow', /must be a UTC time/],
    ['', /must be a UTC time/],
    ['2027-02-30 00:00:00', /must be a UTC time/],
    ['2026-12-24', /must be a UTC time/],
  ])('a test that is scheduled at %j is refused', async (text, reason) => {
    const shop = await openShop();
    const response = await shop.service.call('POST', '/v2/tests', {
      json: smallTestFields(`${shop.target.url}/`, { scheduled_at: text }),
    });
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toMatch(reason);
    expect((await shop.service.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test('a scheduled test is refused if its host no longer serves the verification file', async () => {
    const shop = await openShop();
    shop.target.respondWith(servePages({}));
    const response = await shop.service.call('POST', '/v2/tests', {
      json: smallTestFields(`${shop.target.url}/`, { scheduled_at: '2027-01-01 00:00:00' }),
    });
    expect(response.status).toBe(422);
  });

  test('the embedded service refuses a scheduled test, and the error refers to "loadtests serve"', async () => {
    const rig = await openTestService();
    await rig.verifiedApp('127.0.0.1:4080');
    const response = await rig.call('POST', '/v2/tests', {
      json: smallTestFields('http://127.0.0.1:4080/', { scheduled_at: '2099-01-01 00:00:00' }),
    });
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toContain('loadtests serve');
  });

  test('a scheduled test is created once, even if the create request is sent twice with one idempotency key', async () => {
    const shop = await openShop();
    const json = smallTestFields(`${shop.target.url}/`, { scheduled_at: '2026-12-24 00:00:00' });
    const send = async () =>
      await shop.service.call('POST', '/v2/tests', { json, headers: { 'idempotency-key': 'a' } });
    const first = await send();
    expect((await send()).json).toEqual(first.json);
    shop.clock.advance(DAY);
    shop.clock.advance(DAY);
    expect((await shop.service.call('GET', '/v2/tests')).list).toHaveLength(1);
  });
});

describe('the start of a scheduled test', () => {
  test('a scheduled test does not start if its host no longer serves the verification file', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.target.respondWith(servePages({}));
    shop.clock.advance(HOUR);
    expect(await readyResult(shop.service, id)).toMatchObject({
      status: 'ready',
      abort_reason: 'verification_lost',
      requests: 0,
      success: 0,
      latency: null,
    });
    expect(await statusOf(shop.service, id)).toBe('complete');
    expect(shop.service.runner.runs).toEqual([]);
  });

  test('a scheduled test is deleted together with its app', async () => {
    const shop = await openShop();
    await schedule(shop, HOUR);
    await shop.service.call('DELETE', `/v2/apps/${shop.appId}`);
    shop.clock.advance(HOUR);
    expect((await shop.service.call('GET', '/v2/tests')).json).toEqual([]);
    expect(shop.service.runner.runs).toEqual([]);
  });

  test('a scheduled test does not start if its app is deleted during the host check', async () => {
    const shop = await openShop();
    await schedule(shop, HOUR);
    const hostCheck = new Promise<() => void>((resolve) => {
      shop.target.respondWith((_, response) => {
        resolve(() => {
          shop.target.respondWith(servePages({}));
          response.end();
        });
      });
    });
    shop.clock.advance(HOUR);
    const respond = await hostCheck;
    await shop.service.call('DELETE', `/v2/apps/${shop.appId}`);
    respond();
    await waitUntil(() => (shop.service.log.some(({ event }) => event === 'run-ended') ? true : null));
    expect(shop.service.runner.runs).toEqual([]);
    expect((await shop.service.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test('a scheduled test that is stopped during the host check does not start', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    const { proof } = shop;
    const hostCheck = new Promise<() => void>((resolve) => {
      shop.target.respondWith((request, response) => {
        resolve(() => servePages({ [proof]: proof.slice(1, -4) })(request, response));
      });
    });
    shop.clock.advance(HOUR);
    const respond = await hostCheck;
    expect(await statusOf(shop.service, id)).toBe('running');
    expect((await shop.service.call('PUT', `/v2/tests/${id}/run`)).status).toBe(422);
    expect((await shop.service.call('PUT', `/v2/tests/${id}/stop`)).json.status).toBe('complete');
    respond();
    expect(await readyResult(shop.service, id)).toMatchObject({ abort_reason: 'stopped', requests: 0 });
    expect(shop.service.runner.runs).toEqual([]);
  });

  test('a scheduled test that exceeds the connection limit at its start time does not start, and its result contains the reason', async () => {
    const shop = await openShop({ limits: { connectionsPerTarget: 10 } });
    const running = { test_type: 'cycling', total: 8, duration: 60 };
    const id = await schedule(shop, HOUR, running);
    await shop.service.call('POST', '/v2/tests', { json: smallTestFields(`${shop.target.url}/`, running) });
    shop.clock.advance(HOUR);
    const { result_id: result } = await readyResult(shop.service, id);
    const full = (await shop.service.call('GET', `/v2/tests/${id}/results/${result}`)).json;
    expect(full.abort_reason).toBe('partial');
    expect(full.error_samples[0]?.error).toContain('connections');
    expect(shop.service.runner.runs).toHaveLength(1);
  });

  test('forty tests that are scheduled for the same time all start, although fewer start concurrently', async () => {
    const shop = await openShop();
    const ids: string[] = [];
    for (let count = 0; count < 40; count++) ids.push(await schedule(shop, HOUR));
    shop.clock.advance(HOUR);
    await waitUntil(() => {
      shop.clock.advance(0);
      return shop.service.runner.runs.length === ids.length ? true : null;
    });
    for (const id of ids) expect(await resultsOf(shop.service, id)).toHaveLength(1);
  });
});

describe('pending tests', () => {
  test('a pending test that is stopped becomes complete without a result and never starts', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    const response = await shop.service.call('PUT', `/v2/tests/${id}/stop`);
    expect(response.json).toEqual({ message: 'success', test_id: id, status: 'complete', result_id: null });
    shop.clock.advance(DAY);
    expect(await statusOf(shop.service, id)).toBe('complete');
    expect(await resultsOf(shop.service, id)).toEqual([]);
    expect(shop.service.runner.runs).toEqual([]);
  });

  test('a pending test that is run early does not start again at its scheduled time', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    expect((await shop.service.call('PUT', `/v2/tests/${id}/run`)).json.status).toBe('running');
    shop.service.runner.latest().end();
    await readyResult(shop.service, id);
    shop.clock.advance(HOUR);
    shop.clock.advance(DAY);
    expect(await statusOf(shop.service, id)).toBe('complete');
    expect(shop.service.runner.runs).toHaveLength(1);
  });

  test('a pending test remains pending if its early run is refused', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.target.respondWith(servePages({}));
    expect((await shop.service.call('PUT', `/v2/tests/${id}/run`)).status).toBe(422);
    expect(await statusOf(shop.service, id)).toBe('pending');
  });

  test('a pending test remains pending across a restart', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    const rig = await reopenShop(shop);
    expect(await statusOf(rig, id)).toBe('pending');
    shop.clock.advance(HOUR);
    await waitUntil(() => (rig.runner.runs.length === 1 ? true : null));
  });
});

describe('due times while the service is down', () => {
  test.each([1, 4 * MINUTE, 5 * MINUTE])(
    'after a restart, a test that was due %i ms ago starts at the first check of the schedules',
    async (ago) => {
      const shop = await openShop();
      const id = await schedule(shop, HOUR);
      await shop.service.service.close();
      shop.clock.advance(HOUR + ago);
      const rig = await reopenShop(shop);
      // When the service is ready, no run is active yet, and none is listed as running.
      expect(await statusOf(rig, id)).toBe('pending');
      expect(await resultsOf(rig, id)).toEqual([]);
      shop.clock.advance(0);
      await waitUntil(() => (rig.runner.runs.length === 1 ? true : null));
      expect(await statusOf(rig, id)).toBe('running');
    },
  );

  test.each([5 * MINUTE + 1, DAY])(
    'after a restart, a test that was due %i ms ago is missed',
    async (ago) => {
      const shop = await openShop();
      const id = await schedule(shop, HOUR);
      await shop.service.service.close();
      shop.clock.advance(HOUR + ago);
      const rig = await reopenShop(shop);
      expect(await statusOf(rig, id)).toBe('complete');
      const [result] = await resultsOf(rig, id);
      expect(result).toMatchObject({ status: 'ready', abort_reason: 'missed', requests: 0, latency: null });
      expect(result).toHaveProperty('started_at', '2026-12-23T13:00:00.000Z');
      expect(apiMismatch('result-record', result)).toBeNull();
      shop.clock.advance(DAY);
      expect(rig.runner.runs).toEqual([]);
      expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
    },
  );

  test('after an hour of suspension, a test due 59 minutes ago is missed, and a test due one minute ago starts', async () => {
    const shop = await openShop();
    const late = await schedule(shop, MINUTE);
    const recent = await schedule(shop, HOUR - MINUTE);
    shop.clock.advance(HOUR);
    expect(await readyResult(shop.service, late)).toMatchObject({ abort_reason: 'missed' });
    await waitUntil(() => (shop.service.runner.runs.length === 1 ? true : null));
    expect(await statusOf(shop.service, recent)).toBe('running');
  });
});

describe('clocks that are set back', () => {
  test('after the clock is set back, a scheduled test that has already run does not start again', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.clock.advance(HOUR);
    await waitUntil(() => (shop.service.runner.runs.length === 1 ? true : null));
    shop.service.runner.latest().end();
    await readyResult(shop.service, id);
    shop.clock.advance(-3 * DAY);
    const rig = await reopenShop(shop);
    for (let hours = 0; hours < 100; hours++) shop.clock.advance(HOUR);
    expect(await resultsOf(rig, id)).toHaveLength(1);
    expect(rig.runner.runs).toEqual([]);
  });

  test('after the clock is set back, a pending test still starts at its scheduled time', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.clock.advance(-3 * DAY);
    expect(await statusOf(shop.service, id)).toBe('pending');
    shop.clock.advance(3 * DAY + HOUR);
    await waitUntil(() => (shop.service.runner.runs.length === 1 ? true : null));
  });
});

test('after a restart, a scheduled test does not start again if the service shut down during the first start of the test', async () => {
  const shop = await openShop({ fake: createFakeRunner({ endsOnStop: false }), limits: { closeGraceMs: 1 } });
  const id = await schedule(shop, HOUR);
  shop.target.respondWith(() => undefined);
  shop.clock.advance(HOUR);
  await waitUntil(async () => ((await statusOf(shop.service, id)) === 'running' ? true : null));
  const rig = await reopenShop(shop);
  shop.clock.advance(SECOND);
  expect(await statusOf(rig, id)).toBe('complete');
  expect(await resultsOf(rig, id)).toMatchObject([{ status: 'ready', abort_reason: 'stopped' }]);
  expect(rig.runner.runs).toEqual([]);
});

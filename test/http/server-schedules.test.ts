import { describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../rig/clock.ts';
import { fakeRunner } from '../rig/fake-runner.ts';
import { misfitOf } from '../rig/schemas.ts';
import { ANY_ID, openRig, smallTest, until, type ServiceRig } from '../rig/service.ts';
import { openShop, reopen, type Shop } from '../rig/shop.ts';
import { pages } from '../rig/target.ts';

/** Creates a test that waits so long. Gives its id. */
async function schedule(shop: Shop, inMs: number, changes: Readonly<Record<string, unknown>> = {}) {
  const scheduledAt = formatInstant(shop.clock.now() + inMs);
  const answer = await shop.rig.call('POST', '/v2/tests', {
    json: smallTest(`${shop.target.url}/`, { scheduled_at: scheduledAt, ...changes }),
  });
  expect(answer.json.errors).toBeUndefined();
  return answer.json.test_id;
}

async function statusOf(rig: ServiceRig, id: string) {
  return (await rig.call('GET', `/v2/tests/${id}`)).json.status;
}

async function resultsOf(rig: ServiceRig, id: string) {
  return (await rig.call('GET', `/v2/tests/${id}/results`)).list;
}

/** The only result of a test, once it is ready. */
async function readyResult(rig: ServiceRig, id: string) {
  return await until(async () => {
    const results = await resultsOf(rig, id);
    expect(results.length).toBeLessThan(2);
    return results[0]?.status === 'ready' ? results[0] : null;
  });
}

describe('a test with a time', () => {
  test('is created as pending, without a result, and starts nothing', async () => {
    const shop = await openShop();
    const scheduledAt = formatInstant(shop.clock.now() + HOUR);
    const answer = await shop.rig.call('POST', '/v2/tests', {
      json: smallTest(`${shop.target.url}/`, { scheduled_at: scheduledAt }),
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ message: 'success', test_id: ANY_ID, status: 'pending' });
    expect(misfitOf('test-created', answer.json)).toBeNull();
    const [record] = (await shop.rig.call('GET', '/v2/tests')).list;
    expect(record).toMatchObject({ status: 'pending', scheduled_at: scheduledAt });
    expect(await resultsOf(shop.rig, answer.json.test_id)).toEqual([]);
    expect(shop.rig.runner.runs).toEqual([]);
  });

  test('starts at its time, once', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.clock.advance(HOUR - SECOND);
    expect(await statusOf(shop.rig, id)).toBe('pending');
    shop.clock.advance(SECOND);
    await until(() => (shop.rig.runner.runs.length === 1 ? true : null));
    expect(await statusOf(shop.rig, id)).toBe('running');
    expect(await resultsOf(shop.rig, id)).toMatchObject([
      { result_id: shop.rig.runner.latest().job.runId, status: 'not_ready' },
    ]);
    shop.clock.advance(SECOND);
    shop.rig.runner.latest().end();
    await readyResult(shop.rig, id);
    shop.clock.advance(DAY);
    expect(await statusOf(shop.rig, id)).toBe('complete');
    expect(shop.rig.runner.runs).toHaveLength(1);
  });

  test.each([
    ['2026-12-24 03:00:00', Date.UTC(2026, 11, 24, 3)],
    ['2026-12-24T03:00:00+02:00', Date.UTC(2026, 11, 24, 1)],
    ['2026-12-24 3:0:0', Date.UTC(2026, 11, 24, 3)],
    ['2028-02-29 00:00:00', Date.UTC(2028, 1, 29)],
    ['2040-03-25 01:30:00', Date.UTC(2040, 2, 25, 1, 30)],
  ])('%s is a time', async (text, at) => {
    const shop = await openShop();
    const id = await schedule(shop, 0, { scheduled_at: text });
    shop.clock.set(at - 1);
    expect(await statusOf(shop.rig, id)).toBe('pending');
    shop.clock.set(at);
    await until(() => (shop.rig.runner.runs.length === 1 ? true : null));
  });

  test.each([
    ['2026-12-23 11:59:59', /has passed; it is 2026-12-23 12:00:00 UTC/],
    ['2026-12-23 12:00:00', /has passed/],
    ['2020-01-01T00:00:00Z', /has passed/],
    ['tomorrow', /must be a time/],
    ['', /must be a time/],
    ['2027-02-30 00:00:00', /must be a time/],
    ['2026-12-24', /must be a time/],
  ])('at %j is refused', async (text, reason) => {
    const shop = await openShop();
    const answer = await shop.rig.call('POST', '/v2/tests', {
      json: smallTest(`${shop.target.url}/`, { scheduled_at: text }),
    });
    expect(answer.status).toBe(422);
    expect(answer.json.errors.join()).toMatch(reason);
    expect((await shop.rig.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test('is refused on a host that does not verify now', async () => {
    const shop = await openShop();
    shop.target.answerWith(pages({}));
    const answer = await shop.rig.call('POST', '/v2/tests', {
      json: smallTest(`${shop.target.url}/`, { scheduled_at: '2027-01-01 00:00:00' }),
    });
    expect(answer.status).toBe(422);
  });

  test('is refused by the service of one command, with a word on who could keep it', async () => {
    const rig = await openRig();
    await rig.verifiedApp('127.0.0.1:4080');
    const answer = await rig.call('POST', '/v2/tests', {
      json: smallTest('http://127.0.0.1:4080/', { scheduled_at: '2099-01-01 00:00:00' }),
    });
    expect(answer.status).toBe(422);
    expect(answer.json.errors.join()).toContain('loadtests serve');
  });

  test('sent twice with one key waits once', async () => {
    const shop = await openShop();
    const json = smallTest(`${shop.target.url}/`, { scheduled_at: '2026-12-24 00:00:00' });
    const send = async () =>
      await shop.rig.call('POST', '/v2/tests', { json, headers: { 'idempotency-key': 'a' } });
    const first = await send();
    expect((await send()).json).toEqual(first.json);
    shop.clock.advance(DAY);
    shop.clock.advance(DAY);
    expect((await shop.rig.call('GET', '/v2/tests')).list).toHaveLength(1);
  });
});

describe('when its time comes', () => {
  test('the host is asked again: one that took its file away gets no load', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.target.answerWith(pages({}));
    shop.clock.advance(HOUR);
    expect(await readyResult(shop.rig, id)).toMatchObject({
      ...{ status: 'ready', abort_reason: 'consent_withdrawn', requests: 0, success: 0, latency: null },
    });
    expect(await statusOf(shop.rig, id)).toBe('complete');
    expect(shop.rig.runner.runs).toEqual([]);
  });

  test('a deleted app has taken the test with it', async () => {
    const shop = await openShop();
    await schedule(shop, HOUR);
    await shop.rig.call('DELETE', `/v2/apps/${shop.appId}`);
    shop.clock.advance(HOUR);
    expect((await shop.rig.call('GET', '/v2/tests')).json).toEqual([]);
    expect(shop.rig.runner.runs).toEqual([]);
  });

  test('an app that is deleted while its host is asked gets no load', async () => {
    const shop = await openShop();
    await schedule(shop, HOUR);
    const asked = new Promise<() => void>((resolve) => {
      shop.target.answerWith((_, response) => {
        resolve(() => {
          shop.target.answerWith(pages({}));
          response.end();
        });
      });
    });
    shop.clock.advance(HOUR);
    const answer = await asked;
    await shop.rig.call('DELETE', `/v2/apps/${shop.appId}`);
    answer();
    await until(() => (shop.rig.log.some(({ event }) => event === 'run-ended') ? true : null));
    expect(shop.rig.runner.runs).toEqual([]);
    expect((await shop.rig.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test('a stop while the host is asked is a stop', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    const { proof } = shop;
    const asked = new Promise<() => void>((resolve) => {
      shop.target.answerWith((request, response) => {
        resolve(() => {
          pages({ [proof]: proof.slice(1, -4) })(request, response);
        });
      });
    });
    shop.clock.advance(HOUR);
    const answer = await asked;
    expect(await statusOf(shop.rig, id)).toBe('running');
    expect((await shop.rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(422);
    expect((await shop.rig.call('PUT', `/v2/tests/${id}/stop`)).json.status).toBe('complete');
    answer();
    expect(await readyResult(shop.rig, id)).toMatchObject({ abort_reason: 'stopped', requests: 0 });
    expect(shop.rig.runner.runs).toEqual([]);
  });

  test('a run that the limits forbid ends without samples, and says why', async () => {
    const shop = await openShop({ limits: { connectionsPerTarget: 10 } });
    const running = { test_type: 'cycling', total: 8, duration: 60 };
    const id = await schedule(shop, HOUR, running);
    await shop.rig.call('POST', '/v2/tests', { json: smallTest(`${shop.target.url}/`, running) });
    shop.clock.advance(HOUR);
    const { result_id: result } = await readyResult(shop.rig, id);
    const whole = (await shop.rig.call('GET', `/v2/tests/${id}/results/${result}`)).json;
    expect(whole.abort_reason).toBe('partial');
    expect(whole.error_samples[0]?.error).toContain('connections');
    expect(shop.rig.runner.runs).toHaveLength(1);
  });

  test('many tests of the same minute all start', async () => {
    const shop = await openShop();
    const ids: string[] = [];
    for (let count = 0; count < 50; count++) ids.push(await schedule(shop, HOUR));
    shop.clock.advance(HOUR);
    await until(() => {
      shop.clock.advance(0);
      return shop.rig.runner.runs.length === ids.length ? true : null;
    });
    for (const id of ids) expect(await resultsOf(shop.rig, id)).toHaveLength(1);
  });
});

describe('a pending test', () => {
  test('that is stopped is complete, has no result, and never starts', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    const answer = await shop.rig.call('PUT', `/v2/tests/${id}/stop`);
    expect(answer.json).toEqual({ message: 'success', test_id: id, status: 'complete', result_id: null });
    shop.clock.advance(DAY);
    expect(await statusOf(shop.rig, id)).toBe('complete');
    expect(await resultsOf(shop.rig, id)).toEqual([]);
    expect(shop.rig.runner.runs).toEqual([]);
  });

  test('that is run has had its run: it does not start again at its time', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    expect((await shop.rig.call('PUT', `/v2/tests/${id}/run`)).json.status).toBe('running');
    shop.rig.runner.latest().end();
    await readyResult(shop.rig, id);
    shop.clock.advance(HOUR);
    shop.clock.advance(DAY);
    expect(await statusOf(shop.rig, id)).toBe('complete');
    expect(shop.rig.runner.runs).toHaveLength(1);
  });

  test('whose early run is refused still waits', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.target.answerWith(pages({}));
    expect((await shop.rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(422);
    expect(await statusOf(shop.rig, id)).toBe('pending');
  });

  test('waits on over a restart', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    const rig = await reopen(shop);
    expect(await statusOf(rig, id)).toBe('pending');
    shop.clock.advance(HOUR);
    await until(() => (rig.runner.runs.length === 1 ? true : null));
  });
});

describe('a time that came while the service was away', () => {
  test.each([1, 4 * MINUTE, 5 * MINUTE])('%i ms ago: the test starts at once', async (ago) => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    await shop.rig.service.close();
    shop.clock.advance(HOUR + ago);
    const rig = await reopen(shop);
    await until(() => (rig.runner.runs.length === 1 ? true : null));
    expect(await statusOf(rig, id)).toBe('running');
  });

  test.each([5 * MINUTE + 1, DAY])('%i ms ago: the test was missed', async (ago) => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    await shop.rig.service.close();
    shop.clock.advance(HOUR + ago);
    const rig = await reopen(shop);
    expect(await statusOf(rig, id)).toBe('complete');
    const [result] = await resultsOf(rig, id);
    expect(result).toMatchObject({ status: 'ready', abort_reason: 'missed', requests: 0, latency: null });
    expect(result).toHaveProperty('started_at', '2026-12-23T13:00:00.000Z');
    expect(misfitOf('result-record', result)).toBeNull();
    shop.clock.advance(DAY);
    expect(rig.runner.runs).toEqual([]);
    expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
  });

  test('over a sleep of the machine it counts as missed in the same way', async () => {
    const shop = await openShop();
    const late = await schedule(shop, MINUTE);
    const recent = await schedule(shop, HOUR - MINUTE);
    shop.clock.advance(HOUR);
    expect(await readyResult(shop.rig, late)).toMatchObject({ abort_reason: 'missed' });
    await until(() => (shop.rig.runner.runs.length === 1 ? true : null));
    expect(await statusOf(shop.rig, recent)).toBe('running');
  });
});

describe('a clock', () => {
  test('that is set back does not start a test a second time', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.clock.advance(HOUR);
    await until(() => (shop.rig.runner.runs.length === 1 ? true : null));
    shop.rig.runner.latest().end();
    await readyResult(shop.rig, id);
    shop.clock.advance(-3 * DAY);
    const rig = await reopen(shop);
    for (let hours = 0; hours < 100; hours++) shop.clock.advance(HOUR);
    expect(await resultsOf(rig, id)).toHaveLength(1);
    expect(rig.runner.runs).toEqual([]);
  });

  test('that is set back lets a test wait for its own time', async () => {
    const shop = await openShop();
    const id = await schedule(shop, HOUR);
    shop.clock.advance(-3 * DAY);
    expect(await statusOf(shop.rig, id)).toBe('pending');
    shop.clock.advance(3 * DAY + HOUR);
    await until(() => (shop.rig.runner.runs.length === 1 ? true : null));
  });
});

test('a test whose process ends after it has fired does not fire again', async () => {
  const shop = await openShop({ fake: fakeRunner({ endsOnStop: false }), limits: { closeGraceMs: 1 } });
  const id = await schedule(shop, HOUR);
  shop.target.answerWith(() => undefined);
  shop.clock.advance(HOUR);
  await until(async () => ((await statusOf(shop.rig, id)) === 'running' ? true : null));
  const rig = await reopen(shop);
  shop.clock.advance(SECOND);
  expect(await statusOf(rig, id)).toBe('complete');
  expect(await resultsOf(rig, id)).toMatchObject([{ status: 'ready', abort_reason: 'stopped' }]);
  expect(rig.runner.runs).toEqual([]);
});

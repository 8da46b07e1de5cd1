/** What may happen while a runner is asked whether it can make a load, which may take its time. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { HOUR } from '../support/test-clock.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';

const HOST = '127.0.0.1:4080';

/** A runner that answers when it is let. */
function slowRunner(refusal: string | null = null) {
  const waiting: (() => void)[] = [];
  let asked = 0;
  let free = false;
  const check = async () => {
    asked++;
    if (!free) await new Promise<void>((resolve) => waiting.push(resolve));
    return refusal;
  };
  const release = () => {
    free = true;
    for (const go of waiting.splice(0)) go();
  };
  onTestFinished(release);
  return {
    fake: createFakeRunner({ check }),
    isAsked: async () => await waitUntil(() => (asked > 0 ? true : null)),
    answer: release,
  };
}

describe('while the runner is asked', () => {
  test('a second request for the same test starts no second run', async () => {
    const { fake, isAsked, answer: response } = slowRunner();
    const shop = await openShop({ fake });
    const scheduledAt = formatInstant(shop.clock.now() + HOUR);
    const json = smallTestFields(`${shop.target.url}/`, { scheduled_at: scheduledAt });
    const { test_id: id } = (await shop.service.call('POST', '/v2/tests', { json })).json;
    const runs = [1, 2].map(async () => await shop.service.call('PUT', `/v2/tests/${id}/run`));
    await isAsked();
    expect((await shop.service.call('GET', `/v2/tests/${id}`)).json.status).toBe('pending');
    response();
    const statuses = (await Promise.all(runs)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 422]);
    expect(fake.runs).toHaveLength(1);
    expect((await shop.service.call('GET', `/v2/tests/${id}/results`)).list).toHaveLength(1);
  });

  test('tests together take no more of a host than they may', async () => {
    const { fake, isAsked, answer: response } = slowRunner();
    const rig = await openTestService({ fake, limits: { requestsPerSecondPerTarget: 100 } });
    await rig.verifiedApp(HOST);
    const json = smallTestFields(`http://${HOST}/`, { test_type: 'per-second', total: 40, duration: 10 });
    const creates = [1, 2, 3, 4].map(async () => await rig.call('POST', '/v2/tests', { json }));
    await isAsked();
    response();
    const statuses = (await Promise.all(creates)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 200, 429, 429]);
    expect(fake.runs).toHaveLength(2);
    expect((await rig.call('GET', '/v2/tests')).list).toHaveLength(2);
  });

  test('a service that closes starts nothing any more', async () => {
    const { fake, isAsked, answer: response } = slowRunner();
    const rig = await openTestService({ fake });
    await rig.verifiedApp(HOST);
    const created = rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
    await isAsked();
    const closed = rig.service.close();
    response();
    expect((await created).status).toBe(503);
    await closed;
    expect(fake.runs).toEqual([]);
  });

  test('a scheduled test that is stopped does not start', async () => {
    const { fake, isAsked, answer: response } = slowRunner();
    const shop = await openShop({ fake });
    const scheduledAt = formatInstant(shop.clock.now() + HOUR);
    const json = smallTestFields(`${shop.target.url}/`, { scheduled_at: scheduledAt });
    const { test_id: id } = (await shop.service.call('POST', '/v2/tests', { json })).json;
    shop.clock.advance(HOUR);
    await isAsked();
    expect((await shop.service.call('PUT', `/v2/tests/${id}/stop`)).json.status).toBe('complete');
    response();
    // The next one is asked after it.
    await shop.service.call('POST', '/v2/tests', { json: smallTestFields(`${shop.target.url}/`) });
    expect(fake.runs).toHaveLength(1);
    const results = (await shop.service.call('GET', `/v2/tests/${id}/results`)).list;
    expect(results).toMatchObject([{ status: 'ready', abort_reason: 'stopped' }]);
  });

  test('a refusal of one test holds up no other', async () => {
    const { fake, isAsked, answer: response } = slowRunner('the process may open 10 files; 60 are needed');
    const rig = await openTestService({ fake });
    await rig.verifiedApp(HOST);
    const json = smallTestFields(`http://${HOST}/`);
    const creates = [1, 2].map(async () => await rig.call('POST', '/v2/tests', { json }));
    await isAsked();
    response();
    expect((await Promise.all(creates)).map(({ status }) => status)).toEqual([422, 422]);
    expect((await rig.call('GET', '/v2/tests')).list).toEqual([]);
  });
});

/** Events during the capacity check of a runner, which may take some time. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { HOUR } from '../support/test-clock.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';

const HOST = '127.0.0.1:4080';

/** Creates a runner whose capacity check ends when it is released. */
function createSlowRunner(refusal: string | null = null) {
  const waiting: (() => void)[] = [];
  let checks = 0;
  let isReleased = false;
  const check = async () => {
    checks++;
    if (!isReleased) await new Promise<void>((resolve) => waiting.push(resolve));
    return refusal;
  };
  const release = () => {
    isReleased = true;
    for (const go of waiting.splice(0)) go();
  };
  onTestFinished(release);
  return {
    fake: createFakeRunner({ check }),
    waitForCheck: async () => await waitUntil(() => (checks > 0 ? true : null)),
    release,
  };
}

describe('events during a capacity check', () => {
  test('a second run request during the capacity check of a test does not start a second run', async () => {
    const { fake, waitForCheck, release } = createSlowRunner();
    const shop = await openShop({ fake });
    const scheduledAt = formatInstant(shop.clock.now() + HOUR);
    const json = smallTestFields(`${shop.target.url}/`, { scheduled_at: scheduledAt });
    const { test_id: id } = (await shop.service.call('POST', '/v2/tests', { json })).json;
    const runs = [1, 2].map(async () => await shop.service.call('PUT', `/v2/tests/${id}/run`));
    await waitForCheck();
    expect((await shop.service.call('GET', `/v2/tests/${id}`)).json.status).toBe('pending');
    release();
    const statuses = (await Promise.all(runs)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 422]);
    expect(fake.runs).toHaveLength(1);
    expect((await shop.service.call('GET', `/v2/tests/${id}/results`)).list).toHaveLength(1);
  });

  test('the limit on requests per second for one host applies to the total rate of concurrently created tests', async () => {
    const { fake, waitForCheck, release } = createSlowRunner();
    const rig = await openTestService({ fake, limits: { requestsPerSecondPerTarget: 100 } });
    await rig.verifiedApp(HOST);
    const json = smallTestFields(`http://${HOST}/`, { test_type: 'per-second', total: 40, duration: 10 });
    const creates = [1, 2, 3, 4].map(async () => await rig.call('POST', '/v2/tests', { json }));
    await waitForCheck();
    release();
    const statuses = (await Promise.all(creates)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 200, 429, 429]);
    expect(fake.runs).toHaveLength(2);
    expect((await rig.call('GET', '/v2/tests')).list).toHaveLength(2);
  });

  test('a service that shuts down during a capacity check does not start the run', async () => {
    const { fake, waitForCheck, release } = createSlowRunner();
    const rig = await openTestService({ fake });
    await rig.verifiedApp(HOST);
    const created = rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
    await waitForCheck();
    const closed = rig.service.close();
    release();
    expect((await created).status).toBe(503);
    await closed;
    expect(fake.runs).toEqual([]);
  });

  test('a scheduled test that is stopped during its capacity check does not start', async () => {
    const { fake, waitForCheck, release } = createSlowRunner();
    const shop = await openShop({ fake });
    const scheduledAt = formatInstant(shop.clock.now() + HOUR);
    const json = smallTestFields(`${shop.target.url}/`, { scheduled_at: scheduledAt });
    const { test_id: id } = (await shop.service.call('POST', '/v2/tests', { json })).json;
    shop.clock.advance(HOUR);
    await waitForCheck();
    expect((await shop.service.call('PUT', `/v2/tests/${id}/stop`)).json.status).toBe('complete');
    release();
    // This test is checked after the stopped one.
    await shop.service.call('POST', '/v2/tests', { json: smallTestFields(`${shop.target.url}/`) });
    expect(fake.runs).toHaveLength(1);
    const results = (await shop.service.call('GET', `/v2/tests/${id}/results`)).list;
    expect(results).toMatchObject([{ status: 'ready', abort_reason: 'stopped' }]);
  });

  test('two concurrent create requests are both refused if the load generator lacks capacity', async () => {
    const { fake, waitForCheck, release } = createSlowRunner('the process may open 10 files; 60 are needed');
    const rig = await openTestService({ fake });
    await rig.verifiedApp(HOST);
    const json = smallTestFields(`http://${HOST}/`);
    const creates = [1, 2].map(async () => await rig.call('POST', '/v2/tests', { json }));
    await waitForCheck();
    release();
    expect((await Promise.all(creates)).map(({ status }) => status)).toEqual([422, 422]);
    expect((await rig.call('GET', '/v2/tests')).list).toEqual([]);
  });
});

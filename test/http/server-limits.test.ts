import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND, testClock } from '../rig/clock.ts';
import { openNameServer } from '../rig/dns.ts';
import { openRig, smallTest } from '../rig/service.ts';
import { openTarget, pages } from '../rig/target.ts';

type Changes = Readonly<Record<string, unknown>>;

async function openCapped(limits: Readonly<Record<string, number>>) {
  const rig = await openRig({ limits });
  await rig.verifiedApp('127.0.0.1:4080');
  await rig.verifiedApp('127.0.0.1:4081');
  await rig.verifiedApp('127.0.0.2:4080');
  return {
    rig,
    create: async (host: string, changes: Changes) =>
      await rig.call('POST', '/v2/tests', { json: smallTest(`http://${host}/`, changes) }),
  };
}

describe('the rate of requests to one address', () => {
  const perSecond = (total: number): Changes => ({ test_type: 'per-second', total, duration: 10 });

  test('of a test alone may not be above the limit', async () => {
    const { create } = await openCapped({ requestsPerSecondPerTarget: 100 });
    expect((await create('127.0.0.1:4080', perSecond(100))).status).toBe(200);
    const answer = await create('127.0.0.2:4080', perSecond(101));
    expect(answer.status).toBe(422);
    expect(answer.json.errors.join()).toContain('101 requests per second to one address; the limit is 100');
  });

  test('counts every URL of a pass', async () => {
    const { rig, create } = await openCapped({ requestsPerSecondPerTarget: 100 });
    const urls = Array.from({ length: 3 }, () => ({ url: 'http://127.0.0.1:4080/' }));
    expect((await create('', { ...perSecond(40), urls })).status).toBe(422);
    expect((await create('', { ...perSecond(33), urls })).status).toBe(200);
    expect(rig.runner.runs).toHaveLength(1);
  });

  test('counts all running tests together, whatever their ports, and frees what ended', async () => {
    const { rig, create } = await openCapped({ requestsPerSecondPerTarget: 100 });
    const first = (await create('127.0.0.1:4080', perSecond(60))).json;
    const answer = await create('127.0.0.1:4081', perSecond(60));
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await create('127.0.0.2:4080', perSecond(60))).status).toBe(200);
    await rig.call('PUT', `/v2/tests/${first.test_id}/stop`);
    expect((await create('127.0.0.1:4081', perSecond(60))).status).toBe(200);
  });

  test('of clients spread over a test is their share of a second', async () => {
    const { create } = await openCapped({ requestsPerSecondPerTarget: 100 });
    const spread = (total: number): Changes => ({ test_type: 'non-cycling', total, duration: 10 });
    expect((await create('127.0.0.1:4080', spread(1001))).status).toBe(422);
    expect((await create('127.0.0.1:4080', spread(1000))).status).toBe(200);
  });

  test('of a closed model is bounded by its connections alone', async () => {
    const { create } = await openCapped({ requestsPerSecondPerTarget: 1, connectionsPerTarget: 50 });
    const cycling = (total: number): Changes => ({ test_type: 'cycling', total, duration: 10 });
    expect((await create('127.0.0.1:4080', cycling(51))).status).toBe(422);
    expect((await create('127.0.0.1:4080', cycling(50))).status).toBe(200);
    expect((await create('127.0.0.1:4081', cycling(1))).status).toBe(429);
  });
});

describe('verify calls', () => {
  test('are limited over all apps together', async () => {
    const clock = testClock();
    const rig = await openRig({
      now: clock.now,
      ticker: clock.ticker,
      mode: 'serve',
      limits: { verifyTriesPerMinuteInAll: 3 },
    });
    const verify = async (port: number) => {
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: `127.0.0.1:${port}` } }))
        .json;
      return await rig.call('POST', `/v2/apps/${id}/verify`);
    };
    for (const port of [4081, 4082, 4083]) expect((await verify(port)).status).toBe(422);
    clock.advance(MINUTE / 2);
    const answer = await verify(4084);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('30');
    clock.advance(MINUTE / 2 - SECOND);
    expect((await verify(4084)).status).toBe(429);
    clock.advance(SECOND);
    expect((await verify(4084)).status).toBe(422);
  });

  test('are five a minute for one app and thirty for all, unless it is said otherwise', async () => {
    const clock = testClock();
    const rig = await openRig({ now: clock.now, ticker: clock.ticker, mode: 'serve' });
    const register = async (port: number) =>
      (await rig.call('POST', '/v2/apps', { form: { app: `127.0.0.1:${port}` } })).json.app_id;
    const statuses = async (id: string, count: number) => {
      const found: number[] = [];
      for (let number = 0; number < count; number++) {
        found.push((await rig.call('POST', `/v2/apps/${id}/verify`)).status);
      }
      return found;
    };
    for (let port = 1; port <= 6; port++) {
      expect(await statuses(await register(port), 6)).toEqual([422, 422, 422, 422, 422, 429]);
    }
    expect(await statuses(await register(7), 1)).toEqual([429]);
    // Nobody scans through a command of his own.
    const own = await openRig();
    const { app_id: id } = (await own.call('POST', '/v2/apps', { form: { app: '127.0.0.1:4080' } })).json;
    for (let count = 0; count < 40; count++) {
      expect((await own.call('POST', `/v2/apps/${id}/verify`)).status).toBe(200);
    }
  });

  test('count checks before runs that failed: a name with a TXT record cannot be used to call others', async () => {
    const names = await openNameServer({});
    const target = await openTarget(pages({}));
    const clock = testClock();
    const { now, ticker } = clock;
    const rig = await openRig({ now, ticker, mode: 'serve', dnsServers: [names.address] });
    const app = `shop.test:${target.port}`;
    const { app_id: id, verification_id: token } = (await rig.call('POST', '/v2/apps', { form: { app } }))
      .json;
    names.serve({ 'shop.test': { a: ['127.0.0.1'], txt: [`service=${id}`] } });
    expect((await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'dns' } })).status).toBe(200);
    const create = async () => await rig.call('POST', '/v2/tests', { json: smallTest(`http://${app}/`) });
    for (let count = 0; count < 5; count++) expect((await create()).status).toBe(422);
    const asked = target.requests.length;
    const answer = await create();
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(target.requests).toHaveLength(asked);
    // As many as one likes where none fails.
    clock.advance(MINUTE);
    target.answerWith(pages({ [`/${token}.txt`]: token }));
    for (let count = 0; count < 20; count++) expect((await create()).status).toBe(200);
  });
});

import { describe, expect, test } from 'vitest';
import { milliseconds } from '../../src/core/units.ts';
import { MINUTE, SECOND, createTestClock } from '../support/test-clock.ts';
import { openNameServer } from '../support/name-server.ts';
import type { FakeRun } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

type Changes = Readonly<Record<string, unknown>>;

/**
 * Opens a service with a name server for names of other machines; TXT records are sufficient to verify them.
 */
async function openWithNames(limits: Readonly<Record<string, number>>) {
  const names = await openNameServer({});
  const rig = await openTestService({
    limits,
    dnsServers: [names.address],
    allowPrivate: ['10.0.0.0/8', 'fd00::/8'],
  });
  return {
    rig,
    /** Points a name to addresses and verifies it. */
    pointName: async (name: string, ...addresses: readonly string[]) => {
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: `${name}:4080` } })).json;
      names.serve({
        [name]: {
          a: addresses.filter((address) => !address.includes(':')),
          aaaa: addresses.filter((address) => address.includes(':')),
          txt: [`service=${id}`],
        },
      });
      const response = await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'dns' } });
      expect(response.status).toBe(200);
    },
  };
}

async function openLimited(limits: Readonly<Record<string, number>>) {
  const { rig, pointName } = await openWithNames(limits);
  await rig.verifiedApp('127.0.0.1:4080');
  await rig.verifiedApp('127.0.0.1:4081');
  await rig.verifiedApp('127.0.0.2:4080');
  await pointName('elsewhere.test', '10.0.0.2');
  return {
    rig,
    create: async (host: string, changes: Changes) =>
      await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${host}/`, changes) }),
  };
}

describe('the limit on requests per second for one host', () => {
  const perSecond = (total: number): Changes => ({ test_type: 'per-second', total, duration: 10 });

  test('a test that exceeds the limit on requests per second is refused', async () => {
    const { create } = await openLimited({ requestsPerSecondPerTarget: 100 });
    expect((await create('127.0.0.1:4080', perSecond(100))).status).toBe(200);
    const response = await create('elsewhere.test:4080', perSecond(101));
    expect(response.status).toBe(422);
    expect(response.json.errors.join()).toContain('101 requests per second on one host; the limit is 100');
  });

  test('the request rate of a test includes every URL of an iteration', async () => {
    const { rig, create } = await openLimited({ requestsPerSecondPerTarget: 100 });
    const urls = Array.from({ length: 3 }, () => ({ url: 'http://127.0.0.1:4080/' }));
    expect((await create('', { ...perSecond(40), urls })).status).toBe(422);
    expect((await create('', { ...perSecond(33), urls })).status).toBe(200);
    expect(rig.runner.runs).toHaveLength(1);
  });

  test('the limit on requests per second applies to the total rate of running tests on all ports and loopback addresses of a host', async () => {
    const { rig, create } = await openLimited({ requestsPerSecondPerTarget: 100 });
    const first = (await create('127.0.0.1:4080', perSecond(60))).json;
    const response = await create('127.0.0.1:4081', perSecond(60));
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await create('127.0.0.2:4080', perSecond(60))).status).toBe(429);
    expect((await create('elsewhere.test:4080', perSecond(60))).status).toBe(200);
    await rig.call('PUT', `/v2/tests/${first.test_id}/stop`);
    expect((await create('127.0.0.1:4081', perSecond(60))).status).toBe(200);
  });

  test('the request rate of a non-cycling test is the number of clients divided by the duration', async () => {
    const { create } = await openLimited({ requestsPerSecondPerTarget: 100 });
    const nonCycling = (total: number): Changes => ({ test_type: 'non-cycling', total, duration: 10 });
    expect((await create('127.0.0.1:4080', nonCycling(1001))).status).toBe(422);
    expect((await create('127.0.0.1:4080', nonCycling(1000))).status).toBe(200);
  });

  test('the limit on requests per second does not apply to cycling tests, which are limited by connections', async () => {
    const { create } = await openLimited({ requestsPerSecondPerTarget: 1, connectionsPerTarget: 50 });
    const cycling = (total: number): Changes => ({ test_type: 'cycling', total, duration: 10 });
    expect((await create('127.0.0.1:4080', cycling(51))).status).toBe(422);
    expect((await create('127.0.0.1:4080', cycling(50))).status).toBe(200);
    expect((await create('127.0.0.1:4081', cycling(1))).status).toBe(429);
  });
});

test('the connection limit counts one connection for each client and each port that the client uses', async () => {
  const { rig } = await openLimited({ connectionsPerTarget: 100 });
  const create = async (ports: readonly number[], total: number) => {
    const urls = ports.map((port) => ({ url: `http://127.0.0.1:${port}/` }));
    const json = smallTestFields('', { urls, test_type: 'cycling', total });
    return await rig.call('POST', '/v2/tests', { json });
  };
  expect((await create([4080, 4081], 51)).status).toBe(422);
  expect((await create([4080, 4080], 51)).status).toBe(200);
  expect((await create([4081], 50)).status).toBe(429);
});

describe('names of one host', () => {
  test('tests that use the same host name or the same address share the limits of one host, even if the address of the name changes', async () => {
    const { rig, pointName } = await openWithNames({
      requestsPerSecondPerTarget: 100,
      connectionsPerTarget: 1000,
    });
    const create = async (name: string, address: string, changes: Changes) => {
      await pointName(name, address);
      return await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${name}:4080/`, changes) });
    };
    const rate: Changes = { test_type: 'per-second', total: 60, duration: 10, timeout: 1000 };
    expect((await create('shop.test', '10.0.0.1', rate)).status).toBe(200);
    expect((await create('shop.test', '10.0.0.2', rate)).status).toBe(429);
    // Another name with the same address is the same host.
    expect((await create('other.test', '10.0.0.1', rate)).status).toBe(429);
    expect((await create('other.test', '10.0.0.2', rate)).status).toBe(200);
    const many: Changes = { test_type: 'cycling', total: 600 };
    expect((await create('third.test', '10.0.0.3', many)).status).toBe(200);
    expect((await create('third.test', '10.0.0.4', many)).status).toBe(429);
  });

  test.each<[string, string, string[]]>([
    ['two addresses of the local machine', '127.0.0.1', ['127.0.0.9']],
    ['an IPv4 and an IPv6 address', '127.0.0.1', ['::1']],
    [
      'addresses of one IPv6 network, which usually belongs to one machine',
      'fd00:1:2:3::1',
      ['fd00:1:2:3::ffff'],
    ],
    ['one common address among several', '10.0.0.1', ['10.0.0.7', '10.0.0.1']],
  ])('names that point to the same machine count as one host: %s', async (_, one, others) => {
    const { rig, pointName } = await openWithNames({ requestsPerSecondPerTarget: 100 });
    const rate: Changes = { test_type: 'per-second', total: 60, duration: 10, timeout: 1000 };
    const create = async (name: string) =>
      (await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${name}:4080/`, rate) })).status;
    await pointName('one.test', one);
    expect(await create('one.test')).toBe(200);
    await pointName('other.test', ...others);
    expect(await create('other.test')).toBe(429);
  });
});

describe('the measured load of running tests on one host', () => {
  interface Measurement {
    /** Requests that have ended, for each URL. */
    readonly targets: readonly number[];
    readonly connections?: number;
  }

  function report(run: FakeRun | undefined, second: number, { targets, connections = 1 }: Measurement) {
    run?.reportProgress({
      elapsed: milliseconds(second * 1000),
      warmingUp: false,
      connections,
      success: 0,
      error: 0,
      timeoutError: 0,
      networkError: 0,
      requestsPerSecond: 0,
      p95: null,
      targets,
    });
  }

  /** Starts tests with the given hosts, in this order. */
  async function openRunning(...hosts: readonly (readonly string[])[]) {
    const limits = { requestsPerSecondPerTarget: 100, connectionsPerTarget: 100 };
    const capped = await openLimited(limits);
    const ids: string[] = [];
    for (const list of hosts) {
      const urls = list.map((host) => ({ url: `http://${host}/` }));
      ids.push(
        (await capped.create('', { test_type: 'cycling', total: 2, duration: 60, urls })).json.test_id,
      );
    }
    const { rig } = capped;
    const reasonOf = async (id: string | undefined) =>
      await waitUntil(async () => {
        const [result] = (await rig.call('GET', `/v2/tests/${id ?? ''}/results`)).list;
        return result?.status === 'ready' ? (result.abort_reason ?? 'none') : null;
      });
    return { rig, ids, runs: rig.runner.runs, reasonOf };
  }

  test('a run is stopped after its request rate exceeds the limit in two consecutive seconds', async () => {
    const { rig, ids, runs, reasonOf } = await openRunning(['127.0.0.1:4080']);
    const [run] = runs;
    report(run, 1, { targets: [100] });
    report(run, 2, { targets: [250] });
    report(run, 3, { targets: [350] });
    report(run, 4, { targets: [451] });
    expect(run?.stops).toEqual([]);
    report(run, 5, { targets: [552] });
    expect(run?.stops).toEqual(['over_limit']);
    expect(await reasonOf(ids[0])).toBe('over_limit');
    expect(rig.log.map(({ event }) => event)).toContain('over-limit');
  });

  test('runs that together exceed the limit of a host are stopped one at a time, newest first', async () => {
    const hosts = [['127.0.0.1:4080'], ['127.0.0.1:4081'], ['elsewhere.test:4080'], ['127.0.0.1:4080']];
    const { runs } = await openRunning(...hosts);
    const [oldest, older, elsewhere, newest] = runs;
    const stops = () => runs.map((run) => run.stops.length);
    for (let second = 1; second <= 3; second++) {
      report(oldest, second, { targets: [40 * second] });
      report(older, second, { targets: [70 * second] });
      report(elsewhere, second, { targets: [90 * second] });
      report(newest, second, { targets: [10 * second] });
    }
    expect(stops()).toEqual([0, 0, 0, 1]);
    for (let second = 4; second <= 6; second++) {
      report(oldest, second, { targets: [40 * second] });
      report(older, second, { targets: [70 * second] });
      report(elsewhere, second, { targets: [90 * second] });
    }
    expect(stops()).toEqual([0, 1, 0, 1]);
    for (let second = 7; second <= 10; second++) report(oldest, second, { targets: [100 * second - 360] });
    expect(stops()).toEqual([0, 1, 0, 1]);
  });

  test('the load of a test is compared with the limit separately for each host', async () => {
    const { runs } = await openRunning(['127.0.0.1:4080', 'elsewhere.test:4080', '127.0.0.1:4081']);
    const [run] = runs;
    for (let second = 1; second <= 4; second++)
      report(run, second, { targets: [50 * second, 100 * second, 50 * second] });
    expect(run?.stops).toEqual([]);
    for (let second = 5; second <= 7; second++)
      report(run, second, { targets: [60 * second, 100 * second, 60 * second] });
    expect(run?.stops).toEqual(['over_limit']);
  });

  test('the newest run is stopped if the connections of all runs together exceed the limit of a host', async () => {
    const { runs } = await openRunning(['127.0.0.1:4080'], ['127.0.0.1:4080']);
    for (let second = 1; second <= 3; second++) {
      for (const run of runs) report(run, second, { targets: [second], connections: 51 });
    }
    expect(runs.map(({ stops }) => stops)).toEqual([[], ['over_limit']]);
  });
});

describe('limits of verification attempts', () => {
  test('the number of verification attempts of all apps together is limited per minute', async () => {
    const clock = createTestClock();
    const rig = await openTestService({
      now: clock.now,
      ticker: clock.ticker,
      mode: 'serve',
      limits: { totalVerifyAttemptsPerMinute: 3 },
    });
    const verify = async (port: number) => {
      const { app_id: id } = (await rig.call('POST', '/v2/apps', { form: { app: `127.0.0.1:${port}` } }))
        .json;
      return await rig.call('POST', `/v2/apps/${id}/verify`);
    };
    for (const port of [4081, 4082, 4083]) expect((await verify(port)).status).toBe(422);
    clock.advance(MINUTE / 2);
    const response = await verify(4084);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('30');
    clock.advance(MINUTE / 2 - SECOND);
    expect((await verify(4084)).status).toBe(429);
    clock.advance(SECOND);
    expect((await verify(4084)).status).toBe(422);
  });

  test('by default, a service allows five verification attempts per minute for one app and thirty for all apps, and the embedded service has no limit', async () => {
    const clock = createTestClock();
    const rig = await openTestService({ now: clock.now, ticker: clock.ticker, mode: 'serve' });
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
    // The embedded service has no limit, because its user could send the requests directly.
    const own = await openTestService();
    const { app_id: id } = (await own.call('POST', '/v2/apps', { form: { app: '127.0.0.1:4080' } })).json;
    for (let count = 0; count < 40; count++) {
      expect((await own.call('POST', `/v2/apps/${id}/verify`)).status).toBe(200);
    }
  });

  test('failed host checks before a run count toward the limit on verification attempts, but successful host checks do not', async () => {
    const names = await openNameServer({});
    const target = await openTestTarget(servePages({}));
    const clock = createTestClock();
    const { now, ticker } = clock;
    const rig = await openTestService({ now, ticker, mode: 'serve', dnsServers: [names.address] });
    const app = `shop.test:${target.port}`;
    const { app_id: id, verification_id: token } = (await rig.call('POST', '/v2/apps', { form: { app } }))
      .json;
    names.serve({ 'shop.test': { a: ['127.0.0.1'], txt: [`service=${id}`] } });
    expect((await rig.call('POST', `/v2/apps/${id}/verify`, { form: { method: 'dns' } })).status).toBe(200);
    const create = async () =>
      await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${app}/`) });
    for (let count = 0; count < 5; count++) expect((await create()).status).toBe(422);
    const requestCount = target.requests.length;
    const response = await create();
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(target.requests).toHaveLength(requestCount);
    // Successful checks are not limited.
    clock.advance(MINUTE);
    target.respondWith(servePages({ [`/${token}.txt`]: token }));
    for (let count = 0; count < 20; count++) expect((await create()).status).toBe(200);
  });
});

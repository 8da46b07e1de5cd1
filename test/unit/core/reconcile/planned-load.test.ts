/** All values of the planned load, such as its peaks on hosts with addresses of their own and its duration. */
import { describe, expect, test } from 'vitest';
import type { PayloadFile } from '../../../../src/core/model/payload-file.ts';
import {
  computePlannedLoad,
  loadByMachine,
  longestTime,
  peaksOf,
  phaseRequestsOf,
  phaseTimeOf,
  repeatLoad,
} from '../../../../src/core/reconcile/planned-load.ts';
import { seconds } from '../../../../src/core/units.ts';
import { declaredTest, declareState, type TestFields } from '../../../support/declared-state.ts';

const shop = declareState().app('shop');

const testOf = (fields: TestFields = {}) => declaredTest('home', fields, []);
const targetsOf = (...urls: NonNullable<TestFields['urls']>) => testOf({ urls }).spec.targets;

const fileWith = (rows: number, options?: PayloadFile['options']): PayloadFile => ({
  ...{ sha256: 'd1', declared: { path: 'rows.csv', rows, columns: 1, variables: null } },
  ...(options === undefined ? {} : { options }),
});

/** A phase of requests to two hosts, for each of 25 rows. */
const phase = {
  targets: targetsOf({ url: 'https://api.example/', payloadFile: fileWith(25) }, 'https://shop.example/'),
};

describe('peak connections by host', () => {
  const peaks = (fields: TestFields) => Object.fromEntries(peaksOf(testOf({ total: 5, ...fields })));
  const resolve = (...addresses: readonly string[]) => [
    { host: 'shop.example', options: { resolve: addresses } },
  ];

  test('the peak of a host also counts for each of its addresses, but only once for each machine', () => {
    expect(peaks({ connection: resolve('192.0.2.1', '192.0.2.2') })).toEqual({
      'shop.example': 5,
      '192.0.2.1': 5,
      '192.0.2.2': 5,
    });
    expect(peaks({ connection: resolve('127.0.0.1', '192.0.2.1', '127.0.0.2', '::1') })).toEqual({
      'shop.example': 5,
      '127.0.0.1': 5,
      '192.0.2.1': 5,
    });
    expect(peaks({ connection: [{ host: 'other.example', options: { resolve: ['192.0.2.1'] } }] })).toEqual({
      'shop.example': 5,
    });
  });

  test('a URL without a valid host counts as a host', () => {
    expect(peaks({ urls: ['http://'] })).toEqual({ 'http://': 5 });
    expect(peaks({ setup: { targets: targetsOf('http://') } })).toMatchObject({ 'http://': 1 });
  });

  test('a phase that is not repeated does not run at the same time as the load', () => {
    expect(peaks({ total: 20, setup: phase })).toEqual({ 'shop.example': 20, 'api.example': 10 });
    expect(peaks({ total: 5, setup: phase })).toEqual({ 'shop.example': 10, 'api.example': 10 });
    expect(peaks({ total: 5, teardown: { targets: phase.targets.slice(1) } })).toEqual({ 'shop.example': 5 });
  });

  test('a repeated phase runs at the same time as the load', () => {
    expect(peaks({ total: 20, setup: { ...phase, refresh: seconds(9) } })).toEqual({
      'shop.example': 30,
      'api.example': 10,
    });
  });

  test('a phase also connects to the addresses of its hosts', () => {
    expect(
      peaks({
        setup: { targets: targetsOf('/') },
        connection: resolve('192.0.2.1'),
        urls: ['http://a.example/'],
      }),
    ).toEqual({ 'a.example': 5, 'shop.example': 1, '192.0.2.1': 1 });
  });

  test('connections to the hosts of a machine are added', () => {
    const machines = loadByMachine(
      new Map([
        ['shop.example', 5],
        ['localhost:80', 1],
        ['shop.example:8443', 7],
        ['127.0.0.1', 2],
      ]),
    );
    expect([...machines]).toEqual([
      ['shop.example', { hosts: ['shop.example', 'shop.example:8443'], peakConnections: 12 }],
      ['localhost', { hosts: ['localhost:80', '127.0.0.1'], peakConnections: 3 }],
    ]);
  });
});

describe('durations of tests', () => {
  test('the longest time contains the requests after the load only if the test has a teardown or several requests', () => {
    const fields = { duration: '10s', timeout: '2s' } as const;
    expect(longestTime(testOf(fields))).toBe(10_000);
    expect(longestTime(testOf({ ...fields, urls: ['/', '/b'] }))).toBe(12_000);
    const teardown = { targets: targetsOf('/') };
    expect(longestTime(testOf({ ...fields, teardown }))).toBe(14_000);
    expect(longestTime(testOf({ ...fields, setup: teardown }))).toBe(12_000);
  });

  test('the time of the phases is the sum of the times of all batches of rows', () => {
    const teardown = { targets: targetsOf('/') };
    expect(phaseTimeOf(testOf({ timeout: '2s' }).spec)).toBe(0);
    expect(phaseTimeOf(testOf({ timeout: '2s', setup: phase, teardown }).spec)).toBe(3 * 4000 + 2000);
  });

  test('the duration of a plan is a maximum if one of its tests can end earlier', () => {
    const vary = (fields: TestFields) => computePlannedLoad([testOf(fields)]).secondsVary;
    expect(vary({})).toBeUndefined();
    expect(vary({ iterations: 5 })).toBe(true);
    expect(vary({ iterationsPerClient: 5 })).toBe(true);
    expect(vary({ urls: ['/', '/b'] })).toBe(true);
    expect(vary({ setup: { targets: targetsOf('/') } })).toBe(true);
    expect(vary({ type: 'per-second', total: 1 })).toBeUndefined();
    const withRows = (rows: number): TestFields => ({
      ...{ type: 'per-second', total: 1 },
      urls: [{ url: '/', payloadFile: fileWith(rows, { order: 'once' }) }],
    });
    expect(vary(withRows(5))).toBe(true);
    expect(vary(withRows(60))).toBe(true);
    expect(vary(withRows(61))).toBeUndefined();
    expect(vary({ type: 'non-cycling', total: 7 })).toBeUndefined();
  });

  test('the tests of a plan run in the order of their dependencies, and tests on one host run one after another', () => {
    const other = { urls: ['http://b.example/'] };
    const planned = shop
      .test('last', { duration: '5s', needs: ['first'] })
      .test('first', { duration: '10s', ...other })
      .test('second', { duration: '20s' })
      .test('third', { duration: '3s', ...other });
    expect(computePlannedLoad(planned.state.tests)).toMatchObject({ seconds: 35, concurrentTests: 3 });
  });
});

describe('requests outside the iterations', () => {
  test('the requests of phases and of the start of connections are counted separately', () => {
    expect(phaseRequestsOf(testOf().spec)).toEqual({ setup: 0, onStart: 0, teardown: 0, vary: false });
    const fields = { total: 4, duration: '60s', urls: ['/login', '/'], onStart: 1 } as const;
    const teardown = { targets: targetsOf('/', '/b') };
    expect(phaseRequestsOf(testOf({ ...fields, setup: phase, teardown }).spec)).toEqual({
      setup: 50,
      onStart: 4,
      teardown: 2,
      vary: false,
    });
    const repeated = { ...phase, refresh: seconds(20) };
    expect(phaseRequestsOf(testOf({ ...fields, setup: repeated }).spec)).toEqual({
      setup: 150,
      onStart: 4,
      teardown: 0,
      vary: true,
    });
  });

  test('the requests of a phase vary if a condition can reduce their number', () => {
    const when = [{ name: 'a', value: 'b' }];
    const targets = targetsOf('/', '/b');
    const optional = { targets, groups: [{ first: 1, count: 1, when }] };
    expect(phaseRequestsOf(testOf({ setup: optional }).spec)).toMatchObject({ setup: 2, vary: true });
    expect(phaseRequestsOf(testOf({ setup: { targets }, teardown: optional }).spec).vary).toBe(true);
    const repeated = { targets, groups: [{ first: 1, count: 1, repeat: 3 }] };
    expect(phaseRequestsOf(testOf({ setup: repeated }).spec)).toMatchObject({ setup: 4, vary: false });
  });
});

describe('the load of a plan', () => {
  const setup = { targets: targetsOf('/login', '/') };
  const rate: TestFields = { type: 'per-second', total: 2, duration: '10s', timeout: '1s' };

  test('the planned load contains all values of all tests', () => {
    const { tests } = shop.test('rate', { ...rate, setup, teardown: setup, parallel: true }).test('other', {
      ...rate,
      duration: '20s',
      urls: ['https://shop.example:8443/'],
      parallel: true,
    }).state;
    expect(computePlannedLoad(tests)).toEqual({
      starts: 2,
      peakConnections: new Map([
        ['shop.example', 2],
        ['shop.example:8443', 2],
      ]),
      machines: [{ hosts: ['shop.example', 'shop.example:8443'], peakConnections: 4 }],
      requests: 60,
      followsRedirects: true,
      phaseRequests: { setup: 2, onStart: 0, teardown: 2, vary: false },
      seconds: 20,
      secondsVary: true,
      concurrentTests: 2,
    });
  });

  test('the number of requests is unknown if one test has an unknown number, and is a maximum if requests are optional', () => {
    const requests = (...fields: readonly TestFields[]) => {
      const load = computePlannedLoad(fields.map(testOf));
      return [load.requests, load.requestsVary];
    };
    const when = [{ name: 'a', value: 'b' }];
    const optional: TestFields = { ...rate, urls: ['/', '/b'], groups: [{ first: 1, count: 1, when }] };
    expect(requests()).toEqual([0, undefined]);
    expect(requests(rate, rate)).toEqual([40, undefined]);
    expect(requests(rate, {})).toEqual([null, undefined]);
    expect(requests({}, rate)).toEqual([null, undefined]);
    expect(requests(rate, optional)).toEqual([60, true]);
  });

  test('a plan follows redirects unless all requests of its tests expect a redirect', () => {
    const follows = (...urls: NonNullable<TestFields['urls']>) =>
      computePlannedLoad([testOf({ ...rate, urls })]).followsRedirects;
    const expected = { url: '/', expect: { status: [200, 301], headers: null, body: null, json: null } };
    expect([follows(expected), follows({ url: '/' }), follows(expected, { url: '/b' })]).toEqual([
      undefined,
      true,
      true,
    ]);
  });

  test('a repeated plan multiplies starts, requests and durations, but not the peaks', () => {
    const load = computePlannedLoad(shop.test('rate', { ...rate, setup, onStart: null }).state.tests);
    expect(repeatLoad(load, 1)).toBe(load);
    expect(repeatLoad(load, 3)).toEqual({
      ...load,
      starts: 3,
      requests: 60,
      phaseRequests: { setup: 6, onStart: 0, teardown: 0, vary: false },
      seconds: 3 * load.seconds,
      rounds: 3,
    });
    const closed = computePlannedLoad([
      testOf({ urls: ['/a', '/'], onStart: 1, setup: { ...setup, refresh: seconds(9) } }),
    ]);
    expect(repeatLoad(closed, 2)).toMatchObject({
      requests: null,
      phaseRequests: { setup: 28, onStart: 120, teardown: 0, vary: true },
    });
    const none = computePlannedLoad([]);
    expect(repeatLoad(none, 3)).toBe(none);
  });
});

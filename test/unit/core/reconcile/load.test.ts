import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LimitName } from '../../../../src/core/model/state.ts';
import { findLimitViolations } from '../../../../src/core/reconcile/limit-violations.ts';
import {
  computePlannedLoad,
  longestTime,
  peaksOf,
  phaseRequestsOf,
} from '../../../../src/core/reconcile/planned-load.ts';
import {
  hostsOf,
  readyToStart,
  sharesHost,
  sortByDependencies,
} from '../../../../src/core/reconcile/run-order.ts';
import { formatDuration, milliseconds, seconds } from '../../../../src/core/units.ts';
import { scaleCount } from '../../../support/test-scale.ts';
import { START_TIME } from '../../../support/virtual-clock.ts';
import {
  declaredTest,
  declareState,
  type DeclaredStateBuilder,
  type TestFields,
} from '../../../support/declared-state.ts';

const shop = declareState().app('shop').app('search');
const find = { urls: ['https://search.example/'] };

function plannedLoadOf(declared: DeclaredStateBuilder) {
  const { starts, seconds, concurrentTests, peakConnections } = computePlannedLoad(declared.state.tests);
  return { starts, seconds, concurrentTests, peaks: Object.fromEntries(peakConnections) };
}

describe('peak connections of a test', () => {
  test.each<[string, TestFields, number]>([
    ['growing and cycling', { type: 'cycling', initial: 10, total: 250 }, 250],
    ['shrinking and cycling', { type: 'cycling', initial: 250, total: 10 }, 250],
    ['cycling with the default total', { type: 'cycling' }, 60],
    [
      'non-cycling with few clients per second',
      { type: 'non-cycling', total: 60, duration: '60s', timeout: '10s' },
      10,
    ],
    [
      'non-cycling with all clients in one second',
      { type: 'non-cycling', total: 60, duration: '1s', timeout: '10s' },
      60,
    ],
    [
      'non-cycling with a rounded peak',
      { type: 'non-cycling', total: 7, duration: '60s', timeout: '10s' },
      2,
    ],
    ['per-second', { type: 'per-second', total: 5, duration: '60s', timeout: '10s' }, 50],
    [
      'per-second with a short duration',
      { type: 'per-second', total: 5, duration: '3s', timeout: '10s' },
      15,
    ],
    ['per-second with the default total', { type: 'per-second', duration: '60s' }, 600],
  ])('peaksOf returns $2 connections for a load that is %s', (_name, fields, peak) => {
    const load = declaredTest('home', { urls: ['http://shop.example/'], ...fields }, []);
    expect([...peaksOf(load)]).toEqual([['shop.example', peak]]);
  });
});

describe('requests of a repeated setup', () => {
  test.each<[refresh: number, setup: number, peak: number]>([
    [1, 60, 61],
    [7, 9, 61],
    [59, 2, 61],
    [30, 2, 61],
  ])('a setup that is repeated every %i s in a test of 60 s sends %i requests', (refresh, setup, peak) => {
    const test = declaredTest('home', { type: 'cycling', total: 60, duration: '60s' }, []);
    const phase = { targets: test.spec.targets.slice(0, 1) };
    const repeated = { ...test, spec: { ...test.spec, setup: { ...phase, refresh: seconds(refresh) } } };
    expect(phaseRequestsOf(repeated.spec)).toMatchObject({ setup, vary: true });
    expect([...peaksOf(repeated).values()]).toEqual([peak]);
    const once = { ...test, spec: { ...test.spec, setup: phase } };
    expect(phaseRequestsOf(once.spec)).toMatchObject({ setup: 1, vary: false });
    expect([...peaksOf(once).values()]).toEqual([60]);
  });
});

describe('load of a plan', () => {
  test('a plan that starts no tests has no load', () => {
    expect(plannedLoadOf(shop)).toEqual({ starts: 0, seconds: 0, concurrentTests: 0, peaks: {} });
  });

  test('tests on one host run sequentially, so the planned load has the highest peak of connections and the sum of the durations', () => {
    const declared = shop.test('home', { total: 250 }).test('cart', { total: 500, duration: '30s' });
    expect(plannedLoadOf(declared)).toEqual({
      starts: 2,
      seconds: 90,
      concurrentTests: 1,
      peaks: { 'shop.example': 500 },
    });
  });

  test('the peak load of parallel tests is the sum of their peaks, and their duration is that of the longest test', () => {
    const declared = shop
      .test('home', { total: 250, parallel: true })
      .test('cart', { total: 500, duration: '30s', parallel: true });
    expect(plannedLoadOf(declared)).toEqual({
      starts: 2,
      seconds: 60,
      concurrentTests: 2,
      peaks: { 'shop.example': 750 },
    });
  });

  test('the planned peak of a host includes all tests that can overlap if another test ends early', () => {
    const declared = shop
      .test('steady', { total: 10, duration: '60s', parallel: true })
      .test('first', { total: 20, duration: '60s' })
      .test('second', { total: 50, duration: '60s' });
    expect(plannedLoadOf(declared)).toMatchObject({
      seconds: 120,
      concurrentTests: 2,
      peaks: { 'shop.example': 60 },
    });
  });

  test('for any order in which tests end, the running tests exceed neither the planned peaks nor the planned number of concurrent tests', () => {
    const anyTest = fc.record({
      total: fc.integer({ min: 1, max: 9 }),
      parallel: fc.boolean(),
      needs: fc.array(fc.nat(5), { maxLength: 2 }),
      host: fc.constantFrom('shop.example', 'search.example'),
    });
    fc.assert(
      fc.property(fc.array(anyTest, { maxLength: 6 }), fc.infiniteStream(fc.nat(9)), (declared, choices) => {
        const { tests } = declared.reduce(
          (state, { total, parallel, needs, host }, index) =>
            state.test(`t${index}`, {
              type: 'cycling',
              initial: total,
              total,
              parallel,
              needs: needs.filter((need) => need < index).map((need) => `t${need}`),
              urls: [`http://${host}/`],
            }),
          shop,
        ).state;
        const { peakConnections, concurrentTests } = computePlannedLoad(tests);
        let waiting = sortByDependencies(tests);
        let running: typeof waiting = [];
        while (waiting.length + running.length > 0) {
          const ready = readyToStart(waiting, running);
          waiting = waiting.filter((one) => !ready.includes(one));
          running = [...running, ...ready];
          expect(running.length).toBeLessThanOrEqual(concurrentTests);
          const sums = new Map<string, number>();
          for (const [host, count] of running.flatMap((one) => [...peaksOf(one)]))
            sums.set(host, (sums.get(host) ?? 0) + count);
          for (const [host, sum] of sums) expect(sum).toBeLessThanOrEqual(peakConnections.get(host) ?? 0);
          const ending = Number(choices.next().value) % running.length;
          running = running.filter((_, index) => index !== ending);
        }
      }),
      { numRuns: scaleCount(500) },
    );
  });

  test('tests on different hosts run concurrently unless one test needs the other', () => {
    const concurrent = shop.test('home').test('find', find);
    expect(plannedLoadOf(concurrent)).toMatchObject({ seconds: 60, concurrentTests: 2 });
    const after = shop.test('home', { needs: ['find'] }).test('find', find);
    expect(plannedLoadOf(after)).toMatchObject({ seconds: 120, concurrentTests: 1 });
  });

  test('the load of a test counts for each host to which the test sends requests', () => {
    const both = shop.test('home', { total: 5, urls: ['/', '/cart', 'https://search.example:8443/'] });
    expect(plannedLoadOf(both).peaks).toEqual({ 'shop.example': 5, 'search.example:8443': 5 });
    expect(both.state.tests.map(hostsOf)).toEqual([['shop.example', 'search.example:8443']]);
  });
});

describe('run order', () => {
  function order(declared: DeclaredStateBuilder): readonly string[] {
    return sortByDependencies(declared.state.tests).map(({ key }) => key);
  }

  test('tests that need each other are sorted once, and a long chain of shared needs is sorted quickly', () => {
    expect(order(shop.test('a', { needs: ['b'] }).test('b', { needs: ['a'] }))).toEqual(['b', 'a']);
    let layers = shop.test('a0').test('b0');
    for (let layer = 1; layer < 40; layer++) {
      const needs = [`a${layer - 1}`, `b${layer - 1}`];
      layers = layers.test(`a${layer}`, { needs }).test(`b${layer}`, { needs });
    }
    expect(order(layers)).toEqual(layers.state.tests.map(({ key }) => key));
  });

  test('two tests share a host if they have a common host, unless one of them is parallel', () => {
    const both = { urls: ['/', 'https://search.example/'] };
    const { tests } = shop
      .test('both', both)
      .test('search', { urls: ['https://search.example/'] })
      .test('shop')
      .test('parallel', { ...both, parallel: true }).state;
    const shared = tests.map((one) => tests.map((other) => (sharesHost(one, other) ? 1 : 0)).join(''));
    expect(shared).toEqual(['1110', '1100', '1010', '0000']);
  });

  test('a test that needs itself can start, and a test that needs a running test cannot', () => {
    const [self, other] = shop
      .test('self', { needs: ['self'] })
      .test('other', { needs: ['self'], urls: ['https://search.example/'] }).state.tests;
    if (self === undefined || other === undefined) throw new Error('no tests');
    expect(readyToStart([self, other], [])).toEqual([self]);
    expect(readyToStart([other], [self])).toEqual([]);
    expect(readyToStart([other], [])).toEqual([other]);
  });

  test('tests are sorted by needs, then by their order in the file', () => {
    expect(order(shop.test('a').test('b').test('c'))).toEqual(['a', 'b', 'c']);
    expect(
      order(
        shop
          .test('a', { needs: ['c'] })
          .test('b')
          .test('c'),
      ),
    ).toEqual(['c', 'a', 'b']);
    expect(
      order(
        shop
          .test('a', { needs: ['b', 'd'] })
          .test('b', { needs: ['c'] })
          .test('c')
          .test('d'),
      ),
    ).toEqual(['c', 'b', 'd', 'a']);
  });

  test('readyToStart ignores a needed test that is not part of the command', () => {
    const [home, ...others] = shop.test('home', { needs: ['gone'] }).state.tests;
    expect(others).toEqual([]);
    expect(readyToStart(home === undefined ? [] : [home], [])).toEqual([home]);
  });

  test.each<[string, DeclaredStateBuilder, string[], string[]]>([
    ['one test on a free host', shop.test('a').test('b'), [], ['a']],
    ['no test on a busy host', shop.test('r').test('a').test('b'), ['r'], []],
    ['a test on another host', shop.test('r').test('a').test('b', find), ['r'], ['b']],
    [
      'all parallel tests',
      shop.test('r').test('a', { parallel: true }).test('b', { parallel: true }),
      ['r'],
      ['a', 'b'],
    ],
    [
      'no test before the test that it needs',
      shop
        .test('r', find)
        .test('a', { needs: ['r'] })
        .test('b'),
      ['r'],
      [],
    ],
    [
      'a parallel test, but no other test before an earlier test on its host',
      shop
        .test('r', find)
        .test('a', { needs: ['r'] })
        .test('b')
        .test('c', { parallel: true }),
      ['r'],
      ['c'],
    ],
  ])('readyToStart returns %s', (_name, declared, running, ready) => {
    const { tests } = declared.state;
    const active = tests.filter(({ key }) => running.includes(key));
    const waiting = tests.filter((one) => !active.includes(one));
    expect(readyToStart(waiting, active).map(({ key }) => key)).toEqual(ready);
  });
});

describe('limits of a plan', () => {
  function violations(
    declared: DeclaredStateBuilder,
    allowed: readonly LimitName[] = [],
    rounds = 1,
  ): readonly string[] {
    const { limits, tests } = declared.state;
    const load = computePlannedLoad(tests.filter(({ spec }) => spec.scheduledAt === null));
    return findLimitViolations({ limits, tests, load, rounds: () => rounds, allowed }).map(
      ({ message }) => message,
    );
  }

  const home = shop.test('home', { total: 250, duration: '2m' });

  test('max_duration applies to the total duration of all rounds of a test', () => {
    const limited = home.limits({ maxDuration: milliseconds(300_000) });
    expect(violations(limited, [], 2)).toEqual([]);
    expect(violations(limited, [], 3)).toEqual([
      '"home" runs for 6m in 3 rounds, which exceeds the limit of 5m',
    ]);
  });

  test('a plan without limits or within its limits has no violations', () => {
    expect(violations(home)).toEqual([]);
    expect(
      violations(
        home.limits({ maxConnections: 250, maxDuration: milliseconds(120_000), hosts: ['*.example'] }),
      ),
    ).toEqual([]);
  });

  test.each<[LimitName, DeclaredStateBuilder, string]>([
    [
      'max_connections',
      home.limits({ maxConnections: 249 }),
      '250 connections on shop.example exceed the limit of 249',
    ],
    [
      'max_duration',
      home.limits({ maxDuration: milliseconds(119_000) }),
      '"home" runs for 2m, which exceeds the limit of 1m59s',
    ],
    [
      'hosts',
      home.limits({ hosts: ['search.example', '127.0.0.1:*'] }),
      'load on shop.example is not allowed; allowed hosts: search.example, 127.0.0.1:*',
    ],
  ])(
    'a violation of the limit %s is reported, unless violations of this limit are allowed',
    (name, declared, message) => {
      expect(violations(declared)).toEqual([message]);
      expect(violations(declared, [name])).toEqual([]);
      const others = (['max_connections', 'max_duration', 'hosts'] as const).filter((one) => one !== name);
      expect(violations(declared, others)).toEqual([message]);
    },
  );

  test('max_connections applies to the total number of connections of concurrent tests', () => {
    const both = shop
      .test('home', { total: 250, parallel: true })
      .test('cart', { total: 250, parallel: true })
      .limits({ maxConnections: 400 });
    expect(violations(both)).toHaveLength(1);
    expect(violations(both.test('cart', { total: 250 }).test('home', { total: 250 }))).toEqual([]);
  });

  test.each<[string, TestFields, string, string]>([
    ['an open test with a timeout of 10 s', { type: 'per-second', total: 1, timeout: '10s' }, '34s', '35s'],
    ['an open test with a timeout of 4 s', { type: 'non-cycling', total: 1, timeout: '4s' }, '28s', '29s'],
    ['a closed test, up to its timeout', { type: 'cycling', total: 1, timeout: '10s' }, '10s', '11s'],
  ])(
    'the time that is compared with max_duration includes the last iterations of %s',
    (_name, fields, drain, lasts) => {
      const url = { url: '/', delay: { min: milliseconds(0), max: milliseconds(1000) } };
      const slow = shop.test('home', {
        ...fields,
        duration: '1s',
        urls: Array.from({ length: 25 }, () => url),
      });
      const limit = milliseconds(1000);
      expect(violations(slow.limits({ maxDuration: limit }))).toEqual([
        `"home" runs for up to ${lasts}, including requests outside its duration, which exceeds the limit of 1s`,
      ]);
      const [test] = slow.state.tests;
      if (test === undefined) throw new Error('no test');
      expect(formatDuration(milliseconds(longestTime(test) - limit))).toBe(drain);
      expect(violations(slow.limits({ maxDuration: longestTime(test) }))).toEqual([]);
      expect(plannedLoadOf(slow).seconds).toBe(longestTime(test) / 1000);
    },
  );

  test('max_connections applies to the sum of connections to all names and ports of a machine', () => {
    const urls = ['http://127.0.0.1:4000/', 'http://127.0.0.2/', 'http://localhost:4001/', 'http://[::1]/'];
    const all = urls.reduce(
      (state, url, index) => state.test(`test-${index}`, { total: 10, parallel: true, urls: [url] }),
      shop,
    );
    expect(violations(all.limits({ maxConnections: 40 }))).toEqual([]);
    expect(violations(all.limits({ maxConnections: 39 }))).toEqual([
      '40 connections on 127.0.0.1:4000, 127.0.0.2, localhost:4001, and [::1], which are on the same machine, exceed the limit of 39',
    ]);
    const ports = shop
      .test('home', { total: 30, parallel: true })
      .test('admin', { total: 20, parallel: true, urls: ['https://shop.example:8443/'] });
    expect(violations(ports.limits({ maxConnections: 49 }))).toEqual([
      '50 connections on shop.example and shop.example:8443, which are on the same machine, exceed the limit of 49',
    ]);
    const sequential = ports.test('home', { total: 30 }).test('admin', {
      total: 20,
      needs: ['home'],
      urls: ['https://shop.example:8443/'],
    });
    expect(violations(sequential.limits({ maxConnections: 49 }))).toEqual([]);
  });

  test('the limits of a plan also apply to scheduled tests', () => {
    const night = shop.test('night', { total: 5000, duration: '10h', scheduledAt: START_TIME });
    const limits = { maxConnections: 1000, maxDuration: milliseconds(60_000), hosts: ['search.example'] };
    expect(violations(night.limits(limits))).toHaveLength(3);
  });
});

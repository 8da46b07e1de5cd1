import { describe, expect, test } from 'vitest';
import type { LimitName } from '../../../../src/core/model/state.ts';
import { findLimitViolations } from '../../../../src/core/reconcile/limit-violations.ts';
import { computePlannedLoad, peaksOf } from '../../../../src/core/reconcile/planned-load.ts';
import { hostsOf, sortByDependencies, readyToStart } from '../../../../src/core/reconcile/run-order.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { START_TIME } from '../../../support/virtual-clock.ts';
import {
  declaredTest,
  declareState,
  type DeclaredStateBuilder,
  type TestFields,
} from '../../../support/declared-state.ts';

const shop = declareState().app('shop').app('search');
const find = { urls: ['https://search.example/'] };

function consequence(declared: DeclaredStateBuilder) {
  const { starts, seconds, sequential, peakConnections } = computePlannedLoad(declared.state.tests);
  return { starts, seconds, oneAfterAnother: sequential, peaks: Object.fromEntries(peakConnections) };
}

describe('the peak of a test', () => {
  test.each<[string, TestFields, number]>([
    ['cycling up', { type: 'cycling', initial: 10, total: 250 }, 250],
    ['cycling down', { type: 'cycling', initial: 250, total: 10 }, 250],
    ['cycling by default', { type: 'cycling' }, 60],
    ['non-cycling, few a second', { type: 'non-cycling', total: 60, duration: '60s', timeout: '10s' }, 10],
    ['non-cycling, all at once', { type: 'non-cycling', total: 60, duration: '1s', timeout: '10s' }, 60],
    ['non-cycling, rounded up', { type: 'non-cycling', total: 7, duration: '60s', timeout: '10s' }, 2],
    ['per second', { type: 'per-second', total: 5, duration: '60s', timeout: '10s' }, 50],
    ['per second, a short run', { type: 'per-second', total: 5, duration: '3s', timeout: '10s' }, 15],
    ['per second, by default', { type: 'per-second', duration: '60s' }, 600],
  ])('%s', (_name, fields, peak) => {
    const load = declaredTest('home', { urls: ['http://shop.example/'], ...fields }, []);
    expect([...peaksOf(load)]).toEqual([['shop.example', peak]]);
  });
});

describe('the load of a plan', () => {
  test('is nothing when nothing starts', () => {
    expect(consequence(shop)).toEqual({ starts: 0, seconds: 0, oneAfterAnother: true, peaks: {} });
  });

  test('on one host is the highest peak and the sum of the times', () => {
    const declared = shop.test('home', { total: 250 }).test('cart', { total: 500, duration: '30s' });
    expect(consequence(declared)).toEqual({
      starts: 2,
      seconds: 90,
      oneAfterAnother: true,
      peaks: { 'shop.example': 500 },
    });
  });

  test('of parallel tests is the sum of the peaks and the longest time', () => {
    const declared = shop
      .test('home', { total: 250, parallel: true })
      .test('cart', { total: 500, duration: '30s', parallel: true });
    expect(consequence(declared)).toEqual({
      starts: 2,
      seconds: 60,
      oneAfterAnother: false,
      peaks: { 'shop.example': 750 },
    });
  });

  test('on several hosts runs beside each other, unless one needs the other', () => {
    const beside = shop.test('home').test('find', find);
    expect(consequence(beside)).toMatchObject({ seconds: 60, oneAfterAnother: false });
    const after = shop.test('home', { needs: ['find'] }).test('find', find);
    expect(consequence(after)).toMatchObject({ seconds: 120, oneAfterAnother: true });
  });

  test('counts a test on every host that it puts load on', () => {
    const both = shop.test('home', { total: 5, urls: ['/', '/cart', 'https://search.example:8443/'] });
    expect(consequence(both).peaks).toEqual({ 'shop.example': 5, 'search.example:8443': 5 });
    expect(both.state.tests.map(hostsOf)).toEqual([['shop.example', 'search.example:8443']]);
  });
});

describe('turns', () => {
  function order(declared: DeclaredStateBuilder): readonly string[] {
    return sortByDependencies(declared.state.tests).map(({ key }) => key);
  }

  test('go by needs, then by the file', () => {
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

  test('leave out needs that have no part in this command', () => {
    const [home, ...others] = shop.test('home', { needs: ['gone'] }).state.tests;
    expect(others).toEqual([]);
    expect(readyToStart(home === undefined ? [] : [home], [])).toEqual([home]);
  });

  test.each<[string, DeclaredStateBuilder, string[], string[]]>([
    ['one on a free host', shop.test('a').test('b'), [], ['a']],
    ['none on a busy host', shop.test('r').test('a').test('b'), ['r'], []],
    ['one on another host', shop.test('r').test('a').test('b', find), ['r'], ['b']],
    [
      'all parallel ones',
      shop.test('r').test('a', { parallel: true }).test('b', { parallel: true }),
      ['r'],
      ['a', 'b'],
    ],
    [
      'nobody before what it needs',
      shop
        .test('r', find)
        .test('a', { needs: ['r'] })
        .test('b'),
      ['r'],
      [],
    ],
    [
      'nobody past an earlier one of its host',
      shop
        .test('r', find)
        .test('a', { needs: ['r'] })
        .test('b')
        .test('c', { parallel: true }),
      ['r'],
      ['c'],
    ],
  ])('let start %s', (_name, declared, running, ready) => {
    const { tests } = declared.state;
    const runs = tests.filter(({ key }) => running.includes(key));
    const waits = tests.filter((one) => !runs.includes(one));
    expect(readyToStart(waits, runs).map(({ key }) => key)).toEqual(ready);
  });
});

describe('limits', () => {
  function broken(
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

  test('count all rounds of a test', () => {
    const limited = home.limits({ maxDuration: milliseconds(300_000) });
    expect(broken(limited, [], 2)).toEqual([]);
    expect(broken(limited, [], 3)).toEqual(['"home" runs for 6m in 3 rounds, which exceeds the limit of 5m']);
  });

  test('hold when there are none, and when nothing is more', () => {
    expect(broken(home)).toEqual([]);
    expect(
      broken(home.limits({ maxConnections: 250, maxDuration: milliseconds(120_000), hosts: ['*.example'] })),
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
      'load on shop.example is not allowed; the limit allows search.example, 127.0.0.1:*',
    ],
  ])('%s is told, and can be allowed by name', (name, declared, message) => {
    expect(broken(declared)).toEqual([message]);
    expect(broken(declared, [name])).toEqual([]);
    const others = (['max_connections', 'max_duration', 'hosts'] as const).filter((one) => one !== name);
    expect(broken(declared, others)).toEqual([message]);
  });

  test('hold what runs at the same time together', () => {
    const both = shop
      .test('home', { total: 250, parallel: true })
      .test('cart', { total: 250, parallel: true })
      .limits({ maxConnections: 400 });
    expect(broken(both)).toHaveLength(1);
    expect(broken(both.test('cart', { total: 250 }).test('home', { total: 250 }))).toEqual([]);
  });

  test('hold scheduled tests too: their load comes later, from this plan', () => {
    const night = shop.test('night', { total: 5000, duration: '10h', scheduledAt: START_TIME });
    const limits = { maxConnections: 1000, maxDuration: milliseconds(60_000), hosts: ['search.example'] };
    expect(broken(night.limits(limits))).toHaveLength(3);
  });
});

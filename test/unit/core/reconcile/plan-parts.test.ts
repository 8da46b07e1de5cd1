/** The apps, stops, limits and summary of a plan. */
import { describe, expect, test } from 'vitest';
import type { ObservedApp } from '../../../../src/core/model/app.ts';
import { appId, testId } from '../../../../src/core/model/ids.ts';
import type { ObservedTest } from '../../../../src/core/model/load-test.ts';
import type { Limits } from '../../../../src/core/model/state.ts';
import type { Action } from '../../../../src/core/reconcile/action.ts';
import type { PlanOptions } from '../../../../src/core/reconcile/plan-input.ts';
import { computePlannedLoad } from '../../../../src/core/reconcile/planned-load.ts';
import { planFromActions, type Plan } from '../../../../src/core/reconcile/plan.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { declareState } from '../../../support/declared-state.ts';
import { at, copyOf, NOW, planOf, withMarker } from '../../../support/plan-of-states.ts';

const shop = declareState().app('shop');
const HOUR = 3_600_000;

const NO_COUNTS: Plan['summary'] = {
  ...{ register: 0, verify: 0, create: 0, replace: 0, run: 0, stop: 0, blocked: 0, deferred: 0 },
  ...{ unchanged: 0, superseded: 0, orphaned: 0, unmanaged: 0, drift: 0 },
};

const verbsOf = ({ actions }: Plan) => actions.map(({ verb, address }) => `${verb} ${address}`);

describe('the apps of a plan', () => {
  const two = shop.app('search');
  const withBoth = two
    .test('home')
    .test('find', { urls: ['https://search.example/'], setup: null })
    .test('none', { urls: ['https://other.example/'] });

  const app = (status: ObservedApp['status'], host = 'shop.example'): ObservedApp => {
    return { id: appId(`id-${host.slice(0, 4)}`), host, status };
  };
  const appActions = (...situation: Parameters<typeof planOf>) =>
    planOf(...situation).actions.filter(({ address }) => address.startsWith('app.'));

  test('an app that the service does not list is registered and verified', () => {
    const [declared] = shop.state.apps;
    expect(appActions(shop, shop, { observed: { apps: [] } })).toEqual([
      { verb: 'register', address: 'app.shop', app: declared, note: null },
      { verb: 'verify', address: 'app.shop', app: declared, appId: null, note: null },
    ]);
  });

  test('a listed app is verified if it is not verified, or if its status is unknown and one of its tests is started', () => {
    const home = shop.test('home', { total: 5 });
    const [declared] = shop.state.apps;
    const verify = { verb: 'verify', address: 'app.shop', app: declared, appId: 'id-shop' };
    const found = (status: ObservedApp['status'], options: Partial<PlanOptions> = {}, before = home) =>
      appActions(before, home, { observed: { apps: [app(status)] }, options });
    expect(found('verified')).toEqual([]);
    expect(found('unverified')).toEqual([{ ...verify, note: null }]);
    expect(found('unknown')).toEqual([]);
    const unknown = [{ ...verify, note: 'its status is unknown' }];
    expect(found('unknown', {}, shop)).toEqual(unknown);
    expect(found('unknown', {}, shop.test('home'))).toEqual(unknown);
    expect(found('unknown', { maxAge: milliseconds(0) })).toEqual(unknown);
    expect(found('unknown', { start: false }, shop)).toEqual([]);
    expect(found('verified', {}, shop)).toEqual([]);
  });

  test('with --only or --exclude, a plan contains only the apps of the selected tests', () => {
    const found = (options: Partial<PlanOptions>) =>
      appActions(two, withBoth, { observed: { apps: [] }, options }).map(({ address }) => address);
    const ofShop = ['app.shop', 'app.shop'];
    const ofSearch = ['app.search', 'app.search'];
    expect(found({})).toEqual([...ofShop, ...ofSearch]);
    expect(found({ only: ['find'] })).toEqual(ofSearch);
    expect(found({ exclude: ['find'] })).toEqual(ofShop);
    expect(found({ only: ['*'], exclude: ['home'] })).toEqual(ofSearch);
    expect(found({ only: ['none'] })).toEqual([]);
  });

  test('the requests before and after the load also use apps', () => {
    const [target] = shop.test('a').state.tests[0]?.spec.targets ?? [];
    if (target === undefined) throw new Error('no target');
    const phase = { targets: [target] };
    for (const fields of [{ setup: phase }, { teardown: phase }]) {
      const home = shop.test('home', { ...fields, urls: ['https://other.example/'] });
      expect(appActions(shop, home, { observed: { apps: [app('unknown')] } })).toHaveLength(1);
    }
  });
});

describe('the stopped tests of a plan', () => {
  const started = (tests: readonly ObservedTest[]) =>
    tests.map((one) => ({ ...one, status: 'running', statusKind: 'running' }) as const);
  const notesOf = (plan: Plan) =>
    plan.actions.flatMap((one) =>
      one.verb === 'stop' ? [`${one.address} ${one.observed.id} ${one.note ?? ''}`] : [],
    );

  test('running and scheduled tests that were removed from the file are stopped, in the order of their IDs', () => {
    const scheduledAt = NOW + HOUR;
    const before = shop.test('b').test('c', { scheduledAt }).test('a');
    const plan = planOf(before, shop, { change: (tests) => started(tests).toReversed() });
    expect(notesOf(plan)).toEqual([
      'test.a a removed from the file, running',
      'test.b b removed from the file, running',
      'test.c c removed from the file, running',
    ]);
    expect(notesOf(planOf(before, shop))).toEqual([
      'test.c c removed from the file, starts at 2026-03-01 01:00:00 UTC',
    ]);
    expect(plan.summary).toEqual({ ...NO_COUNTS, stop: 3, orphaned: 3 });
  });

  test('a running test whose scheduled start has passed is reported as running', () => {
    const before = shop.test('a', { scheduledAt: NOW - HOUR });
    expect(notesOf(planOf(before, shop, { change: started }))).toEqual([
      'test.a a removed from the file, running',
    ]);
  });

  test('earlier versions of a test are stopped under its new key', () => {
    const moved = shop.test('new', { total: 5 }).moved('new', 'old');
    const change = (tests: readonly ObservedTest[]) =>
      started(tests).flatMap((one) => [copyOf(one, 'x2'), withMarker(copyOf(one, 'x1'), { repetition: 1 })]);
    const plan = planOf(shop.test('old'), moved, { change });
    expect(notesOf(plan)).toEqual([
      'test.new x1 an earlier version, running',
      'test.new x2 an earlier version, running',
    ]);
    expect(plan.summary).toEqual({ ...NO_COUNTS, replace: 1, stop: 2, superseded: 2 });
  });

  test('a replaced test and its duplicates are superseded, but not an adopted test without a marker', () => {
    const home = shop.test('home');
    const options = { replace: ['home'] };
    const change = (tests: readonly ObservedTest[]) =>
      started(tests).flatMap((one) => [one, copyOf(one, 'x')]);
    const plan = planOf(home, home, { change, options });
    expect(notesOf(plan)).toEqual([
      'test.home home an earlier version, running',
      'test.home x an earlier version, running',
    ]);
    expect(plan.summary).toEqual({ ...NO_COUNTS, replace: 1, stop: 2, superseded: 2 });
    expect(planOf(home, home, { change }).summary).toEqual({ ...NO_COUNTS, unchanged: 1, superseded: 1 });
    const adopted = planOf(home, shop.test('home', { id: 'home' }), {
      change: (tests) => started(tests).map((one) => ({ ...one, notes: null })),
      options,
    });
    expect(verbsOf(adopted)).toEqual(['replace test.home']);
    expect(adopted.summary).toEqual({ ...NO_COUNTS, replace: 1 });
  });
});

describe('the limits of a plan', () => {
  const limited = (limits: Partial<Limits>) => shop.limits(limits);
  const messages = ({ problems }: Plan) =>
    problems.map(({ message, hint, source }) => [message, hint, source?.line]);
  const night = { scheduledAt: NOW + HOUR, duration: '10m' } as const;

  test('a scheduled test runs once, and the other tests run in all rounds', () => {
    const both = limited({ maxDuration: milliseconds(15 * 60_000) })
      .test('night', night)
      .test('home', { duration: '10m' });
    const hint = 'to lift the limit for this plan, pass --allow-limit max_duration';
    const exceeds = 'which exceeds the limit of 15m';
    expect(messages(planOf(shop, both, { options: { repeat: 2 } }))).toEqual([
      [`"home" runs for 20m in 2 rounds, ${exceeds}`, hint, 2],
    ]);
    expect(messages(planOf(shop, both))).toEqual([]);
    const long = limited({ maxDuration: milliseconds(5 * 60_000) }).test('night', night);
    const message = ['"night" runs for 10m, which exceeds the limit of 5m', hint, 1];
    expect(messages(planOf(shop, long))).toEqual([message]);
    expect(messages(planOf(shop.test('night', { ...night, total: 5 }), long))).toEqual([message]);
    // A test that already exists does not start.
    expect(messages(planOf(long, long))).toEqual([]);
  });

  test('limits from outside the file apply in addition, and --allow-limit does not lift them', () => {
    const home = limited({ maxConnections: 50 }).test('home', { total: 1 }).test('large', { total: 1200 });
    const options = {
      outerLimits: {
        limits: { maxConnections: 999, maxDuration: milliseconds(30_000), hosts: ['a.example', 'b.example'] },
        origin: 'LOADTESTS_LIMITS',
      },
      allowLimits: ['max_connections', 'hosts', 'max_duration'],
    } as const;
    const hint = 'change the test, or ask the administrator who sets LOADTESTS_LIMITS to change the limit';
    const duration = (key: string) =>
      `"${key}" runs for 1m, which exceeds the limit of 30s (LOADTESTS_LIMITS)`;
    const outer = [
      ['1,200 connections on shop.example exceed the limit of 999 (LOADTESTS_LIMITS)', hint, 2],
      [
        'load on shop.example is not allowed (LOADTESTS_LIMITS); allowed hosts: a.example, b.example',
        hint,
        2,
      ],
      [duration('home'), hint, 1],
      [duration('large'), hint, 2],
    ];
    expect(messages(planOf(shop, home, { options }))).toEqual(outer);
    const inner = [
      '1,200 connections on shop.example exceed the limit of 50',
      'to lift the limit for this plan, pass --allow-limit max_connections',
      2,
    ];
    expect(messages(planOf(shop, home, { options: { ...options, allowLimits: [] } }))).toEqual([
      inner,
      ...outer,
    ]);
  });

  test('max_connections applies to the larger of the combined load and the load of a scheduled test', () => {
    const parallel = (total: number, limit: number) =>
      limited({ maxConnections: limit })
        .test('home', { total: 30, parallel: true })
        .test('admin', { total: 20, parallel: true, urls: ['https://shop.example:8443/'] })
        .test('night', { ...night, total });
    const both =
      '50 connections on shop.example and shop.example:8443, which are on the same machine, exceed';
    const found = (...args: Parameters<typeof parallel>) =>
      messages(planOf(shop, parallel(...args))).map(([message]) => message);
    expect(found(50, 49)).toEqual([`${both} the limit of 49`]);
    expect(found(51, 49)).toEqual(['51 connections on shop.example exceed the limit of 49']);
    expect(found(51, 51)).toEqual([]);
    const one = limited({ maxConnections: 0 }).test('home', { total: 1 });
    expect(messages(planOf(shop, one)).map(([message]) => message)).toEqual([
      '1 connection on shop.example exceeds the limit of 0',
    ]);
  });
});

describe('the members of a plan', () => {
  test('a plan has the project, all actions in display order, the drift, the load and the counts of all actions', () => {
    const before = shop.test('changed', { total: 4 }).test('edited').test('again').test('gone');
    const declared = shop
      .environment('staging')
      .test('edited')
      .test('changed', { total: 5, needs: ['new'] })
      .test('new', { urls: ['http://b.example/'] })
      .test('night', { scheduledAt: NOW + HOUR })
      .test('past', { scheduledAt: NOW });
    const change = (tests: readonly ObservedTest[]) => [
      ...tests.map((one) => (one.id === testId('edited') ? { ...one, total: 7 } : one)),
      ...tests.slice(0, 1).map((one) => ({ ...copyOf(one, 'foreign'), notes: 'By hand' })),
    ];
    const plan = planOf(before.environment('staging'), declared, { change });
    expect(plan).toMatchObject({ project: 'shop', environment: 'staging' });
    expect(verbsOf(plan)).toEqual([
      ...[
        'no-op test.edited',
        'create test.new',
        'replace test.changed',
        'create test.night',
        'blocked test.past',
      ],
    ]);
    expect(plan.drift).toEqual([
      {
        address: 'test.edited',
        id: 'edited',
        changes: [{ field: '/total', from: 7, to: null, readable: true }],
      },
    ]);
    expect(plan.load).toEqual(
      computePlannedLoad(
        plan.actions.flatMap((one) =>
          ['test.new', 'test.changed'].includes(one.address) && 'test' in one ? [one.test] : [],
        ),
      ),
    );
    expect(plan.summary).toEqual({
      ...{ ...NO_COUNTS, unchanged: 1, create: 2, replace: 1, blocked: 1 },
      ...{ drift: 1, superseded: 1, orphaned: 2, unmanaged: 1 },
    });
  });

  test('a plan of given actions has their load in all rounds and no other members', () => {
    const { actions } = planOf(shop, shop.test('home', { type: 'per-second', total: 1, duration: '10s' }));
    const plan = planFromActions({ project: null, environment: 'staging' }, actions, 3);
    expect(plan).toMatchObject({ load: { starts: 3, requests: 30, rounds: 3 } });
    const { load: _, ...others } = plan;
    expect(others).toEqual({
      ...{ project: null, environment: 'staging', actions, drift: [], problems: [] },
      summary: { ...NO_COUNTS, create: 1 },
    });
    expect(planFromActions({ project: 'a', environment: null }, actions).load).toMatchObject({ starts: 1 });
  });

  test('the summary of a plan counts the actions of each kind', () => {
    const actionsOf = (verb: string, count: number) => Array<unknown>(count).fill({ verb });
    const actions = [
      ...actionsOf('register', 1),
      ...actionsOf('verify', 2),
      ...actionsOf('stop', 3),
      ...actionsOf('blocked', 4),
      ...actionsOf('deferred', 5),
      ...actionsOf('no-op', 6),
      ...actionsOf('run', 7),
    ] as Action[]; // other members are not read
    expect(planFromActions({ project: null, environment: null }, actions).summary).toEqual({
      ...NO_COUNTS,
      ...{ register: 1, verify: 2, stop: 3, blocked: 4, deferred: 5, unchanged: 6, run: 7 },
    });
  });

  test('the location of an exceeded limit is that of the test', () => {
    const plan = planOf(shop, shop.limits({ hosts: [] }).test('home'));
    expect(plan.problems).toMatchObject([{ source: at(1) }]);
  });
});

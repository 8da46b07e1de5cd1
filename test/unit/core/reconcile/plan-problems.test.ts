/** The problems of a plan, and the reasons for blocked tests, with their complete messages, hints and locations. */
import { describe, expect, test } from 'vitest';
import { testId, testKey } from '../../../../src/core/model/ids.ts';
import type { ObservedTest } from '../../../../src/core/model/load-test.ts';
import type { Problem } from '../../../../src/core/problem.ts';
import { unmarkedProblem } from '../../../../src/core/reconcile/plan-problems.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { declareState, type TestFields } from '../../../support/declared-state.ts';
import { at, copyOf, located, NOW, planOf, withMarker } from '../../../support/plan-of-states.ts';

const shop = declareState().app('shop');

function problemsOf(...situation: Parameters<typeof planOf>): readonly Problem[] {
  return planOf(...situation).problems;
}

const warning = (code: Problem['code'], message: string, hint: string | null, line: number | null = 1) => ({
  ...{ code, severity: 'warning', message, hint },
  source: line === null ? null : at(line),
});

describe('problems of a plan', () => {
  const home = shop.test('home');

  test('a plan that only creates tests has no problems', () => {
    expect(problemsOf(shop, home)).toEqual([]);
    expect(problemsOf(home, home)).toEqual([]);
  });

  test('a test that was changed on the service is reported with the changed fields', () => {
    const change = (tests: readonly ObservedTest[]) => tests.map((one) => ({ ...one, total: 99, name: 'A' }));
    expect(problemsOf(home, home, { change })).toEqual([
      warning(
        'LT_PLAN_DRIFT',
        '"home" was changed on the service: /name, /total',
        'to create the test again, pass --on-drift replace',
      ),
    ]);
  });

  test('duplicates are reported with the IDs of all copies', () => {
    const hint = 'to clear this warning after all duplicates have ended, run "loadtests recover"';
    const withCopies = (...ids: readonly string[]) => ({
      change: (tests: readonly ObservedTest[]) =>
        tests.flatMap((one) => [one, ...ids.map((id) => copyOf(one, id))]),
    });
    expect(problemsOf(home, home, withCopies('x1'))).toEqual([
      warning('LT_PLAN_DUPLICATE', 'test.home exists twice: home is used, x1 is a duplicate', hint),
    ]);
    expect(problemsOf(home, home, withCopies('x2', 'x1'))).toEqual([
      warning('LT_PLAN_DUPLICATE', 'test.home exists 3 times: home is used, x1, x2 are duplicates', hint),
    ]);
    const explained = new Set([testId('x1')]);
    expect(
      problemsOf(home, home, { ...withCopies('x1'), input: { explainedDuplicates: explained } }),
    ).toEqual([]);
  });

  test('a duplicate that was already reported is reported again while it is active', () => {
    const change = (tests: readonly ObservedTest[]) =>
      tests.flatMap((one) => [one, { ...copyOf(one, 'x1'), statusKind: 'running' } as const]);
    const explained = new Set([testId('x1')]);
    expect(problemsOf(home, home, { change, input: { explainedDuplicates: explained } })).toHaveLength(1);
  });

  test('a damaged marker is reported without a location', () => {
    const change = (tests: readonly ObservedTest[]) =>
      tests.map((one) => ({ ...one, notes: (one.notes ?? '').slice(0, -1) }));
    expect(problemsOf(home, home, { change, options: { allowUnmarked: true } })).toEqual([
      warning(
        'LT_PLAN_MARKER',
        'the ownership marker in the notes of the test "home" is damaged, so loadtests does not manage the test',
        'to adopt the test, add "id: home" to its declaration',
        null,
      ),
    ]);
  });

  test('a list of tests that may be incomplete is reported once and blocks new tests, unless --allow-unmarked is set', () => {
    const truncated = warning(
      'LT_PLAN_LIST_TRUNCATED',
      'the list of tests may be incomplete, so a test that appears to be missing may exist',
      null,
      null,
    );
    expect(problemsOf(home, home, { observed: { maybeTruncated: true } })).toEqual([truncated]);
    expect(problemsOf(shop, home, { observed: { maybeTruncated: true } })).toEqual([
      truncated,
      warning(
        'LT_PLAN_LIST_TRUNCATED',
        '"home" is blocked: the list of tests may be incomplete, so the test may exist',
        'check whether the test exists on the service: if it does, add its "id:" to the file; if not, pass --allow-unmarked to create the test',
      ),
    ]);
    const allowed = { observed: { maybeTruncated: true }, options: { allowUnmarked: true } };
    expect(problemsOf(shop, home, allowed)).toEqual([truncated]);
  });

  test('a test that may exist without a marker is blocked, unless --allow-unmarked is set', () => {
    const input = { unmarkedMatches: new Map([[testKey('home'), testId('a1')]]) };
    expect(problemsOf(shop, home, { input })).toEqual([
      warning(
        'LT_PLAN_BLOCKED',
        '"home" is blocked: the test a1 has the same fields and no ownership marker; the service may not store notes',
        'if a1 is this test, add "id: a1" to the file; otherwise, pass --allow-unmarked',
      ),
    ]);
    expect(problemsOf(shop, home, { input, options: { allowUnmarked: true } })).toEqual([]);
  });

  test('if the service does not store notes, the created test is reported and further tests are blocked', () => {
    const both = home.test('cart');
    const input = { unmarked: [testId('home')] };
    const created = warning(
      'LT_PLAN_UNMARKED',
      'the service does not store notes, so "home" (home) can be recognized only from this directory',
      'add "id: home" to the test',
    );
    expect(problemsOf(home, both, { input })).toEqual([
      created,
      warning(
        'LT_PLAN_BLOCKED',
        '"cart" is blocked: the service does not store notes, so a new test could not be recognized later',
        'first add the printed "id:" lines to the file, or pass --allow-unmarked to create the test anyway',
        2,
      ),
    ]);
    expect(problemsOf(home, both, { input, options: { allowUnmarked: true } })).toEqual([created]);
    expect(problemsOf(home, home, { input: { unmarked: [testId('other')] } })).toEqual([]);
    const [declared] = located(home).tests;
    if (declared === undefined) throw new Error('no test');
    expect(unmarkedProblem(declared, testId('home'), 'error')).toEqual({ ...created, severity: 'error' });
  });

  test('a scheduled start in the past blocks a test', () => {
    expect(problemsOf(shop, shop.test('night', { scheduledAt: NOW + 59_999 }))).toEqual([
      warning(
        'LT_PLAN_BLOCKED',
        '"night" is blocked: scheduled_at 2026-03-01 00:00:59 UTC is in the past or less than a minute from now',
        null,
      ),
    ]);
  });

  test('extensions that the service lacks block a test, and are listed with their descriptions', () => {
    const paced = shop.test('home', { pace: milliseconds(5) });
    const service = 'use the embedded service or "loadtests serve"';
    expect(problemsOf(shop, paced, { extensions: [] })).toEqual([
      warning(
        'LT_PLAN_BLOCKED',
        '"home" is blocked: it requires the extension "pace"',
        `this service does not list support for a minimum time between the starts of iterations; ${service}`,
      ),
    ]);
    const both = shop.test('home', { pace: milliseconds(5), keepAlive: false });
    expect(problemsOf(shop, both, { extensions: [] })).toEqual([
      warning(
        'LT_PLAN_BLOCKED',
        '"home" is blocked: it requires the extensions "pace", "keep_alive"',
        `this service does not list support for a minimum time between the starts of iterations, a new connection for each request; ${service}`,
      ),
    ]);
  });

  test('the fallback of an extension that the service lacks is reported', () => {
    const json = shop.test('home', {
      urls: [{ url: '/', method: 'POST', body: '{"a":"{{b}}"}', jsonBody: true }],
    });
    expect(problemsOf(shop, json, { extensions: [] })).toEqual([
      warning(
        'LT_PLAN_EXTENSION',
        '"home": the service does not list support for escaped values of "{{…}}" in "json"; a value with a quote, backslash or line break produces invalid JSON',
        'use the embedded service or "loadtests serve", which escape these values',
      ),
    ]);
    expect(problemsOf(shop, json, { extensions: ['json'] })).toEqual([]);
  });

  test('thresholds that need missing parts of results are reported for each part', () => {
    const limited = shop.test('home', { thresholds: { p97: '< 1s', p42: '< 2s' } });
    expect(problemsOf(shop, limited, { extensions: ['urls'] })).toEqual([
      warning(
        'LT_PLAN_NO_RESULTS',
        'the thresholds of "home" on p97, p42 may have no verdict: the service does not list support for histograms of response times',
        'use the embedded service or "loadtests serve"',
      ),
    ]);
    expect(problemsOf(shop, limited, { extensions: ['histograms'] })).toEqual([]);
  });

  test('runs of tests with secrets that cannot be compared are reported once for all tests', () => {
    const secret: TestFields = { urls: [{ url: '/', credentials: { login: 'ci', password: 'hidden' } }] };
    const all = home.test('login', secret).test('admin', secret);
    const again = { options: { maxAge: milliseconds(0) } };
    const text = 'cannot be compared with the values on the service, which may be older';
    expect(problemsOf(all, all, again)).toEqual([
      warning(
        'LT_PLAN_SECRET_UNKNOWN',
        `some secrets of "login", "admin" ${text}`,
        'if a secret has changed, run: loadtests apply --replace login --replace admin',
        null,
      ),
    ]);
    expect(problemsOf(all, all)).toEqual([]);
    expect(problemsOf(home, home, again)).toEqual([]);
  });
});

describe('problems of renamed tests', () => {
  test('a new test that equals a removed test is reported', () => {
    const removed = shop.test('basket').test('cart', { errorThreshold: 5 });
    expect(problemsOf(removed, shop.test('home').test('checkout', { errorThreshold: 5 }))).toEqual([
      warning(
        'LT_PLAN_RENAME',
        '"home" is new and identical to "basket", which was removed from the file',
        'if you renamed the test, add "moved: { home: basket }" to keep its runs without starting a new run',
      ),
      warning(
        'LT_PLAN_RENAME',
        '"checkout" is new and identical to "cart", which was removed from the file',
        'if you renamed the test, add "moved: { checkout: cart }" to keep its runs without starting a new run',
        2,
      ),
    ]);
    expect(problemsOf(removed, shop.test('home', { errorThreshold: 9 }))).toEqual([]);
    expect(problemsOf(removed, shop.test('home', { total: 9 }))).toEqual([]);
  });

  test('a changed test is not compared with removed tests', () => {
    const before = shop.test('home', { total: 5 }).test('old', { total: 6 });
    expect(problemsOf(before, shop.test('home', { total: 6 }))).toEqual([]);
  });

  test('an entry in "moved" that is no longer needed is reported, unless an earlier test is active', () => {
    const moved = shop.test('home').moved('home', 'start').moved('cart', 'basket').moved('home', 'index');
    const unneeded = [
      warning(
        'LT_PLAN_MOVED',
        '"moved" is no longer needed for "home": the service has the test under this key',
        'remove "start" and "index" from "moved" when every environment shows this warning',
      ),
    ];
    expect(problemsOf(shop.test('home'), moved)).toEqual(unneeded);
    expect(problemsOf(shop.test('start'), moved)).toEqual([]);
    expect(problemsOf(shop.test('home'), shop.test('home').moved('cart', 'basket'))).toEqual([]);
    const earlier = (statusKind: ObservedTest['statusKind']) => ({
      change: (tests: readonly ObservedTest[]) =>
        tests.flatMap((one) => [
          one,
          { ...withMarker(copyOf(one, 'x'), { key: 'start', listed: '0'.repeat(12) }), statusKind },
        ]),
    });
    expect(problemsOf(shop.test('home'), moved, earlier('running'))).toEqual([]);
    expect(problemsOf(shop.test('home'), moved, earlier('complete'))).toEqual(unneeded);
  });
});

describe('problems of adopted tests', () => {
  const error = (code: Problem['code'], message: string, hint: string | null) => ({
    ...warning(code, message, hint),
    severity: 'error',
  });

  test('an adopted test that does not exist is reported', () => {
    expect(problemsOf(shop, shop.test('home', { id: 'a1' }))).toEqual([
      error('LT_PLAN_ID_MISSING', '"home" adopts the test "a1", which does not exist on the service', null),
    ]);
  });

  test('an adopted test that belongs to another key is reported', () => {
    const both = shop.test('start', { id: 'home' }).test('home');
    expect(problemsOf(shop.test('home'), both)).toEqual([
      error(
        'LT_PLAN_ID_TAKEN',
        '"start" adopts the test "home", which belongs to "home" according to its ownership marker',
        'to rename "home" to "start", remove "home" from the file and add "moved: { start: home }"; otherwise, remove the "id" of "start"',
      ),
    ]);
  });

  /** Returns the problems if a listed test with unknown or known fields is adopted and replaced. */
  function lossesOf(
    fields: TestFields,
    change: (test: ObservedTest) => ObservedTest,
    urls: TestFields['urls'] = ['/'],
  ) {
    const before = shop.test('home', { ...fields, urls });
    return problemsOf(before, shop.test('home', { id: 'home', total: 7 }), {
      change: (tests) => tests.map((one) => change({ ...one, notes: null })),
    });
  }

  const withVariables =
    (variables: ReturnType<ObservedTest['targets']>[number]['variables']) => (one: ObservedTest) => ({
      ...one,
      targets: () => one.targets().map((target) => ({ ...target, variables })),
    });
  const HINT =
    'add the missing fields to the file; "error_threshold: 50" sets the default, and "variables: []" sets no variables';
  const lost = (text: string) => [
    warning('LT_PLAN_FIELD_LOST', `replacing "home" (home) removes ${text}`, HINT),
  ];
  const variable = { name: 'a', property: 'X', source: 'header' } as const;

  test('the fields that the replacement of an adopted test certainly loses are reported', () => {
    expect(lossesOf({ errorThreshold: 20 }, withVariables([]))).toEqual(
      lost('its "error_threshold", which the file does not contain'),
    );
    expect(lossesOf({ errorThreshold: 20 }, withVariables([variable]))).toEqual(
      lost('its "error_threshold" and "variables", which the file does not contain'),
    );
    expect(lossesOf({ errorThreshold: 50 }, withVariables([]))).toEqual([]);
  });

  test('the fields that the replacement of an adopted test may lose are reported', () => {
    expect(lossesOf({ errorThreshold: 50 }, withVariables(null))).toEqual(
      lost('its "variables", if any, which the service does not list'),
    );
    expect(lossesOf({}, withVariables(null))).toEqual(
      lost('its "error_threshold" and "variables", if any, which the service does not list'),
    );
    expect(lossesOf({ errorThreshold: 20 }, withVariables(null))).toEqual(
      lost(
        'its "error_threshold", which the file does not contain; and its "variables", if any, which the service does not list',
      ),
    );
  });

  test('an adopted test that is not replaced loses no fields', () => {
    const same = shop.test('home', { errorThreshold: 20 });
    expect(
      problemsOf(same, shop.test('home', { id: 'home' }), {
        change: (tests) => tests.map((one) => ({ ...one, notes: null })),
      }),
    ).toEqual([]);
  });

  test('if another test was already created for the key, a further replacement reports no lost fields', () => {
    const change = (tests: readonly ObservedTest[]) =>
      tests.flatMap((one) => [one, { ...copyOf(one, 'old'), notes: null, errorThreshold: 20 }]);
    expect(problemsOf(shop.test('home'), shop.test('home', { id: 'old', total: 7 }), { change })).toEqual([]);
  });
});

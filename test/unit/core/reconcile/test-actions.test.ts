/** The action for each declared test, with all its members. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { testId } from '../../../../src/core/model/ids.ts';
import type { ObservedTest } from '../../../../src/core/model/load-test.ts';
import { ReturnedText, Secret } from '../../../../src/core/model/secret.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import { matchTests } from '../../../../src/core/reconcile/match.ts';
import type { History, PlanOptions } from '../../../../src/core/reconcile/plan-input.ts';
import { simulateApply } from '../../../../src/core/reconcile/simulated-apply.ts';
import { findUnmarkedMatches } from '../../../../src/core/reconcile/test-actions.ts';
import { performSteps } from '../../../../src/core/steps.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { declareState, type TestFields } from '../../../support/declared-state.ts';
import { copyOf, located, NOW, planOf, withMarker, type Situation } from '../../../support/plan-of-states.ts';
import { planOptions } from '../../../support/simulated-machine.ts';

const shop = declareState().app('shop');
const home = shop.test('home', { total: 5 });
const [declared] = located(home).tests;
if (declared === undefined) throw new Error('no test');
const address = 'test.home';

/** Returns the action of the only test in a plan. */
function actionOf(before: typeof shop, after: typeof shop, situation?: Situation) {
  return planOf(before, after, situation).actions.find((one) => one.address === address);
}

const edited = (tests: readonly ObservedTest[]) => tests.map((one) => ({ ...one, total: 9 }));
const drift = { field: '/total', from: 9, to: 5, readable: true };

describe('actions for absent and changed tests', () => {
  const digests = digestsOf(declared.spec, sha256);
  const created = { address, test: declared, digests, repetition: 0, note: null };

  test('a new test is created', () => {
    expect(actionOf(shop, home)).toEqual({
      ...{ ...created, verb: 'create', replaces: null, previous: null, changes: [] },
    });
  });

  test('a changed test is replaced', () => {
    const action = actionOf(shop.test('home', { total: 4 }), home);
    expect(action).toEqual({
      ...{
        ...created,
        verb: 'replace',
        replaces: 'home',
        previous: expect.objectContaining({ total: 4 }) as never,
      },
      changes: [{ field: '/total', from: 4, to: 5, readable: true }],
    });
  });

  test('a test whose marker was written for an earlier version is replaced without changes', () => {
    const change = (tests: readonly ObservedTest[]) =>
      tests.map((one) => withMarker(one, { listed: '000000000000' }));
    expect(actionOf(home, home, { change })).toMatchObject({
      ...{ verb: 'replace', repetition: 0, changes: [] },
      note: 'its ownership marker was written for an earlier version of the test',
    });
  });

  test('the marker of a test without the fields of missing extensions is that of the declared test', () => {
    const json = shop.test('home', {
      urls: [{ url: '/', method: 'POST', body: '{"a":"{{b}}"}', jsonBody: true }],
    });
    const [own] = json.state.tests;
    if (own === undefined) throw new Error('no test');
    const action = actionOf(shop, json, { extensions: [] });
    expect(action).toMatchObject({ verb: 'create', digests: digestsOf(own.spec, sha256) });
    expect(action).toMatchObject({ test: { spec: { targets: [{ body: { kind: 'text' } }] } } });
  });

  test('with --no-run, a new or changed test is deferred, unless it is scheduled', () => {
    const deferred = {
      ...{ verb: 'deferred', address, test: declared },
      note: 'creating the test would start load; use "loadtests run home"',
    };
    const options = { start: false };
    expect(actionOf(shop, home, { options })).toEqual({ ...deferred, changes: [] });
    expect(actionOf(home, home, { options: { ...options, onDrift: 'replace' }, change: edited })).toEqual({
      ...deferred,
      changes: [drift],
    });
    const night = shop.test('home', { scheduledAt: NOW + 60_000 });
    expect(actionOf(shop, night, { options })).toMatchObject({ verb: 'create' });
  });

  test('a blocked test has the reason, the code and the hint of its problem', () => {
    expect(actionOf(shop, home, { input: { unmarked: [testId('a')] } })).toEqual({
      ...{ verb: 'blocked', address, test: declared, note: null, code: 'LT_PLAN_BLOCKED' },
      reason: 'the service does not store notes, so a new test could not be recognized later',
      hint: 'first add the printed "id:" lines to the file, or pass --allow-unmarked to create the test anyway',
    });
  });
});

describe('replacements of existing tests', () => {
  const replaced = { verb: 'replace', replaces: 'home', repetition: 3 };
  const situation = (options: Partial<PlanOptions>, change: Situation['change'] = (tests) => tests) => ({
    options,
    change: (tests: readonly ObservedTest[]) =>
      change(tests).map((one) => withMarker(one, { repetition: 2 })),
  });

  test('--replace selects tests by their keys', () => {
    expect(actionOf(home, home, situation({ replace: ['h*'] }))).toMatchObject({
      ...{ ...replaced, changes: [], note: 'requested by --replace' },
    });
    expect(actionOf(home, home, situation({ replace: ['a*'] }))).toMatchObject({ verb: 'no-op' });
    expect(actionOf(home, home, situation({ replace: ['h*'] }, edited))).toMatchObject({
      ...{ ...replaced, changes: [drift], note: null },
    });
  });

  test('--on-drift replace replaces only tests that were changed on the service', () => {
    expect(actionOf(home, home, situation({ onDrift: 'replace' }))).toMatchObject({ verb: 'no-op' });
    expect(actionOf(home, home, situation({}, edited))).toMatchObject({ verb: 'no-op' });
    expect(actionOf(home, home, situation({ onDrift: 'replace' }, edited))).toMatchObject({
      ...{ ...replaced, changes: [drift], note: null },
    });
  });

  test('a test with a rotated secret is replaced, and its changes also contain the edited fields', () => {
    const value = { parts: [new Secret('S', 'two')] };
    const own = shop.test('home', { total: 5, urls: [{ url: '/', headers: [{ name: 'X', value }] }] });
    const returned = (text: string) => (tests: readonly ObservedTest[]) =>
      tests.map((one): ObservedTest => {
        const headers = [{ name: 'X', value: new ReturnedText(text) }];
        return { ...one, total: 9, targets: () => one.targets().map((target) => ({ ...target, headers })) };
      });
    const rotated = { field: '/urls/0/headers/x', from: '***', to: '***', readable: true, rotated: true };
    expect(actionOf(own, own, situation({}, returned('one')))).toMatchObject({
      ...{ ...replaced, changes: [drift, rotated], note: null },
    });
    expect(actionOf(own, own, situation({}, returned('two')))).toMatchObject({ verb: 'no-op' });
  });
});

describe('actions for unchanged tests', () => {
  const noOp = { verb: 'no-op', address, test: declared, note: null, uncomparedSecrets: [] };
  const observed = expect.objectContaining({ id: 'home' }) as never;

  /** Results of the only test, by the number of minutes since their start; null if the start is unknown. */
  function historyOf(...results: readonly (readonly [number | null, object?])[]): History {
    const each = results.map(([minutes, members]) =>
      decodeResult({
        ...{ result_id: `r${minutes ?? ''}`, status: 'ready' },
        ...(minutes === null ? {} : { started_at: new Date(NOW - 60_000 * minutes).toISOString() }),
        ...members,
      }),
    );
    return new Map([[testId('home'), each]]);
  }

  test('an unchanged test has its state, the last result and the verdict', () => {
    expect(actionOf(home, home)).toEqual({
      ...{ ...noOp, observed, state: 'ended', verdict: null, result: null, duplicateMarker: null },
    });
    const history = historyOf([1], [2]);
    const running = (tests: readonly ObservedTest[]) =>
      tests.map((one) => ({ ...one, statusKind: 'running' }) as const);
    expect(actionOf(home, home, { input: { history }, change: running })).toEqual({
      ...{
        ...noOp,
        observed,
        state: 'running',
        note: 'running',
        result: history.get(testId('home'))?.[0],
        duplicateMarker: null,
      },
      verdict: expect.objectContaining({ verdict: 'none' }) as never,
    });
    expect(actionOf(home, home, { input: { history: new Map([[testId('home'), null]]) } })).toMatchObject({
      ...{ verdict: null, result: null },
    });
    expect(actionOf(home, home, { input: { history: historyOf() } })).toMatchObject({
      ...{ verdict: { verdict: 'none' }, result: null },
    });
  });

  test('an unchanged test with open duplicates has their marker', () => {
    const change = (tests: readonly ObservedTest[]) =>
      tests.flatMap((one) => [one, withMarker(copyOf(one, 'x'), { nonce: 'other000' })]);
    expect(actionOf(home, home, { change })).toMatchObject({
      verb: 'no-op',
      duplicateMarker: { key: 'home', nonce: 'other000' },
    });
    const input = { explainedDuplicates: new Set([testId('x')]) };
    expect(actionOf(home, home, { change, input })).toMatchObject({ duplicateMarker: null });
  });

  test('a requested run has the listed test and the secrets that were not compared', () => {
    const credentials = { login: 'ci', password: 'hidden' };
    const secret = shop.test('home', { urls: [{ url: '/', credentials }] });
    expect(actionOf(secret, secret, { options: { maxAge: milliseconds(0) } })).toEqual({
      ...{ verb: 'run', address, test: located(secret).tests[0], observed, note: null },
      uncomparedSecrets: ['/urls/0/credentials/password'],
    });
  });

  const limited: TestFields = { total: 5, thresholds: { error_rate: '< 1%' } };
  const failing = { success: 1, error: 1, timeout_error: 0, network_error: 0 };

  test('an unchanged test keeps its published verdict, to which other rounds may have contributed', () => {
    const own = shop.test('home', limited);
    const thresholds = [{ metric: 'error_rate', limit: '< 1%', value: 0, verdict: 'pass' }];
    const verdict = { verdict: 'pass', reason: 'published', thresholds };
    const input = { history: historyOf([1, { ...failing, verdict }]) };
    expect(actionOf(own, own, { input })).toMatchObject({
      verdict: { verdict: 'pass', reason: 'published' },
    });
  });

  // The maximum age is 10 minutes.
  test.each<readonly [string, TestFields, History, number | null, 'run' | 'no-op']>([
    ['a younger result', {}, historyOf([9]), NOW, 'no-op'],
    ['a result of exactly this age', {}, historyOf([10]), NOW, 'no-op'],
    ['an older result', {}, historyOf([11]), NOW, 'run'],
    ['a result of unknown age', {}, historyOf([null]), NOW, 'run'],
    ['a younger result, but an unknown service time', {}, historyOf([9]), null, 'run'],
    ['no result', {}, historyOf(), NOW, 'run'],
    ['no list of results', {}, new Map([[testId('home'), null]]), NOW, 'run'],
    ['only the results of other tests', {}, new Map(), NOW, 'run'],
    ['a younger result that is not ready', {}, historyOf([1, { status: 'not_ready' }]), NOW, 'run'],
    [
      'an older result after one that is not ready',
      {},
      historyOf([1, { status: 'not_ready' }], [9]),
      NOW,
      'no-op',
    ],
    ['a younger verdict', limited, historyOf([9, failing]), NOW, 'no-op'],
    ['a younger result without a verdict', limited, historyOf([9]), NOW, 'run'],
    ['a verdict before a result without one', limited, historyOf([1], [9, failing]), NOW, 'no-op'],
    ['an older verdict before a result without one', limited, historyOf([1], [11, failing]), NOW, 'run'],
  ])('with --max-age, a test with %s has the expected action', (_, fields, history, serviceTime, verb) => {
    const own = shop.test('home', fields);
    const input = { history, serviceTime };
    const options = { maxAge: milliseconds(600_000) };
    expect(actionOf(own, own, { input, options })).toMatchObject({ verb });
    expect(actionOf(own, own, { input })).toMatchObject({ verb: 'no-op' });
    expect(actionOf(own, own, { input, options: { ...options, start: false } })).toMatchObject({
      verb: 'no-op',
    });
  });
});

describe('the search for unmarked copies', () => {
  test('only tests that would be created are searched, unless --allow-unmarked is set', () => {
    const applied = simulateApply(home.state, sha256, NOW);
    const unmarked = applied.tests.map((one) => ({ ...copyOf(one, 'x'), notes: '[loadtests' }));
    const found = (options: Partial<PlanOptions>, tests: readonly ObservedTest[]) => {
      const matching = performSteps(matchTests(located(home), { ...applied, tests }, sha256));
      return [...performSteps(findUnmarkedMatches(matching, planOptions(NOW, options)))];
    };
    const short = applied.tests.map((one) => ({ ...one, notes: null }));
    expect(found({}, unmarked)).toEqual([['home', 'x']]);
    expect(found({}, short)).toEqual([['home', 'home']]);
    expect(found({ allowUnmarked: true }, unmarked)).toEqual([]);
    const [own] = applied.tests;
    const long = unmarked.map((one) => ({ ...one, notes: (own?.notes ?? '').slice(0, -1) }));
    expect(found({}, [...applied.tests, ...long])).toEqual([]);
    expect(found({ replace: ['home'] }, [...applied.tests, ...long])).toEqual([['home', 'x']]);
  });
});

/** The simulated state of a service after an apply, and plans against an earlier state. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { Secret } from '../../../../src/core/model/secret.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import { declaredLoadOf, planAgainstState } from '../../../../src/core/reconcile/file-comparison.ts';
import { formatMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { simulateApply } from '../../../../src/core/reconcile/simulated-apply.ts';
import { declaredTest, declareState, type DeclaredStateBuilder } from '../../../support/declared-state.ts';
import { planOptions } from '../../../support/simulated-machine.ts';

const NOW = 1_000_000;
const shop = declareState().app('shop').app('search');

describe('the simulated apply', () => {
  test('all apps are verified, and no test started more than once', () => {
    expect(simulateApply(shop.state, sha256, NOW)).toEqual({
      apps: [
        { id: 'app-0', host: 'shop.example', status: 'verified' },
        { id: 'app-1', host: 'search.example', status: 'verified' },
      ],
      tests: [],
      maybeTruncated: false,
      firstStartTimes: new Map(),
    });
  });

  test('a test has the fields that a service lists, without passwords and keys, and the marker of the file', () => {
    const password = { parts: [new Secret('P', 'hidden')] };
    const url = {
      ...({ url: '/', method: 'POST', credentials: { login: 'ci', password } } as const),
      params: [{ name: 'a', value: 'b' }],
      awsSigv4: { region: 'eu', service: 'sqs', accessKeyId: 'A', secretAccessKey: 'S', sessionToken: 'T' },
    };
    const { targets } = declaredTest('a', { urls: [url] }, []).spec;
    const state = shop
      .environment('staging')
      .test('home', { notes: 'Own', urls: [url], setup: { targets }, teardown: { targets } }).state;
    const [declared] = state.tests;
    if (declared === undefined) throw new Error('no test');
    const [observed] = simulateApply(state, sha256, NOW).tests;
    const listed = {
      ...targets[0],
      body: null,
      headers: [],
      params: [{ name: 'a', value: 'b' }],
      credentials: { login: 'ci', password: null },
      awsSigv4: { ...url.awsSigv4, secretAccessKey: null, sessionToken: null },
    };
    const marker = formatMarker({
      ...{ project: 'shop', environment: 'staging', key: 'home', repetition: 0, nonce: 'applied0' },
      ...digestsOf(declared.spec, sha256),
    });
    expect(observed).toMatchObject({
      ...{ id: 'home', status: 'complete', statusKind: 'complete', notes: `Own\n${marker}`, bodies: 'whole' },
      setup: { targets: [listed] },
      teardown: { targets: [listed] },
    });
    expect(observed?.targets()).toMatchObject([listed]);
    const plain = simulateApply(shop.test('home').state, sha256, NOW).tests[0];
    expect([plain?.setup, plain?.teardown]).toEqual([null, null]);
    expect(plain?.targets()).toMatchObject([{ credentials: null, awsSigv4: null, headers: [], params: [] }]);
  });

  test.each([
    ['home_2-A', 'home_2-A'],
    ['a.b', 'test-1'],
    ['.b', 'test-1'],
    ['a.', 'test-1'],
  ])('the ID of a test with the key %j is %j', (key, id) => {
    const { tests } = simulateApply(shop.test('first').test(key).state, sha256, NOW);
    expect(tests.map((one) => one.id)).toEqual(['first', id]);
  });

  test('an adopted test has its ID and its notes without a marker', () => {
    const { tests } = simulateApply(shop.test('home', { id: 'a1', notes: 'Own' }).state, sha256, NOW);
    expect(tests).toMatchObject([{ id: 'a1', notes: 'Own' }]);
  });

  test('only a test with a future start time is pending', () => {
    const statusAt = (scheduledAt: number | null) =>
      simulateApply(shop.test('home', { scheduledAt }).state, sha256, NOW).tests.map((one) => [
        one.status,
        one.statusKind,
      ]);
    expect(statusAt(NOW + 1)).toEqual([['pending', 'pending']]);
    expect(statusAt(NOW)).toEqual([['complete', 'complete']]);
    expect(statusAt(null)).toEqual([['complete', 'complete']]);
  });
});

describe('plans against an earlier state', () => {
  const verbsOf = (before: DeclaredStateBuilder | null, after: DeclaredStateBuilder) =>
    planAgainstState(before?.state ?? null, after.state, { options: planOptions(NOW), sha256 }).actions.map(
      ({ verb, address }) => `${verb} ${address}`,
    );

  test('without an earlier state, everything is new', () => {
    expect(verbsOf(null, declareState().app('shop').test('home'))).toEqual([
      'register app.shop',
      'verify app.shop',
      'create test.home',
    ]);
  });

  test('a newly adopted test equals its declaration, and a test that was already adopted is compared with the earlier file', () => {
    const adopted = shop.test('home', { id: 'a1', total: 5 });
    expect(verbsOf(null, adopted.without('none'))).toContain('no-op test.home');
    expect(verbsOf(shop, adopted)).toEqual(['no-op test.home']);
    expect(verbsOf(shop.test('home', { id: 'a1', total: 4 }), adopted)).toEqual(['replace test.home']);
    expect(verbsOf(shop.test('home', { total: 5 }), shop.test('home', { total: 5 }).test('new'))).toEqual([
      'no-op test.home',
      'create test.new',
    ]);
  });

  test('the declared load is that of the selected tests', () => {
    const two = shop.test('home', { total: 5 }).test('cart', { total: 7 }).state;
    expect(declaredLoadOf(two, planOptions(NOW)).starts).toBe(2);
    const cart = declaredLoadOf(two, planOptions(NOW, { only: ['cart'] }));
    expect([...cart.peakConnections]).toEqual([['shop.example', 7]]);
    expect(declaredLoadOf(null, planOptions(NOW)).starts).toBe(0);
  });
});

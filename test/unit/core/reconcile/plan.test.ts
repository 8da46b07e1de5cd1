import { beforeEach, describe, expect, test } from 'vitest';
import type { Action, CreateAction } from '../../../../src/core/reconcile/action.ts';
import { formatMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import type { Plan } from '../../../../src/core/reconcile/plan.ts';
import type { PlanOptions } from '../../../../src/core/reconcile/plan-input.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { createMachine, type SimulatedMachine } from '../../../support/simulated-machine.ts';
import { createMemoryService, type MemoryService, type MemoryTest } from '../../../support/memory-service.ts';
import { START_TIME, createVirtualClock, type VirtualClock } from '../../../support/virtual-clock.ts';
import { declareState, type DeclaredStateBuilder, type TestFields } from '../../../support/declared-state.ts';

const shop = declareState().app('shop');

let clock: VirtualClock;
let service: MemoryService;
let laptop: SimulatedMachine;

beforeEach(() => {
  clock = createVirtualClock();
  service = createMemoryService({ clock, verified: ['shop.example'], latency: 0 });
  laptop = createMachine(service, { clock });
});

interface OwnTestFields extends TestFields {
  readonly project?: string;
  readonly environment?: string | null;
  readonly repetition?: number;
  readonly ran?: boolean;
}

/** Adds a test to the service, in the state in which an earlier apply of these fields left it. */
function addOwnTest(key: string, fields: OwnTestFields = {}, options: { id?: string } = {}): MemoryTest {
  const [declared] = shop.test(key, fields).state.tests;
  if (declared === undefined) throw new Error('no test');
  const { listed, unlisted } = digestsOf(declared.spec, sha256);
  const marker = formatMarker({
    project: fields.project ?? 'shop',
    environment: fields.environment ?? null,
    key,
    listed,
    unlisted,
    repetition: fields.repetition ?? 0,
    nonce: 'planted1',
  });
  const { notes } = declared.spec;
  const spec = { ...declared.spec, notes: notes === null ? marker : `${notes}\n${marker}` };
  return service.addTest(spec, { ...options, ...(fields.ran === undefined ? {} : { ran: fields.ran }) });
}

function addUnmarkedTest(fields: TestFields = {}, notes: string | null = null): MemoryTest {
  const [declared] = shop.test('unmarked', fields).state.tests;
  if (declared === undefined) throw new Error('no test');
  return service.addTest({ ...declared.spec, notes });
}

async function planOf(declared: DeclaredStateBuilder, options?: Partial<PlanOptions>): Promise<Plan> {
  return await laptop.plan(declared, options);
}

function verbs({ actions }: Plan): readonly string[] {
  return actions.map(({ verb, address }) => `${verb} ${address}`);
}

function find<V extends 'no-op' | 'stop' | 'deferred'>(plan: Plan, verb: V): Extract<Action, { verb: V }> {
  const action = plan.actions.find((one): one is Extract<Action, { verb: V }> => one.verb === verb);
  if (action === undefined) throw new Error(`no ${verb} in the plan`);
  return action;
}

function replacement(plan: Plan): CreateAction {
  const action = plan.actions.find((one): one is CreateAction => one.verb === 'replace');
  if (action === undefined) throw new Error('nothing is replaced in the plan');
  return action;
}

function changes(plan: Plan): readonly string[] {
  return replacement(plan).changes.map(({ field }) => field);
}

describe('matching of a key', () => {
  test('a plan creates a declared test that does not exist on the service', async () => {
    expect(verbs(await planOf(shop.test('home')))).toEqual(['create test.home']);
  });

  test('a plan does not change an existing test that has the declared fields', async () => {
    addOwnTest('home', { total: 10 });
    expect(verbs(await planOf(shop.test('home', { total: 10 })))).toEqual(['no-op test.home']);
  });

  test('a plan does not change a test with the declared fields, and counts other versions of the test as superseded', async () => {
    addOwnTest('home', { total: 10 });
    addOwnTest('home', { total: 20 });
    const plan = await planOf(shop.test('home', { total: 10 }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary).toMatchObject({ unchanged: 1, superseded: 1 });
  });

  test('a test that was edited on the service is reported as drift and not changed', async () => {
    const home = addOwnTest('home', { total: 10 });
    service.edit(home.id, { total: 99 });
    const plan = await planOf(shop.test('home', { total: 10 }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary.drift).toBe(1);
    expect(plan.drift).toEqual([
      {
        address: 'test.home',
        id: home.id,
        changes: [{ field: '/total', from: 99, to: 10, readable: true }],
      },
    ]);
    expect(plan.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning LT_PLAN_DRIFT',
    ]);
  });

  test('with --on-drift replace, a plan replaces a test that was edited on the service', async () => {
    const home = addOwnTest('home', { total: 10 });
    service.edit(home.id, { total: 99 });
    const plan = await planOf(shop.test('home', { total: 10 }), { onDrift: 'replace' });
    expect(replacement(plan)).toMatchObject({ repetition: 1, replaces: home.id });
    expect(changes(plan)).toEqual(['/total']);
  });

  test('a test that exists only in other versions is replaced, and its changes since the latest version are listed', async () => {
    addOwnTest('home', { total: 10 });
    const last = addOwnTest('home', { total: 20 });
    const plan = await planOf(shop.test('home', { total: 30 }));
    expect(replacement(plan)).toMatchObject({
      replaces: last.id,
      repetition: 0,
      changes: [{ field: '/total', from: 20, to: 30, readable: true }],
    });
    expect(plan.summary.superseded).toBe(2);
  });

  test('if two tests have the same marker, the test with the smaller ID is used, and the other test is reported as a duplicate', async () => {
    addOwnTest('home', {}, { id: 'b2' });
    addOwnTest('home', {}, { id: 'a1' });
    const plan = await planOf(shop.test('home'));
    expect(find(plan, 'no-op').observed.id).toBe('a1');
    expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_DUPLICATE', severity: 'warning' }]);
    expect(plan.problems[0]?.message).toContain('a1 is used, b2 is a duplicate');
  });

  test('a test with a damaged marker is created again with a warning, and the warning is omitted if the file adopts the damaged test', async () => {
    const home = addOwnTest('home');
    addOwnTest('longer', { environment: 'production' });
    service.edit(home.id, { notes: (home.spec.notes ?? '').slice(0, -4) });
    const plan = await planOf(shop.test('home'));
    expect(verbs(plan)).toEqual(['create test.home']);
    expect(plan.problems).toMatchObject([
      {
        code: 'LT_PLAN_MARKER',
        severity: 'warning',
        hint: `to adopt the test, add "id: ${home.id}" to its declaration`,
      },
    ]);
    const pinned = await planOf(shop.test('home', { id: home.id }));
    expect(pinned.problems).toEqual([]);
  });

  test('a test is blocked if the service may have truncated the ownership marker of an existing test with the same fields', async () => {
    const home = addOwnTest('home');
    service.edit(home.id, { notes: (home.spec.notes ?? '').slice(0, -4) });
    const plan = await planOf(shop.test('home'));
    expect(verbs(plan)).toEqual(['blocked test.home']);
    expect(plan.problems.map(({ code }) => code)).toEqual(['LT_PLAN_MARKER', 'LT_PLAN_BLOCKED']);
    expect(verbs(await planOf(shop.test('home'), { allowUnmarked: true }))).toEqual(['create test.home']);
    expect(verbs(await planOf(shop.test('home', { total: 7 })))).toEqual(['create test.home']);
  });

  test.each([
    ['another project', { project: 'other' }],
    ['another environment', { environment: 'production' }],
  ])(
    'a test with the marker of %s is unmanaged, even if its key and its fields are equal to those of a declared test',
    async (_name, fields) => {
      addOwnTest('home', fields);
      const plan = await planOf(shop.test('home'));
      expect(verbs(plan)).toEqual(['create test.home']);
      expect(plan.summary.unmanaged).toBe(1);
    },
  );

  test('a test of one environment is not matched in another environment', async () => {
    addOwnTest('home', { environment: 'production' });
    expect(verbs(await planOf(shop.environment('production').test('home')))).toEqual(['no-op test.home']);
    expect(verbs(await planOf(shop.environment('staging').test('home')))).toEqual(['create test.home']);
  });

  test('if a test on the service has notes, unmarked tests are unmanaged and not matched by name or fields', async () => {
    addUnmarkedTest({ name: 'home' });
    addUnmarkedTest({ name: 'other' }, 'By hand.');
    const plan = await planOf(shop.test('home', { name: 'home' }));
    expect(verbs(plan)).toEqual(['create test.home']);
    expect(plan.summary.unmanaged).toBe(2);
  });

  test('an unmarked test with equal fields blocks a new test if no test on the service has notes', async () => {
    const unmarked = addUnmarkedTest({ name: 'home' });
    const plan = await planOf(shop.test('home', { name: 'home' }));
    expect(verbs(plan)).toEqual(['blocked test.home']);
    expect(plan.problems[0]?.hint).toContain(`add "id: ${unmarked.id}"`);
  });

  test('a test that was removed from the file is counted as orphaned, and stopped if it is scheduled', async () => {
    addOwnTest('idle');
    const night = addOwnTest('night', { scheduledAt: START_TIME + 86_400_000 });
    const plan = await planOf(shop);
    expect(plan.summary.orphaned).toBe(2);
    expect(verbs(plan)).toEqual(['stop test.night']);
    expect(find(plan, 'stop')).toMatchObject({
      observed: { id: night.id },
      note: 'removed from the file, starts at 2026-03-03 09:00:00 UTC',
    });
  });

  test('if the file returns to the fields of an earlier test, the plan stops a running test with other fields', async () => {
    addOwnTest('home', { total: 10 });
    const other = addOwnTest('home', { total: 20 }, {});
    other.runs.push({ id: 'r', startedAt: START_TIME, endsAt: START_TIME + 600_000, stopped: false });
    expect(verbs(await planOf(shop.test('home', { total: 10 })))).toEqual([
      'no-op test.home',
      'stop test.home',
    ]);
  });

  test.each([
    ['a changed field', { total: 20 }, {}],
    ['--replace', { total: 10 }, { replace: ['home'] }],
    ['--on-drift replace', { total: 10, name: 'Start' }, { onDrift: 'replace' as const }],
  ])(
    'a test that is replaced because of %s counts as superseded in the plan and after the apply',
    async (_name, fields, options) => {
      const home = addOwnTest('home', { total: 10, ...('name' in fields ? { name: fields.name } : {}) });
      if ('onDrift' in options) service.edit(home.id, { name: 'Edited' });
      const declared = shop.test('home', fields);
      const plan = await planOf(declared, options);
      expect(plan.summary).toMatchObject({ replace: 1, unchanged: 0, superseded: 1 });
      await laptop.apply(declared, { plan: options });
      expect((await planOf(declared)).summary).toMatchObject({ replace: 0, unchanged: 1, superseded: 1 });
    },
  );

  test.each([
    ['is running', { startedAt: START_TIME }, ', running'],
    ['is scheduled', {}, ', starts at 2026-03-03 09:00:00 UTC'],
  ])('--replace stops a test that %s', async (_name, run, note) => {
    const fields = 'startedAt' in run ? {} : { scheduledAt: START_TIME + 86_400_000 };
    const home = addOwnTest('home', fields);
    if ('startedAt' in run) home.runs.push({ id: 'r', endsAt: START_TIME + 600_000, stopped: false, ...run });
    const plan = await planOf(shop.test('home', fields), { replace: ['home'] });
    expect(verbs(plan)).toEqual(['replace test.home', 'stop test.home']);
    expect(find(plan, 'stop')).toMatchObject({
      observed: { id: home.id },
      note: `an earlier version${note}`,
    });
  });

  test('the order of stopped tests in a plan does not depend on the order of the listed tests', async () => {
    service.configure({ shuffle: true });
    for (const key of ['a', 'b', 'c', 'd']) addOwnTest(key, { scheduledAt: START_TIME + 86_400_000 });
    const [first, second] = [await planOf(shop), await planOf(shop)];
    expect(verbs(first)).toEqual(verbs(second));
  });
});

describe('moved tests', () => {
  test('a moved key is matched with the test of its previous key', async () => {
    addOwnTest('basket', { total: 10 });
    const moved = shop.test('checkout', { total: 10 }).moved('checkout', 'basket');
    expect(verbs(await planOf(moved))).toEqual(['no-op test.checkout']);
    expect((await planOf(moved)).summary.orphaned).toBe(0);
  });

  test('a test whose key was moved is replaced if its fields have changed', async () => {
    addOwnTest('basket', { total: 10 });
    const plan = await planOf(shop.test('checkout', { total: 20 }).moved('checkout', 'basket'));
    expect(verbs(plan)).toEqual(['replace test.checkout']);
  });

  test('without "moved", a renamed test is created again, with a warning', async () => {
    addOwnTest('basket');
    const plan = await planOf(shop.test('checkout'));
    expect(verbs(plan)).toEqual(['create test.checkout']);
    expect(plan.summary.orphaned).toBe(1);
    expect(plan.problems).toMatchObject([
      {
        code: 'LT_PLAN_RENAME',
        severity: 'warning',
        message: '"checkout" is new and identical to "basket", which was removed from the file',
        hint: expect.stringContaining('"moved: { checkout: basket }"') as string,
      },
    ]);
    expect((await planOf(shop.test('checkout', { total: 77 }))).problems).toEqual([]);
  });

  test('an entry in "moved" is reported as no longer needed once the service has the test under its new key', async () => {
    const moved = shop.test('checkout', { total: 20 }).moved('checkout', 'basket').moved('checkout', 'cart');
    expect((await planOf(moved)).problems).toEqual([]);
    addOwnTest('basket', { total: 20 });
    expect((await planOf(moved)).problems).toEqual([]);
    const again = shop.test('checkout', { total: 30 }).moved('checkout', 'basket').moved('checkout', 'cart');
    await laptop.apply(again);
    expect((await planOf(again)).problems).toMatchObject([
      {
        code: 'LT_PLAN_MOVED',
        severity: 'warning',
        message: '"moved" is no longer needed for "checkout": the service has the test under this key',
        hint: 'remove "basket" and "cart" from "moved" when every environment shows this warning',
      },
    ]);
  });
});

describe('repetitions', () => {
  test('--replace creates an unchanged test again with the next repetition number', async () => {
    addOwnTest('home', { repetition: 3 });
    const plan = await planOf(shop.test('home'), { replace: ['ho*'] });
    expect(replacement(plan)).toMatchObject({
      repetition: 4,
      changes: [],
      note: 'requested by --replace',
    });
  });

  test('--replace uses a repetition number above all existing repetition numbers of the key', async () => {
    addOwnTest('home', { repetition: 1 });
    addOwnTest('home', { total: 20, repetition: 7 });
    expect(replacement(await planOf(shop.test('home'), { replace: ['*'] })).repetition).toBe(8);
  });

  test('the test with the highest repetition number is used, and tests with lower numbers are superseded', async () => {
    addOwnTest('home', { repetition: 1 }, { id: 'a' });
    addOwnTest('home', { repetition: 2 }, { id: 'b' });
    const plan = await planOf(shop.test('home'));
    expect(find(plan, 'no-op').observed.id).toBe('b');
    expect(plan.summary.superseded).toBe(1);
    expect(plan.problems).toEqual([]);
  });

  test('--replace with one key does not replace the tests of other keys', async () => {
    addOwnTest('home');
    addOwnTest('cart');
    const plan = await planOf(shop.test('home').test('cart'), { replace: ['cart'] });
    expect(verbs(plan)).toEqual(['no-op test.home', 'replace test.cart']);
  });
});

describe('adoption by id', () => {
  test('a plan does not change an adopted test that has the declared fields', async () => {
    const { id } = addUnmarkedTest({ total: 10, name: 'By hand' });
    const plan = await planOf(shop.test('home', { id, total: 10, name: 'By hand' }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary.unmanaged).toBe(0);
  });

  test('an adopted test with different fields is replaced, and the changes name the fields', async () => {
    const { id } = addUnmarkedTest({ total: 10 }, 'By hand');
    const plan = await planOf(shop.test('home', { id, total: 20 }));
    expect(replacement(plan).replaces).toBe(id);
    expect(changes(plan)).toEqual(['/total', '/notes']);
  });

  test('an id in the file causes an error if no test on the service has this id', async () => {
    const plan = await planOf(shop.test('home', { id: 'nowhere' }));
    expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_ID_MISSING', severity: 'error' }]);
  });

  test('a marked test with the declared fields is used instead of an adopted test', async () => {
    const own = addOwnTest('home', { total: 10 });
    const { id } = addUnmarkedTest({ total: 10 });
    const plan = await planOf(shop.test('home', { id, total: 10 }));
    expect(find(plan, 'no-op').observed.id).toBe(own.id);
    expect((await planOf(shop.test('home', { id: 'nowhere', total: 10 }))).problems).toEqual([]);
  });

  test('the error_threshold of an adopted test is compared only if both the file and an ownership marker contain it', async () => {
    const { id } = addOwnTest('other', { project: 'other', errorThreshold: 5 });
    const same = await planOf(shop.test('home', { id }));
    expect(verbs(same)).toEqual(['no-op test.home']);
    const explicit = await planOf(shop.test('home', { id, errorThreshold: 50 }));
    expect(replacement(explicit).changes).toEqual([
      { field: '/error_threshold', from: 5, to: 50, readable: false },
    ]);
    const { id: unmarked } = addUnmarkedTest();
    expect(verbs(await planOf(shop.test('home', { id: unmarked, errorThreshold: 7 })))).toEqual([
      'no-op test.home',
    ]);
  });

  test('raw_post_body_json of an adopted test is compared with its ownership marker even if no request has variables', async () => {
    const url = { url: '/', method: 'POST', body: '{"a":"%{iteration}"}' } as const;
    const json = { ...url, jsonBody: true };
    const { id } = addOwnTest('other', { project: 'other', urls: [url] });
    expect(verbs(await planOf(shop.test('home', { id, urls: [url] })))).toEqual(['no-op test.home']);
    const escaped = await planOf(shop.test('home', { id, urls: [json] }));
    expect(replacement(escaped).changes).toEqual([
      { field: '/urls/0/raw_post_body_json', from: null, to: true, readable: false },
    ]);
    const { id: other } = addOwnTest('another', { project: 'other', urls: [json] });
    expect(verbs(await planOf(shop.test('home', { id: other, urls: [json] })))).toEqual(['no-op test.home']);
    const plain = await planOf(shop.test('home', { id: other, urls: [url] }));
    expect(replacement(plain).changes).toEqual([
      { field: '/urls/*/raw_post_body_json', from: null, to: false, readable: false },
    ]);
  });

  test('a running test that is adopted does not count as orphaned and is not stopped', async () => {
    const { id } = addOwnTest('old', { duration: '1h', ran: false });
    const [old] = service.tests;
    old?.runs.push({ id: 'r', startedAt: START_TIME, endsAt: START_TIME + 3_600_000, stopped: false });
    const plan = await planOf(shop.test('home', { id, duration: '1h' }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary.orphaned).toBe(0);
  });
});

describe('tests with the marker of one key and the id of another', () => {
  const night = START_TIME + 86_400_000;

  test.each([10, 20])(
    'a test that is adopted under one key but marked with another declared key is used only for the marked key, and causes an error (total %i)',
    async (total) => {
      const { id } = addOwnTest('home', { total: 10 });
      const both = shop.test('home', { total: 10 }).test('start', { id, total });
      const plan = await planOf(both, { maxAge: milliseconds(0) });
      expect(verbs(plan)).toEqual(['run test.home', 'create test.start']);
      expect(plan.problems).toMatchObject([
        {
          code: 'LT_PLAN_ID_TAKEN',
          severity: 'error',
          message: `"start" adopts the test "${id}", which belongs to "home" according to its ownership marker`,
          hint: expect.stringContaining('moved: { start: home }') as string,
        },
      ]);
    },
  );

  test('a test that "moved" and "id" assign to two keys is used for only one of them, and causes an error', async () => {
    const { id } = addOwnTest('home', { total: 10 });
    const moved = shop.test('index', { total: 10 }).test('start', { id, total: 10 }).moved('index', 'home');
    const plan = await planOf(moved);
    expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_ID_TAKEN' }]);
    expect(plan.summary).toMatchObject({ unchanged: 1, create: 1 });
  });

  test('an adopted test that is replaced counts as superseded, not as orphaned', async () => {
    const { id } = addOwnTest('home', { total: 10, scheduledAt: night });
    const plan = await planOf(shop.test('start', { id, total: 20, scheduledAt: night }));
    expect(verbs(plan)).toEqual(['replace test.start', 'stop test.start']);
    expect(find(plan, 'stop').note).toContain('an earlier version');
    expect(plan.summary).toMatchObject({ superseded: 1, orphaned: 0, unmanaged: 0 });
  });

  test('an adopted test remains superseded after its replacement was created', async () => {
    const { id } = addOwnTest('home', { total: 10 });
    const start = shop.test('start', { id, total: 20 });
    await laptop.apply(start);
    const plan = await planOf(start);
    expect(verbs(plan)).toEqual(['no-op test.start']);
    expect(plan.problems).toEqual([]);
    expect(plan.summary).toMatchObject({ unchanged: 1, superseded: 1, orphaned: 0 });
  });
});

describe('starts of new tests', () => {
  const soon = (ms: number) => shop.test('night', { scheduledAt: START_TIME + ms });

  test('the reason of a test that was stopped before its scheduled start states that it has not run', async () => {
    addOwnTest('night', { scheduledAt: START_TIME + 86_400_000 }).disarmed = true;
    expect(find(await planOf(soon(86_400_000)), 'no-op')).toMatchObject({
      state: 'ended',
      verdict: { reason: 'the test has not run, because its schedule was canceled' },
      note: 'the test has not run, because its schedule was canceled',
    });
  });

  test.each([
    [-1_000, 'blocked'],
    [59_000, 'blocked'],
    [60_000, 'create'],
    [86_400_000, 'create'],
  ])('a test that is scheduled for %i ms after the plan has the verb %s', async (ms, verb) => {
    expect(verbs(await planOf(soon(ms), { now: START_TIME }))).toEqual([`${verb} test.night`]);
  });

  test('--no-run defers tests that would start immediately and creates scheduled tests', async () => {
    const plan = await planOf(soon(86_400_000).test('home'), { start: false });
    expect(verbs(plan)).toEqual(['create test.night', 'deferred test.home']);
    expect(plan.load.starts).toBe(0);
  });

  test('--no-run shows the changes of deferred tests', async () => {
    addOwnTest('home', { total: 10 });
    const plan = await planOf(shop.test('home', { total: 20 }), { start: false });
    expect(find(plan, 'deferred').changes.map(({ field }) => field)).toEqual(['/total']);
  });

  test('if the service has not stored the notes of a test, a plan blocks the creation of further tests', async () => {
    service = createMemoryService({
      clock,
      verified: ['shop.example'],
      latency: 0,
      spelling: { notes: 'dropped' },
    });
    laptop = createMachine(service, { clock });
    await laptop.apply(shop.test('home'));
    const plan = await planOf(shop.test('home').test('search'));
    expect(verbs(plan)).toEqual(['no-op test.home', 'blocked test.search']);
    expect(plan.problems.map(({ code }) => code)).toEqual(['LT_PLAN_UNMARKED', 'LT_PLAN_BLOCKED']);
  });

  test('only the apps of selected tests are registered and verified', async () => {
    const two = shop
      .app('search')
      .app('cart')
      .test('find', { urls: ['https://search.example/'] });
    const plan = await planOf(two);
    expect(verbs(plan)).toEqual([
      'register app.search',
      'verify app.search',
      'register app.cart',
      'verify app.cart',
      'create test.find',
    ]);
    expect(verbs(await planOf(two, { only: ['find'] }))).toEqual([
      'register app.search',
      'verify app.search',
      'create test.find',
    ]);
  });

  test('an app without a status is verified only if a test is created', async () => {
    service.configure({ appStatus: 'hidden' });
    expect(verbs(await planOf(shop.test('home')))).toEqual(['verify app.shop', 'create test.home']);
    addOwnTest('home');
    expect(verbs(await planOf(shop.test('home')))).toEqual(['no-op test.home']);
  });

  test('with --only and --exclude, a plan contains only the selected tests, and stops no orphaned tests', async () => {
    addOwnTest('old', { scheduledAt: START_TIME + 86_400_000 });
    const three = shop.test('home').test('cart').test('checkout');
    expect(verbs(await planOf(three, { only: ['c*'] }))).toEqual([
      'create test.cart',
      'create test.checkout',
    ]);
    expect(verbs(await planOf(three, { only: ['c*'], exclude: ['*out'] }))).toEqual(['create test.cart']);
  });
});

describe('runs of existing tests', () => {
  const HOUR = milliseconds(3_600_000);
  const withThreshold = { thresholds: { error_rate: '< 1%' } } as const;

  // The tests ran half an hour before the start of the clock.
  test.each<[string, TestFields, number | null, string]>([
    ['no option', {}, null, 'no-op'],
    ['--run', {}, 0, 'run'],
    ['a verdict that is younger than the maximum age', withThreshold, 3_600_000, 'no-op'],
    ['a verdict that is older than the maximum age', withThreshold, 600_000, 'run'],
    ['no thresholds and a run that is younger than the maximum age', {}, 3_600_000, 'no-op'],
    ['no thresholds and a run that is older than the maximum age', {}, 600_000, 'run'],
    ['an inconclusive verdict', { thresholds: { p95: '< 1s' } }, 3_600_000, 'run'],
  ])('with %s, an existing test has the verb $3 in the plan', async (_name, fields, maxAge, verb) => {
    addOwnTest('home', fields);
    const plan = await planOf(shop.test('home', fields), {
      maxAge: maxAge === null ? null : milliseconds(maxAge),
    });
    expect(verbs(plan)).toEqual([`${verb} test.home`]);
  });

  test('with a maximum age of results, a test without runs or results is run', async () => {
    addOwnTest('home', { ran: false });
    expect(verbs(await planOf(shop.test('home'), { maxAge: HOUR }))).toEqual(['run test.home']);
    service.configure({ results: 'missing' });
    expect(verbs(await planOf(shop.test('home'), { maxAge: HOUR }))).toEqual(['run test.home']);
  });

  test('--run starts neither running nor scheduled tests', async () => {
    const home = addOwnTest('home');
    home.runs.push({ id: 'r', startedAt: START_TIME, endsAt: START_TIME + 600_000, stopped: false });
    const night = { scheduledAt: START_TIME + 86_400_000 };
    addOwnTest('night', night);
    const plan = await planOf(shop.test('home').test('night', night), { maxAge: milliseconds(0) });
    expect(verbs(plan)).toEqual(['no-op test.home', 'no-op test.night']);
  });

  test('--no-run does not start existing tests', async () => {
    addOwnTest('home');
    expect(verbs(await planOf(shop.test('home'), { start: false, maxAge: milliseconds(0) }))).toEqual([
      'no-op test.home',
    ]);
  });
});

test('a list of tests that may be truncated causes a warning in the plan', async () => {
  service.configure({ maybeTruncated: true });
  addOwnTest('home');
  const plan = await planOf(shop.test('home'));
  expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_LIST_TRUNCATED', severity: 'warning' }]);
});

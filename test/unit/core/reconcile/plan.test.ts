import { beforeEach, describe, expect, test } from 'vitest';
import type { Action, CreateAction } from '../../../../src/core/reconcile/action.ts';
import { formatMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import type { Plan, PlanOptions } from '../../../../src/core/reconcile/plan.ts';
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

interface Planted extends TestFields {
  readonly project?: string;
  readonly environment?: string | null;
  readonly repetition?: number;
  readonly ran?: boolean;
}

/** A test on the service as an earlier apply of these fields left it. */
function plantOwn(key: string, fields: Planted = {}, planted: { id?: string } = {}): MemoryTest {
  const [declared] = shop.test(key, fields).state.tests;
  if (declared === undefined) throw new Error('no test');
  const { listed, unlisted } = digestsOf(declared.spec, sha256);
  const mark = formatMarker({
    project: fields.project ?? 'shop',
    environment: fields.environment ?? null,
    key,
    listed,
    unlisted,
    repetition: fields.repetition ?? 0,
    nonce: 'planted1',
  });
  const { notes } = declared.spec;
  const spec = { ...declared.spec, notes: notes === null ? mark : `${notes}\n${mark}` };
  return service.addTest(spec, { ...planted, ...(fields.ran === undefined ? {} : { ran: fields.ran }) });
}

function plantForeign(fields: TestFields = {}, notes: string | null = null): MemoryTest {
  const [declared] = shop.test('foreign', fields).state.tests;
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

describe('what is found for a key', () => {
  test('nothing of ours: it is created', async () => {
    expect(verbs(await planOf(shop.test('home')))).toEqual(['create test.home']);
  });

  test('the wanted one: it is kept', async () => {
    plantOwn('home', { total: 10 });
    expect(verbs(await planOf(shop.test('home', { total: 10 })))).toEqual(['no-op test.home']);
  });

  test('the wanted one among others: it is kept, and nothing is compared with the others', async () => {
    plantOwn('home', { total: 10 });
    plantOwn('home', { total: 20 });
    const plan = await planOf(shop.test('home', { total: 10 }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary).toMatchObject({ unchanged: 1, superseded: 1 });
  });

  test('the wanted one, edited on the service: drift is reported, and nothing is done', async () => {
    const home = plantOwn('home', { total: 10 });
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

  test('the wanted one, edited, with --on-drift replace: it is created anew with the next repetition', async () => {
    const home = plantOwn('home', { total: 10 });
    service.edit(home.id, { total: 99 });
    const plan = await planOf(shop.test('home', { total: 10 }), { onDrift: 'replace' });
    expect(replacement(plan)).toMatchObject({ repetition: 1, replaces: home.id });
    expect(changes(plan)).toEqual(['/total']);
  });

  test('only others: it is replaced, with changes against the last of the list', async () => {
    plantOwn('home', { total: 10 });
    const last = plantOwn('home', { total: 20 });
    const plan = await planOf(shop.test('home', { total: 30 }));
    expect(replacement(plan)).toMatchObject({
      replaces: last.id,
      repetition: 0,
      changes: [{ field: '/total', from: 20, to: 30, readable: true }],
    });
    expect(plan.summary.superseded).toBe(2);
  });

  test('two of the same mark: the smallest id counts, and it is told', async () => {
    plantOwn('home', {}, { id: 'b2' });
    plantOwn('home', {}, { id: 'a1' });
    const plan = await planOf(shop.test('home'));
    expect(find(plan, 'no-op').observed.id).toBe('a1');
    expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_DUPLICATE', severity: 'warning' }]);
    expect(plan.problems[0]?.message).toContain('a1 counts, b2 does not');
  });

  test('a damaged mark: a warning, and the test is not ours', async () => {
    const home = plantOwn('home');
    plantOwn('longer', { environment: 'production' });
    service.edit(home.id, { notes: (home.spec.notes ?? '').slice(0, -4) });
    const plan = await planOf(shop.test('home'));
    expect(verbs(plan)).toEqual(['create test.home']);
    expect(plan.problems).toMatchObject([
      { code: 'LT_PLAN_MARKER', severity: 'warning', hint: `adopt it with "id: ${home.id}"` },
    ]);
    const pinned = await planOf(shop.test('home', { id: home.id }));
    expect(pinned.problems).toEqual([]);
  });

  test('a damaged mark where no whole one is as long: the service may shorten notes, so nothing is created', async () => {
    const home = plantOwn('home');
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
  ])('a mark of %s: not managed here, never taken by name', async (_name, fields) => {
    plantOwn('home', fields);
    const plan = await planOf(shop.test('home'));
    expect(verbs(plan)).toEqual(['create test.home']);
    expect(plan.summary.unmanaged).toBe(1);
  });

  test('each environment has its own', async () => {
    plantOwn('home', { environment: 'production' });
    expect(verbs(await planOf(shop.environment('production').test('home')))).toEqual(['no-op test.home']);
    expect(verbs(await planOf(shop.environment('staging').test('home')))).toEqual(['create test.home']);
  });

  test('no mark: not managed here, never taken by name or fields', async () => {
    plantForeign({ name: 'home' });
    plantForeign({ name: 'other' }, 'By hand.');
    const plan = await planOf(shop.test('home', { name: 'home' }));
    expect(verbs(plan)).toEqual(['create test.home']);
    expect(plan.summary.unmanaged).toBe(2);
  });

  test('no mark, where no test has notes: the service may drop them, so nothing is created', async () => {
    const made = plantForeign({ name: 'home' });
    const plan = await planOf(shop.test('home', { name: 'home' }));
    expect(verbs(plan)).toEqual(['blocked test.home']);
    expect(plan.problems[0]?.hint).toContain(`add "id: ${made.id}"`);
  });

  test('a key that was removed from the file: counted, and stopped while it is armed', async () => {
    plantOwn('idle');
    const night = plantOwn('night', { scheduledAt: START_TIME + 86_400_000 });
    const plan = await planOf(shop);
    expect(plan.summary.orphaned).toBe(2);
    expect(verbs(plan)).toEqual(['stop test.night']);
    expect(find(plan, 'stop')).toMatchObject({
      observed: { id: night.id },
      note: 'removed from the file, starts at 2026-03-03 09:00:00 UTC',
    });
  });

  test('an earlier spec that still runs is stopped when the later one is left again', async () => {
    plantOwn('home', { total: 10 });
    const other = plantOwn('home', { total: 20 }, {});
    other.runs.push({ id: 'r', startedAt: START_TIME, endsAt: START_TIME + 600_000, stopped: false });
    expect(verbs(await planOf(shop.test('home', { total: 10 })))).toEqual([
      'no-op test.home',
      'stop test.home',
    ]);
  });

  test.each([
    ['a changed spec', { total: 20 }, {}],
    ['--replace', { total: 10 }, { replace: ['home'] }],
    ['--on-drift replace', { total: 10, name: 'Start' }, { onDrift: 'replace' as const }],
  ])(
    '%s: what is replaced counts as an earlier version, before and after',
    async (_name, fields, options) => {
      const home = plantOwn('home', { total: 10, ...('name' in fields ? { name: fields.name } : {}) });
      if ('onDrift' in options) service.edit(home.id, { name: 'Edited' });
      const declared = shop.test('home', fields);
      const plan = await planOf(declared, options);
      expect(plan.summary).toMatchObject({ replace: 1, unchanged: 0, superseded: 1 });
      await laptop.apply(declared, { plan: options });
      expect((await planOf(declared)).summary).toMatchObject({ replace: 0, unchanged: 1, superseded: 1 });
    },
  );

  test.each([
    ['runs', { startedAt: START_TIME }, ', running'],
    ['is scheduled', {}, ', starts at 2026-03-03 09:00:00 UTC'],
  ])('--replace of a test that %s stops it first', async (_name, run, note) => {
    const fields = 'startedAt' in run ? {} : { scheduledAt: START_TIME + 86_400_000 };
    const home = plantOwn('home', fields);
    if ('startedAt' in run) home.runs.push({ id: 'r', endsAt: START_TIME + 600_000, stopped: false, ...run });
    const plan = await planOf(shop.test('home', fields), { replace: ['home'] });
    expect(verbs(plan)).toEqual(['replace test.home', 'stop test.home']);
    expect(find(plan, 'stop')).toMatchObject({
      observed: { id: home.id },
      note: `an earlier version${note}`,
    });
  });

  test('the order of stops does not hang on the order of the list', async () => {
    service.configure({ shuffle: true });
    for (const key of ['a', 'b', 'c', 'd']) plantOwn(key, { scheduledAt: START_TIME + 86_400_000 });
    const [first, second] = [await planOf(shop), await planOf(shop)];
    expect(verbs(first)).toEqual(verbs(second));
  });
});

describe('moved tests', () => {
  test('keep what they had under their old key', async () => {
    plantOwn('basket', { total: 10 });
    const moved = shop.test('checkout', { total: 10 }).moved('checkout', 'basket');
    expect(verbs(await planOf(moved))).toEqual(['no-op test.checkout']);
    expect((await planOf(moved)).summary.orphaned).toBe(0);
  });

  test('are replaced when they changed as well', async () => {
    plantOwn('basket', { total: 10 });
    const plan = await planOf(shop.test('checkout', { total: 20 }).moved('checkout', 'basket'));
    expect(verbs(plan)).toEqual(['replace test.checkout']);
  });

  test('without "moved" the old one is an orphan, and the new one is said to look like it', async () => {
    plantOwn('basket');
    const plan = await planOf(shop.test('checkout'));
    expect(verbs(plan)).toEqual(['create test.checkout']);
    expect(plan.summary.orphaned).toBe(1);
    expect(plan.problems).toMatchObject([
      {
        code: 'LT_PLAN_RENAME',
        severity: 'warning',
        message: '"checkout" is new, and the same as "basket", which left the file',
        hint: expect.stringContaining('"moved: { checkout: basket }"') as string,
      },
    ]);
    expect((await planOf(shop.test('checkout', { total: 77 }))).problems).toEqual([]);
  });

  test('are told of when "moved" may go: they have marks of their new keys, and nothing old is armed', async () => {
    const moved = shop.test('checkout', { total: 20 }).moved('checkout', 'basket').moved('checkout', 'cart');
    expect((await planOf(moved)).problems).toEqual([]);
    plantOwn('basket', { total: 20 });
    expect((await planOf(moved)).problems).toEqual([]);
    const again = shop.test('checkout', { total: 30 }).moved('checkout', 'basket').moved('checkout', 'cart');
    await laptop.apply(again);
    expect((await planOf(again)).problems).toMatchObject([
      {
        code: 'LT_PLAN_MOVED',
        severity: 'warning',
        message: '"moved" is not needed for "checkout" any more: the service has it under this name',
        hint: 'remove "basket" and "cart" from "moved" once this holds in every environment',
      },
    ]);
  });
});

describe('repetition', () => {
  test('--replace creates an unchanged test again, one above the highest', async () => {
    plantOwn('home', { repetition: 3 });
    const plan = await planOf(shop.test('home'), { replace: ['ho*'] });
    expect(replacement(plan)).toMatchObject({
      repetition: 4,
      changes: [],
      note: 'requested by --replace',
    });
  });

  test('--replace goes above the highest of the key, whatever its spec', async () => {
    plantOwn('home', { repetition: 1 });
    plantOwn('home', { total: 20, repetition: 7 });
    expect(replacement(await planOf(shop.test('home'), { replace: ['*'] })).repetition).toBe(8);
  });

  test('of equal specs only the highest counts; the lower ones are superseded', async () => {
    plantOwn('home', { repetition: 1 }, { id: 'a' });
    plantOwn('home', { repetition: 2 }, { id: 'b' });
    const plan = await planOf(shop.test('home'));
    expect(find(plan, 'no-op').observed.id).toBe('b');
    expect(plan.summary.superseded).toBe(1);
    expect(plan.problems).toEqual([]);
  });

  test('--replace leaves other keys alone', async () => {
    plantOwn('home');
    plantOwn('cart');
    const plan = await planOf(shop.test('home').test('cart'), { replace: ['cart'] });
    expect(verbs(plan)).toEqual(['no-op test.home', 'replace test.cart']);
  });
});

describe('adoption by id', () => {
  test('keeps a test whose fields agree', async () => {
    const { id } = plantForeign({ total: 10, name: 'By hand' });
    const plan = await planOf(shop.test('home', { id, total: 10, name: 'By hand' }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary.unmanaged).toBe(0);
  });

  test('replaces one whose fields differ, and names them', async () => {
    const { id } = plantForeign({ total: 10 }, 'By hand');
    const plan = await planOf(shop.test('home', { id, total: 20 }));
    expect(replacement(plan).replaces).toBe(id);
    expect(changes(plan)).toEqual(['/total', '/notes']);
  });

  test('of an id that is not there is an error', async () => {
    const plan = await planOf(shop.test('home', { id: 'nowhere' }));
    expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_ID_MISSING', severity: 'error' }]);
  });

  test('comes after a test with our mark and the wanted spec', async () => {
    const own = plantOwn('home', { total: 10 });
    const { id } = plantForeign({ total: 10 });
    const plan = await planOf(shop.test('home', { id, total: 10 }));
    expect(find(plan, 'no-op').observed.id).toBe(own.id);
    expect((await planOf(shop.test('home', { id: 'nowhere', total: 10 }))).problems).toEqual([]);
  });

  test('compares hidden fields only where the file gives them and a mark tells them', async () => {
    const { id } = plantOwn('other', { project: 'other', errorThreshold: 5 });
    const same = await planOf(shop.test('home', { id }));
    expect(verbs(same)).toEqual(['no-op test.home']);
    const given = await planOf(shop.test('home', { id, errorThreshold: 50 }));
    expect(replacement(given).changes).toEqual([
      { field: '/error_threshold', from: 5, to: 50, readable: false },
    ]);
    const { id: unmarked } = plantForeign();
    expect(verbs(await planOf(shop.test('home', { id: unmarked, errorThreshold: 7 })))).toEqual([
      'no-op test.home',
    ]);
  });

  test('takes a test of ours out of the orphans, so that it is not stopped', async () => {
    const { id } = plantOwn('old', { duration: '1h', ran: false });
    const [old] = service.tests;
    old?.runs.push({ id: 'r', startedAt: START_TIME, endsAt: START_TIME + 3_600_000, stopped: false });
    const plan = await planOf(shop.test('home', { id, duration: '1h' }));
    expect(verbs(plan)).toEqual(['no-op test.home']);
    expect(plan.summary.orphaned).toBe(0);
  });
});

describe('a test with the mark of one key and the id of another', () => {
  const night = START_TIME + 86_400_000;

  test.each([10, 20])('counts once where the file has both keys: an error says so', async (total) => {
    const { id } = plantOwn('home', { total: 10 });
    const both = shop.test('home', { total: 10 }).test('start', { id, total });
    const plan = await planOf(both, { maxAge: milliseconds(0) });
    expect(verbs(plan)).toEqual(['run test.home', 'create test.start']);
    expect(plan.problems).toMatchObject([
      {
        code: 'LT_PLAN_ID_TAKEN',
        severity: 'error',
        message: `"start" adopts the test "${id}", which is that of "home" by its mark`,
        hint: expect.stringContaining('moved: { start: home }') as string,
      },
    ]);
  });

  test('counts once where that key was moved to a third one', async () => {
    const { id } = plantOwn('home', { total: 10 });
    const moved = shop.test('index', { total: 10 }).test('start', { id, total: 10 }).moved('index', 'home');
    const plan = await planOf(moved);
    expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_ID_TAKEN' }]);
    expect(plan.summary).toMatchObject({ unchanged: 1, create: 1 });
  });

  test('is an earlier version of what replaces it, not one that left the file', async () => {
    const { id } = plantOwn('home', { total: 10, scheduledAt: night });
    const plan = await planOf(shop.test('start', { id, total: 20, scheduledAt: night }));
    expect(verbs(plan)).toEqual(['replace test.start', 'stop test.start']);
    expect(find(plan, 'stop').note).toContain('an earlier version');
    expect(plan.summary).toMatchObject({ superseded: 1, orphaned: 0, unmanaged: 0 });
  });

  test('stays an earlier version after it was replaced', async () => {
    const { id } = plantOwn('home', { total: 10 });
    const start = shop.test('start', { id, total: 20 });
    await laptop.apply(start);
    const plan = await planOf(start);
    expect(verbs(plan)).toEqual(['no-op test.start']);
    expect(plan.problems).toEqual([]);
    expect(plan.summary).toMatchObject({ unchanged: 1, superseded: 1, orphaned: 0 });
  });
});

describe('what may start', () => {
  const soon = (ms: number) => shop.test('night', { scheduledAt: START_TIME + ms });

  test.each([
    [-1_000, 'blocked'],
    [59_000, 'blocked'],
    [60_000, 'create'],
    [86_400_000, 'create'],
  ])('a schedule %i ms ahead: %s', async (ms, verb) => {
    expect(verbs(await planOf(soon(ms), { now: START_TIME }))).toEqual([`${verb} test.night`]);
  });

  test('--no-run defers what would start by being created, and creates what is scheduled', async () => {
    const plan = await planOf(soon(86_400_000).test('home'), { start: false });
    expect(verbs(plan)).toEqual(['create test.night', 'deferred test.home']);
    expect(plan.load.starts).toBe(0);
  });

  test('--no-run shows the changes of what it defers', async () => {
    plantOwn('home', { total: 10 });
    const plan = await planOf(shop.test('home', { total: 20 }), { start: false });
    expect(find(plan, 'deferred').changes.map(({ field }) => field)).toEqual(['/total']);
  });

  test('on a service that was seen to drop notes nothing more is created', async () => {
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

  test('apps are registered and verified as they need it', async () => {
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

  test('where apps show no status, verification is asked for when a create needs it', async () => {
    service.configure({ appStatus: 'hidden' });
    expect(verbs(await planOf(shop.test('home')))).toEqual(['verify app.shop', 'create test.home']);
    plantOwn('home');
    expect(verbs(await planOf(shop.test('home')))).toEqual(['no-op test.home']);
  });

  test('--only and --exclude leave other tests alone, orphans too', async () => {
    plantOwn('old', { scheduledAt: START_TIME + 86_400_000 });
    const three = shop.test('home').test('cart').test('checkout');
    expect(verbs(await planOf(three, { only: ['c*'] }))).toEqual([
      'create test.cart',
      'create test.checkout',
    ]);
    expect(verbs(await planOf(three, { only: ['c*'], exclude: ['*out'] }))).toEqual(['create test.cart']);
  });
});

describe('starting what is there', () => {
  const HOUR = milliseconds(3_600_000);
  const judged = { thresholds: { error_rate: '< 1%' } } as const;

  // What is planted ran half an hour before the morning.
  test.each<[string, TestFields, number | null, string]>([
    ['nothing asked', {}, null, 'no-op'],
    ['--run', {}, 0, 'run'],
    ['a younger verdict', judged, 3_600_000, 'no-op'],
    ['an older verdict', judged, 600_000, 'run'],
    ['a younger run without thresholds', {}, 3_600_000, 'no-op'],
    ['an older run without thresholds', {}, 600_000, 'run'],
    ['a verdict that cannot be known', { thresholds: { p95: '< 1s' } }, 3_600_000, 'run'],
  ])('%s', async (_name, fields, maxAge, verb) => {
    plantOwn('home', fields);
    const plan = await planOf(shop.test('home', fields), {
      maxAge: maxAge === null ? null : milliseconds(maxAge),
    });
    expect(verbs(plan)).toEqual([`${verb} test.home`]);
  });

  test('a test that never ran, or on a service without results, is due at any age', async () => {
    plantOwn('home', { ran: false });
    expect(verbs(await planOf(shop.test('home'), { maxAge: HOUR }))).toEqual(['run test.home']);
    service.configure({ results: 'missing' });
    expect(verbs(await planOf(shop.test('home'), { maxAge: HOUR }))).toEqual(['run test.home']);
  });

  test('--run starts neither what runs nor what is scheduled', async () => {
    const home = plantOwn('home');
    home.runs.push({ id: 'r', startedAt: START_TIME, endsAt: START_TIME + 600_000, stopped: false });
    const night = { scheduledAt: START_TIME + 86_400_000 };
    plantOwn('night', night);
    const plan = await planOf(shop.test('home').test('night', night), { maxAge: milliseconds(0) });
    expect(verbs(plan)).toEqual(['no-op test.home', 'no-op test.night']);
  });

  test('--no-run starts nothing', async () => {
    plantOwn('home');
    expect(verbs(await planOf(shop.test('home'), { start: false, maxAge: milliseconds(0) }))).toEqual([
      'no-op test.home',
    ]);
  });
});

test('a list that may be cut off is a warning', async () => {
  service.configure({ maybeTruncated: true });
  plantOwn('home');
  const plan = await planOf(shop.test('home'));
  expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_LIST_TRUNCATED', severity: 'warning' }]);
});

import { describe, expect, test } from 'vitest';
import { createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type DeclaredStateBuilder } from '../../support/declared-state.ts';
import type { LoadTestSpec } from '../../../src/core/model/load-test.ts';

const shop = declareState().app('shop').test('home', { duration: '1m' });
const specOf = (declared: DeclaredStateBuilder): LoadTestSpec => {
  const [first] = declared.state.tests;
  if (first === undefined) throw new Error('no test is declared');
  return first.spec;
};
const HOME = specOf(shop);
const OTHER = specOf(declareState().app('shop').test('other', { duration: '5m' }));
const NO_WAIT = { execute: { wait: false } };

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

describe('tests in the journal', () => {
  test('apply finds a test in the journal even if the list of tests is outdated', async () => {
    const { service, laptop } = stage({ listLag: 3_000 });
    await laptop.apply(shop, NO_WAIT);
    const { exit, plan } = await laptop.apply(shop, NO_WAIT);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
    expect(service.tests).toHaveLength(1);
  });

  test('apply finds a test in the journal even if the list of tests is truncated', async () => {
    const { service, laptop } = stage();
    for (let index = 0; index < 25; index++) service.addTest(OTHER);
    await laptop.apply(shop);
    service.configure({ listLimit: 25 });
    const { exit, plan } = await laptop.apply(shop);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });

  test('apply replaces a changed test from the journal even if the list of tests does not contain it', async () => {
    const { service, laptop } = stage({ listLag: 3_000 });
    await laptop.apply(shop, NO_WAIT);
    const changed = declareState().app('shop').test('home', { duration: '2m' });
    const { plan } = await laptop.apply(changed, NO_WAIT);
    expect(plan.summary).toMatchObject({ replace: 1, stop: 1, superseded: 1 });
    expect(service.running()).toHaveLength(1);
  });

  test('if the service temporarily does not find a test from the journal, apply reads the test again and does not create it again', async () => {
    const { clock, service, laptop } = stage({ listLag: 100_000 });
    await laptop.apply(shop, NO_WAIT);
    service.configure({
      faults: ({ operation, at }) =>
        operation === 'getTest' && at < START_TIME + 20_000 ? { kind: 'refused', status: 404 } : null,
    });
    const { exit } = await laptop.apply(shop, NO_WAIT);
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
    expect(clock.now() - START_TIME).toBeGreaterThan(20_000);
  });

  test('apply creates a test from the journal again if the service does not return it within the settle time', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.remove(service.tests[0]?.id ?? '');
    const before = clock.now();
    const { exit } = await laptop.apply(shop, NO_WAIT);
    expect(exit).toBe(0);
    expect(clock.now() - before).toBeGreaterThan(65_000);
    expect(service.count('createTest')).toBe(2);
    expect(laptop.phases()).toContain('create gone');
    const reads = service.count('getTest');
    service.remove(service.tests[0]?.id ?? '');
    await laptop.plan(shop);
    // Only the second test is requested; the first one is recorded as gone.
    expect(service.count('getTest')).toBe(reads + 1);
  });

  test('apply does not create a missing test again after a signal', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.remove(service.tests[0]?.id ?? '');
    const signal = new AbortController();
    clock.at(clock.now() + 5_000, () => signal.abort());
    await laptop.apply(shop, { interrupted: signal.signal });
    expect(service.count('createTest')).toBe(1);
    expect(laptop.phases()).not.toContain('create gone');
  });

  test('the plan command does not wait for a test in the journal that the service does not return', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.remove(service.tests[0]?.id ?? '');
    const before = clock.now();
    expect((await laptop.plan(shop)).summary.create).toBe(1);
    expect(clock.now() - before).toBeLessThan(1_000);
  });

  test('an adopted test counts as existing even if the list of tests does not contain it', async () => {
    const { service, laptop } = stage({ listLag: 4_000_000 });
    const planted = service.addTest(HOME, { id: 'adopted1' });
    const pinned = declareState().app('shop').test('home', { duration: '1m', id: planted.id });
    const { exit, plan } = await laptop.apply(pinned);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
  });
});

describe('lists of tests that may be truncated', () => {
  test('if the list of tests may be truncated, apply creates no test and suggests --allow-unmarked', async () => {
    const { service, laptop } = stage({ maybeTruncated: true });
    const { exit, plan, execution } = await laptop.apply(shop);
    expect(exit).toBe(8);
    expect(plan.summary).toMatchObject({ create: 0, blocked: 1 });
    expect(plan.problems).toContainEqual(
      expect.objectContaining({
        code: 'LT_PLAN_LIST_TRUNCATED',
        message: expect.stringContaining('"home" is blocked') as string,
        hint: expect.stringContaining('--allow-unmarked') as string,
      }),
    );
    expect(execution?.actions[0]?.outcome).toBe('not_attempted');
    expect(service.count('createTest')).toBe(0);
  });

  test('apply exits with 0 for an existing test even if the list of tests may be truncated', async () => {
    const { service, laptop } = stage();
    await laptop.apply(shop);
    service.configure({ maybeTruncated: true });
    expect((await laptop.apply(shop)).exit).toBe(0);
  });

  test('a list of tests that may be truncated does not block a plan that starts no load', async () => {
    const { laptop } = stage({ maybeTruncated: true });
    const { exit, plan } = await laptop.apply(shop, { plan: { start: false } });
    expect(plan.summary).toMatchObject({ deferred: 1, blocked: 0 });
    expect(exit).toBe(0);
  });

  test('with --allow-unmarked, apply creates tests even if the list of tests may be truncated', async () => {
    const { service, laptop } = stage({ maybeTruncated: true });
    const { exit } = await laptop.apply(shop, { plan: { allowUnmarked: true } });
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });

  test('apply creates a second test even if the first created test fills the list to the page length of 25', async () => {
    const { service, laptop } = stage();
    for (let index = 0; index < 24; index++) service.addTest(OTHER);
    service.configure({ listLimit: 25 });
    const two = shop.test('cart', { duration: '2m' });
    expect((await laptop.apply(two)).exit).toBe(0);
    expect(service.count('createTest')).toBe(2);
  });
});

describe('services that drop notes', () => {
  const dropping = { spelling: { notes: 'dropped' } } as const;

  test('if a service drops notes, apply exits with 7 after the first create request and returns the ID to add to the file', async () => {
    const { service, laptop } = stage(dropping);
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(7);
    const id = service.tests[0]?.id ?? '';
    expect(execution?.idsToPin).toEqual([{ key: 'home', id }]);
    expect(execution?.problems).toMatchObject([{ code: 'LT_PLAN_UNMARKED', severity: 'error' }]);
    expect(execution?.problems[0]?.hint).toContain(`id: ${id}`);
  });

  test.each([
    ['dropped', 'dropped' as const, shop],
    ['truncated after 40 characters', 40, shop],
    [
      'truncated after 200 characters',
      200,
      declareState()
        .app('shop')
        .test('home', { notes: 'Before the sale. '.repeat(20) }),
    ],
  ])(
    'on a service where notes are %s, apply on another machine does not create the test again',
    async (_name, notes, declared) => {
      const { service, laptop } = stage({ spelling: { notes } });
      await laptop.apply(declared);
      for (let round = 0; round < 3; round++) {
        const { exit, plan } = await laptop.withoutState().apply(declared);
        expect(plan.summary).toMatchObject({ create: 0, blocked: 1 });
        expect(exit).toBe(12);
        const hints = plan.problems.map(({ hint }) => hint).join('\n');
        expect(hints).toContain(`id: ${service.tests[0]?.id ?? ''}`);
      }
      expect(service.count('createTest')).toBe(1);
    },
  );

  test('if a service drops notes, a plan on the machine that created a test shows the ID to add to the file', async () => {
    const { service, laptop } = stage(dropping);
    await laptop.apply(shop);
    const plan = await laptop.plan(shop.test('cart'));
    expect(plan.summary).toMatchObject({ unchanged: 1, blocked: 1 });
    expect(plan.problems.map(({ hint }) => hint).join('\n')).toContain(`id: ${service.tests[0]?.id ?? ''}`);
  });

  test('with --allow-unmarked, apply creates tests even if the service drops notes', async () => {
    const { service, laptop } = stage(dropping);
    await laptop.apply(shop);
    const two = shop.test('cart', { duration: '2m' });
    const allowed = { plan: { allowUnmarked: true }, execute: { allowUnmarked: true } };
    const { exit, execution } = await laptop.apply(two, allowed);
    expect(exit).toBe(0);
    expect(execution?.problems).toMatchObject([{ code: 'LT_PLAN_UNMARKED', severity: 'warning' }]);
    expect(service.count('createTest')).toBe(2);
  });

  test('if the service stores notes, apply creates a test even if an unmarked test has the declared fields', async () => {
    const { service, laptop } = stage();
    service.addTest(HOME);
    service.addTest({ ...OTHER, notes: 'By hand.' });
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });
});

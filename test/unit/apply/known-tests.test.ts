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

describe('a test that the journal knows', () => {
  test('is found although the list lags', async () => {
    const { service, laptop } = stage({ listLag: 3_000 });
    await laptop.apply(shop, NO_WAIT);
    const { exit, plan } = await laptop.apply(shop, NO_WAIT);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
    expect(service.tests).toHaveLength(1);
  });

  test('is found although the list is cut off', async () => {
    const { service, laptop } = stage();
    for (let at = 0; at < 25; at++) service.addTest(OTHER);
    await laptop.apply(shop);
    service.configure({ listLimit: 25 });
    const { exit, plan } = await laptop.apply(shop);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });

  test('and that has changed is replaced, not created beside what the list does not show', async () => {
    const { service, laptop } = stage({ listLag: 3_000 });
    await laptop.apply(shop, NO_WAIT);
    const changed = declareState().app('shop').test('home', { duration: '2m' });
    const { plan } = await laptop.apply(changed, NO_WAIT);
    expect(plan.summary).toMatchObject({ replace: 1, stop: 1, superseded: 1 });
    expect(service.running()).toHaveLength(1);
  });

  test('is asked for again while one answer says that it is not there', async () => {
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

  test('is created again once the service has said for its settling time that it is gone', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.remove(service.tests[0]?.id ?? '');
    const before = clock.now();
    const { exit } = await laptop.apply(shop, NO_WAIT);
    expect(exit).toBe(0);
    expect(clock.now() - before).toBeGreaterThan(65_000);
    expect(service.count('createTest')).toBe(2);
    expect(laptop.phases()).toContain('create gone');
    const asked = service.count('getTest');
    service.remove(service.tests[0]?.id ?? '');
    await laptop.plan(shop);
    // Only the second one: what is known to be gone is not asked for again.
    expect(service.count('getTest')).toBe(asked + 1);
  });

  test('is not created again when a signal ends the wait', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.remove(service.tests[0]?.id ?? '');
    const signal = new AbortController();
    clock.at(clock.now() + 5_000, () => {
      signal.abort();
    });
    await laptop.apply(shop, { interrupted: signal.signal });
    expect(service.count('createTest')).toBe(1);
    expect(laptop.phases()).not.toContain('create gone');
  });

  test('is not waited for by a plan', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.remove(service.tests[0]?.id ?? '');
    const before = clock.now();
    expect((await laptop.plan(shop)).summary.create).toBe(1);
    expect(clock.now() - before).toBeLessThan(1_000);
  });

  test('and that the file adopts is there, whatever the list says', async () => {
    const { service, laptop } = stage({ listLag: 4_000_000 });
    const planted = service.addTest(HOME, { id: 'adopted1' });
    const pinned = declareState().app('shop').test('home', { duration: '1m', id: planted.id });
    const { exit, plan } = await laptop.apply(pinned);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
  });
});

describe('a list that may be cut off', () => {
  test('proves no absence: nothing is created, and it is said what to do', async () => {
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

  test('does not keep what is there from being run', async () => {
    const { service, laptop } = stage();
    await laptop.apply(shop);
    service.configure({ maybeTruncated: true });
    expect((await laptop.apply(shop)).exit).toBe(0);
  });

  test('does not matter where nothing is created for now', async () => {
    const { laptop } = stage({ maybeTruncated: true });
    const { exit, plan } = await laptop.apply(shop, { plan: { start: false } });
    expect(plan.summary).toMatchObject({ deferred: 1, blocked: 0 });
    expect(exit).toBe(0);
  });

  test('is overruled by whoever has looked', async () => {
    const { service, laptop } = stage({ maybeTruncated: true });
    const { exit } = await laptop.apply(shop, { plan: { allowUnmarked: true } });
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });

  test('fills up to such a length while tests are created, and the rest is still created', async () => {
    const { service, laptop } = stage();
    for (let at = 0; at < 24; at++) service.addTest(OTHER);
    service.configure({ listLimit: 25 });
    const two = shop.test('cart', { duration: '2m' });
    expect((await laptop.apply(two)).exit).toBe(0);
    expect(service.count('createTest')).toBe(2);
  });
});

describe('on a service that drops notes', () => {
  const dropping = { spelling: { notes: 'dropped' } } as const;

  test('the first create says so: exit code 7, and the id to pin', async () => {
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
    ['shortened', 40, shop],
    [
      'shortened',
      200,
      declareState()
        .app('shop')
        .test('home', { notes: 'Before the sale. '.repeat(20) }),
    ],
  ])('another machine starts nothing where notes are %s (%s)', async (_name, notes, declared) => {
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
  });

  test('the same machine names the ids that the file still lacks', async () => {
    const { service, laptop } = stage(dropping);
    await laptop.apply(shop);
    const plan = await laptop.plan(shop.test('cart'));
    expect(plan.summary).toMatchObject({ unchanged: 1, blocked: 1 });
    expect(plan.problems.map(({ hint }) => hint).join('\n')).toContain(`id: ${service.tests[0]?.id ?? ''}`);
  });

  test('--allow-unmarked creates all the same', async () => {
    const { service, laptop } = stage(dropping);
    await laptop.apply(shop);
    const two = shop.test('cart', { duration: '2m' });
    const allowed = { plan: { allowUnmarked: true }, execute: { allowUnmarked: true } };
    const { exit, execution } = await laptop.apply(two, allowed);
    expect(exit).toBe(0);
    expect(execution?.problems).toMatchObject([{ code: 'LT_PLAN_UNMARKED', severity: 'warning' }]);
    expect(service.count('createTest')).toBe(2);
  });

  test('a test of the same fields that somebody made by hand is none of ours where notes are kept', async () => {
    const { service, laptop } = stage();
    service.addTest(HOME);
    service.addTest({ ...OTHER, notes: 'By hand.' });
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });
});

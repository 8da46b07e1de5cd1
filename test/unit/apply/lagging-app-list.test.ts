import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryService, faultOnCall, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { scaleCount } from '../../support/test-scale.ts';

const shop = declareState().app('shop').test('home', { duration: '1m' });

function stage(options: Partial<MemoryOptions>) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, registerAgain: 'refused', ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

describe('an outdated list of apps', () => {
  test.each([5_000, 20_000, 60_000])(
    'if the response to a registration is lost and the list of apps lags by %i ms, apply finds the app and succeeds',
    async (appListLag) => {
      const { service, laptop } = stage({
        appListLag,
        faults: faultOnCall('registerApp', 1, { kind: 'answer_lost' }),
      });
      const { exit } = await laptop.apply(shop);
      expect(exit).toBe(0);
      expect(service.apps).toHaveLength(1);
      expect(service.tests).toHaveLength(1);
    },
  );

  test.each([5_000, 60_000])(
    'if two machines register an app and the list of apps lags by %i ms, one app exists and no refusal is reported',
    async (appListLag) => {
      const { clock, service, laptop } = stage({ appListLag });
      const other = createMachine(service, { clock, name: 'b' });
      const later = clock.sleep(100).then(async () => await other.apply(shop));
      const [one, two] = await Promise.all([laptop.apply(shop), later]);
      expect([one.exit, two.exit].filter((exit) => exit !== 0 && exit !== 7)).toEqual([]);
      const failed = [one, two].flatMap(({ execution }) => execution?.problems ?? []);
      expect(failed.filter(({ code }) => code === 'LT_API_REFUSED')).toEqual([]);
      expect(service.apps).toHaveLength(1);
    },
  );

  test('three machines that register two apps concurrently, with lost responses, register each app once and report no refusal', async () => {
    const races = fc.record({
      appListLag: fc.constantFrom(0, 300, 5_000, 31_000, 59_000),
      delays: fc.array(fc.integer({ min: 0, max: 8_000 }), { minLength: 2, maxLength: 2 }),
      lost: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(races, async ({ appListLag, delays, lost }) => {
        const { clock, service, laptop } = stage({
          appListLag,
          faults: ({ operation, nth }) =>
            operation === 'registerApp' && lost.includes(nth) ? { kind: 'answer_lost' } : null,
        });
        const both = shop.app('cart').test('cart', { duration: '1m', urls: ['https://cart.example/'] });
        const others = delays.map(async (ms, index) => {
          await clock.sleep(ms);
          return await createMachine(service, { clock, name: `b${index}` }).apply(both);
        });
        const applied = await Promise.all([laptop.apply(both), ...others]);
        const problems = applied.flatMap(({ execution }) => execution?.problems ?? []);
        expect(problems.filter(({ code }) => code === 'LT_API_REFUSED')).toEqual([]);
        expect(service.apps.map(({ host }) => host).toSorted()).toEqual(['cart.example', 'shop.example']);
        // When all lists have caught up, nothing is left to do.
        await clock.sleep(120_000);
        const { plan } = await laptop.apply(both);
        expect(plan.actions.filter(({ verb }) => verb === 'register')).toEqual([]);
      }),
      { numRuns: scaleCount(40) },
    );
  });

  test('if the list of apps lacks a registered app, apply finds the app by its ID and does not register it again', async () => {
    const { clock, service, laptop } = stage({ appListLag: 600_000 });
    expect((await laptop.apply(shop)).exit).toBe(0);
    const before = clock.now();
    const { exit, plan } = await laptop.apply(shop);
    expect(exit).toBe(0);
    expect(plan.actions.filter(({ verb }) => verb === 'register')).toEqual([]);
    expect(service.count('registerApp')).toBe(1);
    expect(clock.now() - before).toBeLessThan(5_000);
  });

  test('an app that was deleted is registered again', async () => {
    const { service, laptop } = stage({});
    await laptop.apply(shop);
    const [app] = await service.port.listApps().then(({ items }) => items);
    if (app === undefined) throw new Error('no app');
    await service.port.deleteApp(app.id);
    for (const { id } of service.tests) service.remove(id);
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.count('registerApp')).toBe(2);
  });

  test('a registration that the service refuses with status 422 is sent once and fails within 80 seconds', async () => {
    const { clock, service, laptop } = stage({
      faults: ({ operation }) => (operation === 'registerApp' ? { kind: 'refused', status: 422 } : null),
    });
    const before = clock.now();
    expect((await laptop.apply(shop)).exit).toBe(7);
    expect(clock.now() - before).toBeLessThan(80_000);
    expect(service.count('registerApp')).toBe(1);
  });
});

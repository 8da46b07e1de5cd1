import { describe, expect, test } from 'vitest';
import { createMemoryService, faultOnCall, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';

const shop = declareState().app('shop').test('home', { duration: '1m' });

function stage(options: Partial<MemoryOptions>) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, registerAgain: 'refused', ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

describe('a list of apps that lags', () => {
  test.each([5_000, 20_000, 60_000])(
    'apply finds a registration without a response in a list that lags by %i ms, and succeeds',
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
    'if another machine registers the app first and the list lags by %i ms, both machines succeed',
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

  test('apply finds a registered app by its id and does not register it again', async () => {
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

  test('a registration that the service refuses for another reason fails after the settle time', async () => {
    const { clock, service, laptop } = stage({
      faults: ({ operation }) => (operation === 'registerApp' ? { kind: 'refused', status: 422 } : null),
    });
    const before = clock.now();
    expect((await laptop.apply(shop)).exit).toBe(7);
    expect(clock.now() - before).toBeLessThan(80_000);
    expect(service.count('registerApp')).toBe(1);
  });
});

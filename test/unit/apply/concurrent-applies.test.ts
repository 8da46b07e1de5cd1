import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryService, type MemoryTest } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { scaleCount } from '../../support/test-scale.ts';

const shop = declareState().app('shop').test('home', { duration: '2m' });

describe('concurrent applies without a lock', () => {
  test('if several machines apply concurrently, exactly one test keeps running, and each machine stops only tests that it created itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3_000), { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 1, max: 400 }),
        fc.nat(),
        async (delays, latency, seed) => {
          const clock = createVirtualClock();
          const service = createMemoryService({ clock, latency, seed, verified: ['shop.example'] });
          let unstopped = -1;
          clock.at(clock.now() + 100_000, () => {
            unstopped = service.running().length;
          });
          const stops: { readonly by: number; readonly id: string }[] = [];
          const applied = await Promise.all(
            delays.map(async (delay, by) => {
              await clock.sleep(delay);
              const stopTest: typeof service.port.stopTest = async (id) => {
                stops.push({ by, id });
                return await service.port.stopTest(id);
              };
              const observed = { ...service, port: { ...service.port, stopTest } };
              return await createMachine(observed, { clock, name: String.fromCharCode(97 + by) }).apply(shop);
            }),
          );
          expect(unstopped).toBe(1);
          const firstStart = ({ runs }: MemoryTest) => runs[0]?.startedAt ?? Infinity;
          const [used] = [...service.tests].sort(
            (a, b) => firstStart(a) - firstStart(b) || (a.id < b.id ? -1 : 1),
          );
          expect(used?.runs.every(({ stopped }) => !stopped)).toBe(true);
          expect(applied.some(({ exit }) => exit === 7)).toBe(service.tests.length > 1);
          for (const { by, id } of stops) {
            expect(id).not.toBe(used?.id);
            // A machine stops only tests that it created.
            expect(applied[by]?.execution?.actions.map((done) => done.id)).toContain(id);
          }
        },
      ),
      { numRuns: scaleCount(100) },
    );
  });

  test('a plan after two concurrent applies reports the duplicate test as a warning, and contains no test to create', async () => {
    const clock = createVirtualClock();
    const service = createMemoryService({ clock, verified: ['shop.example'] });
    await Promise.all(['a', 'b'].map((name) => createMachine(service, { clock, name }).apply(shop)));
    expect(service.tests).toHaveLength(2);
    const plan = await createMachine(service, { clock }).plan(shop);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1, superseded: 1 });
    expect(plan.problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['LT_PLAN_DUPLICATE', 'warning'],
    ]);
  });
});

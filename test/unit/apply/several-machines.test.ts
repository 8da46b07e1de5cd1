import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryService } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Pause between two lists until the list has settled. */
const PAUSE = 500;

test('if several machines create a test while the list of tests lags, exactly one run completes, and each duplicate is stopped soon after it is listed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        machines: fc.integer({ min: 2, max: 8 }),
        lag: fc.integer({ min: 0, max: 5000 }),
        latency: fc.integer({ min: 1, max: 300 }),
        spread: fc.integer({ min: 1, max: 1500 }),
        waits: fc.boolean(),
        results: fc.constantFrom('present' as const, 'missing' as const),
        seed: fc.nat(),
      }),
      async ({ machines, lag, latency, spread, waits, results, seed }) => {
        const clock = createVirtualClock();
        const service = createMemoryService({
          clock,
          verified: ['shop.example'],
          listLag: lag,
          latency,
          results,
          seed,
        });
        const shop = declareState().app('shop').test('home', { duration: '2m' });
        const applied = await Promise.all(
          Array.from({ length: machines }, async (_, machine) => {
            await clock.sleep((machine * 379 * (seed % 7)) % spread);
            return await createMachine(service, { clock, name: `m${machine}` }).apply(shop, {
              execute: { wait: waits },
            });
          }),
        );
        const runs = service.tests
          .flatMap((one) => one.runs)
          .sort((a, b) => a.endsAt - a.startedAt - (b.endsAt - b.startedAt));
        const whole = runs.filter(({ stopped }) => !stopped);
        expect(whole).toHaveLength(1);
        for (const { startedAt, endsAt, stopped } of runs) {
          // Without results, the ids decide, so the duplicate may be the test that was created first.
          const visible = results === 'present' ? lag : 2 * lag;
          const requests = (6 + 2 * machines) * latency;
          if (stopped) expect(endsAt - startedAt).toBeLessThan(visible + PAUSE + requests);
        }
        const messages = applied.flatMap(({ execution }) => execution?.problems ?? []);
        if (runs.length > 1) expect(messages.map(({ message }) => message).join('\n')).toMatch(/generated/);
      },
    ),
    { numRuns: scaleCount(200) },
  );
});

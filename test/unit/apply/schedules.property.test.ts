/** Guarantees of consecutive applies under random faults of every call. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createMemoryService,
  type ServiceCall,
  type MemoryFault,
  type MemoryService,
} from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { CallError } from '../../../src/core/call-error.ts';
import { milliseconds } from '../../../src/core/units.ts';

const SETTLE = 65_000;

const declared = declareState()
  .app('shop')
  .app('search')
  .test('home', { duration: '1m', thresholds: { error_rate: '< 1%' } })
  .test('cart', { duration: '30s', needs: ['home'] })
  .test('find', { duration: '1m', parallel: true, urls: ['https://search.example/'] });

const faultOf = fc.oneof(
  fc.constant<MemoryFault>({ kind: 'not_sent' }),
  fc.constant<MemoryFault>({ kind: 'refused', status: 422 }),
  // A single "not found" response for a read.
  fc.constant<MemoryFault>({ kind: 'refused', status: 404 }),
  fc.boolean().map((executed): MemoryFault => ({ kind: 'broken', executed })),
  fc.constant<MemoryFault>({ kind: 'lost' }),
  fc.constant<MemoryFault>({ kind: 'answer_lost' }),
  fc.nat(SETTLE - 5_000).map((after): MemoryFault => ({ kind: 'late', after })),
);

/** Fault for each call, in order. */
const schedule = fc.array(fc.option(faultOf, { freq: 3 }), { minLength: 10, maxLength: 80 });

function faultInjector(faults: readonly (MemoryFault | null)[]): (call: ServiceCall) => MemoryFault | null {
  let at = 0;
  return ({ operation }) => {
    // Without its first list, apply does nothing, which other tests cover.
    const fault = operation === 'listApps' ? null : (faults[at++] ?? null);
    return fault;
  };
}

function testsOf(service: MemoryService, name: string): MemoryService['tests'] {
  return service.tests.filter(({ spec }) => spec.notes?.includes(` k=${name} `) === true);
}

const KEYS = ['home', 'cart', 'find'];

describe('random faults', () => {
  test('despite random faults, repeated applies create and start each test once, and exit with 8 while an outcome is unknown', async () => {
    await fc.assert(
      fc.asyncProperty(
        schedule,
        fc.nat(),
        fc.boolean(),
        fc.nat(5_000),
        async (faults, seed, idempotent, listLag) => {
          const clock = createVirtualClock(undefined, seed);
          const service = createMemoryService({
            clock,
            seed,
            idempotent,
            listLag,
            faults: faultInjector(faults),
          });
          const laptop = createMachine(service, { clock, settle: SETTLE });
          for (let round = 0; round < 8; round++) {
            const open = laptop.context.journal.open().length;
            try {
              const { exit, execution } = await laptop.apply(declared);
              const doubts = laptop.context.journal.open().length;
              const unknown = (execution?.actions ?? []).some(({ outcome }) => outcome === 'unknown');
              if (unknown || doubts > 0) expect(exit).toBe(8);
              expect(execution?.problems.map(({ code }) => code)).not.toContain('LT_PLAN_DUPLICATE');
            } catch (error) {
              // A read before the plan failed, so nothing was sent.
              expect(error).toBeInstanceOf(CallError);
              expect(laptop.context.journal.open().length).toBeLessThanOrEqual(open);
            }
            for (const key of KEYS) expect(testsOf(service, key).length).toBeLessThanOrEqual(1);
          }
          // All injected faults have been used by now.
          service.configure({ faults: () => null });
          const last = await laptop.apply(declared);
          expect(last.exit).toBe(0);
          for (const key of KEYS) {
            const [only] = testsOf(service, key);
            expect(testsOf(service, key)).toHaveLength(1);
            expect(only?.runs).toHaveLength(1);
          }
          expect((await laptop.plan(declared)).summary).toMatchObject({
            create: 0,
            replace: 0,
            unchanged: 3,
          });
        },
      ),
      { numRuns: scaleCount(150) },
    );
  });

  test('despite random faults, no apply starts more than one run of a test', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, fc.nat(), fc.boolean(), async (faults, seed, idempotent) => {
        const clock = createVirtualClock(undefined, seed);
        const service = createMemoryService({ clock, seed, idempotent });
        const laptop = createMachine(service, { clock, settle: SETTLE });
        await laptop.apply(declared);
        service.configure({ faults: faultInjector(faults) });
        let executed = service.tests.map(({ runs }) => runs.length);
        for (let round = 0; round < 4; round++) {
          let exit: number | null;
          try {
            ({ exit } = await laptop.apply(declared, { plan: { maxAge: milliseconds(0) } }));
          } catch (error) {
            expect(error).toBeInstanceOf(CallError);
            exit = null;
          }
          if (laptop.context.journal.open().length > 0 && exit !== null) expect(exit).toBe(8);
          const now = service.tests.map(({ runs }) => runs.length);
          for (const [index, count] of now.entries()) {
            expect(count - (executed[index] ?? 0)).toBeLessThanOrEqual(1);
          }
          executed = now;
        }
      }),
      { numRuns: scaleCount(100) },
    );
  });

  test('if any create request is delivered twice, exactly one copy of each test completes its run, and apply exits with 7', async () => {
    const delays = fc.array(fc.option(fc.nat(20_000)), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(delays, fc.nat(), fc.nat(3_000), async (afters, seed, listLag) => {
        const clock = createVirtualClock(undefined, seed);
        const faults = ({ operation, nth }: ServiceCall): MemoryFault | null => {
          const after = operation === 'createTest' ? (afters[nth - 1] ?? null) : null;
          return after === null ? null : { kind: 'twice', after };
        };
        const service = createMemoryService({ clock, seed, listLag, faults });
        const laptop = createMachine(service, { clock, settle: SETTLE });
        const { exit } = await laptop.apply(declared);
        expect(exit).toBe(afters.some((after) => after !== null) ? 7 : 0);
        for (const key of KEYS) {
          const complete = testsOf(service, key).filter(({ runs }) => runs.some(({ stopped }) => !stopped));
          expect(complete).toHaveLength(1);
        }
        service.configure({ faults: () => null });
        expect((await laptop.apply(declared)).exit).toBe(0);
      }),
      { numRuns: scaleCount(100) },
    );
  });
});

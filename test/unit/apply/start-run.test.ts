import { describe, expect, test } from 'vitest';
import {
  faultOnCall,
  createMemoryService,
  type MemoryFault,
  type MemoryOptions,
} from '../../support/memory-service.ts';
import { createMachine, type SimulatedMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { milliseconds } from '../../../src/core/units.ts';

const shop = declareState().app('shop').test('home', { duration: '1m' });
const AGAIN = { plan: { maxAge: milliseconds(0) } };

/** Creates a service with an existing test, and applies the options afterward. */
async function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const { results = 'present' } = options;
  const service = createMemoryService({ clock, verified: ['shop.example'], results });
  const laptop = createMachine(service, { clock });
  await laptop.apply(shop);
  service.configure(options);
  return { clock, service, laptop, starts: () => starts(laptop) };
}

function starts(laptop: SimulatedMachine): readonly string[] {
  return laptop.phases().filter((phase) => phase.startsWith('start'));
}

function onStart(fault: MemoryFault) {
  return { faults: faultOnCall('runTest', 1, fault) };
}

describe('starts of existing tests', () => {
  test('apply starts one run, and writes the intent, the sending and the outcome of the start request to the journal', async () => {
    const { service, laptop, starts: phases } = await stage();
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(0);
    expect(phases()).toEqual(['start intended', 'start sent', 'start done']);
    expect(service.tests[0]?.runs).toHaveLength(2);
    expect(execution?.runs[0]).toMatchObject({
      startedByUs: true,
      resultId: service.tests[0]?.runs[1]?.id,
      status: 'complete',
    });
  });

  test.each([
    ['the response is lost', { kind: 'answer_lost' }],
    ['the request is executed late', { kind: 'late', after: 30_000 }],
  ] as const)('apply sends a start request only once if %s', async (_name, fault) => {
    const { service, laptop, starts: phases } = await stage(onStart(fault));
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(0);
    expect(service.count('runTest')).toBe(1);
    expect(service.tests[0]?.runs).toHaveLength(2);
    expect(phases()).toEqual(['start intended', 'start sent', 'start done']);
  });

  test('if the response to a start request is lost on a service without results, apply finds the run by the status of its test', async () => {
    const { service, laptop } = await stage({ ...onStart({ kind: 'answer_lost' }), results: 'missing' });
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(0);
    expect(service.count('runTest')).toBe(1);
    expect(execution?.runs[0]).toMatchObject({ startedByUs: true, status: 'complete' });
  });

  test('apply waits for the new run while the test still has the status of the earlier run', async () => {
    const { clock, laptop } = await stage({ results: 'missing', statusLag: 5_000 });
    const before = clock.now();
    await laptop.apply(shop, AGAIN);
    expect(clock.now() - before).toBeGreaterThan(60_000);
  });

  test('apply exits with 8 if it finds no evidence that a lost start request started a run', async () => {
    const { service, laptop, starts: phases } = await stage(onStart({ kind: 'lost' }));
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(8);
    expect(execution?.actions[0]?.outcome).toBe('unknown');
    expect(service.count('runTest')).toBe(1);
    expect(phases()).toEqual(['start intended', 'start sent']);
  });

  test('apply exits with 8 if the results cannot be read after a lost start request', async () => {
    const { laptop } = await stage({
      faults: ({ operation, at: when }) => {
        if (operation === 'runTest') return { kind: 'lost' };
        return isFaulty(when) && operation === 'listResults' ? { kind: 'lost' } : null;
      },
    });
    let faultsFrom = Infinity;
    const isFaulty = (when: number) => when > faultsFrom;
    faultsFrom = laptop.context.clock.now() + 1_000;
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
  });

  test('after a lost response, apply repeats the start request if the service supports the nonce as an idempotency key', async () => {
    const { service, laptop } = await stage({ ...onStart({ kind: 'answer_lost' }), idempotent: true });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(0);
    expect(service.count('runTest')).toBe(2);
    expect(service.tests[0]?.runs).toHaveLength(2);
  });

  test('apply follows a run that another client started after the plan', async () => {
    const { clock, service, laptop } = await stage({ latency: 1_000 });
    const applying = laptop.apply(shop, AGAIN);
    // Happens after the reads of the plan.
    clock.at(clock.now() + 2_500, () => {
      const [home] = service.tests;
      if (home !== undefined) void service.port.runTest(home.id, 'somebody');
    });
    const { exit, execution } = await applying;
    expect(exit).toBe(0);
    expect(service.tests[0]?.runs).toHaveLength(2);
    expect(execution?.runs[0]).toMatchObject({
      startedByUs: false,
      resultId: service.tests[0]?.runs[1]?.id,
    });
  });
});

describe('apply after a start request with an unknown outcome', () => {
  test('after a start request with an unknown outcome, the next apply finds the late run and sends no start request', async () => {
    const { clock, service, laptop } = await stage(onStart({ kind: 'late', after: 80_000 }));
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
    await clock.sleep(30_000);
    const { settled } = await laptop.apply(shop);
    expect(settled[0]?.message).toContain('started a run');
    expect(service.count('runTest')).toBe(1);
  });

  test('apply reports that an earlier start request started no run, and starts a run if the maximum age is 0', async () => {
    const { service, laptop, starts: phases } = await stage(onStart({ kind: 'lost' }));
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
    const { exit, settled } = await laptop.apply(shop, AGAIN);
    expect(settled[0]?.message).toContain('did not start a run');
    expect(exit).toBe(0);
    expect(service.tests[0]?.runs).toHaveLength(2);
    expect(phases()).toContain('start absent');
  });

  test('apply reports that the test of an earlier start request no longer exists', async () => {
    const { service, laptop } = await stage(onStart({ kind: 'lost' }));
    await laptop.apply(shop, AGAIN);
    service.remove(service.tests[0]?.id ?? '');
    const { settled } = await laptop.apply(shop);
    expect(settled[0]?.message).toContain('is for a test that no longer exists');
  });
});

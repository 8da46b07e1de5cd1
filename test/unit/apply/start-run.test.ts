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

/** A service that holds the test already, and behaves from then on as given. */
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

describe('starting a test that is there', () => {
  test('writes what it intends, sends once, and writes what came of it', async () => {
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
    ['the answer is lost', { kind: 'answer_lost' }],
    ['it is executed late', { kind: 'late', after: 30_000 }],
  ] as const)('is never sent twice when %s', async (_name, fault) => {
    const { service, laptop, starts: phases } = await stage(onStart(fault));
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(0);
    expect(service.count('runTest')).toBe(1);
    expect(service.tests[0]?.runs).toHaveLength(2);
    expect(phases()).toEqual(['start intended', 'start sent', 'start done']);
  });

  test('finds the run by the status alone where there are no results', async () => {
    const { service, laptop } = await stage({ ...onStart({ kind: 'answer_lost' }), results: 'missing' });
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(0);
    expect(service.count('runTest')).toBe(1);
    expect(execution?.runs[0]).toMatchObject({ startedByUs: true, status: 'complete' });
  });

  test('waits for the run itself where the status shows the earlier one for a while', async () => {
    const { clock, laptop } = await stage({ results: 'missing', statusLag: 5_000 });
    const before = clock.now();
    await laptop.apply(shop, AGAIN);
    expect(clock.now() - before).toBeGreaterThan(60_000);
  });

  test('stays in doubt when nothing shows a run, and ends with exit code 8', async () => {
    const { service, laptop, starts: phases } = await stage(onStart({ kind: 'lost' }));
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(8);
    expect(execution?.actions[0]?.outcome).toBe('unknown');
    expect(service.count('runTest')).toBe(1);
    expect(phases()).toEqual(['start intended', 'start sent']);
  });

  test('stays in doubt when nothing can be read', async () => {
    const { laptop } = await stage({
      faults: ({ operation, at: when }) => {
        if (operation === 'runTest') return { kind: 'lost' };
        return sent(when) && operation === 'listResults' ? { kind: 'lost' } : null;
      },
    });
    let doubted = Infinity;
    const sent = (when: number) => when > doubted;
    doubted = laptop.context.clock.now() + 1_000;
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
  });

  test('is sent again to a service that takes the nonce for a key', async () => {
    const { service, laptop } = await stage({ ...onStart({ kind: 'answer_lost' }), idempotent: true });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(0);
    expect(service.count('runTest')).toBe(2);
    expect(service.tests[0]?.runs).toHaveLength(2);
  });

  test('follows the run that somebody else started since the plan', async () => {
    const { clock, service, laptop } = await stage({ latency: 1_000 });
    const applying = laptop.apply(shop, AGAIN);
    // After what the plan reads.
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

describe('the next apply after a start in doubt', () => {
  test('finds the run that was started after all, and starts none', async () => {
    const { clock, service, laptop } = await stage(onStart({ kind: 'late', after: 80_000 }));
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
    await clock.sleep(30_000);
    const { settled } = await laptop.apply(shop);
    expect(settled[0]?.message).toContain('started a run');
    expect(service.count('runTest')).toBe(1);
  });

  test('tells that it was not started, and starts it when it is asked to', async () => {
    const { service, laptop, starts: phases } = await stage(onStart({ kind: 'lost' }));
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
    const { exit, settled } = await laptop.apply(shop, AGAIN);
    expect(settled[0]?.message).toContain('did not start a run');
    expect(exit).toBe(0);
    expect(service.tests[0]?.runs).toHaveLength(2);
    expect(phases()).toContain('start absent');
  });

  test('tells that the test is gone', async () => {
    const { service, laptop } = await stage(onStart({ kind: 'lost' }));
    await laptop.apply(shop, AGAIN);
    service.remove(service.tests[0]?.id ?? '');
    const { settled } = await laptop.apply(shop);
    expect(settled[0]?.message).toContain('is for a test that no longer exists');
  });
});

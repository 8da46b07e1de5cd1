import { describe, expect, test } from 'vitest';
import {
  faultOnCall,
  createMemoryService,
  type MemoryFault,
  type MemoryOptions,
} from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { problem, ProblemError } from '../../../src/core/problem.ts';

const shop = declareState().app('shop').test('home', { duration: '1m' });

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

function onCreate(fault: MemoryFault) {
  return faultOnCall('createTest', 1, fault);
}

describe('test creation', () => {
  test('apply creates one test, and writes the intent, the sending and the outcome of the create request to the journal', async () => {
    const { service, laptop } = stage();
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(0);
    expect(laptop.phases()).toEqual(['create intended', 'create sent', 'create done']);
    expect(service.tests).toHaveLength(1);
    expect(execution?.actions.map(({ action, outcome }) => [action.verb, outcome])).toEqual([
      ['create', 'done'],
    ]);
    expect(laptop.lines().map(({ service: origin, p, e, address }) => [origin, p, e, address])).toEqual(
      // The last line records that the service provides results.
      Array.from({ length: 4 }, () => ['https://api.example', 'shop', null, 'test.home']),
    );
  });

  test('apply repeats a create request if the first attempt was not sent', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'not_sent' }) });
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.count('createTest')).toBe(2);
    expect(service.tests).toHaveLength(1);
  });

  test('if a create request cannot be sent in five attempts, apply records the request as refused and exits with 9', async () => {
    const { service, laptop } = stage({
      faults: ({ operation }) => (operation === 'createTest' ? { kind: 'not_sent' } : null),
    });
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(9);
    expect(execution?.actions[0]?.outcome).toBe('failed');
    expect(service.count('createTest')).toBe(5);
    expect(laptop.phases().at(-1)).toBe('create refused');
  });

  test('apply does not repeat a create request that the service refused', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'refused', status: 422 }) });
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(7);
    expect(execution?.actions[0]?.outcome).toBe('failed');
    expect(service.count('createTest')).toBe(1);
    expect(laptop.phases()).toEqual(['create intended', 'create sent', 'create refused']);
  });

  test('if the response to a create request is lost, apply finds the created test by its nonce', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'answer_lost' }) });
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
    expect(execution?.actions[0]).toMatchObject({ outcome: 'done', id: service.tests[0]?.id });
    expect(execution?.runs[0]).toMatchObject({ startedByUs: true, status: 'complete' });
    expect(laptop.phases()).toEqual(['create intended', 'create sent', 'create done']);
  });

  test.each([1_000, 20_000, 60_000])(
    'apply finds a test that the service creates %i ms late',
    async (after) => {
      const { service, laptop } = stage({ faults: onCreate({ kind: 'late', after }) });
      expect((await laptop.apply(shop)).exit).toBe(0);
      expect(service.count('createTest')).toBe(1);
      expect(service.tests).toHaveLength(1);
    },
  );

  test('after a lost response, apply finds the created test even if the service lists the test 30 seconds late', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'answer_lost' }), listLag: 30_000 });
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });

  test('apply does not repeat a create request with an unknown outcome, and exits with 8', async () => {
    const { clock, service, laptop } = stage({ faults: onCreate({ kind: 'lost' }) });
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(8);
    expect(execution?.actions[0]?.outcome).toBe('unknown');
    expect(service.count('createTest')).toBe(1);
    expect(clock.now() - START_TIME).toBeGreaterThanOrEqual(65_000);
    expect(laptop.phases()).toEqual(['create intended', 'create sent']);
  });

  test('after a lost response, the outcome of a create request stays unknown if the list of tests cannot be read', async () => {
    const { service, laptop } = stage({
      faults: ({ operation, nth }) => {
        if (operation === 'createTest') return { kind: 'answer_lost' };
        return operation === 'listTests' && nth > 2 ? { kind: 'lost' } : null;
      },
    });
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(8);
    expect(execution?.actions[0]?.outcome).toBe('unknown');
    expect(service.count('createTest')).toBe(1);
  });

  test('apply exits with 8 if the service rejects the API key during the search for the effect of a create request', async () => {
    const { laptop } = stage({
      faults: ({ operation, nth }) => {
        if (operation === 'createTest') return { kind: 'lost' };
        return operation === 'listTests' && nth > 2 ? { kind: 'refused', status: 401 } : null;
      },
    });
    expect((await laptop.apply(shop)).exit).toBe(8);
  });

  test('after a lost response, apply repeats the create request if the service supports the nonce as an idempotency key', async () => {
    const { service, laptop } = stage({ idempotent: true, faults: onCreate({ kind: 'answer_lost' }) });
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.count('createTest')).toBe(2);
    expect(service.tests).toHaveLength(1);
  });

  test('apply finds a test that the first create request created late, even if later attempts are not sent', async () => {
    const { service, laptop } = stage({
      idempotent: true,
      faults: ({ operation, nth }) => {
        if (operation !== 'createTest') return null;
        return nth === 1 ? { kind: 'late', after: 2_000 } : { kind: 'not_sent' };
      },
    });
    expect((await laptop.apply(shop)).exit).toBe(0);
    expect(service.tests).toHaveLength(1);
    expect(new Set(laptop.phases())).toEqual(new Set(['create intended', 'create sent', 'create done']));
  });

  test('apply uses a test that another client created after the plan', async () => {
    const { clock, service, laptop } = stage({ latency: 1_000 });
    // The plan reads two lists. The colleague has finished before the third one, which is read before
    // sending.
    const colleague = createMachine(service, { clock, name: 'b' });
    const theirs = colleague.apply(shop, { execute: { wait: false } });
    await clock.sleep(1_500);
    const { exit, plan, execution } = await laptop.apply(shop);
    await theirs;
    expect(plan.summary.create).toBe(1);
    expect(exit).toBe(0);
    expect(service.tests).toHaveLength(1);
    expect(execution?.runs[0]).toMatchObject({ startedByUs: false, status: 'complete' });
    expect(laptop.phases()).toEqual(['create intended', 'create done']);
  });

  test('apply does not send a create request if the journal cannot be written', async () => {
    const clock = createVirtualClock();
    const service = createMemoryService({ clock, verified: ['shop.example'] });
    const full = createMachine(service, {
      clock,
      disk: () => {
        throw new ProblemError(problem('LT_CLI_DISK', 'no space left on the disk'));
      },
    });
    const { exit, execution } = await full.apply(shop);
    expect(exit).toBe(1);
    expect(execution?.actions[0]?.outcome).toBe('failed');
    expect(service.count('createTest')).toBe(0);
  });

  test('if the disk is full after the response to a create request, apply exits with 1 and still reports the created test and its run', async () => {
    const clock = createVirtualClock();
    const service = createMemoryService({ clock, verified: ['shop.example'] });
    const full = createMachine(service, {
      clock,
      disk: ({ phase }) => {
        if (phase === 'done') throw new ProblemError(problem('LT_CLI_DISK', 'no space left on the disk'));
      },
    });
    const { exit, execution } = await full.apply(shop);
    expect(exit).toBe(1);
    expect(execution?.actions[0]).toMatchObject({ outcome: 'done', id: service.tests[0]?.id });
    expect(execution?.runs).toHaveLength(1);
  });

  test('if a scheduled test would start too soon after its create request, apply does not create the test and exits with 12', async () => {
    const soon = declareState()
      .app('shop')
      .test('night', { scheduledAt: START_TIME + 95_000 });
    const { service, laptop } = stage({ latency: 20_000 });
    const { exit, plan } = await laptop.apply(soon);
    expect(plan.summary.create).toBe(1);
    expect(exit).toBe(12);
    expect(service.tests).toHaveLength(0);
  });
});

describe('apply after a create request with an unknown outcome', () => {
  test('after a create request with an unknown outcome, the next apply finds the late test and creates no other test', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'late', after: 100_000 }) });
    expect((await laptop.apply(shop)).exit).toBe(8);
    await service.clock.sleep(60_000);
    const { exit, settled, plan } = await laptop.apply(shop);
    expect(settled.map(({ severity, message }) => [severity, message])).toEqual([
      ['warning', expect.stringContaining(`created the test ${service.tests[0]?.id ?? ''}`)],
    ]);
    expect(plan.summary).toMatchObject({ create: 0, unchanged: 1 });
    expect(exit).toBe(0);
    expect(service.count('createTest')).toBe(1);
  });

  test('if no list contains the test of a lost create request, the next apply records the absence, and creates the test with a new nonce', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'lost' }) });
    expect((await laptop.apply(shop)).exit).toBe(8);
    const { exit, settled } = await laptop.apply(shop);
    expect(settled[0]?.message).toContain('was not executed');
    expect(exit).toBe(0);
    expect(service.tests).toHaveLength(1);
    const nonces = laptop.lines().map(({ nonce }) => nonce);
    expect(new Set(nonces).size).toBe(2);
    expect(laptop.phases()).toEqual([
      'create intended',
      'create sent',
      'create absent',
      'create intended',
      'create sent',
      'create done',
    ]);
  });

  test('if the first list lacks the test of an unanswered create request but a later list contains it, apply reports that the request created the test', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'answer_lost' }), listLag: 1_000_000 });
    expect((await laptop.apply(shop)).exit).toBe(8);
    const lists = service.count('listTests');
    service.configure({
      faults: ({ operation, nth }) => {
        if (operation === 'listTests' && nth === lists + 2) service.configure({ listLag: 0 });
        return null;
      },
    });
    const { settled } = await laptop.apply(shop);
    expect(settled[0]?.message).toContain('created the test');
    expect(service.count('createTest')).toBe(1);
  });

  test('if the list of tests may be truncated, apply does not conclude that an earlier create request was not executed', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'lost' }) });
    expect((await laptop.apply(shop)).exit).toBe(8);
    service.configure({ maybeTruncated: true });
    const { exit, settled } = await laptop.apply(shop);
    expect(exit).toBe(8);
    expect(settled[0]).toMatchObject({ code: 'LT_API_UNKNOWN', severity: 'error' });
    expect(service.count('createTest')).toBe(1);
  });

  test('if the response to a create request is lost and the service drops notes, the next apply finds a test with the same fields and does not repeat the request', async () => {
    const { service, laptop } = stage({
      faults: onCreate({ kind: 'answer_lost' }),
      spelling: { notes: 'dropped' },
    });
    expect((await laptop.apply(shop)).exit).toBe(8);
    const { exit, settled } = await laptop.apply(shop);
    expect(exit).toBe(8);
    expect(settled[0]?.message).toContain(
      `${service.tests[0]?.id ?? ''} has the same fields but no complete ownership marker`,
    );
    expect(service.count('createTest')).toBe(1);
  });

  test('after a lost create request, the next apply ignores an unmarked test with the same fields if the service stores markers', async () => {
    const { clock, service, laptop } = stage({ faults: faultOnCall('createTest', 2, { kind: 'lost' }) });
    const [home] = shop.state.tests;
    if (home !== undefined) service.addTest(home.spec);
    await createMachine(service, { clock, name: 'b' }).apply(
      declareState().app('shop').test('cart', { duration: '5m' }).project('other'),
    );
    expect((await laptop.apply(shop)).exit).toBe(8);
    expect((await laptop.apply(shop)).exit).toBe(0);
  });

  test('after a signal, apply no longer waits for the effect of an earlier create request', async () => {
    const clock = createVirtualClock();
    const service = createMemoryService({ clock, verified: ['shop.example'] });
    const laptop = createMachine(service, { clock, settle: 3_600_000 });
    const { journal } = laptop.context;
    const home = {
      address: 'test.home',
      s: 's',
      w: 'w',
      r: 0,
      nonce: 'n',
      id: null,
      at: START_TIME,
    } as const;
    journal.write({ op: 'create', ...journal.identity, ...home, phase: 'sent' });
    const signal = new AbortController();
    clock.at(START_TIME + 10_000, () => signal.abort());
    const { settled } = await laptop.apply(shop, { interrupted: signal.signal });
    expect(settled[0]?.message).toContain('interrupted');
    expect(clock.now() - START_TIME).toBeLessThan(20_000);
  });

  test('apply takes less than 300 seconds if the journal contains a create request that is dated one day in the future', async () => {
    const clock = createVirtualClock();
    const service = createMemoryService({ clock, verified: ['shop.example'] });
    const laptop = createMachine(service, { clock });
    const { journal } = laptop.context;
    const ahead = { s: 's', w: 'w', r: 0, nonce: 'n', id: null, at: START_TIME + 86_400_000 };
    journal.write({ op: 'create', ...journal.identity, address: 'test.home', ...ahead, phase: 'sent' });
    await laptop.apply(shop);
    expect(clock.now() - START_TIME).toBeLessThan(300_000);
  });

  test('without a journal, apply on another machine recognizes a test that was created late', async () => {
    const { service, laptop } = stage({ faults: onCreate({ kind: 'late', after: 100_000 }) });
    expect((await laptop.apply(shop)).exit).toBe(8);
    await service.clock.sleep(60_000);
    const { exit, plan } = await laptop.withoutState().apply(shop);
    expect(plan.summary.unchanged).toBe(1);
    expect(exit).toBe(0);
    expect(service.tests).toHaveLength(1);
  });

  test('a later apply reports and stops a duplicate test that was created after the settle time', async () => {
    const { service, laptop } = stage({
      faults: onCreate({ kind: 'late', after: 200_000 }),
      nextTestId: ids('a-first', 'b-late'),
    });
    expect((await laptop.apply(shop)).exit).toBe(8);
    expect((await laptop.apply(shop)).exit).toBe(0);
    await service.clock.sleep(75_000);
    expect(service.running()).toHaveLength(1);
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(7);
    expect(execution?.problems[0]?.message).toContain('the duplicate b-late was stopped');
    expect(service.running()).toHaveLength(0);
  });
});

function ids(...values: string[]): () => string {
  const remaining = [...values];
  return () => remaining.shift() ?? 'c-more';
}

/**
 * Ends of runs: by themselves, by this command, by other clients, and on services that lose track of them.
 */
import { describe, expect, test } from 'vitest';
import { createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { stopTest } from '../../../src/apply/tests/stop-test.ts';
import { milliseconds } from '../../../src/core/units.ts';

function declare(fields: TestFields = {}) {
  return declareState()
    .app('shop')
    .test('home', { duration: '1m', thresholds: { error_rate: '< 1%' }, ...fields });
}

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

type Stage = ReturnType<typeof stage>;

function interruptAt({ clock }: Stage, ms: number): AbortSignal {
  const signal = new AbortController();
  clock.at(START_TIME + ms, () => signal.abort());
  return signal.signal;
}

/** Responds with 404 to some operations for a period, in ms after the start of the simulation. */
function missing(operations: readonly string[], from: number, to: number): Partial<MemoryOptions> {
  let count = 0;
  return {
    faults: ({ operation, at }) => {
      const isAffected = operations.includes(operation) && at >= START_TIME + from && at < START_TIME + to;
      return isAffected && count++ < 1000 ? { kind: 'refused', status: 404 } : null;
    },
  };
}

describe('tests that are reported as not found', () => {
  test('if a running test is temporarily not found, the next test on its host starts only after the run has ended', async () => {
    const at = stage(missing(['getTest'], 20_000, 50_000));
    const two = declare().test('cart', { duration: '10s' });
    const { exit } = await at.laptop.apply(two);
    expect(exit).toBe(0);
    const [home, cart] = at.service.tests;
    expect(cart?.createdAt).toBeGreaterThanOrEqual(home?.runs[0]?.endsAt ?? Infinity);
  });

  test('a test counts as deleted if it is not found for the settle time', async () => {
    const at = stage(missing(['getTest'], 20_000, 900_000));
    const { exit, execution } = await at.laptop.apply(declare());
    expect(exit).toBe(11);
    expect(execution?.problems[0]?.message).toContain('no longer exists on the service');
    expect(at.clock.now() - START_TIME).toBeGreaterThan(80_000);
  });

  test('a "not found" response to a read during a stop does not count as the end of the run', async () => {
    const at = stage();
    await at.laptop.apply(declare({ duration: '10m' }), { execute: { wait: false } });
    const [home] = at.service.tests;
    let reads = 0;
    at.service.configure({
      ignoresStop: true,
      faults: ({ operation }) =>
        operation === 'getTest' && reads++ === 0 ? { kind: 'refused', status: 404 } : null,
    });
    if (home === undefined) throw new Error('no test was created');
    const { state } = await stopTest(home, at.laptop.context, 10_000);
    expect(state).toBe('running');
  });

  test('if the read before a start request returns "not found", apply reads the test again and succeeds', async () => {
    const at = stage();
    await at.laptop.apply(declare());
    let reads = 0;
    at.service.configure({
      faults: ({ operation }) =>
        operation === 'getTest' && reads++ === 0 ? { kind: 'refused', status: 404 } : null,
    });
    const { exit } = await at.laptop.apply(declare(), { plan: { maxAge: milliseconds(0) } });
    expect(exit).toBe(0);
  });
});

describe('results that disappear', () => {
  test.each([
    ['with thresholds', { error_rate: '< 1%' }],
    ['without thresholds', {}],
  ])('a run %s is inconclusive if its results disappear', async (_, thresholds) => {
    const at = stage();
    const declared = declare({ thresholds });
    await at.laptop.apply(declared);
    const before = at.clock.now();
    at.clock.at(before + 30_000, () => at.service.configure({ results: 'missing' }));
    const { exit, execution } = await at.laptop.apply(declared, { plan: { maxAge: milliseconds(0) } });
    expect(exit).toBe(11);
    expect(execution?.problems[0]?.message).toContain('the results of "home"');
  });

  test('a run is evaluated if its results reappear within the settle time', async () => {
    const at = stage();
    await at.laptop.apply(declare());
    const before = at.clock.now();
    at.clock.at(before + 30_000, () => at.service.configure({ results: 'missing' }));
    at.clock.at(before + 80_000, () => at.service.configure({ results: 'present' }));
    const { exit, execution } = await at.laptop.apply(declare(), { plan: { maxAge: milliseconds(0) } });
    expect(exit).toBe(0);
    expect(execution?.runs[0]?.verdict.verdict).toBe('pass');
  });
});

describe('runs stopped by other clients', () => {
  async function stoppedAfter(ms: number, options: Partial<MemoryOptions> = {}, fields: TestFields = {}) {
    const at = stage(options);
    at.clock.at(START_TIME + ms, () => {
      for (const { runs } of at.service.tests) {
        for (const run of runs) run.endsAt = Math.min(run.endsAt, START_TIME + ms);
      }
    });
    return await at.laptop.apply(declare({ duration: '10s', ...fields }));
  }

  test('a run that ends early is inconclusive even if the service does not report a stop', async () => {
    const { exit, execution } = await stoppedAfter(2_100);
    expect(exit).toBe(11);
    expect(execution?.runs[0]?.verdict.reason).toMatch(/^the run ended after [23]\.\d of 10 s$/);
  });

  test.each([
    ['9.8 s of 10 s', 9_800, {}, {}],
    ['55 s of 60 s', 55_000, {}, { duration: '1m' }],
    // All clients of this service have ended before the time is over.
    [
      '48.5 s of 60 s because its 5 clients have ended',
      48_500,
      {},
      { duration: '1m', type: 'non-cycling', total: 5 },
    ],
    [
      '2.1 s of 10 s with the reported abort reason null',
      2_100,
      { metrics: { success: 300, error: 0, timeout_error: 0, network_error: 0, abort_reason: null } },
      {},
    ],
  ] as const)('a run that ended after %s is evaluated', async (_, ms, options, fields) => {
    expect((await stoppedAfter(ms, options, fields)).exit).toBe(0);
  });

  test('a run that ends early fails if its error rate is above its error threshold', async () => {
    const metrics = { success: 10, error: 90, timeout_error: 0, network_error: 0 };
    const { exit, execution } = await stoppedAfter(
      2_100,
      { metrics },
      { thresholds: {}, errorThreshold: 50 },
    );
    expect(exit).toBe(10);
    expect(execution?.runs[0]?.verdict.verdict).toBe('fail');
  });

  test('apply evaluates a ten-minute run of another command although it observes only the last five minutes', async () => {
    const at = stage();
    await at.laptop.apply(declare({ duration: '10m' }), { execute: { wait: false } });
    await at.clock.sleep(300_000);
    const { exit, execution } = await at.laptop.apply(declare({ duration: '10m' }));
    expect(exit).toBe(0);
    expect(execution?.runs).toMatchObject([{ startedByUs: false, verdict: { verdict: 'pass' } }]);
    expect(at.service.tests[0]?.runs).toHaveLength(1);
  });
});

describe('stops', () => {
  test('a run that ends at about the time of a signal is evaluated', async () => {
    for (const ms of [60_150, 60_500, 61_000, 62_000]) {
      const at = stage({ notReadyFor: 3_000 });
      const { execution } = await at.laptop.apply(declare(), { interrupted: interruptAt(at, ms) });
      expect(execution?.runs[0]).toMatchObject({ end: 'ended', verdict: { verdict: 'pass' } });
    }
  });

  test('a run that ends normally while the stop request is sent is evaluated', async () => {
    const at = stage({ reportsAbort: true, latency: 100 });
    const { execution } = await at.laptop.apply(declare(), { interrupted: interruptAt(at, 60_150) });
    expect(execution?.runs[0]).toMatchObject({ end: 'ended', verdict: { verdict: 'pass' } });
  });

  test('no stop request is sent if another client has started a later run of the test', async () => {
    const at = stage();
    await at.laptop.apply(declare(), { execute: { wait: false } });
    const [home] = at.service.tests;
    if (home === undefined) throw new Error('no test was created');
    const [ownRun] = home.runs;
    if (ownRun === undefined) throw new Error('no run was started');
    ownRun.endsAt = at.clock.now();
    at.service.configure({ notReadyFor: 3_600_000 });
    await at.clock.sleep(1_000);
    await at.service.port.runTest(home.id, 'somebody');
    const { resultId } = await import('../../../src/core/model/ids.ts');
    const { sent } = await stopTest(
      { id: home.id, resultId: resultId(ownRun.id) },
      at.laptop.context,
      10_000,
    );
    expect(sent).toBe(false);
    expect(at.service.running()).toHaveLength(1);
  });

  test('a failed stop request is not repeated if another client has started a new run', async () => {
    const at = stage({ runFor: 600_000 });
    await at.laptop.apply(declare(), { execute: { wait: false } });
    const [home] = at.service.tests;
    if (home === undefined) throw new Error('no test was created');
    at.service.configure({
      faults: ({ operation, nth }) => {
        if (operation !== 'stopTest' || nth > 1) return null;
        at.clock.at(at.clock.now() + 100, () => {
          for (const run of home.runs) run.endsAt = Math.min(run.endsAt, at.clock.now());
          void at.service.port.runTest(home.id, 'somebody');
        });
        return { kind: 'broken', executed: false };
      },
    });
    await stopTest(home, at.laptop.context, 10_000);
    expect(at.service.count('stopTest')).toBe(1);
    expect(at.service.running()).toHaveLength(1);
  });

  test('a stop request that fails with 500 is retried for at most five seconds, and the run is reported as in progress', async () => {
    const at = stage({
      faults: ({ operation }) => (operation === 'stopTest' ? { kind: 'broken', executed: false } : null),
    });
    const declared = declare({ duration: '10m' });
    const { execution } = await at.laptop.apply(declared, { interrupted: interruptAt(at, 30_000) });
    const stops = at.service.calls.filter(({ operation }) => operation === 'stopTest');
    expect(stops.length).toBeGreaterThan(2);
    const [first, last] = [stops[0]?.at ?? 0, stops.at(-1)?.at ?? 0];
    expect(last - first).toBeLessThanOrEqual(5_000);
    expect(execution?.runs[0]).toMatchObject({ end: 'in_progress', startedByUs: true });
  });

  test('a stop request that fails temporarily with 500 is retried and stops the run', async () => {
    const at = stage({
      faults: ({ operation, at: when }) =>
        operation === 'stopTest' && when < START_TIME + 33_000 ? { kind: 'broken', executed: false } : null,
    });
    const declared = declare({ duration: '10m' });
    await at.laptop.apply(declared, { interrupted: interruptAt(at, 30_000) });
    expect(at.service.running()).toHaveLength(0);
  });
});

describe('clocks', () => {
  const shop = declareState().app('shop').test('home', { duration: '1m' });
  const lost = {
    faults: ({ operation, nth }: { operation: string; nth: number }) =>
      operation === 'createTest' && nth === 1 ? ({ kind: 'late', after: 60_000 } as const) : null,
  } as const;

  test.each([7_200_000, -7_200_000])(
    'a jump of the wall clock by %i ms does not shorten the wait for the effect of a late create request',
    async (leap) => {
      const at = stage(lost);
      at.clock.at(START_TIME + 5_000, () => at.clock.leap(leap));
      expect((await at.laptop.apply(shop)).exit).toBe(0);
      expect(at.service.count('createTest')).toBe(1);
      expect(at.service.tests).toHaveLength(1);
    },
  );

  test('a jump of the wall clock between two commands does not shorten the wait for the effect of an earlier create request', async () => {
    const at = stage();
    const { journal } = at.laptop.context;
    const line = { s: 's', w: 'w', r: 0, nonce: 'n', id: null, phase: 'sent', address: 'test.home' } as const;
    const { clock } = at;
    journal.write({ op: 'create', ...journal.identity, ...line, at: clock.now(), up: clock.monotonic() });
    clock.leap(7_200_000);
    const before = clock.monotonic();
    await at.laptop.apply(shop);
    expect(clock.monotonic() - before).toBeGreaterThan(125_000);
  });

  test('apply does not wait for a create request that is one hour old by the wall clock and has no monotonic time in the journal', async () => {
    const at = stage();
    const { journal } = at.laptop.context;
    const line = { s: 's', w: 'w', r: 0, nonce: 'n', id: null, phase: 'sent', address: 'test.home' } as const;
    journal.write({ op: 'create', ...journal.identity, ...line, at: at.clock.now() - 3_600_000 });
    await at.laptop.apply(shop, { execute: { wait: false } });
    expect(at.clock.now() - START_TIME).toBeLessThan(5_000);
  });

  test('after several attempts to send a create request, the journal contains the time of the last attempt', async () => {
    const at = stage({
      faults: ({ operation, nth }) =>
        operation !== 'createTest' ? null : nth < 4 ? { kind: 'not_sent' } : { kind: 'lost' },
    });
    await at.laptop.apply(shop);
    const sent = at.laptop.lines().filter(({ phase }) => phase === 'sent');
    const calls = at.service.calls.filter(({ operation }) => operation === 'createTest');
    expect(calls).toHaveLength(4);
    expect(sent.at(-1)?.at).toBe(calls.at(-1)?.at);
  });

  test.each([-3_600_000, 0, 3_600_000])(
    'a plan measures the age of a result by the clock of the service, and contains another run if this clock is unknown (clock difference: %i ms)',
    async (clockAhead) => {
      const at = stage({ clockAhead });
      await at.laptop.apply(shop);
      await at.clock.sleep(600_000);
      const verbs = async (maxAge: number) =>
        (await at.laptop.plan(shop, { maxAge: milliseconds(maxAge) })).actions.map(({ verb }) => verb);
      expect(await verbs(1_200_000)).toEqual(['no-op']);
      expect(await verbs(300_000)).toEqual(['run']);
      at.service.configure({ reportsTime: false });
      expect(await verbs(1_200_000)).toEqual(['run']);
    },
  );
});

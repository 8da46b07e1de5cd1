/** How runs end: by themselves, by us, by others; and what a service says that has lost sight of them. */
import { describe, expect, test } from 'vitest';
import { createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { stopTest } from '../../../src/apply/stop-test.ts';
import { milliseconds } from '../../../src/core/units.ts';

function judged(fields: TestFields = {}) {
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
  clock.at(START_TIME + ms, () => {
    signal.abort();
  });
  return signal.signal;
}

/** Answers 404 to one read, or for a while, some seconds after the morning. */
function missing(operations: readonly string[], from: number, to: number): Partial<MemoryOptions> {
  let times = 0;
  return {
    faults: ({ operation, at }) => {
      const meant = operations.includes(operation) && at >= START_TIME + from && at < START_TIME + to;
      return meant && times++ < 1000 ? { kind: 'refused', status: 404 } : null;
    },
  };
}

describe('a test that is said not to be there', () => {
  test('once or for a while is still followed, and nothing starts on its host meanwhile', async () => {
    const at = stage(missing(['getTest'], 20_000, 50_000));
    const two = judged().test('cart', { duration: '10s' });
    const { exit } = await at.laptop.apply(two);
    expect(exit).toBe(0);
    const [home, cart] = at.service.tests;
    expect(cart?.createdAt).toBeGreaterThanOrEqual(home?.runs[0]?.endsAt ?? Infinity);
  });

  test('for the settling time is gone', async () => {
    const at = stage(missing(['getTest'], 20_000, 900_000));
    const { exit, execution } = await at.laptop.apply(judged());
    expect(exit).toBe(11);
    expect(execution?.problems[0]?.message).toContain('no longer exists on the service');
    expect(at.clock.now() - START_TIME).toBeGreaterThan(80_000);
  });

  test('when it is to be stopped is not taken for one that has stopped', async () => {
    const at = stage();
    await at.laptop.apply(judged({ duration: '10m' }), { execute: { wait: false } });
    const [home] = at.service.tests;
    let times = 0;
    at.service.configure({
      ignoresStop: true,
      faults: ({ operation }) =>
        operation === 'getTest' && times++ === 0 ? { kind: 'refused', status: 404 } : null,
    });
    if (home === undefined) throw new Error('nothing was created');
    const { state } = await stopTest(home, at.laptop.context, 10_000);
    expect(state).toBe('running');
  });

  test('before it is started is asked for again', async () => {
    const at = stage();
    await at.laptop.apply(judged());
    let times = 0;
    at.service.configure({
      faults: ({ operation }) =>
        operation === 'getTest' && times++ === 0 ? { kind: 'refused', status: 404 } : null,
    });
    const { exit } = await at.laptop.apply(judged(), { plan: { maxAge: milliseconds(0) } });
    expect(exit).toBe(0);
  });
});

describe('results that were there and are not any more', () => {
  test.each([{ error_rate: '< 1%' }, {}])('are inconclusive, with thresholds %o', async (thresholds) => {
    const at = stage();
    const declared = judged({ thresholds });
    await at.laptop.apply(declared);
    const before = at.clock.now();
    at.clock.at(before + 30_000, () => {
      at.service.configure({ results: 'missing' });
    });
    const { exit, execution } = await at.laptop.apply(declared, { plan: { maxAge: milliseconds(0) } });
    expect(exit).toBe(11);
    expect(execution?.problems[0]?.message).toContain('the results of "home"');
  });

  test('but come back within the settling time are judged', async () => {
    const at = stage();
    await at.laptop.apply(judged());
    const before = at.clock.now();
    at.clock.at(before + 30_000, () => {
      at.service.configure({ results: 'missing' });
    });
    at.clock.at(before + 80_000, () => {
      at.service.configure({ results: 'present' });
    });
    const { exit, execution } = await at.laptop.apply(judged(), { plan: { maxAge: milliseconds(0) } });
    expect(exit).toBe(0);
    expect(execution?.runs[0]?.verdict.verdict).toBe('pass');
  });
});

describe('a run that somebody else stopped', () => {
  async function stoppedAfter(ms: number, options: Partial<MemoryOptions> = {}, fields: TestFields = {}) {
    const at = stage(options);
    at.clock.at(START_TIME + ms, () => {
      for (const { runs } of at.service.tests) {
        for (const run of runs) run.endsAt = Math.min(run.endsAt, START_TIME + ms);
      }
    });
    return await at.laptop.apply(judged({ duration: '10s', ...fields }));
  }

  test('is inconclusive where the service does not say so', async () => {
    const { exit, execution } = await stoppedAfter(2_100);
    expect(exit).toBe(11);
    expect(execution?.runs[0]?.verdict.reason).toMatch(/^the run ended after [23]\.\d s of 10$/);
  });

  test.each([
    [9_800, {}, {}],
    [55_000, {}, { duration: '1m' }],
    // A service whose clients all have ended before the time is over.
    [48_500, {}, { duration: '1m', type: 'non-cycling', total: 5 }],
    [
      2_100,
      { metrics: { success: 300, error: 0, timeout_error: 0, network_error: 0, abort_reason: null } },
      {},
    ],
  ] as const)('is judged when it ended %i ms after the morning (%o, %o)', async (ms, options, fields) => {
    expect((await stoppedAfter(ms, options, fields)).exit).toBe(0);
  });

  test('by its errors has failed', async () => {
    const metrics = { success: 10, error: 90, timeout_error: 0, network_error: 0 };
    const { exit, execution } = await stoppedAfter(
      2_100,
      { metrics },
      { thresholds: {}, errorThreshold: 50 },
    );
    expect(exit).toBe(10);
    expect(execution?.runs[0]?.verdict.verdict).toBe('fail');
  });

  test('is not seen by who did not start it, and judged as before', async () => {
    const at = stage();
    await at.laptop.apply(judged({ duration: '10m' }), { execute: { wait: false } });
    const { exit } = await at.laptop.apply(judged({ duration: '10m' }));
    expect(exit).toBe(0);
  });
});

describe('a stop', () => {
  test('is not sent to a run that ended by itself as the signal came', async () => {
    for (const ms of [60_150, 60_500, 61_000, 62_000]) {
      const at = stage({ notReadyFor: 3_000 });
      const { execution } = await at.laptop.apply(judged(), { interrupted: interruptAt(at, ms) });
      expect(execution?.runs[0]).toMatchObject({ end: 'ended', judgement: { verdict: 'pass' } });
    }
  });

  test('of a run that the service ends while it is sent is no stop', async () => {
    const at = stage({ reportsAbort: true, latency: 100 });
    const { execution } = await at.laptop.apply(judged(), { interrupted: interruptAt(at, 60_150) });
    expect(execution?.runs[0]).toMatchObject({ end: 'ended', judgement: { verdict: 'pass' } });
  });

  test('meets no run that somebody else started in the meantime', async () => {
    const at = stage();
    await at.laptop.apply(judged(), { execute: { wait: false } });
    const [home] = at.service.tests;
    if (home === undefined) throw new Error('nothing was created');
    const [ours] = home.runs;
    if (ours === undefined) throw new Error('nothing runs');
    ours.endsAt = at.clock.now();
    at.service.configure({ notReadyFor: 3_600_000 });
    await at.clock.sleep(1_000);
    await at.service.port.runTest(home.id, 'somebody');
    const { resultId } = await import('../../../src/core/model/ids.ts');
    const { sent } = await stopTest({ id: home.id, resultId: resultId(ours.id) }, at.laptop.context, 10_000);
    expect(sent).toBe(false);
    expect(at.service.running()).toHaveLength(1);
  });

  test('is repeated only while its run is the current one, and after a pause', async () => {
    const at = stage({ runFor: 600_000 });
    await at.laptop.apply(judged(), { execute: { wait: false } });
    const [home] = at.service.tests;
    if (home === undefined) throw new Error('nothing was created');
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

  test('that a service answers with 500 is tried for five seconds, and the run is told to go on', async () => {
    const at = stage({
      faults: ({ operation }) => (operation === 'stopTest' ? { kind: 'broken', executed: false } : null),
    });
    const declared = judged({ duration: '10m' });
    const { execution } = await at.laptop.apply(declared, { interrupted: interruptAt(at, 30_000) });
    const stops = at.service.calls.filter(({ operation }) => operation === 'stopTest');
    expect(stops.length).toBeGreaterThan(2);
    const [first, last] = [stops[0]?.at ?? 0, stops.at(-1)?.at ?? 0];
    expect(last - first).toBeLessThanOrEqual(5_000);
    expect(execution?.runs[0]).toMatchObject({ end: 'in_progress', startedByUs: true });
  });

  test('that is answered with 500 for a while stops the run all the same', async () => {
    const at = stage({
      faults: ({ operation, at: when }) =>
        operation === 'stopTest' && when < START_TIME + 33_000 ? { kind: 'broken', executed: false } : null,
    });
    const declared = judged({ duration: '10m' });
    await at.laptop.apply(declared, { interrupted: interruptAt(at, 30_000) });
    expect(at.service.running()).toHaveLength(0);
  });
});

describe('time', () => {
  const shop = declareState().app('shop').test('home', { duration: '1m' });
  const lost = {
    faults: ({ operation, nth }: { operation: string; nth: number }) =>
      operation === 'createTest' && nth === 1 ? ({ kind: 'late', after: 60_000 } as const) : null,
  } as const;

  test.each([7_200_000, -7_200_000])('a wall clock that leaps by %i ms shortens no wait', async (leap) => {
    const at = stage(lost);
    at.clock.at(START_TIME + 5_000, () => {
      at.clock.leap(leap);
    });
    expect((await at.laptop.apply(shop)).exit).toBe(0);
    expect(at.service.count('createTest')).toBe(1);
    expect(at.service.tests).toHaveLength(1);
  });

  test('a wall clock that leaps between two commands neither', async () => {
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

  test('a line of an earlier version, without the machine’s time, goes by the wall clock', async () => {
    const at = stage();
    const { journal } = at.laptop.context;
    const line = { s: 's', w: 'w', r: 0, nonce: 'n', id: null, phase: 'sent', address: 'test.home' } as const;
    journal.write({ op: 'create', ...journal.identity, ...line, at: at.clock.now() - 3_600_000 });
    await at.laptop.apply(shop, { execute: { wait: false } });
    expect(at.clock.now() - START_TIME).toBeLessThan(5_000);
  });

  test('what the service may do late counts from the last try', async () => {
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
    'an age goes by the clock of the service, %i ms ahead',
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

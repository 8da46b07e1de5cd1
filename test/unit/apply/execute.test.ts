import { describe, expect, test } from 'vitest';
import { faultOnCall, createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine, type MachineApplyResult } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { milliseconds } from '../../../src/core/units.ts';

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example', 'search.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

type Stage = ReturnType<typeof stage>;

function outcomes({ execution }: MachineApplyResult): Record<string, string> {
  return Object.fromEntries(
    (execution?.actions ?? []).map(({ action, outcome }) => [`${action.verb} ${action.address}`, outcome]),
  );
}

/** Returns the start and end of each run, in seconds since the start of the simulation. */
function spans({ service }: Stage): Record<string, [number, number]> {
  return Object.fromEntries(
    service.tests.flatMap(({ spec, runs }) =>
      runs.map((run) => {
        const [from, to] = [run.startedAt - START_TIME, run.endsAt - START_TIME].map((ms) =>
          Math.round(ms / 1000),
        );
        return [spec.name ?? '', [from ?? 0, to ?? 0]] as const;
      }),
    ),
  );
}

const shop = declareState().app('shop').app('search');

describe('run order', () => {
  test('tests on one host run sequentially, and tests on different hosts run concurrently', async () => {
    const at = stage();
    const declared = shop
      .test('home', { name: 'home', duration: '1m' })
      .test('cart', { name: 'cart', duration: '30s' })
      .test('find', { name: 'find', duration: '1m', urls: ['https://search.example/'] });
    const { exit } = await at.laptop.apply(declared);
    expect(exit).toBe(0);
    const { home, cart, find } = spans(at);
    expect(cart?.[0]).toBeGreaterThanOrEqual(home?.[1] ?? Infinity);
    expect(find?.[0]).toBeLessThan(home?.[1] ?? 0);
  });

  test('tests on one host run concurrently if they set "parallel"', async () => {
    const at = stage();
    await at.laptop.apply(
      shop.test('home', { name: 'home', parallel: true }).test('cart', { name: 'cart', parallel: true }),
    );
    const { home, cart } = spans(at);
    expect(cart?.[0]).toBeLessThan(home?.[1] ?? 0);
  });

  test('a test starts only after a test that it needs has ended on another host', async () => {
    const at = stage();
    await at.laptop.apply(
      shop
        .test('find', { name: 'find', needs: ['home'], urls: ['https://search.example/'] })
        .test('home', { name: 'home' }),
    );
    const { home, find } = spans(at);
    expect(find?.[0]).toBeGreaterThanOrEqual(home?.[1] ?? Infinity);
  });

  test('each additional parallel create request causes exactly one additional read of the list of tests', async () => {
    const lists = async (...keys: string[]) => {
      const at = stage();
      const declared = keys.reduce((state, key) => state.test(key, { parallel: true }), shop);
      await at.laptop.apply(declared);
      expect(at.service.count('createTest')).toBe(keys.length);
      return at.service.count('listTests');
    };
    const one = await lists('a');
    // The list that is read after one create serves the next one.
    expect(await lists('a', 'b', 'c')).toBe(one + 2);
    const at = stage();
    await at.laptop.apply(shop.test('home').test('cart'));
    expect(at.service.count('listTests')).toBeGreaterThan(one);
  });

  test('a test starts only after a test that is already running on its host has ended', async () => {
    const at = stage();
    const before = shop.test('home', { name: 'home', duration: '10m' });
    await at.laptop.apply(before, { execute: { wait: false } });
    await at.laptop.apply(before.test('cart', { name: 'cart' }));
    const { home, cart } = spans(at);
    expect(cart?.[0]).toBeGreaterThanOrEqual(home?.[1] ?? Infinity);
  });

  test('a test waits for a test that it needs and that is already running on another host', async () => {
    const at = stage();
    const before = shop.test('home', { name: 'home', duration: '10m' });
    await at.laptop.apply(before, { execute: { wait: false } });
    const find = { name: 'find', needs: ['home'], urls: ['https://search.example/'] };
    await at.laptop.apply(before.test('find', find));
    const runs = spans(at);
    expect(runs['find']?.[0]).toBeGreaterThanOrEqual(runs['home']?.[1] ?? Infinity);
  });

  test('a test does not start while it is unknown whether a run on its host has ended', async () => {
    const at = stage({ runFor: 86_400_000 });
    const applied = await at.laptop.apply(shop.test('home').test('cart'));
    expect(applied.exit).toBe(9);
    expect(outcomes(applied)).toEqual({ 'create test.home': 'done', 'create test.cart': 'not_attempted' });
  });

  test('after a create request with an unknown outcome, apply starts no further test on the same host', async () => {
    const at = stage({ faults: faultOnCall('createTest', 1, { kind: 'lost' }) });
    const declared = shop
      .test('home')
      .test('cart')
      .test('find', { urls: ['https://search.example/'] });
    const applied = await at.laptop.apply(declared);
    expect(applied.exit).toBe(8);
    expect(outcomes(applied)).toEqual({
      'create test.home': 'unknown',
      'create test.cart': 'not_attempted',
      'create test.find': 'done',
    });
  });

  test('a scheduled test is created while another test on its host is running', async () => {
    const at = stage();
    const declared = shop
      .test('home', { name: 'home', duration: '10m' })
      .test('night', { name: 'night', scheduledAt: START_TIME + 300_000 });
    const applied = await at.laptop.apply(declared);
    expect(applied.exit).toBe(0);
    expect(at.service.tests.find(({ spec }) => spec.name === 'night')?.createdAt).toBeLessThan(
      START_TIME + 60_000,
    );
  });

  test('if the service rejects the API key while apply follows three concurrent runs, apply exits with 4 and reports the runs as inconclusive', async () => {
    const at = stage({
      faults: ({ operation, at: when }) =>
        operation === 'getTest' && when > START_TIME + 10_000 ? { kind: 'refused', status: 401 } : null,
    });
    const parallel = { parallel: true, thresholds: { error_rate: '< 1%' } };
    const applied = await at.laptop.apply(
      shop.test('home', parallel).test('cart', parallel).test('search', parallel),
    );
    expect(applied.exit).toBe(4);
    expect(applied.execution?.runs.map(({ verdict }) => verdict.verdict)).toEqual([
      'inconclusive',
      'inconclusive',
      'inconclusive',
    ]);
  });
});

describe('failed actions', () => {
  test('if a create request fails, apply starts the remaining tests, except tests that need the failed test directly or indirectly', async () => {
    const at = stage({ faults: faultOnCall('createTest', 1, { kind: 'refused', status: 422 }) });
    const applied = await at.laptop.apply(
      shop
        .test('home')
        .test('cart', { needs: ['home'] })
        .test('search', { needs: ['cart'] })
        .test('terms'),
    );
    expect(applied.exit).toBe(7);
    expect(outcomes(applied)).toEqual({
      'create test.home': 'failed',
      'create test.cart': 'not_attempted',
      'create test.search': 'not_attempted',
      'create test.terms': 'done',
    });
  });

  test('a test that needs a blocked test is not created, and apply exits with 12', async () => {
    const at = stage();
    const applied = await at.laptop.apply(
      shop.test('night', { scheduledAt: START_TIME - 1000 }).test('cart', { needs: ['night'] }),
    );
    expect(applied.exit).toBe(12);
    expect(outcomes(applied)['create test.cart']).toBe('not_attempted');
  });

  test('if the verification of an app fails, the test on its host is not created, and the test on another host is created', async () => {
    const at = stage({ verified: ['search.example'], verifyFails: 1000 });
    const applied = await at.laptop.apply(
      shop.test('home').test('find', { urls: ['https://search.example/'] }),
    );
    expect(applied.exit).toBe(12);
    expect(outcomes(applied)).toEqual({
      'register app.shop': 'done',
      'verify app.shop': 'failed',
      'create test.home': 'not_attempted',
      'create test.find': 'done',
    });
  });

  test('after the service rejects the API key of a create request, apply sends no further create request and exits with 4', async () => {
    const at = stage({ faults: faultOnCall('createTest', 1, { kind: 'refused', status: 401 }) });
    const applied = await at.laptop.apply(shop.test('home').test('cart', { parallel: true }).test('terms'));
    expect(applied.exit).toBe(4);
    expect(at.service.count('createTest')).toBe(1);
    expect(at.service.tests).toHaveLength(0);
  });

  test('if the service rejects the API key for the first of two parallel tests, apply sends no create request for the second test', async () => {
    const at = stage({ faults: faultOnCall('createTest', 1, { kind: 'refused', status: 401 }) });
    await at.laptop.apply(shop.test('home', { parallel: true }).test('cart', { parallel: true }));
    expect(at.service.count('createTest')).toBe(1);
  });

  test('apply follows and evaluates a created test even if the first read of the test receives no response', async () => {
    const at = stage({ faults: faultOnCall('getTest', 1, { kind: 'lost' }) });
    const applied = await at.laptop.apply(shop.test('home', { thresholds: { error_rate: '< 1%' } }));
    expect(applied.exit).toBe(0);
    expect(outcomes(applied)).toEqual({ 'create test.home': 'done' });
    expect(applied.execution?.runs[0]?.verdict.verdict).toBe('pass');
  });
});

describe('app registration and verification', () => {
  const unverified = declareState().app('shop').test('home');

  test('apply first registers an app, then verifies the app, and then creates its test', async () => {
    const at = stage({ verified: [], verifyFails: 1 });
    await at.laptop.apply(unverified);
    const writes = ['registerApp', 'verifyApp', 'createTest'];
    expect(
      at.service.calls.map(({ operation }) => operation).filter((operation) => writes.includes(operation)),
    ).toEqual(['registerApp', 'verifyApp', 'verifyApp', 'createTest']);
  });

  test('apply does not ask the user to publish the token of an app if the first verification succeeds', async () => {
    const at = stage({ verified: [] });
    const applied = await at.laptop.apply(unverified);
    expect(applied.exit).toBe(0);
    expect(outcomes(applied)).toEqual({
      'register app.shop': 'done',
      'verify app.shop': 'done',
      'create test.home': 'done',
    });
    // The first verification succeeded, so no publication is necessary.
    expect(applied.events.filter(({ kind }) => kind === 'publish')).toEqual([]);
  });

  test('apply asks the user exactly once to publish the token, even if three verification attempts fail', async () => {
    const at = stage({ verified: [], verifyFails: 3 });
    const applied = await at.laptop.apply(unverified);
    expect(applied.exit).toBe(0);
    expect(applied.events.filter(({ kind }) => kind === 'publish')).toHaveLength(1);
  });

  test('a failing verification is attempted after 0, 1, 2, 5, 10 and 20 s, and then every 20 s until the maximum wait of 120 s is over', async () => {
    const at = stage({ verified: [], verifyFails: 1000, latency: 0 });
    await at.laptop.apply(unverified);
    const [first, ...retries] = at.service.calls.filter(({ operation }) => operation === 'verifyApp');
    const seconds = retries.map((call) => Math.round((call.at - (first?.at ?? 0)) / 1000));
    expect(seconds).toEqual([1, 2, 5, 10, 20, 40, 60, 80, 100, 120]);
  });

  test('a verification request is repeated if it receives no response', async () => {
    const at = stage({ verified: [], faults: faultOnCall('verifyApp', 1, { kind: 'lost' }) });
    const applied = await at.laptop.apply(unverified);
    expect(applied.exit).toBe(0);
    expect(at.service.count('verifyApp')).toBe(2);
  });

  test.each([
    ['the response to its registration is lost', 'answer_lost', 1],
    ['the first request to register it is lost', 'lost', 2],
    ['the first request to register it is not sent', 'not_sent', 2],
  ] as const)('an app is registered exactly once even if %s', async (_name, kind, sent) => {
    const at = stage({ verified: [], faults: faultOnCall('registerApp', 1, { kind }) });
    const applied = await at.laptop.apply(unverified);
    expect(applied.exit).toBe(0);
    expect(at.service.apps).toHaveLength(1);
    expect(at.service.count('registerApp')).toBe(sent);
  });

  test('apply uses an app that another client has registered, even if the service refuses a second registration', async () => {
    const at = stage({ verified: [], registerAgain: 'refused' });
    const plan = at.laptop.plan(unverified);
    await plan;
    at.service.configure({
      faults: ({ operation, nth }) => {
        // Happens between the plan and the first write.
        if (operation === 'registerApp' && nth === 1) void at.service.port.registerApp('shop.example');
        return null;
      },
    });
    const applied = await at.laptop.apply(unverified);
    expect(applied.exit).toBe(0);
    expect(at.service.apps).toHaveLength(1);
  });
});

describe('services that do not store notes', () => {
  const two = declareState().app('shop').test('home', { duration: '1m' }).test('cart');

  test.each([
    ['drops', 'dropped' as const],
    ['truncates', 40],
  ])(
    'if the service %s notes, apply creates the first of two tests, and the second one only after the file contains the ID of the first',
    async (_name, notes) => {
      const at = stage({ spelling: { notes } });
      const applied = await at.laptop.apply(two);
      expect(applied.exit).toBe(7);
      expect(outcomes(applied)).toEqual({ 'create test.home': 'done', 'create test.cart': 'failed' });
      expect(applied.execution?.idsToPin).toEqual([{ key: 'home', id: at.service.tests[0]?.id }]);

      const again = await at.laptop.apply(two);
      expect(again.plan.summary).toMatchObject({ unchanged: 1, blocked: 1, create: 0 });
      expect(again.exit).toBe(12);
      expect(at.service.tests).toHaveLength(1);

      const pinned = two.test('home', { duration: '1m', id: at.service.tests[0]?.id ?? '' });
      const third = await at.laptop.apply(pinned);
      expect(third.plan.summary).toMatchObject({ unchanged: 1, create: 1 });
      expect(at.service.tests).toHaveLength(2);
    },
  );

  test('if a service truncates long notes, apply creates no further test after the first test with long notes', async () => {
    const at = stage({ spelling: { notes: 200 } });
    const long = declareState()
      .app('shop')
      .test('home')
      .test('cart', { notes: 'Before the sale. '.repeat(20) })
      .test('terms');
    const applied = await at.laptop.apply(long);
    expect(outcomes(applied)).toEqual({
      'create test.home': 'done',
      'create test.cart': 'done',
      'create test.terms': 'failed',
    });
    expect(applied.execution?.idsToPin.map(({ key }) => key)).toEqual(['cart']);
  });
});

describe('stops before replacement', () => {
  const night = (total: number) =>
    declareState()
      .app('shop')
      .test('night', { total, scheduledAt: START_TIME + 86_400_000 });

  test('the scheduled earlier version of a test is stopped before its replacement is created', async () => {
    const at = stage();
    await at.laptop.apply(night(10));
    const applied = await at.laptop.apply(night(20));
    expect(applied.exit).toBe(0);
    expect(outcomes(applied)).toEqual({ 'replace test.night': 'done', 'stop test.night': 'done' });
    expect(at.service.tests.map(({ disarmed }) => disarmed)).toEqual([true, false]);
    const [stop] = at.service.calls.filter(({ operation }) => operation === 'stopTest');
    expect(stop?.at).toBeLessThan(at.service.tests[1]?.createdAt ?? 0);
  });

  test('a test is not replaced if its scheduled earlier version cannot be stopped, and the error contains the start time', async () => {
    const at = stage();
    await at.laptop.apply(night(10));
    at.service.configure({ ignoresStop: true });
    const applied = await at.laptop.apply(night(20));
    expect(applied.exit).toBe(12);
    expect(outcomes(applied)).toEqual({ 'replace test.night': 'not_attempted', 'stop test.night': 'failed' });
    expect(applied.execution?.problems[0]?.message).toContain(
      'scheduled to start at 2026-03-03 09:00:00 UTC',
    );
  });

  test('a moved test is not replaced if the earlier version under its old key cannot be stopped', async () => {
    const at = stage();
    await at.laptop.apply(night(10));
    at.service.configure({ ignoresStop: true });
    const moved = declareState()
      .app('shop')
      .test('nightly', { total: 20, scheduledAt: START_TIME + 86_400_000 })
      .moved('nightly', 'night');
    const applied = await at.laptop.apply(moved);
    expect(outcomes(applied)).toEqual({
      'replace test.nightly': 'not_attempted',
      'stop test.nightly': 'failed',
    });
    expect(at.service.tests).toHaveLength(1);
  });

  test('if the earlier version of a test no longer exists when apply stops it, the stop counts as done', async () => {
    const at = stage();
    await at.laptop.apply(night(10));
    at.service.configure({
      faults: ({ operation, id }) => {
        if (operation === 'stopTest' && id !== null) at.service.remove(id);
        return null;
      },
    });
    const applied = await at.laptop.apply(night(20));
    expect(applied.exit).toBe(0);
    expect(outcomes(applied)).toEqual({ 'replace test.night': 'done', 'stop test.night': 'done' });
  });

  test('a running test that is no longer declared is stopped', async () => {
    const at = stage();
    await at.laptop.apply(shop.test('home', { duration: '1h' }), { execute: { wait: false } });
    const applied = await at.laptop.apply(shop);
    expect(outcomes(applied)).toEqual({ 'stop test.home': 'done' });
    expect(at.service.running()).toHaveLength(0);
  });

  test('a running test of another project is not stopped', async () => {
    const at = stage();
    await at.laptop.apply(shop.project('other').test('home', { duration: '1h' }), {
      execute: { wait: false },
    });
    const applied = await at.laptop.apply(shop.test('home', { parallel: true }));
    expect(outcomes(applied)).toEqual({ 'create test.home': 'done' });
    expect(at.service.count('stopTest')).toBe(0);
  });
});

describe('signals', () => {
  function interruptAt(at: Stage, seconds: number): AbortSignal {
    const signal = new AbortController();
    at.clock.at(START_TIME + seconds * 1000, () => signal.abort());
    return signal.signal;
  }

  const two = shop.test('home', { duration: '10m' }).test('cart');

  test('a signal stops the run that apply started and prevents further create requests', async () => {
    const at = stage();
    const applied = await at.laptop.apply(two, { interrupted: interruptAt(at, 60) });
    expect(outcomes(applied)).toEqual({ 'create test.home': 'done', 'create test.cart': 'not_attempted' });
    expect(at.service.running()).toHaveLength(0);
    expect(at.service.tests).toHaveLength(1);
    expect(applied.execution?.runs[0]?.status).toBe('complete');
    expect(at.clock.now() - START_TIME).toBeLessThan(80_000);
  });

  test('with onInterrupt "detach", a signal does not stop the run, and apply reports that the run is still running', async () => {
    const at = stage();
    const applied = await at.laptop.apply(two, {
      interrupted: interruptAt(at, 60),
      execute: { onInterrupt: 'detach' },
    });
    expect(at.service.running()).toHaveLength(1);
    expect(at.service.count('stopTest')).toBe(0);
    const id = at.service.tests[0]?.id ?? '';
    expect(applied.execution?.runs[0]).toMatchObject({
      status: 'running',
      startedByUs: true,
      verdict: { reason: `the test is still running (${id})` },
    });
    expect(applied.events.map(({ kind }) => kind)).not.toContain('ended');
  });

  test('a run that a signal stopped is inconclusive, even if the service does not report the stop', async () => {
    const at = stage();
    const evaluated = shop.test('home', { duration: '10m', thresholds: { error_rate: '< 1%' } });
    const applied = await at.laptop.apply(evaluated, { interrupted: interruptAt(at, 60) });
    expect(applied.execution?.runs[0]).toMatchObject({
      end: 'stopped',
      verdict: { verdict: 'inconclusive', reason: 'the run ended early (stopped)' },
    });
  });

  test('a signal does not stop a run that another client started', async () => {
    const at = stage();
    const evaluated = shop.test('home', { duration: '10m', thresholds: { error_rate: '< 1%' } });
    await at.laptop.apply(evaluated, { execute: { wait: false } });
    await at.laptop.apply(evaluated, { interrupted: interruptAt(at, 60) });
    expect(at.service.running()).toHaveLength(1);
  });

  test('a signal before the first create request prevents all create requests', async () => {
    const at = stage({ latency: 1000 });
    const applied = await at.laptop.apply(two, { interrupted: interruptAt(at, 1.5) });
    expect(outcomes(applied)).toEqual({
      'create test.home': 'not_attempted',
      'create test.cart': 'not_attempted',
    });
    expect(at.service.count('createTest')).toBe(0);
    expect(applied.execution?.problems).toEqual([]);
  });

  test('if a signal arrives while the outcome of a create request is unknown, apply finds the created test and stops its run', async () => {
    const at = stage({ faults: faultOnCall('createTest', 1, { kind: 'late', after: 20_000 }) });
    const applied = await at.laptop.apply(two, { interrupted: interruptAt(at, 5) });
    expect(outcomes(applied)['create test.home']).toBe('done');
    expect(at.service.running()).toHaveLength(0);
  });

  test('a stopped run is not evaluated with the result of an earlier run', async () => {
    const at = stage({ runFor: 60_000 });
    const evaluated = shop.test('home', { thresholds: { error_rate: '< 1%' } });
    await at.laptop.apply(evaluated);
    at.service.configure({ runFor: 600_000, notReadyFor: 3_600_000 });
    const applied = await at.laptop.apply(evaluated, {
      plan: { maxAge: milliseconds(0) },
      interrupted: interruptAt(at, 120),
    });
    expect(applied.execution?.runs[0]?.verdict.verdict).toBe('inconclusive');
  });
});

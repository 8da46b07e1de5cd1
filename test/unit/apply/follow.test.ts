import { describe, expect, test } from 'vitest';
import { createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine, type MachineApplyOptions } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { milliseconds } from '../../../src/core/units.ts';

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

function declare(fields: TestFields = {}) {
  return declareState()
    .app('shop')
    .test('home', { duration: '1m', thresholds: { error_rate: '< 1%' }, ...fields });
}

const SLOW = { success: 90, error: 10, timeout_error: 0, network_error: 0 };

async function applyOnce(
  options: Partial<MemoryOptions>,
  applyOptions: MachineApplyOptions = {},
  fields: TestFields = {},
) {
  const at = stage(options);
  const applied = await at.laptop.apply(declare(fields), applyOptions);
  const run = applied.execution?.runs[0];
  const codes = applied.execution?.problems.map(({ code, severity }) => `${severity} ${code}`);
  return { ...at, exit: applied.exit, run, codes };
}

describe('followed runs', () => {
  test('apply exits with 0 after a run that meets the thresholds, and with 10 after a run that violates them', async () => {
    expect(await applyOnce({})).toMatchObject({ exit: 0, run: { verdict: { verdict: 'pass' } } });
    expect(await applyOnce({ metrics: SLOW })).toMatchObject({
      exit: 10,
      run: { verdict: { verdict: 'fail' } },
    });
  });

  test('apply waits until a late result is ready, and exits with 0', async () => {
    const { exit, clock } = await applyOnce({ notReadyFor: 40_000 });
    expect(exit).toBe(0);
    expect(clock.now() - START_TIME).toBeGreaterThan(100_000);
  });

  test('if the result of a run never becomes ready, apply exits with 9 and reports the run as inconclusive', async () => {
    const { exit, run, codes } = await applyOnce({ notReadyFor: 86_400_000 });
    expect(exit).toBe(9);
    expect(run?.verdict.verdict).toBe('inconclusive');
    expect(codes).toContain('error LT_RUN_TIMEOUT');
  });

  test('if a run does not end, apply waits for the duration plus the request timeout plus one minute', async () => {
    const { clock } = await applyOnce({ runFor: 86_400_000 }, {}, { timeout: '20s' });
    const waited = (clock.now() - START_TIME) / 1000;
    expect(waited).toBeGreaterThan(140);
    expect(waited).toBeLessThan(150);
  });

  test('if a run with setup and teardown does not end, apply also waits for the maximum time of these phases', async () => {
    const phase = { targets: declare().state.tests[0]?.spec.targets ?? [] };
    const { clock } = await applyOnce(
      { runFor: 86_400_000 },
      {},
      { timeout: '20s', setup: phase, teardown: phase },
    );
    const waited = (clock.now() - START_TIME) / 1000;
    expect(waited).toBeGreaterThan(180);
    expect(waited).toBeLessThan(190);
  });

  test('with --timeout 20s, apply waits less than 30 seconds for a run of one minute, and exits with 9', async () => {
    const { clock, exit } = await applyOnce({}, { execute: { timeout: milliseconds(20_000) } });
    expect(exit).toBe(9);
    expect(clock.now() - START_TIME).toBeLessThan(30_000);
  });

  test('apply reports that a run is still running if the wait times out', async () => {
    const at = stage();
    const { execution, events } = await at.laptop.apply(declare(), {
      execute: { timeout: milliseconds(20_000) },
    });
    const id = at.service.tests[0]?.id ?? '';
    expect(execution?.problems).toMatchObject([
      { code: 'LT_RUN_TIMEOUT', message: `"home" did not end in time; it is still running (${id})` },
    ]);
    expect(execution?.runs[0]).toMatchObject({
      status: 'running',
      verdict: { verdict: 'inconclusive', reason: `the test is still running (${id})` },
    });
    expect(events.filter(({ kind }) => kind === 'ended')).toEqual([]);
    expect(events).toContainEqual({
      kind: 'left',
      address: 'test.home',
      testId: id,
      text: `is still running (${id})`,
    });
  });

  test('if a run has ended but its result never becomes ready, apply reports that the result was not available in time', async () => {
    const { execution } = await stage({ notReadyFor: 86_400_000 }).laptop.apply(declare());
    expect(execution?.problems[0]?.message).toMatch(
      /^the result of "home" \(\w+\) was not available in time$/,
    );
  });

  test('a run with the unknown statuses "queued", "warming up" and "done" is inconclusive, and causes no timeout error', async () => {
    const statusWords = { pending: 'queued', running: 'warming up', complete: 'done' };
    const { exit, run, codes } = await applyOnce({ statusWords });
    expect(exit).toBe(11);
    expect(run).toMatchObject({ status: 'done', verdict: { verdict: 'inconclusive' } });
    expect(codes).not.toContain('error LT_RUN_TIMEOUT');
  });

  test('if a test ends with an unknown status, apply exits with 11, even without thresholds', async () => {
    const statusWords = { pending: 'pending', running: 'running', complete: 'finished' };
    expect((await applyOnce({ statusWords }, {}, { thresholds: {} })).exit).toBe(11);
  });

  test('apply compares the status of a test without regard to case', async () => {
    const statusWords = { pending: 'PENDING', running: 'Running', complete: 'Complete' };
    expect((await applyOnce({ statusWords })).exit).toBe(0);
  });

  test('if a test is deleted during its run, apply exits with 11, even without thresholds', async () => {
    const at = stage();
    at.clock.at(START_TIME + 20_000, () => at.service.remove(at.service.tests[0]?.id ?? ''));
    const { exit, execution } = await at.laptop.apply(declare({ thresholds: {} }));
    expect(exit).toBe(11);
    expect(execution?.problems[0]?.message).toContain('no longer exists on the service');
  });

  test('a service without results causes a warning, or the exit code 11 if a verdict is required', async () => {
    const { exit, run, codes } = await applyOnce({ results: 'missing' });
    expect(exit).toBe(0);
    expect(run?.verdict.verdict).toBe('none');
    expect(codes).toEqual(['warning LT_PLAN_NO_RESULTS']);
    const required = await applyOnce({ results: 'missing' }, { execute: { requireVerdict: true } });
    expect(required.exit).toBe(11);
  });

  test('apply follows a run through a temporary outage of the service', async () => {
    const { exit } = await applyOnce({
      faults: ({ at, operation }) =>
        operation === 'getTest' && at > START_TIME + 5_000 && at < START_TIME + 60_000
          ? { kind: 'lost' }
          : null,
    });
    expect(exit).toBe(0);
  });

  test('apply exits with 9 and reports the run as inconclusive if the service stays unreachable', async () => {
    const { exit, run } = await applyOnce({
      faults: ({ at, operation }) =>
        operation === 'getTest' && at > START_TIME + 5_000 ? { kind: 'lost' } : null,
    });
    expect(exit).toBe(9);
    expect(run?.verdict.verdict).toBe('inconclusive');
    expect(run?.verdict.reason).toContain('no response');
  });

  test('if apply does not wait for a run, the run is reported as not evaluated, and apply exits with 0', async () => {
    const { exit, run, clock } = await applyOnce({}, { execute: { wait: false } });
    expect(exit).toBe(0);
    expect(run).toMatchObject({ verdict: { verdict: 'none', reason: 'not evaluated' } });
    expect(clock.now() - START_TIME).toBeLessThan(5_000);
  });
});

describe('unchanged tests', () => {
  test('a second apply reports the failure of an unchanged test again, and sends no create or start request', async () => {
    const at = stage({ metrics: SLOW });
    expect((await at.laptop.apply(declare())).exit).toBe(10);
    const again = await at.laptop.apply(declare());
    expect(again.exit).toBe(10);
    expect(again.execution?.runs[0]).toMatchObject({ startedByUs: false, verdict: { verdict: 'fail' } });
    expect(at.service.count('createTest') + at.service.count('runTest')).toBe(1);
  });

  test('apply waits for an unchanged test that is running, and evaluates it', async () => {
    const at = stage({ metrics: SLOW });
    await at.laptop.apply(declare(), { execute: { wait: false } });
    const { exit, execution } = await at.laptop.apply(declare());
    expect(exit).toBe(10);
    expect(execution?.runs[0]).toMatchObject({ status: 'complete', startedByUs: false });
    expect(at.clock.now() - START_TIME).toBeGreaterThan(60_000);
  });

  test('apply evaluates the current run of an unchanged running test, not the earlier run', async () => {
    const at = stage();
    await at.laptop.apply(declare());
    at.service.configure({ metrics: SLOW });
    await at.laptop.apply(declare(), { plan: { maxAge: milliseconds(0) }, execute: { wait: false } });
    at.service.configure({ notReadyFor: 5_000 });
    expect((await at.laptop.apply(declare())).exit).toBe(10);
  });

  test.each([
    ['its run was stopped', { reportsAbort: true }],
    ['it has no result yet', { notReadyFor: 86_400_000 }],
  ])('an unchanged test is inconclusive if %s, and the hint suggests --run', async (_name, options) => {
    const at = stage(options);
    await at.laptop.apply(declare(), { execute: { wait: false } });
    const [home] = at.service.tests;
    if (home !== undefined) await at.service.port.stopTest(home.id);
    const { exit, execution } = await at.laptop.apply(declare());
    expect(exit).toBe(11);
    expect(execution?.problems[0]).toMatchObject({
      code: 'LT_RUN_INCONCLUSIVE',
      hint: 'to run the test again, pass --run',
    });
  });

  test('for an unchanged test that is scheduled, apply reports no run and exits with 0', async () => {
    const at = stage();
    const night = declare({ scheduledAt: START_TIME + 86_400_000 });
    await at.laptop.apply(night);
    const { exit, execution } = await at.laptop.apply(night);
    expect(exit).toBe(0);
    expect(execution?.runs).toEqual([]);
  });

  test('for an unchanged running test without thresholds, apply reports no run and exits with 0', async () => {
    const at = stage();
    const plain = declare({ thresholds: {}, duration: '1h' });
    await at.laptop.apply(plain, { execute: { wait: false } });
    const { exit, execution } = await at.laptop.apply(plain);
    expect(exit).toBe(0);
    expect(execution?.runs).toEqual([]);
  });

  test('a test is inconclusive if the results of its earlier runs have disappeared from the service', async () => {
    const at = stage();
    expect((await at.laptop.apply(declare())).exit).toBe(0);
    at.service.configure({ results: 'missing' });
    const again = await at.laptop.apply(declare());
    expect(again.exit).toBe(11);
    expect(again.execution?.runs[0]?.verdict.verdict).toBe('inconclusive');
    // Another run has no result either.
    const run = await at.laptop.apply(declare(), { plan: { maxAge: milliseconds(0) } });
    expect(run.exit).toBe(11);
    expect(run.execution?.problems[0]?.message).toContain('no longer exist on the service');
  });

  test('a "not found" response for the results of one unchanged test does not affect the verdict of another test', async () => {
    const at = stage();
    const two = declare().test('cart', { duration: '1m', thresholds: { error_rate: '< 1%' } });
    expect((await at.laptop.apply(two)).exit).toBe(0);
    const reads = at.service.count('listResults');
    at.service.configure({
      faults: ({ operation, nth }) =>
        operation === 'listResults' && nth === reads + 1 ? { kind: 'refused', status: 404 } : null,
    });
    const { exit, execution } = await at.laptop.apply(two);
    expect(exit).toBe(11);
    expect(execution?.runs.map(({ verdict }) => verdict.verdict).sort()).toEqual(['inconclusive', 'pass']);
    expect((await at.laptop.apply(two)).exit).toBe(0);
    expect(at.service.tests).toHaveLength(2);
  });

  test('an unchanged test causes a warning on a service without results', async () => {
    const at = stage({ results: 'missing' });
    await at.laptop.apply(declare());
    const { exit, execution } = await at.laptop.apply(declare());
    expect(exit).toBe(0);
    expect(execution?.problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['LT_PLAN_NO_RESULTS', 'warning'],
    ]);
  });

  test('if a request for the results of an unchanged test receives no response, the test is inconclusive and apply exits with 9', async () => {
    const at = stage();
    await at.laptop.apply(declare(), { execute: { wait: false } });
    const reads = at.service.count('listResults');
    at.service.configure({
      faults: ({ operation, nth }) =>
        operation === 'listResults' && nth === reads + 2 ? { kind: 'lost' } : null,
    });
    const { exit, execution } = await at.laptop.apply(declare());
    expect(exit).toBe(9);
    expect(execution?.runs[0]?.verdict.verdict).toBe('inconclusive');
  });
});

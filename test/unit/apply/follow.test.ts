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

function judged(fields: TestFields = {}) {
  return declareState()
    .app('shop')
    .test('home', { duration: '1m', thresholds: { error_rate: '< 1%' }, ...fields });
}

const SLOW = { success: 90, error: 10, timeout_error: 0, network_error: 0 };

async function applyOnce(
  options: Partial<MemoryOptions>,
  given: MachineApplyOptions = {},
  fields: TestFields = {},
) {
  const at = stage(options);
  const applied = await at.laptop.apply(judged(fields), given);
  const run = applied.execution?.runs[0];
  const codes = applied.execution?.problems.map(({ code, severity }) => `${severity} ${code}`);
  return { ...at, exit: applied.exit, run, codes };
}

describe('following a run', () => {
  test('passes or fails by its result', async () => {
    expect(await applyOnce({})).toMatchObject({ exit: 0, run: { judgement: { verdict: 'pass' } } });
    expect(await applyOnce({ metrics: SLOW })).toMatchObject({
      exit: 10,
      run: { judgement: { verdict: 'fail' } },
    });
  });

  test('waits for a result that is not ready for a while', async () => {
    const { exit, clock } = await applyOnce({ notReadyFor: 40_000 });
    expect(exit).toBe(0);
    expect(clock.now() - START_TIME).toBeGreaterThan(100_000);
  });

  test('gives up on a result that never gets ready', async () => {
    const { exit, run, codes } = await applyOnce({ notReadyFor: 86_400_000 });
    expect(exit).toBe(9);
    expect(run?.verdict.verdict).toBe('inconclusive');
    expect(codes).toContain('error LT_RUN_TIMEOUT');
  });

  test('waits as long as its duration, its timeout and a minute', async () => {
    const { clock } = await applyOnce({ runFor: 86_400_000 }, {}, { timeout: '20s' });
    const waited = (clock.now() - START_TIME) / 1000;
    expect(waited).toBeGreaterThan(140);
    expect(waited).toBeLessThan(150);
  });

  test('waits no longer than it is told', async () => {
    const { clock, exit } = await applyOnce({}, { execute: { timeout: milliseconds(20_000) } });
    expect(exit).toBe(9);
    expect(clock.now() - START_TIME).toBeLessThan(30_000);
  });

  test('says of a run that is not waited for any longer that it goes on', async () => {
    const at = stage();
    const { execution, events } = await at.laptop.apply(judged(), {
      execute: { timeout: milliseconds(20_000) },
    });
    const id = at.service.tests[0]?.id ?? '';
    expect(execution?.problems).toMatchObject([
      { code: 'LT_RUN_TIMEOUT', message: `"home" did not end in time; it is still running, as ${id}` },
    ]);
    expect(execution?.runs[0]).toMatchObject({
      status: 'running',
      judgement: { verdict: 'inconclusive', reason: `it is still running, as ${id}` },
    });
    expect(events.filter(({ kind }) => kind === 'ended')).toEqual([]);
    expect(events).toContainEqual({
      kind: 'left',
      address: 'test.home',
      testId: id,
      text: `is still running, as ${id}`,
    });
  });

  test('does not say of a run whose result is late that it goes on', async () => {
    const { execution } = await stage({ notReadyFor: 86_400_000 }).laptop.apply(judged());
    expect(execution?.problems[0]?.message).toMatch(
      /^the result of "home" \(\w+\) was not available in time$/,
    );
  });

  test('takes no word that it does not know for an end', async () => {
    const statusWords = { pending: 'queued', running: 'warming up', complete: 'done' };
    const { exit, run, codes } = await applyOnce({ statusWords });
    expect(exit).toBe(11);
    expect(run).toMatchObject({ status: 'done', judgement: { verdict: 'inconclusive' } });
    expect(codes).not.toContain('error LT_RUN_TIMEOUT');
  });

  test('an unknown word ends with 11 also without thresholds', async () => {
    const statusWords = { pending: 'pending', running: 'running', complete: 'finished' };
    expect((await applyOnce({ statusWords }, {}, { thresholds: {} })).exit).toBe(11);
  });

  test('reads the words in any case', async () => {
    const statusWords = { pending: 'PENDING', running: 'Running', complete: 'Complete' };
    expect((await applyOnce({ statusWords })).exit).toBe(0);
  });

  test('a test that vanishes gives no verdict', async () => {
    const at = stage();
    at.clock.at(START_TIME + 20_000, () => {
      at.service.remove(at.service.tests[0]?.id ?? '');
    });
    const { exit, execution } = await at.laptop.apply(judged({ thresholds: {} }));
    expect(exit).toBe(11);
    expect(execution?.problems[0]?.message).toContain('no longer exists on the service');
  });

  test('a service without results cannot judge: a warning, unless a verdict is required', async () => {
    const { exit, run, codes } = await applyOnce({ results: 'missing' });
    expect(exit).toBe(0);
    expect(run?.verdict.verdict).toBe('none');
    expect(codes).toEqual(['warning LT_PLAN_NO_RESULTS']);
    const required = await applyOnce({ results: 'missing' }, { execute: { requireVerdict: true } });
    expect(required.exit).toBe(11);
  });

  test('a service that is out of reach for a while is asked again', async () => {
    const { exit } = await applyOnce({
      faults: ({ at, operation }) =>
        operation === 'getTest' && at > START_TIME + 5_000 && at < START_TIME + 60_000
          ? { kind: 'lost' }
          : null,
    });
    expect(exit).toBe(0);
  });

  test('a service that stays out of reach ends with 9, and the run is listed', async () => {
    const { exit, run } = await applyOnce({
      faults: ({ at, operation }) =>
        operation === 'getTest' && at > START_TIME + 5_000 ? { kind: 'lost' } : null,
    });
    expect(exit).toBe(9);
    expect(run?.verdict.verdict).toBe('inconclusive');
    expect(run?.verdict.reason).toContain('no answer');
  });

  test('says "not judged" when it is not waited for', async () => {
    const { exit, run, clock } = await applyOnce({}, { execute: { wait: false } });
    expect(exit).toBe(0);
    expect(run).toMatchObject({ judgement: { verdict: 'none', reason: 'not judged' } });
    expect(clock.now() - START_TIME).toBeLessThan(5_000);
  });
});

describe('a test that is left alone', () => {
  test('is judged on its last run, so that trying again turns no red into green', async () => {
    const at = stage({ metrics: SLOW });
    expect((await at.laptop.apply(judged())).exit).toBe(10);
    const again = await at.laptop.apply(judged());
    expect(again.exit).toBe(10);
    expect(again.execution?.runs[0]).toMatchObject({ startedByUs: false, judgement: { verdict: 'fail' } });
    expect(at.service.count('createTest') + at.service.count('runTest')).toBe(1);
  });

  test('is waited for and judged while it runs', async () => {
    const at = stage({ metrics: SLOW });
    await at.laptop.apply(judged(), { execute: { wait: false } });
    const { exit, execution } = await at.laptop.apply(judged());
    expect(exit).toBe(10);
    expect(execution?.runs[0]).toMatchObject({ status: 'complete', startedByUs: false });
    expect(at.clock.now() - START_TIME).toBeGreaterThan(60_000);
  });

  test('is judged on the run that goes on, not on the one before', async () => {
    const at = stage();
    await at.laptop.apply(judged());
    at.service.configure({ metrics: SLOW });
    await at.laptop.apply(judged(), { plan: { maxAge: milliseconds(0) }, execute: { wait: false } });
    at.service.configure({ notReadyFor: 5_000 });
    expect((await at.laptop.apply(judged())).exit).toBe(10);
  });

  test.each([
    ['its run was stopped', { reportsAbort: true }],
    ['it has no result yet', { notReadyFor: 86_400_000 }],
  ])('has no verdict when %s, with the hint to start it again', async (_name, options) => {
    const at = stage(options);
    await at.laptop.apply(judged(), { execute: { wait: false } });
    const [home] = at.service.tests;
    if (home !== undefined) await at.service.port.stopTest(home.id);
    const { exit, execution } = await at.laptop.apply(judged());
    expect(exit).toBe(11);
    expect(execution?.problems[0]).toMatchObject({
      code: 'LT_RUN_INCONCLUSIVE',
      hint: 'run it again with --run',
    });
  });

  test('has no verdict to give while it is scheduled', async () => {
    const at = stage();
    const night = judged({ scheduledAt: START_TIME + 86_400_000 });
    await at.laptop.apply(night);
    const { exit, execution } = await at.laptop.apply(night);
    expect(exit).toBe(0);
    expect(execution?.runs).toEqual([]);
  });

  test('without thresholds is neither waited for nor judged', async () => {
    const at = stage();
    const plain = judged({ thresholds: {}, duration: '1h' });
    await at.laptop.apply(plain, { execute: { wait: false } });
    const { exit, execution } = await at.laptop.apply(plain);
    expect(exit).toBe(0);
    expect(execution?.runs).toEqual([]);
  });

  test('gives no verdict where the results that an earlier command saw are gone', async () => {
    const at = stage();
    expect((await at.laptop.apply(judged())).exit).toBe(0);
    at.service.configure({ results: 'missing' });
    const again = await at.laptop.apply(judged());
    expect(again.exit).toBe(11);
    expect(again.execution?.runs[0]?.verdict.verdict).toBe('inconclusive');
    // Nor does another run, of which nothing will ever be known.
    const run = await at.laptop.apply(judged(), { plan: { maxAge: milliseconds(0) } });
    expect(run.exit).toBe(11);
    expect(run.execution?.problems[0]?.message).toContain('no longer exist on the service');
  });

  test('has no verdict, and fails no other, where it is said not to be there while its results are read', async () => {
    const at = stage();
    const two = judged().test('cart', { duration: '1m', thresholds: { error_rate: '< 1%' } });
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

  test('on a service without results is a warning', async () => {
    const at = stage({ results: 'missing' });
    await at.laptop.apply(judged());
    const { exit, execution } = await at.laptop.apply(judged());
    expect(exit).toBe(0);
    expect(execution?.problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['LT_PLAN_NO_RESULTS', 'warning'],
    ]);
  });

  test('gives no verdict when its results cannot be read', async () => {
    const at = stage();
    await at.laptop.apply(judged(), { execute: { wait: false } });
    const reads = at.service.count('listResults');
    at.service.configure({
      faults: ({ operation, nth }) =>
        operation === 'listResults' && nth === reads + 2 ? { kind: 'lost' } : null,
    });
    const { exit, execution } = await at.laptop.apply(judged());
    expect(exit).toBe(9);
    expect(execution?.runs[0]?.verdict.verdict).toBe('inconclusive');
  });
});

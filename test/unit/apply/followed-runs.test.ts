/** Runs of a plan: unchanged tests, runs that the command stops, and the events and problems of both. */
import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../../src/apply/events.ts';
import { Outcomes } from '../../../src/apply/outcomes.ts';
import { Runs, type WaitOptions, type WatchedRun } from '../../../src/apply/runs/runs.ts';
import { resultId, testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import type { StatusKind } from '../../../src/core/model/load-test.ts';
import type { RunVerdict } from '../../../src/core/model/run-verdict.ts';
import type { NoOpAction } from '../../../src/core/reconcile/action.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createResult, type ResultChanges } from '../../support/past-run.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock, START_TIME, UPTIME_AT_START_MS } from '../../support/virtual-clock.ts';

const LIMITED: TestFields = { duration: '1m', thresholds: { error_rate: '< 1%' } };
const run = (id: string, changes: ResultChanges = {}) =>
  createResult({ id: resultId(id), metrics: { error_rate: 0, requests: 10 }, ...changes });

interface Scene {
  readonly fields?: TestFields;
  readonly options?: Partial<WaitOptions>;
  /** Status of the test before a stop request. */
  readonly status?: StatusKind;
  readonly statusAfterStop?: StatusKind;
  readonly results?: readonly RunResult[];
  readonly interruptedAt?: number;
  readonly loadOutlivesCommand?: boolean;
}

async function stage(scene: Scene = {}) {
  const { fields = LIMITED, status = 'complete', results = [run('r1')] } = scene;
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, latency: 0 });
  const [declared] = declareState().app('shop').test('home', fields).state.tests;
  if (declared === undefined) throw new Error('Bug: no test is declared');
  service.addTest(declared.spec, { id: 't1' });
  const plan = await createMachine(service, { clock }).plan(declareState());
  const { test: observed } = await service.port.getTest(testId('t1'));
  const events: ApplyEvent[] = [];
  let stops = 0;
  const signal = new AbortController();
  if (scene.interruptedAt !== undefined) clock.at(START_TIME + scene.interruptedAt, () => signal.abort());
  // No result of a running test is ready.
  const listed = (): readonly RunResult[] =>
    status === 'running' && stops === 0 ? results.map((one) => ({ ...one, status: 'not_ready' })) : results;
  const context = createApplyContext({
    service: {
      ...service.port,
      getTest: () => {
        const statusKind = stops === 0 ? status : (scene.statusAfterStop ?? 'complete');
        return Promise.resolve({
          test: { ...observed, status: `is ${statusKind}`, statusKind },
          progress: null,
        });
      },
      listResults: () => Promise.resolve(listed()),
      getResult: (_, id) => Promise.resolve(listed().find((one) => one.id === id) ?? null),
      saveVerdict: () => Promise.resolve(),
      stopTest: () => {
        stops++;
        return Promise.resolve({ resultId: null, status: null });
      },
    },
    ...{ clock, interrupted: signal.signal, emit: (event) => events.push(event) },
    loadOutlivesCommand: () => scene.loadOutlivesCommand ?? true,
  });
  const outcomes = new Outcomes(plan, context);
  const options: WaitOptions = { wait: true, timeout: null, onInterrupt: 'stop', requireVerdict: false };
  const runs = new Runs(context, { ...options, ...scene.options }, outcomes);
  const action = (changes: Partial<NoOpAction> = {}): NoOpAction => ({
    ...{ verb: 'no-op', address: testAddress(testKey('home')), test: declared, observed, state: 'ended' },
    ...{ verdict: null, result: null, duplicateMarker: null, uncomparedSecrets: [], note: null },
    ...changes,
  });
  const watched: WatchedRun = {
    ...{ test: declared, id: testId('t1'), resultId: resultId('r1'), priorResults: [] },
    ...{ isRerun: false, startedByUs: true, sentAt: UPTIME_AT_START_MS },
  };
  const shown = () => events.filter(({ kind }) => kind !== 'running');
  const messages = () => outcomes.problems.map(({ message }) => message);
  return { runs, outcomes, action, watched, shown, messages, stops: () => stops };
}

const verdictOf = (verdict: RunVerdict['verdict'], reason: string | null = null): RunVerdict => ({
  ...{ verdict, thresholds: [], reason },
});
const DONE = { address: 'test.home', testId: 't1', urlNames: [] };

describe('unchanged tests that are not running', () => {
  it('for an unchanged test, the verdict of the last run is reported with an "ended" event', async () => {
    const { runs, action, shown, messages } = await stage();
    const [verdict, result] = [verdictOf('pass'), run('r1')];
    runs.evaluateUnchanged(action({ verdict, result }));
    expect(runs.done).toEqual([
      { ...DONE, resultId: 'r1', status: 'complete', startedByUs: false, verdict, result, end: 'ended' },
    ]);
    expect(shown()).toEqual([
      { kind: 'ended', address: 'test.home', testId: 't1', resultId: 'r1', judgement: verdict },
    ]);
    expect(messages()).toEqual([]);
    await runs.end();
  });

  it('for an unchanged test without thresholds, the failure of the last run is reported', async () => {
    const { runs, action, messages } = await stage({ fields: {} });
    runs.evaluateUnchanged(action({ verdict: verdictOf('fail', 'the setup failed'), result: null }));
    expect(messages()).toEqual(['"home" failed: the setup failed']);
    expect(runs.done).toMatchObject([{ resultId: null, result: null, verdict: { verdict: 'fail' } }]);
  });

  it.each<[string, TestFields, Partial<NoOpAction>]>([
    ['has no thresholds and has not failed', {}, { verdict: verdictOf('none') }],
    ['has no thresholds and no results', {}, { verdict: null }],
    ['is scheduled', LIMITED, { verdict: verdictOf('fail', 'x'), state: 'scheduled' }],
    ['is running', LIMITED, { verdict: verdictOf('fail', 'x'), state: 'running' }],
  ])('an unchanged test that %s is not evaluated', async (_, fields, changes) => {
    const { runs, action, shown, messages } = await stage({ fields });
    runs.evaluateUnchanged(action(changes));
    expect([runs.done, shown(), messages()]).toEqual([[], [], []]);
  });

  it('an unchanged test on a service without results has the verdict "none", with a warning', async () => {
    const { runs, action, outcomes, shown } = await stage();
    runs.evaluateUnchanged(action());
    expect(runs.done).toMatchObject([{ verdict: { verdict: 'none' }, resultId: null, end: 'ended' }]);
    expect(outcomes.problems).toMatchObject([{ code: 'LT_PLAN_NO_RESULTS', severity: 'warning' }]);
    expect(shown()).toEqual([]);
  });
});

describe('unchanged tests that are running', () => {
  it('an unchanged running test is reported with the ID of its unfinished result, not with the ID of an earlier ready result', async () => {
    const { runs, action } = await stage({
      results: [run('r2', { status: 'other' }), run('r1')],
      options: { wait: false },
    });
    await runs.watchUnchanged(action());
    expect(runs.done).toMatchObject([
      {
        resultId: 'r2',
        status: 'running',
        startedByUs: false,
        end: 'in_progress',
        verdict: { verdict: 'none', reason: 'not evaluated' },
      },
    ]);
  });

  it('if all results of a running test are ready, none of them is used as the result of the run', async () => {
    const { runs, action, messages } = await stage({
      options: { timeout: null },
      fields: { ...LIMITED, duration: '1s' },
    });
    await runs.watchUnchanged(action());
    expect(messages()).toContain('the result of "home" (t1) was not available in time');
    expect(runs.done).toMatchObject([{ resultId: null, result: null, end: 'ended' }]);
  });
});

describe('runs that a signal interrupts', () => {
  const stoppedAt = (ms: number, scene: Scene = {}) =>
    stage({ status: 'running', interruptedAt: ms, ...scene });
  const note = { kind: 'note', text: 'stopping test.home (t1)' };

  it.each<[string, number, ResultChanges, 'stopped' | 'ended', string | null]>([
    [
      'early, without a reason from the service, is reported as stopped',
      1000,
      { abortReason: undefined },
      'stopped',
      'the run ended early (stopped)',
    ],
    [
      'early, with the reason "stopped" from the service, is reported as stopped',
      1000,
      { abortReason: 'stopped' },
      'stopped',
      'the run ended early (stopped)',
    ],
    [
      'early is reported as ended if the service reports a complete run',
      1000,
      { abortReason: null },
      'ended',
      null,
    ],
    ['after its duration is reported as ended', 60_000, { abortReason: undefined }, 'ended', null],
  ])('a run that a signal stops %s', async (_, ms, changes, end, reason) => {
    const results = [run('r1', changes)];
    const { runs, watched, shown, messages, stops } = await stoppedAt(ms, { results });
    await runs.watch(watched);
    expect(runs.done).toMatchObject([{ end, resultId: 'r1', verdict: { reason } }]);
    expect(shown()).toMatchObject([note, { kind: 'ended', resultId: 'r1' }]);
    expect(messages()).toEqual(reason === null ? [] : [`"home" has no verdict: ${reason}`]);
    expect([stops(), runs.unfinished.size]).toEqual([1, 0]);
  });

  it.each<[string, Scene, Partial<WatchedRun>, number]>([
    [
      'is still running after a stop request',
      { statusAfterStop: 'running', results: [run('r1', { status: 'not_ready' })] },
      {},
      1,
    ],
    ['is detached', { options: { onInterrupt: 'detach' } }, {}, 0],
    ['another client started', {}, { startedByUs: false }, 0],
  ])('after a signal, a run that %s is reported as still running', async (_, scene, changes, stops) => {
    const found = await stoppedAt(1000, scene);
    await found.runs.watch({ ...found.watched, ...changes });
    const text = 'is still running (t1)';
    expect(found.runs.done).toMatchObject([
      { end: 'in_progress', verdict: { verdict: 'inconclusive', reason: `the test ${text}` } },
    ]);
    expect(found.shown().at(-1)).toEqual({ kind: 'left', address: 'test.home', testId: 't1', text });
    expect([found.stops(), found.runs.unfinished.size]).toEqual([stops, 1]);
  });

  it('after a signal, a detached run is reported as stopped if its load ends with the command', async () => {
    const scene: Scene = { options: { onInterrupt: 'detach' }, loadOutlivesCommand: false };
    const { runs, watched, shown } = await stoppedAt(1000, scene);
    await runs.watch(watched);
    expect(runs.done).toMatchObject([
      { end: 'stopped', verdict: { reason: 'the test stops when this command ends' } },
    ]);
    expect(shown().at(-1)).toMatchObject({ kind: 'left', text: 'stops when this command ends' });
  });
});

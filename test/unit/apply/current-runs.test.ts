/** Starts of tests that are already running, refused starts, and rounds after failed reads. */
import { describe, expect, it } from 'vitest';
import { startRun } from '../../../src/apply/tests/start-run.ts';
import { CallError, type CallFailure } from '../../../src/core/call-error.ts';
import { resultId, testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import type { StatusKind } from '../../../src/core/model/load-test.ts';
import { problem } from '../../../src/core/problem.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createResult } from '../../support/past-run.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock, START_TIME, UPTIME_AT_START_MS } from '../../support/virtual-clock.ts';

const HOME = declareState().app('shop').test('home', { duration: '1m' });
const ADDRESS = testAddress(testKey('home'));

function callError(changes: Partial<CallFailure> = {}): CallError {
  return new CallError(problem(changes.status === 401 ? 'LT_API_KEY' : 'LT_API_REFUSED', 'refused'), {
    ...{ outcome: 'refused', status: 422, errors: [] },
    ...changes,
  });
}

const run = (id: string, status: RunResult['status'] = 'ready') => createResult({ id: resultId(id), status });
const [ENDED, CURRENT] = [run('r1'), run('r2', 'not_ready')];

interface Script {
  /** Status before the start request. */
  readonly status?: StatusKind;
  readonly results?: readonly RunResult[] | null;
  /** Error of the start request. */
  readonly error?: Error;
  /** Status and results after the start request. */
  readonly after?: { readonly status?: StatusKind; readonly results?: readonly RunResult[] | Error };
}

async function start({ status = 'complete', results = [ENDED], error, after = {} }: Script) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, latency: 0 });
  const [declared] = HOME.state.tests;
  if (declared === undefined) throw new Error('Bug: no test is declared');
  service.addTest(declared.spec, { id: 't1' });
  const { test } = await service.port.getTest(testId('t1'));
  let starts = 0;
  let lists = 0;
  const context = createApplyContext({
    service: {
      ...service.port,
      getTest: () => {
        const statusKind = starts === 0 ? status : (after.status ?? status);
        return Promise.resolve({ test: { ...test, statusKind }, progress: null });
      },
      listResults: () => {
        lists++;
        const found = starts === 0 ? results : (after.results ?? results);
        return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
      },
      runTest: () => {
        starts++;
        return error === undefined
          ? Promise.resolve({ resultId: resultId('r9'), status: null })
          : Promise.reject(error);
      },
    },
    clock,
  });
  const outcome = await startRun(test, ADDRESS, context).catch((thrown: unknown) => thrown);
  return { outcome, starts, lists, phases: context.journal.lines().map(({ phase }) => phase) };
}

const OTHERS = { startedByUs: false, sentAt: null, journalProblem: null };

describe('starts of tests', () => {
  it.each<[string, Script, object]>([
    [
      'is running',
      { status: 'running', results: [CURRENT, ENDED] },
      { resultId: 'r2', priorResults: ['r1'], knownResults: ['r2', 'r1'] },
    ],
    [
      'is running without a new result',
      { status: 'running', results: [ENDED] },
      { resultId: null, priorResults: ['r1'], knownResults: ['r1'] },
    ],
    [
      'is running on a service without results',
      { status: 'running', results: null },
      { resultId: null, priorResults: [], knownResults: null },
    ],
    [
      'has an unspecified status and a result that is not ready',
      { status: 'unspecified', results: [CURRENT, ENDED] },
      { resultId: 'r2', priorResults: ['r1'], knownResults: ['r2', 'r1'] },
    ],
  ])('startRun does not start a test that %s', async (_, script, expected) => {
    const { outcome, starts, phases } = await start(script);
    expect(outcome).toEqual({ ...OTHERS, ...expected });
    expect([starts, phases]).toEqual([0, ['done']]);
  });

  it.each<[string, Script]>([
    ['has ended', {}],
    ['has ended, even if one of its results is not ready', { results: [CURRENT, ENDED] }],
    ['has an unspecified status and only ready results', { status: 'unspecified' }],
    ['has an unspecified status on a service without results', { status: 'unspecified', results: null }],
  ])('startRun starts a test that %s', async (_, { results = [ENDED], ...script }) => {
    const ids = results?.map(({ id }) => id) ?? null;
    const { outcome, starts, phases } = await start({ ...script, results });
    expect(outcome).toEqual({
      ...{ resultId: 'r9', priorResults: ids ?? [], knownResults: ids, startedByUs: true },
      ...{ sentAt: UPTIME_AT_START_MS, journalProblem: null },
    });
    expect([starts, phases]).toEqual([1, ['done']]);
  });
});

describe('refused starts', () => {
  const refusal = callError();

  it('if a start request is refused, startRun returns the run that another client has started', async () => {
    const { outcome, phases } = await start({
      error: refusal,
      after: { status: 'running', results: [CURRENT, ENDED] },
    });
    expect(outcome).toEqual({ ...OTHERS, resultId: 'r2', priorResults: ['r1'], knownResults: ['r1'] });
    expect(phases).toEqual(['refused']);
  });

  it.each<[string, number, Error, Script['after']]>([
    ['the request is refused and no run is in progress', 2, refusal, {}],
    [
      'the request is refused and the results cannot be read',
      2,
      refusal,
      { results: callError({ status: 503 }) },
    ],
    ['the service rejects the API key', 1, callError({ status: 401 }), { status: 'running' }],
    ['the request was not sent', 1, callError({ outcome: 'not_sent' }), { status: 'running' }],
  ])(
    'startRun throws the error of the start request if %s (number of requests for the list of results: %i)',
    async (_, lists, error, after) => {
      const found = await start({ error, ...(after === undefined ? {} : { after }) });
      expect(found.outcome).toBe(error);
      expect([found.lists, found.phases]).toEqual([lists, ['refused']]);
    },
  );

  it('startRun throws an unexpected error of a start request, or of the read that follows a refused start request', async () => {
    const bug = new TypeError('bug');
    expect(await start({ error: bug })).toMatchObject({ outcome: bug, phases: ['sent'] });
    expect(await start({ error: refusal, after: { results: bug } })).toMatchObject({ outcome: bug });
  });
});

it('no further round starts if a test cannot be read after a round, and the error is reported', async () => {
  const clock = createVirtualClock();
  let reads = 0;
  const service = createMemoryService({
    ...{ clock, verified: ['shop.example'] },
    // The first read after the end of the run finds the end. The next one prepares the second round.
    faults: ({ operation, at }) =>
      operation === 'getTest' && at > START_TIME + 60_500 && reads++ > 0
        ? { kind: 'broken', executed: false }
        : null,
  });
  const applied = await createMachine(service, { clock }).apply(HOME, { plan: { repeat: 3 } });
  expect(applied.execution).toMatchObject({ roundsLeft: 2, problems: [{ code: 'LT_API_UNREACHABLE' }] });
  expect(applied.execution?.runs.map(({ round, end }) => [round, end])).toEqual([[1, 'ended']]);
  expect(applied.events.flatMap((event) => (event.kind === 'note' ? [event.text] : []))).toEqual([
    'round 1 of 3',
  ]);
});

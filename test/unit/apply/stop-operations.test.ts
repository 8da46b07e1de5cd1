/** Stop requests: the state before them, their retries, and the wait for the end of the run. */
import { describe, expect, it } from 'vitest';
import { stopTest } from '../../../src/apply/tests/stop-test.ts';
import { CallError, type CallFailure } from '../../../src/core/call-error.ts';
import { resultId, testId } from '../../../src/core/model/ids.ts';
import type { StatusKind } from '../../../src/core/model/load-test.ts';
import { problem } from '../../../src/core/problem.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createResult } from '../../support/past-run.ts';
import { createVirtualClock, START_TIME } from '../../support/virtual-clock.ts';

/** Values by the time from which they apply, in ms since the start. */
type Timeline<T> = readonly (readonly [from: number, value: T])[];

interface Script {
  readonly states?: Timeline<StatusKind | Error>;
  readonly results?: readonly RunResult[] | null | Error;
  /** Responses to the stop requests, in order; the last one repeats. Null for success. */
  readonly stops?: readonly (Error | null)[];
  readonly scheduledAt?: number;
  readonly target?: string;
}

function callError(changes: Partial<CallFailure> = {}): CallError {
  return new CallError(problem(changes.status === 401 ? 'LT_API_KEY' : 'LT_API_REFUSED', 'refused'), {
    ...{ outcome: 'refused', status: 422, errors: [] },
    ...changes,
  });
}

/** Stops a test with a timeout of 4 s and a settle time of 10 s. */
async function stop({ states = [[0, 'running']], results = [], stops = [null], ...script }: Script) {
  const clock = { ...createVirtualClock(), random: () => 0 };
  const service = createMemoryService({ clock, latency: 0 });
  const [declared] = declareState().app('shop').test('home').state.tests;
  if (declared === undefined) throw new Error('Bug: no test is declared');
  service.addTest(declared.spec, { id: 't1' });
  const { test } = await service.port.getTest(testId('t1'));
  const elapsed = () => clock.now() - START_TIME;
  const reads: string[] = [];
  const port = {
    ...service.port,
    getTest: (_: unknown, bounds?: { readonly within: number }) => {
      reads.push(`test ${elapsed()} within ${bounds?.within ?? 'any'}`);
      const value = states.findLast(([from]) => from <= elapsed())?.[1] ?? 'running';
      if (value instanceof Error) return Promise.reject(value);
      return Promise.resolve({
        test: { ...test, statusKind: value, scheduledAt: script.scheduledAt ?? null },
        progress: null,
      });
    },
    listResults: () => (results instanceof Error ? Promise.reject(results) : Promise.resolve(results)),
    stopTest: () => {
      const number = reads.filter((one) => one.startsWith('stop')).length;
      reads.push(`stop ${elapsed()}`);
      const response = stops[number] ?? stops.at(-1) ?? null;
      return response === null ? Promise.resolve({ resultId: null, status: null }) : Promise.reject(response);
    },
  };
  const target = {
    id: testId('t1'),
    ...(script.target === undefined ? {} : { resultId: resultId(script.target) }),
  };
  const outcome = await stopTest(target, { service: port, clock, settle: milliseconds(10_000) }, 4000).catch(
    (error: unknown) => error,
  );
  return { outcome, reads, stops: reads.filter((one) => one.startsWith('stop')), elapsed: elapsed() };
}

const run = (id: string, startedAt: number, status: RunResult['status'] = 'not_ready') =>
  createResult({ id: resultId(id), startedAt, status });
const missing = callError({ status: 404 });
const busy = callError({ outcome: 'refused', status: 503, transient: true });

describe('the state before a stop request', () => {
  it.each<[string, Script]>([
    ['has ended', { states: [[0, 'complete']] }],
    [
      'ends before a failed stop request is retried',
      {
        states: [
          [0, busy],
          [200, 'complete'],
        ],
        stops: [busy],
      },
    ],
    ['has a ready result', { results: [run('r1', 1, 'ready')], target: 'r1' }],
    ['is followed by a later run', { results: [run('r2', 2), run('r1', 1)], target: 'r1' }],
  ])('no stop request is executed for a run that %s', async (_, script) => {
    const { outcome, stops } = await stop(script);
    expect(outcome).toEqual({ state: 'ended', sent: false });
    expect(stops).toHaveLength(script.stops?.length ?? 0);
  });

  it('stopTest sends no stop request for a test with an unspecified status', async () => {
    expect(await stop({ states: [[0, 'unspecified']] })).toMatchObject({
      outcome: { state: 'unspecified', sent: false },
      stops: [],
    });
  });

  it('stopTest stops a scheduled test with one stop request', async () => {
    const states: Script['states'] = [
      [0, 'pending'],
      [100, 'complete'],
    ];
    expect(await stop({ states, scheduledAt: START_TIME + 60_000 })).toMatchObject({
      outcome: { state: 'ended', sent: true },
      stops: ['stop 0'],
    });
  });

  it.each<[string, Script]>([
    ['whose result is unknown to the service', { results: [run('r1', 1)], target: 'r9' }],
    ['with the newest start time', { results: [run('r1', 1, 'ready'), run('r2', 2)], target: 'r2' }],
    [
      'of a test whose results have no start times',
      {
        results: [
          createResult({ id: resultId('r1'), status: 'not_ready', startedAt: null }),
          createResult({ id: resultId('r2'), startedAt: null }),
        ],
        target: 'r1',
      },
    ],
    ['on a service without results', { results: null }],
    ['of a test without results', { results: [] }],
  ])('a stop request is sent for a run %s', async (_, script) => {
    const { outcome, stops, elapsed } = await stop(script);
    expect(outcome).toEqual({ state: 'running', sent: true });
    expect(stops).toEqual(['stop 0']);
    expect(elapsed).toBe(4000);
  });

  it('if no run is given, the stop request applies to the run in progress at the first read, and is not repeated for a later run', async () => {
    const before = [run('r2', 2), run('r1', 1, 'ready')];
    const results: RunResult[] = [...before];
    const stopping = stop({ results, stops: [busy] });
    await new Promise((resolve) => setImmediate(resolve));
    results.unshift(run('r3', 3));
    expect((await stopping).outcome).toEqual({ state: 'ended', sent: false });
  });
});

describe('failed stop requests', () => {
  it('a stop request refused with status 422 is not repeated', async () => {
    const { outcome, stops } = await stop({
      stops: [callError()],
      states: [
        [0, 'running'],
        [300, 'complete'],
      ],
    });
    expect(outcome).toEqual({ state: 'ended', sent: true });
    expect(stops).toEqual(['stop 0']);
  });

  it.each<[string, readonly string[], Error]>([
    ['a rejected key', ['stop 0'], callError({ status: 401 })],
    ['a rejected key in a transient error', ['stop 0'], callError({ status: 401, transient: true })],
    ['an unreachable service', ['stop 0'], callError({ outcome: 'not_sent', status: null })],
    ['a TypeError', ['stop 0'], new TypeError('bug')],
    ['a busy service', ['stop 0', 'stop 250', 'stop 750', 'stop 1750'], busy],
    ['a lost response', ['stop 0', 'stop 250', 'stop 750', 'stop 1750'], callError({ outcome: 'unknown' })],
    [
      'a lost connection',
      ['stop 0', 'stop 250', 'stop 750', 'stop 1750'],
      callError({ outcome: 'not_sent', transient: true }),
    ],
    [
      'a refusal with a requested delay of 2,000 ms (half of the timeout)',
      ['stop 0', 'stop 2000'],
      callError({ transient: true, retryAfter: milliseconds(2000) }),
    ],
    [
      'a refusal with a requested delay of 2,001 ms (over half of the timeout)',
      ['stop 0'],
      callError({ transient: true, retryAfter: milliseconds(2001) }),
    ],
  ])(
    'if stop requests fail because of %s, stopTest throws the error after the requests %j (times in ms)',
    async (_, stops, error) => {
      const found = await stop({ stops: [error] });
      expect(found.outcome).toBe(error);
      expect(found.stops).toEqual(stops);
    },
  );

  it('if the state of a test cannot be read, stopTest sends one stop request and throws an error', async () => {
    const states: Script['states'] = [[0, busy]];
    const failed = await stop({
      states,
      stops: [callError({ outcome: 'unknown', status: 500, transient: true })],
    });
    expect(failed.outcome).toMatchObject({ status: 500 });
    expect(failed.stops).toEqual(['stop 0']);
    const unreadable = await stop({ states });
    expect(unreadable.outcome).toBe(busy);
    expect(unreadable.stops).toEqual(['stop 0']);
  });

  it.each<[string, Script]>([
    ['the state', { states: [[0, new TypeError('bug')]] }],
    ['the results', { results: new TypeError('bug') }],
  ])('stopTest throws an unexpected error of a read of %s and sends no stop request', async (_, script) => {
    const { outcome, stops } = await stop(script);
    expect(outcome).toBeInstanceOf(TypeError);
    expect(stops).toEqual([]);
  });
});

describe('the wait for the end of a stopped run', () => {
  it('after a stop request, the state is read with growing pauses, each time within the remaining timeout', async () => {
    const { reads } = await stop({
      states: [
        [0, 'running'],
        [3000, 'complete'],
      ],
    });
    expect(reads).toEqual([
      'test 0 within 4000',
      'stop 0',
      ...['test 0 within 4000', 'test 100 within 3900', 'test 300 within 3700', 'test 700 within 3300'],
      ...['test 1500 within 2500', 'test 3100 within 900'],
    ]);
  });

  it('after a stop request, the pauses between reads grow to 2 s, and a test that is missing for the settle time counts as ended', async () => {
    const { outcome, reads } = await stop({
      states: [
        [0, 'running'],
        [3100, missing],
      ],
    });
    expect(outcome).toEqual({ state: 'ended', sent: true });
    const late = [5100, 7100, 9100, 11_100, 13_100].map((at) => `test ${at} within 0`);
    expect(reads.slice(-6)).toEqual(['test 3100 within 900', ...late]);
  });

  it('a test that is found again after a "not found" response is not considered deleted', async () => {
    const { outcome, elapsed } = await stop({
      states: [
        [0, 'running'],
        [3100, missing],
        [5100, 'running'],
      ],
    });
    expect(outcome).toEqual({ state: 'running', sent: true });
    expect(elapsed).toBe(5100);
  });

  it('if reading the state fails after a stop request, the wait ends with that error', async () => {
    const { outcome } = await stop({
      states: [
        [0, 'running'],
        [100, busy],
      ],
    });
    expect(outcome).toBe(busy);
  });
});

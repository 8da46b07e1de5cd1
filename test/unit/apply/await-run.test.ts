/** The wait for the end of a run: its reads, its pauses and its outcomes. */
import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../../src/apply/events.ts';
import { awaitRun, type RunToFollow } from '../../../src/apply/runs/await-run.ts';
import { CallError } from '../../../src/core/call-error.ts';
import type { RunProgress } from '../../../src/core/load/run-report.ts';
import { resultId, testId } from '../../../src/core/model/ids.ts';
import type { StatusKind } from '../../../src/core/model/load-test.ts';
import type { RetryBounds } from '../../../src/core/ports/service-port.ts';
import { problem } from '../../../src/core/problem.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createResult } from '../../support/past-run.ts';
import { createVirtualClock, START_TIME, UPTIME_AT_START_MS } from '../../support/virtual-clock.ts';

/** Values by the time from which they apply, in ms since the start. */
type Timeline<T> = readonly (readonly [from: number, value: T])[];

interface Script {
  readonly states?: Timeline<StatusKind | Error>;
  /** Listed results; null if the service provides none. */
  readonly results?: Timeline<readonly RunResult[] | null | Error>;
  /** Full records of results. */
  readonly records?: Timeline<readonly RunResult[]>;
  readonly progress?: RunProgress | null;
  readonly latency?: number;
  readonly random?: number;
  readonly settle?: number;
  readonly interruptedAt?: number;
  readonly fields?: TestFields;
  readonly run?: Partial<RunToFollow>;
}

const READY = createResult({ id: resultId('r1') });
const NOT_READY = createResult({ id: resultId('r1'), status: 'not_ready' });
const RUNNING: Timeline<StatusKind> = [[0, 'running']];

function callError(status: number, retryAfter: number | null = null): CallError {
  const code = status === 401 ? 'LT_API_KEY' : 'LT_API_REFUSED';
  return new CallError(problem(code, `status ${status}`), {
    ...{ outcome: 'refused', status, errors: [] },
    retryAfter: retryAfter === null ? null : milliseconds(retryAfter),
  });
}

async function follow(script: Script) {
  const { random = 0.5, latency = 0, settle = 5000, interruptedAt } = script;
  const clock = { ...createVirtualClock(), random: () => random };
  const [test] = declareState()
    .app('shop')
    .test('home', { duration: '60s', ...script.fields }).state.tests;
  const [observed] = (await observedTests(clock)).items;
  if (test === undefined || observed === undefined) throw new Error('Bug: no test is declared');
  const elapsed = () => clock.now() - START_TIME;
  const reads: string[] = [];
  const bounds: number[] = [];
  const events: ApplyEvent[] = [];
  const signal = new AbortController();
  if (interruptedAt === 0) signal.abort();
  else if (interruptedAt !== undefined) clock.at(START_TIME + interruptedAt, () => signal.abort());
  const read = async <T>(name: string, within: RetryBounds | undefined, timeline: Timeline<T | Error>) => {
    const value = timeline.findLast(([from]) => from <= elapsed())?.[1];
    reads.push(`${name} ${elapsed()}`);
    bounds.push(within?.within ?? -1);
    if (latency > 0) await clock.sleep(latency);
    if (value === undefined) throw new Error('Bug: the timeline is empty');
    if (value instanceof Error) throw value;
    return value;
  };
  const {
    progress = null,
    records = [[0, []]],
    states = [[0, 'complete']],
    results = [[0, [READY]]],
  } = script;
  const context = createApplyContext({
    service: {
      ...createMemoryService({ clock }).port,
      getTest: async (_id, within) => {
        const statusKind = await read('test', within, states);
        return { test: { ...observed, status: `is ${statusKind}`, statusKind }, progress };
      },
      listResults: (_id, within) => read('list', within, results),
      getResult: async (_id, id, within) => {
        const found = await read(id, within, records);
        return found.find((one) => one.id === id) ?? null;
      },
    },
    clock,
    settle: milliseconds(settle),
    emit: (event) => events.push(event),
  });
  const run: RunToFollow = {
    ...{ test, id: testId('t1'), resultId: null, priorResults: [], isRerun: false },
    ...{ timeout: null, sentAt: UPTIME_AT_START_MS },
    ...script.run,
  };
  const outcome = await awaitRun(run, context, signal.signal).catch((error: unknown) => error);
  return { outcome, reads, bounds, events, elapsed: elapsed() };
}

async function observedTests(clock: ReturnType<typeof createVirtualClock>) {
  const service = createMemoryService({ clock, latency: 0 });
  const [spec] = declareState()
    .app('shop')
    .test('home')
    .state.tests.map((test) => test.spec);
  if (spec !== undefined) service.addTest(spec, { id: 't1' });
  return await service.port.listTests();
}

const ENDED = {
  ...{ kind: 'ended', status: 'is complete', statusKind: 'complete', state: 'ended' },
  ...{ resultId: READY.id, result: READY, hasResults: true, firstReadAt: START_TIME, maxElapsed: 0 },
};

function times(reads: readonly string[], name: string): readonly number[] {
  return reads.flatMap((text) => (text.startsWith(`${name} `) ? [Number(text.slice(name.length + 1))] : []));
}

function pauses(reads: readonly string[]): readonly number[] {
  const at = times(reads, 'test');
  return at.slice(1).map((time, index) => time - (at[index] ?? 0));
}

describe('pauses between reads', () => {
  const growing = [200, 300, 450, 675, 1012.5, 1518.75, 2278.125, 3417.1875];
  const slow: RunProgress = { elapsed: 1 } as unknown as RunProgress;

  it.each<[string, readonly number[], Script]>([
    ['to 5 s for a long run', [...growing, 5000, 5000], { fields: { duration: '10m' } }],
    ['to a tenth of the duration', [...growing.slice(0, 6), 2000, 2000], { fields: { duration: '20s' } }],
    ['to 0.5 s for a short run', [...growing.slice(0, 3), 500, 500], { fields: { duration: '1s' } }],
    ['to 1 s if the service returns progress', [...growing.slice(0, 4), 1000, 1000], { progress: slow }],
  ])('the pauses between reads of a run grow %s', async (_, expected, script) => {
    const { reads } = await follow({ states: RUNNING, run: { timeout: 30_000 }, ...script });
    expect(pauses(reads).slice(0, expected.length)).toEqual(expected);
  });

  it.each([
    [0, [160, 240, 360]],
    [0.999_999, [240, 360, 540]],
  ])(
    'if the random source returns %d, the first pauses between reads of a run are %j ms',
    async (random, expected) => {
      const { reads } = await follow({ states: RUNNING, run: { timeout: 2000 }, random });
      expect(pauses(reads).slice(0, 3).map(Math.round)).toEqual(expected);
    },
  );

  it('while apply waits for a run, each read is limited to the remaining time, and the last read starts 1 ms after the timeout', async () => {
    const { outcome, reads, bounds, elapsed } = await follow({
      states: [[0, 'complete']],
      results: [[0, []]],
      run: { timeout: 1000 },
    });
    const expected = [0, 200, 500, 950, 1001];
    expect(reads).toEqual(expected.flatMap((at) => [`test ${at}`, `list ${at}`]));
    expect(bounds).toEqual([1000, 1000, 800, 800, 500, 500, 50, 50, 0, 0]);
    expect([elapsed, outcome]).toMatchObject([
      1001,
      { ...ENDED, kind: 'timeout', resultId: null, result: null, maxElapsed: 1001 },
    ]);
  });

  it('the wait for a run that does not end times out after the duration plus the request timeout plus one minute', async () => {
    const { outcome, elapsed } = await follow({ states: RUNNING, fields: { timeout: '20s' } });
    expect([elapsed, outcome]).toMatchObject([
      140_001,
      { kind: 'timeout', state: 'running', hasResults: true },
    ]);
  });
});

it('each read of a test emits an event with the progress of the run', async () => {
  const progress = { requests: 7 } as unknown as RunProgress;
  const { events } = await follow({
    progress,
    states: [
      [0, 'running'],
      [100, 'complete'],
    ],
  });
  const common = { kind: 'running', address: 'test.home', testId: 't1', duration: 60_000, progress };
  expect(events).toEqual([0, 200].map((elapsed) => ({ ...common, elapsed })));
});

describe('the end of a run', () => {
  it('the wait for a run with a ready result ends at the first read that returns the status "complete"', async () => {
    const { outcome, reads } = await follow({
      states: [
        [0, 'running'],
        [400, 'complete'],
      ],
    });
    expect(outcome).toMatchObject({ ...ENDED, maxElapsed: 500 });
    expect(reads).toEqual(['test 0', 'test 200', 'test 500', 'list 500']);
  });

  it.each<[string, number | null, Script]>([
    [
      'is the time until the first read after the end, even if the result is late',
      500,
      {
        results: [
          [0, [NOT_READY]],
          [2000, [READY]],
        ],
      },
    ],
    [
      'is the time until the first read after the second end, if the test was running again after the first end',
      2638,
      {
        states: [
          [0, 'running'],
          [400, 'complete'],
          [900, 'running'],
          [2000, 'complete'],
        ],
        results: [
          [0, [NOT_READY]],
          [2600, [READY]],
        ],
      },
    ],
    [
      'is the time until the last read if the run was never seen running',
      2638,
      {
        states: [[0, 'complete']],
        results: [
          [0, [NOT_READY]],
          [2600, [READY]],
        ],
      },
    ],
    ['is measured from the start request', 700, { run: { sentAt: UPTIME_AT_START_MS - 200 } }],
    ['is unknown if another process sent the start request', null, { run: { sentAt: null } }],
  ])('the upper bound of the run time %s', async (_, maxElapsed, script) => {
    const { outcome } = await follow({
      states: [
        [0, 'running'],
        [400, 'complete'],
      ],
      ...script,
    });
    const bound = (outcome as { readonly maxElapsed: number | null }).maxElapsed;
    expect(bound === null ? null : Math.round(bound)).toBe(maxElapsed);
    expect(outcome).toMatchObject({ kind: 'ended', result: READY });
  });

  it('the wait for a run with an unspecified status ends with a ready result, and times out on a service without results', async () => {
    const states: Timeline<StatusKind> = [[0, 'unspecified']];
    expect(
      await follow({
        states,
        results: [
          [0, [NOT_READY]],
          [400, [READY]],
        ],
      }),
    ).toMatchObject({
      elapsed: 500,
      outcome: { kind: 'ended', state: 'unspecified', result: READY },
    });
    const without = await follow({ states, results: [[0, null]], run: { timeout: 100 } });
    expect(without.outcome).toMatchObject({ kind: 'timeout', state: 'unspecified', hasResults: false });
  });

  it.each<[string, number, Script]>([
    [
      'a first run that ends after 100 ms',
      200,
      {
        states: [
          [0, 'running'],
          [100, 'complete'],
        ],
      },
    ],
    ['a first run that has ended at the first read', 0, { states: [[0, 'complete']] }],
    [
      'a repeated run that was seen running and ends after 400 ms',
      500,
      {
        states: [
          [0, 'complete'],
          [100, 'running'],
          [400, 'complete'],
        ],
        run: { isRerun: true },
      },
    ],
    [
      'a repeated run of 1 s that was never seen running',
      1450,
      { states: [[0, 'complete']], run: { isRerun: true }, fields: { duration: '1s' } },
    ],
    [
      'a repeated run of 500 ms that was never seen running',
      500,
      { states: [[0, 'complete']], run: { isRerun: true }, fields: { duration: '500ms' } },
    ],
  ])(
    'on a service without results, the wait for %s ends after %i ms, without a result',
    async (_, elapsed, script) => {
      expect(await follow({ results: [[0, null]], ...script })).toMatchObject({
        elapsed,
        outcome: { kind: 'ended', hasResults: false, result: null, resultId: null },
      });
    },
  );
});

describe('the result of a run', () => {
  const other = createResult({ id: resultId('r2') });
  const full = { ...READY, json: { full: true } };
  const byUrl = { fields: { thresholds: { p97: '< 1s' } } };

  it.each<[string, RunResult | null, readonly string[], Script]>([
    ['by its ID', full, ['test', 'r1'], { run: { resultId: READY.id }, records: [[0, [full]]], results: [] }],
    [
      'by its ID in the list if it cannot be read directly',
      READY,
      ['test', 'r1', 'list'],
      { run: { resultId: READY.id }, results: [[0, [other, READY]]] },
    ],
    [
      'in the list as the result that did not exist before the run',
      READY,
      ['test', 'list'],
      { run: { priorResults: [other.id] }, results: [[0, [other, READY]]] },
    ],
    [
      'in the list and read in full if a threshold needs the full record',
      full,
      ['test', 'list', 'r1'],
      { ...byUrl, records: [[0, [full]]] },
    ],
    [
      'in the list even if the full record that a threshold needs is missing',
      READY,
      ['test', 'list', 'r1'],
      byUrl,
    ],
  ])('the result of a run is found %s', async (_, result, reads, script) => {
    const found = await follow(script);
    expect(found.outcome).toMatchObject({ ...ENDED, result });
    expect(found.reads).toEqual(reads.map((name) => `${name} 0`));
    expect(new Set(found.bounds)).toEqual(new Set([130_000]));
  });

  it.each<[string, string | null, RunResult | null, readonly string[], Script]>([
    [
      'a different ID',
      'r1',
      null,
      ['test', 'r1', 'list'],
      { run: { resultId: READY.id }, results: [[0, [other]]] },
    ],
    [
      'the ID of an earlier result',
      null,
      null,
      ['test', 'list'],
      { run: { priorResults: [other.id] }, results: [[0, [other]]] },
    ],
    [
      'a status other than "ready"',
      'r1',
      NOT_READY,
      ['test', 'list'],
      { ...byUrl, results: [[0, [NOT_READY]]] },
    ],
  ])('a result with %s does not end the wait for a run', async (_, id, result, reads, script) => {
    const found = await follow({ ...script, run: { timeout: 1, ...script.run } });
    expect(found.outcome).toMatchObject({ kind: 'timeout', resultId: id, result, hasResults: true });
    expect(found.reads.slice(0, reads.length)).toEqual(reads.map((name) => `${name} 0`));
    expect(times(found.reads, 'test')).toEqual([0, 2]);
  });
});

describe('tests and results that the service does not find', () => {
  const missing = callError(404);

  it.each<[string, number, Script]>([
    [
      'a test that is missing from 500 ms on',
      500,
      {
        states: [
          [0, 'running'],
          [500, missing],
        ],
      },
    ],
    [
      'even with a timeout of 700 ms, a test that is missing from 500 ms on',
      500,
      {
        states: [
          [0, 'running'],
          [500, missing],
        ],
        run: { timeout: 700 },
      },
    ],
    ['a test whose results are missing from 0 ms on', 0, { results: [[0, missing]] }],
  ])('%s counts as deleted after the settle time', async (_, from, script) => {
    const { outcome, reads } = await follow(script);
    expect(outcome).toMatchObject({ kind: 'vanished' });
    const at = times(reads, 'test');
    expect(at.filter((time) => time >= from + 5000)).toEqual(at.slice(-1));
  });

  it('if a missing test is found again, the next "not found" response restarts the settle time', async () => {
    const { outcome, elapsed } = await follow({
      states: [
        [0, missing],
        [4000, 'running'],
        [5000, missing],
        [9500, 'complete'],
      ],
    });
    expect(outcome).toMatchObject({ kind: 'ended' });
    expect(elapsed).toBeGreaterThan(9500);
  });

  it('a 503 response between two "not found" responses restarts the settle time', async () => {
    const { outcome } = await follow({
      states: [
        [0, missing],
        [4000, callError(503)],
        [5000, missing],
        [9500, 'complete'],
      ],
    });
    expect(outcome).toMatchObject({ kind: 'ended' });
  });

  it.each<[string, number, Script]>([
    ['results existed before the run', 0, { run: { priorResults: [resultId('r0')] } }],
    [
      'a result of the run was listed',
      200,
      {
        results: [
          [0, [NOT_READY]],
          [100, null],
        ],
      },
    ],
    [
      'a result of the run was read',
      200,
      {
        records: [
          [0, [NOT_READY]],
          [100, []],
        ],
        run: { resultId: NOT_READY.id },
      },
    ],
  ])(
    'if %s, results that are missing from %i ms on count as deleted after the settle time',
    async (_, from, script) => {
      const { outcome, reads } = await follow({
        results: [[0, null]],
        ...script,
        run: { timeout: 1000, ...script.run },
      });
      expect(outcome).toMatchObject({ kind: 'resultless', result: null, hasResults: true });
      const at = times(reads, 'list');
      expect(at.filter((time) => time >= from + 5000)).toEqual(at.slice(-1));
    },
  );

  it('results that reappear within the settle time end the wait for a run', async () => {
    const { outcome } = await follow({
      results: [
        [0, null],
        [4000, []],
        [5000, null],
        [9000, [READY]],
      ],
      run: { priorResults: [resultId('r0')] },
    });
    expect(outcome).toMatchObject({ kind: 'ended', result: READY });
  });
});

describe('failed reads', () => {
  it.each<[string, number, Script]>([
    ['the service rejects the API key', 0, { states: [[0, callError(401)]] }],
    ['a read throws a TypeError', 0, { states: [[0, new TypeError('bug')]] }],
    [
      'all reads of the test fail until the timeout of 1,000 ms',
      1001,
      { states: [[0, callError(503)]], run: { timeout: 1000 } },
    ],
    [
      'all reads of the results fail until the timeout of 1,000 ms',
      1001,
      { results: [[0, callError(503)]], run: { timeout: 1000 } },
    ],
  ])('if %s, awaitRun throws an error after %i ms', async (_, elapsed, script) => {
    const found = await follow(script);
    expect(found.outcome).toBeInstanceOf(Error);
    expect(found.elapsed).toBe(elapsed);
  });

  it('a failed read of a test is repeated after the delay that the service requests, but no later than the timeout', async () => {
    const delayed = await follow({
      states: [
        [0, callError(503, 700)],
        [600, 'complete'],
      ],
    });
    expect(times(delayed.reads, 'test')).toEqual([0, 700]);
    const limited = await follow({
      states: [
        [0, callError(503, 7000)],
        [600, 'complete'],
      ],
      run: { timeout: 1000 },
    });
    expect(times(limited.reads, 'test')).toEqual([0, 1000]);
  });
});

describe('signals', () => {
  it('if a signal arrives between two reads of a run, the wait for the run ends immediately after one more read', async () => {
    const { outcome, reads, elapsed } = await follow({ states: RUNNING, interruptedAt: 300 });
    expect([elapsed, outcome]).toMatchObject([300, { kind: 'interrupted', state: 'running' }]);
    expect(times(reads, 'test')).toEqual([0, 200, 300]);
  });

  it('if apply starts to wait for a run after a signal, the wait ends after one read of the test, or with the result if the run has ended', async () => {
    const running = await follow({ states: RUNNING, interruptedAt: 0, latency: 3000 });
    expect([running.elapsed, running.outcome]).toMatchObject([
      3000,
      { kind: 'interrupted', state: 'running' },
    ]);
    const ended = await follow({ interruptedAt: 0, latency: 3000 });
    expect([ended.elapsed, ended.outcome]).toMatchObject([6000, { kind: 'ended', result: READY }]);
  });

  it.each<[string, number, object, Script]>([
    [
      'ends after one second if a read of the test takes longer',
      1300,
      { kind: 'interrupted', status: null, firstReadAt: START_TIME },
      { latency: 2000 },
    ],
    [
      'ends after one second if a read of the results takes longer',
      3300,
      { kind: 'interrupted', state: 'ended', result: null },
      { latency: 2000, interruptedAt: 2300 },
    ],
    [
      'continues until the result is read if each read takes half a second',
      1000,
      { kind: 'ended', result: READY },
      { latency: 500 },
    ],
  ])('after a signal, the wait for a run %s', async (_, elapsed, outcome, script) => {
    expect(await follow({ interruptedAt: 300, ...script })).toMatchObject({ elapsed, outcome });
  });
});

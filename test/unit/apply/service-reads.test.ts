/** Reads that complete a plan or a report: progress, full records, unlisted apps and the proof of results. */
import { describe, expect, it } from 'vitest';
import { recordResult } from '../../../src/apply/observation/history.ts';
import { listClosedDuplicates, withKnownApps } from '../../../src/apply/observation/known-tests.ts';
import { readProgress } from '../../../src/apply/observation/progress.ts';
import { fetchFullRecords } from '../../../src/apply/runs/full-records.ts';
import { runActionOf } from '../../../src/apply/runs/run-by-id.ts';
import type { DoneRun } from '../../../src/apply/runs/runs.ts';
import {
  problemsOfFailure,
  sourcesOfState,
  withSourceLocation,
} from '../../../src/apply/source-locations.ts';
import type { CreateLine, JournalLine } from '../../../src/apply/uncertainty/journal.ts';
import { isRejectedForNow } from '../../../src/apply/uncertainty/sending.ts';
import { CallError, type CallFailure } from '../../../src/core/call-error.ts';
import type { RunProgress } from '../../../src/core/load/run-report.ts';
import { appId, resultId, testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import type { StatusKind } from '../../../src/core/model/load-test.ts';
import { problem } from '../../../src/core/problem.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import type { SourceRange } from '../../../src/core/source-location.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createResult } from '../../support/past-run.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const HOME = declareState().app('shop').test('home');
const ADDRESS = testAddress(testKey('home'));

function callError(changes: Partial<CallFailure> = {}): CallError {
  return new CallError(problem('LT_API_REFUSED', 'refused'), {
    ...{ outcome: 'refused', status: 422, errors: [] },
    ...changes,
  });
}

async function account() {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, latency: 0, verified: ['shop.example', 'search.example'] });
  const [declared] = HOME.state.tests;
  if (declared === undefined) throw new Error('Bug: no test is declared');
  service.addTest(declared.spec, { id: 't1' });
  const [observed] = (await service.port.listTests()).items;
  if (observed === undefined) throw new Error('Bug: no test is listed');
  return { clock, service, observed, context: createApplyContext({ service: service.port, clock }) };
}

describe('the progress of tests', () => {
  const progress: RunProgress = {
    ...{ elapsed: milliseconds(1000), warmingUp: false, connections: 1, success: 5, error: 0 },
    ...{ timeoutError: 0, networkError: 0, requestsPerSecond: 5, p95: null },
  };

  it('readProgress reads only running tests, and omits tests for which the service returns no progress', async () => {
    const { service, observed } = await account();
    const kinds: readonly StatusKind[] = ['running', 'complete', 'running', 'unspecified', 'running'];
    const tests = kinds.map((statusKind, index) => ({ ...observed, id: testId(`t${index}`), statusKind }));
    const read: string[] = [];
    const port = {
      ...service.port,
      getTest: (id: string) => {
        read.push(id);
        if (id === 't4') return Promise.reject(callError({ status: 404 }));
        return Promise.resolve({ test: observed, progress: id === 't0' ? progress : null });
      },
    };
    const found = await readProgress(tests, port, { now: 0, parallelism: 1 });
    expect(read).toEqual(['t0', 't2', 't4']);
    expect([...found]).toEqual([['t0', progress]]);
  });

  it('readProgress throws an unexpected error of a read', async () => {
    const { service, observed } = await account();
    const port = { ...service.port, getTest: () => Promise.reject(new TypeError('bug')) };
    const tests = [{ ...observed, statusKind: 'running' as const }];
    await expect(readProgress(tests, port, { now: 0, parallelism: 1 })).rejects.toThrow('bug');
  });
});

describe('full records of runs', () => {
  const runOf = (result: RunResult | null): DoneRun => ({
    ...{ address: ADDRESS, testId: testId('t1'), resultId: null, status: null, startedByUs: true, result },
    ...{ verdict: { verdict: 'none', thresholds: [], reason: null }, urlNames: [], end: 'ended' },
  });
  const resultOf = (id: string, changes: Partial<RunResult> = {}) => ({
    ...createResult({ id: resultId(id) }),
    ...changes,
  });
  const runs = [
    runOf(null),
    runOf(resultOf('r1')),
    runOf(resultOf('r2', { status: 'not_ready' })),
    runOf(resultOf('r3', { json: { timeline: [] } })),
    runOf(resultOf('r4')),
    runOf(resultOf('r5')),
  ];

  it('fetchFullRecords reads only ready results without a timeline, each within 5 s, and omits results that cannot be read', async () => {
    const reads: unknown[] = [];
    const getResult = (...read: readonly unknown[]) => {
      reads.push(read);
      if (read[1] === 'r4') return Promise.reject(callError());
      return Promise.resolve(read[1] === 'r5' ? null : resultOf('r1', { json: { timeline: ['full'] } }));
    };
    const interrupted = new AbortController().signal;
    const records = await fetchFullRecords(runs, { getResult }, { parallelism: 1, interrupted });
    expect(reads).toEqual(['r1', 'r4', 'r5'].map((id) => ['t1', id, { within: 5000 }]));
    expect([...records]).toEqual([['r1', { timeline: ['full'] }]]);
  });

  it('fetchFullRecords reads nothing after a signal, and throws an unexpected error of a read', async () => {
    const getResult = () => Promise.reject(new TypeError('bug'));
    const options = { parallelism: 1, interrupted: AbortSignal.abort() };
    expect((await fetchFullRecords(runs, { getResult }, options)).size).toBe(0);
    const running = { parallelism: 1, interrupted: new AbortController().signal };
    await expect(fetchFullRecords(runs, { getResult }, running)).rejects.toThrow('bug');
  });
});

it('runActionOf returns an action without a start time or thresholds, and with defaults for missing fields', async () => {
  const { observed } = await account();
  const incomplete = {
    ...observed,
    ...{ testType: { unrecognized: 'spike' }, duration: null, scheduledAt: 5, errorThreshold: 7 },
  };
  const { test, ...action } = runActionOf(incomplete);
  expect(action).toEqual({
    ...{ verb: 'run', address: 'test.t1', observed: incomplete, uncomparedSecrets: [], note: null },
  });
  expect(test).toMatchObject({
    key: 't1',
    spec: { testType: 'cycling', duration: 60_000, scheduledAt: null, errorThreshold: null },
    ...{ thresholds: [], regression: { thresholds: [], baseline: null }, urlNames: [] },
    ...{ needs: [], parallel: false, source: null },
  });
  const complete = { ...observed, testType: 'per-second' as const, duration: milliseconds(5000) };
  expect(runActionOf(complete).test.spec).toMatchObject({ testType: 'per-second', duration: 5000 });
});

describe('apps that the journal contains', () => {
  it('apps in the journal that the list lacks are added after the listed apps, unless they no longer exist', async () => {
    const { service } = await account();
    const { items } = await service.port.listApps();
    const before = service.count('getApp');
    const ids = ['app0', 'app1', 'app9'].map((id) => appId(id));
    const known = await withKnownApps(items.slice(0, 1), service.port, ids);
    expect(known.map(({ id, host }) => [id, host])).toEqual([
      ['app0', 'shop.example'],
      ['app1', 'search.example'],
    ]);
    expect(service.count('getApp') - before).toBe(2);
  });

  it.each([callError({ status: 403 }), new TypeError('bug')])(
    'if the read of an app fails with "%s", the error is thrown',
    async (error) => {
      const getApp = () => Promise.reject(error);
      await expect(withKnownApps([], { getApp }, [appId('app1')])).rejects.toBe(error);
    },
  );
});

const LINE: CreateLine = {
  ...{ service: 'https://api.example', p: 'shop', e: null, address: ADDRESS, nonce: 'n1', phase: 'done' },
  ...{ at: 1, op: 'create', s: 's', w: 'w', r: 0, id: testId('t1') },
};

it('listClosedDuplicates returns only the tests of create lines with the phase "duplicate"', () => {
  const lines: readonly JournalLine[] = [
    { ...LINE, phase: 'duplicate' },
    { ...LINE, id: testId('t2') },
    { ...LINE, id: null, phase: 'duplicate' },
    { ...LINE, op: 'start', id: testId('t3'), phase: 'duplicate', before: null },
  ];
  expect([...listClosedDuplicates(lines)]).toEqual(['t1']);
});

describe('the proof that a service provides results', () => {
  const result = createResult({ id: resultId('r1') });

  it('recordResult adds the first result to the last completed operation of its test, and records no further result', async () => {
    const { context } = await account();
    const { journal } = context;
    for (const changes of [
      {},
      { nonce: 'n2' },
      { nonce: 'n3', phase: 'refused' as const },
      { nonce: 'n4', id: testId('t2') },
    ])
      journal.write({ ...LINE, ...changes });
    recordResult(journal, testId('t1'), result);
    const recorded = { ...LINE, nonce: 'n2', result: 'r1' };
    expect(journal.lines().filter((line) => line.result !== undefined)).toEqual([recorded]);
    recordResult(journal, testId('t2'), result);
    expect(journal.lines().filter((line) => line.result !== undefined)).toEqual([recorded]);
  });

  it('the result of a test without a completed operation is not recorded', async () => {
    const { context } = await account();
    context.journal.write({ ...LINE, phase: 'sent' });
    recordResult(context.journal, testId('t1'), result);
    expect(context.journal.lines()).toEqual([{ ...LINE, phase: 'sent' }]);
  });
});

it.each<[boolean, CallFailure]>([
  [true, { outcome: 'not_sent', status: null, errors: [], transient: true }],
  [true, { outcome: 'refused', status: 429, errors: [], transient: true, retryAfter: milliseconds(0) }],
  [false, { outcome: 'refused', status: 429, errors: [], transient: true }],
  [false, { outcome: 'refused', status: 422, errors: [], retryAfter: milliseconds(5) }],
  [false, { outcome: 'not_sent', status: null, errors: [] }],
  [false, { outcome: 'unknown', status: 503, errors: [], transient: true, retryAfter: milliseconds(5) }],
])('isRejectedForNow returns %s for the failed request %j', (expected, failure) => {
  expect(isRejectedForNow(callError(failure))).toBe(expected);
});

describe('locations of problems', () => {
  const sourceAt = (line: number): SourceRange => ({
    ...{ file: 'loadtests.yaml', line, column: 1, length: 4, lineText: '' },
  });
  const { apps, tests } = HOME.state;
  const sourceOf = sourcesOfState({
    apps: apps.map((app) => ({ ...app, source: sourceAt(2) })),
    tests: tests.map((test) => ({ ...test, source: sourceAt(5) })),
  });

  it('an address such as "test.home" has the source location of its app or test, and an unknown address has none', () => {
    const lines = (['app.shop', 'test.home', 'test.shop', 'app.home'] as const).map(
      (address) => sourceOf(address)?.line,
    );
    expect(lines).toEqual([2, 5, undefined, undefined]);
  });

  it.each([
    ['it failed', 'test.home: it failed'],
    ['"home" failed', '"home" failed'],
    ['test.home failed', 'test.home failed'],
    ['"homes" failed', 'test.home: "homes" failed'],
  ])("a problem of test.home with the message '%s' is reported as '%s'", (message, expected) => {
    const found = withSourceLocation(problem('LT_API_REFUSED', message), ADDRESS, sourceOf);
    expect(found).toEqual(problem('LT_API_REFUSED', expected, { source: sourceAt(5) }));
  });

  it('withSourceLocation does not change a problem that has a location', () => {
    const found = problem('LT_API_REFUSED', 'it failed', { source: sourceAt(9) });
    expect(withSourceLocation(found, ADDRESS, sourceOf)).toBe(found);
  });

  it('a refused field is reported at the line of the field, or at the line of the test if the line of the field is unknown', () => {
    const field = (name: string) => ({ path: [name], about: 'value' as const });
    const error = callError({
      refusedFields: [
        { message: 'total is too large', field: field('total') },
        { message: 'name is too long', field: field('name') },
        { message: 'it is not allowed', field: null },
      ],
    });
    const locateField = (_: string, { path }: { readonly path: readonly unknown[] }) =>
      path[0] === 'total' ? sourceAt(7) : null;
    const found = problemsOfFailure(error, ADDRESS, { sourceOf, locateField });
    expect(found.map(({ code, message, source }) => [code, message, source?.line])).toEqual([
      ['LT_API_REFUSED', 'test.home: total is too large', 7],
      ['LT_API_REFUSED', 'test.home: name is too long', 5],
      ['LT_API_REFUSED', 'test.home: it is not allowed', 5],
    ]);
    const whole = problemsOfFailure(callError(), ADDRESS, { sourceOf, locateField });
    expect(whole).toEqual([problem('LT_API_REFUSED', 'test.home: refused', { source: sourceAt(5) })]);
  });
});

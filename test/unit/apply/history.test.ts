import { describe, expect, test } from 'vitest';
import { fetchDetail, hasGivenResults, readListedResults } from '../../../src/apply/observation/history.ts';
import type { JournalLine } from '../../../src/apply/uncertainty/journal.ts';
import { CallError } from '../../../src/core/call-error.ts';
import { resultId, testId, testKey } from '../../../src/core/model/ids.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { problem } from '../../../src/core/problem.ts';
import { createPastRun, createUrl, type ResultChanges } from '../../support/past-run.ts';
import { declaredTest } from '../../support/declared-state.ts';

const id = testId('t1');

const limitedTo = (thresholds: Readonly<Record<string, string>>) => {
  const { thresholds: parsed, regression } = declaredTest('home', { thresholds }, []);
  return { id, thresholds: parsed, regression };
};

/** Results as a list contains them: without the histograms that evaluate `p97`. */
const listed = (p95: number, changed: ResultChanges = {}) => createPastRun(p95, { times: null, ...changed });

/** Returns a result with a changed record. */
function changeRecord(result: RunResult | undefined, changes: Partial<RunResult['record']>): RunResult {
  if (result === undefined) throw new Error('no result');
  return { ...result, record: { ...result.record, ...changes } };
}

/** Provides the full records of these results, and records the requests for them. */
function recordsOf(full: readonly RunResult[]) {
  const requested: string[] = [];
  const getResult = (_test: unknown, result: string) => {
    requested.push(result);
    return Promise.resolve(full.find((one) => one.id === result) ?? null);
  };
  return { requested, getResult };
}

describe('full records of past results', () => {
  test('apply reads full results, newest first, until one result determines a verdict', async () => {
    const results = [listed(100, { status: 'not_ready' }), listed(100), listed(200), listed(300)];
    const [, second, third] = results;
    const full = [
      changeRecord(second, { abortReason: 'stopped' }),
      changeRecord(third, { times: createPastRun(200).record.times }),
    ];
    const service = recordsOf(full);
    const detailed = await fetchDetail(results, limitedTo({ p97: '< 150ms' }), service);
    expect(service.requested).toEqual([second?.id, third?.id]);
    expect(detailed).toEqual([results[0], ...full, results[3]]);
  });

  test.each([
    ['passes', '< 150ms'],
    ['fails', '< 50ms'],
  ])('apply reads no further results after a result that %s', async (_name, limit) => {
    const results = [listed(100), listed(100)];
    const service = recordsOf([changeRecord(results[0], { times: createPastRun(100).record.times })]);
    await fetchDetail(results, limitedTo({ p97: limit }), service);
    expect(service.requested).toEqual([results[0]?.id]);
  });

  test('if the service has no full records of results, fetchDetail returns the listed results unchanged', async () => {
    const results = [listed(100), listed(100)];
    const service = recordsOf([]);
    expect(await fetchDetail(results, limitedTo({ p97: '< 150ms' }), service)).toEqual(results);
    expect(service.requested).toEqual(results.map((one) => one.id));
  });

  test('apply does not read full results if the list of results is sufficient for the thresholds', async () => {
    const results = [listed(100)];
    const service = recordsOf([]);
    expect(await fetchDetail(results, limitedTo({ p95: '< 150ms' }), service)).toBe(results);
    expect(service.requested).toEqual([]);
  });

  test('apply reads full results for a threshold on the error rate of a group, which needs the metrics of the URLs', async () => {
    const urls = [createUrl({ metrics: { requests: 100, error_rate: 0 } })];
    const results = [createPastRun(100, { urls: null })];
    const service = recordsOf([changeRecord(results[0], { urls })]);
    const { thresholds, ...rest } = limitedTo({ error_rate: '< 1%' });
    const ofGroup = thresholds.map((threshold) => ({ ...threshold, group: { label: 'read', urls: [0] } }));
    const detailed = await fetchDetail(results, { ...rest, thresholds: ofGroup }, service);
    expect(service.requested).toEqual([results[0]?.id]);
    expect(detailed[0]?.record.urls).toEqual(urls);
  });

  test('apply reads the full result of a partial run even if the list is sufficient for the thresholds', async () => {
    const results = [listed(100, { abortReason: 'partial' }), listed(100), listed(100)];
    const service = recordsOf([]);
    await fetchDetail(results, limitedTo({ p95: '< 150ms' }), service);
    expect(service.requested).toEqual([results[0]?.id]);
  });
});

describe('results of listed tests', () => {
  const failWith = (status: number) => () =>
    Promise.reject(
      new CallError(problem('LT_API_REFUSED', 'refused'), { outcome: 'refused', status, errors: [] }),
    );

  test('a "not found" response for the results of a listed test counts as an empty list', async () => {
    expect(await readListedResults({ listResults: failWith(404) }, id)).toEqual([]);
  });

  test('if reading the results of a listed test fails with status 403 or a TypeError, the error is thrown', async () => {
    await expect(readListedResults({ listResults: failWith(403) }, id)).rejects.toMatchObject({
      status: 403,
    });
    const bug = () => Promise.reject(new TypeError('Bug: 404'));
    await expect(readListedResults({ listResults: bug }, id)).rejects.toThrow('Bug: 404');
  });
});

describe('evidence that a service provides results', () => {
  const start = {
    ...{ service: 'https://api.example', p: 'shop', e: null, address: `test.${testKey('home')}` as const },
    ...{ nonce: 'nonce001', phase: 'done' as const, at: 0, op: 'start' as const, id, before: null },
  } satisfies JournalLine;
  const creation = { ...start, op: 'create' as const, s: 's', w: 'w', r: 0 } satisfies JournalLine;

  test.each<[boolean, string, readonly JournalLine[]]>([
    [false, 'no lines', []],
    [false, 'a creation without a result', [creation]],
    [true, 'a creation with a result', [{ ...creation, result: resultId('r1') }]],
    [false, 'a start without known results', [start]],
    [false, 'a start without earlier results', [{ ...start, before: [] }]],
    [true, 'a start after an earlier result', [{ ...start, before: [resultId('r1')] }]],
    [true, 'several starts, one of them with a result', [start, { ...start, result: resultId('r1') }, start]],
  ])('hasGivenResults returns %s for a journal with %s', (expected, _name, lines) => {
    expect(hasGivenResults(lines)).toBe(expected);
  });
});

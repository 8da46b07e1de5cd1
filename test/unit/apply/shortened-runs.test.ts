/** Verdicts of runs that ended too early, and the reasons that they state. */
import { describe, expect, test } from 'vitest';
import { evaluateShortenedRun, minRunTime } from '../../../src/apply/runs/evaluation.ts';
import type { RunStop } from '../../../src/core/model/run-stop.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { createResult, type ResultChanges } from '../../support/past-run.ts';

function evaluate(
  atMost: number,
  {
    stop = null,
    result = {},
    fields = {},
  }: { stop?: RunStop | null; result?: ResultChanges; fields?: TestFields },
) {
  const [home] = declareState()
    .app('shop')
    .test('home', { duration: '60s', ...fields }).state.tests;
  if (home === undefined) throw new Error('Bug: the state declares no test');
  // A service that does not report the reason for the end.
  const ended = createResult({ ...result, abortReason: undefined });
  return evaluateShortenedRun(home, ended, { atMost, stop: () => stop });
}

const THRESHOLDS = { thresholds: { error_rate: '< 1%' } };
const stopped = (cause: RunStop['cause'], client: string | null): RunStop => ({ at: 0, cause, client });

describe('a run that ended too early', () => {
  test.each<[stop: RunStop | null, reason: string]>([
    [null, 'the run ended after 20.0 s of 60'],
    [stopped('request', 'loadtests stop'), 'the run ended after 20.0 s of 60: stopped by loadtests stop'],
    [stopped('request', null), 'the run ended after 20.0 s of 60: stopped by a request'],
    [
      stopped('app_deleted', 'loadtests destroy'),
      'the run ended after 20.0 s of 60: stopped because loadtests destroy deleted its app',
    ],
    [
      stopped('app_deleted', null),
      'the run ended after 20.0 s of 60: stopped because a request deleted its app',
    ],
    [stopped('closed', null), 'the run ended after 20.0 s of 60: stopped because the service shut down'],
  ])('with the stop %j, the run has no verdict, and the reason is "%s"', (stop, reason) => {
    const evaluation = evaluate(20_000, { stop, fields: THRESHOLDS });
    expect(evaluation?.verdict).toMatchObject({ verdict: 'inconclusive', reason });
    expect(evaluation?.verdict.thresholds.map(({ verdict }) => verdict)).toEqual(['inconclusive']);
    expect(evaluation?.problems.map(({ code, message }) => [code, message])).toEqual([
      ['LT_RUN_INCONCLUSIVE', `"home" has no verdict: ${reason}`],
    ]);
  });

  test('without thresholds, the run has a reason but no problem', () => {
    expect(evaluate(20_000, {})).toMatchObject({
      verdict: { verdict: 'none', reason: 'the run ended after 20.0 s of 60' },
      problems: [],
    });
  });

  test.each<[name: string, duration: string, atMost: number, isShortened: boolean]>([
    ['a tenth of a long run is missing', '60s', 54_000, false],
    ['more than a tenth of a long run is missing', '60s', 53_999, true],
    ['2 s of a short run are missing', '5s', 3_000, false],
    ['more than 2 s of a short run are missing', '5s', 2_999, true],
    ['the run took longer', '60s', 70_000, false],
  ])('if %s, whether the run is shortened is correct', (_, duration, atMost, isShortened) => {
    expect(evaluate(atMost, { fields: { duration } }) !== null).toBe(isShortened);
  });

  test.each<[name: string, errorRate: number, fields: TestFields, verdict: string]>([
    ['at the error threshold', 40, { errorThreshold: 40 }, 'fail'],
    ['below the error threshold', 39, { errorThreshold: 40 }, 'inconclusive'],
    ['at the default error threshold', 50, {}, 'fail'],
    ['below the default error threshold', 49, {}, 'inconclusive'],
    ['without errors and with a threshold of 0', 0, { errorThreshold: 0 }, 'inconclusive'],
  ])('with an error rate %s, the run has the right verdict', (_, errorRate, fields, verdict) => {
    const result = { metrics: { error_rate: errorRate } };
    expect(evaluate(20_000, { result, fields: { ...THRESHOLDS, ...fields } })?.verdict.verdict).toBe(verdict);
  });

  test('a result that is not ready is not evaluated', () => {
    expect(evaluate(20_000, { result: { status: 'not_ready' } })).toBeNull();
  });
});

test.each<[name: string, fields: TestFields, time: number]>([
  ['a cycling test', {}, 60_000],
  ['a per-second test', { type: 'per-second' }, 60_000],
  ['a fixed number of clients', { type: 'non-cycling', total: 4 }, 45_000],
])('the minimum run time of %s is known', (_, fields, time) => {
  const [home] = declareState()
    .app('shop')
    .test('home', { duration: '60s', ...fields }).state.tests;
  expect(home && minRunTime(home.spec)).toBe(time);
});

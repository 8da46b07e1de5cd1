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
  test.each<[reason: string, stop: RunStop | null]>([
    ['the run ended after 20.0 of 60 s', null],
    ['the run ended after 20.0 of 60 s: stopped by loadtests stop', stopped('request', 'loadtests stop')],
    ['the run ended after 20.0 of 60 s: stopped by a request', stopped('request', null)],
    [
      'the run ended after 20.0 of 60 s: stopped because loadtests destroy deleted the app of the test',
      stopped('app_deleted', 'loadtests destroy'),
    ],
    [
      'the run ended after 20.0 of 60 s: stopped because a request deleted the app of the test',
      stopped('app_deleted', null),
    ],
    ['the run ended after 20.0 of 60 s: stopped because the service shut down', stopped('closed', null)],
  ])('a run that ended early is inconclusive with the reason "%s"', (reason, stop) => {
    const evaluation = evaluate(20_000, { stop, fields: THRESHOLDS });
    expect(evaluation?.verdict).toMatchObject({ verdict: 'inconclusive', reason });
    expect(evaluation?.verdict.thresholds.map(({ verdict }) => verdict)).toEqual(['inconclusive']);
    expect(evaluation?.problems.map(({ code, message }) => [code, message])).toEqual([
      ['LT_RUN_INCONCLUSIVE', `"home" has no verdict: ${reason}`],
    ]);
  });

  test('if a test has no thresholds, a run that ended early has the verdict "none" with a reason, and is not reported as a problem', () => {
    expect(evaluate(20_000, {})).toMatchObject({
      verdict: { verdict: 'none', reason: 'the run ended after 20.0 of 60 s' },
      problems: [],
    });
  });

  test.each<[name: string, duration: string, atMost: number, isShortened: boolean]>([
    ['that lasts 54 s instead of 60 s does not count as shortened', '60s', 54_000, false],
    ['that lasts 53.999 s instead of 60 s counts as shortened', '60s', 53_999, true],
    ['that lasts 3 s instead of 5 s does not count as shortened', '5s', 3_000, false],
    ['that lasts 2.999 s instead of 5 s counts as shortened', '5s', 2_999, true],
    ['that lasts 70 s instead of 60 s does not count as shortened', '60s', 70_000, false],
  ])('a run %s', (_, duration, atMost, isShortened) => {
    expect(evaluate(atMost, { fields: { duration } }) !== null).toBe(isShortened);
  });

  test.each<[name: string, verdict: string, errorRate: number, fields: TestFields]>([
    ['at the error threshold', 'fail', 40, { errorThreshold: 40 }],
    ['below the error threshold', 'inconclusive', 39, { errorThreshold: 40 }],
    ['at the default error threshold', 'fail', 50, {}],
    ['below the default error threshold', 'inconclusive', 49, {}],
    ['of 0 and an error threshold of 0', 'inconclusive', 0, { errorThreshold: 0 }],
  ])('a shortened run with an error rate %s has the verdict "%s"', (_, verdict, errorRate, fields) => {
    const result = { metrics: { error_rate: errorRate } };
    expect(evaluate(20_000, { result, fields: { ...THRESHOLDS, ...fields } })?.verdict.verdict).toBe(verdict);
  });

  test('a shortened run is not evaluated if its result is not ready', () => {
    expect(evaluate(20_000, { result: { status: 'not_ready' } })).toBeNull();
  });
});

test.each<[name: string, time: number, fields: TestFields]>([
  ['a cycling test', 60_000, {}],
  ['a per-second test', 60_000, { type: 'per-second' }],
  ['a non-cycling test of 4 clients', 45_000, { type: 'non-cycling', total: 4 }],
])('the minimum run time of %s with a duration of 60 s is %i ms', (_, time, fields) => {
  const [home] = declareState()
    .app('shop')
    .test('home', { duration: '60s', ...fields }).state.tests;
  expect(home && minRunTime(home.spec)).toBe(time);
});

import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/core/judge.ts';
import { resultId } from '../../../src/core/model/ids.ts';
import type { RunResult } from '../../../src/core/model/run.ts';
import { declaredTest } from '../../rig/world.ts';

const { thresholds } = declaredTest('home', { thresholds: { error_rate: '< 1%', p95: '< 300ms' } }, []);

function result(changed: Partial<RunResult> = {}): RunResult {
  return {
    id: resultId('r1'),
    startedAt: 0,
    status: 'ready',
    figures: { error_rate: 0.5, p95: 212.4, requests: 300 },
    abortReason: null,
    generatorOverloaded: false,
    measured: null,
    dataSent: null,
    peakConnections: null,
    record: {},
    ...changed,
  };
}

describe('a verdict', () => {
  test.each([
    ['figures within all limits', result(), 'pass', 'none', null],
    ['a figure outside', result({ figures: { error_rate: 2, p95: 1, requests: 9 } }), 'fail', 'none', null],
    [
      'a missing figure',
      result({ figures: { error_rate: 0, requests: 9 } }),
      'inconclusive',
      'none',
      'the result has no p95',
    ],
    [
      'a missing figure beside one that fails',
      result({ figures: { error_rate: 2, requests: 9 } }),
      'fail',
      'none',
      null,
    ],
    ['no result', null, 'inconclusive', 'none', 'the result is missing'],
    ['not ready', result({ status: 'not_ready' }), 'inconclusive', 'none', 'the result is not ready'],
    ['an unknown status', result({ status: 'other' }), 'inconclusive', 'none', 'the result is not ready'],
    ['no samples', result({ figures: { requests: 0 } }), 'inconclusive', 'none', 'the run has no samples'],
    [
      'an overloaded generator',
      result({ generatorOverloaded: true }),
      'inconclusive',
      'none',
      'the load generator was overloaded',
    ],
    ['a stop', result({ abortReason: 'stopped' }), 'inconclusive', 'none', 'the run ended early: stopped'],
    [
      'a missed schedule',
      result({ abortReason: 'missed' }),
      'inconclusive',
      'none',
      'the run ended early: missed',
    ],
    [
      'the error threshold',
      result({ abortReason: 'error_threshold' }),
      'fail',
      'fail',
      'the error threshold was reached',
    ],
    [
      'the error threshold, overloaded as well',
      result({ abortReason: 'error_threshold', generatorOverloaded: true, figures: {} }),
      'fail',
      'fail',
      'the error threshold was reached',
    ],
    ['an abort reason that says nothing', result({ abortReason: '' }), 'pass', 'none', null],
    ['an abort reason that is not told', result({ abortReason: undefined }), 'pass', 'none', null],
  ] as const)('%s', (_name, given, withThresholds, without, reason) => {
    expect(judge(thresholds, given)).toMatchObject({ verdict: withThresholds, reason });
    expect(judge([], given).verdict).toBe(without);
  });

  test('names each threshold with its figure', () => {
    expect(judge(thresholds, result({ figures: { error_rate: 2, requests: 9 } })).thresholds).toEqual([
      { metric: 'error_rate', limit: '< 1%', value: 2, verdict: 'fail' },
      { metric: 'p95', limit: '< 300ms', value: null, verdict: 'inconclusive' },
    ]);
  });

  test('of a run that cannot be judged takes no single threshold for passed', () => {
    const each = judge(thresholds, result({ abortReason: 'stopped' })).thresholds;
    expect(each.map(({ verdict, value }) => [verdict, value])).toEqual([
      ['inconclusive', 0.5],
      ['inconclusive', 212.4],
    ]);
  });

  test.each([
    ['< 300ms', 300, 'fail'],
    ['<= 300ms', 300, 'pass'],
    ['> 300ms', 300, 'fail'],
    ['>= 300ms', 300, 'pass'],
    ['< 0.3s', 299, 'pass'],
    ['>= 0.3s', 299, 'fail'],
  ] as const)('%s of %d ms is a %s', (limit, value, verdict) => {
    const one = declaredTest('home', { thresholds: { p95: limit } }, []).thresholds;
    expect(judge(one, result({ figures: { p95: value, requests: 1 } })).verdict).toBe(verdict);
  });
});

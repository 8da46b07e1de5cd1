/** Codec of run verdicts. */
import { describe, expect, it } from 'vitest';
import { encodeRunVerdict } from '../../../src/contract/verdict-codec.ts';
import { readRunVerdict } from '../../../src/core/run-record/read-verdict.ts';
import type { RunVerdict } from '../../../src/core/model/run-verdict.ts';

const VERDICT: RunVerdict = {
  verdict: 'inconclusive',
  reason: 'the run ended early (stopped)',
  urlNames: ['cart', null],
  baseline: ['a'.repeat(32)],
  thresholds: [
    { metric: 'p95', limit: '< 300ms', value: 412.4, bounds: { low: 400, high: null }, verdict: 'fail' },
    {
      metric: 'p99.9',
      url: 'cart',
      limit: '< 1s',
      value: null,
      verdict: 'inconclusive',
      reason: 'between 0.9 and 1.2 s',
    },
    {
      metric: 'p95',
      limit: 'at most 10% worse than the baseline',
      value: 1,
      verdict: 'pass',
      regression: {
        worseBy: -0.5,
        allowed: 10,
        baseline: 40.2,
        runs: 1,
        baselineRuns: 5,
        standardDeviation: null,
      },
    },
  ],
};

describe('verdict codec', () => {
  it('a verdict is unchanged after it is encoded and decoded', () => {
    expect(readRunVerdict(JSON.parse(JSON.stringify(encodeRunVerdict(VERDICT))))).toEqual(VERDICT);
  });

  it('an encoded verdict does not contain the path of the file that declares a threshold', () => {
    const [first] = VERDICT.thresholds;
    if (first === undefined) throw new Error('the fixture has no thresholds');
    const source = { file: '/home/anna/shop/loadtests.yaml', line: 4, column: 2 };
    const text = JSON.stringify(encodeRunVerdict({ ...VERDICT, thresholds: [{ ...first, source }] }));
    expect(text).not.toContain('anna');
  });

  it.each([undefined, null, 'pass', {}, { verdict: 'good', thresholds: [] }, { verdict: 'pass' }])(
    'readRunVerdict returns null for %j',
    (value) => {
      expect(readRunVerdict(value)).toBeNull();
    },
  );
});

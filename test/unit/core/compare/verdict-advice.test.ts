import { expect, test } from 'vitest';
import { doubtCause } from '../../../../src/core/compare/verdict-advice.ts';
import { NOT_DELIVERED } from '../../../../src/core/compare/uncertainty.ts';

const uncertain = {
  metric: 'p95',
  limit: '< 300ms',
  value: 310,
  bounds: { low: 120, high: 310 },
  verdict: 'inconclusive',
  reason: 'between 120 and 310 ms: the load generator stalled for up to 180 ms in 3 of 8 seconds',
} as const;
const withFewResponses = {
  metric: 'p99',
  limit: '< 1s',
  value: 412,
  verdict: 'inconclusive',
  reason: '412 ms from 120 responses (at least 1,000 are needed)',
} as const;
const withoutBaseline = {
  metric: 'p95',
  limit: 'at most 10% worse than the baseline',
  value: 310,
  verdict: 'inconclusive',
  reason: 'the test has no baseline',
} as const;

test.each([
  [
    'whose load generator did not deliver the load',
    `${NOT_DELIVERED}: 30 of 100 clients never started`,
    [],
    'generator',
  ],
  ['with a threshold inside the bounds of its metric', null, [uncertain], 'generator'],
  ['with too few responses for a threshold', null, [withFewResponses], 'samples'],
  [
    'with an uncertain threshold and too few responses for another threshold',
    null,
    [withFewResponses, uncertain],
    'generator',
  ],
  ['with a missing baseline and too few responses', null, [withoutBaseline, withFewResponses], 'samples'],
] as const)('doubtCause returns $3 for a run %s', (_name, reason, thresholds, cause) => {
  expect(doubtCause({ reason, thresholds })).toBe(cause);
});

test.each([
  ['that was stopped', 'the run ended early, stopped by loadtests stop', [{ ...uncertain, reason: null }]],
  ['without a baseline', null, [withoutBaseline]],
  ['that passed', null, [{ ...uncertain, limit: '< 400ms', verdict: 'pass' }]],
] as const)('doubtCause returns null for a run %s', (_name, reason, thresholds) => {
  expect(doubtCause({ reason, thresholds })).toBeNull();
});

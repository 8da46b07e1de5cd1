import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { toRecordedRun } from '../../../../src/core/report/run-document.ts';
import { createResultRecord } from '../../../support/result-records.ts';

function result(changes: Partial<ResultRecord>) {
  const record = createResultRecord({ seconds: 3 }) as unknown as ResultRecord; // a valid record
  return decodeResult({ ...record, ...changes });
}

describe('published verdicts', () => {
  it('the published verdict is reported', () => {
    const verdict = {
      verdict: 'inconclusive',
      reason: 'too few runs',
      thresholds: [
        { metric: 'p95', limit: '< 1s', value: 20, verdict: 'inconclusive', reason: 'too few samples' },
      ],
    };
    expect(toRecordedRun(result({ verdict }))).toMatchObject(verdict);
  });

  it.each([
    [null, null],
    ['error_threshold', 'the error threshold was reached'],
    ['stopped', 'the run ended early: stopped'],
  ])('without a published verdict, a run with the abort reason %s has no verdict', (reason, text) => {
    expect(toRecordedRun(result({ abort_reason: reason }))).toMatchObject({
      verdict: 'none',
      thresholds: [],
      reason: text,
    });
  });

  it('a run in progress has metrics and no verdict', () => {
    const run = toRecordedRun(result({ status: 'not_ready' }));
    expect(run).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(run.metrics).not.toBeNull();
  });
});

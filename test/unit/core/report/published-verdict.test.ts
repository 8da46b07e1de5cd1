import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { toRecordedRun } from '../../../../src/core/report/run-document.ts';
import { createResultRecord } from '../../../support/result-records.ts';

function result(changes: Partial<ResultRecord>) {
  const record = createResultRecord({ seconds: 3 }) as unknown as ResultRecord; // a record of ours
  return decodeResult({ ...record, ...changes });
}

describe('the verdict that a service tells', () => {
  it('is the one that was told', () => {
    const verdict = {
      ...{ verdict: 'inconclusive', reason: 'too few runs' },
      thresholds: [{ metric: 'p95', limit: '< 1s', value: 20, verdict: 'inconclusive', reason: 'who knows' }],
    };
    expect(toRecordedRun(result({ judgement: verdict }))).toMatchObject(verdict);
  });

  it.each([
    [null, null],
    ['error_threshold', 'the error threshold was reached'],
    ['stopped', 'the run ended early: stopped'],
  ])('is none where nobody told one: ended by %s', (reason, text) => {
    expect(toRecordedRun(result({ abort_reason: reason }))).toMatchObject({
      verdict: 'none',
      thresholds: [],
      reason: text,
    });
  });

  it('is none of a run that goes on, whose figures are shown', () => {
    const told = toRecordedRun(result({ status: 'not_ready' }));
    expect(told).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(told.metrics).not.toBeNull();
  });
});

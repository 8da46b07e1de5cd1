import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { toldRun } from '../../../../src/core/report/run.ts';
import { recordOf } from '../../../rig/result-records.ts';

function result(changes: Partial<ResultRecord>) {
  const record = recordOf({ seconds: 3 }) as unknown as ResultRecord; // a record of ours
  return decodeResult({ ...record, ...changes });
}

describe('the verdict that a service tells', () => {
  it('is the one that was told', () => {
    const judgement = {
      ...{ verdict: 'inconclusive', reason: 'too few runs' },
      thresholds: [{ metric: 'p95', limit: '< 1s', value: 20, verdict: 'inconclusive', reason: 'who knows' }],
    };
    expect(toldRun(result({ judgement }))).toMatchObject(judgement);
  });

  it.each([
    [null, null],
    ['error_threshold', 'the error threshold was reached'],
    ['stopped', 'the run ended early: stopped'],
  ])('is none where nobody told one: ended by %s', (reason, text) => {
    expect(toldRun(result({ abort_reason: reason }))).toMatchObject({
      verdict: 'none',
      thresholds: [],
      reason: text,
    });
  });

  it('is none of a run that goes on, whose figures are shown', () => {
    const told = toldRun(result({ status: 'not_ready' }));
    expect(told).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(told.metrics).not.toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { toRecordedRun } from '../../../../src/core/report/run-document.ts';
import { createBaseline } from '../../../../src/contract/baseline-codec.ts';
import { encodeRunVerdict } from '../../../../src/contract/verdict-codec.ts';
import { pendingThresholds } from '../../../../src/core/compare/run-evaluation.ts';
import type { RunRecord } from '../../../../src/core/run-record/run-record.ts';
import { readRunVerdict } from '../../../../src/core/run-record/read-verdict.ts';
import { parseThreshold } from '../../../../src/core/model/threshold.ts';
import { createPastRun, createUrl } from '../../../support/past-run.ts';
import { createResultRecord } from '../../../support/result-records.ts';

function result(changes: Partial<ResultRecord>) {
  const record = createResultRecord({ seconds: 3 }) as unknown as ResultRecord; // a valid record
  return decodeResult({ ...record, ...changes });
}

describe('published verdicts', () => {
  it('a published verdict is reported with its reason and thresholds', () => {
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
    [null, 'none', null],
    ['error_threshold', 'fail', 'the error threshold was reached'],
    ['threshold', 'fail', 'a threshold with "abort_after" failed'],
    ['stopped', 'none', 'the run ended early (stopped)'],
  ])(
    'without a published verdict, a run with the abort reason %s has the verdict %s',
    (reason, verdict, text) => {
      expect(toRecordedRun(result({ abort_reason: reason }))).toMatchObject({
        verdict,
        thresholds: [],
        reason: text,
      });
    },
  );

  it('in a run in progress, published thresholds on the run, URLs, flows, groups and baselines have current values', () => {
    const { record } = createPastRun(44);
    const urlOf = ({ metrics, times, bounds }: RunRecord) => createUrl({ metrics, times, bounds });
    const urls = [20, 90].map((p95) => urlOf(createPastRun(p95).record));
    const flow = { ...urlOf(record), name: 'buy' };
    const regression = {
      thresholds: [{ metric: 'p95', allowed: 0.2, limit: '20%', source: null }],
      baseline: {
        kind: 'read',
        path: 'baselines/home.json',
        baseline: createBaseline('0.0', [createPastRun(40), createPastRun(40)]),
      },
    } as const;
    const limits = [parseThreshold('p95', '< 50ms', null), parseThreshold('p97', '< 1s', null)];
    const thresholds = pendingThresholds({ thresholds: limits.flatMap((one) => one ?? []), regression });
    expect(thresholds.map(({ value }) => value)).toEqual([null, null, null]);
    const [limit] = thresholds;
    if (limit === undefined) throw new Error('Bug: no thresholds');
    const parts = [
      { url: 'cart' },
      { flow: 'buy' },
      { group: 'all' },
      { group: 'missing' },
      { metric: 'p9x' },
    ];
    const published = readRunVerdict(
      encodeRunVerdict({
        verdict: 'none',
        reason: null,
        urlNames: [null, 'cart'],
        urlGroups: [{ name: 'all', urls: [0, 1] }],
        thresholds: [...thresholds, ...parts.map((part) => ({ ...limit, ...part }))],
      }),
    );
    const active = { ...record, urls, flows: [flow] };
    const run = toRecordedRun({ ...result({ status: 'not_ready' }), verdict: published, record: active });
    const near = (value: number) => expect.closeTo(value, 0) as number;
    expect(run.thresholds.map(({ value }) => value)).toEqual([near(44), near(44), near(44), near(90), near(44), near(90), null, null]); // oxfmt-ignore
    expect(run.thresholds[2]?.regression).toMatchObject({ worse_by: near(10), allowed: 20, baseline: near(40), runs: 0, baseline_runs: 2 }); // oxfmt-ignore
    expect(run.thresholds.every(({ verdict }) => verdict === 'inconclusive')).toBe(true);
    expect(run.url_groups).toMatchObject([{ name: 'all', urls: [0, 1], metrics: { requests: 2000 } }]);
  });

  it('a run in progress has metrics and no verdict', () => {
    const run = toRecordedRun(result({ status: 'not_ready' }));
    expect(run).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(run.metrics).not.toBeNull();
  });
});

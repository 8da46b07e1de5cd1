import type { ComparedRun, RunToCompare } from '../core/compare/compare-runs.ts';
import { toRecordedRun } from '../core/report/run-document.ts';
import type { RunComparison } from './generated/run-comparison.ts';

export interface TitledRun extends RunToCompare {
  /** Key of the test; if there is none, the title or ID. */
  readonly title: string;
}

export function encodeComparison(runs: readonly ComparedRun<TitledRun>[]): RunComparison {
  return {
    runs: runs.map(({ run: { testId, result, title }, label, metrics, obstacles, warnings }) => ({
      test_id: testId,
      result_id: result.id,
      label,
      title,
      report: { ...toRecordedRun(result) },
      metrics: metrics.map(({ metric, before, after, change }) => ({ metric, before, after, change })),
      obstacles: [...obstacles],
      warnings: [...warnings],
    })),
  };
}

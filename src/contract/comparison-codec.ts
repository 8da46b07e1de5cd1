/** Runs beside each other → wire. */
import type { ComparedRun, RunToCompare } from '../core/compare/compare-runs.ts';
import { toRecordedRun } from '../core/report/run-document.ts';
import type { RunComparison } from './generated/run-comparison.ts';

export interface TitledRun extends RunToCompare {
  /** What the test is called, for people. */
  readonly title: string;
}

export function encodeComparison(beside: readonly ComparedRun<TitledRun>[]): RunComparison {
  return {
    runs: beside.map(({ run: { test, result, title }, label, metrics, obstacles, warnings }) => ({
      ...{ test_id: test.id, result_id: result.id, label: label, title },
      report: { ...toRecordedRun(result) },
      metrics: metrics.map(({ metric, before, after, change }) => ({ metric, before, after, change })),
      ...{ obstacles: [...obstacles], warnings: [...warnings] },
    })),
  };
}

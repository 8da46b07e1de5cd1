/** Runs beside each other → wire. */
import type { RunBeside, RunToCompare } from '../core/compare/beside-each-other.ts';
import { toldRun } from '../core/report/run.ts';
import type { RunComparison } from './generated/run-comparison.ts';

export interface TitledRun extends RunToCompare {
  /** What the test is called, for people. */
  readonly title: string;
}

export function encodeComparison(beside: readonly RunBeside<TitledRun>[]): RunComparison {
  return {
    runs: beside.map(({ run: { test, result, title }, letter, figures, hindrances, cautions }) => ({
      ...{ test_id: test.id, result_id: result.id, label: letter, title },
      report: { ...toldRun(result) },
      metrics: figures.map(({ metric, before, after, change }) => ({ metric, before, after, change })),
      ...{ obstacles: [...hindrances], warnings: [...cautions] },
    })),
  };
}

/** Runs beside each other, as far as the service shows them and their tests. */
import type { TitledRun } from '../../contract/comparison-codec.ts';
import { decodeResult, encodeStoredResult } from '../../contract/result-codec.ts';
import { decodeTestRecord, encodeTestRecord } from '../../contract/test-codec.ts';
import { compareRuns, type ComparedRun } from '../../core/compare/compare-runs.ts';
import type { NamedRun } from '../../core/compare/run-names.ts';
import { Refusal } from '../refusal.ts';
import type { LabelStore } from '../store/label-store.ts';
import type { ResultStore } from '../store/result-store.ts';
import type { TestStore } from '../store/test-store.ts';

export interface ComparisonDeps {
  readonly results: ResultStore;
  readonly tests: TestStore;
  readonly labels: LabelStore;
}

/** Errors: Refusal 404. */
export function readComparison(
  parts: ComparisonDeps,
  runs: readonly NamedRun[],
): readonly ComparedRun<TitledRun>[] {
  return compareRuns(runs.map((run) => readTitledRun(parts, run)));
}

function readTitledRun(
  { results, tests, labels }: ComparisonDeps,
  { test: id, result }: NamedRun,
): TitledRun {
  const [test, run] = [tests.get(id), results.get(id, result)];
  if (test === null || run === null) throw new Refusal(404, [`there is no run ${result} of the test ${id}`]);
  return {
    test: decodeTestRecord(encodeTestRecord(test)),
    result: decodeResult(encodeStoredResult(run)),
    title: labels.get(id)?.title ?? id,
  };
}

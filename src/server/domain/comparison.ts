import type { TitledRun } from '../../contract/comparison-codec.ts';
import { readStoredResult } from '../../contract/result-codec.ts';
import { decodeTestRecord, encodeTestRecord } from '../../contract/test-codec.ts';
import { compareRuns, type ComparedRun } from '../../core/compare/compare-runs.ts';
import type { NamedRun } from '../../core/compare/run-names.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { loadDifferencesBetween } from '../../core/reconcile/load-digest.ts';
import { Refusal } from '../refusal.ts';
import type { LabelStore } from '../store/label-store.ts';
import type { ResultStore } from '../store/result-store.ts';
import type { TestStore } from '../store/test-store.ts';

export interface ComparisonDeps {
  readonly results: ResultStore;
  readonly tests: TestStore;
  readonly labels: LabelStore;
}

/** @throws Refusal 404 if a test or run does not exist. */
export function readComparison(
  deps: ComparisonDeps,
  runs: readonly NamedRun[],
): readonly ComparedRun<TitledRun>[] {
  return compareRuns(
    runs.map((run) => readRunOfTest(deps, run)),
    (before, after) => loadDifferencesBetween(before.test, after.test),
  );
}

interface RunOfTest extends TitledRun {
  readonly test: ObservedTest;
}

function readRunOfTest(
  { results, tests, labels }: ComparisonDeps,
  { test: id, result }: NamedRun,
): RunOfTest {
  const [test, run] = [tests.get(id), results.get(id, result)];
  if (test === null || run === null)
    throw new Refusal(404, [`the run ${result} of the test ${id} does not exist`]);
  const label = labels.get(id);
  return {
    testId: id,
    test: decodeTestRecord(encodeTestRecord(test)),
    result: readStoredResult(run),
    title: label?.key ?? label?.title ?? id,
  };
}

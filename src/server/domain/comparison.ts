/** Runs beside each other, as far as the service shows them and their tests. */
import type { TitledRun } from '../../contract/comparison-codec.ts';
import { decodeResult, encodeStoredResult } from '../../contract/result-codec.ts';
import { decodeTestRecord, encodeTestRecord } from '../../contract/test-codec.ts';
import { besideEachOther, type RunBeside } from '../../core/compare/beside-each-other.ts';
import type { NamedRun } from '../../core/compare/run-names.ts';
import { Refusal } from '../refusal.ts';
import type { LabelStore } from '../store/labels.ts';
import type { ResultStore } from '../store/results.ts';
import type { TestStore } from '../store/tests.ts';

export interface ComparisonParts {
  readonly results: ResultStore;
  readonly tests: TestStore;
  readonly labels: LabelStore;
}

/** Errors: Refusal 404. */
export function comparisonOf(
  parts: ComparisonParts,
  runs: readonly NamedRun[],
): readonly RunBeside<TitledRun>[] {
  return besideEachOther(runs.map((run) => titledRun(parts, run)));
}

function titledRun({ results, tests, labels }: ComparisonParts, { test: id, result }: NamedRun): TitledRun {
  const [test, run] = [tests.get(id), results.get(id, result)];
  if (test === null || run === null) throw new Refusal(404, [`there is no run ${result} of the test ${id}`]);
  return {
    test: decodeTestRecord(encodeTestRecord(test)),
    result: decodeResult(encodeStoredResult(run)),
    title: labels.get(id)?.title ?? id,
  };
}

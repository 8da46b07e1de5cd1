/** Past runs of tests with their verdicts, for reports. */
import { selectDisplayedVerdict } from '../compare/run-evaluation.ts';
import { testAddress, type TestKey } from '../model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../model/load-test.ts';
import { separateRunningResult, type RunResult } from '../run-record/run-result.ts';
import { stateOf } from '../model/test-state.ts';
import type { PastRun, TestLoad, TestResults } from './generated/documents.ts';
import { declaredTestMembers, toPastRun, toRecordedRun } from './run-document.ts';

export interface TestHistory {
  readonly key: TestKey;
  readonly test: ObservedTest;
  readonly declared: DeclaredTest | null;
  /** Results, newest first; null if the service returns none. */
  readonly results: readonly RunResult[] | null;
}

/**
 * Returns the report member for a test and its past runs.
 * @param now - milliseconds since the epoch
 */
export function testResults(history: TestHistory, now: number): TestResults {
  const { key, test, declared } = history;
  return {
    address: testAddress(key),
    test_id: test.id,
    results: pastRuns(history, now),
    ...(declared === null ? {} : declaredTestMembers(declared)),
  };
}

export function recordedResults(
  { key, testId, load }: { readonly key: TestKey; readonly testId: string; readonly load: TestLoad },
  result: RunResult,
): TestResults {
  return {
    address: testAddress(key),
    test_id: testId,
    results: [{ ...toRecordedRun(result), result: result.json }],
    load,
  };
}

function pastRuns({ test, declared, results }: TestHistory, now: number): readonly PastRun[] | null {
  if (results === null) return null;
  const { current, ended } = separateRunningResult(stateOf(test, now), results);
  const evaluated = ended.map((result) =>
    toPastRun(result, selectDisplayedVerdict(declared, result), declared),
  );
  return current === null ? evaluated : [toPastRun(current, null, declared), ...evaluated];
}

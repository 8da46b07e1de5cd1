/** Past runs of tests, each judged, as a report has them. */
import { selectDisplayedVerdict } from '../run-evaluation.ts';
import { testAddress, type TestKey } from '../model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';
import { separateRunningResult, stateOf } from '../model/test-state.ts';
import type { PastRun, TestResults } from './generated/documents.ts';
import { declaredTestMembers, toPastRun } from './run-document.ts';

/** What the service keeps of a test. */
export interface TestHistory {
  readonly key: TestKey;
  readonly test: ObservedTest;
  /** Null for a test that no file declares. */
  readonly declared: DeclaredTest | null;
  /** Newest first; null where the service has none to give. */
  readonly results: readonly RunResult[] | null;
}

/** @param now milliseconds since the epoch */
export function testResults(history: TestHistory, now: number): TestResults {
  const { key, test, declared } = history;
  return {
    address: testAddress(key),
    test_id: test.id,
    results: pastRuns(history, now),
    ...(declared === null ? {} : declaredTestMembers(declared)),
  };
}

function pastRuns({ test, declared, results }: TestHistory, now: number): readonly PastRun[] | null {
  if (results === null) return null;
  const urlNames = declared?.urlNames ?? [];
  const { current, ended } = separateRunningResult(stateOf(test, now), results);
  const judged = ended.map((result) => toPastRun(result, selectDisplayedVerdict(declared, result), urlNames));
  return current === null ? judged : [toPastRun(current, null, urlNames), ...judged];
}

/** Past runs of tests, each judged, as a report has them. */
import { shownJudgement } from '../judge.ts';
import { testAddress, type TestKey } from '../model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run.ts';
import { resultsByEnd, stateOf } from '../model/test-state.ts';
import type { PastRun, TestResults } from './generated/documents.ts';
import { declaredMembers, pastRun } from './run.ts';

/** What the service keeps of a test. */
export interface History {
  readonly key: TestKey;
  readonly test: ObservedTest;
  /** Null for a test that no file declares. */
  readonly declared: DeclaredTest | null;
  /** Newest first; null where the service has none to give. */
  readonly results: readonly RunResult[] | null;
}

/** @param now milliseconds since the epoch */
export function testResults(history: History, now: number): TestResults {
  const { key, test, declared } = history;
  return {
    address: testAddress(key),
    test_id: test.id,
    results: pastRuns(history, now),
    ...(declared === null ? {} : declaredMembers(declared)),
  };
}

function pastRuns({ test, declared, results }: History, now: number): readonly PastRun[] | null {
  if (results === null) return null;
  const urlNames = declared?.urlNames ?? [];
  const { current, ended } = resultsByEnd(stateOf(test, now), results);
  const judged = ended.map((result) => pastRun(result, shownJudgement(declared, result), urlNames));
  return current === null ? judged : [pastRun(current, null, urlNames), ...judged];
}

/**
 * Reads the results of tests.
 * @remarks A 404 response does not prove that a service provides no results if it has returned results before.
 */
import { CallError } from '../../core/call-error.ts';
import { evaluateRun, type PassCriteria } from '../../core/compare/run-evaluation.ts';
import type { TestId } from '../../core/model/ids.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { needsFullRecord } from '../../core/model/regression.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { History } from '../../core/reconcile/plan-input.ts';
import { forEachConcurrent } from '../concurrency.ts';
import type { Journal, JournalLine } from '../uncertainty/journal.ts';

export function hasGivenResults(lines: readonly JournalLine[]): boolean {
  return lines.some(
    (line) => line.result !== undefined || (line.op === 'start' && (line.before ?? []).length > 0),
  );
}

/** Records a result in the journal, unless the journal already shows that the service has returned results. */
export function recordResult(journal: Journal, id: TestId, { id: result }: RunResult): void {
  const lines = journal.lines();
  const line = lines.findLast((one) => one.id === id && one.phase === 'done');
  // If no line is suitable or the write fails, a later command can record a result.
  if (line !== undefined && !hasGivenResults(lines)) journal.writeOutcome({ ...line, result });
}

/** Returns the results of a listed test; null if the service does not provide results. @throws CallError */
export async function readListedResults(
  service: Pick<ServicePort, 'listResults'>,
  id: TestId,
): Promise<readonly RunResult[] | null> {
  try {
    return await service.listResults(id);
  } catch (error) {
    // The test was just listed, so status 404 means that the test has no results.
    if (error instanceof CallError && error.status === 404) return [];
    throw error;
  }
}

export interface EvaluatedTest extends PassCriteria {
  readonly id: TestId;
}

/**
 * Replaces the newest results with full results if their verdicts need fields that lists omit. Stops at the first
 * result that passed or failed.
 * @throws CallError
 */
export async function fetchDetail(
  results: readonly RunResult[],
  test: EvaluatedTest,
  service: Pick<ServicePort, 'getResult'>,
): Promise<readonly RunResult[]> {
  const isAlwaysNeeded = needsFullRecord(test);
  const isPartial = ({ record }: RunResult): boolean => record.abortReason === 'partial';
  if (!isAlwaysNeeded && !results.some(isPartial)) return results;
  const detailed: RunResult[] = [];
  let decided = false;
  for (const result of results) {
    const isReady = result.status === 'ready';
    const isNeeded: boolean = !decided && isReady && (isAlwaysNeeded || isPartial(result));
    const read: RunResult = (isNeeded ? await service.getResult(test.id, result.id) : null) ?? result;
    detailed.push(read);
    decided ||= isReady && ['pass', 'fail'].includes(evaluateRun(test, read).verdict);
  }
  return detailed;
}

/**
 * Returns the results of each test; null if the service does not provide results for the test.
 * @throws CallError
 */
export async function readHistory(
  tests: readonly EvaluatedTest[],
  { service, lines }: { readonly service: ServicePort; readonly lines: readonly JournalLine[] },
  parallelism: number,
): Promise<History> {
  const hadResults = hasGivenResults(lines);
  const history = new Map<TestId, readonly RunResult[] | null>();
  await forEachConcurrent(tests, parallelism, async (test) => {
    const listed = await readListedResults(service, test.id);
    const results = listed && (await fetchDetail(listed, test, service));
    history.set(test.id, results ?? (hadResults ? [] : null));
  });
  return history;
}

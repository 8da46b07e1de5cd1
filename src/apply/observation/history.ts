/**
 * Reads the results of the tests in a plan.
 * @remarks A "not found" response alone does not prove that the service provides no results, because the
 * service may have returned results before.
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

/** Reports whether the journal shows that the service has returned results. */
export function hasGivenResults(lines: readonly JournalLine[]): boolean {
  return lines.some(
    (line) => line.result !== undefined || (line.op === 'start' && (line.before ?? []).length > 0),
  );
}

/** Records a result in the journal, unless the journal already shows that the service provides results. */
export function recordResult(journal: Journal, id: TestId, { id: result }: RunResult): void {
  const lines = journal.lines();
  const line = lines.findLast((one) => one.id === id && one.phase === 'done');
  // If there is no suitable line or the write fails, a later command can record the result.
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
    // The test was just listed, so status 404 means that it has no results.
    if (error instanceof CallError && error.status === 404) return [];
    throw error;
  }
}

export interface EvaluatedTest extends PassCriteria {
  readonly id: TestId;
}

/**
 * Adds the fields that lists omit to the newest results, if their verdicts need these fields, for example for
 * some thresholds or to name a lost worker. Stops at the first result that passed or failed.
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
 * Returns the results of each test; null for a test if the service does not provide results.
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

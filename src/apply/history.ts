/**
 * The results of the tests that a plan is about.
 *
 * Shape: nothing that a service says of them for the first time is taken for proof. One that has given results before
 *        has some, whatever it says now, and a test that it lists is there.
 */
import { CallError } from '../core/call-error.ts';
import { evaluateRun, type PassCriteria } from '../core/run-evaluation.ts';
import type { TestId } from '../core/model/ids.ts';
import type { RunResult } from '../core/model/run-result.ts';
import { needsFullRecord } from '../core/model/regression.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import type { History } from '../core/reconcile/plan.ts';
import { forEachConcurrent } from './concurrency.ts';
import type { Journal, JournalLine } from './journal.ts';

/** Whether the service has given results to an earlier command. */
export function hasGivenResults(lines: readonly JournalLine[]): boolean {
  return lines.some(
    (line) => line.result !== undefined || (line.op === 'start' && (line.before ?? []).length > 0),
  );
}

/** Keeps that a result of a test was seen, where nothing shows yet that the service has any. */
export function recordResult(journal: Journal, id: TestId, { id: result }: RunResult): void {
  const lines = journal.lines();
  const line = lines.findLast((one) => one.id === id && one.phase === 'done');
  // A command that did not start the run, or whose disk is full, leaves it to a later one.
  if (line !== undefined && !hasGivenResults(lines)) journal.writeOutcome({ ...line, result });
}

/** Null: the service has none to give. None: no longer, or not at this moment. Errors: CallError. */
export async function readListedResults(
  service: Pick<ServicePort, 'listResults'>,
  id: TestId,
): Promise<readonly RunResult[] | null> {
  try {
    return await service.listResults(id);
  } catch (error) {
    // The list has just shown it.
    if (error instanceof CallError && error.status === 404) return [];
    throw error;
  }
}

/** A test whose results are to be judged. */
export interface EvaluatedTest extends PassCriteria {
  readonly id: TestId;
}

/**
 * Results with what lists leave out, where limits need it: the newest ones, up to the first that has a verdict.
 * Errors: CallError.
 */
export async function fetchDetail(
  results: readonly RunResult[],
  test: EvaluatedTest,
  service: Pick<ServicePort, 'getResult'>,
): Promise<readonly RunResult[]> {
  if (!needsFullRecord(test)) return results;
  const whole: RunResult[] = [];
  let decided = false;
  for (const result of results) {
    const wanted: boolean = !decided && result.status === 'ready';
    const read: RunResult = (wanted ? await service.getResult(test.id, result.id) : null) ?? result;
    whole.push(read);
    decided ||= wanted && ['pass', 'fail'].includes(evaluateRun(test, read).verdict);
  }
  return whole;
}

/** Errors: CallError. */
export async function readHistory(
  tests: readonly EvaluatedTest[],
  { service, lines }: { readonly service: ServicePort; readonly lines: readonly JournalLine[] },
  parallelism: number,
): Promise<History> {
  const hadSome = hasGivenResults(lines);
  const history = new Map<TestId, readonly RunResult[] | null>();
  await forEachConcurrent(tests, parallelism, async (test) => {
    const listed = await readListedResults(service, test.id);
    const results = listed && (await fetchDetail(listed, test, service));
    history.set(test.id, results ?? (hadSome ? [] : null));
  });
  return history;
}

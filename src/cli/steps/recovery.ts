/** Operations of unknown outcome: chosen, and closed as somebody says who knows. */
import { readEvidence, markerOf, hasSameKey } from '../../apply/evidence.ts';
import type { JournalLine } from '../../apply/journal.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { remainingSettleTime } from '../../apply/write-retry.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import { CallError } from '../../core/call-error.ts';
import { keyOfAddress, resultId, testId, type TestId } from '../../core/model/ids.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import { usageError } from '../terminal/errors.ts';

/** How an operation was resolved by hand. */
export interface Resolution {
  readonly kind: 'adopted' | 'absent';
  /** What was recorded, in a sentence. */
  readonly text: string;
  readonly id: string | null;
}

/** Named by nonce, address or key; no name chooses all. Errors: ProblemError LT_RUN_NOT_FOUND. */
export function chooseOperations(
  open: readonly JournalLine[],
  names: readonly string[],
): readonly JournalLine[] {
  if (names.length === 0) return open;
  const matches = (line: JournalLine, name: string) =>
    [line.nonce, line.address, keyOfAddress(line.address)].includes(name);
  for (const name of names) {
    if (open.some((line) => matches(line, name))) continue;
    const text = `there is no request with an unknown outcome called "${name}"`;
    throw new ProblemError(problem('LT_RUN_NOT_FOUND', text, { hint: '"loadtests recover" lists them' }));
  }
  return open.filter((line) => names.some((name) => matches(line, name)));
}

/** Errors: ProblemError LT_CLI_USAGE where there is none, or more than one. */
export function requireSingle(chosen: readonly JournalLine[], flag: string): JournalLine {
  const [line, ...others] = chosen;
  if (line === undefined) throw usageError(`${flag} has nothing to resolve: all outcomes are known`);
  if (others.length === 0) return line;
  const nonces = chosen.map(({ nonce, op, address }) => `nonce ${nonce} (${op} of ${address})`);
  throw usageError(`${flag} matches several requests; name one: ${nonces.join(', ')}`);
}

/** The operation was carried out: the id is the test it made, or the run it started. */
export async function adoptOperation(
  line: JournalLine,
  id: string,
  context: ApplyContext,
): Promise<Resolution> {
  const at = context.clock.now();
  if (line.op === 'start') {
    await checkRun(line.id, id, context.service);
    context.journal.write({ ...line, phase: 'done', at });
    return { kind: 'adopted', id, text: `the start of ${line.address} is recorded as carried out` };
  }
  const { test } = await context.service
    .getTest(testId(id))
    .catch(notFoundError(`the service has no test "${id}"`));
  const marker = markerOf(test);
  if (marker !== null && !hasSameKey(marker, line)) {
    throw usageError(
      `"${id}" has the mark of ${marker.project}/test.${marker.key}, so it is not ${line.address}`,
      'adopt another test, or use --absent',
    );
  }
  context.journal.write({ ...line, phase: 'done', id: test.id, at });
  const pin = marker === null ? `; it has no mark, so add "id: ${id}" to the test in the file` : '';
  return {
    kind: 'adopted',
    id,
    text: `the creation of ${line.address} is recorded as carried out, as ${id}${pin}`,
  };
}

/** Either the test itself or one of its results may be named. */
async function checkRun(test: TestId, id: string, service: ServicePort): Promise<void> {
  if (id === test) return;
  const result = await service.getResult(test, resultId(id));
  if (result !== null) return;
  throw new ProblemError(
    problem('LT_RUN_NOT_FOUND', `"${id}" is neither the test "${test}" nor one of its results`),
  );
}

function notFoundError(text: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallError) || error.status !== 404) throw error;
    throw new ProblemError(problem('LT_RUN_NOT_FOUND', text));
  };
}

/** The operation was not carried out. Waits until the service cannot act on it any more, and looks once again. */
export async function closeAsAbsent(line: JournalLine, context: ApplyContext): Promise<Resolution> {
  const left = remainingSettleTime(line, context);
  if (left > 0) {
    const text = `the service may still carry out the ${line.op} request for ${line.address} for another ${formatDuration(milliseconds(left))}; waiting`;
    context.emit({ kind: 'note', text });
    await context.clock.sleep(left, context.interrupted);
    if (context.interrupted.aborted)
      throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted; nothing was resolved'));
  }
  const seen = await readEvidence(line, await context.service.listTests(), context);
  const there = line.op === 'create' ? seen.withNonce[0]?.id : seen.newResults?.[0];
  if (there !== undefined) {
    throw usageError(
      `the ${line.op} request for ${line.address} was carried out, as ${there}; it is not absent`,
      `say --adopt ${there}`,
    );
  }
  context.journal.write({ ...line, phase: 'absent', at: context.clock.now() });
  const text = `the ${line.op} request for ${line.address} is recorded as not carried out; the next apply may send it again`;
  return { kind: 'absent', id: null, text };
}

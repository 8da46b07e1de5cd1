import { readEvidence, markerOf, hasSameKey } from '../../apply/uncertainty/evidence.ts';
import type { JournalLine, StartLine } from '../../apply/uncertainty/journal.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { remainingSettleTime } from '../../apply/uncertainty/lookups.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import { CallError } from '../../core/call-error.ts';
import { keyOfAddress, resultId, testId } from '../../core/model/ids.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import { usageError } from '../terminal/errors.ts';

export interface Resolution {
  readonly kind: 'adopted' | 'absent';
  /** Description of the recorded outcome, without a final period. */
  readonly text: string;
  readonly id: string | null;
}

/**
 * Returns the operations that match a nonce, an address or a key; all operations if there are no names.
 * @throws ProblemError LT_RUN_NOT_FOUND if a name matches no operation.
 */
export function chooseOperations(
  open: readonly JournalLine[],
  names: readonly string[],
): readonly JournalLine[] {
  if (names.length === 0) return open;
  const matches = (line: JournalLine, name: string) =>
    [line.nonce, line.address, keyOfAddress(line.address)].includes(name);
  for (const name of names) {
    if (open.some((line) => matches(line, name))) continue;
    const text = `no request with an unknown outcome matches "${name}"`;
    throw new ProblemError(
      problem('LT_RUN_NOT_FOUND', text, { hint: 'run "loadtests recover" to list these requests' }),
    );
  }
  return open.filter((line) => names.some((name) => matches(line, name)));
}

/** @throws ProblemError LT_CLI_USAGE if none or several are selected. */
export function requireSingle(chosen: readonly JournalLine[], flag: string): JournalLine {
  const [line, ...others] = chosen;
  if (line === undefined)
    throw usageError(`${flag} has no request to resolve: the outcomes of all requests are known`);
  if (others.length === 0) return line;
  const nonces = chosen.map(({ nonce, op, address }) => `nonce ${nonce} (${op} of ${address})`);
  throw usageError(`${flag} resolves only one request; name one of these requests: ${nonces.join(', ')}`);
}

/**
 * Records that an operation was executed.
 * @param id - ID of the created test; for a start request, ID of the test or of one of its results.
 * @throws ProblemError LT_RUN_NOT_FOUND or LT_CLI_USAGE if the ID cannot belong to the operation; CallError
 */
export async function adoptOperation(
  line: JournalLine,
  id: string,
  context: ApplyContext,
): Promise<Resolution> {
  const at = context.clock.now();
  if (line.op === 'start') {
    await checkRun(line, id, context.service);
    context.journal.write({ ...line, phase: 'done', at });
    return { kind: 'adopted', id, text: `the start of ${line.address} is recorded as executed` };
  }
  const { test } = await context.service
    .getTest(testId(id))
    .catch(notFoundError(`the service has no test "${id}"`));
  const marker = markerOf(test);
  if (marker !== null && !hasSameKey(marker, line)) {
    throw usageError(
      `"${id}" has the ownership marker of ${marker.project}/test.${marker.key}, so it is not ${line.address}`,
      'adopt a different test, or use --absent',
    );
  }
  context.journal.write({ ...line, phase: 'done', id: test.id, at });
  const pin =
    marker === null
      ? `; the test on the service has no ownership marker, so add "id: ${id}" to the test in the file`
      : '';
  return {
    kind: 'adopted',
    id,
    text: `the creation of ${line.address} is recorded as executed, as ${id}${pin}`,
  };
}

/**
 * @throws ProblemError LT_RUN_NOT_FOUND if the ID is neither the ID of the test nor the ID of one of its results;
 * LT_CLI_USAGE if the result existed before the request
 */
async function checkRun(
  { id: test, before, address }: StartLine,
  id: string,
  service: ServicePort,
): Promise<void> {
  if (id === test) return;
  const result = resultId(id);
  if (before?.includes(result) === true) {
    throw usageError(
      `the result "${id}" existed before the start request for ${address}, so it is not the result of this request`,
      'adopt a result that began after the request, or use --absent',
    );
  }
  if ((await service.getResult(test, result)) !== null) return;
  throw new ProblemError(
    problem('LT_RUN_NOT_FOUND', `"${id}" is not the test "${test}" or one of its results`),
  );
}

function notFoundError(text: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallError) || error.status !== 404) throw error;
    throw new ProblemError(problem('LT_RUN_NOT_FOUND', text));
  };
}

/**
 * Waits until the service can no longer execute the request. Then checks that it was not executed, and records this in
 * the journal.
 */
export async function closeAsAbsent(line: JournalLine, context: ApplyContext): Promise<Resolution> {
  const remaining = remainingSettleTime(line, context);
  if (remaining > 0) {
    const text = `waiting ${formatDuration(milliseconds(remaining))}, because the service may still execute the ${line.op} request for ${line.address}`;
    context.emit({ kind: 'note', text });
    await context.clock.sleep(remaining, context.interrupted);
    if (context.interrupted.aborted)
      throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted; nothing was resolved'));
  }
  const evidence = await readEvidence(line, await context.service.listTests(), context);
  const existing = line.op === 'create' ? evidence.withNonce[0]?.id : evidence.newResults?.[0];
  if (existing !== undefined) {
    throw usageError(
      `the ${line.op} request for ${line.address} was executed as ${existing}, so --absent cannot resolve it`,
      `use --adopt ${existing}`,
    );
  }
  context.journal.write({ ...line, phase: 'absent', at: context.clock.now() });
  const text = `the ${line.op} request for ${line.address} is recorded as not executed; the next apply may send it again`;
  return { kind: 'absent', id: null, text };
}

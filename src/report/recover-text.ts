/** Text of `recover`: evidence about requests whose outcome is unknown, and duplicate tests. */
import { timeText } from '../core/instant.ts';
import { printableStrings } from '../core/printable.ts';
import type { DuplicateTest, Operation, KnownTest } from '../core/report/generated/documents.ts';

/** @param allKnown - True if all outcomes were known at the start of the command. */
export function recoverText(
  operations: readonly Operation[],
  duplicates: readonly DuplicateTest[],
  allKnown: boolean,
): string {
  const header = allKnown ? ['All outcomes are known.'] : [];
  const lines = [
    ...printableStrings(operations).flatMap(operationLines),
    ...printableStrings(duplicates).map(duplicateLine),
  ];
  return [...header, ...lines].join('\n') + '\n';
}

function duplicateLine({ address, test_id: id, counts, closed }: DuplicateTest): string {
  const end = closed
    ? 'closed, no longer reported'
    : `still running or scheduled; to stop the duplicate: loadtests stop id:${id}`;
  return `  ${address} exists twice: ${counts} is used, ${id} is a duplicate; ${end}`;
}

function operationLines({
  op,
  address,
  nonce,
  sent_at: at,
  resolution,
  evidence,
}: Operation): readonly string[] {
  return [
    `  ${op === 'create' ? 'creation' : op} of ${address}, nonce ${nonce}, sent ${timeText(Date.parse(at))}`,
    ...(op === 'create'
      ? [
          `      tests with this nonce:       ${testsText(evidence.with_nonce)}`,
          `      other tests with this key:   ${testsText(evidence.same_key)}`,
          `      matching unmarked tests:     ${testsText(evidence.alike)}`,
        ]
      : [
          `      the test:                    ${testsText(evidence.tests)}`,
          `      results since the request:   ${resultsText(evidence.new_results)}`,
        ]),
    ...(evidence.list_maybe_truncated
      ? ['      the list may be incomplete, so a missing test may still exist']
      : []),
    ...(resolution === null ? [] : [`      resolved: ${resolution}`]),
  ];
}

function testsText(tests: readonly KnownTest[] = []): string {
  if (tests.length === 0) return 'none';
  return tests.map(({ test_id: id, status }) => `${id} (${status === '' ? 'no status' : status})`).join(', ');
}

function resultsText(ids: readonly string[] | null): string {
  if (ids === null) return 'not provided by the service';
  return ids.length === 0 ? 'none' : ids.join(', ');
}

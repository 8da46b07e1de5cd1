/** What the service shows of requests whose outcome is unknown, for people. */
import { formatInstant } from '../core/instant.ts';
import { printableStrings } from '../core/printable.ts';
import type { DuplicateTest, Operation, KnownTest } from '../core/report/generated/documents.ts';

/** @param allKnown whether no outcome was unknown to begin with */
export function recoverText(
  operations: readonly Operation[],
  duplicates: readonly DuplicateTest[],
  allKnown: boolean,
): string {
  const head = allKnown ? ['All outcomes are known.'] : [];
  const told = [
    ...printableStrings(operations).flatMap(operationLines),
    ...printableStrings(duplicates).map(duplicateLine),
  ];
  return [...head, ...told].join('\n') + '\n';
}

function duplicateLine({ address, test_id: id, counts, closed }: DuplicateTest): string {
  const end = closed ? 'closed: it is not mentioned any more' : `still running; loadtests stop id:${id}`;
  return `  2 of ${address} exist: ${counts} counts, ${id} does not; ${end}`;
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
    `  ${op} of ${address}, nonce ${nonce}, sent ${formatInstant(Date.parse(at))} UTC`,
    ...(op === 'create'
      ? [
          `      tests with its mark:         ${testsText(evidence.with_nonce)}`,
          `      other tests of this key:     ${testsText(evidence.same_key)}`,
          `      similar, without a mark:     ${testsText(evidence.alike)}`,
        ]
      : [
          `      the test:                    ${testsText(evidence.tests)}`,
          `      results since then:          ${resultsText(evidence.new_results)}`,
        ]),
    ...(evidence.list_maybe_truncated
      ? ['      the list may be incomplete, so a missing test may still exist']
      : []),
    ...(resolution === null ? [] : [`      resolved: ${resolution}`]),
  ];
}

function testsText(seen: readonly KnownTest[] = []): string {
  if (seen.length === 0) return 'none';
  return seen.map(({ test_id: id, status }) => `${id} (${status === '' ? 'no status' : status})`).join(', ');
}

function resultsText(ids: readonly string[] | null): string {
  if (ids === null) return 'not provided by the service';
  return ids.length === 0 ? 'none' : ids.join(', ');
}

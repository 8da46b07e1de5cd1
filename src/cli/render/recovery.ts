/** What the service shows of operations of unknown outcome, for people. */
import type { Evidence } from '../../apply/evidence.ts';
import { formatInstant } from '../../core/instant.ts';
import { printable } from '../../core/printable.ts';

/** How an operation was closed by hand. */
export interface Closed {
  readonly how: 'adopted' | 'absent';
  /** What was done, in a sentence. */
  readonly text: string;
  readonly id: string | null;
}

/** `closed`: what was done with it just now; undefined: nothing. */
export function recoveryLines(evidence: Evidence, closed: Closed | undefined): readonly string[] {
  return [...evidenceLines(evidence), ...(closed === undefined ? [] : [`      closed: ${closed.text}`])];
}

function evidenceLines(evidence: Evidence): string[] {
  const { line, withNonce, sameKey: others, alike, newResults, perhapsCut } = evidence;
  const head = `  ${line.op} of ${line.address}, nonce ${line.nonce}, sent ${formatInstant(line.at)} UTC`;
  const tests = (seen: Evidence['withNonce']) =>
    seen.length === 0
      ? 'none'
      : seen.map(({ id, status }) => `${id} (${status === '' ? 'no status' : printable(status)})`).join(', ');
  const listed = perhapsCut ? [`      the list may be incomplete, so a missing test may still exist`] : [];
  if (line.op === 'create') {
    return [
      head,
      `      tests with its mark:         ${tests(withNonce)}`,
      `      other tests of this key:     ${tests(others)}`,
      `      similar, without a mark:     ${tests(alike)}`,
      ...listed,
    ];
  }
  const results =
    newResults === null
      ? 'not provided by the service'
      : newResults.length === 0
        ? 'none'
        : newResults.join(', ');
  return [
    head,
    `      the test:                    ${tests(withNonce)}`,
    `      results since then:          ${results}`,
    ...listed,
  ];
}

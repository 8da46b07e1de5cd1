/** What was wrong with answers that were not as the test expects: as it is counted, and in words. */
import { statusText, type Expectation, type JsonScalar } from '../model/expectation.ts';

/**
 * A fault of an answer as tallies count it: the ledger's word for it, and behind a space what that was about. Of answers
 * only a status code is in it: everything else of them may be secret.
 */
export type ResponseFault =
  | `status ${number}`
  | `header ${string}`
  | 'size'
  | `coding ${string}`
  | 'body'
  | `json ${string}`
  | 'variable';

/** For people, without what came, but for a status. */
export function responseFaultText(fault: string, expectation: Expectation | null): string {
  const [word = '', ...rest] = fault.split(' ');
  const about = rest.join(' ');
  switch (word) {
    case 'status':
      return `answered ${about}, expected ${expectation === null ? 'another status' : statusText(expectation)}`;
    case 'header':
      return `answered without the expected header ${headerText(about, expectation)}`;
    case 'size':
      return 'answered with more than 1 MiB, which is not looked at';
    case 'coding':
      return `answered with a body that cannot be decoded (${about})`;
    case 'body':
      return `answered without the expected text ${quoted(expectation?.body ?? '')}`;
    case 'json':
      return `answered without the expected JSON ${jsonText(about, expectation)}`;
    default:
      return 'answered without a variable that a later request uses';
  }
}

function jsonText(pointer: string, expectation: Expectation | null): string {
  const expected = expectation?.json?.find((one) => one.pointer === pointer);
  return expected === undefined ? pointer : `${pointer}: ${quoted(expected.value)}`;
}

/** Short enough for one line. */
function quoted(value: JsonScalar): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

function headerText(name: string, expectation: Expectation | null): string {
  const value = expectation?.headers?.find((header) => header.name === name)?.value;
  return value === undefined ? `"${name}"` : `"${name}: ${value}"`;
}

/** Violations of the expectations for a response: their keys in tallies, and their descriptions. */
import { statusText, type Expectation, type JsonScalar } from '../model/expectation.ts';

/**
 * A violation as tallies count it: its class in the ledger and, after a space, its subject. It contains nothing from
 * the response except the status code, because everything else may be secret.
 */
export type ResponseFault =
  | `status ${number}`
  | `header ${string}`
  | 'size'
  | `coding ${string}`
  | 'body'
  | `json ${string}`
  | 'variable';

/** Describes a violation. The text contains nothing from the response except its status. */
export function responseFaultText(fault: string, expectation: Expectation | null): string {
  const [kind = '', ...rest] = fault.split(' ');
  const subject = rest.join(' ');
  switch (kind) {
    case 'status':
      return `status ${subject}, expected ${expectation === null ? 'a different status' : statusText(expectation)}`;
    case 'header':
      return `response lacks the expected header ${headerText(subject, expectation)}`;
    case 'size':
      return 'response exceeds 1 MiB, the maximum that is checked';
    case 'coding':
      return `response body cannot be decoded (${subject})`;
    case 'body':
      return `response lacks the expected text ${quoted(expectation?.body ?? '')}`;
    case 'json':
      return `response lacks the expected JSON ${jsonText(subject, expectation)}`;
    default:
      return 'response lacks a variable that a later request uses';
  }
}

function jsonText(pointer: string, expectation: Expectation | null): string {
  const expected = expectation?.json?.find((one) => one.pointer === pointer);
  return expected === undefined ? pointer : `${pointer}: ${quoted(expected.value)}`;
}

/** Formats a value as JSON that is short enough for one line. */
function quoted(value: JsonScalar): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

function headerText(name: string, expectation: Expectation | null): string {
  const value = expectation?.headers?.find((header) => header.name === name)?.value;
  return value === undefined ? `"${name}"` : `"${name}: ${value}"`;
}

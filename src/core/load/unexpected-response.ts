import { expectedValueText } from '../model/condition.ts';
import { formatDuration, milliseconds } from '../units.ts';
import { bodyConditionsOf, statusText, type BodyCondition, type Expectation } from '../model/expectation.ts';

/**
 * Key of a violation in tallies: the class in the ledger and, for some classes, a space and the subject. The key
 * contains no part of the response except the status code and a known content encoding, because other parts may be
 * secret.
 */
export type ResponseFault =
  | `status ${number}`
  | `header ${string}`
  | 'size'
  | `coding ${string}`
  | `body ${number}`
  | `json ${string}`
  | 'time'
  | typeof UNCERTAIN_TIME
  | 'variable';

/** Violation if a response may have exceeded the permitted time only because of delays of the load generator. */
export const UNCERTAIN_TIME = 'time uncertain';

/** Describes a violation, without parts of the response other than those in `fault`. */
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
      return bodyText(bodyConditionsOf(expectation?.body ?? null)[Number(subject)]);
    case 'json':
      return `response does not meet the JSON expectation ${jsonText(subject, expectation)}`;
    case 'time': {
      const limit = formatDuration(milliseconds(expectation?.within ?? 0));
      const cause = subject === '' ? '' : ', possibly because of delays of the load generator';
      return `response took longer than ${limit}${cause}`;
    }
    default:
      return 'response lacks a variable that a later request uses';
  }
}

function bodyText(condition: BodyCondition | undefined): string {
  const text = quoted(JSON.stringify(condition?.text ?? ''));
  switch (condition?.kind) {
    case 'notContains':
      return `response contains the unexpected text ${text}`;
    case 'matches':
      return `response does not match the expected pattern ${text}`;
    case 'contains':
    case undefined:
      return `response lacks the expected text ${text}`;
  }
}

function jsonText(pointer: string, expectation: Expectation | null): string {
  const expected = expectation?.json?.find((one) => one.pointer === pointer);
  return expected === undefined ? pointer : `${pointer}: ${quoted(expectedValueText(expected.value))}`;
}

function quoted(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…${text.endsWith('"') ? '"' : ''}` : text;
}

function headerText(name: string, expectation: Expectation | null): string {
  const value = expectation?.headers?.find((header) => header.name === name)?.value;
  return value === undefined ? `"${name}"` : `"${name}: ${value}"`;
}

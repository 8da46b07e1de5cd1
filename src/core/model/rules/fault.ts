/** Faults of tests, and the text of their messages. */
import type { FieldReference } from '../../field-reference.ts';
import type { BodyFault } from '../request-body.ts';
import type { Text } from '../secret.ts';
import { URL_FIELDS } from '../test-fields.ts';

export interface Fault extends FieldReference {
  /** `warning` if the service may accept the value despite the fault. */
  readonly severity: 'error' | 'warning';
  /** `LT_RUN_CAPACITY` if the test is valid, but its load on one host exceeds a limit that the service sets. */
  readonly code: 'LT_CONFIG_VALUE' | 'LT_RUN_CAPACITY';
  /** One sentence, without values that may be secret, such as bodies and the values of headers and parameters. */
  readonly message: string;
}

export type FaultList = Fault[];

export function faultOfBody(index: number, { field, message }: BodyFault): Fault {
  const path = ['urls', index, URL_FIELDS[field].name];
  return { path, about: 'key', severity: 'error', code: 'LT_CONFIG_VALUE', message };
}

export function addFault(found: FaultList, fault: Omit<Fault, 'severity' | 'code'> & Partial<Fault>): void {
  found.push({ severity: 'error', code: 'LT_CONFIG_VALUE', ...fault });
}

/** Returns a string with its secrets revealed. Secrets that are not set are empty. */
export function knownText(text: Text): string {
  if (typeof text === 'string') return text;
  const part = (one: (typeof text.parts)[number]) =>
    typeof one === 'string' ? one : one.present ? one.reveal() : '';
  return text.parts.map(part).join('');
}

/** Returns a string for messages, with a digit for each secret, because a secret may be a number in an expression. */
export function maskedText(text: Text): string {
  if (typeof text === 'string') return text;
  return text.parts.map((part) => (typeof part === 'string' ? part : '0')).join('');
}

/** Codec for the member `faults` of error responses, an extension. */
import type { FieldReference } from '../core/field-reference.ts';
import { pointerOf, splitPointer } from '../core/pointer.ts';
import { isObject, objectOf } from '../core/unknown-value.ts';
import type { ErrorResponse } from './generated/error.ts';

type Faults = NonNullable<ErrorResponse['faults']>;

/** @param fields - The field of each reason; null if the reason does not refer to a field. */
export function encodeFaults(fields: readonly (FieldReference | null)[]): Faults {
  return fields.map((field) =>
    field === null ? {} : { pointer: pointerOf(field.path), about: field.about },
  );
}

/**
 * Returns the field that each reason of an error response refers to; empty if the response specifies no fields. Invalid
 * entries become null.
 */
export function readFaults(body: unknown): readonly (FieldReference | null)[] {
  const { faults } = objectOf(body);
  return Array.isArray(faults) ? faults.map(readFault) : [];
}

function readFault(value: unknown): FieldReference | null {
  if (!isObject(value)) return null;
  const { pointer, about } = value;
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) return null;
  const path = splitPointer(pointer).map((part) => (INDEX_PATTERN.test(part) ? Number(part) : part));
  return { path, about: about === 'key' ? 'key' : 'value' };
}

const INDEX_PATTERN = /^(?:0|[1-9]\d{0,8})$/;

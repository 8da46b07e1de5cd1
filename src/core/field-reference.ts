/** References to the fields of a test, with the names that the file and the API use. */
import type { SourceRange } from './source-location.ts';

export type FieldPath = readonly (string | number)[];

/** A field of a test that a problem is about. */
export interface FieldReference {
  /** Path of the field within the test. */
  readonly path: FieldPath;
  /** `key` if the field must not be set, `value` if its value is invalid. */
  readonly about: 'key' | 'value';
}

/** Returns the location of a field of a test in the file; that of its nearest existing parent if it is not set. */
export type LocateField = (field: FieldReference) => SourceRange;

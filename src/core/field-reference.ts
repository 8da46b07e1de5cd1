/** References to the fields of a test, with the names in the file and in the API. */
import type { SourceRange } from './source-location.ts';

export type FieldPath = readonly (string | number)[];

/** The field of a test that a problem refers to. */
export interface FieldReference {
  /** Path of the field within the test. */
  readonly path: FieldPath;
  /** Invalid part: `key` if the field must not be set, `value` if its value is invalid. */
  readonly about: 'key' | 'value';
}

/** Returns the location of a field in the file, or of its nearest existing parent if the field is not set. */
export type LocateField = (field: FieldReference) => SourceRange;

import type { SourceRange } from './source-location.ts';

export type FieldPath = readonly (string | number)[];

export interface FieldReference {
  readonly path: FieldPath;
  /** `key` if the field must not be set, `value` if its value is invalid. */
  readonly about: 'key' | 'value';
}

/** Returns the location of a field in the file, or of its nearest existing parent if the field is not set. */
export type LocateField = (field: FieldReference) => SourceRange;

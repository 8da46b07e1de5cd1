/** Types for the validators that are compiled at build time. */

export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
  readonly message?: string;
}

/** Reports whether a value is valid; `errors` contains the errors of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

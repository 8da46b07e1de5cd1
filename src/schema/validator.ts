/** What a validator that was compiled ahead of time looks like. */

/** One finding of a validator, as ajv words it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
  readonly message?: string;
}

/** Says whether a value fits; `errors` holds the findings of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** As much of a JSON Schema as explaining its findings needs. */
export type JsonSchema = Readonly<Record<string, unknown>>;

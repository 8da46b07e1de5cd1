/** The `schema` command: prints a JSON Schema of this package. */
import type { Json } from '../../core/canonical.ts';
import { SCHEMA_NAMES, schemaText } from '../../schema/schema-files.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

export function printSchema(name: string): Outcome {
  const known = SCHEMA_NAMES.find((one) => one === name);
  if (known === undefined) {
    throw usageError(`"${name}" is not the name of a schema; the names are ${SCHEMA_NAMES.join(', ')}`);
  }
  const text = schemaText(known);
  return createOutcome({
    rawOutput: text,
    // Every schema of the package is an object.
    body: { command: 'schema', name, schema: JSON.parse(text) as Readonly<Record<string, Json>> },
  });
}

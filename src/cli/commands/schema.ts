/** Prints a JSON Schema of this package. */
import { schemaText } from '../../schema/files.ts';
import { outcome, usageError, type Outcome } from '../outcome.ts';

const SCHEMAS = { config: 'loadtests', plan: 'plan', result: 'result' } as const;

export const SCHEMA_NAMES = Object.keys(SCHEMAS);

export function schema(name: string): Outcome {
  const known = Object.entries(SCHEMAS).find(([key]) => key === name);
  if (known === undefined) {
    throw usageError(`"${name}" is no schema; there are ${SCHEMA_NAMES.join(', ')}`);
  }
  return outcome({ text: schemaText(known[1]) });
}

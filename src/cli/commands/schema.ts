/** Prints a JSON Schema of this package. */
import { schemaText } from '../../schema/files.ts';
import { outcome, usageError, type Outcome, type OutputFlags } from '../terminal/outcome.ts';

const SCHEMAS = { config: 'loadtests', plan: 'plan', result: 'result' } as const;

export const SCHEMA_NAMES = Object.keys(SCHEMAS);

/** With `--json` the schema is a member of the document, and not told to people once more. */
export function schema(name: string, flags: OutputFlags): Outcome {
  const known = Object.entries(SCHEMAS).find(([key]) => key === name);
  if (known === undefined) {
    throw usageError(`"${name}" is no schema; there are ${SCHEMA_NAMES.join(', ')}`);
  }
  const text = schemaText(known[1]);
  return outcome({
    text: flags.json === true ? '' : text,
    members: { name, schema: JSON.parse(text) as unknown },
  });
}

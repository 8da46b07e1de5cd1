/** Prints a JSON Schema of this package. */
import { SCHEMA_NAMES, schemaText } from '../../schema/files.ts';
import { outcome, usageError, type Outcome, type OutputFlags } from '../terminal/outcome.ts';

/** With `--json` the schema is a member of the document, and not told to people once more. */
export function schema(name: string, flags: OutputFlags): Outcome {
  const known = SCHEMA_NAMES.find((one) => one === name);
  if (known === undefined) {
    throw usageError(`"${name}" is no schema; there are ${SCHEMA_NAMES.join(', ')}`);
  }
  const text = schemaText(known);
  return outcome({
    text: flags.json === true ? '' : text,
    members: { name, schema: JSON.parse(text) as unknown },
  });
}

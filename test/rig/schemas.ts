/** The schemas of the API, compiled here anew, so that answers are judged by the files themselves. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

/** Gives what is wrong with a value; null when it fits. */
export function misfitOf(schema: string, value: unknown): string | null {
  const file = new URL(`../../schemas/api/${schema}.schema.json`, import.meta.url);
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

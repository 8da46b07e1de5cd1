/** The schemas that this package ships. */
import { readFileSync } from 'node:fs';

/** The text of `schemas/NAME.schema.json`; the path is the same from src/schema and from dist/chunks. */
export function schemaText(name: 'loadtests' | 'plan' | 'result'): string {
  return readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
}

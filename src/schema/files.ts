/** The schemas that this package ships. */
import { readFileSync } from 'node:fs';

/** The text of `schemas/NAME.schema.json`; the path is the same from src/schema and from dist/chunks. */
export function schemaText(name: 'loadtests' | 'plan' | 'result'): string {
  return readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
}

/** The text of `schemas/api/NAME.schema.json`. `name`: one of our own, never a request's. */
export function apiSchemaText(name: string): string {
  return readFileSync(new URL(`../../schemas/api/${name}.schema.json`, import.meta.url), 'utf8');
}

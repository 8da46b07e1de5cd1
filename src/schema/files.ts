/** The schemas that this package ships. */
import { readFileSync } from 'node:fs';

/** The schemas that `loadtests schema` prints: the name of each there, and that of its file. */
const SCHEMAS = { config: 'loadtests', plan: 'plan', result: 'result' } as const;

export type SchemaName = keyof typeof SCHEMAS;

// The keys of an object that nobody adds to.
export const SCHEMA_NAMES = Object.keys(SCHEMAS) as readonly SchemaName[];

/** The path is the same from src/schema and from dist/chunks. */
export function schemaText(name: SchemaName): string {
  return readFileSync(new URL(`../../schemas/${SCHEMAS[name]}.schema.json`, import.meta.url), 'utf8');
}

/** The text of `schemas/api/NAME.schema.json`. `name`: one of our own, never a request's. */
export function apiSchemaText(name: string): string {
  return readFileSync(new URL(`../../schemas/api/${name}.schema.json`, import.meta.url), 'utf8');
}

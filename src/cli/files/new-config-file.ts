/** What a new file begins with, whoever writes it. */
import { basename } from 'node:path';

/** Where editors find the schema, as seen from the file. */
export const EDITOR_SCHEMA_PATH = './node_modules/loadtests/schemas/loadtests.schema.json';

/** The directory's name, as far as a project may be called so. */
export function projectNameOf(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return name === '' ? 'shop' : name;
}

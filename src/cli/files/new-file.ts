/** What a new file begins with, whoever writes it. */
import { basename } from 'node:path';

/** Where editors find the schema, as seen from the file. */
export const EDITOR_SCHEMA = './node_modules/loadtests/schemas/loadtests.schema.json';

/** The folder's name, as far as a project may be called so. */
export function projectName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return name === '' ? 'shop' : name;
}

import { basename } from 'node:path';

/** Path of the schema for editors, relative to the configuration file. */
export const EDITOR_SCHEMA_PATH = './node_modules/loadtests/schemas/loadtests.schema.json';

export function projectNameOf(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return name === '' ? 'shop' : name;
}

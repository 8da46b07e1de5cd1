/** The files for SchemaStore, checked as SchemaStore checks them, and by the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FAST_COMPILATION } from '../../support/ajv-options.ts';
import { loadText } from '../config/load-text.ts';

const SCHEMAS = join(import.meta.dirname, '../../../schemas');
const STORE = join(SCHEMAS, 'schemastore');
const schema = JSON.parse(readFileSync(join(SCHEMAS, 'loadtests.schema.json'), 'utf8')) as Readonly<
  Record<string, unknown>
>;

const textsIn = (directory: string): readonly [name: string, text: string][] =>
  readdirSync(join(STORE, 'src', directory, 'loadtests')).map((name) => [
    name,
    readFileSync(join(STORE, 'src', directory, 'loadtests', name), 'utf8'),
  ]);

/** The options of SchemaStore's strict mode. */
const validate = new Ajv({ strict: true, ...FAST_COMPILATION }).compile(schema);

describe('the files for SchemaStore', () => {
  test('the schema for SchemaStore uses draft-07, has a URL as its ID, needs no other schema, and uses no formats', () => {
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema['$id']).toMatch(/^https:\/\/[^#]+\.json$/);
    const text = JSON.stringify(schema);
    expect(text).not.toMatch(/"\$ref":"(?!#\/definitions\/)/);
    expect(text).not.toContain('"format":');
  });

  test('the catalog entry for SchemaStore has the required members and matches loadtests.yaml', () => {
    const entry = JSON.parse(readFileSync(join(STORE, 'catalog-entry.json'), 'utf8')) as object;
    expect(Object.keys(entry)).toEqual(['name', 'description', 'fileMatch', 'url']);
    expect(entry).toMatchObject({
      fileMatch: ['loadtests.yaml'],
      url: 'https://www.schemastore.org/loadtests.json',
    });
    // SchemaStore refuses descriptions that mention the schema or end with a period.
    expect((entry as { readonly description: string }).description).not.toMatch(/schema|\.$/i);
  });

  test.each(textsIn('test'))('the schema for SchemaStore and the program accept %s', (_, text) => {
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
    expect(loadText(text, { files: { '/shop/accounts.csv': 'user\nanna\n' } })).toMatchObject({ ok: true });
  });

  test.each(textsIn('negative_test'))('the schema for SchemaStore and the program reject %s', (_, text) => {
    expect(validate(parse(text))).toBe(false);
    expect(loadText(text)).toMatchObject({ ok: false });
  });
});

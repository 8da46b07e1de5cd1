/** The tables of the fields and the schemas of the file and of the API name the same fields. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TEST_FIELDS, URL_FIELDS } from '../../../src/core/model/test-fields.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

function schema(path: string): Schema {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../../schemas', path), 'utf8')) as Schema;
}

function names(from: Schema | undefined, without: readonly string[] = []): string[] {
  return Object.keys(from?.properties ?? {}).filter((name) => !without.includes(name));
}

const file = schema('loadtests.schema.json').definitions;
const create = schema('api/test-create.schema.json');
const record = schema('api/test-record.schema.json');

/** What the file says of a test for us, not for the service. */
const OWN = ['id', 'needs', 'parallel', 'regression', 'thresholds'];
/** `json` is sent as the body that it stands for. */
const OWN_OF_URL = ['name', 'thresholds', 'json'];
/** What `json` becomes, besides a body. */
const FROM_JSON = URL_FIELDS.jsonBody;
/** What the service says of a test. */
const ITS_OWN = ['test_id', 'domain', 'status', 'progress'];

/** What the API takes from clients of others and has no meaning for. */
const IGNORED = ['tag_names', 'next_run_at'];

const rows = Object.values(TEST_FIELDS);
const urlRows = Object.values(URL_FIELDS);

test.each([
  ['a test in the file', rows, names(file?.['Test'], [...OWN, 'urls'])],
  ['a URL in the file', urlRows.filter((row) => row !== FROM_JSON), names(file?.['Url'], OWN_OF_URL)],
  ['a create', rows, names(create, [...IGNORED, 'urls'])],
  ['a URL of a create', urlRows, names(create.properties?.['urls']?.items)],
  ['a listed test', rows, names(record, [...ITS_OWN, ...IGNORED, 'urls'])],
])('the table names the fields of %s', (_where, table, fields) => {
  expect(table.map(({ name }) => name).sort()).toEqual([...fields].sort());
});

test('the table names the fields of a listed URL, whose credentials have another name there', () => {
  const fields = names(record.properties?.['urls']?.items);
  const told = urlRows.map(({ name }) => (name === 'credentials' ? 'authentication' : name));
  expect(told.sort()).toEqual(fields.sort());
});

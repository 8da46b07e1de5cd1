/** The field tables and the schemas of the file and the API contain the same fields. */
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

/** Fields of a test that are not sent to the service. */
const FILE_FIELDS = [
  'compression',
  'on_failure',
  'groups',
  'id',
  'needs',
  'parallel',
  'regression',
  'thresholds',
];
/** Fields of a URL that are not sent; `json` is sent as a body, and `compression` as a header. */
const FILE_URL_FIELDS = ['name', 'thresholds', 'json', 'compression'];
/** Fields of groups, which are entries of `urls` in the file, and a separate list in the API. */
const FILE_GROUP_FIELDS = ['urls', 'parallel', 'repeat', 'for_each', 'when'];
/** The fields that `json` sets in addition to the body, and a URL that is one variable in addition to the URL. */
const IMPLIED: readonly unknown[] = [URL_FIELDS.jsonBody, URL_FIELDS.resolveUrl];
/** Fields that only the service sets. */
const SERVICE_FIELDS = ['test_id', 'domain', 'status', 'progress'];

/** Fields of third-party clients that the API accepts and ignores. */
const IGNORED = ['tag_names', 'next_run_at'];

const rows = Object.values(TEST_FIELDS);
const urlRows = Object.values(URL_FIELDS);

test.each([
  [
    'a test in the configuration file',
    rows.filter((row) => row !== TEST_FIELDS.groups && row !== TEST_FIELDS.abortRules),
    names(file?.['Test'], [...FILE_FIELDS, 'urls']),
  ],
  [
    'a URL in the configuration file',
    urlRows.filter((row) => !IMPLIED.includes(row)),
    names(file?.['Url'], [...FILE_URL_FIELDS, ...FILE_GROUP_FIELDS]),
  ],
  ['a create request', rows, names(create, [...IGNORED, 'urls'])],
  ['a URL in a create request', urlRows, names(create.properties?.['urls']?.items)],
  ['a listed test', rows, names(record, [...SERVICE_FIELDS, ...IGNORED, 'urls'])],
])('the field tables in the source code contain exactly the fields of %s', (_document, table, fields) => {
  expect(table.map(({ name }) => name).sort()).toEqual([...fields].sort());
});

test('the table of URL fields in the source code contains exactly the fields of a listed URL, whose credentials are named "authentication"', () => {
  const fields = names(record.properties?.['urls']?.items);
  const tableNames = urlRows.map(({ name }) => (name === 'credentials' ? 'authentication' : name));
  expect(tableNames.sort()).toEqual(fields.sort());
});

/** Parser for payload files, which contain rows of values for requests or iterations. */
import { withCommas } from '../counted.ts';
import { isObject } from '../unknown-value.ts';
import { readCsv, type CsvRecord } from './csv.ts';
import type { RowOptions } from '../model/payload-file.ts';
import type { PayloadRows } from './load-job.ts';

/**
 * Content of a payload file:
 *
 * - `classic`: `{"keys": ["user", "password"], "values": [["steve", "x"], ["joe", "y"]]}`. Each request sends one row,
 *   in the query (GET) or form (POST).
 * - `variable`: `{"version": 1, "variables": [{"names": ["user"], "values": [["steve"], ["joe"]]}]}`. Each iteration
 *   uses one row of each list as the values of variables.
 * - CSV, also of kind `variable`: the first record contains the variable names unless `columns` sets them. Each other
 *   record is a row.
 */
export type Payload =
  | { readonly kind: 'classic'; readonly rows: PayloadRows }
  | { readonly kind: 'variable'; readonly lists: readonly PayloadRows[] }
  /**
   * `reason` is a predicate without text from the file, such as `is not valid JSON`. `place` is absent if unknown; see
   * `CsvFault`.
   */
  | {
      readonly kind: 'unusable';
      readonly reason: string;
      readonly place?: { readonly line: number; readonly column: number };
    };

export const MAX_PAYLOAD_ROWS = 1_000_000;
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 65_536;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const NAME_RULE =
  'a name starts with a letter or _, contains only letters, digits, _ and -, and has at most 64 characters';

/**
 * The format is JSON if the text begins with `{` or `[` and neither `columns` nor `delimiter` is set; otherwise CSV.
 */
export function readRowsFile(text: string, maxRows = MAX_PAYLOAD_ROWS, options: RowOptions = {}): Payload {
  const { columns, delimiter, ...use } = options;
  const isJson = columns === undefined && delimiter === undefined && /^\uFEFF?\s*[{[]/.test(text);
  const payload = isJson ? readPayload(text, maxRows) : readCsvPayload(text, maxRows, options);
  if (payload.kind === 'unusable') return payload;
  const names = new Set(listsOf(payload).flatMap((list) => list.names));
  const unknown = (use.mask ?? []).findIndex((name) => !names.has(name));
  if (unknown >= 0) return failPayload(`has no column with the name in entry ${unknown + 1} of "mask"`);
  return payload.kind === 'classic'
    ? { ...payload, rows: { ...payload.rows, ...use } }
    : { ...payload, lists: payload.lists.map((list) => ({ ...list, ...use })) };
}

export function countRows(payload: Exclude<Payload, { kind: 'unusable' }>): number {
  return listsOf(payload).reduce((sum, { values }) => sum + values.length, 0);
}

export function listsOf(payload: Exclude<Payload, { kind: 'unusable' }>): readonly PayloadRows[] {
  return payload.kind === 'classic' ? [payload.rows] : payload.lists;
}

function readCsvPayload(text: string, maxRows: number, { columns, delimiter }: RowOptions): Payload {
  const read = readCsv(text.replace(/^\uFEFF/, ''), delimiter);
  if (!read.ok)
    return { kind: 'unusable', reason: `is not valid CSV: ${read.fault.message}`, place: read.fault };
  const [header, ...rows] =
    columns === undefined ? read.records : [{ values: columns, line: 1 }, ...read.records];
  if (header === undefined || (columns !== undefined && rows.length === 0))
    return { kind: 'unusable', reason: 'is empty', place: { line: 1, column: 1 } };
  const fault = faultOfCsv(header, rows, maxRows);
  if (fault !== null)
    return { kind: 'unusable', reason: fault.reason, place: { line: fault.line, column: 1 } };
  return { kind: 'variable', lists: [{ names: header.values, values: rows.map(({ values }) => values) }] };
}

function faultOfCsv(
  { values: names, line }: CsvRecord,
  rows: readonly CsvRecord[],
  maxRows: number,
): { readonly line: number; readonly reason: string } | null {
  const invalid = names.findIndex((name) => !VARIABLE_NAME.test(name));
  if (invalid >= 0) {
    const reason = `has an invalid variable name in column ${invalid + 1} of its first line; ${NAME_RULE}; also check the delimiter`;
    return { line, reason };
  }
  if (names.length > MAX_NAMES) return { line, reason: `has more than ${MAX_NAMES} columns` };
  const repeated = findRepeatedName(names);
  if (repeated !== null) {
    const [first, second] = repeated;
    return { line, reason: `has the same name in columns ${first + 1} and ${second + 1}` };
  }
  if (rows.length === 0) return { line, reason: 'has no rows below its first line' };
  if (rows.length > maxRows)
    return {
      line,
      reason: `has ${withCommas(rows.length)} rows; the limit for this file is ${withCommas(maxRows)}`,
    };
  for (const row of rows) {
    const count = row.values.length;
    if (count !== names.length) {
      const reason = `has a row with ${count} ${count === 1 ? 'value' : 'values'} instead of ${names.length}`;
      return { line: row.line, reason };
    }
    if (row.values.some((value) => value.length > MAX_VALUE_LENGTH)) {
      return { line: row.line, reason: `has a value longer than ${MAX_VALUE_LENGTH} characters` };
    }
  }
  return null;
}

/** @param maxRows - maximum total number of rows in all lists */
export function readPayload(text: string, maxRows = MAX_PAYLOAD_ROWS): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return failPayload('is not valid JSON');
  }
  try {
    const payload = payloadOf(value);
    const rows = countRows(payload);
    return rows > maxRows
      ? failPayload(`has ${withCommas(rows)} rows; the limit for this file is ${withCommas(maxRows)}`)
      : payload;
  } catch (error) {
    if (!(error instanceof InvalidPayloadError)) throw error;
    return failPayload(error.message);
  }
}

class InvalidPayloadError extends Error {}

function failPayload(reason: string): Payload {
  return { kind: 'unusable', reason };
}

function payloadOf(value: unknown): Exclude<Payload, { kind: 'unusable' }> {
  if (!isObject(value))
    throw new InvalidPayloadError('must be a JSON object with "keys" and "values", or with "variables"');
  if ('keys' in value) {
    checkKeys(value, ['keys', 'values'], '');
    return { kind: 'classic', rows: rowsOf(value['keys'], value['values'], { at: '', names: 'keys' }) };
  }
  if (!('variables' in value)) {
    throw new InvalidPayloadError('has neither "keys" and "values" nor "variables"');
  }
  checkKeys(value, ['version', 'variables'], '');
  if (value['version'] !== 1) throw new InvalidPayloadError('must have "version": 1');
  const { variables } = value;
  if (!Array.isArray(variables) || variables.length === 0) {
    throw new InvalidPayloadError('must have a non-empty list in "variables"');
  }
  if (variables.length > MAX_NAMES)
    throw new InvalidPayloadError(`has more than ${MAX_NAMES} lists of variables`);
  const lists = variables.map((list: unknown, index) => {
    const at = `variables[${index}]`;
    if (!isObject(list)) throw new InvalidPayloadError(`must have an object at ${at}`);
    checkKeys(list, ['names', 'values'], ` in ${at}`);
    const rows = rowsOf(list['names'], list['values'], { at: `${at}.`, names: 'names' });
    const invalid = rows.names.find((name) => !VARIABLE_NAME.test(name));
    if (invalid === undefined) return rows;
    throw new InvalidPayloadError(`has an invalid variable name at ${at}.names; ${NAME_RULE}`);
  });
  const paths = lists.flatMap(({ names }, list) =>
    names.map((_, name) => `variables[${list}].names[${name}]`),
  );
  const repeated = findRepeatedName(lists.flatMap(({ names }) => names));
  if (repeated !== null) {
    const [first, second] = repeated.map((index) => paths[index] ?? '');
    throw new InvalidPayloadError(`has a duplicate variable at ${first} and ${second}`);
  }
  return { kind: 'variable', lists };
}

function checkKeys(value: object, allowed: readonly string[], context: string): void {
  if (Object.keys(value).every((key) => allowed.includes(key))) return;
  const names = allowed.map((key) => `"${key}"`).join(' and ');
  throw new InvalidPayloadError(`has a key other than ${names}${context}`);
}

function rowsOf(
  names: unknown,
  values: unknown,
  path: { readonly at: string; readonly names: string },
): PayloadRows {
  const list = namesOf(names, `${path.at}${path.names}`);
  const at = `${path.at}values`;
  if (!Array.isArray(values)) throw new InvalidPayloadError(`must have a list of rows at ${at}`);
  if (values.length === 0) throw new InvalidPayloadError(`has no rows at ${at}`);
  return {
    names: list,
    values: values.map((row: unknown, index) => rowOf(row, list.length, `${at}[${index}]`)),
  };
}

function namesOf(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new InvalidPayloadError(`must have a list of names at ${at}`);
  if (value.length > MAX_NAMES) throw new InvalidPayloadError(`has more than ${MAX_NAMES} names at ${at}`);
  const names = value.map((name: unknown) => {
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)) {
      throw new InvalidPayloadError(
        `has an invalid name at ${at}; a name has 1 to ${MAX_NAME_LENGTH} printable characters`,
      );
    }
    return name;
  });
  const repeated = findRepeatedName(names);
  if (repeated !== null)
    throw new InvalidPayloadError(`has a duplicate name at ${at}[${repeated.join(`] and ${at}[`)}]`);
  return names;
}

/** Returns the indexes of a name and of its first repetition; null if all names differ. */
function findRepeatedName(names: readonly string[]): readonly [number, number] | null {
  const indexes = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const first = indexes.get(name);
    if (first !== undefined) return [first, index];
    indexes.set(name, index);
  }
  return null;
}

function rowOf(row: unknown, length: number, at: string): readonly string[] {
  if (!Array.isArray(row)) throw new InvalidPayloadError(`must have a list of values at ${at}`);
  if (row.length !== length) {
    throw new InvalidPayloadError(
      `has ${row.length} ${row.length === 1 ? 'value' : 'values'} at ${at} instead of ${length}`,
    );
  }
  return row.map((value: unknown, index) => valueOf(value, `${at}[${index}]`));
}

function valueOf(value: unknown, at: string): string {
  if (typeof value === 'string') {
    if (value.length <= MAX_VALUE_LENGTH) return value;
    throw new InvalidPayloadError(`has a value longer than ${MAX_VALUE_LENGTH} characters at ${at}`);
  }
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') {
    throw new InvalidPayloadError(`has a value that is not a string, number or boolean at ${at}`);
  }
  // `JSON.parse` may have rounded an unsafe integer, and returns Infinity for a number that is too large.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new InvalidPayloadError(
      `has a number at ${at} that cannot be represented exactly; write it as a string`,
    );
  }
  return String(value);
}

/** Reads payload files: rows of values, one for each request or for each pass. Pure. */
import { readCsv, type CsvRecord } from './csv.ts';
import type { PayloadRows } from './load-job.ts';

/**
 * What a payload file holds.
 *
 *     classic    {"keys": ["user", "password"], "values": [["steve", "x"], ["joe", "y"]]}
 *                a row for each request of its URL, added to the query (GET) or the form (POST)
 *     variable   {"version": 1, "variables": [{"names": ["user"], "values": [["steve"], ["joe"]]}]}
 *                of each list a row for every pass, as variables of all its requests
 *     CSV        a line with the names of variables, and a row for every pass in each of the others
 */
export type Payload =
  | { readonly kind: 'classic'; readonly rows: PayloadRows }
  | { readonly kind: 'variable'; readonly lists: readonly PayloadRows[] }
  /**
   * `reason` ends a sentence that begins with the file; it holds nothing that the file says. `place`: a line and a
   * UTF-16 unit in it, from 1, where that is known.
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

/** Of a file in either form: what does not begin as JSON does is CSV. */
export function readRowsFile(text: string, mostRows = MAX_PAYLOAD_ROWS): Payload {
  return /^\uFEFF?\s*[{[]/.test(text) ? readPayload(text, mostRows) : readCsvPayload(text, mostRows);
}

/** Rows of all its lists together. */
export function countRows(payload: Exclude<Payload, { kind: 'unusable' }>): number {
  return listsOf(payload).reduce((sum, { values }) => sum + values.length, 0);
}

/** The rows of a payload file, by list. */
export function listsOf(payload: Exclude<Payload, { kind: 'unusable' }>): readonly PayloadRows[] {
  return payload.kind === 'classic' ? [payload.rows] : payload.lists;
}

function readCsvPayload(text: string, mostRows: number): Payload {
  const read = readCsv(text.replace(/^\uFEFF/, ''));
  if (!read.ok)
    return { kind: 'unusable', reason: `is not valid CSV: ${read.fault.message}`, place: read.fault };
  const [head, ...rows] = read.records;
  const fault = head === undefined ? { line: 1, reason: 'is empty' } : faultOfCsv(head, rows, mostRows);
  if (fault !== null) {
    return { kind: 'unusable', reason: fault.reason, place: { line: fault.line, column: 1 } };
  }
  return {
    kind: 'variable',
    lists: [{ names: head?.values ?? [], values: rows.map(({ values }) => values) }],
  };
}

function faultOfCsv(
  { values: names, line }: CsvRecord,
  rows: readonly CsvRecord[],
  mostRows: number,
): { readonly line: number; readonly reason: string } | null {
  const wrong = names.findIndex((name) => !VARIABLE_NAME.test(name));
  if (wrong >= 0) {
    const reason = `has no valid name of a variable in column ${wrong + 1} of its first line; columns are separated by commas, and names have letters, digits, _ and -`;
    return { line, reason };
  }
  if (names.length > MAX_NAMES) return { line, reason: `has more than ${MAX_NAMES} columns` };
  const repeated = findRepeatedName(names);
  if (repeated !== null) {
    const [first, second] = repeated;
    return { line, reason: `has the same name in columns ${first + 1} and ${second + 1}` };
  }
  if (rows.length === 0) return { line, reason: 'has no rows below its first line' };
  if (rows.length > mostRows) return { line, reason: `has ${rows.length} rows; the limit is ${mostRows}` };
  for (const row of rows) {
    const count = row.values.length;
    if (count !== names.length) {
      const reason = `has a row with ${count} ${count === 1 ? 'value' : 'values'}, where ${names.length} belong`;
      return { line: row.line, reason };
    }
    if (row.values.some((value) => value.length > MAX_VALUE_LENGTH)) {
      return { line: row.line, reason: `has a value longer than ${MAX_VALUE_LENGTH} characters` };
    }
  }
  return null;
}

/** @param text of the file @param mostRows of all its lists together */
export function readPayload(text: string, mostRows = MAX_PAYLOAD_ROWS): Payload {
  let value: unknown;
  try {
    // Some editors mark the beginning of a file.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return failPayload('is not valid JSON');
  }
  try {
    const payload = payloadOf(value);
    const rows = countRows(payload);
    return rows > mostRows ? failPayload(`has ${rows} rows; the limit is ${mostRows}`) : payload;
  } catch (error) {
    if (!(error instanceof InvalidPayloadError)) throw error;
    return failPayload(error.message);
  }
}

/** Thrown and caught in this file. */
class InvalidPayloadError extends Error {}

function failPayload(reason: string): Payload {
  return { kind: 'unusable', reason };
}

function payloadOf(value: unknown): Exclude<Payload, { kind: 'unusable' }> {
  if (!isObject(value))
    throw new InvalidPayloadError('must be an object with "keys" and "values", or with "variables"');
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
    checkKeys(list, ['names', 'values'], ` of ${at}`);
    const rows = rowsOf(list['names'], list['values'], { at: `${at}.`, names: 'names' });
    const wrong = rows.names.find((name) => !VARIABLE_NAME.test(name));
    if (wrong === undefined) return rows;
    throw new InvalidPayloadError(
      `has an invalid variable name at ${at}.names; letters, digits, _ and - are allowed`,
    );
  });
  const places = lists.flatMap(({ names }, list) =>
    names.map((_, name) => `variables[${list}].names[${name}]`),
  );
  const repeated = findRepeatedName(lists.flatMap(({ names }) => names));
  if (repeated !== null) {
    const [first, second] = repeated.map((index) => places[index] ?? '');
    throw new InvalidPayloadError(`has a duplicate variable at ${first} and ${second}`);
  }
  return { kind: 'variable', lists };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkKeys(value: object, known: readonly string[], where: string): void {
  if (Object.keys(value).every((key) => known.includes(key))) return;
  const names = known.map((key) => `"${key}"`).join(' and ');
  throw new InvalidPayloadError(`has a key other than ${names}${where}`);
}

function rowsOf(
  names: unknown,
  values: unknown,
  place: { readonly at: string; readonly names: string },
): PayloadRows {
  const list = namesOf(names, `${place.at}${place.names}`);
  const at = `${place.at}values`;
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

/** The places of the first name that comes a second time. */
function findRepeatedName(names: readonly string[]): readonly [number, number] | null {
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const before = seen.get(name);
    if (before !== undefined) return [before, index];
    seen.set(name, index);
  }
  return null;
}

function rowOf(row: unknown, length: number, at: string): readonly string[] {
  if (!Array.isArray(row)) throw new InvalidPayloadError(`must have a list of values at ${at}`);
  if (row.length !== length) {
    throw new InvalidPayloadError(
      `has ${row.length} ${row.length === 1 ? 'value' : 'values'} at ${at}, where ${length} belong`,
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
  // What was written there is not known any more.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new InvalidPayloadError(
      `has a number at ${at} that cannot be represented exactly; write it as a string`,
    );
  }
  return String(value);
}

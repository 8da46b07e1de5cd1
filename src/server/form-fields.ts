/**
 * A form to a value. The names say where each text belongs, as frameworks write them: `urls[][url]`, `urls[0][url]`.
 *
 * Shape:  `[]` is a list: a name that comes again begins its next member. `[name]` is a map, also where the name is a
 *         number. Every leaf is a text.
 * Errors: Refusal 422.
 */
import { unprocessable } from './refusal.ts';

/** Not objects: a name of the form must not meet what every object has. */
type Field = string | Field[] | FieldMap;
type FieldMap = Map<string, Field>;

export function parseForm(text: string): unknown {
  const root: FieldMap = new Map();
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) {
    throw unprocessable(`a form has at most ${MAX_FIELDS} fields; send JSON`);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    putField(root, splitName(name), at === -1 ? '' : decode(pair.slice(at + 1)));
  }
  return toPlainValue(root);
}

/** Each costs more than the same in JSON. */
const MAX_FIELDS = 10_000;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unprocessable('the body is not form-encoded');
  }
}

/** More than any field of the document has, and few enough to go down by recursion. */
const MAX_NAME_PARTS = 32;

/** `a[b][]` as `a`, `b` and an empty part. */
function splitName(name: string): readonly string[] {
  const match = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match === null) throw misplacedField();
  const parts = [match[1] ?? '', ...(match[2] ?? '').slice(1, -1).split('][')];
  if (parts.length > MAX_NAME_PARTS)
    throw unprocessable(`the body is nested deeper than ${MAX_NAME_PARTS} levels`);
  return match[2] === '' ? parts.slice(0, 1) : parts;
}

function putField(map: FieldMap, [part = '', ...rest]: readonly string[], text: string): void {
  const there = map.get(part);
  const [next] = rest;
  if (next === undefined) {
    if (there !== undefined)
      throw there instanceof Map || Array.isArray(there) ? misplacedField() : duplicateField();
    map.set(part, text);
  } else if (next === '') {
    const list = there ?? [];
    if (!Array.isArray(list)) throw misplacedField();
    map.set(part, list);
    addToList(list, rest.slice(1), text);
  } else {
    const inner = there ?? new Map<string, Field>();
    if (!(inner instanceof Map)) throw misplacedField();
    map.set(part, inner);
    putField(inner, rest, text);
  }
}

function addToList(list: Field[], parts: readonly string[], text: string): void {
  if (parts.length === 0) {
    list.push(text);
    return;
  }
  if (parts[0] === '') throw misplacedField();
  const last = list.at(-1);
  const current = last instanceof Map && !hasField(last, parts) ? last : new Map<string, Field>();
  if (current !== last) list.push(current);
  putField(current, parts, text);
}

/** Whether the very field has come before. A list takes any number of members. */
function hasField(map: FieldMap, [part = '', next, ...rest]: readonly string[]): boolean {
  const there = map.get(part);
  if (there === undefined || next === '') return false;
  if (next === undefined || !(there instanceof Map)) return true;
  return hasField(there, [next, ...rest]);
}

function toPlainValue(field: Field): unknown {
  if (typeof field === 'string') return field;
  if (Array.isArray(field)) return field.map(toPlainValue);
  // Own members all, whatever they are called.
  return Object.fromEntries([...field].map(([name, value]) => [name, toPlainValue(value)]));
}

function misplacedField() {
  return unprocessable('the name of a form field does not fit the others, or has a bracket out of place');
}

function duplicateField() {
  return unprocessable('duplicate form field');
}

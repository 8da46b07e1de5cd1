/**
 * Parser for form bodies. The name of a field specifies the position of its value, such as `urls[][url]` or
 * `urls[0][url]`.
 *
 * @remarks `[]` appends to a list. A name that the last map of the list already contains starts a new map. Other
 * brackets, including `[0]`, name a key of a map. All values are strings.
 * @throws Refusal 422 if the body is not a valid form.
 */
import { unprocessable } from './refusal.ts';

/** Parsed field. Uses maps instead of objects, so that field names never collide with inherited properties. */
type Field = string | Field[] | FieldMap;
type FieldMap = Map<string, Field>;

export function parseForm(text: string): unknown {
  const root: FieldMap = new Map();
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) {
    throw unprocessable(`the form has more than ${MAX_FIELDS} fields; send JSON instead`);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    putField(root, splitName(name), at === -1 ? '' : decode(pair.slice(at + 1)));
  }
  return toPlainValue(root);
}

/** Maximum number of fields, because parsing a form field takes longer than parsing the same value in JSON. */
const MAX_FIELDS = 10_000;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unprocessable('the form has invalid percent-encoding');
  }
}

/** Maximum number of name segments. API fields need fewer segments, and recursion to this depth is safe. */
const MAX_NAME_PARTS = 32;

function splitName(name: string): readonly string[] {
  const match = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match === null) throw misplacedField();
  const parts = [match[1] ?? '', ...(match[2] ?? '').slice(1, -1).split('][')];
  if (parts.length > MAX_NAME_PARTS)
    throw unprocessable(`the body is nested deeper than ${MAX_NAME_PARTS} levels`);
  return match[2] === '' ? parts.slice(0, 1) : parts;
}

function putField(map: FieldMap, [part = '', ...rest]: readonly string[], text: string): void {
  const existing = map.get(part);
  const [next] = rest;
  if (next === undefined) {
    if (existing !== undefined)
      throw existing instanceof Map || Array.isArray(existing)
        ? misplacedField()
        : unprocessable('a form field occurs more than once');
    map.set(part, text);
  } else if (next === '') {
    const list = existing ?? [];
    if (!Array.isArray(list)) throw misplacedField();
    map.set(part, list);
    addToList(list, rest.slice(1), text);
  } else {
    const inner = existing ?? new Map<string, Field>();
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

/** True if the path already has a value. A list does not count, because another item can be added. */
function hasField(map: FieldMap, [part = '', next, ...rest]: readonly string[]): boolean {
  const existing = map.get(part);
  if (existing === undefined || next === '') return false;
  if (next === undefined || !(existing instanceof Map)) return true;
  return hasField(existing, [next, ...rest]);
}

function toPlainValue(field: Field): unknown {
  if (typeof field === 'string') return field;
  if (Array.isArray(field)) return field.map(toPlainValue);
  // `fromEntries` creates only own properties, even for names such as `__proto__`.
  return Object.fromEntries([...field].map(([name, value]) => [name, toPlainValue(value)]));
}

function misplacedField() {
  return unprocessable('the name of a form field conflicts with another field, or has a misplaced bracket');
}

/** Converts a listed request body to a `json` field that produces the same body. */
import { isList, type Json } from '../core/canonical.ts';
import { compileTemplate } from '../core/model/template.ts';
import { isMembers, type DraftMember, type DraftValue } from './import-draft.ts';
import { jsonString } from './lower-json.ts';
import { MAX_KEY_LENGTH, REFUSED_KEYS } from './yaml-parser.ts';
import { escapeReferences } from './yaml-printer.ts';

/** Maximum nesting depth of a converted JSON body. */
const MAX_JSON_DEPTH = 32;

const JSON_TYPE = 'application/json';

/**
 * Replaces the body and its content type with `json` if the resulting body has the same bytes; otherwise returns the
 * members unchanged.
 * @param escapes - True if the service escapes values that it inserts into the body.
 */
export function withJson(members: readonly DraftMember[], escapes: boolean): readonly DraftMember[] {
  const body = members.find(({ name }) => name === 'raw_post_body')?.value;
  const text = typeof body === 'string' ? escapeReferences(body) : withReferences(body);
  const headers = members.find(({ name }) => name === 'headers')?.value;
  if (text === null || !isMembers(headers)) return members;
  const others = headers.filter(
    ({ name, value }) => name.toLowerCase() !== 'content-type' || value !== JSON_TYPE,
  );
  const json = others.length === headers.length - 1 ? parseJsonBody(text) : null;
  if (json === null || compileTemplate(text).names.length > 0 !== escapes) return members;
  return members.flatMap((member): readonly DraftMember[] => {
    if (member.name === 'raw_post_body') return [{ name: 'json', value: { json: json.value } }];
    if (member.name !== 'headers') return [member];
    return others.length === 0 ? [] : [{ name: 'headers', value: others }];
  });
}

function withReferences(value: DraftValue | undefined): string | null {
  return typeof value === 'object' && value !== null && 'template' in value ? value.template : null;
}

/** Returns the value whose `json` notation produces this text; null if there is none. */
export function parseJsonBody(text: string): { readonly value: Json } | null {
  const quoted = text.replaceAll(/"(?:[^"\\]|\\.)*"|%\{[^{}]*\}/g, (found) =>
    found.startsWith('"') ? found.replaceAll(SINGLE_ESCAPE, '$1\\\\') : JSON.stringify(found),
  );
  let value: Json;
  try {
    value = JSON.parse(quoted) as Json;
  } catch {
    return null;
  }
  return isExpressible(value, 0) && serializeJson(value) === text ? { value } : null;
}

/**
 * Matches the backslash of `\{{` or `\%{`. Preceding backslashes are literal if their number is a multiple of four: see
 * `jsonString`.
 */
const SINGLE_ESCAPE = /(?<!\\)((?:\\{4})*)\\(?=\{\{|%\{)/g;

/** Serializes a value in the same way as `lowerJson`. */
function serializeJson(value: Json): string {
  if (typeof value === 'string') return jsonString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(serializeJson).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${serializeJson(member)}`)
    .join(',')}}`;
}

function isExpressible(value: Json, depth: number): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === MAX_JSON_DEPTH) return false;
  if (isList(value)) return value.every((member) => isExpressible(member, depth + 1));
  return Object.entries(value).every(
    ([key, member]) => isLiteralKey(key) && !LONE_SURROGATE.test(key) && isExpressible(member, depth + 1),
  );
}

const LONE_SURROGATE = /\p{Cs}/u;

/** Reports whether a key is allowed and contains no reference. */
function isLiteralKey(key: string): boolean {
  return !REFUSED_KEYS.includes(key) && key.length <= MAX_KEY_LENGTH && !key.includes('${');
}

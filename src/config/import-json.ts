/** A listed body as the `json` that is lowered to it. */
import type { Json } from '../core/canonical.ts';
import { compileTemplate } from '../core/load/template.ts';
import { isOneExpression } from './lower-json.ts';
import { MAX_KEY_LENGTH, REFUSED_KEYS } from './yaml-parser.ts';
import { escapeReferences, isList, type PrintableMember } from './yaml-printer.ts';

/** Deeper ones are a matter of machines, and the file has a limit. */
const MAX_JSON_DEPTH = 32;

const JSON_TYPE = 'application/json';

/**
 * The fields of a URL with `json` in the place of a body and its content type, where it says the same byte for byte;
 * else as they are.
 *
 * @param escapes whether the service escapes what is filled into the body
 */
export function withJson(members: readonly PrintableMember[], escapes: boolean): readonly PrintableMember[] {
  const body = members.find(({ name }) => name === 'raw_post_body')?.value;
  const text = typeof body === 'string' ? escapeReferences(body) : withReferences(body);
  const headers = members.find(({ name }) => name === 'headers')?.value;
  if (text === null || !isMembers(headers)) return members;
  const others = headers.filter(
    ({ name, value }) => name.toLowerCase() !== 'content-type' || value !== JSON_TYPE,
  );
  const json = others.length === headers.length - 1 ? parseJsonBody(text) : null;
  if (json === null || compileTemplate(text).names.length > 0 !== escapes) return members;
  return members.flatMap((member): readonly PrintableMember[] => {
    if (member.name === 'raw_post_body') return [{ name: 'json', value: { json: json.value } }];
    if (member.name !== 'headers') return [member];
    return others.length === 0 ? [] : [{ name: 'headers', value: others }];
  });
}

function withReferences(value: PrintableMember['value'] | undefined): string | null {
  return typeof value === 'object' && value !== null && 'filledIn' in value ? value.filledIn : null;
}

function isMembers(value: PrintableMember['value'] | undefined): value is readonly PrintableMember[] {
  return Array.isArray(value);
}

/** The value that is written as this text; null: there is none. */
export function parseJsonBody(text: string): { readonly value: Json } | null {
  const quoted = text.replaceAll(/"(?:[^"\\]|\\.)*"|%\{[^{}]*\}/g, (found) =>
    found.startsWith('"') ? found : JSON.stringify(found),
  );
  let value: Json;
  try {
    value = JSON.parse(quoted) as Json; // that is what the function gives
  } catch {
    return null;
  }
  return isExpressible(value, 0) && serializeJson(value) === text ? { value } : null;
}

/** As `lowerJson` writes it. */
function serializeJson(value: Json): string {
  if (typeof value === 'string') return isOneExpression(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(serializeJson).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${serializeJson(member)}`)
    .join(',')}}`;
}

/** Whether the file can hold it. */
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

/** References in keys are not filled in. */
function isLiteralKey(key: string): boolean {
  return !REFUSED_KEYS.includes(key) && key.length <= MAX_KEY_LENGTH && !key.includes('${');
}

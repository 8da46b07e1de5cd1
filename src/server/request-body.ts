/**
 * Parser for request bodies. If the content type is missing or ambiguous, the kind of the body is detected from its
 * start.
 */
import { isUtf8 } from 'node:buffer';
import { parseForm } from './form-fields.ts';
import { Refusal, unprocessable } from './refusal.ts';

export type BodyKind = 'json' | 'form';

export interface RawBody {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

export interface ParsedBody {
  readonly kind: BodyKind;
  readonly value: unknown;
}

const MAX_DEPTH = 32;

const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i;
/** Matches content types that many clients send by default, regardless of the body. */
const AMBIGUOUS_TYPE =
  /^(?:(?:application\/x-www-form-urlencoded|text\/plain)(?:[ \t]*;[ \t]*charset="?utf-8"?)?)?$/i;

export function isJsonType(contentType = ''): boolean {
  return JSON_TYPE.test(contentType);
}

/**
 * Parses a body of one of the accepted kinds; returns null for an empty body.
 *
 * @throws Refusal 415 if the content type is not accepted, 422 if the body is invalid.
 */
export function readBody(
  { contentType = '', bytes }: RawBody,
  kinds: readonly BodyKind[],
): ParsedBody | null {
  if (bytes.length === 0) return null;
  const isLoose = AMBIGUOUS_TYPE.test(contentType);
  if (!isLoose && !isJsonType(contentType)) throw unsupportedType(kinds);
  if (!isUtf8(bytes)) throw unprocessable('the body is not UTF-8');
  const text = new TextDecoder().decode(bytes);
  const kind = isLoose && !looksLikeJson(text) ? 'form' : 'json';
  if (!kinds.includes(kind)) throw unsupportedType(kinds);
  const value = kind === 'json' ? parseJson(text) : parseForm(text);
  refuseUnsafeNames(value);
  return { kind, value };
}

function unsupportedType(kinds: readonly BodyKind[]): Refusal {
  const accepted = kinds.map((name) =>
    name === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
  );
  return new Refusal(415, [`the content type must be ${accepted.join(' or ')}`]);
}

/** True if a body starts like JSON. No form field of the API starts this way. */
function looksLikeJson(text: string): boolean {
  return /^\s*(?:[{["]|null\s*$)/.test(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Omits the parser's message, which quotes the body and may contain passwords.
    throw unprocessable('the body is not valid JSON');
  }
}

/**
 * Refuses `__proto__` and deep nesting. The check is iterative, so that a deeply nested body cannot overflow the stack.
 */
function refuseUnsafeNames(root: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) throw unprocessable(`the body is nested deeper than ${MAX_DEPTH} levels`);
    if (Object.hasOwn(value, '__proto__'))
      throw unprocessable('the name "__proto__" is not allowed in a body');
    for (const member of Object.values(value)) open.push({ value: member, depth: depth + 1 });
  }
}

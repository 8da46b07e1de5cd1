/** Bytes and a content type to a value. What a client announces wrongly is read only where it can mean one thing. */
import { parseForm } from './form-fields.ts';
import { Refusal, unprocessable } from './refusal.ts';

export type BodyKind = 'json' | 'form';

export interface RawBody {
  /** The header as it came; undefined when there is none. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** A body that was read: by JSON's types, or with a text for every field of a form. */
export interface ParsedBody {
  readonly kind: BodyKind;
  readonly value: unknown;
}

/** Deep enough for every body of the document, and for mistakes worth a clear answer. */
const MAX_DEPTH = 32;

const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i;
/** Many clients send whatever they have as a form, as text, or as nothing in particular. */
const AMBIGUOUS_TYPE =
  /^(?:(?:application\/x-www-form-urlencoded|text\/plain)(?:[ \t]*;[ \t]*charset="?utf-8"?)?)?$/i;

/** Whether JSON is announced, and nothing that a form could send. */
export function isJsonType(contentType = ''): boolean {
  return JSON_TYPE.test(contentType);
}

/**
 * Reads a body of one of the kinds.
 *
 * Shape:  no body at all is null.
 * Errors: Refusal 415 for another content type, 422 for a body that is not of its kind.
 */
export function readBody(
  { contentType = '', bytes }: RawBody,
  kinds: readonly BodyKind[],
): ParsedBody | null {
  if (bytes.length === 0) return null;
  const isLoose = AMBIGUOUS_TYPE.test(contentType);
  if (!isLoose && !isJsonType(contentType)) throw unsupportedType(kinds);
  const text = decodeUtf8(bytes);
  const kind = isLoose && !looksLikeJson(text) ? 'form' : 'json';
  if (!kinds.includes(kind)) throw unsupportedType(kinds);
  const value = kind === 'json' ? parseJson(text) : parseForm(text);
  refuseUnsafeNames(value);
  return { kind, value };
}

function unsupportedType(kinds: readonly BodyKind[]): Refusal {
  const wanted = kinds.map((name) =>
    name === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
  );
  return new Refusal(415, [`the content type must be ${wanted.join(' or ')}`]);
}

/** No field of a form is called so. */
function looksLikeJson(text: string): boolean {
  return /^\s*(?:[{["]|null\s*$)/.test(text);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unprocessable('the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold passwords.
    throw unprocessable('the body is not JSON');
  }
}

/** Walks without recursion: a body of brackets must not be able to end the process. */
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

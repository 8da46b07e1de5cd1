/** Bytes and a content type to a value: one parser per kind, nothing guessed, nothing converted. */
import { Refusal, unprocessable } from './refusal.ts';

export type BodyKind = 'json' | 'form';

export interface RawBody {
  /** The header as it came; undefined when there is none. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** Deep enough for every body of the document, and for mistakes worth a clear answer. */
const MAX_DEPTH = 32;

const KINDS: Readonly<Record<BodyKind, RegExp>> = {
  json: /^application\/json(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i,
  form: /^application\/x-www-form-urlencoded(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i,
};

/**
 * Reads a body of one of the kinds.
 *
 * Shape:  no body at all is null.
 * Errors: Refusal 415 for another content type, 422 for a body that is not of its kind.
 */
export function readBody(body: RawBody, kinds: readonly BodyKind[]): unknown {
  if (body.contentType === undefined && body.bytes.length === 0) return null;
  const kind = kinds.find((name) => KINDS[name].test(body.contentType ?? ''));
  if (kind === undefined) {
    const wanted = kinds.map((name) =>
      name === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    );
    throw new Refusal(415, [`the content type must be ${wanted.join(' or ')}`]);
  }
  if (body.bytes.length === 0) return null;
  const text = utf8(body.bytes);
  return kind === 'json' ? parseJson(text) : parseForm(text);
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unprocessable('the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold passwords.
    throw unprocessable('the body is not JSON');
  }
  refusePrototypes(value);
  return value;
}

/** Walks without recursion: a body of brackets must not be able to end the process. */
function refusePrototypes(root: unknown): void {
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

function parseForm(text: string): unknown {
  const fields = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeField(at === -1 ? pair : pair.slice(0, at));
    if (fields.has(name)) throw unprocessable('duplicate form field');
    if (name === '__proto__') throw unprocessable('the name "__proto__" is not allowed in a body');
    fields.set(name, at === -1 ? '' : decodeField(pair.slice(at + 1)));
  }
  return Object.fromEntries(fields);
}

function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unprocessable('the body is not form-encoded');
  }
}

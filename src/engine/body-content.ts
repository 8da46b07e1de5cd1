/** What a kept body says: without its coding, and as JSON. Bounded, since targets may be strangers. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { JsonScalar } from '../core/model/expectation.ts';

/** Whose value is the coding. */
export const CODING_HEADER = 'content-encoding';

const MOST_DECODED_BYTES = 8 * 1024 * 1024;

/** JSON that nests deeper is none that is looked at. */
const MOST_DEPTH = 200;

const BOUNDED = { maxOutputLength: MOST_DECODED_BYTES };

/**
 * The body without its content coding.
 *
 * @param coding the value of Content-Encoding; undefined for none
 * Errors: null for one that is not known, that the body does not have, or that makes more than 8 MiB of it.
 */
export function decoded(body: Buffer, coding: string | undefined): Buffer | null {
  const name = codingName(coding);
  // An answer without a body may tell of the coding that it would have had.
  if (name === 'identity' || body.length === 0) return body;
  try {
    switch (name) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, BOUNDED);
      case 'deflate':
        // What is meant is zlib's format; some servers send it without its frame.
        return ((body[0] ?? 0) & 15) === 8 ? inflateSync(body, BOUNDED) : inflateRawSync(body, BOUNDED);
      case 'br':
        return brotliDecompressSync(body, BOUNDED);
      default:
        return null;
    }
  } catch {
    return null;
  }
}

const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'identity'];

/** One of a few words, whatever a target calls it. */
export function codingName(coding: string | undefined): string {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '') return 'identity';
  return CODINGS.includes(name) ? name : 'unknown';
}

/** Undefined where the body is no JSON, or nests too deep. */
export function parsedJson(body: Buffer): unknown {
  if (isTooDeep(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''));
    return value;
  } catch {
    return undefined;
  }
}

const QUOTE = 34;
const ESCAPE = 92;

/** Looked for in the bytes: what nests deep takes much memory once it is parsed. */
function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (inText) {
      if (byte === ESCAPE) at++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    // Both kinds of bracket, which differ in one bit.
    else if ((byte | 32) === 123) {
      if (++depth > MOST_DEPTH) return true;
    } else if ((byte | 32) === 125) depth--;
  }
  return false;
}

/** What stands at the parts of a pointer; undefined for nothing. Source: RFC 6901. */
export function valueAt(root: unknown, parts: readonly string[]): unknown {
  let value = root;
  for (const part of parts) {
    if (Array.isArray(value)) {
      if (!/^(?:0|[1-9]\d*)$/.test(part)) return undefined;
      value = (value as unknown[])[Number(part)];
    } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, part)) {
      value = (value as Readonly<Record<string, unknown>>)[part]; // any object
    } else return undefined;
  }
  return value;
}

export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

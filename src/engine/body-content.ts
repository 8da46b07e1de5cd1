/** What a kept body says: without its coding, and as JSON. Bounded, since targets may be strangers. */
import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { isNestedDeeperThan } from '../core/json-nesting.ts';
import type { JsonScalar } from '../core/model/expectation.ts';

/** Whose value is the coding. */
export const CONTENT_ENCODING_HEADER = 'content-encoding';

const MAX_DECODED_BYTES = 8 * 1024 * 1024;

/** JSON that nests deeper is none that is looked at. */
const MAX_JSON_DEPTH = 200;

const ZLIB_OPTIONS = { maxOutputLength: MAX_DECODED_BYTES };

/**
 * The body without its content coding.
 *
 * @param coding the value of Content-Encoding; undefined for none
 * Errors: null for one that is not known, that the body does not have, or that makes more than 8 MiB of it.
 */
export function decodeBody(body: Buffer, coding: string | undefined): Buffer | null {
  const name = contentEncodingNameOf(coding);
  // An answer without a body may tell of the coding that it would have had.
  if (name === 'identity' || body.length === 0) return body;
  try {
    switch (name) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, ZLIB_OPTIONS);
      case 'deflate':
        // What is meant is zlib's format; some servers send it without its frame.
        return ((body[0] ?? 0) & 15) === 8
          ? inflateSync(body, ZLIB_OPTIONS)
          : inflateRawSync(body, ZLIB_OPTIONS);
      case 'br':
        return brotliDecompressSync(body, ZLIB_OPTIONS);
      default:
        return null;
    }
  } catch {
    return null;
  }
}

const CONTENT_ENCODINGS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'identity'];

/** One of a few words, whatever a target calls it. */
export function contentEncodingNameOf(coding: string | undefined): string {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '') return 'identity';
  return CONTENT_ENCODINGS.includes(name) ? name : 'unknown';
}

/** Undefined for a text that is no JSON, or nests too deep. */
export function parseBoundedJson(text: string): unknown {
  if (isNestedDeeperThan(text, MAX_JSON_DEPTH)) return undefined;
  try {
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return value;
  } catch {
    return undefined;
  }
}

/** What patterns see of a body. */
export interface BodyText {
  readonly text: string;
  /** Each character stands for a byte, since the body is no UTF-8. */
  readonly isLatin1: boolean;
}

const MAX_PATTERN_BYTES = 65_536;

/** How bytes begin, as text. */
export function decodePrefix(bytes: Buffer, from: number, to: number): BodyText {
  const end = endOfWholeCharacters(bytes, from, to);
  const text = bytes.toString('utf8', from, end);
  // Only where it has the character that stands for what is no UTF-8 are its bytes looked at: mostly it has not.
  return !text.includes('\ufffd') || isUtf8(bytes.subarray(from, end))
    ? { text, isLatin1: false }
    : { text: bytes.toString('latin1', from, end), isLatin1: true };
}

/** Where at most so many bytes end, without a part of a character in UTF-8 that they would cut. */
function endOfWholeCharacters(bytes: Buffer, from: number, to: number): number {
  const most = from + MAX_PATTERN_BYTES;
  if (to <= most) return to;
  let end = most;
  while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
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

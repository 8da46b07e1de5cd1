/** Decoding of a response body to bytes, text or JSON, with size limits because targets may be untrusted. */
import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { isNestedDeeperThan } from '../core/json-nesting.ts';
import type { JsonScalar } from '../core/model/condition.ts';
import { isObject } from '../core/unknown-value.ts';

export const CONTENT_ENCODING_HEADER = 'content-encoding';

const MAX_DECODED_BYTES = 8 * 1024 * 1024;

const MAX_JSON_DEPTH = 200;

const ZLIB_OPTIONS = { maxOutputLength: MAX_DECODED_BYTES };

/**
 * Removes the content encoding of a body. Returns null if the encoding is not supported, if the body is not encoded
 * that way, or if the decoded body exceeds 8 MiB.
 * @param coding - Value of the Content-Encoding header; undefined if the response has no such header.
 */
export function decodeBody(body: Buffer, coding: string | undefined): Buffer | null {
  const name = contentEncodingNameOf(coding);
  // A response without a body may still have a Content-Encoding header.
  if (name === 'identity' || body.length === 0) return body;
  try {
    switch (name) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, ZLIB_OPTIONS);
      case 'deflate':
        // `deflate` is defined as the zlib format, but some servers send raw deflate data.
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

export function contentEncodingNameOf(coding: string | undefined): string {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '') return 'identity';
  return CONTENT_ENCODINGS.includes(name) ? name : 'unknown';
}

/** Returns undefined if the text is invalid or too deeply nested. */
export function parseBoundedJson(text: string): unknown {
  if (isNestedDeeperThan(text, MAX_JSON_DEPTH)) return undefined;
  try {
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return value;
  } catch {
    return undefined;
  }
}

/** Start of a body as text, for matching patterns. */
export interface BodyText {
  readonly text: string;
  /** True if the bytes are not valid UTF-8. Each character of the text then represents one byte. */
  readonly isLatin1: boolean;
}

const MAX_PATTERN_BYTES = 65_536;

export function decodePrefix(bytes: Buffer, from: number, to: number): BodyText {
  const end = endOfWholeCharacters(bytes, from, to);
  const text = bytes.toString('utf8', from, end);
  // UTF-8 is validated only if the text contains the replacement character, which is rare.
  return !text.includes('\ufffd') || isUtf8(bytes.subarray(from, end))
    ? { text, isLatin1: false }
    : { text: bytes.toString('latin1', from, end), isLatin1: true };
}

/**
 * Returns `to`, or an earlier end that limits the prefix to `MAX_PATTERN_BYTES` without splitting a UTF-8 character.
 */
function endOfWholeCharacters(bytes: Buffer, from: number, to: number): number {
  const max = from + MAX_PATTERN_BYTES;
  if (to <= max) return to;
  let end = max;
  while (end > max - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

/**
 * Returns the value at a JSON Pointer; undefined if no value exists there.
 * @see RFC 6901
 */
export function valueAt(root: unknown, parts: readonly string[]): unknown {
  let value = root;
  for (const part of parts) {
    if (Array.isArray(value)) {
      if (!/^(?:0|[1-9]\d*)$/.test(part)) return undefined;
      value = (value as unknown[])[Number(part)];
    } else if (isObject(value) && Object.hasOwn(value, part)) {
      value = value[part];
    } else return undefined;
  }
  return value;
}

export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Recognizes header names and parses header values, both in byte ranges. */
import { indexOfControl, isBlank, isHeaderName, isToken } from './header-bytes.ts';

const SPACE = 32;
const COMMA = 44;
const SEMICOLON = 59;

/** Result of `parseLength` for an invalid Content-Length. */
export const BAD_LENGTH = -2;

export const CHUNKED = Buffer.from('chunked');
export const CLOSE = Buffer.from('close');
export const KEEP_ALIVE = Buffer.from('keep-alive');

const OTHER_HEADER = 0;
export const LOCATION = 1;
export const CONNECTION = 2;
export const SET_COOKIE = 3;
export const CONTENT_LENGTH = 4;
export const TRANSFER_ENCODING = 5;
export const RETRY_AFTER = 6;

const LOCATION_NAME = Buffer.from('location');
const CONNECTION_NAME = Buffer.from('connection');
const SET_COOKIE_NAME = Buffer.from('set-cookie');
const CONTENT_LENGTH_NAME = Buffer.from('content-length');
const TRANSFER_ENCODING_NAME = Buffer.from('transfer-encoding');
const RETRY_AFTER_NAME = Buffer.from('retry-after');

export function headerKindOf(bytes: Buffer, from: number, length: number): number {
  switch (length) {
    case 8:
      return isHeaderName(bytes, from, LOCATION_NAME) ? LOCATION : OTHER_HEADER;
    case 10:
      if (isHeaderName(bytes, from, CONNECTION_NAME)) return CONNECTION;
      return isHeaderName(bytes, from, SET_COOKIE_NAME) ? SET_COOKIE : OTHER_HEADER;
    case 11:
      return isHeaderName(bytes, from, RETRY_AFTER_NAME) ? RETRY_AFTER : OTHER_HEADER;
    case 14:
      return isHeaderName(bytes, from, CONTENT_LENGTH_NAME) ? CONTENT_LENGTH : OTHER_HEADER;
    case 17:
      return isHeaderName(bytes, from, TRANSFER_ENCODING_NAME) ? TRANSFER_ENCODING : OTHER_HEADER;
    default:
      return OTHER_HEADER;
  }
}

/** Returns the index of the next comma; `to` if there is none. */
export function endOfItem(bytes: Buffer, from: number, to: number): number {
  let end = from;
  while (end < to && bytes[end] !== COMMA) end++;
  return end;
}

/** Reports whether a list item equals a word, ignoring case and surrounding whitespace. */
export function isListItem(bytes: Buffer, from: number, to: number, word: Buffer): boolean {
  const start = indexAfterBlanks(bytes, from, to);
  return indexAfterWord(bytes, start, to, word) === to;
}

export function isListItemWithParameters(bytes: Buffer, from: number, to: number, word: Buffer): boolean {
  const end = indexAfterWord(bytes, indexAfterBlanks(bytes, from, to), to, word);
  return end < to && bytes[end] === SEMICOLON;
}

export function isEmptyItem(bytes: Buffer, from: number, to: number): boolean {
  return indexAfterBlanks(bytes, from, to) === to;
}

/** Returns the index after a word and the whitespace that follows it; −1 if the bytes do not match the word. */
function indexAfterWord(bytes: Buffer, from: number, to: number, word: Buffer): number {
  const end = from + word.length;
  if (end > to) return -1;
  for (let index = 0; index < word.length; index++) {
    const byte = bytes[from + index] ?? 0;
    if (byte !== word[index] && (!isToken(byte) || (byte | 32) !== word[index])) return -1;
  }
  return indexAfterBlanks(bytes, end, to);
}

function indexAfterBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at])) at++;
  return at;
}

export function parseLength(bytes: Buffer, from: number, to: number): number {
  if (from === to) return BAD_LENGTH;
  let length = 0;
  for (let at = from; at < to; at++) {
    const next = digitOf(bytes[at]);
    if (next < 0) return BAD_LENGTH;
    length = length * 10 + next;
    if (length > Number.MAX_SAFE_INTEGER) return BAD_LENGTH;
  }
  return length;
}

/**
 * Unfolds a header line in place: each fold becomes a space. Returns the new end. The line must contain no control
 * characters other than tabs and the CR LF of each fold.
 * @see RFC 9112, section 5.2
 */
export function unfold(bytes: Buffer, to: number): number {
  let from = indexOfControl(bytes, 0, to);
  let end = from;
  while (from < to) {
    while (end > 0 && isBlank(bytes[end - 1])) end--;
    from = indexAfterBlanks(bytes, from + 2, to);
    bytes[end++] = SPACE;
    const next = indexOfControl(bytes, from, to);
    bytes.copyWithin(end, from, next);
    end += next - from;
    from = next;
  }
  return end;
}

export function digitOf(byte: number | undefined): number {
  return byte !== undefined && byte >= 48 && byte <= 57 ? byte - 48 : -1;
}

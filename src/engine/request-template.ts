/** Templates of requests: constants with slots between them, as bytes in latin1 characters. */
import { isUtf8 } from 'node:buffer';
import { findExpressions, parseExpression, type Expression } from '../core/model/expression.ts';
import { compileTemplate, unescapeExpressions } from '../core/model/template.ts';

export type SlotValues = readonly (string | undefined)[];

export type SlotEncoding = 'percent' | 'form' | 'header' | 'json' | 'raw';

export interface Slot {
  /** Index of the value; −1 for a variable that the job never sets. */
  readonly variable: number;
  readonly encoding: SlotEncoding;
  /** Slot that is set if the value is JSON text; present only if the slot is a whole JSON string. */
  readonly typeIndex?: number;
}

export type TemplatePart = string | Slot;

export interface SlotIndexes {
  variable(name: string): number;
  /** Returns the slot that is set if the value of a variable is not a JSON string. */
  type(variable: number): number;
  /** @throws Error if the expression is invalid. */
  expression(text: string): number;
}

/** @param options - `constant` encodes the constants. `escaped`: braces may be percent-encoded, as in a parsed URL. */
export function parseTemplateParts(
  text: string,
  slots: SlotIndexes,
  options: {
    readonly encoding: SlotEncoding;
    readonly constant: (text: string) => string;
    readonly escaped?: boolean;
  },
): readonly TemplatePart[] {
  const escaped = options.escaped === true;
  const { constants, names } = compileTemplate(text, { escaped });
  return constants.flatMap((constant, index): TemplatePart[] => {
    const parts: TemplatePart[] = [];
    let from = 0;
    for (const expression of findExpressions(constant, { escaped })) {
      parts.push(options.constant(unescapeExpressions(constant.slice(from, expression.at))));
      const encoding = expressionEncodingOf(parseExpression(expression.text), options.encoding);
      parts.push({ variable: slots.expression(expression.text), encoding });
      from = expression.end;
    }
    parts.push(options.constant(unescapeExpressions(constant.slice(from))));
    const name = names[index];
    if (name !== undefined) parts.push({ variable: slots.variable(name), encoding: options.encoding });
    return parts;
  });
}

/**
 * Returns the encoding for the value of an expression. In JSON, values of expressions other than items are already
 * escaped.
 */
function expressionEncodingOf(expression: Expression | null, encoding: SlotEncoding): SlotEncoding {
  const kind = expression?.kind;
  if (kind === 'item') return encoding;
  const needsEncoding = kind === 'pick' || kind === 'now' || kind === 'characters';
  return needsEncoding && encoding !== 'json' ? encoding : 'raw';
}

/**
 * Preserves the type of values in JSON strings that consist of one variable, by making the quotation marks part of the
 * slot.
 */
export function withTypes(parts: readonly TemplatePart[], slots: SlotIndexes): readonly TemplatePart[] {
  const typed = [...parts];
  for (let at = 1; at + 1 < typed.length; at++) {
    const [before, slot, after] = [typed[at - 1], typed[at], typed[at + 1]];
    if (typeof before !== 'string' || typeof after !== 'string' || typeof slot !== 'object') continue;
    // Within a JSON string, a quotation mark is always escaped.
    const isWhole = slot.encoding === 'json' && OPENS_STRING.test(before) && CLOSES_VALUE.test(after);
    if (!isWhole || slot.variable < 0) continue;
    typed[at - 1] = before.slice(0, -1);
    typed[at] = { ...slot, typeIndex: slots.type(slot.variable) };
    typed[at + 1] = after.slice(1);
  }
  return typed;
}

/** Matches a quotation mark that begins a value: at the start of the text, or after one of these characters. */
const OPENS_STRING = /(?:^|[:,[\s])"$/;
/** Matches a quotation mark that does not end a member name. */
const CLOSES_VALUE = /^"(?!\s*:)/;

/** Returns the text of a constant template; null if the template has a slot. */
export function constantOf(parts: readonly TemplatePart[]): string | null {
  return parts.every((part) => typeof part === 'string') ? parts.join('') : null;
}

/** Returns null if a value is undefined or would break a header line. */
export function renderTemplate(parts: readonly TemplatePart[], values: SlotValues): string | null {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = values[part.variable];
    if (value === undefined) return null;
    const encoded =
      part.typeIndex === undefined
        ? encodeValue(value, part.encoding)
        : values[part.typeIndex] === undefined
          ? `"${escapeJsonString(value)}"`
          : value;
    if (encoded === null) return null;
    text += encoded;
  }
  return text;
}

function encodeValue(value: string, encoding: SlotEncoding): string | null {
  switch (encoding) {
    case 'raw':
      return value;
    case 'header':
      return LINE_BREAKING.test(value) ? null : value;
    case 'json':
      return escapeJsonString(value);
    case 'percent':
    case 'form':
      return percentEncode(value, encoding);
  }
}

const LINE_BREAKING = /[\r\n\0]/;

/** Encodes text as UTF-8 and returns one latin1 character per byte. */
export function toByteString(text: string): string {
  // Checking for ASCII is faster than encoding.
  return OTHER_THAN_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

const OTHER_THAN_ASCII = /[^\t -~]/;

/** @see RFC 3986, section 2.3 (unreserved); for forms, the URL standard, which encodes a space as a plus sign */
export function percentEncode(bytes: string, encoding: 'percent' | 'form'): string {
  // This check is faster than a replacement that matches nothing.
  if (!RESERVED.test(bytes)) return bytes;
  return bytes.replace(EACH_RESERVED, (byte) =>
    byte === ' ' && encoding === 'form' ? '+' : toHexPair(byte),
  );
}

const RESERVED = /[^A-Za-z0-9\-._~]/;
const EACH_RESERVED = new RegExp(RESERVED, 'g');

/**
 * Encodes bytes as the content of a JSON string. Bytes that are not valid UTF-8 are decoded as latin1.
 * @see RFC 8259, sections 7 and 8.1
 */
export function escapeJsonString(bytes: string): string {
  const text =
    BEYOND_ASCII.test(bytes) && !isUtf8(Buffer.from(bytes, 'latin1')) ? toByteString(bytes) : bytes;
  return ESCAPED_IN_JSON.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** Bytes that are not valid UTF-8 are decoded as latin1. */
export function toText(bytes: string): string {
  if (!BEYOND_ASCII.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : bytes;
}

const BEYOND_ASCII = /[\x80-\xff]/;
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const ESCAPED_IN_JSON = /["\\\x00-\x1f]/;

/** Percent-encodes characters that are not allowed in a request target. */
export function escapeUnprintable(text: string): string {
  return toByteString(text).replace(/[^\x21-\x7e]/g, toHexPair);
}

function toHexPair(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
